"""What the classifiers grown by hyperplanes share: how their parameters become a forest."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral

import numpy as np

from hlsvm._params import check_n_jobs, check_number, check_option, check_tolerance
from hlsvm.trees._base import TreeClassifier
from hlsvm.trees._certificates import read_certificates
from hlsvm.trees._choose_lam import PARTS, ceiling, choose_lam
from hlsvm.trees._fit_tree import Jobs, fit_forest
from hlsvm.trees._samples import SplitOptions


class GrownClassifier(TreeClassifier):
    """Base of `HLSVMClassifier`, `ObliqueTreeClassifier` and `ObliqueForestClassifier`."""

    _pruned_by: tuple = ()  # values of `prune_fraction` beside numbers

    def _check_params(self) -> None:
        def number(name, **limits):
            check_number(self, name, getattr(self, name), **limits)

        number("prune_fraction", low=0, high=1, closed="left", options=self._pruned_by)
        number("min_fraction", low=0, high=1, options=(None,))
        number("max_depth", kind=Integral, low=0, closed="left", options=(None,))
        check_tolerance(self, "tol", self.tol, zero=True)
        number("max_iter", kind=Integral, low=1, high=10**9, options=(None,))
        check_n_jobs(self, self.n_jobs)
        check_option(self, "loss_scale", self.loss_scale, ("mean", "sum"))
        if hasattr(self, "multiclass"):
            check_option(self, "multiclass", self.multiclass, ("native", "ovo"))

    @abstractmethod
    def _split_options(self, lam: float) -> SplitOptions:
        """How a node is split."""

    def _limits(self) -> dict:
        """Arguments of `fit_forest` beyond the splits."""
        return {
            "prune_fraction": float(self.prune_fraction or 0.0),
            "min_fraction": self.min_fraction,
            "max_depth": self.max_depth,
            "pairwise": getattr(self, "multiclass", "native") == "ovo",
        }

    def _choose_lam(self, samples, rows, seed, jobs) -> float:
        """Regularisation as given, or chosen by cross-validation."""
        self.__dict__.pop("tuning_", None)
        if self.lam == "path":
            return PARTS[0] * ceiling(samples, rows, samples.count(rows), self.loss_scale)
        if self.lam != "auto":
            return 1e-5 if self.lam is None else self.lam

        def build(part, lam, path):
            options = self._split_options(lam)
            return fit_forest(samples, part, options, path, self.classes_, **self._limits())[0]

        lam, self.tuning_ = choose_lam(samples, rows, self.loss_scale, build, seed, jobs)
        return lam

    def _build(self, samples, rows, seed):
        title = type(self).__name__ if getattr(self, "verbose", False) else None
        jobs = Jobs(self.n_jobs, title)
        self.lam_ = self._choose_lam(samples, rows, seed, jobs)
        options = self._split_options(float(self.lam_))
        limits = self._limits()
        forest, fitted = fit_forest(samples, rows, options, seed, self.classes_, jobs, **limits)
        return self._keep(forest, fitted)

    def _keep(self, forest, fitted):
        """Set the fitted attributes of the trees; the forest and whether solvers converged."""
        self.certificates_ = read_certificates(np.concatenate([t.certificates for t in fitted]))
        self.pruning_paths_ = [part.pruning for part in fitted if part.pruning is not None]
        self.refinements_ = [part.refinement for part in fitted if part.refinement is not None]
        return forest, [done for part in fitted for done in part.converged]
