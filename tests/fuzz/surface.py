"""What is probed: every public estimator and function, with a call of each that is right.

Estimators, their parameters and methods, and the functions' arguments are read from signatures.
Only the right values of arguments without a default are listed here, by the argument's name.
"""

import inspect
from functools import cache
from importlib import import_module

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.svm import SVC

ROOMS = ("bounds", "datasets", "datasets.synthetic", "trees", "select", "regions", "linear",
         "subclass", "extract", "blocks", "certified", "tuning")  # fmt: skip


@cache
def problem():
    """Forty rows of small integers that are not separable, and labels 0 and 1."""
    rng = np.random.RandomState(5)
    X = rng.randint(0, 16, size=(40, 4)).astype(float)
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(scale=2, size=40) > 11).astype(int)
    return X, y


def _public(room):
    module = import_module(f"hlsvm.{room}")
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    return {name: getattr(module, name) for name in names}


@cache
def estimators():
    """Every public estimator, by name."""
    return {
        name: kind
        for room in ROOMS
        for name, kind in _public(room).items()
        if inspect.isclass(kind) and issubclass(kind, BaseEstimator)
    }


@cache
def functions():
    """Every public function, by room and name."""
    return {
        f"{room}.{name}": function
        for room in ROOMS
        for name, function in _public(room).items()
        if inspect.isfunction(function)
    }


def make(name, **params):
    """Return a new estimator; its seed is fixed where it has one."""
    kind = estimators()[name]
    known = inspect.signature(kind).parameters
    return kind(**{"random_state": 0} | params) if "random_state" in known else kind(**params)


def parameters(name):
    """Names of the constructor's parameters."""
    return list(inspect.signature(estimators()[name]).parameters)


def methods(name):
    """Public methods that take rows alone, and those that take nothing."""
    rows, bare = [], []
    for method, function in inspect.getmembers(estimators()[name], callable):
        if method.startswith(("_", "fit", "set_", "get_params", "get_metadata", "score")):
            continue
        if isinstance(inspect.getattr_static(estimators()[name], method), classmethod):
            continue
        needed = list(inspect.signature(function).parameters.values())[1:]
        if needed and needed[0].name in ("X", "x"):
            rows.append(method)
        elif all(p.default is not p.empty for p in needed):
            bare.append(method)
    return rows, bare


@cache
def _fitted():
    from hlsvm import DTSVMClassifier, HLSVMClassifier
    from hlsvm.chapters.given_trees import given_tree

    X, y = problem()
    return {
        "HLSVM": HLSVMClassifier(lam=1e-3, random_state=0).fit(X, y),
        "plain": given_tree(lam=1e-3, bias="svm", tol=1e-9, random_state=0).fit(X, y),
        "DTSVM": DTSVMClassifier(1.0, 0.1, climb=False, random_state=0).fit(X, y),
    }


def _words():
    """Right values by the argument's name, each made anew."""
    X, y = problem()
    Q = np.cov(X, rowvar=False)
    return {
        "X": X.copy, "x": X[0].copy, "X_train": X.copy, "y": y.copy,
        "labels": lambda: np.array([1, -1, 1]), "codes": y.copy,
        "y_true": y.copy, "y_pred": y.copy, "first": y.copy, "second": y.copy,
        "reduced": lambda: np.array([1, 2]), "true": lambda: np.array([2, 3]),
        "points": lambda: np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 0.0]]),
        "model": lambda: _fitted()["HLSVM"], "tree": lambda: _fitted()["HLSVM"].tree_,
        "machines": _machines, "bounds": _bounds, "nats": lambda: {"planes": 3.0},
        "standardizer": _standardizer, "dataset": _dataset, "shares": lambda: np.array([0.5, 0.5]),
        "errors": lambda: 3, "n": lambda: 40, "log_delta": lambda: -3.0, "n_features": lambda: 4,
        "n_leaves": lambda: 3, "effective": lambda: 2.0, "depth": lambda: 3, "R": lambda: 2.0,
        "failures": lambda: 2, "draws": lambda: 30, "delta": lambda: 0.1, "q": lambda: 0.2,
        "p": lambda: 0.3, "budget": lambda: 0.1, "lam": lambda: 0.1, "radius": lambda: 2.0,
        "n_iter": lambda: 100, "accuracy": lambda: 0.1, "train_error": lambda: 0.1,
        "vc_dimension": lambda: 5, "name": lambda: "banana_like", "how": lambda: "minmax",
        "redundancy": lambda: 0.2, "relevance": lambda: np.array([0.1, 0.2, 0.3, 0.4]),
        "Q": Q.copy, "size": lambda: 2, "floor": lambda: 0.1, "sample": lambda: np.array([0, 2]),
        "block": Q[[0, 2]].copy, "approximation": lambda: _select().truncated(Q, 0.1),
        "n_rows": lambda: 2, "sampling": lambda: "uniform", "n_bins": lambda: 3,
        "similarity": lambda: _select().similarity_of(X, "pearson"), "span": lambda: 6.0,
        "random_state": lambda: np.random.RandomState(0), "rows": Q.copy, "alpha": lambda: 0.5,
        "edges": lambda: _select().value_edges(X), "linear": lambda: np.full(4, 0.5),
        "low_rank": lambda: _select().truncated(Q, 0.1), "n_classes": lambda: 2,
        "ceiling_size": lambda: 10, "method": lambda: "nystroem", "n_components": lambda: 5,
        "C": lambda: 1.0, "gamma": lambda: 0.1, "kernel": _kernel, "upper": lambda: np.ones(len(y)),
        "path": lambda: "model.npz",
    }  # fmt: skip


# Arguments whose name means another thing in one function.
_OTHERS = {
    ("bounds.machines_of", "model"): lambda: _fitted()["DTSVM"],
    ("bounds.support_vector_bound", "model"): lambda: _fitted()["plain"],
    ("bounds.margin_bound", "svm"): lambda: SVC(gamma=0.1).fit(*problem()),
    ("bounds.fit_best_with_bound", "models"): lambda: [_fitted()["HLSVM"]],
    ("datasets.registered_name", "text"): lambda: "banana_like",
    ("bounds.lemma_5_2", "y"): lambda: _fitted()["HLSVM"].predict(problem()[0]),
    ("bounds.theorem_7", "machines"): lambda: [import_module("hlsvm.bounds").LocalSVM(2.0, 0.0)],
    ("trees.load_arrays", "path"): lambda: _saved(),
    ("select.alpha_hat", "relevance"): lambda: 0.3,
    ("select.simplex_qp", "rows"): lambda: lambda k: np.eye(4)[k],
    ("select.similarity_of", "similarity"): lambda: "pearson",
    ("subclass.solve_kernel_svm", "y"): lambda: np.where(problem()[1] > 0, 1.0, -1.0),
    ("blocks.predict_blocks", "X"): lambda: _dask(),
    ("blocks.predict_blocks", "method"): lambda: "predict",
    ("blocks.predict_blocks", "rows"): lambda: 10,
    ("trees.export_c", "path"): lambda: None,
    ("trees.export_c", "name"): lambda: "hlsvm",
    ("trees.export_onnx", "path"): lambda: None,
    ("certified.certify", "svm"): lambda: SVC(gamma=0.1).fit(*problem()),
}


def right_call(name):
    """Arguments with which the function answers: those without a default, and `name` and `n`."""
    words = _words()
    call = {}
    for argument, parameter in inspect.signature(functions()[name]).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        right = _OTHERS.get((name, argument), words.get(argument))
        if parameter.default is parameter.empty or (argument == "n" and right):
            call[argument] = right()
    return call


def arguments(name):
    """Names of the function's arguments, those after stars left out."""
    known = inspect.signature(functions()[name]).parameters
    return [k for k, p in known.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def _saved():
    return import_module("hlsvm.trees").save_arrays(_fitted()["HLSVM"], "saved.npz")


def _select():
    return import_module("hlsvm.select")


def _machines():
    return import_module("hlsvm.bounds").machines_of(_fitted()["DTSVM"])[0]


def _bounds():
    return [import_module("hlsvm.bounds").vc_bound(0.1, 5, 40)]


def _standardizer():
    return import_module("hlsvm.bounds._standardize").Standardizer.of(problem()[0])


def _dataset():
    return import_module("hlsvm.datasets").load("banana_like", n=200)


def _kernel():
    return import_module("hlsvm.subclass").Kernel("rbf", 0.1)


def _dask():
    return import_module("dask.array").from_array(problem()[0], chunks=10)
