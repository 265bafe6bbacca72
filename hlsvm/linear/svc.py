"""Exact weighted linear SVM: dual coordinate descent on the objective of Weighted-Pegasos."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hlsvm._certificate import Certificate
from hlsvm._params import check_number
from hlsvm.linear._base import WeightedLinearModel
from hlsvm.linear._dual import solve_dual
from hlsvm.linear._free_bias import solve_free_bias
from hlsvm.linear._rows import SparseRows, n_columns

__all__ = ["WeightedLinearSVC"]

# Multiplications (a few milliseconds) that small problems may spend on going to machine precision.
_SMALL_WORK = 2_000_000
_PRECISE = 1e-12


class WeightedLinearSVC(WeightedLinearModel):
    r"""Weighted linear SVM solved to a proven gap by dual coordinate descent.

    It minimises the objective that `WeightedPegasos` descends stochastically (Thesis Eq. 5.4),

    .. math::
        f(w, b) = \frac{\lambda}{2} \Big( \|w\|^2 + \frac{b^2}{s^2} \Big)
            + \frac{1}{N} \sum_i \nu_i \max\{0, 1 - y_i (w \cdot x_i + b)\},

    with the factor 1/N for ``loss_scale="mean"`` and without it for ``"sum"``. Its dual is solved
    by the coordinate descent of Hsieh et al. (2008) with random order and shrinking; sample i has
    the box :math:`0 \le \alpha_i \le \nu_i / (\lambda N)` (or :math:`\nu_i / \lambda`), where
    LIBLINEAR has C. The descent ends when the duality gap is at most `tol` times the objective,
    so `tol` bounds the relative error of the objective; problems that are small enough are taken
    to machine precision.

    Parameters
    ----------
    lam : float, default=1e-4
        :math:`\lambda > 0`.
    loss_scale : {"mean", "sum"}, default="mean"
        "mean" is the objective as written. Its weights sum to one and are divided by N as well,
        so its C is N times smaller than that of "sum", which fits the grid
        :math:`\lambda = 10^i / N` of the Thesis; see `notebooks/11_errata.ipynb`.
    class_weight : "balanced", dict or None, default="balanced"
        "balanced" gives each class (each side of one against the rest) half of the weight
        (Thesis Eq. 5.3). Otherwise :math:`\nu_i` is proportional to the weight of the class
        and to `sample_weight`. The :math:`\nu_i` always sum to one.
    bias_feature : float or None, default=1.0
        s, the value of the constant feature that carries the bias, as LIBLINEAR's
        `intercept_scaling`; 0 for no bias; None for a bias that is not regularised
        (:math:`s = \infty`, :math:`\sum_i \alpha_i y_i = 0`), some three times slower. Where all
        margins are violated such a bias is not unique: the middle of the optimal range is taken.
    tol : float, default=1e-3
        Largest relative duality gap.
    max_iter : int, default=1000
        Most epochs (passes over the samples that are not shrunk).
    random_state : int, RandomState instance or None, default=None
        Of the order of the samples.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    certificates_ : tuple of Certificate
        One a hyperplane: objective, dual objective, gap, epochs, why it stopped.
    n_iter_ : int
        Most epochs of a hyperplane.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows.

    References
    ----------
    Hsieh, Chang, Lin, Keerthi, Sundararajan, "A Dual Coordinate Descent Method for Large-scale
    Linear SVM", ICML 2008. Thesis Eq. 5.3-5.4, app. C.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from hlsvm.linear import WeightedLinearSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> svc = WeightedLinearSVC(lam=1e-4, random_state=0).fit(X, y)
    >>> svc.score(X, y) > 0.97
    True
    >>> svc.certificates_[0].relative_gap < 1e-3
    True
    """

    advice = "Increase max_iter or lam, or scale the features."

    def __init__(
        self,
        lam=1e-4,
        *,
        loss_scale="mean",
        class_weight="balanced",
        bias_feature=1.0,
        tol=1e-3,
        max_iter=1000,
        random_state=None,
    ):
        self.lam = lam
        self.loss_scale = loss_scale
        self.class_weight = class_weight
        self.bias_feature = bias_feature
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_params(self) -> None:
        super()._check_params()
        check_number(self, "bias_feature", self.bias_feature, low=0, closed="left", options=(None,))

    def _run(self, X, rows, y, upper, norms, tol, epochs, seed, alpha):
        if self.bias_feature is None:
            return solve_free_bias(X, rows, y, upper, norms, tol, epochs, seed, alpha)
        s = float(self.bias_feature)
        return solve_dual(X, rows, y, upper, norms, s, tol, epochs, seed, alpha)

    def _solve(
        self,
        X: NDArray | SparseRows,
        rows: NDArray[np.int64],
        y: NDArray[np.float64],
        nu: NDArray[np.float64],
        n_effective: float,
        seed: int,
    ) -> tuple[NDArray[np.float64], float, Certificate]:
        lam, tol, max_iter = float(self.lam), float(self.tol), int(self.max_iter)
        upper, norms = self._caps(X, nu, n_effective)
        alpha = np.zeros(len(rows))
        used = min(max_iter, _SMALL_WORK // (len(rows) * n_columns(X)))
        if used > 0:
            tight = min(tol, _PRECISE)
            answer = self._run(X, rows, y, upper, norms, tight, used, seed, alpha)
            epochs = answer.n_iter
            gap = answer.objective - answer.dual_objective
        if used == 0 or (gap > tol * answer.objective and used < max_iter):
            left = max_iter - used
            answer = self._run(X, rows, y, upper, norms, tol, left, seed + 1, alpha)
            epochs = used + answer.n_iter
        w, b, primal, dual, _, _ = answer
        gap = (primal - dual) / primal if primal > 0 else 0.0
        reason = (
            f"{'tolerance' if gap <= tol else 'max_iter'}: relative gap {gap:.2e} after {epochs} "
            f"epochs, tol={tol:g}, max_iter={max_iter}"
        )
        return w, b, Certificate(lam * primal, lam * dual, epochs, gap <= tol, reason)
