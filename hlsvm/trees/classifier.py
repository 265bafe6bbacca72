"""The Hierarchical Linear SVM of the sources (Thesis ch. 5; HLSVM)."""

from __future__ import annotations

from numbers import Integral

from hlsvm._params import check_number, check_option, check_scale
from hlsvm.trees._grown import GrownClassifier
from hlsvm.trees._samples import SplitOptions

__all__ = ["HLSVMClassifier"]


class HLSVMClassifier(GrownClassifier):
    r"""Decision tree whose splits are linear SVMs: a non-linear classifier of a few dot products.

    Node k trains a linear SVM on its samples (Thesis Eq. 5.4),

    .. math::
        \min_{w, b} \frac{\lambda}{2} \|w\|^2
            + \frac{1}{N_k} \sum_i \nu_i \max\{0, 1 - y_i (w \cdot x_i + b)\},

    with weights recomputed in every node so that both classes have one half (Eq. 5.3):
    :math:`\nu_i = 1/(2 N_k^{\pm})`. Samples with :math:`w \cdot x + b \le 0` go left. A node is a
    leaf if it is pure, if it holds no more than a share :math:`\delta` of the samples, or if the
    split does not lower the entropy (Alg. 6); it answers the majority. A share :math:`\rho` of the
    samples, held out before growing, then chooses among the cost-complexity subtrees (`pruning`).

    Defaults are those of Thesis 5.3 where it names them: :math:`\delta`, :math:`\epsilon_P`, and
    the range of :math:`\lambda`.

    Parameters
    ----------
    lam : float or "auto", default=1e-5
        :math:`\lambda > 0`. "auto": the power of ten with the least 5-fold cross-validated error
        on the training samples (see `lam_`, `tuning_`), as HLSVM section 5.1 chooses it.
    prune_fraction : float, default=0.0
        :math:`\rho` in [0, 1), drawn at random within each class; 0 for no pruning.
    min_fraction : float or None, default=None
        :math:`\delta` in [0, 1]. None: :math:`10^{-\lfloor \log_{10} N \rfloor}` with N the
        samples to grow on.
    max_depth : int or None, default=None
        Most nodes on a path. With hyperplanes 1 is a single linear SVM, 0 the majority.
    solver : {"dual", "pegasos"}, default="dual"
        How Eq. 5.4 is solved: coordinate descent on the dual with a duality gap, or
        Weighted-Pegasos (Alg. 5). In both b is not regularised.
    loss_scale : {"mean", "sum"}, default="mean"
        "mean" is the objective as written, which gives the published numbers; "sum" leaves out
        the factor :math:`1/N_k`, so that small nodes are not less regularised than large ones.
    tol : float, default=1e-4
        :math:`\epsilon_P` (1e-4 in Thesis 5.3): relative duality gap of a split; with Pegasos see
        `WeightedPegasos`.
    max_iter : int or None, default=None
        T. Dual: passes over the samples of the root (None: 1,000); a node of n of N samples may
        take :math:`\sqrt{N/n}` times as many. Pegasos: steps (None: 10,000; the Thesis allows
        1e7, which takes days).
    batch_size : int, default=1000
        k of Pegasos.
    bias_scale : float, default=0.01
        :math:`\tau` of Pegasos.
    faithful : bool, default=False
        Pegasos with hinge test and stop as printed, see `WeightedPegasos`. The tree of Algorithm 6
        as printed is ``solver="pegasos", faithful=True``.
    multiclass : {"native", "ovo"}, default="native"
        One tree for all classes, or one for each pair and a vote (Thesis 5.3.2). See Notes.
    class_weight : "balanced", dict or None, default=None
        Multiplies the weight of samples in the entropy, the shares, the leaves and the pruning.
        In a split with two classes Eq. 5.3 evens it out.
    random_state : int, RandomState instance or None, default=None
        Of the held-out share and of the solvers. Every node has a seed of its own, derived from
        the path that leads to it.
    n_jobs : int or None, default=None
        Threads over the subtrees of a tree, over pairs of classes, and over the cross-validation
        of `lam`. Changes no bit.

    Attributes
    ----------
    tree_ : HyperplaneTree
        The tree as flat arrays; with a vote there is `trees_` only.
    trees_ : list of HyperplaneTree
        One tree, or one for each of the pairs (0, 1), (0, 2), ... of classes.
    classes_ : ndarray of shape (n_classes,)
    lam_ : float
        :math:`\lambda` used.
    tuning_ : dict of ndarray
        With ``lam="auto"``: "lam", "error", "n_hyperplanes" of what was tried.
    certificates_ : tuple of SplitCertificate
        Of every hyperplane, tree after tree, in the order of ``tree.weights``. Objectives are NaN
        for Pegasos.
    pruning_paths_ : list of (PruningPath, ndarray)
        With pruning: for each tree the sequence of subtrees, and their held-out errors (weight).
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    ObliqueTreeClassifier : What goes beyond the sources; the better choice in practice.
    SVMTreesClassifier : The cascade of Zapien et al.
    WeightedPegasos : One hyperplane by Thesis Alg. 5.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    **Many classes in one tree.** A node with more than two classes gathers them in two
    superclasses: rows are projected on the direction along which the class means spread most, cut
    where the entropy of all classes falls most, and every class joins the side where most of its
    weight lies. After the SVM the superclasses are redrawn by the side on which each class mostly
    fell and the SVM is trained again, at most twice; the split with the least entropy stays.
    With two classes this is the binary rule. One against one is more accurate and costs a path in
    each of the K(K-1)/2 trees.

    **Scale of the loss.** The :math:`\nu_i` sum to one, so the factor :math:`1/N_k` averages
    twice: sample i has the box :math:`C_i = \nu_i / (\lambda N_k)` ("mean") or
    :math:`\nu_i / \lambda` ("sum"). See `notebooks/11_errata.ipynb`.

    References
    ----------
    Thesis ch. 5 (Alg. 6, Eq. 5.2-5.5) and 2.3.3; HLSVM sections 2 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import HLSVMClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = HLSVMClassifier(lam=1e-4, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> bool(model.predict_one([0.5, 0.5]))
    True
    """

    def __init__(
        self,
        lam=1e-5,
        *,
        prune_fraction=0.0,
        min_fraction=None,
        max_depth=None,
        solver="dual",
        loss_scale="mean",
        tol=1e-4,
        max_iter=None,
        batch_size=1000,
        bias_scale=0.01,
        faithful=False,
        multiclass="native",
        class_weight=None,
        random_state=None,
        n_jobs=None,
    ):
        self.lam = lam
        self.prune_fraction = prune_fraction
        self.min_fraction = min_fraction
        self.max_depth = max_depth
        self.solver = solver
        self.loss_scale = loss_scale
        self.tol = tol
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.bias_scale = bias_scale
        self.faithful = faithful
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        super()._check_params()
        check_scale(self, "lam", self.lam, options=("auto",))
        check_number(self, "batch_size", self.batch_size, kind=Integral, low=1, closed="left")
        check_number(self, "bias_scale", self.bias_scale, low=0, closed="left")
        check_option(self, "solver", self.solver, ("dual", "pegasos"))
        check_option(self, "faithful", self.faithful, (False, True))

    def _split_options(self, lam: float) -> SplitOptions:
        steps = {"dual": 1000, "pegasos": 10_000}[self.solver]
        return SplitOptions(
            lam=lam,
            loss_scale=self.loss_scale,
            solver=self.solver,
            bias="svm",
            bias_feature=None,
            tol=float(self.tol),
            max_iter=int(steps if self.max_iter is None else self.max_iter),
            batch_size=int(self.batch_size),
            bias_scale=float(self.bias_scale),
            faithful=bool(self.faithful),
        )
