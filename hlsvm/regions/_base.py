"""What the classifiers made of SVMs on parts of the data share: search, training, prediction."""

from __future__ import annotations

import warnings
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from hlsvm._data import check_classes, check_data
from hlsvm._holdout import draw_share
from hlsvm._params import (
    check_n_jobs,
    check_number,
    check_option,
    check_random_state,
    check_scale,
    check_tolerance,
)
from hlsvm.regions._grid import COSTS, GAMMAS, grid_values
from hlsvm.regions._grid_scores import GridScores
from hlsvm.regions._region_svm import Region, RegionSVM, Training, train_region_svm
from hlsvm.regions._search import Search, search

_ENTRIES = 1 << 23  # of a kernel block that are held at a time when rows are classified


class RegionSVC(ClassifierMixin, BaseEstimator):
    """Classifiers that give every part of a division its own SVMs. Subclasses say how to divide."""

    def __init__(
        self,
        C="grid",
        gamma="grid",
        *,
        ceiling_size=1500,
        climb=True,
        n_best=5,
        min_gain=0.005,
        multiclass="ovo",
        validation_size=0.2,
        refit=False,
        tol=1e-3,
        max_iter=10_000_000,
        cache_size=2000,
        n_jobs=None,
        random_state=None,
    ):
        self.C = C
        self.gamma = gamma
        self.ceiling_size = ceiling_size
        self.climb = climb
        self.n_best = n_best
        self.min_gain = min_gain
        self.multiclass = multiclass
        self.validation_size = validation_size
        self.refit = refit
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        check_number(self, "ceiling_size", self.ceiling_size, kind=Integral, low=2)
        check_number(self, "n_best", self.n_best, kind=Integral, low=1)
        check_number(self, "min_gain", self.min_gain, low=0, high=1)
        check_number(self, "validation_size", self.validation_size, low=0, high=1, closed="neither")
        check_tolerance(self, "tol", self.tol)
        check_number(self, "max_iter", self.max_iter, kind=Integral, low=1)
        check_scale(self, "cache_size", self.cache_size)
        check_option(self, "multiclass", self.multiclass, ("ovo", "ovr"))
        check_n_jobs(self, self.n_jobs)
        for name in ("climb", "refit"):
            check_option(self, name, getattr(self, name), (True, False))
        grid = grid_values(self, "gamma", self.gamma, GAMMAS), grid_values(self, "C", self.C, COSTS)
        training = Training(self.multiclass, float(self.tol), int(self.max_iter), self.cache_size)
        return grid, training

    def fit(self, X, y, *, validation=None):
        """Search ceiling, C and gamma, and train the SVMs of all parts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        validation : tuple (X_val, y_val), optional
            Rows to choose the parameters on; by default a share `validation_size` of the rows is
            held out for that. Not used where nothing is to be chosen.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter is out of range, X or y hold NaN or infinity, or y holds one class.
        """
        grid, training = self._check_params()
        random = check_random_state(self, self.random_state)
        X, y = check_data(self, X, y, dtype=np.float64, order="C")
        self.classes_, codes = check_classes(self, y)
        if validation is not None:
            validation = self._check_validation(validation)
        self._seed = int(random.randint(np.iinfo(np.int32).max))
        with threadpool_limits(1, user_api="blas"):
            self._fit(X, codes, validation, grid, training)
        self._warn_unless_converged()
        return self

    def _check_validation(self, validation):
        try:
            X_val, y_val = validation
        except (TypeError, ValueError):
            raise ValueError(
                f"validation must be a pair (X_val, y_val). Got {type(validation).__name__}."
            ) from None
        X_val = check_data("validation", X_val, dtype=np.float64, order="C")
        y_val = np.asarray(y_val)
        if X_val.shape[1] != self.n_features_in_ or y_val.shape != (len(X_val),):
            raise ValueError(
                f"validation must hold rows of {self.n_features_in_} features and a label for "
                f"each. Got shapes {X_val.shape} and {y_val.shape}."
            )
        place = np.searchsorted(self.classes_, y_val).clip(max=len(self.classes_) - 1)
        codes = np.where(self.classes_[place] == y_val, place, -1)
        if (codes < 0).all():
            raise ValueError(
                f"validation must hold labels of the training rows, {self.classes_[:5].tolist()} "
                f"...; a few others may be among them. Got {y_val[:5].tolist()} ..., none of them."
            )
        return X_val, codes

    def _fit(self, X, codes, validation, grid, training):
        fixed = len(grid[0]) == len(grid[1]) == 1 and not self.climb
        train, X_val, y_val = np.arange(len(codes)), None, None
        if fixed:
            self.C_, self.gamma_ = float(grid[1][0]), float(grid[0][0])
            self.ceiling_size_ = int(self.ceiling_size)
        else:
            if validation is None:
                rng = np.random.default_rng(self._seed)
                drawn = draw_share(codes, self.validation_size, rng)
                train, held = np.flatnonzero(~drawn), np.flatnonzero(drawn)
                held = held if len(held) else train  # too few rows to hold any out
                validation = X[held], codes[held]
            X_val, y_val = validation
            self._search(X[train], codes[train], X_val, y_val, grid, training)
        rows = X[train], codes[train]
        if self.refit and not fixed:
            known = y_val >= 0
            held_out = len(train) < len(codes)
            rows = (X, codes) if held_out else (
                np.concatenate([X, X_val[known]]), np.concatenate([codes, y_val[known]])
            )  # fmt: skip
        self._train(*rows, grid[1], training)

    def _search(self, X, codes, X_val, y_val, grid, training):
        first = self._divide(X, codes, int(self.ceiling_size))

        def scores_at(sigma):
            division = first if sigma == self.ceiling_size else first.at_ceiling(sigma)
            scores = GridScores(X, codes, X_val, y_val, division, grid, training, self.n_jobs)
            return len(division.parts), scores

        options = Search(int(self.ceiling_size), int(self.n_best), self.min_gain, self.climb)
        result = search(scores_at, len(codes), options)
        self.ceiling_size_, self.C_, self.gamma_ = result.ceiling_size, result.C, result.gamma
        self.validation_accuracy_ = result.accuracy
        self.search_ = {
            name: np.array([row[name] for row in result.rows]) for name in result.rows[0]
        }
        self.search_seconds_ = result.seconds

    def _train(self, X, codes, costs, training):
        division = self._divide(X, codes, self.ceiling_size_)
        regions = [Region.of(part, codes) for part in division.parts]
        mixed = [region for region in regions if len(region.classes) > 1]
        trained = iter(
            Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(train_region_svm)(X, region, self.gamma_, self.C_, costs, training)
                for region in mixed
            )
        )
        self.division_ = division
        self.labels_ = np.array([region.classes[0] for region in regions])
        alone = [len(region.rows) for region in regions if len(region.classes) == 1]
        self.homogeneous_share_ = sum(alone) / len(codes)
        self._keep([next(trained) if len(region.classes) > 1 else None for region in regions])

    def _keep(self, machines):
        self.machines_ = machines
        present = [machine for machine in machines if machine is not None]
        self.certificates_ = tuple(proof for machine in present for proof in machine.certificates)
        self.n_iter_ = max(1, sum(proof.n_iter for proof in self.certificates_))
        self.n_support_total_ = sum(machine.n_support for machine in present)

    def _warn_unless_converged(self):
        asked = (proof for proof in self.certificates_ if proof.reason != "passes")
        worst = max(asked, key=lambda proof: proof.violation, default=None)
        if worst is not None and not worst.converged:
            warnings.warn(
                f"An SVM of a part stopped ({worst.reason}) at a violation of "
                f"{worst.violation:.2g} (tol={self.tol:g}, max_iter={self.max_iter}). "
                "Increase max_iter or tol, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _locate(self, X):
        check_is_fitted(self)
        X = check_data(self, X, dtype=np.float64, order="C", reset=False)
        return X, self.division_.locate(X)

    def _part_scores(self, X, machine: RegionSVM, label):
        """Score of every class of the data for rows of one part."""
        k = len(self.classes_)
        if machine is None:
            scores = np.full((len(X), k), 0.0 if self.multiclass == "ovo" and k > 2 else -1.0)
            scores[:, label] = 1.0
            return scores
        part_scores = np.empty((len(X), len(machine.classes)))
        step = max(1, _ENTRIES // max(1, len(machine.vectors)))
        for start in range(0, len(X), step):
            part_scores[start : start + step] = machine.scores(X[start : start + step])
        if k > 2 and self.multiclass == "ovo" and len(machine.classes) == 2:
            part_scores = (part_scores == part_scores.max(axis=1, keepdims=True)).astype(float)
            part_scores[:, 1] -= part_scores[:, 0] * part_scores[:, 1]
        scores = np.zeros((len(X), k))
        if self.multiclass == "ovr":
            scores += part_scores.min(axis=1, keepdims=True) - 1.0
        scores[:, machine.classes] = part_scores
        return scores

    def _scores(self, X):
        X, place = self._locate(X)
        order = np.argsort(place, kind="stable")
        parts, begin = np.unique(place[order], return_index=True)
        rows = np.split(order, begin[1:])
        with threadpool_limits(1, user_api="blas"):
            result = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._part_scores)(X[members], self.machines_[part], self.labels_[part])
                for part, members in zip(parts, rows, strict=True)
            )
        scores = np.empty((len(X), len(self.classes_)))
        for members, block in zip(rows, result, strict=True):
            scores[members] = block
        return scores

    def decision_function(self, X):
        """Score rows by the SVMs of their part.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: the decision, positive for ``classes_[1]``; -1 or +1 where the part has
            one label. More: votes ("ovo") or decisions ("ovr") for each class; classes that the
            part has not seen come last.
        """
        scores = self._scores(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X):
        """Classify rows by the SVMs of their part, or by its label where it has one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        winners = self._scores(X).argmax(axis=1)
        return self.classes_[winners]

    def n_support_evaluated(self, X):
        """Support vectors met by every row (NESV): those of its part, summed over its SVMs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        _, place = self._locate(X)
        met = [0 if machine is None else machine.n_support for machine in self.machines_]
        return np.array(met, dtype=np.int64)[place]
