"""RDSVM: SVMs on random parts of the data, the control experiment of DTSVM."""

from __future__ import annotations

from hlsvm.regions._base import RegionSVC
from hlsvm.regions._division import RandomDivision

__all__ = ["RandomDecompositionSVC"]


class RandomDecompositionSVC(RegionSVC):
    r"""SVMs on random parts of the data (RDSVM, DTSVM section 3.2).

    The training rows fall at random into :math:`\lceil n / \sigma \rceil` parts, each with its own
    SVMs; a new row goes to a random part. The search is that of `DTSVMClassifier`, with parts drawn
    anew at every ceiling. The part of a new row is named by a hash of its values, so that a row is
    always answered alike. The parts are of nearly equal size; the source draws a part for each row,
    so that sizes vary a little.

    Parameters
    ----------
    C, gamma, ceiling_size, climb, n_best, min_gain, multiclass, validation_size, refit, tol
        As of `DTSVMClassifier`.
    max_iter, cache_size, n_jobs
        As of `DTSVMClassifier`.
    random_state : int, RandomState instance or None, default=None
        Of the parts and of the validation rows.

    Attributes
    ----------
    ceiling_size_, C_, gamma_ : the choice
    validation_accuracy_ : float
    search_ : dict of ndarray
    search_seconds_ : dict of int to float
    homogeneous_share_ : float
    machines_ : list of RegionSVM or None
    certificates_ : tuple of KernelCertificate
        Of the SVMs, part by part.
    n_support_total_, n_iter_ : int
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows. A search is repeated for every fold, see `DTSVMClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hlsvm.regions import RandomDecompositionSVC
    >>> X, y = load_digits(return_X_y=True)
    >>> model = RandomDecompositionSVC(C=10, gamma=1, ceiling_size=300, random_state=0)
    >>> model.fit(X[:1200] / 16, y[:1200]).score(X[1200:] / 16, y[1200:]) > 0.8
    True
    """

    def _divide(self, X, codes, ceiling_size):
        return RandomDivision(len(codes), ceiling_size, self._seed)
