"""A classifier with a bound from the rows it has not seen: value, validity, what is refused."""

import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from hlsvm.bounds import binomial_upper, failure_test, fit_with_bound, holdout_bound
from hlsvm.chapters.bounds.validity import Lattice


def three_classes(n, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (n, 2))
    return X, np.where(random.uniform(size=n) < 0.1, "c", np.where(X[:, 0] > 0, "a", "b"))


def test_one_share_is_the_holdout_bound():
    X, y = three_classes(500)
    fitted, bound = fit_with_bound(DecisionTreeClassifier(max_depth=2), X, y, shares=[0.7])
    seen = np.random.default_rng(np.random.SeedSequence([0, 500])).permutation(500)[:350]
    rest = np.setdiff1d(np.arange(500), seen)
    same = DecisionTreeClassifier(max_depth=2).fit(X[np.sort(seen)], y[np.sort(seen)])
    direct = holdout_bound(y[rest], same.predict(X[rest]))
    assert bound.value == direct.value
    assert bound.terms["held-out rows"] == 150
    assert (fitted.predict(X) == same.predict(X)).all()


def test_classifiers_that_agree_cost_only_the_chance_that_they_do_not():
    X, y = three_classes(2000)
    model = DummyClassifier(strategy="constant", constant="a")
    _, bound = fit_with_bound(model, X, y, shares=(0.5, 0.9), delta=0.1)
    order = np.random.default_rng(np.random.SeedSequence([0, 2000])).permutation(2000)
    errors = int(np.sum(y[order[1000:]] != "a"))
    log_delta = math.log(0.05)
    first = binomial_upper(errors, 1000, log_delta)
    none = binomial_upper(0, 200, log_delta - math.log(2))
    assert bound.value == pytest.approx(first + none, abs=1e-12)


@pytest.mark.parametrize("shares", [(0.7,), (0.4, 0.8)])
def test_it_fails_no_more_often_than_stated(shares):
    lattice, delta, failures = Lattice(0.1), 0.3, 0
    for number in range(300):
        X, y = lattice.draw(120, np.random.default_rng(number))
        model = DecisionTreeClassifier(max_depth=3, random_state=0)
        fitted, bound = fit_with_bound(model, X, y, shares=shares, delta=delta, random_state=number)
        failures += lattice.error(fitted.predict(lattice.points)) > bound.value
    assert failure_test(failures, 300, delta) > 0.01
    assert shares != (0.7,) or failures > 20  # not so loose that it could not fail


@pytest.mark.parametrize(
    "shares", [(), (0.0,), (0.5, 0.5), (0.8, 0.4), (1.0,), (0.001,), "half", 0.8, (None,)]
)
def test_shares_that_are_refused(shares):
    X, y = three_classes(100)
    with pytest.raises((TypeError, ValueError), match="'shares' parameter of fit_with_bound"):
        fit_with_bound(DecisionTreeClassifier(), X, y, shares=shares)


def test_sparse_rows_and_nothing_changed_in_the_model():
    from scipy.sparse import csr_array

    X, y = three_classes(300)
    model = DecisionTreeClassifier(max_depth=2)
    dense, sparse = (fit_with_bound(model, rows, y)[1] for rows in (X, csr_array(X)))
    assert dense.value == sparse.value
    assert not hasattr(model, "tree_")
