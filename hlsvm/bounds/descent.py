"""Weighted-Pegasos: the ball that holds its optimum, and how fast it gets there (Thesis app. C)."""

from __future__ import annotations

import math
from numbers import Integral

from scipy.optimize import brentq

from hlsvm._params import check_number, check_option
from hlsvm.bounds.result import Bound

__all__ = ["norm_bound", "pegasos_bound", "pegasos_iterations"]

# The statement has log T where its proof has (1 + log T)/2: they agree from T = 3 on.
_FIRST = 3
_LEAST, _MOST = 1e-75, 1e75  # of lambda, radius and accuracy: no product of theirs overflows
_COUNTED = 1e15  # iterations that are counted one by one


def norm_bound(lam: float, n: int, *, loss_scale: str = "mean", faithful: bool = False) -> Bound:
    r"""Bound on the norm of the optimum w* of Weighted-Pegasos (Thesis Lemma C.1).

    With class weights that sum to one, :math:`\|w^*\| \le 1/\sqrt{n\lambda}` where the loss is
    averaged over n samples besides (Eq. C.1), and :math:`1/\sqrt{\lambda}` where it is not (the
    radius that HLSVM prints). Both are attained.

    Parameters
    ----------
    lam : float
        :math:`\lambda > 0`.
    n : int
        Samples of the node.
    loss_scale : {"mean", "sum"}
        As in `WeightedLinearSVC`.
    faithful : bool
        The Lemma as printed, :math:`\|w^*\|^2 \le 1/\sqrt{n\lambda}`, which is false: its proof
        ends with :math:`1/(n\lambda)` (erratum E10, see notebooks/11_errata).

    Returns
    -------
    Bound
        Of the norm, certain (confidence 1).

    Examples
    --------
    >>> norm_bound(1e-4, 100).value
    10.0
    """
    check_number("norm_bound", "lam", lam, low=_LEAST, high=_MOST)
    check_number("norm_bound", "n", n, kind=Integral, low=1, closed="left")
    check_option("norm_bound", "loss_scale", loss_scale, ("mean", "sum"))
    check_option("norm_bound", "faithful", faithful, (False, True))
    averaged = n if loss_scale == "mean" else 1
    value = 1.0 / math.sqrt(averaged * lam)
    if faithful:
        value = (n * lam) ** -0.25
    name = "Lemma C.1 as printed" if faithful else "Lemma C.1"
    terms = {"lambda": lam, "samples": int(n)}
    assumption = "sample weights sum to one"
    return Bound(name, value, 1.0, terms, assumption, "the optimum", "norm")


def _constant(lam: float, n: int, radius: float, standard: bool) -> float:
    ball = math.sqrt(lam) if standard else math.sqrt(lam / n)
    return (ball + radius) ** 2


def _check(owner, lam, n, radius):
    check_number(owner, "lam", lam, low=_LEAST, high=_MOST)
    check_number(owner, "n", n, kind=Integral, low=1, closed="left")
    check_number(owner, "radius", radius, low=_LEAST, high=_MOST)


def pegasos_bound(
    lam: float, n: int, radius: float, n_iter: int, *, standard: bool = False
) -> Bound:
    r"""Bound the expected suboptimality of Weighted-Pegasos (Thesis Theorem C.2).

    :math:`E f(w_r) - f(w^*) \le c \log T / (\lambda T)` with
    :math:`c = (\sqrt{\lambda/n} + R)^2`, r uniform on 1..T. It needs T >= 3: at T = 1 the printed
    right side is 0. The constant is valid and loose: a gradient of the loss is at most
    :math:`R \max \nu_i \le R/2` (erratum E34).

    Parameters
    ----------
    lam, n : float, int
        :math:`\lambda` and the samples of the node.
    radius : float
        R, largest norm of a sample.
    n_iter : int
        T >= 3.
    standard : bool
        The constant of plain Pegasos, :math:`(\sqrt{\lambda} + R)^2`.

    Returns
    -------
    Bound
        Of the expected suboptimality; an expectation, so its confidence is 1.

    Examples
    --------
    >>> pegasos_bound(1e-2, 100, 1.0, 10_000).value < pegasos_bound(1e-2, 100, 1.0, 1_000).value
    True
    """
    _check("pegasos_bound", lam, n, radius)
    check_number("pegasos_bound", "n_iter", n_iter, kind=Integral, low=_FIRST, closed="left")
    check_option("pegasos_bound", "standard", standard, (False, True))
    c = _constant(lam, n, radius, standard)
    terms = {
        "lambda": lam,
        "samples": int(n),
        "radius R": radius,
        "iterations T": int(n_iter),
        "c": c,
    }
    assumption = "batches are i.i.d. draws from the node; iterates are projected to the ball"
    return Bound(
        "Theorem C.2",
        c * math.log(n_iter) / (lam * n_iter),
        1.0,
        terms,
        assumption,
        "a random iterate",
        "expected suboptimality",
    )


def pegasos_iterations(
    lam: float, n: int, radius: float, accuracy: float, *, standard: bool = False
) -> int:
    r"""Count the iterations after which Theorem C.2 promises an accuracy.

    They are :math:`\tilde O(R^2/\lambda\epsilon)`.

    Examples
    --------
    >>> T = pegasos_iterations(1e-2, 100, 1.0, 0.1)
    >>> pegasos_bound(1e-2, 100, 1.0, T).value <= 0.1 < pegasos_bound(1e-2, 100, 1.0, T - 1).value
    True
    """
    _check("pegasos_iterations", lam, n, radius)
    check_number("pegasos_iterations", "accuracy", accuracy, low=_LEAST, high=_MOST)
    check_option("pegasos_iterations", "standard", standard, (False, True))
    need = lam * accuracy / _constant(lam, n, radius, standard)
    if math.log(_FIRST) / _FIRST <= need:
        return _FIRST
    # log T / T falls from T = 3 on; T = exp(s).
    root = brentq(lambda s: math.log(s) - s - math.log(need), math.log(_FIRST), 700.0, xtol=1e-13)
    if root > math.log(_COUNTED):
        raise ValueError(
            f"'lam', 'radius' and 'accuracy' of pegasos_iterations must ask for at most "
            f"{_COUNTED:.0e} iterations. Got lam={lam!r}, radius={radius!r}, "
            f"accuracy={accuracy!r}: about {math.exp(root):.1e}."
        )
    steps = math.ceil(math.exp(root) * (1 - 1e-9))
    while math.log(steps) / steps > need:
        steps += 1
    return steps
