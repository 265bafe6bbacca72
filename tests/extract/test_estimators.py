"""KernelFisher and KQPFS as scikit-learn estimators, and what they must refuse."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from hlsvm import KQPFS, KernelFisher
from hlsvm.extract._gram import KERNELS


@parametrize_with_checks(
    [
        KernelFisher(),
        KQPFS(),
        KernelFisher(kernel="precomputed"),
        KernelFisher(multiclass="ovr", solver="nystroem", rank=30),
        KQPFS(solver="cg", rank=30),
        KQPFS(solver="rff", regularizer="kernel", rank=30),
        KernelFisher(n_reduced=5),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def binary(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    return X, np.where(np.hypot(*X.T) < 0.5, "in", "out")


def cosine(a, b):
    return float(np.ravel(a) @ np.ravel(b) / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k != "precomputed"])
def test_transform_of_the_training_set_is_kernel_times_alpha(kernel):
    X, y = binary()
    X = np.abs(X)
    model = KQPFS(kernel=kernel, gamma=0.7, degree=2, coef0=0.5, mu=0.1).fit(X, y)
    K = pairwise_kernels(X, metric=kernel, filter_params=True, gamma=0.7, degree=2, coef0=0.5)
    Z = model.transform(X)
    np.testing.assert_allclose(Z, K @ model.dual_coef_, rtol=1e-9, atol=1e-11)
    for k, name in enumerate(model.classes_):
        np.testing.assert_allclose(model.means_[k], Z[y == name].mean(axis=0), rtol=1e-7, atol=1e-9)


def test_callable_precomputed_named_and_sparse_agree():
    X, y = binary()
    args = {"gamma": 2.0, "mu": 0.01}
    expected = KernelFisher(**args).fit(X, y)
    of_function = KernelFisher(
        lambda A, B, width: np.exp(-((A[:, None] - B[None]) ** 2).sum(2) / width),
        kernel_params={"width": 0.5},
        mu=0.01,
    ).fit(X, y)
    np.testing.assert_allclose(of_function.transform(X), expected.transform(X), rtol=1e-7)
    K = rbf_kernel(X, gamma=2.0)
    whole = KernelFisher("precomputed", mu=0.01).fit((K + K.T) / 2, y)
    np.testing.assert_allclose(whole.transform(K[:5]), expected.transform(X[:5]), rtol=1e-7)
    sparse = KernelFisher(**args).fit(csr_matrix(X), y)
    np.testing.assert_allclose(sparse.transform(csr_matrix(X)), expected.transform(X), rtol=1e-7)
    auto = KernelFisher(gamma="scale").fit(csr_matrix(X), y)
    assert auto.gamma_ == pytest.approx(1 / (2 * X.var()))


@pytest.mark.parametrize("regularizer", ["identity", "kernel"])
def test_linear_kernel_is_linear_discriminant_analysis_in_the_limit(regularizer):
    rng = np.random.default_rng(0)
    mix = rng.normal(size=(4, 4))
    X = np.vstack([rng.normal(size=(90, 4)), rng.normal([1, 0, 0.5, 0], size=(30, 4))]) @ mix
    y = np.repeat([0, 1], [90, 30])
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    gaps = []
    for mu in (1e-6, 1e2):
        model = KernelFisher("linear", mu=mu, regularizer=regularizer).fit(X, y)
        gaps.append(1 - cosine(X.T @ model.dual_coef_, lda.coef_))
    assert gaps[0] < 1e-10
    assert gaps[1] > 1e-4


def test_several_directions_are_those_of_linear_discriminant_analysis(wine):
    X, y = wine
    model = KernelFisher("linear", mu=1e-5, regularizer="kernel").fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    for k in range(2):
        assert abs(cosine(X.T @ model.dual_coef_[:, k], lda.scalings_[:, k])) > 1 - 1e-8
    Z = model.transform(X)
    within = sum(np.cov(Z[y == k].T, bias=True) * (y == k).sum() for k in range(3))
    np.testing.assert_allclose(within, np.eye(2), atol=1e-6)
    between = sum(
        (y == k).sum() * np.outer(Z[y == k].mean(0) - Z.mean(0), Z[y == k].mean(0) - Z.mean(0))
        for k in range(3)
    )
    np.testing.assert_allclose(between, np.diag(model.separation_), atol=1e-6)


def test_one_factorisation_serves_each_class_against_the_rest(wine):
    X, y = wine
    for estimator in (KernelFisher, KQPFS):
        whole = estimator(mu=0.5, multiclass="ovr").fit(X, y)
        for k in range(3):
            alone = estimator(mu=0.5).fit(X, y == k)
            np.testing.assert_allclose(
                whole.dual_coef_[:, k], alone.dual_coef_[:, 0], rtol=1e-8, atol=1e-11
            )
            np.testing.assert_allclose(whole.separation_[k], alone.separation_[0], rtol=1e-8)
            np.testing.assert_allclose(
                whole.decision_function(X)[:, k], alone.decision_function(X), rtol=1e-6, atol=1e-8
            )


def test_swapped_labels_turn_the_direction_and_keep_the_prediction():
    X, y = binary()
    a = KernelFisher(mu=0.1).fit(X, np.where(y == "in", 0, 1))
    b = KernelFisher(mu=0.1).fit(X, np.where(y == "in", 1, 0))
    np.testing.assert_allclose(a.dual_coef_, -b.dual_coef_, rtol=1e-9, atol=1e-13)
    np.testing.assert_array_equal(a.predict(X), 1 - b.predict(X))


@pytest.mark.parametrize(("regularizer", "power"), [("identity", 2), ("kernel", 1)])
def test_scaling_the_kernel_scales_mu(regularizer, power):
    X, y = binary()
    K = rbf_kernel(X)
    K = (K + K.T) / 2
    a = KernelFisher("precomputed", mu=0.1, regularizer=regularizer).fit(K, y)
    b = KernelFisher("precomputed", mu=0.1 * 8.0**power, regularizer=regularizer).fit(8 * K, y)
    assert cosine(a.dual_coef_, b.dual_coef_) > 1 - 1e-14
    np.testing.assert_array_equal(a.predict(K), b.predict(8 * K))


def test_order_and_shift_of_samples_do_not_matter():
    X, y = binary()
    order = np.random.default_rng(0).permutation(len(X))
    a = KernelFisher(gamma=1.0, mu=0.1).fit(X, y)
    b = KernelFisher(gamma=1.0, mu=0.1).fit(X[order] + 5.0, y[order])
    np.testing.assert_allclose(a.transform(X), b.transform(X + 5.0), rtol=1e-8)


def test_huge_mu_goes_to_the_difference_of_means():
    X, y = binary()
    K = rbf_kernel(X, gamma=1.0)
    model = KernelFisher(gamma=1.0, mu=1e12).fit(X, y)
    d = K[:, y == "out"].mean(1) - K[:, y == "in"].mean(1)
    np.testing.assert_allclose(model.dual_coef_[:, 0], d / 1e12, rtol=1e-7)


def test_works_in_pipelines_searches_and_frames():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipe = make_pipeline(StandardScaler(), KernelFisher(mu=0.1)).set_output(transform="pandas")
    out = pipe.fit(frame, y).transform(frame)
    assert list(out.columns) == ["kernelfisher0", "kernelfisher1"]
    search = GridSearchCV(pipe, {"kernelfisher__mu": [1e-3, 1e-1]}, cv=3).fit(frame, y)
    assert search.best_score_ > 0.9
    K = rbf_kernel(X)
    precomputed = KQPFS("precomputed", mu=0.1)
    assert cross_val_score(precomputed, (K + K.T) / 2, y, cv=3).mean() > 0.9
    assert clone(KQPFS(beta=0.3)).beta == 0.3
    assert KernelFisher(n_components=1).fit(X, y).transform(X).shape == (150, 1)


def test_functions_keep_their_own_arguments_and_must_be_symmetric():
    X, y = binary()

    def rbf(A, B, gamma):
        return rbf_kernel(A, B, gamma=gamma)

    of_function = KernelFisher(rbf, kernel_params={"gamma": 3.0}, mu=0.1).fit(X, y)
    named = KernelFisher(gamma=3.0, mu=0.1).fit(X, y)
    np.testing.assert_allclose(of_function.transform(X), named.transform(X), rtol=1e-9)
    with pytest.raises(ValueError, match=r"'kernel' of KernelFisher must be symmetric. Got k\(X"):
        KernelFisher(lambda A, B: A @ np.array([[1.0, 1.0], [0.0, 1.0]]) @ B.T).fit(X, y)
    with pytest.raises(ValueError, match="With kernel='rbf', the 'kernel_params' parameter"):
        KernelFisher(kernel_params={"gamma": 3.0}).fit(X, y)


@pytest.mark.parametrize("estimator", [KernelFisher, KQPFS])
def test_offset_threshold_is_the_least_squares_fit(estimator, wine):
    """f(x) + b with b = (1'y - 1'K alpha) / N: errors sum to zero, as 4.17 summed demands."""
    X, y = wine
    one = (y == 1).astype(float)
    model = estimator(mu=0.5, threshold="offset").fit(X, one)
    scores = model.decision_function(X)
    assert scores.sum() == pytest.approx(2 * one.sum() - len(y))
    f = KQPFS(mu=0.5).fit(X, one).transform(X)[:, 0]
    np.testing.assert_allclose(scores - scores.mean(), f - f.mean(), rtol=1e-6, atol=1e-9)
    whole = estimator(mu=0.5, threshold="offset", multiclass="ovr").fit(X, y)
    np.testing.assert_allclose(whole.decision_function(X)[:, 1], scores, rtol=1e-6, atol=1e-9)
    assert whole.score(X, y) > 0.95
    with pytest.raises(ValueError, match="'threshold' parameter"):
        estimator(threshold="offset").fit(X, y)


def test_constant_features_give_no_direction_and_no_nan():
    X, y = np.ones((10, 2)), np.repeat([0, 1], 5)
    model = KernelFisher().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    model = KernelFisher().fit(X, np.arange(10) % 3)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize(
    ("params", "kind", "message"),
    [
        ({"mu": 0}, ValueError, r"'mu' parameter of KQPFS must be a number in \[1e-300, 1e\+300\]"),
        ({"mu": -1.0}, ValueError, "'mu' parameter"),
        ({"mu": "small"}, TypeError, "'mu' parameter"),
        ({"mu": np.nan}, ValueError, "'mu' parameter"),
        ({"kernel": "gauss"}, ValueError, "'kernel' parameter of KQPFS must be one of"),
        ({"gamma": 0.0}, ValueError, "'gamma' parameter"),
        ({"gamma": "wide"}, TypeError, "'gamma' parameter"),
        ({"regularizer": "l2"}, ValueError, "'regularizer' parameter"),
        ({"multiclass": "ovo"}, ValueError, "'multiclass' parameter"),
        ({"threshold": "prior"}, ValueError, "'threshold' parameter"),
        ({"solver": "svd"}, ValueError, "'solver' parameter"),
        ({"solver": "rff", "kernel": "linear"}, ValueError, "'kernel' parameter"),
        ({"solver": "rff", "n_reduced": 3}, ValueError, "'n_reduced' parameter"),
        ({"rank": 0}, ValueError, "'rank' parameter"),
        ({"tol": 1.0}, ValueError, "'tol' parameter"),
        ({"max_iter": 2.5}, TypeError, "'max_iter' parameter"),
        ({"n_components": 2}, ValueError, "'n_components' parameter"),
        ({"kernel_params": [1]}, TypeError, "'kernel_params' parameter"),
        ({"beta": 1.0}, ValueError, r"'beta' parameter of KQPFS must be a number in \(0, 1\)"),
        ({"beta": 0.0}, ValueError, "'beta' parameter"),
    ],
)
def test_bad_arguments_are_named(params, kind, message):
    X, y = binary(20)
    with pytest.raises(kind, match=message):
        KQPFS(**params).fit(X, y)


def test_bad_data_is_refused():
    X, y = binary(20)
    with pytest.raises(ValueError, match="y of KernelFisher must hold at least two classes"):
        KernelFisher().fit(X, np.ones(20))
    with pytest.raises(ValueError, match="NaN"):
        KernelFisher().fit(np.where(X > 0.5, np.nan, X), y)
    with pytest.raises(ValueError, match="infinity"):
        KernelFisher().fit(np.where(X > 0.5, np.inf, X), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        KernelFisher().fit(X, y[:-1])
    with pytest.raises(ValueError, match="0 sample"):
        KernelFisher().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="could not convert string to float"):
        KernelFisher().fit(np.array([["a", "b"]] * 20), y)
    with pytest.raises(ValueError, match="Unknown label type"):
        KernelFisher().fit(X, X[:, 0])
    K = rbf_kernel(X)
    with pytest.raises(ValueError, match="must be a square matrix"):
        KernelFisher("precomputed").fit(K[:, :10], y)
    K[3, 7] += 0.1
    with pytest.raises(ValueError, match=r"must be symmetric. Got X\[3, 7\]"):
        KernelFisher("precomputed").fit(K, y)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        KernelFisher("precomputed").fit(csr_matrix(K), y)
    with pytest.raises(ValueError, match="'kernel' parameter must be a function that returns"):
        KernelFisher(lambda A, B: np.ones(len(A))).fit(X, y)
    with pytest.raises(ValueError, match="returned NaN"):
        KernelFisher(lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)


def test_one_against_the_rest_has_a_direction_for_each_class(wine):
    X, y = wine
    model = KernelFisher(multiclass="ovr", n_components=1).fit(X, y)
    assert model.transform(X).shape == (len(X), 3)
