"""The algorithm a lesson writes out agrees with the package on data the lesson does not show.

A lesson tags the cells that define it ``algorithm``; they are executed here below its imports.
"""

from pathlib import Path

import nbformat
import numpy as np
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm import (
    KQPFS,
    MRMR,
    QPFS,
    SRSSVC,
    DTSVMClassifier,
    HLSVMClassifier,
    KernelFisher,
    MetricTreeSVC,
    ObliqueTreeClassifier,
    bounds,
    datasets,
)
from hlsvm.bounds import count_dichotomies
from hlsvm.bounds.prefix_codes import plane_nats, shape_nats

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def algorithm(lesson: str) -> dict:
    """Return the names that the cells of a lesson with the tag ``algorithm`` define."""
    names: dict = {}
    for cell in nbformat.read(NOTEBOOKS / lesson, 4).cells:
        if {"algorithm", "parameters"} & set(cell.metadata.get("tags", [])):
            exec(cell.source, names)
    return names


def test_the_tree_of_lesson_5():
    lesson = algorithm("05_hlsvm.ipynb")
    data = datasets.load("breast_cancer")
    X, y = data.X[:, :10], np.where(data.y == data.y.max(), 1, -1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    tree = lesson["grow"](X, y, 1e-4, 0.02 * len(y))
    package = HLSVMClassifier(lam=1e-4, min_fraction=0.02, tol=1e-8).fit(X, y)
    assert [lesson["decide"](tree, x) for x in X] == package.predict(X).tolist()


def test_the_refinement_of_lesson_5b():
    lesson = algorithm("05b_beyond.ipynb")
    data = datasets.load("breast_cancer")
    X = (data.X[:, :8] - data.X[:, :8].mean(axis=0)) / data.X[:, :8].std(axis=0)
    plain = {"lam": 1e-4, "prune_fraction": 0.0, "shrinkage": 0.0, "min_fraction": 0.02}
    plain |= {"split": "svm", "max_depth": 3, "standardize": False, "random_state": 0}
    grown = ObliqueTreeClassifier(refine=0, **plain).fit(X, data.y)
    package = ObliqueTreeClassifier(refine=4, **plain).fit(X, data.y)
    tree = lesson["as_dict"](grown)
    assert (lesson["answers"](tree, X) == grown.predict(X)).all()
    wrong = [(lesson["answers"](tree, X) != data.y).sum()]
    for _ in range(4):
        lesson["refine"](tree, X, data.y)
        wrong.append((lesson["answers"](tree, X) != data.y).sum())
    assert (np.diff(wrong) <= 0).all()
    assert wrong[0] == package.refinements_[0]["loss"][0]
    assert (np.diff(package.refinements_[0]["loss"]) <= 0).all()
    assert wrong[-1] < wrong[0]


def test_the_lines_of_lesson_2():
    lesson = algorithm("02_background.ipynb")
    X, y = np.random.default_rng(7).normal(size=(50, 3)), np.repeat([1, -1], 25)
    w, b = lesson["svm"](X + 0.6 * y[:, None], y, 0.5)
    exact = SVC(kernel="linear", C=0.5, tol=1e-8).fit(X + 0.6 * y[:, None], y)
    assert np.allclose([*w, b], [*exact.coef_[0], exact.intercept_[0]], atol=0.02)
    w, b = lesson["perceptron"](X + 3 * y[:, None], y)
    assert (y * ((X + 3 * y[:, None]) @ w + b) > 0).all()
    points = np.random.default_rng(7).normal(size=(5, 2))
    assert lesson["separable_labellings"](points) == count_dichotomies(5, 2)
    data = datasets.load("wine")
    stump = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(data.X, data.y).tree_
    feature, threshold = lesson["best_question"](data.X, data.y)
    assert feature == stump.feature[0]
    assert np.isclose(threshold, stump.threshold[0])


def test_the_cells_and_bands_of_lesson_10():
    lesson = algorithm("10_metric_tree.ipynb")
    data = datasets.load("wine")
    X, y = minmax_scale(data.X), data.y == data.y[0]
    svm = SVC(C=1, gamma=2.0).fit(X[::2], y[::2])
    package = MetricTreeSVC.from_fitted(svm, X[::2], bound="norm")
    low, high = package.bounds(X[1::2])
    tree = lesson["grow"](X[::2])
    fitted = svm.support_vectors_, svm.dual_coef_[0], svm.intercept_[0], 2.0
    length2 = lesson["square_of_length"](*fitted)
    for x, value, least, most in zip(
        X[1::2], package.decision_function(X[1::2]), low, high, strict=True
    ):
        x0, _ = lesson["find"](tree, x)
        at, slope = lesson["f_and_gradient"](x0, *fitted)
        middle, reach = lesson["band"](x, x0, length2, *fitted)
        assert np.isclose(at + slope @ (x - x0), value)
        assert np.allclose([middle - reach, middle + reach], [least, most], atol=1e-6)


def test_the_reduced_set_and_the_repair_of_lesson_8():
    lesson = algorithm("08_srs_svm.ipynb")
    data = datasets.load("wine")
    X, y = minmax_scale(data.X), data.y == data.y[0]

    def pieces(X, h, seed):
        return lesson["KMeans"](h, n_init=1, random_state=0).fit_predict(X)

    options = {"faithful": True, "linear_tol": 1e-12, "clusterer": pieces, "C": 10.0, "gamma": 1.0}
    package = SRSSVC(3, **options).fit(X, y)
    model, rows = lesson["srs_svm"](X, y, 3, 10.0, 1.0)
    assert np.array_equal(package.candidates_, rows)
    assert np.array_equal(package.predict(X), model.predict(X))
    whole = SVC(C=10, gamma=1).fit(X, y).decision_function(X)
    exact, rounds = lesson["exact_svm"](X, y, rows, 10.0, 1.0)
    assert np.allclose(exact.decision_function(X), whole, atol=0.01)
    assert (np.diff([len(one) for one in rounds]) == 1).all()
    assert len(rounds) > 1


def test_the_information_and_the_weights_of_lesson_3():
    lesson = algorithm("03_qpfs.ipynb")
    rng = np.random.default_rng(11)
    y = rng.integers(0, 3, 300)
    shares = [0.1, 0.2, 0.3, 0.5, 0.7, 0.9]
    X = np.where(rng.random((300, 6)) < shares, rng.integers(0, 3), y[:, None])
    X = np.where(rng.random(X.shape) < 0.2, rng.integers(0, 3, X.shape), X)
    F, Q = lesson["relevance_and_redundancy"](X, y)
    package = QPFS(n_bins=None).fit(X, y)
    assert np.allclose(lesson["qpfs"](F, Q, package.alpha_), package.weights_, atol=1e-5)
    assert lesson["mrmr"](F, Q) == MRMR(n_bins=None).fit(X, y).ranking_.tolist()
    package.set_params(alpha=0.4).fit(X, y)
    assert np.allclose(lesson["qpfs"](F, Q, 0.4), package.weights_, atol=1e-5)


def test_the_two_directions_of_lesson_4():
    lesson = algorithm("04_kqpfs_equivalence.ipynb")
    data = datasets.load("breast_cancer")
    X, y = minmax_scale(data.X)[:200], np.where(data.y == data.y.max(), 1, -1)[:200]
    K = lesson["rbf"](X, X, 0.5)
    for name, estimator in (("kernel_fisher", KernelFisher), ("kqpfs", KQPFS)):
        package = estimator(gamma=0.5, mu=0.3).fit(X, y).dual_coef_[:, 0]
        ours = lesson[name](K, y, 0.3 * np.eye(len(y)))
        assert np.allclose(ours, package, rtol=1e-7, atol=1e-9)


def test_the_tree_of_svms_of_lesson_9():
    lesson = algorithm("09_dtsvm.ipynb")
    data = datasets.load("wine")
    X = minmax_scale(data.X).astype(np.float32)
    ours = lesson["TreeOfSVMs"](10.0, 1.0, 60).fit(X[::2], data.y[::2])
    package = DTSVMClassifier(10.0, 1.0, ceiling_size=60, climb=False).fit(X[::2], data.y[::2])
    assert ours.tree.get_n_leaves() == len(package.machines_) > 1
    assert np.array_equal(ours.predict(X), package.predict(X))


def test_the_bits_and_bounds_of_lesson_6():
    lesson = algorithm("06_generalization_bounds.ipynb")
    for mistakes, n, delta in ((0, 50, 0.1), (7, 300, 0.01), (90, 1000, 0.05)):
        expected = bounds.binomial_upper(mistakes, n, np.log(delta))
        assert np.isclose(lesson["tail_bound"](mistakes, n, delta), expected, rtol=1e-6)
        message = {"all": 20 * np.log(2)}
        expected = bounds.message_bound(mistakes, n, message, delta=delta).value
        assert np.isclose(lesson["tail_bound"](mistakes, n, delta, 20), expected, rtol=1e-6)
    assert np.isclose(lesson["bits_of_shape"](9) * np.log(2), shape_nats(9))
    assert np.isclose(lesson["bits_of_plane"](4, 5) * np.log(2), plane_nats(4, 5))
    budget = (3.0 + np.log(2 * np.sqrt(400) / 0.05)) / 400
    assert np.isclose(lesson["pac_bayes"](0.07, 3.0, 400, 0.05), bounds.kl_upper(0.07, budget))
    whole = lesson["round_plane"](np.array([0.6, -2.0, 0.9]), 7)
    assert (whole == [1, -4, 2]).all()


def test_the_decision_of_lesson_7():
    lesson = algorithm("07_global_view.ipynb")
    data = datasets.load("digits")
    y = np.where(data.y == 3, 1, -1)
    X = QPFS(20).fit_transform(data.X, y)
    model = HLSVMClassifier(lam=1e-3, random_state=0).fit(X, y)
    walks = [lesson["decide"](model.tree_, x) for x in X]
    assert model.get_n_leaves() > 2
    assert np.array_equal(model.classes_[[label for label, _, _ in walks]], model.predict(X))
    assert [spent for _, spent, _ in walks] == (20 * model.n_hyperplanes(X)).tolist()
