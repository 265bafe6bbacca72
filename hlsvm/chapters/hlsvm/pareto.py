"""Test error against the price of a decision: H-LSVM and what one would pick instead."""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass, field, replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from hlsvm.chapters.hlsvm.practice import Rival, Settings, rivals
from hlsvm.datasets import Dataset, DataUnavailable, load
from hlsvm.reproduce import label, point, size

CODE = (
    "hlsvm.trees",
    "hlsvm.linear",
    "hlsvm.chapters.hlsvm.pareto",
    "hlsvm.chapters.hlsvm.practice",
)
PRICES = {
    "operations": "multiply-adds a decision",
    "latency_us": ("one decision", "microseconds"),
}
# What a look stands for here, where that is not its own name.
_NAMES = {
    "k-NN": "Histogram boosting",
    "SVM-Trees": "STree",
    "Perceptron": "obliquetree",
    "Nystroem SVM": "Nystroem + linear",
}
# The forms of H-LSVM, inside their marks.
_LETTERS = {
    "H-LSVM": "g",
    "H-LSVM, refined": "r",
    "H-LSVM, best": "b",
    "H-LSVM, axis": "a",
    "H-LSVM, three": "3",
}
_FORMS = "H-LSVM: grown, refined, best, axis, 3 trees"
_LONG = "over its share of a quarter of an hour"
# Values and features of a training part above which these take minutes.
_TOO_LARGE = {"STree": 1_500_000}
_TOO_WIDE = {"obliquetree": 100}


@dataclass(frozen=True)
class Case:
    """A data set of the comparison.

    Attributes
    ----------
    name, data : str
        In the table, and for `hlsvm.datasets.load`.
    settings : Settings
    n_train : int or None
        Rows to train on where the set has no division of its own; the rest is the test part.
    options : dict
        More for `load`.
    passes : int
        Passes of the perceptrons.
    """

    name: str
    data: str
    settings: Settings
    n_train: int | None = None
    options: dict = field(default_factory=dict)
    passes: int = 40

    def load(self, seed: int) -> Dataset:
        """Return the data with a training and a test part, in single precision."""
        data = load(self.data, sample=False, **self.options)
        if data.X_test is None:
            X, y = data.X_train, data.y_train
            share = 1 / 3 if self.n_train is None else len(y) - self.n_train
            part = train_test_split(X, y, test_size=share, stratify=y, random_state=seed)
            names = ("X_train", "X_test", "y_train", "y_test")
            data = replace(data, **dict(zip(names, part, strict=True)))
        single = (np.ascontiguousarray(X, np.float32) for X in (data.X_train, data.X_test))
        return replace(data, **dict(zip(("X_train", "X_test"), single, strict=True)))


def _forms(grown: dict, best: dict, axis: dict, refined: dict, several: dict) -> dict[str, dict]:
    """Forms of H-LSVM by name.

    Settings were chosen by validation on the training part for IJCNN, Shuttle and M3VO, and are
    carried over to the other sets.
    """
    return {
        "H-LSVM": grown,
        "H-LSVM, refined": refined,
        "H-LSVM, best": best,
        "H-LSVM, axis": axis,
        "H-LSVM, three": several,
    }


def _settings(lam: float, fraction: float, shrinkage: float, **more) -> dict[str, dict]:
    """Forms of H-LSVM around one regularization and one size of leaf."""
    coarse = {"lam": lam, "min_fraction": fraction, "refine": 8, **more}
    fine = {
        "lam": lam,
        "shrinkage": shrinkage,
        **{k: more[k] for k in ("loss_scale",) if k in more},
    }
    return _forms(
        fine,
        {**coarse, "split": "best"},
        {**fine, "split": "axis", "shrinkage": 10.0, "refine": 3},
        coarse,
        {**coarse, "n_trees": 3},
    )


_TINY = _settings(1e-4, 0.02, 10.0)
_QUICK = tuple(
    Case(name, data, Settings(10.0, 1.0, gamma, _TINY, forest=10), options=options)
    for name, data, gamma, options in (
        ("Banana-like", "banana_like", 1.0, {}),
        ("Digits, 3 vs rest", "digits_3vo", 0.05, {"scale": 16.0}),
        ("Breast cancer", "breast_cancer", 1.0, {"scale": "minmax"}),
    )
)


_IJCNN = _settings(2e-5, 4e-3, 30.0)
_IJCNN["H-LSVM, best"] |= {"min_fraction": 6e-3, "refine_lam": 6e-7}
_M3VO = _settings(1.0, 0.01, 300.0, loss_scale="sum", refine_lam=1.0)
for _form in ("H-LSVM, refined", "H-LSVM, best", "H-LSVM, three"):
    _M3VO[_form] |= {"refine": 6}
_M3VO["H-LSVM"] |= {"lam": 0.1, "prune_fraction": 0.1}
_COVTYPE = _settings(3e-6, 4e-5, 10.0)
for _form in ("H-LSVM, best", "H-LSVM, three"):
    _COVTYPE[_form] = {"lam": 3e-6, "min_fraction": 4e-5, "split": "best", "shrinkage": 10.0}
_COVTYPE["H-LSVM, three"] |= {"n_trees": 3, "shrinkage": 0.0}


def cases(scale: str) -> list[Case]:
    """Return the data sets of a scale."""
    if scale == "quick":
        return list(_QUICK)
    return [
        Case("IJCNN", "ijcnn1", Settings(10.0, 10.0, 1.0, _IJCNN)),
        Case(
            "M3VO",
            "mnist_3vo",
            Settings(
                *(10.0, 1.0, 0.02, _M3VO),
                forest=30,
                skip={"LIBSVM": _LONG, "AdaBoost": _LONG},
            ),
            passes=12,
        ),
        Case("Shuttle", "shuttle_binary", Settings(10.0, 10.0, 1.0, _settings(1e-7, 1e-4, 30.0))),
        Case(
            "Covtype sample",
            "covtype_sample_binary",
            Settings(10.0, 1.0, 10.0, _COVTYPE, forest=30, skip={"LIBSVM": _LONG}),
            n_train=50_000,
            options={"scale": "minmax"},
        ),
        Case("USPS", "usps", Settings(10.0, 1.0, 0.01, _settings(2e-5, 5e-3, 30.0))),
        Case(
            "Adult",
            "a9a",
            Settings(1.0, 0.1, 0.05, _settings(1e-3, 1e-2, 100.0), skip={"LIBSVM": _LONG}),
        ),
    ]


def _latency(model, X, calls: int) -> float:
    """Median microseconds of one decision through the public call."""
    ours = hasattr(model, "predict_one")
    rows = [np.ascontiguousarray(x) for x in X[:calls]]
    raw = getattr(model, "raw", model)
    decide = model.predict_one if ours else lambda x: raw.predict(x[None])
    decide(rows[0])
    spent = np.empty(len(rows))
    for k, row in enumerate(rows):
        start = time.perf_counter_ns()
        decide(row)
        spent[k] = time.perf_counter_ns() - start
    return float(np.median(spent)) / 1e3


def measure(rival: Rival, data: Dataset, *, seed: int, calls: int = 100) -> dict:
    """Fit one rival and measure error, multiply-adds, latency, seconds to fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.process_time()
        model = rival.make(seed).fit(data.X_train, data.y_train)
        fit_s = time.process_time() - start
    found = model.predict(data.X_test)
    return {
        "error_pct": 100 * float(np.mean(found != data.y_test)),
        "operations": float(rival.cost(model, data.X_test)),
        "latency_us": _latency(model, data.X_test, calls),
        "fit_s": fit_s,
    }


def front(error, price) -> np.ndarray:
    """Which points no other beats: none is as good in both and better in one.

    Examples
    --------
    >>> front([3.0, 2.0, 2.5, 1.0], [1.0, 5.0, 6.0, 9.0]).tolist()
    [True, True, False, True]
    """
    error, price = np.asarray(error, float), np.asarray(price, float)
    known = ~np.isnan(error) & ~np.isnan(price)
    least = np.zeros(len(error), bool)
    for k in np.flatnonzero(known):
        as_good = (error[known] <= error[k]) & (price[known] <= price[k])
        better = (error[known] < error[k]) | (price[known] < price[k])
        least[k] = not (as_good & better).any()
    return least


def run(record, scale: str, seed: int) -> pd.DataFrame:
    """Measure every rival on every data set; what does not run is a row that says why.

    Returns
    -------
    DataFrame
        ``dataset``, ``method``, ``look`` (whose colour it takes), ``error_pct``, ``operations``,
        ``latency_us``, ``fit_s``, ``front_operations``, ``front_latency_us``, ``status``.
    """
    few = scale == "quick"
    rows = []
    for case in record.progress(cases(scale), "data sets"):
        contest = rivals(case.settings, few=few, passes=case.passes)
        try:
            data = record.uses(case.load(seed))
        except DataUnavailable:
            gone = {"dataset": case.name, "status": "not run: data"}
            rows += [{**gone, "method": rival.name, "look": rival.method} for rival in contest]
            continue
        for rival in contest:
            row = {"dataset": case.name, "method": rival.name, "look": rival.method}
            why = rival.missing or case.settings.skip.get(rival.name, "")
            large = data.X_train.size > _TOO_LARGE.get(rival.name, np.inf)
            if not why and (large or data.X_train.shape[1] > _TOO_WIDE.get(rival.name, np.inf)):
                why = _LONG
            if why:
                rows.append({**row, "status": f"not run: {why}"})
                continue
            params = {"case": asdict(case), "rival": rival.name}
            found = record.step(
                "chapter5-pareto",
                params,
                lambda rival=rival, data=data: measure(
                    rival, data, seed=seed, calls=20 if few else 100
                ),
                code=CODE,
            )
            rows.append({**row, **found, "status": ""})
    return _with_fronts(pd.DataFrame(rows))


def _with_fronts(table: pd.DataFrame) -> pd.DataFrame:
    for price in PRICES:
        table[f"front_{price}"] = False
        for _, part in table.groupby("dataset"):
            table.loc[part.index, f"front_{price}"] = front(part.error_pct, part[price])
    return table


def draw(table: pd.DataFrame, price: str):
    """Draw error against a price, a panel a data set; the Pareto front is a line.

    Parameters
    ----------
    table : DataFrame
        Of `run`.
    price : {"operations", "latency_us"}
    """
    names = list(dict.fromkeys(table.dataset))
    n_rows = -(-len(names) // 3)
    columns = min(len(names), 3)
    fig, panels = plt.subplots(
        n_rows,
        columns,
        figsize=size(columns=columns, rows=n_rows, ratio=0.95),
        squeeze=False,
        layout="constrained",
    )
    for axes, name in zip(panels.flat, names, strict=False):
        shown = table.error_pct.notna() & table[price].notna()
        _panel(axes, table[(table.dataset == name) & shown], price)
        label(axes, PRICES[price], ("test error", "%"), name)
    for axes in panels.flat[len(names) :]:
        axes.set_axis_off()
    handles = {}
    for axes in panels.flat:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    fig.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5, fontsize=8)
    return fig


def _panel(axes, rows: pd.DataFrame, price: str) -> None:
    ranked = rows[rows[f"front_{price}"]].sort_values(price)
    axes.plot(
        ranked[price],
        ranked.error_pct,
        color="#707070",
        linewidth=1,
        zorder=0,
        drawstyle="steps-post",
        label="Pareto front",
    )
    for look, part in rows.groupby("look", sort=False):
        ours = look == "H-LSVM"
        marks = {"markersize": 9 if ours else 6, "zorder": 3 if ours else 2}
        named = {"label": _FORMS if ours else _NAMES.get(look, look)}
        axes.plot(part[price], part.error_pct, **point(look, **marks, **named))
        for row in part[part.method.isin(_LETTERS)].itertuples():
            letter = _LETTERS[row.method]
            place = (getattr(row, price), row.error_pct)
            axes.annotate(
                letter, place, color="white", fontsize=6, ha="center", va="center_baseline"
            )
    axes.set_xscale("log")
    errors = rows.error_pct[rows.error_pct > 0]
    if not len(errors) or errors.max() <= 8 * errors.min():
        return
    if (rows.error_pct > 0).all():
        axes.set_yscale("log")
        return
    # Room for errors of zero, below a part that is linear.
    least = 10.0 ** np.floor(np.log10(errors.min()))
    axes.set_yscale("symlog", linthresh=least)
    axes.set_ylim(-least / 2, 2 * errors.max())


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Count, by method, the data sets where it stands on either Pareto front."""
    ran = table[table.error_pct.notna()]
    counts = ran.groupby("method", sort=False)[["front_operations", "front_latency_us"]].sum()
    return counts.assign(datasets=ran.groupby("method").size()).reset_index()
