"""The Hierarchical Linear SVM (Thesis ch. 5; HLSVM)."""

from __future__ import annotations

from numbers import Integral

from tqdm.auto import tqdm

from hlsvm._params import (
    check_n_jobs,
    check_number,
    check_option,
    check_scale,
    check_tolerance,
)
from hlsvm.trees._base import TreeClassifier
from hlsvm.trees._choose_lam import PARTS, ceiling, choose_lam
from hlsvm.trees._fit_tree import fit_bagged, fit_pairwise, fit_tree
from hlsvm.trees._forest import MeanTrees, OneTree, PairwiseTrees
from hlsvm.trees._split import SplitOptions

__all__ = ["HLSVMClassifier"]


class HLSVMClassifier(TreeClassifier):
    r"""Decision tree whose splits are linear SVMs: a non-linear classifier of a few dot products.

    Node k trains a linear SVM on its samples (Thesis Eq. 5.4),

    .. math::
        \min_{w, b} \frac{\lambda}{2} \|w\|^2
            + \frac{1}{N_k} \sum_i \nu_i \max\{0, 1 - y_i (w \cdot x_i + b)\},

    with weights recomputed in every node so that both classes have one half (Eq. 5.3):
    :math:`\nu_i = 1/(2 N_k^{\pm})`. Samples with :math:`w \cdot x + b \le 0` go left. A node is a
    leaf if it is pure, if it holds no more than a share :math:`\delta` of the samples, or if the
    split does not lower the entropy; it answers the majority. A share :math:`\rho` of the samples,
    held out before growing, then chooses among the cost-complexity subtrees (`pruning`).

    Parameters
    ----------
    lam : float, "auto" or "path", default=1e-5
        :math:`\lambda > 0`. "auto": the power of ten with the least 5-fold cross-validated error
        on the training samples (see `lam_`, `tuning_`). "path": chosen in every node, from six
        values below the one at which all its samples violate their margin, by the gain of the
        hyperplane on a fifth of the node's samples held back (with the dual solver only).
    prune_fraction : float, default=0.0
        :math:`\rho` in [0, 1), drawn at random within each class; 0 for no pruning.
    min_fraction : float or None, default=None
        :math:`\delta` in [0, 1]. None: :math:`10^{-\lfloor \log_{10} N \rfloor}` with N the
        samples to grow on.
    max_depth : int or None, default=None
        Most nodes on a path. With hyperplanes 1 is a single linear SVM, 0 the majority.
    split : {"svm", "axis", "best"}, default="svm"
        "svm": every node is a hyperplane, as in the sources. "axis": every node compares the one
        feature with the threshold that lower the entropy most (CART). "best": whichever of the
        two lowers it more. A comparison costs one operation where a hyperplane costs n_features:
        see `n_operations`.
    solver : {"dual", "pegasos"}, default="dual"
        Coordinate descent on the dual, with a duality gap, or Weighted-Pegasos (Alg. 5).
    loss_scale : {"mean", "sum"}, default="mean"
        "mean" is the objective as written, which gives the published numbers; "sum" leaves out
        the factor :math:`1/N_k`, so that small nodes are not less regularized than large ones.
    bias : {"auto", "svm", "gain"}, default="auto"
        "svm": b as the SVM gives it, as in the sources. "gain": b placed anew along w, where the
        entropy falls most. "auto": the SVM's b unless it gains less than a tenth of what the best
        one does, as it happens where :math:`\lambda` is so large that w only points from one
        mean to the other; results then depend far less on :math:`\lambda`.
    shrinkage : float, default=0.0
        Strength s >= 0 with which the class shares of a node are drawn to those of its ancestors
        (see `HyperplaneTree.shares`): a leaf of a few samples among many of the other class then
        answers with them. Splits whose sides answer the same are undone. 0: the majority of the
        leaf, as in the sources. 10 to 300 lowered both error and cost on all sets tried.
    refine : int, default=0
        Passes of tree alternating optimization (Carreira-Perpinan and Tavallali, 2018) over the
        grown tree, before it is pruned: every node is refitted on the samples whose fate it
        decides and changed where that lowers the training error; idle nodes are removed. A
        coarse tree (`min_fraction` of 0.002 to 0.01) has most to gain; 4 to 12 passes do.
        See `refinements_`.
    refine_lam : float or None, default=None
        Regularization of the first of these passes; it falls to a twentieth by the last. None:
        :math:`\lambda/10`.
    tol : float, default=0.01
        Relative duality gap of a split; with Pegasos :math:`\epsilon_P`, see `WeightedPegasos`.
    max_iter : int or None, default=None
        T. Dual: passes over the samples of the root (None: 100); a node of n of N samples may
        take :math:`\sqrt{N/n}` times as many. Pegasos: steps (None: 10,000).
    batch_size : int, default=1000
        k of Pegasos.
    bias_scale : float, default=0.01
        :math:`\tau` of Pegasos. (The dual treats b as the weight of one more, constant feature.)
    faithful : bool, default=False
        Pegasos with hinge test and stop as printed, see `WeightedPegasos`.
    n_trees : int, default=1
        Trees whose leaf shares are averaged, each grown on a random four fifths of the samples;
        more than one costs their sum. With ``multiclass="ovo"`` and three classes or more only 1.
    multiclass : {"native", "ovo"}, default="native"
        One tree for all classes, or one for each pair and a vote (Thesis 5.3.2). See Notes.
    class_weight : "balanced", dict or None, default=None
        Multiplies the weight of samples in the entropy, the shares, the leaves and the pruning.
        In a split with two classes Eq. 5.3 evens it out.
    memory_budget : int or None, default=None
        Bytes of rows of X that a thread may copy into memory at a time, for an X on disk (a
        C-contiguous `numpy.memmap` of float32 or float64). Nodes whose rows fit are copied and
        grow in memory; in larger ones hyperplanes are trained block by block. Besides, some 60
        bytes a row are held (labels, weights, norms, dual variables). None: X is read in place.
    random_state : int, RandomState instance or None, default=None
        Of the held-out share and of the solvers. Every node has a seed of its own, derived from
        the path that leads to it.
    n_jobs : int or None, default=None
        Threads over trees, over the subtrees of one, and over the cross-validation of
        `lam`. Changes no bit.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    tree_ : HyperplaneTree
        The tree as flat arrays; with a vote there is `trees_` only.
    trees_ : list of HyperplaneTree
        One tree, the `n_trees`, or one for each of the pairs (0, 1), (0, 2), ... of classes.
    classes_ : ndarray of shape (n_classes,)
    lam_ : float
        :math:`\lambda` used; with "path" the largest one tried in the root.
    tuning_ : dict of ndarray
        With ``lam="auto"``: "lam", "error", "n_hyperplanes" of what was tried.
    certificates_ : list of structured ndarray
        For each tree one record a hyperplane, in the order of ``tree.weights``: "n_samples"
        (their weight), "objective", "dual_objective" (NaN for Pegasos), "n_iter", "converged",
        "gain" (bits).
    pruning_paths_ : list of (PruningPath, ndarray)
        With pruning: for each tree the sequence of subtrees, and their held-out errors (weight).
    refinements_ : list of structured ndarray
        With `refine`: for each tree one record before the first pass and one after each that
        changed it: "lam", "loss" (training weight that the majorities get wrong), "n_changed"
        (nodes), "n_leaves", "n_operations" (mean of the training samples, which may rise).
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    SVMTreesClassifier : The cascade of Zapien et al.
    WeightedPegasos : One hyperplane by Thesis Alg. 5.

    Notes
    -----
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
        split="svm",
        solver="dual",
        loss_scale="mean",
        bias="auto",
        shrinkage=0.0,
        refine=0,
        refine_lam=None,
        tol=1e-2,
        max_iter=None,
        batch_size=1000,
        bias_scale=0.01,
        faithful=False,
        n_trees=1,
        multiclass="native",
        class_weight=None,
        memory_budget=None,
        random_state=None,
        n_jobs=None,
        verbose=False,
    ):
        self.lam = lam
        self.prune_fraction = prune_fraction
        self.min_fraction = min_fraction
        self.max_depth = max_depth
        self.split = split
        self.solver = solver
        self.loss_scale = loss_scale
        self.bias = bias
        self.shrinkage = shrinkage
        self.refine = refine
        self.refine_lam = refine_lam
        self.tol = tol
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.bias_scale = bias_scale
        self.faithful = faithful
        self.n_trees = n_trees
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.memory_budget = memory_budget
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_params(self) -> None:
        def number(name, **limits):
            check_number(self, name, getattr(self, name), **limits)

        check_scale(self, "lam", self.lam, options=("auto", "path"))
        number("prune_fraction", low=0, high=1, closed="left")
        number("min_fraction", low=0, high=1, options=(None,))
        number("max_depth", kind=Integral, low=0, closed="left", options=(None,))
        number("shrinkage", low=0, closed="left")
        number("refine", kind=Integral, low=0, high=10_000)
        check_scale(self, "refine_lam", self.refine_lam, options=(None,))
        check_tolerance(self, "tol", self.tol, zero=True)
        number("max_iter", kind=Integral, low=1, high=10**9, options=(None,))
        number("n_trees", kind=Integral, low=1, high=100_000)
        number("batch_size", kind=Integral, low=1, closed="left")
        number("bias_scale", low=0, closed="left")
        number("memory_budget", kind=Integral, low=1, closed="left", options=(None,))
        check_n_jobs(self, self.n_jobs)
        check_option(self, "split", self.split, ("svm", "axis", "best"))
        check_option(self, "solver", self.solver, ("dual", "pegasos"))
        if self.lam == "path" and self.solver != "dual":
            raise ValueError(f"lam='path' needs solver='dual'. Got solver={self.solver!r}.")
        check_option(self, "loss_scale", self.loss_scale, ("mean", "sum"))
        check_option(self, "bias", self.bias, ("auto", "svm", "gain"))
        check_option(self, "faithful", self.faithful, (False, True))
        check_option(self, "multiclass", self.multiclass, ("native", "ovo"))
        check_option(self, "verbose", self.verbose, (False, True, 0, 1))

    def _split_options(self, lam: float, path: bool = False) -> SplitOptions:
        steps = {"dual": 100, "pegasos": 10_000}[self.solver]
        return SplitOptions(
            lam=lam,
            loss_scale=self.loss_scale,
            solver=self.solver,
            bias=self.bias,
            tol=float(self.tol),
            max_iter=int(steps if self.max_iter is None else self.max_iter),
            batch_size=int(self.batch_size),
            bias_scale=float(self.bias_scale),
            faithful=bool(self.faithful),
            split=self.split,
            path=path,
            refine_lam=None if self.refine_lam is None else float(self.refine_lam),
        )

    def _build(self, samples, rows, seed):
        self.lam_ = self.lam
        self.__dict__.pop("tuning_", None)
        if self.lam == "auto":

            def build(part, lam, path):
                return self._vote(samples, part, self._split_options(lam), path, None)[0]

            self.lam_, self.tuning_ = choose_lam(
                samples, rows, self.loss_scale, build, seed, self.n_jobs, self._progress
            )
        if self.lam == "path":
            counts = samples.count(rows)
            self.lam_ = PARTS[0] * ceiling(samples, rows, counts, self.loss_scale)
        options = self._split_options(float(self.lam_), path=self.lam == "path")
        model, grown = self._vote(samples, rows, options, seed, self.n_jobs, self._progress)
        self.certificates_ = [part.certificates for part in grown]
        self.pruning_paths_ = [part.pruning for part in grown if part.pruning is not None]
        self.refinements_ = [part.refinement for part in grown if part.refinement is not None]
        return model, [done for part in grown for done in part.converged]

    def _progress(self, jobs=None, **options):
        name = type(self).__name__
        return tqdm(jobs, disable=not self.verbose, desc=name, leave=False, **options)

    def _vote(self, samples, rows, options, seed, n_jobs, progress=None):
        """Grow one tree, or one a pair of classes."""
        limits = {
            "prune_fraction": float(self.prune_fraction),
            "min_fraction": self.min_fraction,
            "max_depth": self.max_depth,
            "shrinkage": float(self.shrinkage),
            "refine": int(self.refine),
        }
        single = self.multiclass == "native" or samples.n_classes == 2
        if self.n_trees > 1:
            if not single:
                raise ValueError(
                    "n_trees of HLSVMClassifier must be 1 with multiclass='ovo' and more than two "
                    f"classes. Got {self.n_trees!r}."
                )
            jobs = n_jobs, progress or list, int(self.n_trees)
            grown = fit_bagged(samples, rows, options, seed, *jobs, **limits)
            return MeanTrees([part.tree for part in grown]), grown
        if single:
            if progress is not None:
                with progress(total=len(rows), unit="row") as bar:
                    grown = fit_tree(
                        samples,
                        rows,
                        options,
                        seed,
                        n_jobs=n_jobs,
                        on_rows_done=bar.update,
                        **limits,
                    )
            else:
                grown = fit_tree(samples, rows, options, seed, **limits)
            return OneTree(grown.tree), [grown]
        grown = fit_pairwise(samples, rows, options, seed, n_jobs, progress or list, **limits)
        return PairwiseTrees([part.tree for part in grown], samples.n_classes), grown
