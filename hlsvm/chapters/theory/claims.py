"""Claims that mathematics decides: each is computed on small instances, from no record."""

from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np

from hlsvm.chapters.errata import background, descent, programs
from hlsvm.chapters.srs_svm import theory as srs
from hlsvm.regions.region_tree import grow_region_tree
from hlsvm.reproduce.claim_verdicts import span
from hlsvm.select import nystrom, simplex_qp


def _random_program(seed, m=8):
    rng = np.random.default_rng(seed)
    A = rng.uniform(size=(m, 2 * m))
    return A @ A.T / (2 * m), rng.uniform(size=m), rng


def qpfs_08_ends_of_alpha():
    weights, moved = [], 0.0
    for seed in range(10):
        Q, F, rng = _random_program(seed)
        weights.append(np.sort(simplex_qp(Q, F, weight=0.0).weights)[::-1])
        first, second = (simplex_qp(Q, 0 * f).weights for f in (F, rng.permutation(F)))
        moved = max(moved, np.abs(first - second).max())
    vertex = bool(np.allclose(np.array(weights)[:, 0], 1))
    because = "at alpha = 1 the most relevant feature "
    because += "has all the weight: the tie rule orders the rest" if vertex else "shares the weight"
    because += f"; at alpha = 0 another relevance moves the weights by {moved:.2g}"
    return not vertex and moved == 0, vertex and moved == 0, because


def qpfs_12_similarities_are_semidefinite():
    least = programs.similarities()
    correlation = (least.iloc[:2] >= -1e-10).all()
    information = least.iloc[2] >= -1e-10
    because = f"least eigenvalues of |correlation| {span(least.iloc[:2], '{:.2f}')} (4 and 200 "
    because += f"features), of mutual information {least.iloc[2]:.2f} (bits A, B, A xor B, (A, B))"
    return correlation and information, correlation or information, because


def _programs(trials=10):
    """Return optima of the full program, of the truncated one and of the one in its span."""
    tables = [programs.truncated(trials=1, seed=seed) for seed in range(trials)]
    optima = np.array([table["mean optimum"] for table, _ in tables])
    return optima, all(bounded for _, bounded in tables)


def qpfs_13_program_in_the_span():
    optima, _ = _programs()
    equal = np.abs(optima[:, 1] - optima[:, 2]) < 1e-7
    gap = optima[:, 2] - optima[:, 1]
    because = f"equal optima in {equal.sum()} of {len(equal)} programs with Q of exact rank 3; "
    return equal.all(), equal.mean() > 0.5, because + f"in the span worse by {gap.mean():.2f}"


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
    because = "Q of rank 4 from 4 independent rows: reconstruction and orthogonality within 1e-10: "
    return good, error < 1e-6, because + ("yes" if good else f"no ({error:.0e}, {basis:.0e})")


def qpfs_15_truncation_bound():
    optima, bounded = _programs()
    above = optima[:, 2] > optima[:, 0] + 1e-7
    full = bounded and (optima[:, 1] <= optima[:, 0] + 1e-7).all()
    because = "the optimum of the program in the span is above that of the full one in "
    because += f"{above.sum()} of {len(above)} programs; over all weights both inequalities "
    because += "hold, already with delta / 2" if full else "do not hold either"
    return full and not above.any(), full, because


def hlsvm_19_trees_beside_cascades():
    right = all(np.ptp(descent.trees_with(k)) == 0 for k in range(1, 9))
    # Labels of four points of a line: a cascade of cuts marks an interval for one of the classes.
    intervals = {tuple(a <= i < b for i in range(4)) for a in range(5) for b in range(a, 5)}
    cascades = intervals | {tuple(not label for label in labels) for labels in intervals}
    richer = len(cascades) < 2**4  # three cuts and both children: all 16 labellings
    because = f"shapes are as many as the Catalan numbers up to 8 nodes: {'yes' if right else 'no'}"
    because += "; of the 16 labellings of four points on a line a tree of three cuts has all, "
    because += f"one-sided cascades of any length have {len(cascades)}"
    return right and richer, right, because


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
    because = f"of four points, {' and '.join(map(str, subsets))} give the same hyperplane, each "
    because += "with positive multipliers, which are not unique: only there can it fail"
    return len(subsets) == 1, len(subsets) > 1, because


def srs_11_smallest_subset():
    subsets = _representing()
    least = min(subsets, key=len)
    small = all(len(least) <= len(rows) for rows in subsets)
    member = all(least <= rows for rows in subsets)
    because = f"the smallest subset {least} is no larger than any set of support vectors "
    because += f"({', '.join(map(str, subsets))}), and " + ("" if member else "not ")
    return small and member, small, because + "within each of them"


def srs_12_pairs_have_all_support_vectors():
    rows = srs.proposition_3().set_index("problem").support.map(lambda text: set(text.split(", ")))
    lost = rows["all"] - set.union(*rows.drop("all"))
    because = "hard margin, five points, unique multipliers: support vectors of the whole that no "
    return not lost, False, because + f"pair of subclasses has: {', '.join(sorted(lost)) or 'none'}"


def dtsvm_25_tree_cut_back():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = (np.sin(3 * X[:, 0]) + X[:, 1] > 0).astype(int)
    small, same = grow_region_tree(X, y, 2, 20), []
    for sigma in (60, 200, 800):
        grown, back = grow_region_tree(X, y, 2, sigma), small.at_ceiling(sigma)
        leaves = [tree.apply(X) for tree in (grown, back)]
        same.append(np.array_equal(*leaves))
    because = f"cut back and grown anew are the same partition at {sum(same)} of {len(same)} "
    return all(same), any(same), because + "ceilings, with nodes of sigma rows split in both"


def dtsvm_26_shatter_coefficient():
    table = background.count_tree_labellings()
    printed = (table.labellings <= table["as printed"]).all()
    logarithm = (np.log(table.labellings) <= table["as printed"]).all()
    because = f"labellings counted {', '.join(map(str, table.labellings))} against the printed "
    because += ", ".join(f"{value:.1f}" for value in table["as printed"])
    return printed, logarithm, because + ", which bounds their logarithms"


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
    _, counted, _ = dtsvm_26_shatter_coefficient()
    size = terms.T1.min()
    because = f"Lemma 9's four facts {'hold' if facts else 'fail'}; Lemma 4 needs a logarithm to "
    because += f"base 2, Lemma 6 bounds a logarithm; the first term is {size:,.0f} or more"
    return (
        facts and natural and dtsvm_26_shatter_coefficient()[0],
        facts and binary and counted,
        because,
    )
