"""What the oblique tree and the forest share: checks, rows brought to scale, settings chosen."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from hlsvm._data import check_data
from hlsvm._params import check_number, check_option, check_scale
from hlsvm.trees._choose_forest import choose_forest, sharpness_left_out
from hlsvm.trees._choose_settings import Choice, Contest, choose_settings, grid
from hlsvm.trees._encoding import categories_of, category_columns, learn, numbered
from hlsvm.trees._fit_tree import Jobs, fit_forest
from hlsvm.trees._folds import keys_of
from hlsvm.trees._forest import Forest
from hlsvm.trees._forms import finish, fit_form
from hlsvm.trees._grown import GrownClassifier
from hlsvm.trees._samples import SplitOptions
from hlsvm.trees._seeds import child_seed
from hlsvm.trees._standardize import folded, standardized

# What `check_data` lets pass.
_ACCEPTED = {
    "dtype": [np.float64, np.float32],
    "order": "C",
    "accept_sparse": "csr",
    "ensure_all_finite": "allow-nan",
}


class _Encoded(GrownClassifier):
    """Rows with gaps (NaN), categories, or in sparse form, where nothing is read from disk."""

    def _take(self, X, y):
        for name in ("_categories", "_encoder"):
            self.__dict__.pop(name, None)
        if self.memory_budget is not None:
            return super()._take(X, y)
        columns = category_columns(X, self.categorical_features) if hasattr(X, "shape") else []
        self._categories = categories_of(X, columns)
        return check_data(self, numbered(X, self._categories), y, **_ACCEPTED)

    def _encode_first(self, X, codes, weight):
        if self.memory_budget is not None:
            return X
        X = np.ascontiguousarray(X.toarray() if issparse(X) else X)
        sizes = {column: len(table) for column, table in self._categories.items()}
        self._encoder = learn(X, codes, weight, len(self.classes_), sizes)
        return np.ascontiguousarray(self._encoder.encode(X))

    def _read(self, X):
        check_is_fitted(self)
        if self.memory_budget is not None:
            return super()._read(X)
        if self._categories and len(np.shape(X)) == 2 and np.shape(X)[1] == self.n_features_in_:
            X = numbered(X, self._categories)
        options = _ACCEPTED if self._encoder.gaps else _ACCEPTED | {"ensure_all_finite": True}
        X = check_data(self, X, reset=False, **options)
        X = X.toarray() if issparse(X) else X
        return np.ascontiguousarray(self._encoder.encode(X))

    def encode(self, X) -> NDArray:
        """Rows as the trees take them: gaps filled, categories ranked, zeros written out.

        Integer trees and `explain` take rows of this kind, other exports rows as given. Where the
        fit met neither gaps nor categories these are the rows as they are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            n_columns is n_features, and one for every feature whose gaps tell of the class.
        """
        return self._read(X)

    def _names(self):
        names = super()._names()
        if names is None or self.memory_budget is not None:
            return names
        return [*names, *(f"{names[column]} is missing" for column in self._encoder.telling)]

    def _bind(self):
        one = super()._bind()
        if self.memory_budget is not None or self._encoder.is_idle:
            return one
        import pandas as pd  # for a row of a table with names

        names = super()._names()

        def predict_one(x):
            row = pd.DataFrame([list(x)], columns=names) if names is not None else [list(x)]
            return one(self._read(row if names is not None else np.array(row, dtype=object))[0])

        return predict_one

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = self.memory_budget is None
        tags.input_tags.categorical = self.categorical_features is not None
        return tags


class Oblique(_Encoded):
    """Parameters that one tree and several have in common."""

    _pruned_by = (None,)  # chosen on held-out rows

    def _keep_parameters(self, given: dict) -> None:
        """Set the arguments of `__init__` as attributes."""
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def _check_params(self) -> None:
        super()._check_params()

        def number(name, **limits):
            check_number(self, name, getattr(self, name), **limits)

        check_scale(self, "lam", self.lam, options=(None, "auto", "path"))
        number("shrinkage", low=0, closed="left", options=(None,))
        number("refine", kind=Integral, low=0, high=10_000, options=(None,))
        check_scale(self, "refine_lam", self.refine_lam, options=(None,))
        number("memory_budget", kind=Integral, low=1, closed="left", options=(None,))
        check_option(self, "split", self.split, (None, "svm", "axis", "best"))
        check_option(self, "standardize", self.standardize, (None, False, True))
        check_option(self, "bias", self.bias, ("auto", "svm", "gain"))
        check_option(self, "verbose", self.verbose, (False, True, 0, 1))

    def _split_options(self, lam: float) -> SplitOptions:
        return SplitOptions(
            lam=lam,
            loss_scale=self.loss_scale,
            bias=self.bias,
            tol=float(self.tol),
            max_iter=int(100 if self.max_iter is None else self.max_iter),
            split="svm" if self.split is None else self.split,
            path=self.lam == "path",
            refine_lam=None if self.refine_lam is None else float(self.refine_lam),
        )

    def _limits(self) -> dict:
        shrinkage, refine = self.shrinkage or 0.0, self.refine or 0
        return super()._limits() | {"shrinkage": float(shrinkage), "refine": int(refine)}

    def _chooses(self) -> bool:
        """Whether settings are chosen from the training rows."""
        return self.lam is None and self.memory_budget is None

    def _choice(self, views, rows, seed, jobs, keys) -> Choice:
        """Choose the settings of a tree of some rows, or of each tree of a forest."""
        prune = self.prune_fraction is None
        savings, strengths = grid(self.shrinkage, prune)
        given = {"min_fraction": self.min_fraction, "max_depth": self.max_depth, "keys": keys}
        options = self._split_options(1.0)
        if getattr(self, "n_trees", 1) > 1:
            return choose_forest(
                views, rows, options, seed, jobs,
                split=self.split, refine=self.refine, shrinkage=self.shrinkage, **given,
            )  # fmt: skip
        contest = Contest(
            views, rows, options, seed, jobs, savings=savings, strengths=strengths, **given
        )
        return choose_settings(contest, self.split, self.refine)

    def _views(self, samples, rows) -> dict:
        """Rows brought to scale, with what undoes it, by whether every variance is one."""
        kinds = {None: (True, False), True: (True,), False: (False,)}[self.standardize]
        return {kind: standardized(samples, rows, each=kind) for kind in kinds}

    def _build(self, samples, rows, seed):
        for name in ("choices_", "tuning_"):
            self.__dict__.pop(name, None)
        if self._chooses():
            return self._build_chosen(samples, rows, seed)
        if not self.standardize:
            return super()._build(samples, rows, seed)
        samples, mean, scale = standardized(samples, rows)
        forest, converged = super()._build(samples, rows, seed)
        trees = [folded(tree, mean, scale) for tree in forest.trees]
        return Forest(forest.kind, forest.classes, trees), converged

    def _build_chosen(self, samples, rows, seed):
        jobs = Jobs(self.n_jobs, type(self).__name__ if self.verbose else None)
        n_trees = int(getattr(self, "n_trees", 1))
        pairwise = self._limits()["pairwise"] and samples.n_classes > 2
        keys = keys_of(samples, seed)
        scaled = self._views(samples, rows)
        views = {kind: view[0] for kind, view in scaled.items()}
        choices = {}
        if not pairwise:
            choices[None] = self._choice(views, rows, seed, jobs, keys)

        def fit(part, inside, options, path, **threads):
            choice = choices.get(None)
            if choice is None:
                parts = {kind: part.like(view) for kind, view in views.items()}
                choice = choices[path] = self._choice(parts, inside, path, Jobs(), keys)
            limits = {"min_fraction": self.min_fraction, "max_depth": self.max_depth}
            view = part.like(views[choice.form.standardized])
            fitted = fit_form(view, inside, options, choice.form, path, **limits, **threads)
            fitted = finish(fitted, choice.saving, choice.shrinkage, choice.power)
            fitted.tree = folded(fitted.tree, *scaled[choice.form.standardized][1:])
            return fitted

        options = self._split_options(1.0)
        forest, fitted = fit_forest(
            samples, rows, options, seed, self.classes_, jobs,
            n_trees=n_trees, pairwise=pairwise, fit=fit,
        )  # fmt: skip
        paths = [child_seed(seed, k) for k in range(len(fitted))] if pairwise else [None]
        self.choices_ = [choices[path] for path in paths]
        if n_trees > 1:
            power = sharpness_left_out(samples, rows, seed, forest.trees)
            self.choices_ = [replace(self.choices_[0], power=power)]
            trees = [tree.shrink(tree.shrinkage, power) for tree in forest.trees]
            forest = Forest(forest.kind, forest.classes, trees)
        square = float(np.average(samples.norms[rows], weights=samples.weight[rows]))
        self.lam_ = self.choices_[0].form.part * square
        return self._keep(forest, fitted)[0], []  # held-out rows judged them as they are
