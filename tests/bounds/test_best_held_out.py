"""The best of several hold-out bounds: its price, its validity, what is refused."""

import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from hlsvm.bounds import binomial_upper, failure_test, fit_best_with_bound, fit_with_bound
from hlsvm.chapters.bounds.validity import Lattice

MODELS = [DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0) for leaves in (4, 12)]


def sample(n=400, seed=0):
    return Lattice(0.1).draw(n, np.random.default_rng(seed))


def test_one_candidate_is_the_hold_out_bound():
    X, y = sample()
    _, one = fit_with_bound(MODELS[0], X, y, random_state=3)
    _, best = fit_best_with_bound(MODELS[0], X, y, divisions=1, random_state=3)
    assert best.value == one.value == best.terms["first hold-out bound alone"]


def test_the_least_of_all_candidates_at_a_share_of_delta_each():
    X, y = sample()
    model, bound = fit_best_with_bound(MODELS, X, y, shares=(0.6, 0.8), divisions=3, delta=0.1)
    order = np.random.default_rng(np.random.SeedSequence([0, 400])).permutation(400)
    values = {}
    for share in (240, 320):
        for division in range(3):
            turned = np.roll(order, division * (400 - share))
            past, rest = np.sort(turned[:share]), turned[share:]
            for number, candidate in enumerate(MODELS):
                said = candidate.fit(X[past], y[past]).predict(X[rest])
                errors = int(np.sum(said != y[rest]))
                value = binomial_upper(errors, len(rest), math.log(0.1) - math.log(12))
                values[share, division, number] = value
    assert bound.value == min(values.values())
    assert bound.terms["candidates"] == len(values) == 12
    taken = (400 - bound.terms["held-out rows"], *map(bound.terms.get, ("division taken",)))
    assert values[(*taken, bound.terms["model taken"])] == bound.value
    assert model.get_n_leaves() == MODELS[bound.terms["model taken"]].max_leaf_nodes


def test_the_divisions_hold_out_all_rows_in_turn():
    X, y = sample(100)
    constant = DummyClassifier(strategy="constant", constant=1)
    _, bound = fit_best_with_bound(constant, X, y, divisions=5)
    order = np.random.default_rng(np.random.SeedSequence([0, 100])).permutation(100)
    errors = [int(np.sum(y[order[low : low + 20]] != 1)) for low in range(0, 100, 20)]
    assert bound.terms["held-out errors"] == min(errors)


def test_it_fails_no_more_often_than_stated():
    lattice, delta, failures = Lattice(0.1), 0.5, 0
    for number in range(200):
        X, y = lattice.draw(120, np.random.default_rng(number))
        how = {"divisions": 3, "delta": delta, "random_state": number}
        model, bound = fit_best_with_bound(MODELS, X, y, **how)
        failures += lattice.error(model.predict(lattice.points)) > bound.value
    assert failure_test(failures, 200, delta) > 0.01
    assert failures > 5  # not so loose that it could not fail


@pytest.mark.parametrize(
    "options",
    [{"shares": ()}, {"shares": (1.0,)}, {"shares": (0.001,)}, {"shares": 0.8}, {"divisions": 0}],
)
def test_settings_that_are_refused(options):
    X, y = sample(100)
    with pytest.raises((TypeError, ValueError), match="fit_best_with_bound"):
        fit_best_with_bound(MODELS, X, y, **options)


@pytest.mark.parametrize("models", [[], "tree", [None], DecisionTreeClassifier])
def test_what_is_no_classifier_is_refused(models):
    with pytest.raises((TypeError, ValueError), match="fit_best_with_bound"):
        fit_best_with_bound(models, *sample(100))
