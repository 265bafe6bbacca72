"""Kinds of input: values for a parameter, rows, labels and weights, good, bad and odd.

Rows are small integers, so that every number type holds them exactly. A twin says the same as the
plain rows or labels in another form: it must be answered alike. A kind is a pair of its name and a
function of the plain value, so that every probe has an object of its own.
"""

import tempfile
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
from scipy import sparse

VALUES = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "numpy bool": lambda: np.True_,
    **{f"{value!r}": lambda value=value: value for value in (0, 1, 2, 3, 7, -1, -2, -(2**63))},
    **{f"2**{power}": lambda power=power: 2**power for power in (31, 32, 40, 53, 63, 64)},
    "2**63 - 1": lambda: 2**63 - 1,
    "10**30": lambda: 10**30,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    **{
        f"{value!r}": lambda value=value: value
        for value in (0.0, 0.5, 1.0, 2.5, -0.5, 1e-320, 1e-300, 1e-17, 1e-9, 1e9, 1e30, 1e300)
    },
    **{f"{v!r}": lambda v=v: v for v in (1e308, float("nan"), float("inf"), -float("inf"))},
    "text": lambda: "nonsense",
    "empty text": lambda: "",
    "number as text": lambda: "1",
    "bytes": lambda: b"svm",
    "empty list": list,
    "list": lambda: [1, 2],
    "nested list": lambda: [[1, 2], [3]],
    "tuple": lambda: (1.0, 2.0),
    "dict": lambda: {0: 1.0, 1: 2.0},
    "dict of text": lambda: {"a": "b"},
    "set": lambda: {1},
    "object": object,
    "function": lambda: lambda *_: 1.0,
    "type": lambda: float,
    "complex": lambda: 1j,
    "Decimal": lambda: Decimal("0.5"),
    "Fraction": lambda: Fraction(1, 2),
    "float32": lambda: np.float32(0.5),
    "int64": lambda: np.int64(2),
    "numpy nan": lambda: np.float64("nan"),
    "array of none": lambda: np.array(1.0),
    "array": lambda: np.array([1.0, 2.0]),
    "matrix": lambda: np.eye(3),
    "large array": lambda: np.zeros(10_000),
    "array of text": lambda: np.array(["a", "b"]),
    "date": lambda: np.datetime64("2020-01-01"),
    "pandas NA": lambda: pd.NA,
    "Series": lambda: pd.Series([1.0, 2.0]),
    "RandomState": lambda: np.random.RandomState(0),
    "Generator": lambda: np.random.default_rng(0),
    "range": lambda: range(3),
    "Ellipsis": lambda: ...,
}


def _strided(X):
    wide = np.full((2 * len(X), 2 * X.shape[1]), -1.0)
    wide[::2, ::2] = X
    return wide[::2, ::2]


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _memmap(X):
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file.name, X)
        return np.load(file.name, mmap_mode="r")


def _frame(X):
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])


def _put(X, value):
    X = X.astype(object if not isinstance(value, float) else float)
    X[1, 1] = value
    return X


def _date_frame(X):
    return _frame(X).assign(c1=pd.date_range("2020", periods=len(X)))


ROW_TWINS = {
    "list": lambda X: X.tolist(),
    "tuple of arrays": tuple,
    "Fortran order": np.asfortranarray,
    "strided": _strided,
    "reversed view": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "read-only": _read_only,
    "memmap": _memmap,
    "big endian": lambda X: X.astype(">f8"),
    "object": lambda X: X.astype(object),
    "DataFrame": _frame,
    "DataFrame of Int64": lambda X: _frame(X).astype("Int64"),
    "masked array, nothing masked": lambda X: np.ma.masked_array(X),
    **{
        name: lambda X, name=name: X.astype(name)
        for name in ("float16", "float32", "longdouble", "int8", "int32", "int64", "uint8", ">i2")
    },
}
ROWS = {
    "None": lambda X: None,
    "scalar": lambda X: 1.0,
    "text": lambda X: "nonsense",
    "dict": lambda X: {"a": [1.0, 2.0]},
    "set": lambda X: {1.0, 2.0},
    "object": lambda X: object(),
    "generator": lambda X: (row for row in X),
    "empty": lambda X: [],
    "one dimension": lambda X: X[0],
    "three dimensions": lambda X: X[None],
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "one row": lambda X: X[:1],
    "one column": lambda X: X[:, :1],
    "one column more": lambda X: np.column_stack([X, X[:, 0]]),
    "half the rows": lambda X: X[: len(X) // 2],
    "ragged": lambda X: [[1.0, 2.0], [3.0]],
    "NaN": lambda X: _put(X, np.nan),
    "infinity": lambda X: _put(X, np.inf),
    "float32 infinity": lambda X: _put(X, -np.inf).astype(np.float32),
    "None inside": lambda X: _put(X, None),
    "text inside": lambda X: _put(X, "a"),
    "array inside": lambda X: _put(X, (1, 2)),
    "huge integer inside": lambda X: _put(X, 10**400),
    "text everywhere": lambda X: np.full(X.shape, "a"),
    "bytes everywhere": lambda X: np.full(X.shape, b"a"),
    "dates": lambda X: X.astype("datetime64[D]"),
    "time spans": lambda X: X.astype("timedelta64[s]"),
    "DataFrame with dates": _date_frame,
    "DataFrame with text": lambda X: _frame(X).assign(c1="a"),
    "DataFrame with categories": lambda X: _frame(X).assign(c1=pd.Categorical(["a"] * len(X))),
    "DataFrame with NA": lambda X: _frame(X).astype("Int64").replace(1, pd.NA),
    "Series": lambda X: pd.Series(X[:, 0]),
    "complex": lambda X: X.astype(complex),
    "structured": lambda X: np.zeros(len(X), dtype=[("a", float), ("b", float)]),
    "sparse": sparse.csr_array,
    "sparse coo": sparse.coo_array,
    "bool": lambda X: X > 7,
    "constant": np.ones_like,
    "zeros": np.zeros_like,
    "1e300": lambda X: X * 1e300,
    "1e150": lambda X: X * 1e150,
    "1e30": lambda X: X * 1e30,
    "1e-300": lambda X: X * 1e-300,
    "subnormal": lambda X: X * 1e-320,
    "widths 1e-12 to 1e12": lambda X: X * np.logspace(-12, 12, X.shape[1]),
}
LABEL_TWINS = {
    "list": lambda y: y.tolist(),
    "tuple": lambda y: tuple(y.tolist()),
    "float": lambda y: y.astype(float),
    "text": lambda y: np.array(["no", "yes"])[y],
    "text as object": lambda y: np.array(["no", "yes"], dtype=object)[y],
    "bytes": lambda y: np.array([b"no", b"yes"])[y],
    "bool": lambda y: y > 0,
    "int8": lambda y: y.astype(np.int8),
    "big endian": lambda y: y.astype(">i4"),
    "uint64 above 2**63": lambda y: y.astype(np.uint64) + np.uint64(2**63),
    "least int64": lambda y: np.array([-(2**63), 2**63 - 1])[y],
    "Series": pd.Series,
    "Series of categories": lambda y: pd.Series(pd.Categorical.from_codes(y, ["no", "yes"])),
    "Series of text": lambda y: pd.Series(np.array(["no", "yes"], dtype=object)[y]),
    "strided": lambda y: np.repeat(y, 2)[::2],
    "read-only": _read_only,
}
LABELS = {
    "None": lambda y: None,
    "scalar": lambda y: 1,
    "text": lambda y: "nonsense",
    "dict": lambda y: {0: 1},
    "object": lambda y: object(),
    "empty": lambda y: [],
    "one short": lambda y: y[:-1],
    "one long": lambda y: np.append(y, 0),
    "two columns": lambda y: np.column_stack([y, y]),
    "three dimensions": lambda y: y[None, None],
    "one class": np.zeros_like,
    "fractions": lambda y: y + np.linspace(0, 0.3, len(y)),
    "NaN": lambda y: np.where(np.arange(len(y)) == 3, np.nan, y),
    "infinity": lambda y: np.where(np.arange(len(y)) == 3, np.inf, y),
    "None inside": lambda y: np.array([None, *y[1:]], dtype=object),
    "text and numbers": lambda y: np.array(["a", *y[1:].tolist()], dtype=object),
    "a list of text and numbers": lambda y: ["a", *y[1:].tolist()],
    "lists inside": lambda y: np.array([[0], *y[1:].tolist()], dtype=object),
    "pandas NA": lambda y: pd.Series(y, dtype="Int64").where(pd.Series(y) > 0),
    "complex": lambda y: y + 0j,
    "dates": lambda y: y.astype("datetime64[D]"),
    "structured": lambda y: np.zeros(len(y), dtype=[("a", float), ("b", float)]),
    "a class each": lambda y: np.arange(len(y)),
    "one row of a class": lambda y: (np.arange(len(y)) == 3).astype(int),
}
WEIGHT_TWINS = {
    "None": lambda y: None,
    "ones": lambda y: np.ones(len(y)),
    "list": lambda y: [1] * len(y),
    "scalar": lambda y: 1.0,
    "float32": lambda y: np.ones(len(y), np.float32),
    "Series": lambda y: pd.Series(np.ones(len(y))),
}
WEIGHTS = {
    "zeros": lambda y: np.zeros(len(y)),
    "negative": lambda y: -np.ones(len(y)),
    "NaN": lambda y: np.full(len(y), np.nan),
    "infinity": lambda y: np.full(len(y), np.inf),
    "one short": lambda y: np.ones(len(y) - 1),
    "two dimensions": lambda y: np.ones((len(y), 2)),
    "text": lambda y: "nonsense",
    "texts": lambda y: ["a"] * len(y),
    "dict": lambda y: {0: 1.0},
    "one class only": lambda y: (y > 0).astype(float),
    "complex": lambda y: np.ones(len(y)) * 1j,
    "dates": lambda y: y.astype("datetime64[D]"),
    "1e300": lambda y: np.full(len(y), 1e300),
    "subnormal": lambda y: np.full(len(y), 1e-320),
}
