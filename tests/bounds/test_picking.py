"""Pick-To-Learn: that it is a stable compression, its validity, what is refused."""

import math

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from hlsvm.bounds import compression_upper, failure_test, holdout_bound, pick_to_learn
from hlsvm.bounds.picking import _picking
from hlsvm.chapters.bounds.validity import Lattice
from hlsvm.subclass import KernelSVC

TREE = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0)


def sample(n=400, seed=0, noise=0.1):
    return Lattice(noise).draw(n, np.random.default_rng(seed))


@pytest.mark.parametrize("model", [TREE, KernelSVC(C=10.0, gamma=2.0)])
def test_rows_neither_picked_nor_wrong_may_go(model):
    X, y = sample()
    start, rest = np.arange(60), np.arange(60, 400)
    rounds = list(zip(range(6), _picking(model, X, y, start, rest, 0.2), strict=False))
    for number, (_, picked, wrong) in rounds:
        free = np.setdiff1d(rest, np.concatenate([picked, wrong]))
        kept = np.setdiff1d(rest, free[::2])  # any sample between the compression and the whole
        again = _picking(model, X, y, start, kept, 0.2)
        for _ in range(number):
            next(again)
        _, picked_again, wrong_again = next(again)
        assert picked_again.tolist() == picked.tolist()
        assert wrong_again.tolist() == wrong.tolist()


def test_no_rounds_are_a_hold_out():
    X, y = sample()
    model, bound = pick_to_learn(TREE, X, y, share=0.7, rounds=0)
    rest = np.random.default_rng([0, 400]).permutation(400)[280:]
    assert bound.value == holdout_bound(y[rest], model.predict(X[rest])).value
    assert bound.terms["rows picked"] == 0


def test_what_is_picked_and_what_is_wrong_count_alike():
    X, y = sample(1000, noise=0.0)
    model, bound = pick_to_learn(KernelSVC(C=100.0, gamma=2.0), X, y, share=0.05, rounds=10)
    terms = bound.terms
    assert terms["rounds"] > 0
    size = terms["rows picked"] + terms["errors on the others"]
    assert bound.value == compression_upper(size, 950, math.log(0.05) - math.log(11))
    wrong = np.sum(model.predict(X) != y)
    assert wrong >= terms["errors on the others"]
    assert terms["rows trained on"] == 50 + terms["rows picked"]


@pytest.mark.parametrize("options", [{"share": 0.3, "rounds": 3}, {"share": 0.1, "growth": 1.0}])
def test_it_fails_no_more_often_than_stated(options):
    lattice, delta, failures = Lattice(0.1), 0.5, 0
    how = {"rounds": 5, "growth": 0.3} | options
    for number in range(150):
        X, y = lattice.draw(100, np.random.default_rng(number))
        model, bound = pick_to_learn(TREE, X, y, delta=delta, random_state=number, **how)
        failures += lattice.error(model.predict(lattice.points)) > bound.value
    assert failure_test(failures, 150, delta) > 0.01


@pytest.mark.parametrize(
    "options",
    [{"share": 0}, {"share": 0.0001}, {"growth": 0}, {"rounds": -1}, {"delta": 1}, {"rounds": 1.5}],
)
def test_settings_that_are_refused(options):
    X, y = sample(100)
    with pytest.raises((TypeError, ValueError), match="pick_to_learn"):
        pick_to_learn(TREE, X, y, **options)


def test_what_is_no_classifier_is_refused():
    with pytest.raises(TypeError, match="'model' parameter of pick_to_learn"):
        pick_to_learn("tree", *sample(100))
