"""The other classifiers of Thesis 5.3.2 and HLSVM 5.3-5.5: cascade, AdaBoost, growing samples."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm.chapters._problems import missing
from hlsvm.chapters.hlsvm.contest import (
    HLSVM,
    LINEAR,
    RBF,
    h_lsvm,
    relative_cost,
    relative_error,
)
from hlsvm.chapters.hlsvm.problems import Problem, problem, problems
from hlsvm.chapters.hlsvm.series import CODE
from hlsvm.datasets import Dataset, DataUnavailable, load, partitions
from hlsvm.reproduce.timing import timed
from hlsvm.trees import HLSVMClassifier, SVMTreesClassifier

SVM_TREES = "SVM Trees"


def _row(method: str, error_pct: float, **cost) -> dict:
    return {"method": method, "error_pct": error_pct, **cost}


def _error(model, data: Dataset) -> float:
    return 100 * (1 - model.score(data.X_test, data.y_test))


def cascade_contest(
    data: Dataset,
    *,
    lam: float,
    rho: float,
    C_linear: float,
    C: float,
    gamma: float,
    seed: int = 0,
    n_jobs=None,
) -> list[dict]:
    """Measure linear SVM, RBF SVM, SVM-Trees and H-LSVM, pairs of classes voting.

    The cost is what a decision meets: hyperplanes summed over the pairs, or support vectors. The
    linear SVM of k classes needs k (k - 1) / 2 hyperplanes, not one (erratum E19).

    Returns
    -------
    list of dict
        Columns of Thesis Table 5.7.
    """
    X, y = data.X_train, data.y_train
    k = len(np.unique(y))
    linear = LinearSVC(C=C_linear, random_state=seed).fit(X, y)
    kernel = SVC(C=C, gamma=gamma, cache_size=1000).fit(X, y)
    cascade = SVMTreesClassifier(random_state=seed).fit(X, y)
    tree = HLSVMClassifier(
        lam=lam, prune_fraction=rho, multiclass="ovo", random_state=seed, n_jobs=n_jobs
    ).fit(X, y)
    rows = [
        _row(LINEAR, _error(linear, data), hyp_mean=1.0 if k == 2 else float(k)),
        _row(RBF, _error(kernel, data), n_sv=float(kernel.n_support_.sum())),
    ]
    for name, model in ((SVM_TREES, cascade), (HLSVM, tree)):
        met = model.n_hyperplanes(data.X_test)
        rows.append(
            _row(name, _error(model, data), hyp_mean=float(met.mean()), hyp_max=float(met.max()))
        )
    return rows


def adaboost_contest(problem: Problem, data: Dataset, *, seed: int = 0) -> dict:
    """Measure AdaBoost with stumps at the prediction cost of H-LSVM (HLSVM Table 7).

    A hyperplane costs d operations and a stump one; the number of stumps is the mean cost of
    H-LSVM rounded up to a multiple of ten. AdaBoost is scikit-learn's (SAMME), as AdaBoost.M1 for
    two classes.

    Returns
    -------
    dict
        Columns of HLSVM Table 7.
    """
    tree = h_lsvm(problem, seed).fit(data.X_train, data.y_train)
    hyperplanes = float(tree.n_hyperplanes(data.X_test).mean())
    cost = hyperplanes * data.X_train.shape[1]
    stumps = int(np.ceil(cost / 10) * 10)
    boosted = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1), n_estimators=stumps, random_state=seed
    ).fit(data.X_train, data.y_train)
    return {
        "adaboost_error_pct": _error(boosted, data),
        "adaboost_n_stumps_H": len(boosted.estimators_),
        "adaboost_cost": len(boosted.estimators_),
        "hlsvm_error_pct": _error(tree, data),
        "hlsvm_hyp_mean": hyperplanes,
        "hlsvm_cost": cost,
    }


def growth_with_samples(problem: Problem, data: Dataset, sizes, *, seed: int = 0) -> pd.DataFrame:
    """Train H-LSVM on growing random parts of the training part (HLSVM Fig. 5).

    Returns
    -------
    DataFrame
        One row a size: inner nodes, depths, seconds, accuracies, and the depths a balanced tree
        and a cascade of as many nodes would have (erratum E8).
    """
    rows = []
    for n in sizes:
        part = data if n >= len(data.y_train) else data.sample(n, seed=seed)
        model = h_lsvm(problem, seed)
        _, seconds = timed(lambda model=model, part=part: model.fit(part.X_train, part.y_train))
        met = model.n_hyperplanes(part.X_test)
        nodes = model.get_n_leaves() - 1
        rows.append(
            {
                "n": len(part.y_train),
                "nodes": nodes,
                "depth_mean": met.mean(),
                "depth_max": model.get_depth(),
                "balanced_depth": np.log2(nodes + 1),
                "cascade_depth": nodes,
                "train_s": seconds,
                "train_accuracy_pct": 100 * model.score(part.X_train, part.y_train),
                "test_accuracy_pct": 100 * model.score(part.X_test, part.y_test),
            }
        )
    return pd.DataFrame(rows)


# Thesis Table 5.7: data, settings (linear cost, RBF cost and width, lambda, rho), divisions.
_USPS = {"lam": 1e-5, "rho": 0.0, "C_linear": 1.0, "C": 10.0, "gamma": 0.01}
_FACES = {"lam": 1e-5, "rho": 0.1, "C_linear": 0.1, "C": 10.0, "gamma": 0.01}
_CASCADE = {
    "quick": {"Digits": ("digits", _USPS, 1, 1 / 3)},
    "paper": {
        "Faces": ("faces", _FACES, 10, 1 / 3),
        "CBCL faces": ("cbcl_faces", _FACES, 10, 1 / 3),
        "USPS": ("usps", _USPS, 1, None),
    },
}


def cascade_rows(record, scale: str, seed: int, n_jobs=None) -> pd.DataFrame:
    """Run `cascade_contest` on the sets of Thesis Table 5.7; mean over the divisions."""
    tables = []
    for name, (source, settings, n_parts, test_size) in _CASCADE[scale].items():
        try:
            data = record.uses(load(source, scale="minmax", sample=False))
        except DataUnavailable as gap:
            status = f"not run: data ({str(gap).split('.')[0]})"
            tables += [
                {"dataset": name, "method": method, "status": status}
                for method in (LINEAR, RBF, SVM_TREES, HLSVM)
            ]
            continue
        parts = (
            [data]
            if test_size is None
            else partitions(data, n_parts, test_size=test_size, seed=seed)
        )
        rows = []
        for k, part in enumerate(parts):
            rows += record.step(
                "chapter5-cascade",
                {"name": name, "settings": settings, "part": k},
                lambda part=part, settings=settings: cascade_contest(
                    part, **settings, seed=seed, n_jobs=n_jobs
                ),
                code=CODE,
            )
        mean = pd.DataFrame(rows).groupby("method", sort=False).mean().reset_index()
        tables += mean.assign(dataset=name).to_dict("records")
    columns = [
        "dataset",
        "method",
        "error_pct",
        "hyp_mean",
        "hyp_max",
        "n_sv",
        "RE",
        "RC",
        "status",
    ]
    table = pd.DataFrame(tables).reindex(columns=columns)
    return table.groupby("dataset", sort=False, group_keys=False)[columns].apply(_relative)


def _relative(rows: pd.DataFrame) -> pd.DataFrame:
    """Fill RE and RC of one data set (Thesis Eq. 5.8, 5.9)."""
    named = rows.set_index("method")
    cost = named.hyp_mean.fillna(named.n_sv)
    return rows.assign(
        RE=rows.method.map(relative_error(named.error_pct.to_dict())),
        RC=rows.method.map(relative_cost(cost.to_dict())),
    )


_LARGEST = 10_000_000  # values of a training part that is boosted


def adaboost_rows(record, scale: str, seed: int) -> pd.DataFrame:
    """Run `adaboost_contest` on the first division of every problem.

    Boosting costs stumps x samples x features; sets where that takes hours on two cores are rows
    that say so.
    """
    rows = []
    for entry in record.progress(problems(scale, **record.params), "AdaBoost"):
        gap = missing(entry)
        if gap or entry.deformed:
            status = f"not run: data ({gap})" if gap else "not run: hours"
            rows.append({"dataset": entry.name, "status": status})
            continue
        data = record.uses(entry.load())
        part = next(iter(entry.parts(data, seed)))
        if part.X_train.size > _LARGEST:
            rows.append({"dataset": entry.name, "status": "not run: hours"})
            continue
        found = record.step(
            "chapter5-adaboost",
            {"problem": asdict(entry)},
            lambda entry=entry, part=part: adaboost_contest(entry, part, seed=seed),
            code=CODE,
        )
        rows.append({"dataset": entry.name, **found})
    return pd.DataFrame(rows)


# HLSVM 5.5: subsets of every training part of Covtype, ten partitions; the sample is smaller.
_GROWTH = {
    "quick": ("Banana-like", (250, 500, 1000, 2000), 3),
    "paper": (
        "Covtype sample",
        (2_500, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 522_910),
        10,
    ),
}


def scalability(record, scale: str, seed: int) -> pd.DataFrame:
    """Run `growth_with_samples` on every partition of Covtype (HLSVM Fig. 5)."""
    name, wanted, n_parts = _GROWTH[scale]
    entry = problem(name, scale)
    data = record.uses(entry.load())
    tables = []
    for k, part in enumerate(partitions(data, n_parts, test_size=entry.test_size, seed=seed)):
        n = len(part.y_train)
        table = record.step(
            "chapter5-growth",
            {"problem": asdict(entry), "part": k, "sizes": list(wanted)},
            lambda part=part, n=n: growth_with_samples(
                entry, part, [size for size in wanted if size < n] + [n], seed=seed
            ),
            code=CODE,
        )
        tables.append(table.assign(part=k))
    return pd.concat(tables, ignore_index=True)
