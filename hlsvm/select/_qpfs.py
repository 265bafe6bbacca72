"""Quadratic Programming Feature Selection (Thesis chapter 3)."""

from __future__ import annotations

import warnings
from numbers import Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hlsvm._params import check_number, check_option, check_random_state, check_tolerance
from hlsvm.select._base import order_by
from hlsvm.select._binary import binary_subset
from hlsvm.select._filters import SimilaritySelector
from hlsvm.select._nystrom import lifted, nystrom, sample_rows, truncated
from hlsvm.select._similarity import SimilarityPart
from hlsvm.select._simplex_qp import simplex_qp
from hlsvm.select._subspace_qp import subspace_qp

_TINY = 1e-9  # eigenvalues below this share of the number of features count as zero
_INDEFINITE = 1e-6  # negative eigenvalues up to this share of the diagonal are rounding


def alpha_hat(redundancy, relevance):
    """Return the alpha of balanced terms, q / (q + f) (Thesis Eq. 3.7); 1/2 where both are 0.

    Parameters
    ----------
    redundancy, relevance : float
        Means of Q (Eq. 3.5) and F (Eq. 3.6).

    Examples
    --------
    >>> round(alpha_hat(0.0188, 0.0861), 3)
    0.179
    """
    check_number("alpha_hat", "redundancy", redundancy)
    check_number("alpha_hat", "relevance", relevance)
    total = redundancy + relevance
    return redundancy / total if total > 0 else 0.5


class QPFS(SimilaritySelector):
    """Quadratic Programming Feature Selection (Thesis chapter 3), exact or with Nystrom.

    Weights w solve

        min 1/2 (1 - alpha) w'Qw - alpha F'w,   w >= 0, sum w = 1          (Thesis Eq. 3.4)

    with Q the similarity of the features (redundancy) and F their similarity with the class
    (relevance). Features are ranked by weight, equal ones by relevance.

    Parameters
    ----------
    n_features_to_select : int, float, "support" or None, default=None
        How many to keep, or which share of them; "support": those of positive weight, the closed
        subset that Thesis 7.1 asks for; None: half.
    similarity : {"mi", "pearson"} or callable, default="mi"
        See `hlsvm.select.similarity_of`; with a function, `X` must be dense.
    alpha : "auto" or float in [0, 1], default="auto"
        Weight of relevance. "auto" is Eq. 3.7, and Eq. 3.11 with `nystrom`.
    nystrom : float in (0, 1] or None, default=None
        Share p of the rows of Q to sample; None: exact.
    sampling : {"uniform", "diagonal", "column-norm"}, default="uniform"
        How rows are sampled (App. B.1).
    program : {"auto", "simplex", "subspace"}, default="auto"
        "simplex" minimises over all w of Eq. 3.4. "subspace" restricts w to the span of the
        eigenvectors kept, Eq. 3.9: the published method, not equivalent to the former (erratum
        E11). "auto" takes "simplex" when exact, "subspace" with `nystrom`.
    eigenvalue_floor : float or None, default=None
        delta. "simplex": eigenvalues of Q below it are raised to it (None: Q as it is, see
        Notes). "subspace": eigenvalues not above it are dropped (None: those that are 0 to
        rounding). Needs all of Q, and M^3 work, except with `nystrom`.
    binary : bool, default=False
        Choose exactly `n_features_to_select` features by the 0-1 form of the program (Thesis 7.1)
        instead of the largest weights. Needs all of Q.
    n_bins : odd int or None, default=3
        Segments of the discretisation for "mi"; None: every distinct value is a level.
    span : float, default=6.0
        Standard deviations that the segments cover together.
    tol : float, default=1e-9
        Relative duality gap to reach.
    n_jobs : int or None, default=None
        Threads of the similarity; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the rows of `nystrom`.

    Attributes
    ----------
    weights_, scores_ : array of shape (n_features,)
        w.
    ranking_ : int array of shape (n_features,)
        Features, best first.
    alpha_ : float
    relevance_ : array of shape (n_features,)
        F.
    redundancy_mean_ : float
        Mean of Q, or of the rows sampled; NaN where a given alpha made it unnecessary.
    sample_ : int array
        Rows sampled (only with `nystrom`).
    certificates_ : tuple of Certificate
        What proves the weights: a `SimplexSolution` or `SubspaceSolution`, and with `binary` the
        `BinarySubset` after it.

    Notes
    -----
    Q need not be positive semidefinite, though the Thesis assumes it (erratum E12): with |rho| on
    microarrays it is far from it. The solver lowers the objective in each step and ends in a KKT
    point in any case; a `ConvergenceWarning` and ``certificates_[0].curvature < 0`` tell that its
    optimality is local. Give `eigenvalue_floor` = 0 for the convex neighbour of the problem.

    Constant features hold no information: they get weight 0 and come last. They count in the
    means of Eq. 3.5 and 3.6, as printed.

    Columns of Q are computed as features enter the support. With alpha given that is all of the
    matrix that is ever computed; "auto" passes over all M^2 entries once, to add them up.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = QPFS("support").fit(X, y)
    >>> selector.ranking_[:3], round(selector.alpha_, 2)
    (array([12, 11,  6]), 0.36)
    >>> selector.certificates_[0].relative_gap <= 1e-9
    True
    """

    _closed = True

    def __init__(
        self,
        n_features_to_select=None,
        *,
        similarity="mi",
        alpha="auto",
        nystrom=None,
        sampling="uniform",
        program="auto",
        eigenvalue_floor=None,
        binary=False,
        n_bins=3,
        span=6.0,
        tol=1e-9,
        n_jobs=None,
        random_state=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.alpha = alpha
        self.nystrom = nystrom
        self.sampling = sampling
        self.program = program
        self.eigenvalue_floor = eigenvalue_floor
        self.binary = binary
        self.n_bins = n_bins
        self.span = span
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        check_number(self, "alpha", self.alpha, low=0, high=1, options=("auto",))
        check_number(self, "nystrom", self.nystrom, low=0, high=1, closed="right", options=(None,))
        check_option(self, "sampling", self.sampling, ("uniform", "diagonal", "column-norm"))
        check_option(self, "program", self.program, ("auto", "simplex", "subspace"))
        check_number(self, "eigenvalue_floor", self.eigenvalue_floor, low=0, options=(None,))
        check_option(self, "binary", self.binary, (False, True))
        check_tolerance(self, "tol", self.tol)
        if self.binary and not isinstance(self.n_features_to_select, Real):
            raise ValueError(
                f"The 'n_features_to_select' parameter of QPFS must be a number with binary=True. "
                f"Got {self.n_features_to_select!r} instead."
            )

    def _rank(self, X, codes):
        similarity = self._similarity(X)
        vars(self).pop("sample_", None)  # of an earlier fit
        self.relevance_ = np.asarray(similarity.relevance(codes), dtype=np.float64)
        informative = np.flatnonzero(similarity.diagonal() > 0)
        if callable(self.similarity) or len(informative) == 0:
            informative = np.arange(similarity.n_features)
        part = SimilarityPart(similarity, informative)
        self.program_ = self.program
        if self.program == "auto":
            self.program_ = "simplex" if self.nystrom is None else "subspace"
        block = None if self.nystrom is None else self._sampled(part)
        self.alpha_ = self._balance(similarity, part, block)
        F = self.relevance_[informative]
        if block is None:
            result = self._exact(part, F)
        else:
            floor = self._floor(len(informative))
            result = self._low_rank(nystrom(block, part.position(self.sample_), floor), F)
        self.certificates_ = (result,)
        self._warn_if_indefinite(getattr(result, "curvature", 0.0))
        self.weights_ = np.zeros(similarity.n_features)
        self.weights_[informative] = result.weights
        self.scores_ = self.weights_
        order = order_by(self.weights_, similarity.diagonal() > 0, self.relevance_)
        return self._binary(part, order) if self.binary else order

    def _warn_if_indefinite(self, curvature):
        if curvature < -_INDEFINITE:
            warnings.warn(
                f"The similarity is not positive semidefinite (an eigenvalue of {curvature:.2g} "
                "among the features that entered). The program was solved as it is: the "
                "weights are a local optimum. eigenvalue_floor=0 raises negative eigenvalues to 0.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _closed_size(self):
        return int(np.count_nonzero(self.weights_))

    def _floor(self, size):
        return _TINY * size if self.eigenvalue_floor is None else self.eigenvalue_floor

    def _sampled(self, part):
        """Rows of Q for Nystrom: how many, which, and their values on the informative features."""
        size = max(1, round(self.nystrom * part.n_features))
        rng = check_random_state(self, self.random_state)
        sample = sample_rows(part, size, self.sampling, rng)
        self.sample_ = part.features[sample]
        return part.rows(sample)

    def _balance(self, similarity, part, block):
        """Alpha: as given, or from the means of Q and F over all features, constant ones too."""
        if self.alpha != "auto":
            self.redundancy_mean_ = np.nan
            return float(self.alpha)
        if block is None:
            self.redundancy_mean_ = similarity.mean()
        else:  # Eq. 3.11; the rows and columns of constant features are zero
            informative_mean = float(block.mean(dtype=np.float64))
            share = part.n_features / similarity.n_features
            self.redundancy_mean_ = informative_mean * share**2
        result = alpha_hat(self.redundancy_mean_, float(self.relevance_.mean()))
        if not 0 <= result <= 1:
            raise ValueError(
                f"alpha='auto' (Eq. 3.7) of QPFS needs a 'similarity' whose means of redundancy "
                f"and relevance are not negative. Got {self.redundancy_mean_:.3g} and "
                f"{self.relevance_.mean():.3g}; give 'alpha' a number in [0, 1]."
            )
        return result

    def _exact(self, part, F):
        linear, weight = self.alpha_ * F, 1.0 - self.alpha_
        if self.program_ == "subspace":
            return self._low_rank(truncated(part.matrix(), self._floor(len(F))), F)
        rows = part.rows
        if self.eigenvalue_floor is not None:
            rows = lifted(part.matrix(), self.eigenvalue_floor)
        return simplex_qp(rows, linear, weight=weight, tol=self.tol)

    def _low_rank(self, low_rank, F):
        linear, weight = self.alpha_ * F, 1.0 - self.alpha_
        if self.program_ == "subspace":
            result = subspace_qp(low_rank, linear, weight=weight, tol=self.tol)
            if result.converged:
                return result
            warnings.warn(
                f"The program in the span of {result.rank} eigenvectors was not solved (residual "
                f"{result.residual:.1e}): no weights w >= 0 may lie in it. The program on the "
                "whole simplex takes its place (program='simplex'); a larger 'nystrom' avoids it.",
                ConvergenceWarning,
                stacklevel=5,
            )
            self.program_ = "simplex"
        return simplex_qp(low_rank.rows, linear, weight=weight, tol=self.tol)

    def _binary(self, part, order):
        """Put the 0-1 optimum of the wanted size in front."""
        size = min(self.n_selected_, part.n_features)
        result = binary_subset(
            part.matrix(), self.relevance_[part.features], size, alpha=self.alpha_
        )
        self.certificates_ += (result,)
        chosen = np.zeros(len(order), dtype=bool)
        chosen[part.features[result.features]] = True
        return np.concatenate([order[chosen[order]], order[~chosen[order]]])
