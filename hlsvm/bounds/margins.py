"""Margins and slacks of local SVMs: R, S, T1 and T2 of the DTSVM bound (DTSVM section 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hlsvm._params import check_number, check_option, check_scale, check_type
from hlsvm.bounds.result import Bound

__all__ = [
    "LocalSVM",
    "dtsvm_terms",
    "log_shatter_bound",
    "machines_of",
    "slack_to_margin",
    "theorem_7",
    "theorem_10",
]

_ASSUMPTION = "training rows are i.i.d.; the constant c of the Theorem is not known"


@dataclass(frozen=True)
class LocalSVM:
    """One SVM f(x) = <w, Phi(x)> + b, by the numbers the bound needs.

    Attributes
    ----------
    norm : float
        beta = ||w|| in the feature space.
    slack_norm : float
        ||xi||, Euclidean norm of ``max(0, margin - y f(x))`` over the samples of its leaf.
    margin : float
        gamma > 0; 1 for an SVM in its usual scale.

    Examples
    --------
    >>> LocalSVM.from_arrays([1.0, -1.0], np.eye(2), [1.0, -1.0], [1, -1]).norm ** 2
    2.0000000000000004
    """

    norm: float
    slack_norm: float
    margin: float = 1.0

    def __post_init__(self):
        check_number("LocalSVM", "norm", self.norm, low=0)
        check_number("LocalSVM", "slack_norm", self.slack_norm, low=0)
        check_number("LocalSVM", "margin", self.margin, low=0, closed="neither")

    @classmethod
    def from_arrays(cls, dual_coef, kernel, decision, y, *, margin: float = 1.0) -> LocalSVM:
        """Build from a fitted machine.

        Parameters
        ----------
        dual_coef : array-like of shape (n_sv,)
            alpha_i y_i of the support vectors.
        kernel : array-like of shape (n_sv, n_sv)
            Their Gram matrix.
        decision : array-like of shape (n,)
            f(x) of every sample of the leaf.
        y : array-like of shape (n,)
            -1 and +1.
        """
        dual_coef = np.asarray(dual_coef, dtype=float).ravel()
        kernel = np.asarray(kernel, dtype=float)
        decision = np.asarray(decision, dtype=float).ravel()
        y = np.asarray(y, dtype=float).ravel()
        if kernel.shape != (len(dual_coef), len(dual_coef)):
            raise ValueError(
                f"'kernel' must be the Gram matrix of the {len(dual_coef)} support vectors. "
                f"Got shape {kernel.shape}."
            )
        if decision.shape != y.shape or not np.isin(y, (-1.0, 1.0)).all():
            raise ValueError(
                "'decision' and 'y' must have one length, y holding -1 and +1. "
                f"Got lengths {len(decision)} and {len(y)}."
            )
        slack = np.maximum(0.0, margin - y * decision)
        norm = math.sqrt(max(float(dual_coef @ kernel @ dual_coef), 0.0))
        return cls(norm, float(np.linalg.norm(slack)), margin)


def machines_of(model) -> tuple[list[LocalSVM], int]:
    """Every SVM of every leaf of a fitted `DTSVMClassifier`, and the number of leaves.

    Leaves of one class have no SVM; leaves of several classes have one per pair or class. So the
    number of leaves, L of the theorems, may be larger or smaller than that of SVMs.

    Returns
    -------
    machines : list of LocalSVM
    n_leaves : int

    Raises
    ------
    TypeError
        The model has no machines in its leaves.

    Examples
    --------
    >>> from hlsvm import DTSVMClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> model = DTSVMClassifier(random_state=0).fit(X, X[:, 0] > 0)
    >>> machines, n_leaves = machines_of(model)
    >>> theorem_10(machines, 60, 2, n_leaves).terms["L"]
    1
    """
    if not hasattr(type(model), "fit") or not hasattr(type(model), "n_support_evaluated"):
        raise TypeError(
            "model must be a fitted DTSVMClassifier or RandomDecompositionSVC. "
            f"Got {type(model).__name__}."
        )
    check_is_fitted(model, "machines_")
    machines = [
        LocalSVM(math.sqrt(square), math.sqrt(slack))
        for machine in model.machines_
        if machine is not None
        for square, slack in zip(machine.squared_norm, machine.squared_slack, strict=True)
    ]
    return machines, len(model.machines_)


def _check_machines(owner, machines):
    accepted = "a sequence of LocalSVM, as machines_of returns first"
    check_type(owner, "machines", machines, Sequence, accepted)
    for machine in machines:
        check_type(owner, "machines", machine, LocalSVM, accepted)


def slack_to_margin(machines: Sequence[LocalSVM], *, rho: float = 1.0) -> float:
    r"""R (of a DTSVM) or S (of one machine), the slack-to-margin ratios of all machines.

    :math:`\sum_i (\rho^2\beta_i^2 + \|\xi_i\|^2)/\gamma_i^2`.

    Parameters
    ----------
    machines : sequence of LocalSVM
        One per leaf; leaves of one class have no machine.
    rho : float
        Largest norm of a sample in the feature space; 1 for RBF kernels.

    Examples
    --------
    >>> slack_to_margin([LocalSVM(2.0, 1.0), LocalSVM(1.0, 0.0)])
    6.0
    """
    _check_machines("slack_to_margin", machines)
    check_number("slack_to_margin", "rho", rho, low=1e-150, high=1e150)
    return float(sum((rho**2 * m.norm**2 + m.slack_norm**2) / m.margin**2 for m in machines))


def log_shatter_bound(n_leaves: int, n: int, n_features: int) -> float:
    """L ln(d n L^2), bound on the logarithm of the shatter coefficient of axis-parallel trees.

    DTSVM Lemma 6 prints it as a bound on the coefficient itself, which is false; its proof and
    Theorem 7 have the logarithm (erratum E14, see notebooks/11_errata).

    Examples
    --------
    >>> round(log_shatter_bound(8, 7329, 16), 1)
    126.6
    """
    check_number(
        "log_shatter_bound", "n_leaves", n_leaves, kind=Integral, low=1, closed="left"
    )  # fmt: skip
    check_number("log_shatter_bound", "n", n, kind=Integral, low=1, closed="left")
    check_number(
        "log_shatter_bound", "n_features", n_features, kind=Integral, low=1, closed="left"
    )  # fmt: skip
    return n_leaves * math.log(n_features * n * n_leaves**2)


def dtsvm_terms(
    R: float, n_leaves: int, n: int, n_features: int, *, faithful: bool = False
) -> dict[str, float]:
    """T1 and T2 of DTSVM Table 13.

    T1 = R ln^2 n and T2 = L ln(d n L^2), as the text defines them. The printed table has
    T1 = R log2(n) and T2 with log10 (erratum E13); `faithful` computes those.

    Returns
    -------
    dict
        ``R``, ``L``, ``T1``, ``T2``.

    Examples
    --------
    >>> {name: round(value) for name, value in dtsvm_terms(133, 8, 7329, 16, faithful=True).items()}
    {'R': 133, 'L': 8, 'T1': 1708, 'T2': 55}
    """
    check_number("dtsvm_terms", "R", R, low=0)
    check_option("dtsvm_terms", "faithful", faithful, (False, True))
    T2 = log_shatter_bound(n_leaves, n, n_features)
    if faithful:
        return {"R": R, "L": n_leaves, "T1": R * math.log2(n), "T2": T2 / math.log(10)}
    return {"R": R, "L": n_leaves, "T1": R * math.log(n) ** 2, "T2": T2}


def theorem_10(
    machines: Sequence[LocalSVM],
    n: int,
    n_features: int,
    n_leaves: int,
    *,
    rho: float = 1.0,
    delta: float = 0.05,
    c: float = 1.0,
    name: str = "DTSVM Theorem 10",
) -> Bound:
    """Soft-margin bound c/n (R ln^2 n + L ln(d n L^2) + ln(1/delta)) of a fitted DTSVM.

    Parameters
    ----------
    machines : sequence of LocalSVM
        SVMs of the leaves.
    n, n_features : int
        Training samples and features.
    n_leaves : int
        L of the tree, leaves of one class included: not the number of machines.
    rho, delta : float
    c : float
        The Theorem says only that such a constant exists.

    Returns
    -------
    Bound
        Its `confidence` is None: with an unknown constant nothing can be promised.

    Examples
    --------
    >>> bound = theorem_10([LocalSVM(2.0, 1.0), LocalSVM(1.0, 0.0)], 1000, 2, n_leaves=3)
    >>> bound.terms["R"], bound.terms["L"], bound.confidence
    (6.0, 3, None)
    """
    check_number("theorem_10", "delta", delta, low=0, high=1, closed="neither")
    check_scale("theorem_10", "c", c)
    _check_machines("theorem_10", machines)
    R = slack_to_margin(machines, rho=rho)
    sums = dtsvm_terms(R, n_leaves, n, n_features)
    terms = {**sums, "ln(1/delta)": math.log(1 / delta), "samples": int(n), "c": c}
    value = c / n * (sums["T1"] + sums["T2"] + math.log(1 / delta))
    return Bound(name, value, None, terms, _ASSUMPTION, "the DTSVM")


def theorem_7(
    machines: Sequence[LocalSVM], n: int, n_features: int, n_leaves: int, **options
) -> Bound:
    """Hard-margin bound of DTSVM Theorem 7: as `theorem_10`, for machines without slack.

    Raises
    ------
    ValueError
        A machine has slack.

    Examples
    --------
    >>> theorem_7([LocalSVM(2.0, 0.0)], 1000, 2, 1).name
    'DTSVM Theorem 7'
    """
    _check_machines("theorem_7", machines)
    slack = max((machine.slack_norm for machine in machines), default=0.0)
    if slack > 0:
        raise ValueError(f"theorem_7 needs machines without slack. Got {slack:.3g}: theorem_10.")
    return theorem_10(machines, n, n_features, n_leaves, name="DTSVM Theorem 7", **options)
