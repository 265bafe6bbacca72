"""The experiments of chapter 2 show what the chapter says, and can show the contrary."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.svm import SVC

from hlsvm import HLSVMClassifier
from hlsvm.chapters.background import margins, partitions, risk, schemes
from hlsvm.datasets.synthetic import banana
from hlsvm.reproduce.boxes import draw_boxes

mpl.use("agg")


def test_the_line_underfits_and_the_curve_overfits():
    _, errors, _ = risk.dilemma(0)
    table = errors.pivot_table(index=["panel", "model"], columns="on", values="error_pct")
    underfits, overfits = table.loc["(b) the line underfits"], table.loc["(c) the curve overfits"]
    assert underfits.loc["flexible", "fresh points"] < underfits.loc["linear", "fresh points"]
    assert overfits.loc["flexible", "fresh points"] > overfits.loc["linear", "fresh points"]
    assert overfits.loc["flexible", "points"] < overfits.loc["linear", "points"]


def test_three_points_are_shattered_and_four_are_not():
    _, planes = risk.shattering()
    assert len(planes) == 8
    assert planes.labels.is_unique
    assert np.hypot(planes.w1, planes.w2).gt(0).all()
    assert risk.separable_share(3) == (8, 8)
    assert risk.separable_share(4)[0] == 14


def test_the_vc_bound_is_least_in_between():
    X, y = banana(1000, seed=0)
    terms = risk.tradeoff(X, y, degrees=6)
    assert terms.vc_dimension.tolist() == [3, 6, 10, 15, 21, 28]
    assert terms.vc_confidence.is_monotonic_increasing
    assert 1 < terms.degree[terms.bound.idxmin()] < 6
    assert np.allclose(terms.bound, terms.empirical_risk + terms.vc_confidence)


def test_many_folds_are_steadier_than_one_hold_out():
    table = risk.validation(*banana(1500, seed=0), repeats=8).set_index("scheme")
    assert table.spread_pct["10-fold"] < table.spread_pct["hold-out, a quarter"]


def test_the_widest_margin_is_the_most_robust():
    X, y = margins.separable(seed=1)
    wide, narrow = margins.two_lines(X, y, draws=50).itertuples()
    assert wide.margin >= 0.39
    assert wide.margin > narrow.margin > 0
    assert wide.error_moved_pct < narrow.error_moved_pct


def test_slacks_and_multipliers_of_the_soft_margin():
    X, y = margins.separable(seed=0)
    _, points = margins.hard_and_soft(X, y, C=2.0)
    hard, soft = (part for _, part in points.groupby("panel"))
    assert hard.slack.max() < 1e-3
    assert soft.slack.max() > 0.1
    assert soft.alpha.between(0, 2.0 + 1e-9).all()
    assert np.allclose(soft.alpha[soft.slack > 1e-2], 2.0, atol=1e-3)
    plt.close("all")


def test_b_is_the_mean_over_free_support_vectors_only():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 3, 1, -1)
    X = rng.normal(size=(60, 2)) + 0.8 * y[:, None]
    found = margins.threshold(SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y), X, y)
    assert found["free support vectors"] == pytest.approx(found["LIBSVM"], abs=1e-3)
    assert abs(found["all support vectors"] - found["LIBSVM"]) > 0.05


def test_the_quadratic_map_is_the_square_of_the_dot_product():
    _, points = margins.disc(80, seed=2)
    X, Z = points[["x1", "x2"]].to_numpy(), points[["z1", "z2", "z3"]].to_numpy()
    assert np.allclose(Z @ Z.T, (X @ X.T) ** 2)
    assert (np.sign(points.side) == points.y).all()
    plt.close("all")


def test_every_region_is_the_leaf_its_points_reach():
    _, regions = partitions.tree_and_partition()
    assert (regions.width * regions.height).sum() == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    for row in regions.itertuples():
        inside = (row.x1, row.x2) + rng.uniform(0.01, 0.99, (5, 2)) * (row.width, row.height)
        assert {partitions.region_of(*point) for point in inside} == {row.Index}
    plt.close("all")


def test_an_inner_node_errs_more_than_its_branch():
    X, y = banana(600, seed=0)
    tree = HLSVMClassifier(lam=1e-5, min_fraction=1e-2, random_state=0).fit(X, y).tree_
    branches = partitions.branch_errors(tree)
    assert len(branches) > 3
    assert (branches.as_leaf > branches.branch).all()
    assert branches.branch[0] == pytest.approx(600 * np.mean(tree_errors(tree)), abs=1e-6)


def tree_errors(tree):
    """Return the training error rate of a tree from its leaves' counts."""
    leaves = ~tree.is_inner
    wrong = tree.counts[leaves].sum(axis=1) - tree.counts[leaves].max(axis=1)
    return wrong.sum() / tree.counts[0].sum()


def test_diagrams_name_every_box_and_arrow():
    for figure, drawn in (schemes.selection_families(), schemes.kernel_trick()):
        named = set(drawn["from"]) | set(drawn["to"]) - {""}
        assert set(drawn.loc[drawn["to"] == "", "from"]) == named - {""}
        figure.canvas.draw()
    with pytest.raises(KeyError):
        draw_boxes(plt.figure().subplots(), {"a": (0, 0, "a")}, [("a", "b")])
    plt.close("all")
