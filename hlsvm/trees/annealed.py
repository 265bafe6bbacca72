"""A tree all of whose hyperplanes are trained together."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from hlsvm._params import check_number, check_option, check_scale
from hlsvm.trees._anneal import Annealing, anneal
from hlsvm.trees._base import TreeClassifier
from hlsvm.trees._forest import Forest

__all__ = ["AnnealedTreeClassifier"]


class AnnealedTreeClassifier(TreeClassifier):
    r"""One decision tree of hyperplanes, of a given height, all of them trained together.

    A complete tree of height h starts from random hyperplanes, and its node k sends a row right
    with probability :math:`\sigma(\beta (w_k \cdot x + b_k))`. With q the classes' shares in a
    leaf, the probability of class y is

    .. math::
        P(y \mid x) = \sum_{l} q_{ly} \prod_{k \text{ above } l}
            \sigma(\pm \beta (w_k \cdot x + b_k)),

    and all w, b, q climb :math:`\sum_i \log P(y_i \mid x_i)` by Adam on small batches. Meanwhile
    :math:`\beta` rises from 1 to `sharpness`, so that in the end a row has one leaf that counts:
    the splits are then taken hard, the leaves count their training samples, and nodes that change
    no answer are removed. What is left is a tree as any other: ``x`` goes right where
    ``w.x + b > 0``, and `predict_one`, `export_c`, `export_onnx`, `save_arrays`, `explain` and
    `IntegerTrees` take it as they take the others.

    Parameters
    ----------
    max_depth : int, default=8
        Height h in [1, 14]: most hyperplanes on a path. Time grows with :math:`2^h`.
    max_iter : int or None, default=None
        Passes over the samples. None: 40, and more where that is less than 1,000 steps.
    learning_rate : float, default=0.01
        Step of Adam; it falls to nothing in equal steps.
    weight_decay : float, default=1.0
        By how much weights are drawn to zero: a step multiplies them by one less
        `learning_rate` times this. The regularisation: 1 suits many features (pixels), 0.1 few
        features, many samples and a deep tree.
    sharpness : float, default=8.0
        :math:`\beta` at last, at least 1.
    standardize : bool, default=True
        Whether every feature is brought to variance one. False: the features are divided by one
        number, as becomes pixels. Folded into the hyperplanes.
    batch_size : int, default=256
        Samples of a step.
    class_weight : "balanced", dict or None, default=None
        Multiplies the weight of samples.
    random_state : int, RandomState instance or None, default=None
        Of the first hyperplanes and the order of the samples.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    tree_ : HyperplaneTree
        The tree as flat arrays.
    trees_ : list of HyperplaneTree
        That tree alone.
    classes_ : ndarray of shape (n_classes,)
    certificates_ : tuple
        Empty: the problem has no dual.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    ObliqueTreeClassifier : Grows node by node, chooses its own depth, takes gaps and categories.

    Notes
    -----
    A pass takes about ``n_samples * 2**max_depth * (n_entries + 5)`` multiply-adds twice,
    n_entries being those of a row that are not zero where most of a column are, all otherwise.
    Same seed, same tree on every processor.

    References
    ----------
    M. Jordan, R. Jacobs, "Hierarchical mixtures of experts and the EM algorithm", Neural
    Computation 6, 1994 (the soft tree). A. Suarez, J. Lutsko, "Globally optimal fuzzy decision
    trees", PAMI 21, 1999. I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", ICLR
    2019. Compare S. Panda et al., "Vanilla gradient descent for oblique decision trees", ECAI
    2024.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.trees import AnnealedTreeClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = AnnealedTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> bool(model.predict_one([0.5, 0.5]))
    True
    """

    def __init__(
        self,
        max_depth=8,
        *,
        max_iter=None,
        learning_rate=0.01,
        weight_decay=1.0,
        sharpness=8.0,
        standardize=True,
        batch_size=256,
        class_weight=None,
        random_state=None,
        verbose=False,
    ):
        self.max_depth = max_depth
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.sharpness = sharpness
        self.standardize = standardize
        self.batch_size = batch_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def _check_params(self) -> None:
        def number(name, **limits):
            check_number(self, name, getattr(self, name), **limits)

        number("max_depth", kind=Integral, low=1, high=14)
        number("max_iter", kind=Integral, low=1, high=10**6, options=(None,))
        number("batch_size", kind=Integral, low=1, high=10**9)
        check_scale(self, "learning_rate", self.learning_rate)
        number("learning_rate", high=10)
        number("weight_decay", low=0, high=1 / self.learning_rate)
        number("sharpness", low=1, high=1e6)
        check_option(self, "standardize", self.standardize, (False, True))
        check_option(self, "verbose", self.verbose, (False, True, 0, 1))

    def _build(self, samples, rows, seed):
        how = Annealing(
            max_depth=int(self.max_depth),
            max_iter=None if self.max_iter is None else int(self.max_iter),
            batch_size=int(self.batch_size),
            learning_rate=float(self.learning_rate),
            weight_decay=float(self.weight_decay),
            sharpness=float(self.sharpness),
            standardize=bool(self.standardize),
        )
        title = type(self).__name__ if self.verbose else None
        tree = anneal(samples, np.asarray(rows), how, seed, title)
        self.certificates_ = ()
        return Forest("one", self.classes_, [tree]), []
