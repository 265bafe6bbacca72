"""Kernel rows, and the machine along the costs: what its certificate says is true in double."""

import pickle

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from hlsvm.datasets.synthetic import banana
from hlsvm.tuning._path import BLOCK, Path
from hlsvm.tuning._store import RowStore

COSTS = 2.0 ** np.arange(-4, 7)
TOL = 1e-4


def bits(n=1500, d=70):
    rng = np.random.default_rng(0)
    X = (rng.random((n, d)) < 0.3).astype(float)
    return X, np.where(X[:, :5].sum(axis=1) + rng.normal(0.0, 0.5, n) > 1.5, 1.0, -1.0)


def points(n=1500):
    X, y = banana(n, seed=0)
    return X, np.where(y == y.max(), 1.0, -1.0)


def store(X, gamma, share=1.0):
    return RowStore(X, int(share * len(X) ** 2)).restart(gamma)


def rows(store, samples):
    """Rows of the kernel matrix as they are stored."""
    spare = np.empty((len(samples), store.n), np.float32)
    slots = store.fetch(samples, spare)
    return np.where(slots[:, None] < 0, spare, store.rows[slots] if len(store.rows) else spare)


@pytest.mark.parametrize("gamma", [1e-7, 1e-3, 0.05, 2.0, 500.0])
@pytest.mark.parametrize("make", [bits, points])
def test_rows_err_less_than_stated(make, gamma):
    X, _ = make(300)
    lent = store(X, gamma)
    values = rows(lent, np.arange(300))
    error = np.abs(values + np.float64(lent.shift) - rbf_kernel(X, gamma=gamma)).max()
    if make is bits:
        assert error <= 2.0**-25
    else:
        radius = np.sqrt(gamma * ((X - X.mean(axis=0)) ** 2).sum(axis=1).max())
        assert error <= radius * 2.0**-23 + (X.shape[1] + 2) * 2.0**-24 / np.e + 2e-7
    assert (values == values.T).all()
    assert (np.diag(values) == 1.0 - lent.shift).all()


def test_shift_keeps_the_digits_of_wide_kernels():
    X, _ = points(300)
    gamma = 1e-7
    values = rows(store(X, gamma), np.arange(300))
    wanted = np.expm1(np.log(rbf_kernel(X, gamma=gamma)))
    assert np.abs(values - wanted).max() <= 1e-5 * np.abs(wanted).max()


@pytest.mark.parametrize("make", [bits, points])
def test_memory_and_company_change_no_bit(make):
    X, _ = make(300)
    whole = rows(store(X, 0.3), np.arange(300))
    lent = store(X, 0.3, share=0.2)
    for left in range(0, 300, 7):
        samples = np.arange(left, min(left + 7, 300))[::-1].copy()
        assert (rows(lent, samples) == whole[samples]).all()
    assert len(lent.rows) == 60
    elsewhere = pickle.loads(pickle.dumps(lent))
    assert (rows(elsewhere, np.arange(300)) == whole).all()
    assert len(pickle.dumps(lent)) < 2 * X.nbytes


@pytest.mark.parametrize(("make", "gamma"), [(bits, 0.05), (points, 2.0), (points, 0.01)])
def test_certificate_is_true_in_double(make, gamma):
    X, y = make()
    assert len(X) > BLOCK
    y[::5] = 0.0
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    K = rbf_kernel(X, gamma=gamma)
    path = Path(store(X, gamma), y, weight, TOL, 10**7)
    for C in COSTS:
        beta, slope, bias, proof, _ = path.advance(C)
        cap = C * weight
        assert ((beta * y >= 0.0) & (beta * y <= cap)).all()
        assert (beta[y == 0.0] == 0.0).all()
        assert abs(beta.sum()) <= 1e-12 * np.abs(beta).sum()
        values = K @ beta
        square, loss = beta @ values, cap @ np.maximum(0.0, np.abs(y) - y * (values + bias))
        objective, dual = 0.5 * square + loss, beta @ y - 0.5 * square
        error = np.abs(slope + y - values).max()  # which moves objectives by no more than:
        size = 0.5 * np.abs(beta).sum()
        assert abs(objective - proof.objective) <= error * (size + cap.sum()) + 1e-9 * objective
        assert abs(dual - proof.dual_objective) <= error * size + 1e-9 * objective
        assert objective - dual <= 1.1 * TOL * objective
        assert proof.converged
        assert 0.0 <= proof.gap <= TOL * proof.objective
        assert error / 4.0 <= proof.rounding + 1e-12 <= error + 1e-7


@pytest.mark.parametrize(("make", "gamma"), [(bits, 0.05), (points, 2.0)])
def test_optimum_of_libsvm_lies_in_the_gap(make, gamma):
    X, y = make(600)
    path = Path(store(X, gamma), y, np.ones(600), TOL, 10**7)
    for C in COSTS[::3]:
        proof = path.advance(C).certificate
        svm = SVC(C=C, gamma=gamma, tol=1e-7).fit(X, y)
        coef = svm.dual_coef_[0]
        square = coef @ rbf_kernel(svm.support_vectors_, gamma=gamma) @ coef
        optimum = np.abs(coef).sum() - 0.5 * square
        room = 1e-6 * optimum
        assert proof.dual_objective - room <= optimum <= proof.objective + room


def test_threads_and_memory_give_the_same_bits():
    X, y = bits()
    betas = []
    for share in (1.0, 0.2):
        path = Path(store(X, 0.05, share), y, np.ones(len(X)), TOL, 10**7)
        betas.append([path.advance(C).beta.copy() for C in COSTS[:6]])
    assert all((a == b).all() for a, b in zip(*betas, strict=True))


def test_a_limit_of_steps_is_told():
    X, y = points(400)
    proof = Path(store(X, 2.0), y, np.ones(400), TOL, 5).advance(10.0).certificate
    assert (proof.converged, proof.reason, proof.n_iter) == (False, "max_iter", 5)
    assert proof.relative_gap > TOL


def test_where_no_sample_is_at_its_bound_a_larger_cost_changes_nothing():
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    path = Path(store(X, 0.5), y, np.ones(4), 1e-9, 1000)
    beta = path.advance(100.0).beta.copy()
    fit = path.advance(1000.0)
    assert (fit.beta == beta).all()
    assert fit.certificate.n_iter == 0
