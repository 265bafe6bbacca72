"""The tree that descends on its bound, as a classifier."""

import warnings

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from hlsvm import HLSVMClassifier
from hlsvm.bounds import DescendedTreeClassifier
from tests.bounds.helpers import quarters


def test_check_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(DescendedTreeClassifier(n_steps=5), on_fail=None, on_skip=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


def test_it_is_smaller_and_no_worse_than_the_tree_it_came_from():
    X, y = quarters(1500, 0, noise=0.1)
    fresh, truth = quarters(4000, 1)
    grown = HLSVMClassifier(random_state=0).fit(X, y)
    tree = DescendedTreeClassifier(random_state=0).fit(X, y)
    assert tree.get_n_leaves() < grown.get_n_leaves()
    assert tree.score(fresh, truth) >= grown.score(fresh, truth)
    again = DescendedTreeClassifier(random_state=0).fit(X, y)
    assert (again.predict_proba(fresh) == tree.predict_proba(fresh)).all()


def test_three_classes_and_few_rows():
    X, _ = quarters(600, 0)
    y = np.where(X[:, 0] > 0, "a", np.where(X[:, 1] > 0, "b", "c"))
    assert DescendedTreeClassifier(random_state=0).fit(X, y).score(X, y) > 0.9
    few = DescendedTreeClassifier(random_state=0).fit(X[:12], y[:12])
    assert set(few.predict(X)) <= {"a", "b", "c"}


@pytest.mark.parametrize(
    "options", [{"lam": 0}, {"prior_fraction": 1}, {"max_leaves": 0}, {"n_steps": 1.5}]
)
def test_settings_that_are_refused(options):
    X, y = quarters(50, 0)
    with pytest.raises((TypeError, ValueError), match="DescendedTreeClassifier"):
        DescendedTreeClassifier(**options).fit(X, y)
