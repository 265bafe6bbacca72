"""Conjugate gradients on kernel blocks: exact directions where K does not fit in memory.

H u = V is solved with H = K^2 + mu I (two products with K a step) or K + mu I (one), K computed
by blocks and thrown away. A low-rank kernel Q diag(l) Q' preconditions: with l_m its smallest
eigenvalue and h(l) = l^2 + mu or l + mu,

    P^-1 = Q diag(h(l_m) / h(l)) Q' + (I - Q Q'),

so what remains is the condition number of the tail of the spectrum.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import null_space

from hlsvm.extract._gram import Gram
from hlsvm.extract._lowrank import Landmarks, spectrum
from hlsvm.extract._system import ClassSystem

Operator = Callable[[np.ndarray], np.ndarray]


def solve_gradients(
    gram: Gram,
    landmarks: Landmarks,
    V: np.ndarray,
    counts: np.ndarray,
    mu: float,
    regularizer: str,
    tol: float,
    max_iter: int,
) -> tuple[ClassSystem, int]:
    """Solve for Y, S and D with the true kernel matrix, never stored.

    Steps go on until |(W + mu R) a - d| <= `tol` |d| for all differences of class means d, with a
    residual computed anew; that of H u = V is driven as low as this takes.

    Returns
    -------
    system : ClassSystem
    n_iter : int
        Steps; the residual that was reached is measured by `hlsvm.extract._certificate.certify`.
    """
    on_kernel = regularizer == "kernel"
    basis = spectrum(landmarks.features)
    Q = landmarks.features @ (basis.vectors / np.sqrt(basis.values))
    level = basis.values + mu if on_kernel else basis.values**2 + mu
    gains = (level[0] / level - 1.0)[:, None]

    def apply(B: np.ndarray) -> np.ndarray:
        KB = gram.matmul(B)
        return (KB if on_kernel else gram.matmul(KB)) + mu * B

    def precondition(B: np.ndarray) -> np.ndarray:
        return B + Q @ (gains * (Q.T @ B))

    U, left, n_iter, goal = np.zeros_like(V), V, 0, tol
    across = null_space(np.sqrt(counts)[None, :])
    for _ in range(4):
        U, steps = conjugate_gradients(apply, precondition, V, U, left, goal, max_iter - n_iter)
        n_iter += steps
        left = V - apply(U)
        gap, KV, Y = np.split(gram.matmul(np.hstack([left, V, U])), 3, axis=1)
        D = mu * (V.T @ U)
        reached = np.linalg.norm(gap @ np.linalg.solve(D, across), axis=0)
        reached = float(np.max(reached / np.linalg.norm(KV @ across, axis=0)))
        if not reached > tol or n_iter >= max_iter:
            break
        goal *= 0.3 * tol / reached
    Y = U if on_kernel else Y
    return ClassSystem(Y, KV.T @ Y, D, counts), n_iter


def conjugate_gradients(
    apply: Operator,
    precondition: Operator,
    B: np.ndarray,
    start: np.ndarray,
    residual: np.ndarray,
    tol: float,
    max_iter: int,
) -> tuple[np.ndarray, int]:
    """Solve A x = b for each column of `B`, side by side, until all residuals are below `tol`.

    Parameters
    ----------
    apply, precondition : callable
        Apply A and P^-1 to the columns of a matrix.
    B : array of shape (n, m)
        Right-hand sides.
    start, residual : arrays of shape (n, m)
        First guess and what it leaves, b - A x.
    tol : float
        Residual of each column, relative to its right-hand side.
    max_iter : int
        Most steps.

    Returns
    -------
    x : array of shape (n, m)
    n_iter : int
    """
    x, r = start.copy(), residual.copy()
    goal = tol * np.linalg.norm(B, axis=0)
    z = precondition(r)
    p, rz = z.copy(), np.einsum("ij,ij->j", r, z)
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        q = apply(p)
        curvature = np.einsum("ij,ij->j", p, q)
        active = curvature > 0
        step = np.where(active, rz / np.where(active, curvature, 1.0), 0.0)
        x += step * p
        r -= step * q
        if (np.linalg.norm(r, axis=0) <= goal).all():
            break
        z = precondition(r)
        old, rz = rz, np.einsum("ij,ij->j", r, z)
        p = z + p * np.where(old > 0, rz / np.where(old > 0, old, 1.0), 0.0)
    return x, n_iter
