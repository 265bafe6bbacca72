"""A Pipeline of scalers before trees, folded into the trees: they then take rows as they are."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from hlsvm.trees._columns import Columns
from hlsvm.trees._forest import Forest
from hlsvm.trees._intake import Intake
from hlsvm.trees.tree import HyperplaneTree

_SERVED = "StandardScaler, MinMaxScaler(clip=False), MaxAbsScaler, RobustScaler, 'passthrough'"


def _affine(name: str, step) -> tuple[np.ndarray | float, np.ndarray | float]:
    """Factor and shift of every column that a fitted scaler applies.

    Raises
    ------
    TypeError
        The step is no such scaler.
    """
    if step is None or step == "passthrough":
        return 1.0, 0.0
    if isinstance(step, MinMaxScaler) and not step.clip:
        return step.scale_, step.min_
    if isinstance(step, MaxAbsScaler) and not getattr(step, "clip", False):
        return 1.0 / step.scale_, 0.0
    if isinstance(step, StandardScaler | RobustScaler):
        standard = isinstance(step, StandardScaler)
        centred = step.with_mean if standard else step.with_centering
        centre = (step.mean_ if standard else step.center_) if centred else 0.0
        scale = 1.0 if step.scale_ is None else step.scale_
        return 1.0 / scale, -centre / scale
    raise TypeError(
        f"Step {name!r} of the Pipeline cannot be folded into hyperplanes. Served are {_SERVED} "
        f"and selectors of features (with get_support). Got {step}."
    )


class _Scaling:
    """What the steps do together: column k is ``factor[k] * x[source[k]] + shift[k]``."""

    def __init__(self, steps, n_features: int):
        self.steps = [step for _, step in steps if step not in (None, "passthrough")]
        self.n_features = n_features
        self.source = np.arange(n_features)
        self.factor, self.shift = np.ones(n_features), np.zeros(n_features)
        for name, step in steps:
            if hasattr(step, "get_support"):
                kept = np.flatnonzero(step.get_support())
                self.source, self.factor = self.source[kept], self.factor[kept]
                self.shift = self.shift[kept]
                continue
            factor, shift = _affine(name, step)
            self.factor, self.shift = self.factor * factor, self.shift * factor + shift

    def transform(self, X) -> np.ndarray:
        """Rows as the trees of the Pipeline see them, to the bit."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that these rows have no names
            for step in self.steps:
                X = np.asarray(step.transform(X))
        return X

    def spread_out(self, values, fill: float) -> np.ndarray:
        """Return values of the trees' columns at the columns of the rows."""
        out = np.full(self.n_features, fill)
        out[self.source] = values
        return out


def _thresholds(scaling: _Scaling, column, offset) -> np.ndarray:
    """Largest numbers t of every comparison for which ``scaled(t) + offset > 0`` does not hold.

    Scaling rounds, but never turns the order of two numbers: halving the numbers there are finds
    the one at which the comparison turns, to the bit.
    """
    info = np.finfo(offset.dtype)
    whole = np.int32 if offset.dtype == np.float32 else np.int64
    turn = np.iinfo(whole).min

    def number(key):  # keys are the floating-point numbers in their order
        bits = np.where(key < 0, turn - key - 1, key).astype(whole)
        return np.clip(bits.view(offset.dtype), info.min, info.max)

    top = np.array(info.max).view(whole).item()
    low = np.full(len(column), -top - 1, dtype=object)
    high = np.full(len(column), top, dtype=object)
    each = np.arange(len(column))
    for _ in range(np.iinfo(whole).bits + 1):
        middle = (low + high) // 2
        rows = np.zeros((len(column), scaling.n_features), offset.dtype)
        rows[each, scaling.source[column]] = number(middle.astype(whole))
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = scaling.transform(rows)[each, column].astype(offset.dtype)
            above = scaled + offset > 0
        high = np.where(above, middle, high)
        low = np.where(above, low, middle)
    return number(low.astype(whole))


def _folded(tree: HyperplaneTree, scaling: _Scaling) -> HyperplaneTree:
    weights = np.zeros((len(tree.weights), scaling.n_features))
    weights[:, scaling.source] = tree.weights * scaling.factor
    offsets = tree.offsets.astype(np.float64)
    planes, held = tree.plane >= 0, np.flatnonzero(tree.feature >= 0)
    offsets[planes] += (tree.weights @ scaling.shift)[tree.plane[planes]]
    offsets = offsets.astype(tree.offsets.dtype)
    feature = tree.feature.copy()
    if len(held):
        offsets[held] = -_thresholds(scaling, tree.feature[held], tree.offsets[held])
        feature[held] = scaling.source[tree.feature[held]]
    arrays = tree.to_arrays() | {"feature": feature, "offsets": offsets}
    arrays["weights"] = weights.astype(tree.weights.dtype)
    return HyperplaneTree.from_arrays(**arrays)


def folded_forest(pipeline) -> Forest:
    """Trees that decide about the rows a fitted Pipeline takes as it does.

    Comparisons decide alike to the bit; a hyperplane but for rows within the rounding of its dot
    product.

    Raises
    ------
    TypeError
        The Pipeline does not end in a classifier of `hlsvm.trees`, a step is no scaler, or the
        tree met gaps or categories.
    """
    last = pipeline.steps[-1][1]
    inner = Forest.of(last)
    if Intake.of(last) is not None:
        raise TypeError(
            "The tree at the end of the Pipeline was fitted on gaps or categories, through which "
            "scalers are not folded. Fit it without a Pipeline: it scales by itself."
        )
    scaling = _Scaling(pipeline.steps[:-1], getattr(pipeline, "n_features_in_", inner.n_features))
    names = getattr(pipeline, "feature_names_in_", None)
    given, factor, shift = inner.columns, scaling.factor, scaling.shift
    low, high, mean = ((v - shift) / factor for v in (given.low, given.high, given.mean))
    stays = [scaling.spread_out(v, 0.0) for v in (low, high, mean, given.spread / factor)]
    columns = Columns(*stays, None if names is None else tuple(map(str, names)))
    return inner.with_trees([_folded(tree, scaling) for tree in inner.trees], columns)


def forest_of(model) -> Forest:
    """Trees of a fitted classifier, or of a Pipeline of scalers that ends in one.

    Raises
    ------
    TypeError
        It is neither.
    sklearn.exceptions.NotFittedError
    """
    return folded_forest(model) if isinstance(model, Pipeline) else Forest.of(model)
