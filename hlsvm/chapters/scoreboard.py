"""The scoreboard in pictures and in a line per method."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Patch

# Told apart in grey as well; what is open is hatched.
_RESULTS = {
    "better": {"color": "#0072B2"},
    "same": {"color": "#56B4E9"},
    "different": {"color": "#DDCC77"},
    "worse": {"color": "#D55E00"},
    "not run": {"color": "white", "hatch": "////"},
}
_CLAIMS = {
    "holds": {"color": "#0072B2"},
    "holds in part": {"color": "#56B4E9"},
    "does not hold": {"color": "#D55E00"},
    "cannot be told": {"color": "white", "hatch": "////"},
}


def draw_results(counts: pd.DataFrame):
    """Draw how many results are better, the same, different, worse and not run, a bar a row.

    Parameters
    ----------
    counts : DataFrame
        As `summary` gives it.

    Returns
    -------
    Figure
    """
    shares = 100 * counts[list(_RESULTS)].div(counts[list(_RESULTS)].sum(axis=1), axis=0)
    return _bars(counts, shares.fillna(0), _RESULTS, "share of the published results (%)")


def draw_claims(counts: pd.DataFrame):
    """Draw how many claims hold, hold in part, do not hold and cannot be told, a bar a row.

    Parameters
    ----------
    counts : DataFrame
        As `claim_counts` gives it.

    Returns
    -------
    Figure
    """
    counts = counts.drop(index="all")
    return _bars(counts, counts, _CLAIMS, "number of claims")


def _bars(counts: pd.DataFrame, shares: pd.DataFrame, looks: dict[str, dict], label: str):
    """Draw stacked bars as long as `shares`, with the numbers of `counts` in them."""
    numbers = counts[list(looks)]
    fig, axes = plt.subplots(figsize=(10, 0.9 + 0.36 * len(shares)))
    left = pd.Series(0.0, index=shares.index)
    for verdict, look in looks.items():
        bars = axes.barh(
            shares.index, shares[verdict], left=left, ec="#404040", lw=0.5, label=verdict, **look
        )
        dark = look["color"] in ("#0072B2", "#D55E00")
        texts = [str(number) if number else "" for number in numbers[verdict]]
        box = {"fc": "white", "ec": "none", "pad": 0.8} if "hatch" in look else None
        shown = axes.bar_label(
            bars, texts, label_type="center", fontsize=9, color="white" if dark else "black"
        )
        for text in shown:
            if box and text.get_text():
                text.set_bbox(box)
        left += shares[verdict]
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.set(xlim=(0, left.max()), xlabel=label)
    axes.legend(ncols=len(looks), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return fig


# Every headline claim in a few words, by method.
_SHORT = {
    "QPFS": {
        "QPFS.01": "as accurate as mRMR",
        "QPFS.02": "Nystrom ranks faster than mRMR",
        "QPFS.03": "more accurate than other filters",
        "QPFS.04": "mutual information beats correlation",
        "QPFS.05": "better than mRMR if redundant",
        "QPFS.06": "few sampled rows are enough",
        "QPFS.07": "its weight alpha is a good choice",
    },
    "KQPFS": {
        "KQPFS.01": "the direction of kernel Fisher",
        "KQPFS.03": "cosine of one on 13 data sets",
        "KQPFS.04": "faster if classes are unequal",
    },
    "H-LSVM": {
        "HLSVM.01": "more accurate than a linear SVM",
        "HLSVM.03": "mostly nearer to the RBF SVM",
        "HLSVM.07": "orders fewer evaluations than RBF SVM",
        "HLSVM.09": "below a ms per decision",
        "HLSVM.10": "faster than the RBF SVM on every set",
        "HLSVM.15": "more accurate than SVM Trees",
        "HLSVM.16": "as cheap as SVM Trees",
    },
    "bounds": {
        "BOUND.06": "correlation confirms the bound",
        "BOUND.08": "pruning is necessary",
    },
    "QPFS and H-LSVM": {"GLOBAL.08": "selection and tree: cheap, accurate"},
    "SRS-SVM": {
        "SRS.01": "as accurate as LIBSVM",
        "SRS.02": "trains 2 to 5 times faster",
        "SRS.04": "faster than other large-scale SVMs",
        "SRS.06": "keeps a small fraction of the rows",
        "SRS.07": "keeps most support vectors",
        "SRS.14": "boundary as that of LIBSVM",
        "SRS.21": "levels forgive a large h",
        "SRS.27": "as accurate on LFW, and faster",
    },
    "DTSVM": {
        "DTSVM.01": "search much faster than LIBSVM's",
        "DTSVM.02": "as accurate as one RBF SVM",
        "DTSVM.03": "only CART trains faster",
        "DTSVM.13": "millions of rows in a day",
        "DTSVM.19": "most rows need no SVM on some sets",
        "DTSVM.20": "small leaves make the search cheap",
        "DTSVM.27": "a bound on its error",
        "DTSVM.29": "its bound is as good as the SVM's",
    },
    "metric tree": {
        "METRIC.01": "nearly as accurate as its SVM",
        "METRIC.02": "10 to 1000s of times faster",
        "METRIC.03": "a dot product per level",
        "METRIC.04": "fast with many features, too",
        "METRIC.05": "close to a tuned SVM",
        "METRIC.06": "more accurate than reduced sets",
        "METRIC.07": "faster than reduced sets",
        "METRIC.08": "depth grows like the logarithm",
    },
}


def draw_tiles(verdicts: pd.Series):
    """Draw every headline claim as a tile with its words, coloured by its verdict, a row a method.

    Parameters
    ----------
    verdicts : Series
        By the id of the claim, as ``claims(headline=True).verdict``.

    Returns
    -------
    Figure
    """
    order = list(_CLAIMS)
    fig, axes = plt.subplots(figsize=(10, 6.4))
    for row, claims in enumerate(_SHORT.values()):
        ranked = sorted(claims, key=lambda id: (order.index(verdicts[id]), id))
        for column, id in enumerate(ranked):
            fill = _CLAIMS[verdicts[id]]["color"]
            tile = {"width": 0.96, "height": 0.92, "ec": "#404040", "lw": 0.5}
            axes.add_patch(plt.Rectangle((column + 0.02, row + 0.04), fc=fill, **tile))
            color = "white" if fill in ("#0072B2", "#D55E00") else "black"
            text = textwrap.fill(claims[id], 15)
            where = {"ha": "center", "va": "center", "fontsize": 8, "linespacing": 1.05}
            axes.text(column + 0.5, row + 0.5, text, color=color, gid=id, **where)
    names = [textwrap.fill(name, 9) for name in _SHORT]
    axes.set(xlim=(0, 8), ylim=(len(names), 0), xticks=[])
    axes.set_yticks([row + 0.5 for row in range(len(names))], names)
    axes.tick_params(left=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    marks = [
        Patch(fc=look["color"], ec="#404040", lw=0.5, label=verdict)
        for verdict, look in _CLAIMS.items()
    ]
    axes.legend(handles=marks, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return fig


# A method -> what it does, the claims that decide its line, the line if they hold (in part), and
# if not.
_TAKE_HOME = {
    "**[QPFS](03_qpfs.ipynb)**": (
        "ranks features: relevant ones that do not repeat each other",
        ["QPFS.01"],
        "about as accurate as mRMR once some dozens of features are kept, not with the first few",
        "no reason to prefer it to mRMR in our runs",
    ),
    "**[KQPFS](04_kqpfs_equivalence.ipynb)**": (
        "finds the direction that separates two classes best, with a kernel",
        ["KQPFS.01", "KQPFS.03"],
        "the kernel Fisher discriminant by another road; use whichever is faster",
        "its equality with the kernel Fisher discriminant is not confirmed",
    ),
    "**[H-LSVM](05_hlsvm.ipynb)**": (
        "a decision tree whose cuts are linear SVMs",
        ["HLSVM.03", "HLSVM.10"],
        "use it where a kernel SVM is too slow and a linear SVM too inaccurate: on most sets its "
        "error is nearer to the kernel SVM's, at a small part of the cost",
        "cheap, but not reliably nearer to the kernel SVM than to the linear one",
    ),
    "**[Bounds](06_generalization_bounds.ipynb)**": (
        "bound the error of such trees without a test set",
        ["BOUND.06"],
        "the complexity term follows the gap and bounds it",
        "the papers' bound has a constant that nobody knows; take a bound without one, or a test "
        "set",
    ),
    "**[SRS-SVM](08_srs_svm.ipynb)**": (
        "trains a kernel SVM on the few rows that are likely to matter",
        ["SRS.01", "SRS.02"],
        "as accurate as the whole SVM and faster on some sets; our repaired, exact form costs "
        "little more",
        "no reliable gain over a good solver on all samples",
    ),
    "**[DTSVM](09_dtsvm.ipynb)**": (
        "a decision tree with a kernel SVM in every leaf",
        ["DTSVM.01", "DTSVM.02"],
        "the search for parameters on leaves is far cheaper than on all samples",
        "no gain over one SVM could be shown",
    ),
    "**[Metric tree](10_metric_tree.ipynb)**": (
        "answers for a trained kernel SVM by its tangents",
        ["METRIC.01", "METRIC.02"],
        "much faster than the SVM it replaces, at a small loss on most sets; use its certificate",
        "faster, but not without a loss of accuracy",
    ),
}


def take_home(verdicts: pd.Series) -> str:
    """Return a table, Markdown: a line per method, as the verdicts on its claims decide it.

    Parameters
    ----------
    verdicts : Series
        By the id of the claim, as ``claims().verdict``.
    """
    lines = ["| method | what it does | what we found |", "|---|---|---|"]
    for method, (does, ids, holds, fails) in _TAKE_HOME.items():
        answers = set(verdicts[ids])
        line = holds if answers <= {"holds", "holds in part"} else fails
        if "cannot be told" in answers:
            line = "still open: the runs that would decide it are missing"
        lines.append(f"| {method} | {does} | {line} |")
    return "\n".join(lines)
