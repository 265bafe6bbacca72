"""Weighted-Pegasos, the splitting rule of H-LSVM (Thesis Alg. 5), as a classifier."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from hlsvm._certificate import Certificate
from hlsvm._params import check_number, check_option
from hlsvm.linear._base import WeightedLinearModel
from hlsvm.linear._dual import decisions, solve_dual
from hlsvm.linear._free_bias import solve_free_bias
from hlsvm.linear._pegasos import solve_pegasos
from hlsvm.linear._rows import SparseRows, n_columns

__all__ = ["WeightedPegasos"]

# Work of the dual descent that afterwards bounds the objective from below: multiplications (a few
# hundredths of a second), but at least ten epochs.
_BOUND_WORK = 10_000_000
_BOUND_EPOCHS = 10
_BOUND_TOL = 1e-4


class WeightedPegasos(WeightedLinearModel):
    r"""Weighted linear SVM by stochastic subgradient descent, Thesis Alg. 5.

    It minimises (Thesis Eq. 5.4, with the bias that its algorithm updates)

    .. math::
        f(w, b) = \frac{\lambda}{2} \|w\|^2
            + \frac{1}{N} \sum_i \nu_i \max\{0, 1 - y_i (w \cdot x_i + b)\},

    with the factor 1/N for ``loss_scale="mean"`` and without it for ``"sum"``. Step t draws
    :math:`A_t`, k samples without repetition, and with :math:`\eta_t = 1/(\lambda t)`

    .. math::
        w_{t+1} &= \Pi \Big[ (1 - \eta_t \lambda) w_t
            + \frac{\eta_t}{k} \sum_{A_t^+} \nu_i y_i x_i \Big], \\
        b_{t+1} &= b_t + \tau \frac{\eta_t}{k} \sum_{A_t^+} \nu_i y_i,

    where :math:`A_t^+` are the drawn samples that violate their margin and :math:`\Pi` projects
    onto the ball that holds the optimum: radius :math:`1/\sqrt{N \lambda}` ("mean") or
    :math:`1/\sqrt{\lambda}` ("sum").

    Parameters
    ----------
    lam : float, default=1e-4
        :math:`\lambda > 0`.
    batch_size : int, default=1000
        k; all samples, in order, where N <= k.
    max_iter : int, default=10000
        T, most steps.
    tol : float, default=0.01
        :math:`\epsilon_P`. Compared with the relative change of the mean of w over successive
        windows, of which the first is a pass over the data and every next one twice as long;
        where `faithful`, with the length :math:`\|w_{t+1} - w_t\|` of one step.
    bias_scale : float, default=0.01
        :math:`\tau \ge 0`; 0 for no bias.
    loss_scale : {"mean", "sum"}, default="mean"
        "mean" is the objective as written, see `WeightedLinearSVC`.
    faithful : bool, default=False
        Keep Alg. 5 as printed: the hinge test :math:`y (w \cdot x) < 1` without the bias, and the
        stop by the length of a step.
    class_weight : "balanced", dict or None, default="balanced"
        "balanced" gives each class (each side of one against the rest) half of the weight
        (Thesis Eq. 5.3). Otherwise :math:`\nu_i` is proportional to the weight of the class
        and to `sample_weight`. The :math:`\nu_i` always sum to one.
    random_state : int, RandomState instance or None, default=None
        Of the draws.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    certificates_ : tuple of Certificate
        One a hyperplane. The dual objective is a true lower bound of f, found after the descent
        by some epochs of dual coordinate descent.
    n_iter_ : int
        Most steps of a hyperplane.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    WeightedLinearSVC : The same objective, solved to a given gap; faster.

    Notes
    -----
    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows.

    Errors of the Thesis (derived in `notebooks/11_errata.ipynb`):

    - Its hinge test leaves the bias out, so that b does not see its own effect and grows like
      log t; the test here is :math:`y (w \cdot x + b) < 1`.
    - The length of a step says how small :math:`\eta_t` has become, not how near the optimum is.
    - Lemma C.1 is stated as :math:`\|w\|^2 \le 1/\sqrt{N\lambda}`; its proof, Alg. 5 and this
      class have :math:`\|w\| \le 1/\sqrt{N\lambda}`.

    `sample_weight` is exact where N <= k. With mini-batches rows are drawn uniformly, so a weight
    of two and a repeated row agree in expectation.

    References
    ----------
    Thesis 5.2, Alg. 5, Eq. 5.3-5.5, app. C; HLSVM section 3. Shalev-Shwartz, Singer, Srebro,
    "Pegasos: Primal Estimated sub-GrAdient SOlver for SVM", ICML 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from hlsvm import WeightedPegasos
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> pegasos = WeightedPegasos(lam=1e-3, random_state=0).fit(X, y)
    >>> pegasos.score(X, y) > 0.96
    True
    >>> pegasos.certificates_[0].relative_gap < 0.05
    True
    """

    advice = "Increase max_iter, tol or lam, scale the features, or use WeightedLinearSVC."

    def __init__(
        self,
        lam=1e-4,
        *,
        batch_size=1000,
        max_iter=10_000,
        tol=1e-2,
        bias_scale=0.01,
        loss_scale="mean",
        faithful=False,
        class_weight="balanced",
        random_state=None,
    ):
        self.lam = lam
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.bias_scale = bias_scale
        self.loss_scale = loss_scale
        self.faithful = faithful
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_params(self) -> None:
        super()._check_params()
        check_number(self, "batch_size", self.batch_size, kind=Integral, low=1, closed="left")
        check_number(self, "bias_scale", self.bias_scale, low=0, closed="left")
        check_option(self, "faithful", self.faithful, (False, True))

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
        share = n_effective if self.loss_scale == "mean" else 1.0
        w, b, steps, moved = solve_pegasos(
            X,
            rows,
            y,
            nu * (len(rows) / share),
            lam,
            1.0 / np.sqrt(lam * share),
            int(self.batch_size),
            max_iter,
            tol,
            float(self.bias_scale),
            bool(self.faithful),
            seed,
        )
        losses = np.maximum(1.0 - y * (decisions(X, rows, w) + b), 0.0)
        objective = 0.5 * lam * float(w @ w) + lam * float(upper @ losses)
        bound = lam * self._lower_bound(X, rows, y, upper, norms, seed)
        reason = (
            f"{'tolerance' if moved <= tol else 'max_iter'}: "
            f"{'last step' if self.faithful else 'relative change of the mean of w'} {moved:.2e} "
            f"after {steps} steps, tol={tol:g}, max_iter={max_iter}"
        )
        return w, b, Certificate(objective, bound, steps, moved <= tol, reason)

    def _lower_bound(self, X, rows, y, upper, norms, seed) -> float:
        alpha = np.zeros(len(rows))
        epochs = max(_BOUND_EPOCHS, _BOUND_WORK // (len(rows) * n_columns(X)))
        end = (_BOUND_TOL, epochs, seed, alpha)
        if self.bias_scale == 0:
            return solve_dual(X, rows, y, upper, norms, 0.0, *end).dual_objective
        return solve_free_bias(X, rows, y, upper, norms, *end).dual_objective
