"""DTSVM: a decision tree cuts the space, and every mixed leaf has its own RBF SVMs."""

from __future__ import annotations

from hlsvm._params import check_option
from hlsvm.regions._base import RegionSVC
from hlsvm.regions._division import TreeDivision
from hlsvm.regions.region_tree import RegionTree, grow_region_tree

__all__ = ["DTSVMClassifier"]


class DTSVMClassifier(RegionSVC):
    r"""Tree decomposition for large SVM problems (DTSVM, JMLR 2010).

    An axis-parallel tree is grown by entropy until its leaves hold fewer than :math:`\sigma` rows.
    A leaf of one label answers with it; every other leaf has its own SVMs with the kernel
    :math:`\exp(-\gamma \|x - z\|^2)`, all with the same :math:`(C, \gamma)`.

    The search of section 2.2: all pairs of the grid are judged on validation rows at
    :math:`\sigma_0`; the `n_best` go on to :math:`4\sigma_0, 16\sigma_0, \dots` while the accuracy
    gains at least `min_gain`; the pair that is best at its own :math:`\sigma` wins. A larger
    :math:`\sigma` moves up the same tree. Nothing of this is approximate, but the search is cheap:
    the distances of a leaf are computed once for the whole grid, every SVM begins where the one of
    the next smaller C ended, and pairs that can no longer be among the best are given up.

    Parameters
    ----------
    C : float, sequence of float or "grid", default="grid"
        Cost, or costs to choose from; "grid" is :math:`10^{-1}, \dots, 10^5`.
    gamma : float, sequence of float or "grid", default="grid"
        Width of the kernel, or widths to choose from; "grid" is :math:`10^{-4}, \dots, 10^4`.
    ceiling_size : int, default=1500
        :math:`\sigma_0`. A node of at least so many rows is split.
    climb : bool, default=True
        Try larger ceilings. With one C, one gamma and ``climb=False`` there is nothing to choose:
        no row is held out.
    n_best : int, default=5
        k, the number of pairs that are tried at larger ceilings.
    min_gain : float, default=0.005
        Gain in validation accuracy (a share of the rows) that a larger ceiling must bring.
    multiclass : {"ovo", "ovr"}, default="ovo"
        One against one with majority vote (1A1), or one against others with the largest decision
        (1AO), among the classes of the leaf.
    zero_gain : {"stop", "balance"}, default="stop"
        What becomes of a large node of several labels where no cut reduces the entropy: a leaf, or
        the cut that halves it best.
    splitter : {"best", "random"}, default="best"
        "random" draws every cut among the 20 best, for several trees that vote (DTSVM section 1):
        ``BaggingClassifier(DTSVMClassifier(splitter="random"), bootstrap=False)``.
    validation_size : float, default=0.2
        Share of the rows held out for the search, class by class, unless `fit` is given some.
    refit : bool, default=False
        Train the chosen classifier again on training and validation rows together. The source
        does not.
    tol : float, default=1e-3
        Largest violation of the optimality conditions of an SVM, as LIBSVM's.
    max_iter : int, default=10_000_000
        Most steps of SMO for one SVM.
    cache_size : float, default=2000
        Megabytes for the kernel of one SVM; larger ones are solved by LIBSVM with such a cache.
    n_jobs : int or None, default=None
        Leaves trained at a time.
    random_state : int, RandomState instance or None, default=None
        Of the validation rows, and of the cuts under ``splitter="random"``.

    Attributes
    ----------
    tree_ : RegionTree
        The tree at the chosen ceiling.
    ceiling_size_, C_, gamma_ : the choice
    validation_accuracy_ : float
        Of the choice; not there if nothing was searched.
    search_ : dict of ndarray
        One entry a classifier judged: ``ceiling_size``, ``C``, ``gamma``, ``accuracy`` and
        ``exact`` (False where a pair was given up; its accuracy is then an upper limit).
    search_seconds_ : dict of int to float
        Processor seconds (all threads) at each ceiling.
    homogeneous_share_ : float
        Share of the training rows in leaves of one label.
    machines_ : list of RegionSVM or None
        SVMs of every leaf; None where it has one label.
    certificates_ : tuple of KernelCertificate
        Of the SVMs, leaf by leaf.
    n_support_total_ : int
        Support vectors of all SVMs (TNSV).
    n_iter_ : int
        Steps of SMO of the final training, at least 1.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    RandomDecompositionSVC : The same on random parts.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows. A search is repeated for every fold; to avoid that, set `C`,
    `gamma` and `ceiling_size` to the values chosen before, with ``climb=False``.

    References
    ----------
    F. Chang, C.-Y. Guo, X.-R. Lin, C.-J. Lu, "Tree Decomposition for Large-Scale SVM Problems",
    JMLR 11 (2010). Where its text leaves a choice, see `notebooks/11_errata.ipynb` (E25).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hlsvm.regions import DTSVMClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = DTSVMClassifier(C=[1, 10], gamma=[0.1, 1, 10], ceiling_size=500, random_state=0)
    >>> model.fit(X[:1200] / 16, y[:1200]).score(X[1200:] / 16, y[1200:]) > 0.9
    True
    """

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
        zero_gain="stop",
        splitter="best",
        validation_size=0.2,
        refit=False,
        tol=1e-3,
        max_iter=10_000_000,
        cache_size=2000,
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(
            C,
            gamma,
            ceiling_size=ceiling_size,
            climb=climb,
            n_best=n_best,
            min_gain=min_gain,
            multiclass=multiclass,
            validation_size=validation_size,
            refit=refit,
            tol=tol,
            max_iter=max_iter,
            cache_size=cache_size,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.zero_gain = zero_gain
        self.splitter = splitter

    def _check_params(self):
        check_option(self, "zero_gain", self.zero_gain, ("stop", "balance"))
        check_option(self, "splitter", self.splitter, ("best", "random"))
        return super()._check_params()

    def _divide(self, X, codes, ceiling_size):
        options = {
            "balance": self.zero_gain == "balance",
            "random_seed": self._seed if self.splitter == "random" else None,
        }
        return TreeDivision(grow_region_tree(X, codes, len(self.classes_), ceiling_size, **options))

    @property
    def tree_(self) -> RegionTree:
        """The tree at the chosen ceiling."""
        return self.division_.tree
