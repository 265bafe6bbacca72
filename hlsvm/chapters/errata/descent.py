"""Weighted-Pegasos and H-LSVM: scales, the bias, radii, and costs of reference trees."""

from math import comb

import numpy as np
import pandas as pd
from sklearn.svm import SVC

from hlsvm.reproduce import published


def scales(n: int = 200, seed: int = 0) -> pd.DataFrame:
    """E6: the exact SVM, and both readings of Eq. 5.4 at lambda = 1/N, by their equivalent C.

    With uniform weights nu = 1/N the written objective is an SVM with C = nu / (lambda N), the
    objective without the second average one with C = nu / lambda.
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([-1, 1], n // 2)
    X = rng.normal(size=(n, 2)) + 0.8 * y[:, None]
    lam = 1 / n
    costs = {
        "SVM, C = 1": 1.0,
        "sum of weighted losses, lambda = 1/N": (1 / n) / lam,
        "as written, lambda = 1/N": (1 / n) / (lam * n),
        "as written, lambda = 1/N^2": (1 / n) / (lam**2 * n),
    }
    rows = []
    for name, C in costs.items():
        w = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y).coef_[0]
        rows.append({"objective": name, "equivalent C": C, "length of w": np.linalg.norm(w)})
    return pd.DataFrame(rows)


def bias_drift(steps=(100, 1000, 10_000), tau: float = 0.1, seed: int = 0) -> pd.DataFrame:
    """E7: b of Algorithm 5 after so many steps, the hinge tested without b and with b.

    Full batches of shifted points; the weights sum to the number of points, so that the loss is
    of order one, as in the SGD code the algorithm comes from.
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([-1.0, 1.0], 50)
    X = rng.normal(size=(100, 2)) + y[:, None] + 3.0
    lam, rows = 1e-2, []
    for with_bias in (False, True):
        w, b = np.zeros(2), 0.0
        for t in range(1, max(steps) + 1):
            wrong = y * (X @ w + with_bias * b) < 1
            eta = 1 / (lam * t)
            w = (1 - eta * lam) * w + eta * (y[wrong] @ X[wrong]) / len(y)
            b += tau * eta * y[wrong].sum() / len(y)
            if t in steps:
                right = np.mean(np.sign(X @ w + b) == y)
                name = "y(w.x + b) < 1" if with_bias else "y(w.x) < 1, as printed"
                rows.append({"hinge test": name, "step": t, "b": b, "accuracy_pct": 100 * right})
    return pd.DataFrame(rows)


def short_step(eps: float = 1e-3, C: float = 1.0, tau: float = 0.1, seed: int = 0):
    """E7: where `bias_drift`, with b, first moves by `eps` only; how far w is from w*, and |w*|."""
    y, before, w, b, t = np.repeat([-1.0, 1.0], 50), np.inf, np.zeros(2), 0.0, 0
    X = np.random.default_rng(seed).normal(size=(100, 2)) + y[:, None] + 3.0
    while np.linalg.norm(w - before) > eps:
        before, wrong, t = w, y * (X @ w + b) < 1, t + 1
        w = w + (C * (y[wrong] @ X[wrong]) - w) / t
        b += tau * C * y[wrong].sum() / t
    best = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y).coef_[0]
    return t, np.linalg.norm(w - best), np.linalg.norm(best)


def balanced_tree(sizes=(1024, 65_536, 522_910)) -> pd.DataFrame:
    """E8: cost of a balanced tree, as printed and as it is, and of a cascade."""
    n = np.array(sizes)
    levels = [np.arange(np.floor(np.log2(size)) + 1) for size in sizes]
    return pd.DataFrame(
        {
            "N": n,
            "printed: sum of i * i / 2^i": [float((i * i / 2**i).sum()) for i in levels],
            "levels of N samples each": n * (np.log2(n) + 1),
            "cascade, leaves included, too": n * (n + 3) / 2 - 1,
            "inner nodes of both": n - 1,
            "depth balanced": np.log2(n),
            "depth cascade": n - 1,
        }
    )


def grid_members() -> pd.DataFrame:
    """E9: log10(lambda N) of every lambda in Table 5.3: a member of the grid has a whole number."""
    lam = published("Thesis.Tab5.3").set_index("dataset").hlsvm_lambda.rename(index=str.upper)
    n = (
        published("Thesis.Tab5.2")
        .set_index("dataset")
        .n_train.rename(index=str.upper)
        .astype(float)
    )
    table = pd.DataFrame({"lambda": lam, "N": n.reindex(lam.index)}).dropna()
    return table.assign(i=np.log10(table["lambda"] * table["N"]).round(2))


def norm_bounds(n: int = 100, lam: float = 1e-4, x: float = 0.1) -> pd.Series:
    """E10: |w|^2 of the optimum of Eq. 5.4 on the points +x and -x, and the stated bounds."""
    grid = np.linspace(0, 40, 400_001)
    loss = np.maximum(0, 1 - grid * x) / n  # weights sum to one, averaged over n
    w = float(grid[np.argmin(0.5 * lam * grid**2 + loss)])
    return pd.Series(
        {
            "w^2 of the optimum": w**2,
            "statement: 1 / sqrt(N lambda)": 1 / np.sqrt(n * lam),
            "proof: 1 / (N lambda)": 1 / (n * lam),
            "HLSVM: 1 / lambda": 1 / lam,
        }
    )


def gradient_constant(n: int = 1000, radius: float = 1.0, lams=(1e-5, 1e-3)) -> pd.DataFrame:
    """E34: the constant of Theorem C.2 beside the largest gradient of a balanced node's loss."""
    table = pd.DataFrame({"lambda": lams})
    table["Theorem C.2"] = (np.sqrt(table["lambda"] / n) + radius) ** 2
    table["largest gradient^2"] = (np.sqrt(table["lambda"] / n) + radius / n) ** 2
    return table.assign(ratio=table["Theorem C.2"] / table["largest gradient^2"])


def effective_leaves() -> pd.DataFrame:
    """E27: effective number of leaves of three distributions, beside the inverse of sum p^2."""
    rows = []
    for p in ([1.0, 0, 0, 0], [0.7, 0.1, 0.1, 0.1], [0.25] * 4):
        q = np.asarray(p)
        gini = 1 + len(q) * (1 - (q**2).sum())
        rows.append({"p": str(p), "L_eff": gini, "1 / sum p^2": 1 / (q**2).sum()})
    return pd.DataFrame(rows)


def trees_with(nodes: int) -> tuple[int, int]:
    """E33: number of binary trees with so many inner nodes, counted and as the Catalan number."""
    counts = [1]
    for k in range(1, nodes + 1):
        counts.append(sum(counts[i] * counts[k - 1 - i] for i in range(k)))
    return counts[nodes], comb(2 * nodes, nodes) // (nodes + 1)
