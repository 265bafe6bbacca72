"""Conjugate gradients on kernel blocks: exact directions where K does not fit in memory.

H u = V is solved with H = K^2 + mu I (two products with K a step) or K + mu I (one), K computed
by blocks and thrown away. A low-rank kernel Q diag(l) Q' preconditions: with l_m its smallest
eigenvalue and h(l) = l^2 + mu or l + mu,

    P^-1 = Q diag(h(l_m) / h(l)) Q' + (I - Q Q'),

so what remains is the condition number of the tail of the spectrum.
"""

from __future__ import annotations

import numpy as np

from hlsvm.extract._gram import Gram
from hlsvm.extract._lowrank import Landmarks, spectrum
from hlsvm.extract._system import ClassSystem


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

    Returns
    -------
    system : ClassSystem
    n_iter : int
        Steps; the residual that was reached is measured by `hlsvm.extract._exact.certify`.
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

    U, n_iter = conjugate_gradients(apply, precondition, V, tol, max_iter)
    Y = U if on_kernel else gram.matmul(U)
    KV = gram.matmul(V)
    return ClassSystem(Y, KV.T @ Y, mu * (V.T @ U), counts), n_iter


def conjugate_gradients(apply, precondition, B, tol, max_iter):
    """Solve A x = b for each column of `B`, side by side, until all residuals are below `tol`.

    Parameters
    ----------
    apply, precondition : callable
        Apply A and P^-1 to the columns of a matrix.
    B : array of shape (n, m)
        Right-hand sides.
    tol : float
        Residual of each column, relative to its right-hand side.
    max_iter : int
        Most steps.

    Returns
    -------
    x : array of shape (n, m)
    n_iter : int
    """
    x, r = np.zeros_like(B), B.copy()
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
