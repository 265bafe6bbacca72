import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

import hlsvm
from hlsvm.select import (
    CFS,
    CMIM,
    JMI,
    MRMR,
    QPFS,
    RFESVM,
    MaxRel,
    RandomSelector,
    ReliefF,
    StabilitySelector,
    StreamwiseSelector,
)

PUBLIC = [QPFS, MaxRel, MRMR, JMI, CMIM, ReliefF, CFS, StreamwiseSelector]
ALL = [*PUBLIC, RFESVM, RandomSelector]
INFORMED = [QPFS, MaxRel, MRMR, JMI, CMIM, CFS]


@pytest.mark.parametrize(
    "selector",
    [
        *(kind() for kind in ALL),
        MRMR(scheme="MIQ", n_ranked=1, similarity="pearson"),
        QPFS("support", similarity="pearson", eigenvalue_floor=0.0),
        QPFS(nystrom=0.6, random_state=0),
        QPFS(program="subspace", similarity="pearson"),
        StabilitySelector(n_pairs=2),
        StabilitySelector(ReliefF(), fdr=0.9, n_pairs=2, n_jobs=2),
    ],
    ids=repr,
)
def test_check_estimator(selector):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed = [
            (result["check_name"], result["exception"])
            for result in check_estimator(selector, on_fail=None)
            if result["status"] == "failed"
        ]
    assert not failed


@pytest.mark.parametrize("kind", ALL)
def test_ranking_is_a_permutation_of_all_features(kind):
    X, y = load_wine(return_X_y=True)
    seed = {"random_state": 0} if "random_state" in kind().get_params() else {}
    result = kind(n_features_to_select=4, **seed).fit(X, y)
    if kind in PUBLIC:
        assert getattr(hlsvm, kind.__name__) is kind
    assert np.array_equal(np.sort(result.ranking_), np.arange(13))
    assert np.array_equal(result.get_support(indices=True), np.sort(result.ranking_[:4]))
    assert result.scores_.shape == (13,)
    assert kind(0.3).fit(X, y).get_support().sum() == 4
    assert kind(None).fit(X, y).get_support().sum() == 6
    again = clone(result).fit(X, y)
    assert np.array_equal(result.ranking_, again.ranking_)


@pytest.mark.parametrize("kind", [*INFORMED, ReliefF])  # the sixth takes features as they come
def test_the_order_of_the_features_does_not_matter(kind):
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(X.shape[1])
    straight, shuffled = kind().fit(X, y), kind().fit(X[:, order], y)
    assert np.array_equal(straight.ranking_, order[shuffled.ranking_])
    np.testing.assert_allclose(straight.scores_[order], shuffled.scores_, atol=1e-7)


@pytest.mark.parametrize("kind", INFORMED)
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_answer_does_not_depend_on_n_jobs(kind, n_jobs):
    X, y = load_breast_cancer(return_X_y=True)
    params = {"similarity": "mi"} if "similarity" in kind().get_params() else {}
    one = kind(**params).fit(X, y)
    many = kind(**params, n_jobs=n_jobs).fit(X, y)
    assert np.array_equal(one.scores_, many.scores_)
    assert np.array_equal(one.ranking_, many.ranking_)


def test_frames_names_pipelines_and_searches():
    X, y = load_wine(return_X_y=True, as_frame=True)
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    result = QPFS(3).set_output(transform="pandas").fit(X, names)
    assert isinstance(result.transform(X), pd.DataFrame)
    assert list(result.get_feature_names_out()) == list(X.columns[result.get_support()])
    steps = make_pipeline(QPFS(), SVC(kernel="linear"))
    search = GridSearchCV(steps, {"qpfs__n_features_to_select": [2, 6]}, cv=3)
    assert search.fit(X, names).best_score_ > 0.8


@pytest.mark.parametrize("kind", ALL)
def test_degenerate_data_are_served(kind):
    rng = np.random.default_rng(0)
    y = np.array([0, 1] * 10)
    same = np.tile(rng.normal(size=(20, 1)), (1, 5))
    constant = np.column_stack([np.ones(20), y + 0.1 * rng.normal(size=20), np.zeros(20)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X in (same, constant, constant[:, :1], constant[:, 1:2]):
            result = kind(1).fit(X, y)
            assert np.isfinite(result.scores_).all() or kind is ReliefF
        assert kind(1).fit(constant, y).ranking_[0] == 1 or kind is RandomSelector
        assert kind(1).fit(constant[:2], y[:2]).ranking_.shape == (3,)  # one sample a class


@pytest.mark.parametrize("kind", ALL)
def test_bad_data_are_refused(kind):
    X, y = load_wine(return_X_y=True)
    hole = X.copy()
    hole[3, 1] = np.nan
    for bad in (hole, np.where(np.isnan(hole), np.inf, hole)):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            kind().fit(bad, y)
    with pytest.raises(ValueError, match="at least two classes"):
        kind().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kind().fit(X, y[:-1])
    with pytest.raises(ValueError, match="Unknown label type"):
        kind().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="must be an array of finite real numbers"):
        kind().fit(np.full((5, 2), "a"), [0, 1, 0, 1, 0])
    with pytest.raises(ValueError, match="0 sample"):
        kind().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match=r"X has 12 features, but \w+ is expecting 13"):
        kind().fit(X, y).transform(X[:, 1:])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("wanted", "error"),
    [(0, ValueError), (14, ValueError), (0.0, ValueError), (1.5, ValueError), ("all", TypeError),
     (np.nan, ValueError), (True, TypeError)],
)  # fmt: skip
def test_bad_numbers_of_features_are_refused(kind, wanted, error):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(error, match="'n_features_to_select' parameter of"):
        kind(n_features_to_select=wanted).fit(X, y)


@pytest.mark.parametrize(
    ("selector", "argument"),
    [
        (QPFS(alpha=1.1), "alpha"),
        (QPFS(alpha=-0.1), "alpha"),
        (QPFS(alpha="best"), "alpha"),
        (QPFS(nystrom=0), "nystrom"),
        (QPFS(nystrom=1.01), "nystrom"),
        (QPFS(sampling="greedy"), "sampling"),
        (QPFS(program="dual"), "program"),
        (QPFS(eigenvalue_floor=-1.0), "eigenvalue_floor"),
        (QPFS(tol=0), "tol"),
        (QPFS(binary=1), "binary"),
        (QPFS("support", binary=True), "n_features_to_select"),
        (QPFS(similarity="cosine"), "similarity"),
        (QPFS(n_bins=4), "n_bins"),
        (QPFS(n_bins=1), "n_bins"),
        (QPFS(n_bins=3.0), "n_bins"),
        (MaxRel(n_bins=257), "n_bins"),
        (MRMR(span=0), "span"),
        (MRMR(scheme="mid"), "scheme"),
        (MRMR(n_ranked=0), "n_ranked"),
        (JMI(n_ranked=0), "n_ranked"),
        (CMIM(n_bins=4), "n_bins"),
        (MaxRel("support"), "n_features_to_select"),
        (ReliefF(n_neighbors=0), "n_neighbors"),
        (ReliefF(form="sum"), "form"),
        (ReliefF(scale="range"), "scale"),
        (CFS(max_stale=0), "max_stale"),
        (StreamwiseSelector(wealth=0), "wealth"),
        (StreamwiseSelector(payout=-1), "payout"),
        (RFESVM(C=0), "C"),
        (RFESVM(step=1.0), "step"),
        (RFESVM(step=0), "step"),
        (RFESVM(scale=1), "scale"),
        (RFESVM(tol=0), "tol"),
    ],
    ids=repr,
)
def test_bad_parameters_are_named(selector, argument):
    X, y = load_wine(return_X_y=True)
    with pytest.raises((ValueError, TypeError), match=f"'{argument}' parameter of"):
        selector.fit(X, y)
