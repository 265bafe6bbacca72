"""The answers of a Gaussian kernel SVM by certified bounds on its value."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from hlsvm._data import check_data
from hlsvm._params import check_number
from hlsvm.certified._blocks import Blocks

__all__ = ["CertifiedSVC", "Work"]

_CHUNK = 1 << 13  # rows of one piece of work
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Work:
    """What settled the signs of some rows; the four counts sum to their number.

    Attributes
    ----------
    n_cells : int
        Rows settled by the polynomial of their cell.
    n_sums : int
        By sums in single precision with a bound of the rounding.
    n_double : int
        By all support vectors in double precision.
    n_svm : int
        By the SVM's own ``predict``: rounding hides the sign.
    n_kernels : int
        Kernel values computed in all, in single precision and in double.
    """

    n_cells: int
    n_sums: int
    n_double: int
    n_svm: int
    n_kernels: int

    @property
    def settled(self) -> float:
        """Share of the rows settled without all support vectors in double precision."""
        rows = self.n_cells + self.n_sums + self.n_double + self.n_svm
        return (self.n_cells + self.n_sums) / rows


def checked_rows(owner: str, X: Any, n_features: int) -> NDArray[np.float64]:
    """Return the rows; ValueError if they have another number of features."""
    X = check_data(owner, X, dtype=np.float64, order="C")
    if X.shape[1] != n_features:
        raise ValueError(
            f"X has {X.shape[1]} features, but {owner} is expecting {n_features} features as input."
        )
    return X


class CertifiedSVC:
    r"""Answer as a fitted Gaussian kernel SVM does, by bounds on its value; see `certify`.

    Three steps, each for the rows whose sign the one before leaves open: the polynomial of the
    row's cell; sums over blocks of support vectors in single precision, those that can weigh most
    first, until the rest cannot change the sign; the SVM in double precision (and where
    :math:`f` is within its rounding, ``svm.predict``).

    Attributes
    ----------
    svm_ : the fitted SVM
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    n_support_ : int
        Support vectors of the SVM.
    n_cells_ : int
        Cells; 0 where `certify` was given no rows, or they would settle few.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    All bounds cover rounding. With u = 2^-24, m entries of the row that differ from the shift
    (the column's mean or most frequent value) and R the longest shifted support vector, the
    exponent of every kernel value in single precision is known to
    ``(m / 8 + 11) u gamma (|x| + R)^2``, and its power to 10 u. In double precision the value is
    known to ``4 (d + n + 10) eps sum|alpha| (1 + gamma (|x| + R)^2)``, which covers the rounding
    of the SVM's own sum, too.

    For probabilities calibrate the SVM, ``CalibratedClassifierCV(FrozenEstimator(svm_))`` of
    scikit-learn, with rows that it was not trained on.
    """

    def __init__(self, svm: Any, expansion: Any, cells: Any, n_jobs: int | None) -> None:
        self.svm_, self.n_jobs = svm, n_jobs
        self.classes_ = np.asarray(svm.classes_)
        self.n_support_, self.n_features_in_ = expansion.support.shape
        self._cells = cells
        points = expansion.support + expansion.centre
        gamma, alpha = expansion.kernel.gamma, expansion.coef[0]
        self._blocks = Blocks(points, alpha, gamma, expansion.intercept[0])
        longest = np.linalg.norm(points, axis=1).max()
        factor = 4 * (sum(points.shape) + 10) * _EPS * (np.abs(alpha).sum() + 1e-300)
        self._rounding = gamma, longest, factor, abs(expansion.intercept[0])

    @property
    def n_cells_(self) -> int:
        """Number of cells."""
        return 0 if self._cells is None else len(self._cells.table[0])

    def _rows(self, X: Any) -> NDArray[np.float64]:
        return checked_rows("CertifiedSVC", X, self.n_features_in_)

    def _chunk(self, X, width, signs):
        """Return ends of f for a piece of rows, kernel values taken, rows settled by cells."""
        low, high = np.full(len(X), -np.inf), np.full(len(X), np.inf)
        if self._cells is not None:
            self._cells.enclose(X, low, high)
        rest = np.flatnonzero(~_done(low, high, width, signs))
        kernels = 0
        if len(rest):
            left = X if len(rest) == len(X) else X[rest]
            ends = self._blocks.enclose(left, width, signs)
            low[rest] = np.maximum(low[rest], ends[0])
            high[rest] = np.minimum(high[rest], ends[1])
            kernels = int(ends[2].sum())
        return low, high, kernels, len(X) - len(rest)

    def _ends(self, X, width=np.inf, signs=True):
        starts = range(0, len(X), _CHUNK)
        if len(starts) < 2 or self.n_jobs in (None, 1):
            parts = [self._chunk(X[at : at + _CHUNK], width, signs) for at in starts]
        else:
            run = Parallel(n_jobs=self.n_jobs, prefer="threads")
            parts = run(delayed(self._chunk)(X[at : at + _CHUNK], width, signs) for at in starts)
        low, high = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        return low, high, sum(part[2] for part in parts), sum(part[3] for part in parts)

    def _double(self, X):
        """Return f in double precision and its rounding."""
        gamma, longest, factor, offset = self._rounding
        values = self._blocks.in_double(X)
        with np.errstate(all="ignore"):
            reach = np.linalg.norm(X, axis=1) + longest
            slack = factor * (1 + gamma * reach**2) + 8 * _EPS * offset
        return values, np.where(np.isnan(slack), np.inf, slack)

    def _svm(self, method, X):
        with warnings.catch_warnings():  # rows without names, to an SVM that may know names
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            return getattr(self.svm_, method)(X)

    def _sides(self, X):
        """Whether f is positive; ends of f; the work it took."""
        low, high, kernels, n_cells = self._ends(X)
        side = low > 0
        rest = np.flatnonzero(~side & ~(high < 0))
        n_svm = 0
        if len(rest):
            values, slack = self._double(X[rest])
            side[rest] = values > 0
            low[rest] = np.maximum(low[rest], values - slack)
            high[rest] = np.minimum(high[rest], values + slack)
            hidden = rest[~(np.abs(values) > slack)]
            n_svm = len(hidden)
            if n_svm:
                side[hidden] = self._svm("predict", X[hidden]) == self.classes_[1]
        kernels += (len(rest) + n_svm) * self.n_support_
        counts = n_cells, len(X) - n_cells - len(rest), len(rest) - n_svm, n_svm
        return side, low, high, Work(*counts, kernels)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classify rows as the SVM does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.classes_.take(self._sides(self._rows(X))[0])

    def predict_one(self, x: ArrayLike) -> Any:
        """Classify one row with as little around it as possible.

        Parameters
        ----------
        x : ndarray of shape (n_features,)

        Returns
        -------
        label

        Raises
        ------
        ValueError
            x has another length, or holds NaN or infinity.
        """
        try:
            x = np.ascontiguousarray(x, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"x must be one row of real numbers. {error}") from error
        if x.shape != (self.n_features_in_,):
            raise ValueError(f"x must be one row of {self.n_features_in_} finite numbers. "
                             f"Got shape {x.shape}.")  # fmt: skip
        if self._cells is not None:
            sign = self._cells.sign_of(x)
            if sign:
                return self.classes_[int(sign > 0)]
        row = x[None]
        low, high, _ = self._blocks.enclose(row)
        if low[0] > 0 or high[0] < 0:
            return self.classes_[int(low[0] > 0)]
        return self.predict(row)[0]

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Approximate f, with the sign that the SVM's own value has.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            The middle of the ends that settled the sign; positive for ``classes_[1]``. Where
            rounding hides the sign, what the SVM says.
        """
        X = self._rows(X)
        _, low, high, _ = self._sides(X)
        values = 0.5 * (low + high)
        hidden = np.flatnonzero(~(low > 0) & ~(high < 0))
        if len(hidden):
            values[hidden] = self._svm("decision_function", X[hidden])
        return values

    def bounds(
        self, X: ArrayLike, width: float = math.inf
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Enclose f.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        width : float, default=inf
            Distance of the ends to reach, as far as double precision does: what single precision
            leaves further apart comes from it. At inf the ends are what settles the sign.

        Returns
        -------
        low, high : ndarrays of shape (n_samples,)
            f of the SVM lies between them.
        """
        check_number("bounds", "width", width, low=0, options=(math.inf,))
        X = self._rows(X)
        if width == math.inf:
            return self._sides(X)[1:3]
        low, high, _, _ = self._ends(X, width, False)
        rest = np.flatnonzero(~(high - low <= width))
        if len(rest):
            values, slack = self._double(X[rest])
            low[rest] = np.fmax(low[rest], values - slack)
            high[rest] = np.fmin(high[rest], values + slack)
        return low, high

    def work(self, X: ArrayLike) -> Work:
        """Count what settles the signs of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        Work
        """
        return self._sides(self._rows(X))[3]


def _done(low, high, width, signs):
    """Whether the ends are near enough, or of one sign where that suffices."""
    if signs:
        return (low > 0) | (high < 0)
    return high - low <= width
