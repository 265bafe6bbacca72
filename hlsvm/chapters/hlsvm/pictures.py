"""Pictures of Thesis chapter 5; each returns the figure and the numbers that are drawn."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import NullFormatter

from hlsvm.chapters.hlsvm.contest import HLSVM, LINEAR, RBF
from hlsvm.linear import WeightedLinearSVC
from hlsvm.reproduce import draw_regions, label, legend, line, point, scatter_classes, size
from hlsvm.trees import HLSVMClassifier


def impurities(table: pd.DataFrame) -> pd.DataFrame:
    """Impurity after each split of a root with two classes (Thesis Eq. 2.38, Fig. 2.13).

    Parameters
    ----------
    table : DataFrame
        One row a child: ``split``, ``positive``, ``negative`` (counts).

    Returns
    -------
    DataFrame
        A row a split: misclassified samples, and error, Gini index and entropy of the children,
        weighted by their sizes.
    """
    counts = table[["positive", "negative"]].to_numpy(float)
    total = counts.sum(axis=1)
    share = counts / total[:, None]
    wrong = counts.min(axis=1)
    entropy = -np.where(share > 0, share * np.log2(np.maximum(share, 1e-300)), 0).sum(axis=1)
    child = pd.DataFrame(
        {
            "split": table.split,
            "misclassified": wrong,
            "error": wrong,
            "Gini": total * share.prod(axis=1),
            "entropy": total * entropy,
        }
    )
    summed = child.groupby("split", sort=False).sum()
    whole = pd.Series(total, index=table.split).groupby(level=0).sum()
    for column in ("error", "Gini", "entropy"):
        summed[column] /= whole
    return summed.reset_index()


def draw_splits(table: pd.DataFrame):
    """Draw the children of two splits as bars of their class counts (HLSVM Fig. 1)."""
    fig, panels = plt.subplots(1, 2, figsize=size(columns=2), sharey=True, layout="constrained")
    for axes, (name, rows) in zip(panels, table.groupby("split", sort=False), strict=True):
        place = np.arange(len(rows))
        axes.bar(place, rows.positive, 0.6, color="#E69F00", label="positive")
        axes.bar(place, rows.negative, 0.6, bottom=rows.positive, color="#0072B2", label="negative")
        axes.set_xticks(place, [f"child {k + 1}" for k in place])
        label(axes, "", "samples", f"split {name}")
    legend(panels[1])
    return fig


def weighting(X, y, lams, *, seed: int = 0) -> pd.DataFrame:
    """Train one hyperplane a lambda with uniform and with class-balanced weights (Eq. 5.3).

    Returns
    -------
    DataFrame
        ``weights``, ``lam``, the hyperplane ``w1``, ``w2``, ``b``, the share of samples that are
        misclassified, overall and in each class.
    """
    rows = []
    for name, balance in (("uniform", None), ("balanced", "balanced")):
        for lam in lams:
            model = WeightedLinearSVC(
                lam, class_weight=balance, bias_feature=None, random_state=seed
            ).fit(X, y)
            wrong = model.predict(X) != y
            w1, w2 = model.coef_[0]
            rows.append(
                {
                    "weights": name,
                    "lam": lam,
                    "w1": w1,
                    "w2": w2,
                    "b": float(model.intercept_[0]),
                    "error": wrong.mean(),
                    "error_positive": wrong[y == 1].mean(),
                    "error_negative": wrong[y == -1].mean(),
                }
            )
    return pd.DataFrame(rows)


def draw_weighting(X, y, table: pd.DataFrame):
    """Draw the hyperplanes of `weighting` over the two clouds (Thesis Fig. 5.4)."""
    fig, panels = plt.subplots(
        1, 2, figsize=size(columns=2, ratio=0.7), sharey=True, layout="constrained"
    )
    shown = np.linspace(X[:, 0].min(), X[:, 0].max(), 2)
    shades = plt.get_cmap("cividis")(np.linspace(0.0, 0.75, table.lam.nunique()))
    for axes, (name, rows) in zip(panels, table.groupby("weights", sort=False), strict=True):
        scatter_classes(axes, X[::40], y[::40], size=6)
        for shade, row in zip(shades, rows.itertuples(), strict=True):
            height = -(row.b + row.w1 * shown) / row.w2 if row.w2 else shown * np.nan
            text = rf"$\lambda$ = {row.lam:.0e}: {100 * row.error:.1f} %"
            axes.plot(shown, height, color=shade, linewidth=2, label=text)
        axes.set_ylim(X[:, 1].min(), X[:, 1].max())
        label(axes, "$x_1$", "$x_2$", f"{name} weights")
        legend(axes, fontsize=8, loc="lower left")
    return fig


def draw_banana(part, *, lam: float, min_fraction: float, rho: float, seed: int = 0):
    """Draw the boundary of H-LSVM without and with pruning (Thesis Fig. 5.5, HLSVM Fig. 2).

    Returns
    -------
    fig, rows, boundaries
        `rows`: accuracy and cost of the two trees on the test part.
    """
    fig, panels = plt.subplots(
        1, 2, figsize=size(columns=2, ratio=0.8), sharey=True, layout="constrained"
    )
    rows, boundaries = [], {}
    for axes, share in zip(panels, (0.0, rho), strict=True):
        model = HLSVMClassifier(
            lam=lam, min_fraction=min_fraction, prune_fraction=share, random_state=seed
        ).fit(part.X_train, part.y_train)
        boundaries[f"rho={share:g}"] = draw_regions(axes, model, part.X_train)
        scatter_classes(axes, part.X_train[::16], part.y_train[::16], size=5)
        met = model.n_hyperplanes(part.X_test)
        accuracy = 100 * model.score(part.X_test, part.y_test)
        rows.append(
            {
                "rho": share,
                "accuracy_pct": accuracy,
                "hyp_mean": met.mean(),
                "hyp_max": met.max(),
                "leaves": model.get_n_leaves(),
            }
        )
        label(axes, "$x_1$", "$x_2$", rf"$\rho$ = {share:g}: {model.get_n_leaves()} leaves")
    return fig, pd.DataFrame(rows), boundaries


def error_cost(results: pd.DataFrame) -> pd.DataFrame:
    """Return what `draw_error_cost` draws: error and cost of every data set and method that ran."""
    ran = results[results.error_pct.notna()]
    ran = ran.assign(cost=ran.hyp_mean.fillna(ran.n_sv))
    return ran[["dataset", "method", "cost", "error_pct"]].reset_index(drop=True)


def _left(trees: pd.DataFrame) -> list[bool]:
    """Say whose label moves to the left of its mark, so that marks of close errors keep apart.

    Among marks whose errors, sorted, are within half of one another, those of the smaller costs.
    """
    errors = trees.error_pct.to_numpy()
    group = np.concatenate([[0], np.cumsum(errors[:-1] >= 1.5 * errors[1:])])
    return list(trees.cost < trees.cost.groupby(group).transform("median"))


def draw_error_cost(results: pd.DataFrame):
    """Draw test error against classification cost, one mark a data set (Thesis Fig. 5.6)."""
    fig, axes = plt.subplots(figsize=size(), layout="constrained")
    ran = error_cost(results)
    ran = ran[ran.method.isin((LINEAR, HLSVM, RBF))]
    for method in (LINEAR, HLSVM, RBF):
        rows = ran[ran.method == method]
        axes.plot(rows.cost, rows.error_pct, **point(method, markersize=8))
    for _, rows in ran.groupby("dataset", sort=False):
        path = rows.sort_values("cost")
        axes.plot(path.cost, path.error_pct, color="#B0B0B0", linewidth=0.8, zorder=0)
    trees = ran[ran.method == HLSVM].sort_values("error_pct", ascending=False)
    for tree, left in zip(trees.itertuples(), _left(trees), strict=True):
        axes.annotate(
            tree.dataset,
            (tree.cost, tree.error_pct),
            xytext=(-7, -11) if left else (7, 4),
            ha="right" if left else "left",
            textcoords="offset points",
            fontsize=8,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    label(axes, "hyperplanes or support vectors a decision", ("test error", "%"))
    legend(axes)
    return fig


def thousands(n: float) -> str:
    """Write a number of samples as on an axis, in thousands from 1,000 on.

    Examples
    --------
    >>> thousands(250), thousands(2500), thousands(83665)
    ('250', '2.5k', '84k')
    """
    if n < 1000:
        return f"{n:.0f}"
    return f"{n / 1000:.1f}k" if n < 10_000 and n % 1000 else f"{n / 1000:.0f}k"


def draw_scalability(table: pd.DataFrame):
    """Draw nodes, depth, time and accuracy against the training samples (HLSVM Fig. 5)."""
    fig, panels = plt.subplots(
        2, 2, figsize=size(columns=2, rows=2), sharex=True, layout="constrained"
    )
    mean = table.groupby("n").mean(numeric_only=True).reset_index()
    (nodes, depth), (time, accuracy) = panels
    nodes.plot(mean.n, mean.nodes, **line("H-LSVM", label="inner nodes"))
    nodes.plot(mean.n, mean.n - 1, color="#8A8A8A", linestyle=":", label="limit N - 1")
    depth.plot(mean.n, mean.depth_max, **line("H-LSVM", label="deepest leaf", marker="^"))
    depth.plot(mean.n, mean.depth_mean, **line("H-LSVM", label="mean of a decision"))
    depth.plot(mean.n, mean.balanced_depth, **line("CART", label="balanced tree of as many nodes"))
    time.plot(mean.n, mean.train_s, **line("H-LSVM", label="training"))
    reference = mean.train_s.iloc[0] * mean.n / mean.n.iloc[0]
    time.plot(mean.n, reference, color="#8A8A8A", linestyle=":", label="linear in N")
    accuracy.plot(mean.n, mean.train_accuracy_pct, **line("H-LSVM", label="training", marker="^"))
    accuracy.plot(mean.n, mean.test_accuracy_pct, **line("H-LSVM", label="test"))
    titles = ("inner nodes", "hyperplanes", ("time", "s"), ("accuracy", "%"))
    for axes, what in zip(panels.ravel(), titles, strict=True):
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks(mean.n, [thousands(n) for n in mean.n])
        label(axes, "training samples N", what)
        legend(axes, fontsize=8)
    for axes in (nodes, time):
        axes.set_yscale("log")
    return fig
