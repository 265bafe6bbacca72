"""Chapter 4 of the Thesis as printed: what the fast solvers are measured and tested against.

Every function takes the whole kernel matrix and a vector of labels -1 and +1, and costs what the
printed form costs. `KernelFisher` and `KQPFS` are the estimators to use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve

from hlsvm._params import check_number, check_option

REGULARIZERS = ("identity", "kernel")
_ASYMMETRY = 1e-8  # of the largest entry
_PROBES = 64  # rows that are compared with their columns


class QuadraticProgram(NamedTuple):
    """Solution of Eqs. 4.12-4.14: coefficients, offset, errors, value."""

    alpha: np.ndarray
    offset: float
    xi: np.ndarray
    value: float


def algorithm_3(K: np.ndarray, y: np.ndarray, mu: float) -> np.ndarray:
    """Kernel Fisher discriminant analysis, Thesis Algorithm 3, line by line.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Kernel matrix.
    y : array of shape (n_samples,)
        Labels, -1 and +1.
    mu : float
        mu_W.

    Returns
    -------
    alpha : array of shape (n_samples,)

    Raises
    ------
    ValueError, TypeError
        K is not square, finite and symmetric, y holds other labels, or mu is not positive.

    Notes
    -----
    Costs N (N+^2 + N-^2) + N^3 multiplications for W (the count of 4.3.1 differs: it takes the
    second product of each class for N N+^2, erratum E5) and a solve.

    Examples
    --------
    >>> from hlsvm import KernelFisher
    >>> x = np.array([0.0, 1.0, 2.0, 4.0])
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> K = np.exp(-np.subtract.outer(x, x) ** 2)
    >>> ours = KernelFisher("precomputed", mu=0.1).fit(K, y).dual_coef_[:, 0]
    >>> bool(np.allclose(algorithm_3(K, y, 0.1), ours, rtol=1e-12))
    True
    """
    K, y = _checked("algorithm_3", K, y, mu)
    pos = y == 1
    neg = y == -1
    n_pos = pos.sum()
    n_neg = neg.sum()
    W = (
        K[:, pos] @ (np.eye(n_pos) - (1 / n_pos) * np.ones((n_pos, n_pos))) @ K[:, pos].T
        + K[:, neg] @ (np.eye(n_neg) - (1 / n_neg) * np.ones((n_neg, n_neg))) @ K[:, neg].T
        + np.diag(mu * np.ones(len(y)))
    )
    B = (1 / n_pos) * K[:, pos].sum(1) - (1 / n_neg) * K[:, neg].sum(1)
    return _backslash(W, B)


def algorithm_4(K: np.ndarray, y: np.ndarray, mu: float) -> np.ndarray:
    """KQPFS, Thesis Algorithm 4, line by line; arguments and result as in `algorithm_3`.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 4.0])
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> K = np.exp(-np.subtract.outer(x, x) ** 2)
    >>> ratio = algorithm_4(K, y, 0.1) / algorithm_3(K, y, 0.1)
    >>> bool(np.allclose(ratio, ratio[0], rtol=1e-12)) and bool(ratio[0] > 0)
    True
    """
    K, y = _checked("algorithm_4", K, y, mu)
    n = len(y)
    A = K @ (np.eye(n) - (1 / n) * np.ones((n, n)))
    Q = A @ K + np.diag(mu * np.ones(n))
    B = A @ y
    return _backslash(Q, B)


def scatter(K: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return W, Q_K and d = B+ - B- of chapter 4; Q_K = W + c d d', c = N+ N- / N.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.extract.reference import scatter
    >>> y = np.array([1.0, 1.0, 1.0, -1.0])
    >>> K = np.exp(-np.subtract.outer(np.arange(4.0), np.arange(4.0)) ** 2)
    >>> W, Q, d = scatter(K, y)
    >>> bool(np.abs(Q - W - (3 * 1 / 4) * np.outer(d, d)).max() < 1e-15)
    True
    """
    K, y = _checked("scatter", K, y, 1.0)
    within = np.zeros_like(K)
    for label in (1, -1):
        part = K[:, y == label]
        part = part - part.mean(axis=1, keepdims=True)
        within += part @ part.T
    centred = K - K.mean(axis=1, keepdims=True)
    return within, centred @ centred.T, K[:, y == 1].mean(axis=1) - K[:, y == -1].mean(axis=1)


def objective(
    K: np.ndarray, y: np.ndarray, mu: float, alpha: np.ndarray, beta: float = 0.5
) -> float:
    """Return G_mu(alpha) of Eq. 4.7, or twice Eq. 4.9 for a `beta` other than 1/2.

    (1 - beta) alpha'(Q_K + mu I) alpha - 2 beta F_K' alpha, which is G_mu at beta = 1/2. Its
    minimiser is beta / (1 - beta) times that of G_mu: beta changes a length, not a direction.

    Examples
    --------
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> best = algorithm_4(np.eye(4), y, 0.5)
    >>> objective(np.eye(4), y, 0.5, best) < objective(np.eye(4), y, 0.5, 1.1 * best)
    True
    >>> more = objective(np.eye(4), y, 0.5, 4.0 * best, beta=0.8)
    >>> more < objective(np.eye(4), y, 0.5, best, beta=0.8)
    True
    """
    K, y = _checked("objective", K, y, mu)
    alpha = np.asarray(alpha, dtype=np.float64)
    if alpha.shape != y.shape:
        raise ValueError(
            f"The 'alpha' parameter of objective must have one coefficient for each label, here "
            f"shape {y.shape}. Got shape {alpha.shape} instead."
        )
    check_number("objective", "beta", beta, low=0, high=1, closed="neither")
    Ka = K @ alpha
    spread = Ka - Ka.mean()
    redundancy = spread @ spread + mu * (alpha @ alpha)
    return float((1 - beta) * redundancy - 2 * beta * (y - y.mean()) @ Ka)


def quadratic_program(
    K: np.ndarray, y: np.ndarray, mu: float, regularizer: str = "identity"
) -> QuadraticProgram:
    """Solve the least squares form of KFDA with class-wise constraints, Eqs. 4.12-4.14, by cvxpy.

    min |xi|^2 + mu P(alpha)  subject to  K alpha + b 1 = y + xi,  1_i' xi = 0 for both classes,
    with P(alpha) = |alpha|^2 (``"identity"``) or alpha' K alpha (``"kernel"``).

    Returns
    -------
    solution : QuadraticProgram
        ``alpha`` is 2 / (d'a) times the Fisher direction a = (W + mu R)^-1 d, so the projected
        means are 2 apart, and 1 + 1/t times KQPFS, t = c d'a: parallel, not equal as
        Proposition 4.1 says (erratum E2).

    Raises
    ------
    ImportError
        cvxpy is not installed; the extra ``notebooks`` holds it.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 4.0])
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> K = np.exp(-np.subtract.outer(x, x) ** 2)
    >>> solution = quadratic_program(K, y, 0.1)
    >>> means = [(K @ solution.alpha)[y == label].mean() for label in (1, -1)]
    >>> round(float(means[0] - means[1]), 6)
    2.0
    """
    try:
        import cvxpy as cp
    except ImportError as error:
        raise ImportError(
            "quadratic_program needs cvxpy, which the extra 'notebooks' holds: "
            "pip install 'hlsvm[notebooks]'."
        ) from error
    K, y = _checked("quadratic_program", K, y, mu)
    check_option("quadratic_program", "regularizer", regularizer, REGULARIZERS)
    alpha, b, xi = cp.Variable(len(y)), cp.Variable(), cp.Variable(len(y))
    if regularizer == "identity":
        penalty = cp.sum_squares(alpha)
    else:
        penalty = cp.quad_form(alpha, cp.psd_wrap(K))
    rules = [K @ alpha + b == y + xi, *(cp.sum(xi[y == label]) == 0 for label in (1, -1))]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(xi) + mu * penalty), rules)
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    return QuadraticProgram(alpha.value, float(b.value), xi.value, float(problem.value))


def least_squares_svm(K: np.ndarray, y: np.ndarray, mu: float) -> tuple[np.ndarray, float]:
    """Solve the least squares SVM: min |y - K alpha - b|^2 + mu alpha' K alpha.

    [[0, 1'], [1, K + mu I]] [b; alpha] = [0; y], gamma = 1 / mu in the usual spelling. For a
    nonsingular K its alpha *is* the KQPFS solution with mu K: K (I - 1_N) K alpha + mu K alpha =
    K (I - 1_N) y has 1'alpha = 0 and (K + mu I) alpha = y - b 1.

    Returns
    -------
    alpha : array of shape (n_samples,)
    offset : float

    Examples
    --------
    >>> from hlsvm import KQPFS
    >>> x = np.array([0.0, 1.0, 2.0, 4.0])
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> K = np.exp(-np.subtract.outer(x, x) ** 2)
    >>> model = KQPFS("precomputed", mu=0.1, regularizer="kernel").fit(K, y)
    >>> bool(np.allclose(least_squares_svm(K, y, 0.1)[0], model.dual_coef_[:, 0]))
    True
    """
    K, y = _checked("least_squares_svm", K, y, mu)
    n = len(y)
    bordered = np.zeros((n + 1, n + 1))
    bordered[0, 1:] = bordered[1:, 0] = 1.0
    bordered[1:, 1:] = K + mu * np.eye(n)
    solution = solve(bordered, np.concatenate([[0.0], y]), assume_a="sym")
    return solution[1:], float(solution[0])


def _backslash(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solve as MATLAB's backslash: Cholesky if A is exactly symmetric, LU if it is not or fails."""
    if np.array_equal(A, A.T) and (A.diagonal() > 0).all():
        try:
            return cho_solve(cho_factor(A), b)
        except LinAlgError:
            pass
    return solve(A, b, assume_a="gen")


def _checked(owner: str, K: np.ndarray, y: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray]:
    check_number(owner, "mu", mu, low=0, closed="neither")
    K, y = np.asarray(K, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if K.ndim != 2 or K.shape != (len(y), len(y)):
        raise ValueError(
            f"The 'K' parameter of {owner} must be a square matrix with one row for each label, "
            f"here {(len(y), len(y))}. Got shape {K.shape} instead."
        )
    total = K.sum()  # finite where all entries are, and needs no array of its own
    if not np.isfinite(total):
        raise ValueError(f"The 'K' parameter of {owner} must be finite. Got {total} for its sum.")
    block = K[:_PROBES]
    gap = np.abs(block - K[:, :_PROBES].T).max()
    if gap > _ASYMMETRY * np.abs(block).max():
        raise ValueError(
            f"The 'K' parameter of {owner} must be symmetric. Got {gap:.3g} for the largest "
            f"|K - K'| of its first rows."
        )
    result = np.unique(y)
    if not np.array_equal(result, [-1.0, 1.0]):
        raise ValueError(
            f"The 'y' parameter of {owner} must hold the labels -1 and +1, both of them. "
            f"Got {result.tolist()[:5]} instead."
        )
    return K, y
