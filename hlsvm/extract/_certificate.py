"""What the directions are worth: the system they solve, measured with the kernel matrix itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hlsvm._certificate import Certificate

_EPS = np.finfo(np.float64).eps
_TINY = np.finfo(np.float64).tiny
_BACKWARD = 1e-10  # backward error accepted of the exact solver
_SLACK = 10.0  # residual accepted of conjugate gradients, over tol: it is measured with K itself


@dataclass(frozen=True)
class SystemCertificate(Certificate):
    """How well a solution satisfies (W + mu R) a = rhs.

    Attributes
    ----------
    objective : float
        1/2 a'(W + mu R)a - rhs'a, which the solution minimises, summed over the directions.
    dual_objective : float
        The objective less |r|^2 / (2 mu), r = (W + mu R)a - rhs, or less e'Ke / (2 mu), r = Ke,
        with the kernel regulariser: no a has a lower objective (there, if K is positive
        semidefinite).
    n_iter : int
        Lanczos or conjugate gradient steps, or solves with the factor.
    converged : bool
    reason : str
    residual : float
        Largest |(W + mu R) a - rhs| / |rhs| over the directions.
    backward_error : float
        Largest |(W + mu R) a - rhs| / (|W + mu R| |a| + |K| |e|), rhs = K e: the relative change
        of the problem that makes the solution exact.
    condition : float
        Bound on the condition number of W + mu I, (|K|^2 + mu) / mu, |K| by power steps; with
        the kernel regulariser on that of P_w K + mu I, the matrix that is solved with. The
        directions have a relative error of about its square root times 1e-16 (identity
        regulariser), the printed algorithms one of about 1e-16 times it.
    """

    residual: float
    backward_error: float
    condition: float


def certify(
    matmul: Callable[[np.ndarray], np.ndarray],
    norm: float,
    V: np.ndarray,
    target: np.ndarray,
    a: np.ndarray,
    mu: float,
    regularizer: str,
    n_iter: int,
    tol: float | None = None,
) -> SystemCertificate:
    """Measure (W + mu R) a - K V target with K itself, whatever way `a` was found.

    Parameters
    ----------
    matmul : callable
        Applies K.
    norm : float
        Estimate of the largest eigenvalue of K.
    target : array of shape (n_classes, k)
        Right-hand sides in the basis K V: D M for the directions Y M.
    a : array of shape (n_samples, k)
        The directions.
    tol : float or None
        Residual accepted; None: the backward error must be rounding.
    """
    k = a.shape[1]
    on_kernel = regularizer == "kernel"
    Ka = matmul(a)
    inner = Ka - V @ (V.T @ Ka) + (mu * a if on_kernel else 0.0)
    product = matmul(np.hstack([inner - V @ target, V @ target]))
    gap = product[:, :k] + (0.0 if on_kernel else mu * a)
    gaps, sizes, causes = (np.linalg.norm(part, axis=0) for part in (gap, a, target))
    # Where class means coincide the right-hand side is rounding, and counts as so much.
    noise = np.maximum(_EPS * norm * causes, _TINY)
    rhs = np.maximum(np.linalg.norm(product[:, k:], axis=0), noise)
    whole = norm**2 + mu * (norm if on_kernel else 1.0)
    residual = float(np.max(gaps / rhs))
    backward = float(np.max(gaps / np.maximum(whole * sizes + norm * causes, _TINY)))
    condition = (norm ** (1 if on_kernel else 2) + mu) / mu
    converged, reason = _judged(residual, backward, condition, n_iter, tol)
    objective = 0.5 * float(np.sum(a * (gap - product[:, k:])))
    short = float(np.sum((inner - V @ target) * gap if on_kernel else gap**2)) / (2.0 * mu)
    return SystemCertificate(
        objective=objective,
        dual_objective=objective - short,
        n_iter=n_iter,
        converged=converged,
        reason=reason,
        residual=residual,
        backward_error=backward,
        condition=condition,
    )


def _judged(
    residual: float, backward: float, condition: float, n_iter: int, tol: float | None
) -> tuple[bool, str]:
    """Whether a solver met its tolerance, and the numbers compared."""
    if tol is None:
        return backward <= _BACKWARD, (
            f"a backward error of {backward:.1e} (accepted: {_BACKWARD:.0e}) at a condition number "
            f"of {condition:.1e}"
        )
    reason = f"a residual of {residual:.1e} in {max(1, n_iter)} steps, tol={tol:.1e}"
    return residual <= _SLACK * tol, reason
