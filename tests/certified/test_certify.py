"""A certified SVM answers as the SVM does, and its bounds hold the SVM's value."""

import pickle
import sys
import warnings
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, NuSVC

from hlsvm import KernelSVC, certify
from hlsvm.certified import CertifiedSVC
from hlsvm.datasets.synthetic import banana


def mixed(n, seed=0):
    """Two columns of numbers and a choice among three, one column each."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    X = np.column_stack([rng.normal(size=(n, 2)), np.eye(3)[kind]])
    return X, np.sin(2 * X[:, 0]) + 0.3 * kind > X[:, 1]


def bits(n, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 30)) < 0.3).astype(float)
    return X, (X[:, :8].sum(axis=1) + 0.3 * rng.normal(size=n)) > 2


def wide(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 60)) + 5.0
    return X, ((X[:, :5] - 5.0) ** 2).sum(axis=1) > 5


MADE = {
    "banana": (lambda n: banana(n, seed=1), {"C": 10.0, "gamma": 1.0}),
    "narrow": (lambda n: banana(n, seed=2), {"C": 100.0, "gamma": 60.0}),
    "mixed": (mixed, {"C": 5.0, "gamma": 0.7}),
    "bits": (bits, {"C": 1.0, "gamma": 0.05}),
    "wide": (wide, {"C": 2.0, "gamma": 0.01}),
}


def exact(svm, X):
    """f in extended precision."""
    support, alpha = (np.asarray(v, np.longdouble) for v in (svm.support_vectors_, svm.dual_coef_))
    gamma = np.longdouble(svm.gamma)
    squares = ((np.asarray(X, np.longdouble)[:, None] - support) ** 2).sum(axis=2)
    return np.exp(-gamma * squares) @ alpha[0] + np.longdouble(svm.intercept_[0])


@pytest.fixture(scope="module", params=MADE)
def case(request):
    make, how = MADE[request.param]
    X, y = make(1600)
    svm = SVC(**how).fit(X[:800], y[:800])
    return svm, X[:800], X[800:]


@pytest.mark.parametrize("cells", [True, False])
def test_signs_are_the_svms_and_bounds_hold_its_value(case, cells):
    svm, X, T = case
    fast = certify(svm, X if cells else None)
    assert np.array_equal(fast.predict(T), svm.predict(T))
    f = exact(svm, T)
    for width in (np.inf, 1e-2, 1e-4):
        low, high = fast.bounds(T, width)
        assert np.all(low <= f)
        assert np.all(f <= high)
        if width < np.inf:
            assert np.all(high - low <= width)
    values = fast.decision_function(T)
    assert np.array_equal(values > 0, svm.decision_function(T) > 0)


def test_rows_on_the_boundary(case):
    svm, X, T = case
    fast = certify(svm, X)
    f = svm.decision_function(T)
    n = min((f > 0).sum(), (f < 0).sum(), 60)
    low, high = T[f < 0][:n].copy(), T[f > 0][:n].copy()
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = svm.decision_function(middle)[:, None] > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    rows = np.concatenate([low, high])
    assert np.array_equal(fast.predict(rows), svm.predict(rows))
    assert [fast.predict_one(x) for x in rows[::7]] == svm.predict(rows[::7]).tolist()
    work = fast.work(rows)
    assert work.n_svm > 0
    assert sum(astuple(work)[:4]) == len(rows)
    ends, f = fast.bounds(rows), exact(svm, rows)
    assert np.all(ends[0] <= f)
    assert np.all(f <= ends[1])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), gamma=st.floats(1e-3, 50), C=st.floats(0.01, 1e4),
       scale=st.sampled_from([1e-3, 1.0, 30.0]), shift=st.sampled_from([0.0, 100.0]))  # fmt: skip
def test_bounds_hold_whatever_the_kernel(seed, gamma, C, scale, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, int(rng.integers(1, 5))))
    X[:, 0] = np.round(X[:, 0])
    y = X.sum(axis=1) + 0.3 * rng.normal(size=120) > 0
    X = scale * X + shift
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm = SVC(C=C, gamma=gamma, max_iter=2000, tol=0.1).fit(X, y)
    fast = certify(svm, X)
    rows = np.concatenate([X, X + scale * rng.normal(size=X.shape), X + 1e6])
    f = exact(svm, rows)
    for width in (np.inf, 0.1):
        low, high = fast.bounds(rows, width)
        assert np.all(low <= f)
        assert np.all(f <= high)
    assert np.array_equal(fast.predict(rows), svm.predict(rows))


def test_answers_do_not_depend_on_threads_precision_or_company(case):
    svm, X, T = case
    T = np.tile(T.astype(np.float32), (25, 1))
    one, two = certify(svm, X), certify(svm, X, n_jobs=2)
    assert np.array_equal(one.predict(T), two.predict(T))
    assert np.array_equal(one.decision_function(T), two.decision_function(T))
    assert np.array_equal(one.predict(T), svm.predict(T))
    few = T[100:110].astype(float)
    assert [one.predict_one(x) for x in few] == one.predict(few).tolist()
    few, many = one.bounds(T[:300]), one.bounds(T)
    np.testing.assert_allclose(few, [end[:300] for end in many], rtol=0, atol=1e-12)


def test_most_rows_need_no_double_precision(case):
    svm, X, T = case
    assert certify(svm, X).work(T).settled > 0.95


def test_cells_and_blocks_spare_kernel_values():
    X, y = mixed(20_000)
    svm = SVC(C=5.0, gamma=0.7).fit(X[:2000], y[:2000])
    fast = certify(svm, X[:10_000])
    assert fast.n_cells_ > 50
    assert fast.work(X[10_000:]).n_cells > 9000
    X, y = banana(6000, seed=0)
    svm = SVC(C=1.0, gamma=300.0).fit(X[:4000], y[:4000])
    work = certify(svm).work(X[4000:])
    assert work.n_kernels < 0.5 * 2000 * len(svm.support_)


def test_pickled_it_answers_the_same(case):
    svm, X, T = case
    fast = certify(svm, X)
    again = pickle.loads(pickle.dumps(fast))
    assert isinstance(again, CertifiedSVC)
    assert np.array_equal(fast.decision_function(T), again.decision_function(T))
    assert fast.work(T) == again.work(T)


def test_other_svms_labels_and_frames():
    pandas = pytest.importorskip("pandas")
    X, y = banana(400, seed=3)
    words = np.where(y > 0, "yes", "no")
    for model in (SVC(gamma="scale"), SVC(gamma="auto"), NuSVC(nu=0.2)):
        svm = model.fit(X, words)
        assert np.array_equal(certify(svm, X).predict(X), svm.predict(X))
    ours = KernelSVC(C=10.0, gamma=1.0).fit(X, y)
    assert np.array_equal(certify(ours, X).predict(X), ours.predict(X))
    frame = pandas.DataFrame(X, columns=["a", "b"])
    svm = SVC().fit(frame, words)
    assert np.array_equal(certify(svm, frame).predict(frame), svm.predict(frame))


def test_rows_far_away_and_huge(case):
    svm, X, T = case
    fast = certify(svm, X)
    rows = np.concatenate([T[:3] * factor for factor in (1e3, 1e18, 1e30, 1e150)])
    assert np.array_equal(fast.predict(rows), svm.predict(rows))
    low, high = fast.bounds(rows)
    assert np.all(low <= svm.intercept_)
    assert np.all(svm.intercept_ <= high)


def test_coefficients_of_every_size():
    X, y = banana(200, seed=4)
    for C in (1e-6, 1e9):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            svm = SVC(C=C, gamma=2.0, max_iter=10_000).fit(X, y)
        assert np.array_equal(certify(svm, X).predict(X), svm.predict(X))


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda X, y: certify(SVC()), TypeError, "fitted SVM with kernel='rbf'"),
        (lambda X, y: certify(SVC), TypeError, "svm"),
        (lambda X, y: certify(None), TypeError, "svm"),
        (lambda X, y: certify(SVC(kernel="linear").fit(X, y)), TypeError, "rbf"),
        (lambda X, y: certify(SVC().fit(X, np.arange(len(X)) % 3)), ValueError, "two classes"),
        (lambda X, y: certify(SVC().fit(X, y), X[:, :1]), ValueError, "1 features"),
        (lambda X, y: certify(SVC().fit(X, y), X * np.nan), ValueError, "NaN"),
        (lambda X, y: certify(SVC().fit(X, y), n_jobs=0), ValueError, "n_jobs"),
        (lambda X, y: certify(SVC().fit(X, y)).predict(X * np.nan), ValueError, "NaN"),
        (lambda X, y: certify(SVC().fit(X, y)).predict(X[:, :1]), ValueError, "1 features"),
        (lambda X, y: certify(SVC().fit(X, y)).predict([["a", "b"]]), ValueError, "X"),
        (lambda X, y: certify(SVC().fit(X, y)).predict(X[:0]), ValueError, "0 sample"),
        (lambda X, y: certify(SVC().fit(X, y)).predict_one(X), ValueError, "one row of 2"),
        (lambda X, y: certify(SVC().fit(X, y)).predict_one(X[0] * np.nan), ValueError, "NaN"),
        (lambda X, y: certify(SVC().fit(X, y), X).predict_one([np.inf, 0]), ValueError, "inf"),
        (lambda X, y: certify(SVC().fit(X, y)).bounds(X, -1), ValueError, "width"),
        (lambda X, y: certify(SVC().fit(X, y)).bounds(X, "near"), TypeError, "width"),
    ],
)
def test_what_it_refuses(make, error, says):
    X, y = banana(60, seed=0)
    with pytest.raises(error, match=says):
        make(X, y)


def test_it_is_imported_late():
    assert certify is sys.modules["hlsvm.certified"].certify
