"""Slips of Thesis chapter 2 and of the DTSVM, metric tree and SRS-SVM papers."""

from math import ceil, log

import numpy as np
import pandas as pd
from sklearn.svm import SVC


def offset_of_svm(seed: int = 0) -> pd.Series:
    """E30: b of a soft-margin SVM, averaged over free and over all support vectors.

    Only a support vector with 0 < alpha < C lies on the margin; the average over all, which the
    text below Thesis Eq. 2.29 asks for, is wrong when some are at C.
    """
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(60) % 3, 1, -1)
    X = rng.normal(size=(60, 2)) + 0.8 * y[:, None]
    model = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    each = y[model.support_] - X[model.support_] @ model.coef_[0]
    alpha = np.abs(model.dual_coef_[0])
    free = (alpha > 1e-6) & (alpha < 1 - 1e-6)
    return pd.Series(
        {
            "LIBSVM": float(model.intercept_[0]),
            "free support vectors": float(each[free].mean()),
            "all support vectors": float(each.mean()),
        }
    )


def _splits(points) -> set[int]:
    """Return what axis-parallel cuts send to the left, as bit masks."""
    masks = set()
    for column in points.T:
        for value in np.unique(column):
            masks.add(int(sum(1 << i for i, x in enumerate(column) if x < value)))
    return masks


def count_tree_labellings(n: int = 7, leaves=(2, 3, 4), seed: int = 0) -> pd.DataFrame:
    """E14: labellings that axis-parallel trees give random points of the plane, counted.

    Beside them the printed bound L log(d n L^2), and the bound the proof gives, (d n L^2)^L.
    """
    points = np.random.default_rng(seed).normal(size=(n, 2))
    whole, cuts = (1 << n) - 1, _splits(points)
    known: dict[tuple[int, int], frozenset[int]] = {}

    def labellings(rows: int, most: int) -> frozenset[int]:
        """Return the sets of positive rows that a tree of up to `most` leaves can mark."""
        if (rows, most) not in known:
            marked = {0, rows}
            for cut in cuts if most > 1 else ():
                left, right = rows & cut, rows & ~cut & whole
                if left and right:
                    for k in range(1, most):
                        ours, theirs = labellings(left, k), labellings(right, most - k)
                        marked |= {a | b for a in ours for b in theirs}
            known[rows, most] = frozenset(marked)
        return known[rows, most]

    rows = []
    for count in leaves:
        size = 2 * n * count**2
        rows.append((count, len(labellings(whole, count)), count * log(size), size**count))
    return pd.DataFrame(rows, columns=["leaves", "labellings", "as printed", "as proved"])


def taylor_form(gamma: float = 0.3, seed: int = 0) -> pd.Series:
    """E26: gradient of Eq. 10 against finite differences; h (Eq. 5) at u, halfway and at v."""
    rng = np.random.default_rng(seed)
    s, alpha, x = rng.normal(size=(20, 3)), rng.normal(size=20), rng.normal(size=3)

    def f(point):
        return float(alpha @ np.exp(-gamma * ((point - s) ** 2).sum(axis=1)))

    def gradient(points):
        kernel = alpha * np.exp(-gamma * ((x - points) ** 2).sum(axis=1))
        return -2 * gamma * kernel @ (x - points)

    step = 1e-6 * np.eye(3)
    numeric = np.array([(f(x + e) - f(x - e)) / 2e-6 for e in step])
    u, v, *other = rng.normal(size=(22, 3))

    def h(point):
        return float((u - v) @ point + (v @ v - u @ u) / 2)

    return pd.Series(
        {
            "largest difference of the gradients": np.abs(gradient(s) - numeric).max(),
            "h(u) over half the squared diameter": h(u) / (0.5 * ((u - v) ** 2).sum()),
            "h at the middle": round(h((u + v) / 2), 12),
            "h(v) over half the squared diameter": h(v) / (0.5 * ((u - v) ** 2).sum()),
            "largest difference, with other points": np.abs(
                gradient(np.array(other)) - numeric
            ).max(),
        }
    )


def level_sizes(h: int = 5, mus=(1, 2, 5, 25), most: int = 6) -> pd.DataFrame:
    """E24: subproblems on each level of HSRS-SVM; with mu = 1 they never become fewer."""
    rows = {}
    for mu in mus:
        sizes = [h * h]
        while sizes[-1] > 1 and len(sizes) < most:
            sizes.append(ceil(sizes[-1] / mu))
        rows[f"mu = {mu}"] = ", ".join(map(str, sizes)) + (", ..." if sizes[-1] > 1 else "")
    return pd.DataFrame({"subproblems per level": rows})
