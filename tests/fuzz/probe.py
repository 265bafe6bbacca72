"""Probes and their verdicts: a clear error, an answer, or one of three failures.

A probe calls an estimator or a function with one argument of an odd kind, the others right. It must
end within a limit, either with an error that names the argument or with a finite answer, the same
answer as the plain input has where the kind says the same in another form.
"""

import inspect
import re
import traceback
import warnings
from dataclasses import dataclass
from functools import cache
from types import GeneratorType

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError

from . import kinds, surface

_DATA = {"X", "x", "X_train", "points", "y", "sample_weight"}
# scikit-learn's words for rows and labels, where it names neither
_ABOUT_DATA = r"Complex|array|sample|feature|sparse|row|label|class|Input contains"
# Fits that choose settings in the precision of the rows: near a tie float32 may choose others.
_CHOOSES = {"ObliqueTreeClassifier", "ObliqueForestClassifier"}
CLEAR, ANSWER, RAW, HANG, WRONG = "clear error", "answer", "raw error", "hang", "wrong answer"


@dataclass(frozen=True)
class Probe:
    """One call: `owner` by name, `method` of an estimator, the argument and the kind of value."""

    owner: str
    method: str
    argument: str
    kind: str

    def __str__(self):
        return f"{self.owner}.{self.method}({self.argument}={self.kind})"


@dataclass(frozen=True)
class Verdict:
    """What a probe ended in, and why."""

    probe: Probe
    outcome: str
    why: str = ""


def probes():
    """All probes of the public surface, in a fixed order."""
    return [*_estimator_probes(), *_function_probes()]


def _estimator_probes():
    for name in surface.estimators():
        for parameter in surface.parameters(name):
            yield from (Probe(name, "fit", parameter, kind) for kind in kinds.VALUES)
        fit = inspect.signature(surface.estimators()[name].fit).parameters
        yield from (Probe(name, "fit", "X", kind) for kind in (*kinds.ROW_TWINS, *kinds.ROWS))
        yield from (Probe(name, "fit", "y", kind) for kind in (*kinds.LABEL_TWINS, *kinds.LABELS))
        if "sample_weight" in fit:
            weights = (*kinds.WEIGHT_TWINS, *kinds.WEIGHTS)
            yield from (Probe(name, "fit", "sample_weight", kind) for kind in weights)
        rows, bare = surface.methods(name)
        for method in rows:
            known = (*kinds.ROW_TWINS, *kinds.ROWS)
            yield from (Probe(name, method, "X", kind) for kind in known)
        yield from (Probe(name, method, "", "before fit") for method in (*rows, *bare))


def _function_probes():
    for name in surface.functions():
        for argument in surface.arguments(name):
            rows = (*kinds.ROW_TWINS, *kinds.ROWS) if argument in ("X", "X_train") else ()
            labels = (*kinds.LABEL_TWINS, *kinds.LABELS) if argument == "y" else ()
            known = dict.fromkeys((*rows, *labels, *kinds.VALUES))
            yield from (Probe(name, "", argument, kind) for kind in known)


def judge(probe):
    """Make the call and say what came of it."""
    warnings.simplefilter("ignore")
    try:
        fault = _call(probe)
    except Exception as error:
        if _is_clear(probe, error):
            return Verdict(probe, CLEAR, f"{type(error).__name__}: {error}")
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{where.filename.split('site-packages/')[-1]}:{where.lineno}"
        return Verdict(probe, RAW, f"{type(error).__name__}: {error} [{place}]"[:400])
    return Verdict(probe, WRONG, fault) if fault else Verdict(probe, ANSWER)


def _is_clear(probe, error):
    from hlsvm.datasets import DataUnavailable

    if probe.kind == "before fit":
        return isinstance(error, NotFittedError)
    if not isinstance(error, ValueError | TypeError | DataUnavailable | OSError):
        return False
    words = [rf"\b{re.escape(probe.argument)}\b", r"The '\w+' parameter"]  # or one it clashes with
    if probe.argument == "path":
        words.append(r"nonsense|^\S+ is not a readable|No such file")
    if probe.owner.startswith("datasets.") and probe.argument == "name":
        words.append("No data set is called")
    if probe.argument in _DATA:
        words.append(_ABOUT_DATA)
    return re.search("|".join(words), str(error)) is not None


def _call(probe):
    """Return what is wrong with the answer, or None."""
    return _call_estimator(probe) if probe.method else _call_function(probe)


def _call_estimator(probe):
    X, y = surface.problem()
    name, kind = probe.owner, probe.kind
    if kind == "before fit":
        rows = surface.methods(name)[0]
        getattr(surface.make(name), probe.method)(*([X] if probe.method in rows else []))
        return f"{probe.method} answers before fit"
    if probe.method != "fit":
        given = {**kinds.ROW_TWINS, **kinds.ROWS}[kind](X)
        answer = getattr(_fitted(name), probe.method)(_one_row(given, probe.method))
        twin = kind in kinds.ROW_TWINS
        return _fault(answer, _plain_answer(name, probe.method) if twin else None)
    if probe.argument == "X":
        given = {**kinds.ROW_TWINS, **kinds.ROWS}[kind](X)
        plain = surface.make(name).fit(given, y)
        twin = kind in kinds.ROW_TWINS and not (kind == "float32" and name in _CHOOSES)
        return _fault(_summary(plain, X), _plain_summary(name) if twin else None)
    if probe.argument == "y":
        given = {**kinds.LABEL_TWINS, **kinds.LABELS}[kind](y)
        model = surface.make(name).fit(X, given)
        return _fault(
            _summary(model, X), _plain_summary(name) if kind in kinds.LABEL_TWINS else None
        )
    if probe.argument == "sample_weight":
        given = {**kinds.WEIGHT_TWINS, **kinds.WEIGHTS}[kind](y)
        model = surface.make(name).fit(X, y, sample_weight=given)
        same = kind in kinds.WEIGHT_TWINS
        return _fault(_summary(model, X), _plain_summary(name) if same else None)
    value = kinds.VALUES[kind]()
    return _fault(_summary(surface.make(name, **{probe.argument: value}).fit(X, y), X))


def _one_row(given, method):
    many = isinstance(given, np.ndarray | list) and len(given) > 0
    return given[0] if method == "predict_one" and many else given


@cache
def _fitted(name):
    return surface.make(name).fit(*surface.problem())


@cache
def _plain_answer(name, method):
    X = surface.problem()[0]
    return getattr(_fitted(name), method)(_one_row(X, method))


@cache
def _plain_summary(name):
    return _summary(_fitted(name), surface.problem()[0])


def _summary(model, X):
    """What the model says: places of the predicted classes, the ranking, or features."""
    columns = getattr(model, "n_features_in_", X.shape[1])
    X = X[:, :columns] if columns <= X.shape[1] else np.column_stack([X, X[:, 0]])
    if hasattr(model, "predict"):
        classes = {label: place for place, label in enumerate(model.classes_.tolist())}
        return np.array([classes[label] for label in model.predict(X).tolist()])
    return model.ranking_ if hasattr(model, "ranking_") else model.transform(X)


def _call_function(probe):
    name = probe.owner
    if probe.argument in ("X", "X_train"):
        table = {**kinds.VALUES, **kinds.ROW_TWINS, **kinds.ROWS}
        value = table[probe.kind](surface.problem()[0]) if probe.kind not in kinds.VALUES else None
        twin = probe.kind in kinds.ROW_TWINS and probe.argument == "X"
    elif probe.argument == "y":
        table = {**kinds.VALUES, **kinds.LABEL_TWINS, **kinds.LABELS}
        value = table[probe.kind](surface.problem()[1]) if probe.kind not in kinds.VALUES else None
        twin = False
    else:
        table, value, twin = kinds.VALUES, None, False
    if value is None and probe.kind in kinds.VALUES:
        value = kinds.VALUES[probe.kind]()
    call = surface.right_call(name) | {probe.argument: value}
    return _fault(_run(name, call), _run(name, surface.right_call(name)) if twin else None)


def _run(name, call):
    """Call with arguments by place where the function allows no name."""
    function = surface.functions()[name]
    answer = function(**call)
    return list(answer) if isinstance(answer, GeneratorType) else answer


def _fault(answer, plain=None):
    """Return what is wrong with an answer: numbers that are none, or another than the plain one."""
    numbers = list(_numbers(answer))
    if any(np.isnan(part).any() for part in numbers):
        return "NaN in the answer"
    if plain is not None:
        plain = list(_numbers(plain))
        if len(plain) != len(numbers) or not all(
            np.array_equal(a, b) for a, b in zip(numbers, plain, strict=True)
        ):
            return "another answer than the plain input has"
    return None


def _numbers(answer):
    if isinstance(answer, list | tuple):
        for part in answer:
            yield from _numbers(part)
    elif isinstance(answer, int | float | np.number):
        yield np.asarray(answer, dtype=float)
    elif isinstance(answer, pd.DataFrame | pd.Series):
        yield from _numbers(answer.to_numpy())
    elif isinstance(answer, np.ndarray) and answer.dtype.kind in "iuf":
        yield answer.astype(float)
