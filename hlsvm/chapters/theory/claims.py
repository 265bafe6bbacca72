"""Claims that mathematics decides: each is computed on small instances, from no record."""

from itertools import combinations
from math import log

import numpy as np

from hlsvm.chapters.errata import background, descent, programs
from hlsvm.chapters.srs_svm import theory as srs
from hlsvm.regions.region_tree import grow_region_tree
from hlsvm.reproduce.claim_verdicts import span
from hlsvm.select import nystrom, simplex_qp


def qpfs_08_ends_of_alpha():
    weights, moved = [], 0.0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A, F = rng.uniform(size=(8, 16)), rng.uniform(size=8)
        Q = A @ A.T / 16
        weights.append(np.sort(simplex_qp(Q, F, weight=0.0).weights)[::-1])
        first, second = (simplex_qp(Q, 0 * f).weights for f in (F, rng.permutation(F)))
        moved = max(moved, np.abs(first - second).max())
    vertex = bool(np.allclose(np.array(weights)[:, 0], 1))
    return not vertex and moved == 0, vertex and moved == 0, vertex, moved


def qpfs_12_similarities_are_semidefinite():
    least = programs.similarities()
    correlation = (least.iloc[:2] >= -1e-10).all()
    information = least.iloc[2] >= -1e-10
    values = span(least.iloc[:2], "{:.2f}"), least.iloc[2]
    return correlation and information, correlation or information, *values


def _programs(trials=10):
    """Return optima of the full program, of the truncated one and of the one in its span."""
    tables = [programs.truncated(trials=1, seed=seed) for seed in range(trials)]
    optima = np.array([table["mean optimum"] for table, _ in tables])
    return optima, all(bounded for _, bounded in tables)


def qpfs_13_program_in_the_span():
    optima, _ = _programs()
    equal = np.abs(optima[:, 1] - optima[:, 2]) < 1e-7
    gap = optima[:, 2] - optima[:, 1]
    return equal.all(), equal.mean() > 0.5, equal.sum(), len(equal), gap.mean()


def qpfs_14_nystrom_is_exact_at_full_rank():
    error = basis = 0.0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(30, 4))
        Q, sample = A @ A.T, np.sort(rng.choice(30, 4, replace=False))
        parts = nystrom(Q[sample], sample)
        error = max(error, np.abs(parts.matrix() - Q).max() / np.abs(Q).max())
        basis = max(basis, np.abs(parts.vectors.T @ parts.vectors - np.eye(4)).max())
    good = error < 1e-10 and basis < 1e-10
    return good, error < 1e-6, "yes" if good else f"no ({error:.0e}, {basis:.0e})"


def qpfs_15_truncation_bound():
    optima, bounded = _programs()
    above = optima[:, 2] > optima[:, 0] + 1e-7
    full = bounded and (optima[:, 1] <= optima[:, 0] + 1e-7).all()
    return full and not above.any(), full, above.sum(), len(above), full


def hlsvm_19_trees_beside_cascades():
    right = all(np.ptp(descent.trees_with(k)) == 0 for k in range(1, 9))
    # Labels of four points of a line: a cascade of cuts marks an interval for one of the classes.
    intervals = {tuple(a <= i < b for i in range(4)) for a in range(5) for b in range(a, 5)}
    cascades = intervals | {tuple(not label for label in labels) for labels in intervals}
    richer = len(cascades) < 2**4  # three cuts and both children: all 16 labellings
    return right and richer, right, right, len(cascades)


def _representing():
    """Return the subsets of four points, no larger than needed, that give the hyperplane of all."""
    whole = srs.hyperplane(srs.SIDE, srs.SIDE_LABELS, range(4))
    subsets = [
        set(rows)
        for size in (2, 3, 4)
        for rows in combinations(range(4), size)
        if 3 in rows and all(
            abs(srs.hyperplane(srs.SIDE, srs.SIDE_LABELS, rows)[name] - whole[name]) < 1e-6
            for name in ("w1", "w2", "b")
        )
    ]  # fmt: skip
    return [rows for rows in subsets if not any(other < rows for other in subsets)]


def srs_10_every_support_vector_is_needed():
    subsets = _representing()
    return len(subsets) == 1, len(subsets) > 1, " and ".join(map(str, subsets))


def srs_11_smallest_subset():
    subsets = _representing()
    least = min(subsets, key=len)
    small = all(len(least) <= len(rows) for rows in subsets)
    member = all(least <= rows for rows in subsets)
    return small and member, small, least, list(map(str, subsets)), member


def srs_12_pairs_have_all_support_vectors():
    rows = srs.proposition_3().set_index("problem").support.map(lambda text: set(text.split(", ")))
    lost = rows["all"] - set.union(*rows.drop("all"))
    return not lost, False, sorted(lost)


def dtsvm_25_tree_cut_back():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = (np.sin(3 * X[:, 0]) + X[:, 1] > 0).astype(int)
    small, same = grow_region_tree(X, y, 2, 20), []
    for sigma in (60, 200, 800):
        grown, back = grow_region_tree(X, y, 2, sigma), small.at_ceiling(sigma)
        leaves = [tree.apply(X) for tree in (grown, back)]
        same.append(np.array_equal(*leaves))
    return all(same), any(same), sum(same), len(same)


def dtsvm_26_shatter_coefficient():
    table = background.count_tree_labellings()
    printed = (table.labellings <= table["as printed"]).all()
    logarithm = (np.log(table.labellings) <= table["as printed"]).all()
    counted, bound = list(map(str, table.labellings)), [f"{x:.1f}" for x in table["as printed"]]
    return printed, logarithm, counted, bound


def _lemma_9(rho=1.5, gamma=1.0):
    """Return the largest violation of the four facts of Lemma 9, on drawn points of one part."""
    rng = np.random.default_rng(0)
    Z, y, w = rng.normal(size=(30, 5)), np.where(np.arange(30) % 2, 1.0, -1.0), rng.normal(size=5)
    Z *= rho / np.linalg.norm(Z, axis=1).max()
    slack = np.maximum(0, gamma - y * (Z @ w))
    lifted = np.hstack([Z, rho * np.eye(30)])
    plane = np.concatenate([w, slack * y / rho])
    new = np.hstack([Z[::-1] / 2, np.zeros((30, 30))])  # delta of another point: another axis
    return max(
        np.linalg.norm(lifted, axis=1).max() - np.sqrt(2) * rho,
        np.linalg.norm(plane) - np.sqrt(w @ w + slack @ slack / rho**2),
        (gamma - y * (lifted @ plane)).max(),
        np.abs(new @ plane - Z[::-1] @ w / 2).max(),
    )


def dtsvm_27_margin_bounds(terms):
    facts = _lemma_9() < 1e-10
    n, x = 1000, 40.0  # Lemma 4: eps = 2 / n log x must make 2^(-n eps / 2) at most 1 / x
    natural, binary = (2 ** (-n * (2 / n * logarithm) / 2) <= 1 / x * (1 + 1e-9)
                       for logarithm in (log(x), np.log2(x)))  # fmt: skip
    printed, counted, *_ = dtsvm_26_shatter_coefficient()
    return facts and natural and printed, facts and binary and counted, facts, terms.T1.min()
