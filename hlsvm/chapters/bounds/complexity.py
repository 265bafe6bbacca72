"""T_comp of Thesis 5.3.3 along the delta grid and along the sample size; its correlation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from hlsvm.bounds import lemma_5_2, tree_complexity
from hlsvm.chapters.hlsvm.problems import Problem, problem
from hlsvm.datasets import Dataset, DataUnavailable, partitions
from hlsvm.trees import HLSVMClassifier

CODE = (
    "hlsvm.trees.tree",
    "hlsvm.linear",
    "hlsvm.bounds.effective",
    "hlsvm.chapters.bounds.complexity",
)
# The grid of HLSVM 5.6.
GRID = (5e-2, 2.5e-2, 1e-2, 7.5e-3, 5e-3, 2.5e-3, 1e-3, 7.5e-4, 5e-4, 2.5e-4, 1e-4)
# Data set, its protocol, published correlation (Thesis Fig. 5.7).
_WALKS = {
    "quick": (("Banana-like", "random divisions", 4),),
    "paper": (
        ("IJCNN", "division that comes with the data", 20),
        ("IJCNN", "random divisions", 20),
        ("Faces", "random divisions", 10),
        ("CBCL faces", "random divisions", 10),
    ),
}
PUBLISHED = {"IJCNN": 0.91, "Faces": 0.97}
_RESAMPLES = 2000


def key_of(problem: Problem) -> dict:
    """Return what the trees of a problem depend on, to name a step of long work."""
    names = ("data", "options", "test_size", "lam", "rho")
    return {name: getattr(problem, name) for name in names}


def h_lsvm(problem: Problem, min_fraction, seed: int) -> HLSVMClassifier:
    """Return H-LSVM as the documents have it: b of the SVM, no pruning, lambda of Table 5.3."""
    return HLSVMClassifier(lam=problem.lam, min_fraction=min_fraction, random_state=seed)


def nested(small, large) -> bool:
    """Whether one tree is the top of another: the same hyperplanes in the same places."""
    pairs = [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        if not small.is_inner[a]:
            continue
        if not large.is_inner[b]:
            return False
        same = np.array_equal(small.weights[small.plane[a]], large.weights[large.plane[b]])
        if not same or small.offsets[a] != large.offsets[b]:
            return False
        pairs += [(small.left[a], large.left[b]), (small.right[a], large.right[b])]
    return True


def walk(problem: Problem, part: Dataset, seed: int, grid=GRID) -> list[dict]:
    """Grow a tree at every delta: complexity, training and test error.

    Returns
    -------
    list of dict
        ``delta``, the terms of `tree_complexity`, ``test_error``, ``gap`` and ``nested`` (whether
        the tree contains the one before it, as 5.3.3 says).
    """
    rows, before = [], None
    for delta in grid:
        model = h_lsvm(problem, delta, seed).fit(part.X_train, part.y_train)
        terms = tree_complexity(model, part.X_train, part.y_train)
        test = float(np.mean(model.predict(part.X_test) != part.y_test))
        inside = before is None or nested(before, model.tree_)
        before = model.tree_
        rows.append(
            {
                "delta": delta,
                **{name.replace(" ", "_").replace(",", ""): v for name, v in terms.items()},
                "test_error": test,
                "gap": test - terms["training error"],
                "nested": inside,
            }
        )
    return rows


def redivided(problem: Problem, data: Dataset, seed: int) -> Dataset:
    """Divide all rows at random into parts of the sizes that come with the data."""
    if problem.test_size is not None:
        return next(partitions(data, 1, test_size=problem.test_size, seed=seed))
    X = np.concatenate([data.X_train, data.X_test])
    y = np.concatenate([data.y_train, data.y_test])
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[: len(data.y_train)], order[len(data.y_train) :]
    return replace(
        data, X_train=X[train], y_train=y[train], X_test=X[test], y_test=y[test], splits=()
    )


def along_delta(record, scale: str, seed: int) -> pd.DataFrame:
    """Walk the delta grid on every data set of Thesis Fig. 5.7, seed after seed.

    Returns
    -------
    DataFrame
        Rows of `walk` with ``dataset``, ``protocol`` and ``seed``; sets that are not at hand are
        rows with a ``status``.
    """
    rows = []
    for name, protocol, n_seeds in _WALKS[scale]:
        entry = problem(name, scale)
        try:
            data = record.uses(entry.load())
        except DataUnavailable:
            status = f"not run: data ({entry.missing or entry.data})"
            rows.append({"dataset": name, "protocol": protocol, "status": status})
            continue
        for k in record.progress(range(n_seeds), f"delta grid, {name}"):
            rows += [
                {"dataset": name, "protocol": protocol, "seed": k, **row}
                for row in record.step(
                    "chapter6-delta",
                    {"problem": key_of(entry), "protocol": protocol, "k": k},
                    lambda k=k, entry=entry, data=data, protocol=protocol: walk(
                        entry,
                        redivided(entry, data, seed + k) if protocol.startswith("random") else data,
                        seed + k,
                    ),
                    code=CODE,
                )
            ]
    return pd.DataFrame(rows)


def drawn(walks: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of `along_delta` that Thesis Fig. 5.7 draws."""
    columns = ["dataset", "protocol", "seed", "delta", "T_comp", "gap", "test_error", "nested"]
    ran = walks[walks.delta.notna()] if "delta" in walks else walks
    return ran.reindex(columns=columns).round(6)


def correlation(walks: pd.DataFrame, *, seed: int = 0, resamples: int = _RESAMPLES) -> pd.DataFrame:
    """Linear correlation of T_comp with the gap, of the mean curve and of single seeds.

    The interval (95 %) is over seeds: they are drawn anew with replacement, their curves averaged,
    the correlation taken.

    Returns
    -------
    DataFrame
        ``dataset``, ``protocol``, ``seeds``, ``correlation``, ``low``, ``high``, ``single_least``,
        ``single_median``, ``single_most``, ``nested_share``, ``published``.
    """
    rows = []
    ran = walks[walks.delta.notna()] if "delta" in walks else walks[:0]
    for (name, protocol), part in ran.groupby(["dataset", "protocol"], sort=False):
        T = part.pivot(index="seed", columns="delta", values="T_comp").to_numpy()
        gap = part.pivot(index="seed", columns="delta", values="gap").to_numpy()
        random = np.random.default_rng(seed)
        draws = random.integers(len(T), size=(resamples, len(T)))
        spread = [_linear(T[k].mean(axis=0), gap[k].mean(axis=0)) for k in draws]
        single = [_linear(a, b) for a, b in zip(T, gap, strict=True)]
        low, high = np.nanquantile(spread, [0.025, 0.975])
        rows.append(
            {
                "dataset": name,
                "protocol": protocol,
                "seeds": len(T),
                "correlation": _linear(T.mean(axis=0), gap.mean(axis=0)),
                "low": low,
                "high": high,
                "single_least": np.nanmin(single),
                "single_median": np.nanmedian(single),
                "single_most": np.nanmax(single),
                "nested_share": part.nested.mean(),
                "published": PUBLISHED.get(name, np.nan),
            }
        )
    return pd.DataFrame(rows)


def _linear(a, b) -> float:
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return np.nan
    return float(np.corrcoef(a, b)[0, 1])


def answers(found: pd.DataFrame) -> pd.DataFrame:
    """Answer the two correlations of the running text: rows ``id``, ``value``."""
    ids = {
        "IJCNN": ("Thesis.text080", "HLSVM.text031"),
        "Faces": ("Thesis.text081", "HLSVM.text032"),
    }
    rows = []
    for name, texts in ids.items():
        own = found[found.dataset == name]
        own = own[own.protocol.str.startswith("division")] if name == "IJCNN" else own
        for text in texts:
            value = float(own.correlation.iloc[0]) if len(own) else np.nan
            status = "" if len(own) else "not run: data"
            rows.append({"id": text, "value": value, "status": status})
    return pd.DataFrame(rows)


# Problem and sizes of its training part (HLSVM Fig. 5).
_SIZES = {
    "quick": ("Banana-like", (250, 500, 1000, 2000)),
    "paper": ("Covtype sample", (2_500, 5_000, 10_000, 20_000, 50_000, 83_665)),
}


def along_size(record, scale: str, seed: int) -> pd.DataFrame:
    """Nodes, depth, effective leaves and T_comp as the sample grows (HLSVM Fig. 5a, b).

    Returns
    -------
    DataFrame
        One row a size: the terms of `tree_complexity`, ``nodes``, ``mean_depth`` of the test rows,
        ``log2_n``, ``test_error``, ``gap``.
    """
    name, sizes = _SIZES[scale]
    entry = problem(name, scale)
    data = record.uses(entry.load())
    part = next(iter(entry.parts(data, seed)))
    return pd.DataFrame(
        [
            record.step(
                "chapter6-size",
                {"problem": key_of(entry), "n": n},
                lambda n=n: _grown(entry, part, n, seed),
                code=CODE,
            )
            for n in record.progress([n for n in sizes if n <= len(part.y_train)], "sizes")
        ]
    )


def _grown(entry: Problem, part: Dataset, n: int, seed: int) -> dict:
    some = part if n == len(part.y_train) else part.sample(n, seed=seed)
    model = h_lsvm(entry, None, seed).fit(some.X_train, some.y_train)
    terms = tree_complexity(model, some.X_train, some.y_train)
    test = float(np.mean(model.predict(part.X_test) != part.y_test))
    return {
        "n": len(some.y_train),
        "nodes": terms["leaves"] - 1,
        "log2_n": np.log2(len(some.y_train)),
        "mean_depth": float(model.n_hyperplanes(part.X_test).mean()),
        **{key.replace(" ", "_").replace(",", ""): value for key, value in terms.items()},
        "test_error": test,
        "gap": test - terms["training error"],
    }


def consistent_trees(sizes, seed: int, *, n_test: int = 20_000) -> pd.DataFrame:
    """Trees without an error on their sample, beside the term of Lemma 5.2 (c = 1).

    Points of a square, +1 where x1 x2 > 0: two hyperplanes deep and without noise.

    Returns
    -------
    DataFrame
        ``n``, ``leaves``, ``effective_leaves``, ``complexity``, ``test_error``.
    """
    random = np.random.default_rng(seed)
    fresh = random.uniform(-1, 1, (n_test, 2))
    rows = []
    for n in sizes:
        X = random.uniform(-1, 1, (n, 2))
        y = np.where(X.prod(axis=1) > 0, 1, -1)
        model = HLSVMClassifier(lam=1e-6, min_fraction=1e-9, random_state=seed).fit(X, y)
        bound = lemma_5_2(model, X, y)
        wrong = model.predict(fresh) != np.where(fresh.prod(axis=1) > 0, 1, -1)
        rows.append(
            {
                "n": n,
                "leaves": bound.terms["leaves"],
                "effective_leaves": bound.terms["effective leaves"],
                "complexity": bound.value,
                "test_error": wrong.mean(),
            }
        )
    return pd.DataFrame(rows)
