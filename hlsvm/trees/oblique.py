"""Trees of hyperplanes and comparisons, one or several: what goes beyond the sources."""

from __future__ import annotations

from numbers import Integral

from hlsvm._params import check_number
from hlsvm.trees._oblique import Oblique

__all__ = ["ObliqueForestClassifier", "ObliqueTreeClassifier"]


class ObliqueTreeClassifier(Oblique):
    r"""Decision tree of hyperplanes and comparisons: H-LSVM and what goes beyond it.

    The tree is that of `HLSVMClassifier` (Thesis ch. 5), whose nodes may compare one feature
    instead, whose thresholds may be moved, whose nodes may be refitted together, and whose leaves
    may draw their answer to that of their ancestors.

    Parameters
    ----------
    lam : float, "auto", "path" or None, default=None
        Regularisation :math:`\lambda > 0` of the hyperplanes. None: chosen on held-out training
        rows, with every one of `split`, `prune_fraction`, `shrinkage` and `refine` that is None
        (see `choices_` and Notes). With any other value these stand for "svm", 0, 0 and 0.
        "auto": the power of ten with the least 5-fold cross-validated error (see `tuning_`).
        "path": chosen in every node, from six values below the one at which all its samples
        violate their margin, by the gain of the hyperplane on a fifth of the node's samples.
    prune_fraction : float or None, default=None
        :math:`\rho` in [0, 1), drawn at random within each class; 0 for no pruning.
    min_fraction : float or None, default=None
        :math:`\delta` in [0, 1]. None: :math:`10^{-\lfloor \log_{10} N \rfloor}` with N the
        samples to grow on.
    max_depth : int or None, default=None
        Most nodes on a path. With hyperplanes 1 is a single linear SVM, 0 the majority.
    split : {"svm", "axis", "best"} or None, default=None
        "svm": every node is a hyperplane, as in the sources. "axis": every node compares the one
        feature with the threshold that lower the entropy most (CART). "best": whichever of the
        two lowers it more. A comparison costs one operation where a hyperplane costs n_features:
        see `n_operations`.
    loss_scale : {"mean", "sum"}, default="mean"
        "mean" is the objective as written, which gives the published numbers; "sum" leaves out
        the factor :math:`1/N_k`, so that small nodes are not less regularised than large ones.
    bias : {"auto", "svm", "gain"}, default="auto"
        "svm": b as the SVM gives it, as in the sources. "gain": b placed anew along w, where the
        entropy falls most. "auto": the SVM's b unless it gains less than a tenth of what the best
        one does, as it happens where :math:`\lambda` is so large that w only points from one
        mean to the other; results then depend far less on :math:`\lambda`.
    shrinkage : float or None, default=None
        Strength s >= 0 with which the class shares of a node are drawn to those of its ancestors
        (see `HyperplaneTree.shares`): a leaf of a few samples among many of the other class then
        answers with them. Splits whose sides answer the same are undone. 0: the majority of the
        leaf, as in the sources. 10 to 300 lowered both error and cost on all sets tried.
    refine : int or None, default=None
        Passes of tree alternating optimization (Carreira-Perpinan and Tavallali, 2018) over the
        grown tree, before it is pruned: every node is refitted on the samples whose fate it
        decides and changed where that lowers the training error; idle nodes are removed. A
        coarse tree (`min_fraction` of 0.002 to 0.01) has most to gain; 4 to 12 passes do.
        See `refinements_`.
    standardize : bool or None, default=None
        Whether trees grow on features of mean zero and variance one. The scaling is folded into
        the hyperplanes, so that predictions and exports take rows as they are. None: yes where
        `lam` is None.
    refine_lam : float or None, default=None
        Regularisation of the first of these passes; it falls to a twentieth by the last. None:
        :math:`\lambda/10`.
    tol : float, default=0.01
        Relative duality gap of a split. Smaller ones cost time and lowered no error beyond noise
        (``hlsvm bench tree_tolerance``).
    max_iter : int or None, default=None
        Passes over the samples of the root (None: 100); a node of n of N samples may take
        :math:`\sqrt{N/n}` times as many.
    multiclass : {"native", "ovo"}, default="native"
        One tree for all classes, or one for each pair and a vote (Thesis 5.3.2). See Notes.
    class_weight : "balanced", dict or None, default=None
        Multiplies the weight of samples in the entropy, the shares, the leaves and the pruning.
        In a split with two classes Eq. 5.3 evens it out.
    categorical_features : array-like of int, str or bool, or None, default=None
        Columns that hold categories, by number, name or mask, besides those of pandas' dtype
        "category". See Notes.
    memory_budget : int or None, default=None
        Bytes of rows of X that a thread may copy into memory at a time, for an X on disk (a
        C-contiguous `numpy.memmap` of float32 or float64). Nodes whose rows fit are copied and
        grow in memory; in larger ones hyperplanes are trained block by block (and nothing is
        chosen: a `lam` of None is 1e-5). Besides, some 60
        bytes a row are held (labels, weights, norms, dual variables). None: X is read in place.
    random_state : int, RandomState instance or None, default=None
        Of the held-out share and of the solvers. Every node has a seed of its own, derived from
        the path that leads to it.
    n_jobs : int or None, default=None
        Threads over the subtrees of a tree, over pairs of classes, and over the cross-validation
        of `lam`. Changes no bit.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    tree_ : HyperplaneTree
        The tree as flat arrays; with a vote there is `trees_` only.
    trees_ : list of HyperplaneTree
        One tree, or one for each of the pairs (0, 1), (0, 2), ... of classes.
    classes_ : ndarray of shape (n_classes,)
    lam_ : float
        :math:`\lambda` used; with "path" the largest one tried in the root.
    choices_ : list of Choice
        With ``lam=None``: the form of the tree, its pruning and shrinkage, their held-out score
        and error; one an entry of `trees_` where pairs of classes vote.
    tuning_ : dict of ndarray
        With ``lam="auto"``: "lam", "error", "n_hyperplanes" of what was tried.
    certificates_ : tuple of SplitCertificate
        As of `HLSVMClassifier`.
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
    HLSVMClassifier : The sources' method; its notes tell how classes are gathered in a node.
    ObliqueForestClassifier : Several such trees.

    Notes
    -----
    **What is chosen.** With ``lam=None`` the tree is one of some twenty forms: a single linear SVM
    of six regularisations, alone or with a tree on either side; comparisons alone; hyperplanes,
    with and without comparisons, of regularisations around the best decade, with and without
    refinement; on features of variance one, or only centred. Each grows on a training part, and on
    the held-out rows (a fifth; all rows in turn where there are few) prunings from the whole tree
    down to the majority and six strengths of shrinkage are judged by error rate + log loss / 2
    (below 2,000 rows + log loss / 10, and of what is within half a standard error of the best the
    tree with fewest leaves is taken). The best then grows on all rows, and its shares are raised to
    the power that fits the held-out rows best. Rows of equal content are held out together.

    **Gaps, categories, sparse rows.** NaN stands for a number that lacks. It counts as the mean of
    its column; where the classes differ in whether it lacks (Pearson's test, 0.1 %), the column
    gets a companion, one where the number lacks, which comparisons may ask and to which every
    hyperplane gives a weight of its own. Categories are ranked by the mean of the class; one that
    the fit has not met counts as lacking. A model that met neither refuses NaN. Sparse rows are
    written out and answered as dense ones. C, ONNX and files carry all of it: see `export_c`,
    `export_onnx` and `save_arrays`; integer trees take rows as `encode` gives them.

    References
    ----------
    Thesis ch. 5 and 7.1. M. A. Carreira-Perpinan, P. Tavallali, "Alternating optimization of
    decision trees", NeurIPS 2018. A. Agarwal et al., "Hierarchical shrinkage", ICML 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import ObliqueTreeClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> bool(model.predict_one([0.5, 0.5]))
    True
    """

    def __init__(
        self,
        lam=None,
        *,
        prune_fraction=None,
        min_fraction=None,
        max_depth=None,
        split=None,
        loss_scale="mean",
        bias="auto",
        shrinkage=None,
        refine=None,
        standardize=None,
        refine_lam=None,
        tol=1e-2,
        max_iter=None,
        multiclass="native",
        class_weight=None,
        categorical_features=None,
        memory_budget=None,
        random_state=None,
        n_jobs=None,
        verbose=False,
    ):
        self._keep_parameters(locals())


class ObliqueForestClassifier(Oblique):
    """Several oblique trees whose leaf shares are averaged.

    Every tree grows on a random four fifths of every class. A decision costs the sum of theirs.

    Parameters
    ----------
    n_trees : int, default=30
        Trees; 1 is one tree on all samples.
    lam, prune_fraction, min_fraction, max_depth, split, loss_scale, bias, shrinkage, refine, \
    refine_lam, tol, max_iter, class_weight, categorical_features, memory_budget, random_state, \
    n_jobs, verbose
        Of every tree, see `ObliqueTreeClassifier`. `n_jobs` are threads over the trees.

    Attributes
    ----------
    trees_ : list of HyperplaneTree
    classes_ : ndarray of shape (n_classes,)
    lam_, tuning_, certificates_, pruning_paths_, refinements_
        As of `ObliqueTreeClassifier`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    ObliqueTreeClassifier : One tree.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import ObliqueForestClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = ObliqueForestClassifier(3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_trees=30,
        *,
        lam=None,
        prune_fraction=None,
        min_fraction=None,
        max_depth=None,
        split=None,
        loss_scale="mean",
        bias="auto",
        shrinkage=None,
        refine=None,
        standardize=None,
        refine_lam=None,
        tol=1e-2,
        max_iter=None,
        class_weight=None,
        categorical_features=None,
        memory_budget=None,
        random_state=None,
        n_jobs=None,
        verbose=False,
    ):
        self._keep_parameters(locals())

    def _check_params(self) -> None:
        super()._check_params()
        check_number(self, "n_trees", self.n_trees, kind=Integral, low=1, high=100_000)

    def _limits(self) -> dict:
        return super()._limits() | {"n_trees": int(self.n_trees)}
