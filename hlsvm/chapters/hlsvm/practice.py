"""What a practitioner would pick instead of H-LSVM: models, what a decision costs, how it is made.

Multiply-adds of a decision: a hyperplane, a hidden unit and a support vector cost one for each
feature, a comparison in a tree one.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.kernel_approximation import Nystroem
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm.chapters.given_trees import given_tree

_LEAVES = 31  # of a tree of the boosting libraries


@dataclass(frozen=True)
class Rival:
    """A way to classify.

    Attributes
    ----------
    name : str
        In the table.
    method : str
        Whose colour and marker it takes.
    make : callable
        ``make(seed)`` returns an estimator.
    cost : callable
        ``cost(fitted, X)`` returns the mean multiply-adds of a decision; NaN where it cannot be
        told.
    package : str
        What must be installed beyond the requirements, or "".
    """

    name: str
    method: str
    make: Callable
    cost: Callable
    package: str = ""

    @property
    def missing(self) -> str:
        """Say what is not installed, or ""."""
        if self.package and importlib.util.find_spec(self.package) is None:
            return f"{self.package} is not installed"
        return ""


@dataclass(frozen=True)
class Settings:
    """Settings of the rivals on one data set.

    Attributes
    ----------
    C, C_linear, gamma : float
        Of the SVMs (Thesis Table 5.3).
    trees : dict
        Name of a form of H-LSVM to its settings.
    stumps, forest : int
        Stumps of AdaBoost, trees of the forest.
    skip : dict
        Name of a rival to why it does not run.
    """

    C: float
    C_linear: float
    gamma: float
    trees: dict[str, dict]
    stumps: int = 100
    forest: int = 100
    skip: dict[str, str] = field(default_factory=dict)


def _outputs(model) -> int:
    k = len(model.classes_)
    return 1 if k == 2 else k


def _depth(tree, X) -> float:
    return float(np.mean(np.asarray(tree.decision_path(X).sum(axis=1)) - 1))


def _forest(model, X) -> float:
    return sum(_depth(tree, X) for tree in model.estimators_)


def _boosted(model, X) -> float:
    """At least: the depth of balanced trees."""
    return model.n_iter_ * model.n_trees_per_iteration_ * np.log2(_LEAVES)


def _layers(model, X) -> float:
    return float(sum(weights.size for weights in model.coefs_))


def _nystroem(model, X) -> float:
    m, d = model[0].components_.shape
    return float(m * d + m * m + m * _outputs(model))


def _vectors(model, X) -> float:
    return float(model.support_vectors_.size)


def _linear(model, X) -> float:
    return float(model.coef_.size)


def _operations(model, X) -> float:
    return float(model.n_operations(X).mean())


def _unknown(model, X) -> float:
    return np.nan


def _nystroem_svm(settings: Settings, m: int, seed: int):
    """Nystroem features and a linear SVM."""
    features = Nystroem(gamma=settings.gamma, n_components=m, random_state=seed)
    return make_pipeline(features, LinearSVC(C=10.0, random_state=seed))


def _perceptron(units: int, seed: int, passes: int):
    return MLPClassifier((units,), max_iter=passes, random_state=seed)


def _optional(module: str, name: str, **options):
    return getattr(importlib.import_module(module), name)(**options)


class FromZero:
    """A classifier that wants the labels 0, 1, ..., given any; `raw` is the classifier itself."""

    def __init__(self, raw):
        self.raw = raw

    def fit(self, X, y):
        """Fit on the numbers of the classes."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.raw.fit(X, codes)
        return self

    def predict(self, X):
        """Return the classes."""
        return self.classes_[np.asarray(self.raw.predict(X), dtype=np.intp)]


def _given(options: dict, seed: int):
    return given_tree(random_state=seed, **options)


def rivals(settings: Settings, *, few: bool = False, passes: int = 40) -> list[Rival]:
    """Return the forms of H-LSVM and what it is compared with.

    `few` leaves only what takes no time on small data, `passes` limits those of the perceptrons.
    """
    ours = [
        Rival(name, "H-LSVM", partial(_given, options), _operations)
        for name, options in settings.trees.items()
    ]
    s = settings
    units = (8,) if few else (8, 32, 128)
    theirs = [
        Rival("CART", "CART", lambda seed: _cart(seed), _depth),
        Rival("Forest", "Random forest", lambda seed: _forest_of(s.forest, seed), _forest),
        Rival("LIBLINEAR", "Linear SVM", lambda seed: _liblinear(s.C_linear, seed), _linear),
        Rival(
            "LIBSVM", "RBF SVM", lambda seed: SVC(C=s.C, gamma=s.gamma, cache_size=1000), _vectors
        ),
        *(
            Rival(f"MLP {h}", "MLP", lambda seed, h=h: _perceptron(h, seed, passes), _layers)
            for h in units
        ),
    ]
    if few:
        return ours + theirs
    slow = [
        Rival(
            "AdaBoost",
            "AdaBoost",
            lambda seed: AdaBoostClassifier(n_estimators=s.stumps, random_state=seed),
            lambda model, X: 2.0 * len(model.estimators_),
        ),
        Rival(
            "Histogram boosting",
            "k-NN",
            lambda seed: HistGradientBoostingClassifier(random_state=seed),
            _boosted,
        ),
        *(
            Rival(
                f"Nystroem {m}",
                "Nystroem SVM",
                lambda seed, m=m: _nystroem_svm(s, m, seed),
                _nystroem,
            )
            for m in (30, 100)
        ),
    ]
    return ours + theirs + slow + _extras()


def _cart(seed):
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=5, random_state=seed)


def _forest_of(n, seed):
    return RandomForestClassifier(n, random_state=seed)


def _liblinear(C, seed):
    return LinearSVC(C=C, random_state=seed)


def _extras() -> list[Rival]:
    """Rivals of packages that need not be installed."""
    return [
        Rival(
            "LightGBM 20 x 31",
            "LightGBM",
            lambda seed: _optional(
                "lightgbm",
                "LGBMClassifier",
                n_estimators=20,
                num_leaves=_LEAVES,
                learning_rate=0.3,
                n_jobs=1,
                random_state=seed,
                verbose=-1,
            ),
            lambda model, X: model.booster_.num_trees() * float(np.log2(_LEAVES)),
            "lightgbm",
        ),
        Rival(
            "STree",
            "SVM-Trees",
            lambda seed: _optional(
                "stree",
                "Stree",
                C=100.0,
                kernel="liblinear",
                multiclass_strategy="ovr",
                random_state=seed,
            ),
            _unknown,
            "stree",
        ),
        Rival(
            "obliquetree",
            "Perceptron",
            lambda seed: FromZero(
                _optional(
                    "obliquetree",
                    "Classifier",
                    use_oblique=True,
                    n_pair=2,
                    min_samples_leaf=5,
                    random_state=seed,
                )
            ),
            _unknown,
            "obliquetree",
        ),
    ]
