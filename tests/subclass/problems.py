"""Small problems, and the reference solutions they are compared with."""

import numpy as np
from sklearn.svm import SVC

from hlsvm.subclass import Kernel, solve_kernel_svm


def noisy_rings(n=400, seed=0):
    """Two rings that overlap: free and bounded support vectors, and samples without."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    radius = np.where(y > 0, 1.0, 2.0) + 0.35 * rng.standard_normal(n)
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def xor(n=400, seed=0, spread=0.25):
    """Four clusters, two a class."""
    rng = np.random.default_rng(seed)
    corner = np.arange(n) % 4
    centers = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    X = centers[corner] + spread * rng.standard_normal((n, 2))
    return X, np.where(corner < 2, 1.0, -1.0)


def binary_rows(n, d, seed):
    """Zeros and ones; the first feature tells the classes apart in all but a twentieth of them."""
    rng = np.random.default_rng(seed)
    X = (rng.uniform(size=(n, d)) < 0.3).astype(float)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X[:, 0] = y > 0
    rare = rng.uniform(size=n) < 0.05
    X[rare, 0] = 1 - X[rare, 0]
    return X, y


def libsvm(X, y, upper, tol=1e-8, **kernel):
    """beta, bias, objective by scikit-learn."""
    model = SVC(C=1.0, tol=tol, **kernel).fit(X, y, sample_weight=upper)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    return beta, model.intercept_[0]


def gram(kernel, X):
    """Kernel matrix in double precision, one entry at a time."""
    inner = X @ X.T
    if kernel.name == "linear":
        return inner
    if kernel.name == "poly":
        return (kernel.gamma * inner + kernel.coef0) ** kernel.degree
    square = np.diag(inner)
    return np.exp(-kernel.gamma * (square[:, None] + square - 2 * inner))


def objective(K, beta):
    """1/2 beta'K beta - sum |beta|."""
    return 0.5 * beta @ K @ beta - np.abs(beta).sum()


def solve(X, y, C=10.0, kernel=None, **options):
    """Solve with one C for all."""
    kernel = kernel or Kernel("rbf", 1.0)
    return solve_kernel_svm(kernel, X, y, np.full(len(y), float(C)), **options)
