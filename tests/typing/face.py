"""Code as a user writes it: `test_face.py` has mypy check it in strict mode; it never runs."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from hlsvm import HLSVMClassifier, ObliqueForestClassifier, ObliqueTreeClassifier
from hlsvm.trees import (
    Explanation,
    HyperplaneTree,
    IntegerTrees,
    SavedTrees,
    explain,
    export_c,
    export_text,
    load_arrays,
    save_arrays,
)


def use(X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    """Fit, answer, read, ship."""
    model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    assert_type(model, ObliqueTreeClassifier)
    assert_type(HLSVMClassifier(1e-3).fit(X, y), HLSVMClassifier)
    assert_type(ObliqueForestClassifier(3).fit(X, y), ObliqueForestClassifier)
    assert_type(model.predict(X), NDArray[Any])
    assert_type(model.predict_proba(X), NDArray[np.float64])
    assert_type(model.decision_function(X), NDArray[np.float64])
    assert_type(model.apply(X), NDArray[np.int32])
    assert_type(model.feature_importances_, NDArray[np.float64])
    assert_type(model.get_depth(), int)
    assert_type(model.trees_, list[HyperplaneTree])
    why = explain(model, X[0])
    assert_type(why, Explanation)
    assert_type(why.steps[0].terms[0].contribution, float)
    assert_type(export_text(model), str)
    assert_type(export_c(model, integers=16), str)
    assert_type(IntegerTrees(model).certain(X), NDArray[np.bool_])
    path = save_arrays(model, "model.npz")
    assert_type(path, Path)
    assert_type(load_arrays(path), SavedTrees)
