"""Pruning by a bound: validity by simulation, order, determinism, what it refuses."""

import math
import warnings
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from hlsvm import HLSVMClassifier, ObliqueTreeClassifier, datasets
from hlsvm.bounds import (
    binomial_upper,
    code_tree,
    failure_test,
    message_bound,
    prune_by_bound,
    support_vector_bound,
)
from hlsvm.bounds._standardize import Standardizer
from hlsvm.bounds.prefix_codes import label_nats, shape_nats
from hlsvm.bounds.support import _support_of_nodes
from hlsvm.chapters.bounds import validity

from .helpers import leaf, quarters, stump, three_leaves

WAYS = MappingProxyType(
    {
        "occam": {"kind": "occam", "refined": False},
        "occam, moved": {"kind": "occam", "max_iter": 8},
        "gibbs": {"kind": "gibbs", "refined": False},
        "gibbs, moved": {"kind": "gibbs", "max_iter": 8},
        "prior a tree": {"kind": "gibbs", "prior": "tree", "max_iter": 8},
    }
)

PLAIN = {"split": "svm", "shrinkage": 0.0, "refine": 0, "prune_fraction": 0.0}
AS_TRAINED = PLAIN | {"bias": "svm"}


@pytest.fixture(scope="module")
def sample():
    return quarters(1500, 0, noise=0.05)


@pytest.fixture(scope="module")
def model(sample):
    return ObliqueTreeClassifier(lam=1e-4, **PLAIN, random_state=0).fit(*sample)


@pytest.fixture(scope="module")
def pruned(model, sample):
    return {name: prune_by_bound(model, *sample, **how) for name, how in WAYS.items()}


def test_message_bound_is_the_inverted_tail():
    bound = message_bound(7, 500, {"a": 3.0, "b": 4.5}, delta=0.1)
    assert bound.value == pytest.approx(binomial_upper(7, 500, math.log(0.1) - 7.5))
    assert bound.terms["nats in all"] == 7.5
    assert bound.value <= bound.terms["Chernoff form"]
    assert message_bound(7, 500, {"a": 30.0}).value > message_bound(7, 500, {"a": 3.0}).value
    assert message_bound(14, 1000, {"a": 3.0}).value < message_bound(7, 500, {"a": 3.0}).value


@pytest.mark.parametrize("name", WAYS)
def test_bound_says_something_and_holds(pruned, name):
    X, y = quarters(20_000, 99, noise=0.05)
    chosen = pruned[name]
    assert chosen.bound.value < 0.5
    assert np.mean(chosen.predict(X) != y) < chosen.bound.value
    if chosen.bound.subject == "the Gibbs tree":
        assert np.mean(chosen.predict_gibbs(X) != y) < chosen.bound.value


@pytest.mark.parametrize("name", WAYS)
def test_chosen_tree_is_small(pruned, model, name):
    assert 2 <= pruned[name].tree.n_leaves < model.get_n_leaves() / 3
    assert pruned[name].n_hyperplanes(quarters(50, 1)[0]).max() <= pruned[name].tree.max_depth


def test_moving_the_hyperplanes_tightens(pruned):
    assert pruned["occam, moved"].bound.value < pruned["occam"].bound.value
    assert pruned["gibbs, moved"].bound.value < pruned["gibbs"].bound.value
    assert pruned["prior a tree"].bound.value < pruned["gibbs, moved"].bound.value


def test_more_rows_smaller_bound(pruned, sample):
    X, y = quarters(6000, 0, noise=0.05)
    more = ObliqueTreeClassifier(lam=1e-4, **PLAIN, random_state=0).fit(X, y)
    for name in ("occam", "gibbs"):
        assert prune_by_bound(more, X, y, **WAYS[name]).bound.value < pruned[name].bound.value


def test_less_confidence_smaller_bound(model, sample, pruned):
    easy = prune_by_bound(model, *sample, delta=0.5, **WAYS["occam"]).bound
    assert easy.value < pruned["occam"].bound.value
    assert easy.confidence == 0.5


def test_occam_counts_the_message(pruned, sample):
    bound, tree = pruned["occam"].bound, pruned["occam"].tree
    inner = tree.n_leaves - 1
    assert bound.terms["hyperplanes"] == inner
    assert bound.terms["nats of shape"] == pytest.approx(shape_nats(inner))
    assert bound.terms["nats of labels"] == pytest.approx(label_nats(inner + 1, 2))
    nats = sum(bound.terms[f"nats of {part}"] for part in ("shape", "labels", "hyperplanes"))
    assert bound.terms["nats in all"] == pytest.approx(nats)
    errors, rows = bound.terms["errors on them"], bound.terms["rows that count"]
    assert bound.value == pytest.approx(binomial_upper(errors, rows, math.log(0.05) - nats))
    # Rows that do not count set the scale: at most 2 %.
    assert len(sample[1]) - rows == 30


def test_coded_hyperplanes_are_integers_in_the_frame(pruned, sample):
    tree = pruned["occam"].tree
    X, y = sample
    standardizer = Standardizer.of(X[:50])
    _, bound = code_tree(tree, standardizer, X[50:], y[50:])
    coded, again = code_tree(tree, standardizer, X[50:], y[50:])
    assert again.value == bound.value
    inside = np.column_stack([coded.weights * standardizer.scale, np.zeros(len(coded.weights))])
    for row, offset in zip(inside, coded.offsets[coded.plane >= 0], strict=True):
        row[-1] = offset + (row[:-1] / standardizer.scale) @ standardizer.center
    np.testing.assert_allclose(inside, np.round(inside), atol=1e-6)


def test_same_seed_same_bits_and_the_model_is_left_alone(model, sample, pruned):
    before = {name: value.copy() for name, value in model.tree_.to_arrays().items()}
    for name, how in WAYS.items():
        again = prune_by_bound(model, *sample, **how)
        assert again.bound == pruned[name].bound
        np.testing.assert_array_equal(again.tree.weights, pruned[name].tree.weights)
    for name, value in model.tree_.to_arrays().items():
        np.testing.assert_array_equal(value, before[name])


def test_several_classes_and_words_as_labels():
    data = datasets.load("wine", scale="minmax")
    X, y = np.tile(data.X, (3, 1)), np.tile(data.y, 3).astype(str)
    model = HLSVMClassifier(lam=1e-3, random_state=0).fit(X, y)
    for how in WAYS.values():
        chosen = prune_by_bound(model, pd.DataFrame(X), y, **how)
        assert set(chosen.predict(X)) <= set(y)
        assert np.mean(chosen.predict(X) != y) < 0.7
        assert 0 < chosen.bound.value <= 1


def test_one_leaf_and_few_rows():
    X, y = quarters(8, 0)
    model = HLSVMClassifier(lam=10.0, min_fraction=1.0, random_state=0).fit(X, y)
    assert model.get_n_leaves() == 1
    for name in ("occam", "gibbs", "gibbs, moved"):
        chosen = prune_by_bound(model, X, y, **WAYS[name])
        assert chosen.tree.n_leaves == 1
        assert chosen.bound.value <= 1


def test_noise_gives_no_promise():
    X, _ = quarters(400, 0)
    y = np.random.default_rng(1).integers(2, size=400)
    model = HLSVMClassifier(lam=1e-4, random_state=0).fit(X, y)
    for how in WAYS.values():
        assert prune_by_bound(model, X, y, **how).bound.value > 0.45


def test_no_bound_fails_more_often_than_it_says():
    """Both sides: the true error is known exactly; at delta = 1/2 a wrong bound would show."""
    table = validity.draws(range(16), n=120, delta=0.5, seed=5)
    result = validity.summary(table, 0.5)
    assert set(result.method) == set(validity.METHODS)
    assert (result.p_value > 1e-3).all()
    held = result.set_index("method").failures[validity.HOLD_OUT]
    assert held > 1  # the lattice and the count of failures are alive


def test_a_bound_without_the_price_of_the_tree_fails():
    """Leave the message out, and the check above catches it."""
    lattice, failures = validity.Lattice(0.3), 0
    for seed in range(40):
        X, y = lattice.draw(100, np.random.default_rng(seed))
        model = HLSVMClassifier(lam=1e-4, min_fraction=0.02, random_state=0).fit(X, y)
        wrong = int(np.sum(model.predict(X) != y))
        value = binomial_upper(wrong, 100, math.log(0.05))
        failures += lattice.error(model.predict(lattice.points)) > value
    assert failure_test(failures, 40, 0.05) < 1e-6


def test_compression_by_hand():
    # Two far clouds: few support vectors, and the bound says something.
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(-5, 0.3, (400, 2)), random.normal(5, 0.3, (400, 2))])
    y = np.repeat([0, 1], 400)
    model = ObliqueTreeClassifier(lam=1e-6, **AS_TRAINED, random_state=0).fit(X, y)
    bound = support_vector_bound(model, X, y)
    rest = bound.terms["rows that count"]
    assert rest == 800 - bound.terms["support vectors"]
    assert bound.value == pytest.approx(
        binomial_upper(0, rest, math.log(0.05) - bound.terms["nats in all"])
    )
    assert bound.value < 0.2


def test_compression_counts_the_support_vectors_of_a_vertex():
    """One binary feature decides: all 1,000 rows lie on the margin, and a few determine it."""
    random = np.random.default_rng(0)
    X = random.integers(2, size=(1000, 20)).astype(float)
    y = X[:, 0].astype(int)
    options = AS_TRAINED | {"lam": 1e-6, "tol": 1e-6, "random_state": 0}
    model = ObliqueTreeClassifier(**options).fit(X, y)
    bound = support_vector_bound(model, X, y)
    assert bound.terms["hyperplanes"] == 1
    assert 2 <= bound.terms["support vectors"] <= 21  # n_features + 1
    assert bound.value < 0.3
    # The rows named are enough: LIBLINEAR on them alone gives the hyperplane of the node.
    caps = 0.5 / np.bincount(y)[y] / (1e-6 * 1000)
    ((rows, support),) = _support_of_nodes(model, model.tree_, X, y)
    few = rows[support]
    svm = LinearSVC(loss="hinge", tol=1e-8, max_iter=100_000, random_state=0)
    svm.fit(X[few], y[few], caps[few])
    np.testing.assert_allclose(svm.coef_[0], model.tree_.weights[0], atol=1e-3)
    np.testing.assert_allclose(svm.intercept_[0], model.tree_.offsets[0], atol=1e-3)


def test_compression_holds_where_it_speaks():
    """Two clouds whose true error under a hyperplane is known: the bound is below 1/2 and kept."""
    failures, values = 0, []
    for seed in range(40):
        random = np.random.default_rng(seed)
        y = random.integers(2, size=200)
        X = random.normal(np.where(y == 1, 3.0, -3.0)[:, None] * [1.0, 0.0], 1.0)
        how = AS_TRAINED | {"lam": 1e-6, "tol": 1e-6, "max_depth": 1}
        model = ObliqueTreeClassifier(**how, random_state=0).fit(X, y)
        bound = support_vector_bound(model, X, y)
        w, b = model.tree_.weights[0], model.tree_.offsets[0]
        error = np.mean([norm.sf((3 * w[0] + s * b) / np.linalg.norm(w)) for s in (1, -1)])
        failures += error > bound.value
        values.append(bound.value)
    assert np.median(values) < 0.5
    assert failures == 0


def test_compression_of_a_leaf_and_of_soft_margins(model, sample):
    X, y = quarters(50, 0)
    alone = ObliqueTreeClassifier(1e-5, max_depth=0, **AS_TRAINED).fit(X, y)
    bound = support_vector_bound(alone, X, y)
    assert bound.terms["support vectors"] == 0
    assert bound.terms["errors on them"] == np.sum(y != alone.predict(X))
    with pytest.raises(TypeError, match="the classifier that grew the tree"):
        support_vector_bound(leaf((30, 20)), X, y)
    soft = ObliqueTreeClassifier(lam=1.0, min_fraction=0.1, **AS_TRAINED, random_state=0)
    soft.fit(*sample)
    assert support_vector_bound(soft, *sample).vacuous


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "other"}, "'kind'"),
        ({"refined": 1.5}, "'refined'"),
        ({"prior": "flat"}, "'prior'"),
        ({"prior": "tree", "kind": "occam"}, "prior='tree'"),
        ({"delta": 0.0}, "'delta'"),
        ({"delta": "small"}, "'delta'"),
        ({"prior_fraction": 1.0}, "'prior_fraction'"),
        ({"max_leaves": 0}, "'max_leaves'"),
        ({"max_iter": 0}, "'max_iter'"),
        ({"random_state": -1}, "'random_state'"),
    ],
)
def test_bad_options(model, sample, change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        prune_by_bound(model, *sample, **change)


def test_bad_rows(model, sample, pruned):
    X, y = sample
    with pytest.raises(ValueError, match="at least 8 rows"):
        prune_by_bound(model, X[:5], y[:5])
    with pytest.raises(ValueError, match="NaN"):
        prune_by_bound(model, np.full_like(X, np.nan), y)
    with pytest.raises(ValueError, match="one label per row"):
        prune_by_bound(model, X, y[:-1])
    with pytest.raises(ValueError, match="2 columns"):
        pruned["gibbs"].predict(X[:, :1])
    with pytest.raises(AttributeError, match="no Gibbs tree"):
        pruned["occam"].predict_gibbs(X)
    with pytest.raises(TypeError, match="HyperplaneTree"):
        prune_by_bound(object(), X, y)
    data = datasets.load("wine", scale="minmax")
    trio = HLSVMClassifier(random_state=0).fit(data.X, data.y)
    with pytest.raises(ValueError, match="two classes"):
        support_vector_bound(trio, data.X, data.y)


def test_chosen_tree_shows_its_bound(pruned):
    shown = repr(pruned["occam"])
    assert shown.startswith(f"BoundedTree of {pruned['occam'].tree.n_leaves} leaves\nOccam")
    assert " at 0x" not in shown
    assert "<table>" in pruned["occam"]._repr_html_()


def test_compression_refuses_nodes_of_one_feature(sample):
    model = ObliqueTreeClassifier(lam=1e-4, **(AS_TRAINED | {"split": "axis"}), random_state=0).fit(
        *sample
    )
    with pytest.raises(ValueError, match="split='svm'"):
        support_vector_bound(model, *sample)
    assert prune_by_bound(model, *sample, refined=False).bound.value < 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bias": "auto"}, "bias='svm'"),
        ({"refine": 1}, "refine=0"),
        ({"prune_fraction": 0.2}, "prune_fraction=0"),
        ({"split": "best"}, "split='svm'"),
        ({"lam": "auto"}, "fixed before the rows were seen"),
    ],
)
def test_compression_refuses_what_other_rows_had_a_part_in(change, words):
    X, y = quarters(120, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ObliqueTreeClassifier(
            **(AS_TRAINED | {"lam": 1e-5, "random_state": 0} | change)
        ).fit(X, y)
    with pytest.raises(ValueError, match=words):
        support_vector_bound(model, X, y)


def test_compression_refuses_weights_of_rows():
    X, y = quarters(120, 0)
    weight = np.random.default_rng(0).uniform(0.5, 2, 120)
    model = ObliqueTreeClassifier(lam=1e-4, **AS_TRAINED, random_state=0).fit(X, y, weight)
    with pytest.raises(ValueError, match="sample_weight that varies"):
        support_vector_bound(model, X, y)
    model.fit(X, y, np.full(120, 3.0))
    assert support_vector_bound(model, X, y).terms["rows"] == 120


def test_a_prior_tree_needs_a_classifier_and_all_classes():
    X, y = quarters(200, 3)
    with pytest.raises(TypeError, match="model must be a fitted classifier"):
        prune_by_bound(three_leaves(), X, y, prior="tree")
    rare = np.arange(200) == 0
    model = HLSVMClassifier(random_state=0).fit(X, rare)
    with pytest.raises(ValueError, match="all 2 classes among the 10 rows of its prior"):
        prune_by_bound(model, X, rare, prior="tree", prior_fraction=0.05, random_state=1)
    with pytest.raises(ValueError, match="one label per row"):
        prune_by_bound(model, X, None)


def test_a_plane_of_zeros_sends_every_row_left():
    X, y = quarters(200, 3)
    for how in [how for how in WAYS.values() if "prior" not in how]:
        chosen = prune_by_bound(stump(w=(0.0, 0.0)), X, y, **how)
        assert 0.4 < chosen.bound.value <= 1


@pytest.mark.parametrize(
    ("nats", "delta", "word"), [({"a": 1.0}, 2.0, "delta"), ({"a": -5.0}, 0.05, "nats")]
)
def test_message_bound_names_the_argument(nats, delta, word):
    with pytest.raises(ValueError, match=f"'{word}' parameter of message_bound"):
        message_bound(0, 10, nats, delta=delta)


def test_voting_trees_are_refused(sample):
    data = datasets.load("wine", scale="minmax")
    voting = HLSVMClassifier(multiclass="ovo", random_state=0).fit(data.X, data.y)
    with pytest.raises(AttributeError, match="tree"):
        prune_by_bound(voting, data.X, data.y)


def test_bare_tree_is_bounded_too():
    X, y = quarters(500, 3)
    chosen = prune_by_bound(three_leaves(), X, y, **WAYS["gibbs"])
    assert chosen.bound.value < 1
    assert set(chosen.predict(X)) <= {0, 1}
