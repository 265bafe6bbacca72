"""Lemmas 4, 5 and 9 of DTSVM section 4: the bound by covering numbers behind its theorems.

Unlike Theorems 7 and 10, Lemma 4 has no unknown constant. With the covering number of Zhang (2002)
for Lemma 5 the whole chain can be computed; its value is far above 1 at the sizes of the document.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from hlsvm._params import check_number
from hlsvm.bounds.result import Bound

__all__ = ["lemma_4", "lemma_5", "lemma_9"]

_ASSUMPTION = "rows are i.i.d.; margins, norms and the number of leaves were fixed before they came"


def lemma_4(
    log_coverings: Sequence[float], log_shatter: float, n: int, *, delta: float = 0.05
) -> Bound:
    r"""Bound a classifier that has margin gamma_i in every part on all its training rows.

    .. math:: \frac{2}{n \ln 2} \left[ \sum_i \ln N_i + \ln V + \ln \frac{2}{\delta} \right]

    The printed form leaves out ln 2, which its proof, ending in :math:`2^{-\epsilon n / 2}`, has
    (erratum E14). The proof also needs :math:`n \epsilon^2 \ge 2`, so the value is at least
    :math:`\sqrt{2 / n}`.

    Parameters
    ----------
    log_coverings : sequence of float
        Natural logarithms of N(F_i, E, 2n, gamma_i / 2), one per leaf; see `lemma_5`.
    log_shatter : float
        Natural logarithm of V(G, 2n); see `log_shatter_bound`.
    n : int
        Training rows.
    delta : float

    Returns
    -------
    Bound

    Examples
    --------
    >>> lemma_4([2.0, 3.0], 10.0, 10_000).value < 0.02
    True
    """
    check_number("lemma_4", "n", n, kind=Integral, low=1)
    check_number("lemma_4", "delta", delta, low=0, high=1, closed="neither")
    check_number("lemma_4", "log_shatter", log_shatter, low=0)
    for value in log_coverings:
        check_number("lemma_4", "log_coverings", value, low=0)
    covering = float(sum(log_coverings))
    value = 2 / (n * math.log(2)) * (covering + log_shatter + math.log(2 / delta))
    terms = {
        "sum of ln N": covering,
        "ln V": log_shatter,
        "ln(2/delta)": math.log(2 / delta),
        "samples": int(n),
        "leaves": len(log_coverings),
    }
    value = max(value, math.sqrt(2 / n))
    return Bound("DTSVM Lemma 4", value, 1 - delta, terms, _ASSUMPTION, "the DTSVM")


def lemma_5(norm: float, eta: float, n: int, *, rho: float = 1.0) -> float:
    r"""Bound ln N(L(H, beta), E, n, eta), the covering number of linear functions.

    Lemma 5 says that some c exists with :math:`\ln N \le c (\rho\beta/\eta)^2 \ln^2 n`. This is a
    bound of that form with known constants (Zhang 2002, Theorem 4 for Euclidean norms):

    .. math:: \log_2 N \le 36 \frac{\rho^2 \beta^2}{\eta^2}
        \log_2 \left( 2 \lceil 4 \rho\beta/\eta + 2 \rceil n + 1 \right).

    Parameters
    ----------
    norm : float
        beta, largest norm of a function.
    eta : float
        Distance within which every function must be covered.
    n : int
        Points.
    rho : float
        Largest norm of a point; 1 for RBF kernels.

    References
    ----------
    T. Zhang, "Covering Number Bounds of Certain Regularized Linear Function Classes", JMLR 2
    (2002).

    Examples
    --------
    >>> round(lemma_5(1.0, 0.5, 100))
    1095
    """
    check_number("lemma_5", "norm", norm, low=0)
    check_number("lemma_5", "eta", eta, low=0, closed="neither")
    check_number("lemma_5", "n", n, kind=Integral, low=1)
    check_number("lemma_5", "rho", rho, low=0, closed="neither")
    ratio = rho * norm / eta
    if ratio <= 1:  # the zero function covers all
        return 0.0
    return 36 * ratio**2 * math.log(2 * math.ceil(4 * ratio + 2) * n + 1)


@dataclass(frozen=True)
class Embedding:
    """What `lemma_9` gives: kernel, function and norm in the larger space.

    Attributes
    ----------
    kernel : ndarray of shape (n, n)
        Inner products of the images tau(Phi(x)).
    decision : ndarray of shape (n,)
        f-hat at the images of the training rows.
    norm : float
        beta-hat, the norm of f-hat.
    radius : float
        Largest norm of an image.
    """

    kernel: np.ndarray
    decision: np.ndarray
    norm: float
    radius: float


def lemma_9(kernel, decision, y, norm: float, *, margin: float = 1.0, rho=None) -> Embedding:
    r"""Turn slack into norm: a space in which a soft-margin function has the whole margin.

    A row is mapped to :math:`\tau_\rho(z) = (z, \rho\, \delta_z)`, and f to
    :math:`\hat f = (f, \sum_j \xi_j y_j \delta_{z_j} / \rho)`. On a training row it adds
    :math:`\xi_j y_j`, elsewhere nothing; its norm is
    :math:`\sqrt{\beta^2 + \|\xi\|^2 / \rho^2}`.

    The proof takes the rows of a leaf to be distinct in the feature space. Equal rows with
    different labels have one image, which no function can give both margins: an error is raised.

    Parameters
    ----------
    kernel : array-like of shape (n, n)
        Inner products of the rows of a leaf.
    decision : array-like of shape (n,)
        f at these rows.
    y : array-like of shape (n,)
        -1 and +1.
    norm : float
        beta, the norm of f.
    margin : float
        gamma > 0.
    rho : float, optional
        At least the largest norm of a row; by default that norm.

    Returns
    -------
    Embedding

    Raises
    ------
    ValueError
        Two rows are equal in the feature space.

    Examples
    --------
    >>> lifted = lemma_9([[1.0, 0.0], [0.0, 1.0]], [0.5, -2.0], [1, -1], 1.0)
    >>> lifted.decision.tolist(), round(lifted.norm, 3)
    ([1.0, -2.0], 1.118)
    """
    kernel = np.asarray(kernel, dtype=float)
    decision, y = np.asarray(decision, dtype=float), np.asarray(y, dtype=float)
    check_number("lemma_9", "norm", norm, low=0)
    check_number("lemma_9", "margin", margin, low=0, closed="neither")
    n = len(y)
    if kernel.shape != (n, n) or decision.shape != (n,) or not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError(
            "'kernel', 'decision' and 'y' must belong to the same rows, y holding -1 and +1. "
            f"Got shapes {kernel.shape}, {decision.shape} and {y.shape}."
        )
    squares = np.diag(kernel)
    apart = squares[:, None] + squares - 2 * kernel + np.eye(n)
    if apart.min() <= 1e-12 * max(squares.max(), 1.0):
        raise ValueError("lemma_9 needs rows that differ in the feature space. Got equal rows.")
    least = math.sqrt(squares.max())
    rho = least if rho is None else rho
    check_number("lemma_9", "rho", rho, low=max(least * (1 - 1e-12), 1e-300))
    slack = np.maximum(0.0, margin - y * decision)
    return Embedding(
        kernel + rho**2 * np.eye(n),
        decision + slack * y,
        math.sqrt(norm**2 + float(slack @ slack) / rho**2),
        math.sqrt(squares.max() + rho**2),
    )
