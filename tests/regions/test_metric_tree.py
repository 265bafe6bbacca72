"""The metric tree: its cuts, Taylor leaves, answers; equal points; bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC, NuSVC, OneClassSVM
from sklearn.utils.estimator_checks import check_estimator

from hlsvm.regions import MetricTreeSVC
from hlsvm.regions._farthest import far_pair, farthest_pair
from hlsvm.regions._metric_grow import Growth, grow
from hlsvm.subclass import SRSSVC, KernelSVC

RNG = np.random.default_rng(0)
X2 = RNG.uniform(-1, 1, (700, 2))
Y2 = (np.sin(4 * X2[:, 0]) > 2 * X2[:, 1]).astype(int)
SVM2 = SVC(C=10, gamma=2).fit(X2, Y2)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def test_every_check_of_scikit_learn():
    results = check_estimator(MetricTreeSVC(), on_skip=None)
    assert {r["status"] for r in results} <= {"passed", "skipped"}


@pytest.mark.parametrize("kind", ["normal", "sphere", "lattice", "line", "outliers"])
def test_farthest_pair_is_the_farthest(kind):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(900, 6))
    if kind == "sphere":  # hardly anything can be pruned
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    elif kind == "lattice":  # many pairs tie
        points = rng.integers(0, 2, (900, 12)).astype(float)
    elif kind == "line":
        points[:, 1:] = 0
    elif kind == "outliers":
        points[::300] *= 50
    largest = cdist(points, points, "sqeuclidean").max()
    u, v, square = farthest_pair(points)
    assert square == pytest.approx(largest, rel=1e-12)
    assert ((points[u] - points[v]) ** 2).sum() == pytest.approx(largest, rel=1e-12)
    assert farthest_pair(points, n_jobs=2) == (u, v, square)
    assert largest / 4 <= far_pair(points)[2] <= largest * (1 + 1e-12)


def _check_tree(X, tree, growth):
    """Every node's cut is the one of the source, and sends its points to its sides."""
    assert sorted(tree.rows) == list(range(len(X)))
    ranges, todo = {}, [(0, np.arange(len(X)), 0)]
    while todo:
        node, rows, depth = todo.pop()
        if node < 0:
            ranges[~node] = rows
            low, high = tree.starts[~node : ~node + 2]
            assert sorted(tree.rows[low:high]) == sorted(rows)
            stop = len(rows) <= growth.leaf_size or depth == growth.max_depth
            assert stop or not np.ptp(X[rows], axis=0).any()
            continue
        values = X[rows] @ tree.normals[node] + tree.offsets[node]
        largest = cdist(X[rows], X[rows]).max()
        assert np.linalg.norm(tree.normals[node]) == pytest.approx(largest, rel=1e-12)
        left, right = rows[values < 0], rows[values >= 0]
        assert min(len(left), len(right)) > 0
        if growth.split == "median":
            assert abs(len(left) - len(right)) <= 1
        todo += [(c, r, depth + 1) for c, r in zip(tree.children[node], (left, right), strict=True)]
    assert len(ranges) == tree.n_leaves


@pytest.mark.parametrize(
    "growth",
    [
        Growth(),
        Growth(split="median"),
        Growth(leaf_size=7),
        Growth(max_depth=5),
        Growth(leaf_size=400),
    ],
)
def test_cuts_are_those_of_the_source(growth):
    X = np.random.default_rng(2).normal(size=(600, 3))
    _check_tree(X, grow(X, growth), growth)


def test_median_cut_bounds_the_depth():
    X = np.random.default_rng(3).normal(size=(1000, 2)) ** 5  # midpoints peel off the outermost
    assert grow(X, Growth(split="median")).leaf_depths().max() == 10
    assert grow(X, Growth()).leaf_depths().max() > 15


def test_depths_of_the_leaves_are_those_that_rows_meet():
    model = MetricTreeSVC.from_fitted(SVM2, X2)
    leaves = model.apply(X2)
    np.testing.assert_array_equal(model.n_hyperplanes(X2), model.tree_.leaf_depths()[leaves] + 1)
    assert model.get_depth() == model.tree_.leaf_depths().max()


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "linear"])
def test_taylor_is_exact_at_leaf_points_in_value_and_slope(kernel):
    svm = SVC(C=1, kernel=kernel, gamma=0.7, degree=3, coef0=0.5).fit(X2, Y2)
    model = MetricTreeSVC.from_fitted(svm, X2)
    assert model.get_n_leaves() == len(X2)
    np.testing.assert_allclose(model.decision_function(X2), svm.decision_function(X2), atol=1e-9)
    step, points = 1e-6, model.leaf_points_
    for j, move in enumerate(np.eye(2) * step):
        rise = svm.decision_function(points + move) - svm.decision_function(points - move)
        # LIBSVM's own sums end after about twelve digits.
        np.testing.assert_allclose(
            model.leaf_gradients_[:, 0, j], rise / (2 * step), atol=2e-6 * svm.C * len(X2)
        )


def test_linear_kernels_are_exact_everywhere(digits):
    X, y = digits
    svm = SVC(kernel="linear").fit(X[::2], y[::2] > 4)
    model = MetricTreeSVC.from_fitted(svm, X[::2], max_depth=3)
    far = 5 * X[1::2] - 2
    np.testing.assert_allclose(model.decision_function(far), svm.decision_function(far), atol=1e-8)
    assert model.is_certain(far).all()


@pytest.mark.parametrize(
    "svm",
    [SVC(gamma=0.1), NuSVC(nu=0.1, gamma="auto"), KernelSVC(gamma=0.1), SRSSVC(gamma=0.1)],
    ids=lambda svm: type(svm).__name__,
)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_reads_every_svm(svm, n_classes, digits):
    X, y = digits
    few = y < n_classes
    X, y = X[few], y[few]
    model = MetricTreeSVC(svm, fallback="exact").fit(X[::2], y[::2])
    np.testing.assert_array_equal(model.predict(X[1::2]), model.svm_.predict(X[1::2]))
    plain = MetricTreeSVC.from_fitted(model.svm_, X[::2])
    assert plain.score(X[1::2], y[1::2]) > 0.97
    asked = model.n_support_evaluated(X[1::2])
    assert set(asked) <= {0, model.n_support_}
    np.testing.assert_array_equal(asked == 0, plain.is_certain(X[1::2]))


def test_gamma_by_name_is_the_one_of_the_svm():
    for gamma in ("scale", "auto"):
        svm = SVC(gamma=gamma).fit(X2[:300], Y2[:300])
        model = MetricTreeSVC.from_fitted(svm, X2[300:])  # other points than it was trained on
        ours = MetricTreeSVC(SVC(gamma=gamma)).fit(X2[:300], Y2[:300])
        np.testing.assert_allclose(
            model.decision_function(X2[300:]), svm.decision_function(X2[300:]), atol=1e-9
        )
        np.testing.assert_allclose(
            ours.decision_function(X2[:300]), svm.decision_function(X2[:300]), atol=1e-9
        )


@pytest.mark.parametrize("X", [X2, X2.astype(np.float32), np.round(X2 * 4), X2 * 1e-30, X2 * 1e6])
def test_single_precision_takes_the_way_of_double(X):
    """The descent in single precision meets the leaf that plain NumPy finds in double."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    model = MetricTreeSVC(SVC(gamma=1 / (X.var() * 2))).fit(X, Y2)
    tree, asked = model.tree_, np.concatenate([X, 0.5 * (X + np.roll(X, 1, axis=0))])
    result = model.apply(asked)
    for x, leaf in zip(asked, result, strict=True):
        node = 0
        while node >= 0:
            node = tree.children[node, int(tree.normals[node] @ x + tree.offsets[node] >= 0)]
        same = ~node == leaf
        assert same or _near_a_cut(tree, x)
    np.testing.assert_array_equal(result[: len(X)], _leaves_of_points(model, len(X)))
    labels = model.predict(asked)
    np.testing.assert_array_equal(labels, (model.decision_function(asked) > 0).astype(int))
    assert [model.predict_one(x) for x in asked] == labels.tolist()


def _near_a_cut(tree, x):
    """Whether x lies on some cut, to the rounding of double precision."""
    sizes = np.linalg.norm(tree.normals, axis=1) * np.linalg.norm(x) + np.abs(tree.offsets)
    return bool((np.abs(tree.normals @ x + tree.offsets) < 1e-14 * sizes).any())


def _leaves_of_points(model, n):
    leaves = np.empty(n, dtype=int)
    leaves[model.tree_.rows] = np.repeat(
        np.arange(model.get_n_leaves()), np.diff(model.tree_.starts)
    )
    return leaves


def test_the_answer_does_not_depend_on_the_number_of_jobs():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 5))
    y = (X**2).sum(axis=1) > 4
    asked = rng.normal(size=(40_000, 5))
    svm = SVC(gamma=0.3).fit(X, y)
    one, two = (MetricTreeSVC.from_fitted(svm, X, n_jobs=n, fallback="exact") for n in (1, 2))
    for name in ("normals", "offsets", "children", "rows", "starts"):
        np.testing.assert_array_equal(getattr(one.tree_, name), getattr(two.tree_, name))
    np.testing.assert_array_equal(one.leaf_gradients_, two.leaf_gradients_)
    np.testing.assert_array_equal(one.decision_function(asked), two.decision_function(asked))
    np.testing.assert_array_equal(
        one.set_params(fallback=None).predict(asked), two.set_params(fallback=None).predict(asked)
    )


def test_equal_points_share_a_leaf():
    X = np.repeat(X2[:200], 3, axis=0)
    y = np.repeat(Y2[:200], 3)
    model = MetricTreeSVC(SVC(gamma=2)).fit(X, y)
    assert model.get_n_leaves() == 200
    assert model.leaf_radius_.max() == 0
    leaves = model.apply(X)
    np.testing.assert_array_equal(model.leaf_points_[leaves], X)


@pytest.mark.parametrize("n", [6, 600])
def test_all_points_equal_make_one_leaf(n):
    X, y = np.ones((n, 3)), np.arange(n) % 2
    model = MetricTreeSVC().fit(X, y)
    assert (model.get_n_leaves(), model.get_depth()) == (1, 0)
    assert (model.n_hyperplanes(X) == 1).all()
    np.testing.assert_allclose(
        model.decision_function(X), model.svm_.decision_function(X), atol=1e-9
    )
    assert model.predict_one(X[0]) == model.predict(X)[0]


def test_constant_features_change_nothing():
    wide = np.c_[X2, np.full(len(X2), 3.0)]
    model = MetricTreeSVC(SVC(C=10, gamma=2)).fit(wide, Y2)
    plain = MetricTreeSVC(SVC(C=10, gamma=2)).fit(X2, Y2)
    np.testing.assert_array_equal(model.apply(wide), plain.apply(X2))
    np.testing.assert_array_equal(model.tree_.normals[:, 2], 0)


def test_a_leaf_of_several_stands_at_their_mean():
    model = MetricTreeSVC.from_fitted(SVM2, X2, leaf_size=10)
    leaves = model.apply(X2)
    for leaf in range(0, model.get_n_leaves(), 9):
        points = X2[leaves == leaf]
        assert 1 <= len(points) <= 10
        np.testing.assert_allclose(model.leaf_points_[leaf], points.mean(axis=0), atol=1e-12)
        away = np.linalg.norm(points - points.mean(axis=0), axis=1).max()
        assert model.leaf_radius_[leaf] == pytest.approx(away, abs=1e-12)
    assert np.mean(model.predict(X2) == SVM2.predict(X2)) > 0.97


@pytest.mark.parametrize("tolerance", [0.1, 0.5])
def test_pruning_keeps_every_decision_of_the_points(tolerance):
    whole = MetricTreeSVC.from_fitted(SVM2, X2)
    model = MetricTreeSVC.from_fitted(SVM2, X2, prune=tolerance)
    assert model.get_n_leaves() < whole.get_n_leaves() / 2
    exact = SVM2.decision_function(X2)
    assert (np.abs(model.decision_function(X2) - exact) <= tolerance * np.abs(exact) + 1e-9).all()
    np.testing.assert_array_equal(model.predict(X2), SVM2.predict(X2))
    sizes = np.diff(model.tree_.starts)
    np.testing.assert_array_equal(np.bincount(model.apply(X2)), sizes)
    assert sorted(model.tree_.rows) == list(range(len(X2)))
    asked = RNG.uniform(-1, 1, (20_000, 2))
    certain = model.is_certain(asked)
    np.testing.assert_array_equal(model.predict(asked)[certain], SVM2.predict(asked)[certain])


def test_pruning_a_linear_svm_leaves_one_leaf():
    model = MetricTreeSVC(SVC(kernel="linear"), prune=0.01).fit(X2, Y2)
    assert (model.get_n_leaves(), model.get_depth()) == (1, 0)
    np.testing.assert_array_equal(model.predict(X2), model.svm_.predict(X2))


def test_no_block_of_all_points_by_all_support_vectors(monkeypatch):
    from hlsvm.regions import _expansion

    held = []
    block = _expansion.Expansion.block
    monkeypatch.setattr(
        _expansion.Expansion, "block", lambda s, X: held.append(len(X)) or block(s, X)
    )
    monkeypatch.setattr(_expansion, "_ENTRIES", 4096)
    MetricTreeSVC.from_fitted(SVM2, X2)
    assert max(held) * len(SVM2.support_vectors_) <= 4096 + len(SVM2.support_vectors_)
    assert sum(held) >= len(X2)


def test_real_breast_cancer_decisions_survive():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    model = MetricTreeSVC(SVC()).fit(X[::2], y[::2])
    assert np.mean(model.predict(X[1::2]) == model.svm_.predict(X[1::2])) >= 0.98


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"split": "mean"}, "'split' parameter .* 'midpoint', 'median'. Got 'mean'"),
        ({"pair": None}, "'pair' parameter .* Got None"),
        ({"leaf_size": 0}, "'leaf_size' parameter .* Got 0"),
        ({"max_depth": -1}, "'max_depth' parameter .* Got -1"),
        ({"expansion": "second"}, "'expansion' parameter"),
        ({"bound": "tight"}, "'bound' parameter"),
        ({"fallback": True}, "'fallback' parameter"),
        ({"prune": 1.0}, "'prune' parameter .* Got 1.0"),
        ({"n_jobs": 0}, "'n_jobs' parameter"),
    ],
)
def test_wrong_parameters_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        MetricTreeSVC(**change).fit(X2, Y2)


@pytest.mark.filterwarnings("error")
def test_names_of_the_features_are_those_of_the_svm():
    frame = pd.DataFrame(X2, columns=["u", "v"])
    svm = SVC(C=10, gamma=2).fit(frame, Y2)
    model = MetricTreeSVC.from_fitted(svm, frame, fallback="exact")
    np.testing.assert_array_equal(model.predict(frame), svm.predict(frame))
    MetricTreeSVC.from_fitted(svm, X2)
    with pytest.raises(ValueError, match=r"in its order: \['u', 'v'\]"):
        MetricTreeSVC.from_fitted(svm, frame[["v", "u"]])


def test_wrong_estimators_are_named():
    for wrong in (OneClassSVM(), "svc"):
        with pytest.raises(TypeError, match="must be an SVM for classification"):
            MetricTreeSVC(wrong).fit(X2, Y2)
    with pytest.raises(TypeError, match="kernel is one of"):
        MetricTreeSVC(SVC(kernel=lambda a, b: a @ b.T)).fit(X2, Y2)
    with pytest.raises(TypeError, match=r"is fitted.* without support_vectors_"):
        MetricTreeSVC.from_fitted(SVC(), X2)
    with pytest.raises(ValueError, match=r"2 features that the fitted SVM has\. Got 3"):
        MetricTreeSVC.from_fitted(SVM2, np.c_[X2, X2[:, 0]])


def test_an_svm_that_decides_otherwise_is_refused():
    svm = SVC(C=10, gamma=2).fit(X2, Y2)
    svm.set_params(gamma=5)  # after it was fitted
    with pytest.raises(ValueError, match="must be those of its support vectors"):
        MetricTreeSVC.from_fitted(svm, X2)


def test_bad_rows_are_refused():
    model = MetricTreeSVC.from_fitted(SVM2, X2)
    with pytest.raises(ValueError, match="one class"):
        MetricTreeSVC().fit(X2, np.zeros(len(X2)))
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((1, 2), np.nan))
    for wrong in ([0.0], [0.0, np.nan], [[0.0, 0.0]], [np.inf, 0.0]):
        with pytest.raises(ValueError, match="one row of 2 finite numbers"):
            model.predict_one(np.array(wrong))
    with pytest.raises(ValueError, match="x must be one row of real numbers"):
        model.predict_one([10**400, 0])
    with pytest.raises(NotFittedError):
        MetricTreeSVC().predict_one(X2[0])


@pytest.mark.parametrize("n_classes", [2, 10])
def test_the_svm_itself_can_be_asked(n_classes, digits):
    X, y = digits
    X, y = X[:400], y[:400] * n_classes // 10
    svm = SVC(gamma=0.05, decision_function_shape="ovr").fit(X, y)
    model = MetricTreeSVC.from_fitted(svm, X)
    np.testing.assert_allclose(model.svm_decision(X), svm.decision_function(X), atol=1e-9)
