"""The scoreboard as tiles and as bars, and how its verdicts hang on thresholds."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Patch

from hlsvm.reproduce.claim_verdicts import decide_all, has_threshold, statements

# Told apart in grey as well.
STATES = {
    "holds": {"color": "#0072B2"},
    "holds in part": {"color": "#56B4E9"},
    "does not hold": {"color": "#D55E00"},
    "cannot be told": {"color": "white", "hatch": "////"},
}


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
    fig, axes = plt.subplots(figsize=(10, 0.9 + 0.36 * len(counts)))
    left = pd.Series(0.0, index=counts.index)
    for verdict, look in STATES.items():
        bars = axes.barh(
            counts.index, counts[verdict], left=left, ec="#404040", lw=0.5, label=verdict, **look
        )
        texts = [str(number) if number else "" for number in counts[verdict]]
        shown = axes.bar_label(bars, texts, label_type="center", fontsize=9, color=_ink(look))
        for text in shown:
            if "hatch" in look and text.get_text():
                text.set_bbox({"fc": "white", "ec": "none", "pad": 0.8})
        left += counts[verdict]
    axes.invert_yaxis()
    axes.grid(visible=False)
    # The outline of the longest bar is whole.
    axes.set(xlim=(0, 1.01 * left.max()), xlabel="number of claims")
    axes.legend(ncols=len(STATES), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return fig


# Every headline claim in short, by method.
METHODS = {
    "QPFS": {
        "QPFS.01": "errors similar to those of mRMR",
        "QPFS.02": "with Nyström, ranks faster than mRMR",
        "QPFS.03": "more accurate than several other filters",
        "QPFS.04": "mutual information beats correlation everywhere",
        "QPFS.05": "slightly better than mRMR if highly redundant",
        "QPFS.06": "small shares of sampled rows suffice",
        "QPFS.07": "the heuristic alpha is nearly the best",
    },
    "KQPFS": {
        "KQPFS.01": "same direction as kernel Fisher's",
        "KQPFS.03": "cosine with kernel Fisher 1 on all 13 sets",
        "KQPFS.04": "faster than kernel Fisher if classes are unbalanced",
    },
    "H-LSVM": {
        "HLSVM.01": "more accurate than a linear SVM on all 7 sets",
        "HLSVM.03": "mostly nearer to the RBF SVM than to the linear",
        "HLSVM.07": "several orders fewer evaluations than RBF",
        "HLSVM.09": "tenths of a millisecond per decision at most",
        "HLSVM.10": "faster than the RBF SVM on every set",
        "HLSVM.15": "more accurate than SVM Trees on both sets",
        "HLSVM.16": "costs as much as SVM Trees, to an order",
    },
    "bounds": {
        "BOUND.06": "high correlation confirms the bound",
        "BOUND.08": "pruning is necessary",
    },
    "QPFS before H-LSVM": {"GLOBAL.08": "features selected, then a tree: the suitable compromise"},
    "SRS-SVM": {
        "SRS.01": "about as accurate as the RBF SVM on all rows",
        "SRS.02": "trains two to five times faster than LibSVM",
        "SRS.04": "up to ten times faster than other large SVMs",
        "SRS.06": "trains on a small fraction of the rows",
        "SRS.07": "keeps over 80 % of the support vectors",
        "SRS.14": "almost LibSVM's boundary on toy sets",
        "SRS.21": "its levels make too large an h harmless",
        "SRS.27": "as accurate as LibSVM on faces, and faster",
    },
    "DTSVM": {
        "DTSVM.01": "search 4 to 5,775 times faster than LIBSVM's",
        "DTSVM.02": "as accurate as one RBF SVM on seven sets",
        "DTSVM.03": "only CART trains faster",
        "DTSVM.13": "search in 18 hours at most on four large sets",
        "DTSVM.19": "over 90 % of rows need no SVM on some sets",
        "DTSVM.20": "most search time at the smallest leaves, so cheap",
        "DTSVM.27": "a bound on its error",
        "DTSVM.29": "its bound is as good as one SVM's",
    },
    "metric tree": {
        "METRIC.01": "marginal loss of accuracy on 31 sets",
        "METRIC.02": "one to three orders of magnitude faster than its SVM",
        "METRIC.03": "at most one dot product per level",
        "METRIC.04": "fast with 3,780 features, too",
        "METRIC.05": "close to a tuned SVM as well",
        "METRIC.06": "more accurate than four reduced sets",
        "METRIC.07": "70 and 80 times faster than reduced sets",
        "METRIC.08": "depth grows like the logarithm of the rows",
    },
}


def short_claims() -> pd.Series:
    """Return every headline claim in a few words, by its id."""
    return pd.Series({id: words for claims in METHODS.values() for id, words in claims.items()})


def draw_tiles(verdicts: pd.Series):
    """Draw every headline claim as a tile with its number, coloured by its verdict, a row a method.

    Parameters
    ----------
    verdicts : Series
        By the id of the claim.

    Returns
    -------
    Figure
    """
    order = list(STATES)
    fig, axes = plt.subplots(figsize=(10, 7.6), layout="constrained")
    for row, claims in enumerate(METHODS.values()):
        ranked = sorted(claims, key=lambda id: (order.index(verdicts[id]), id))
        for column, id in enumerate(ranked):
            look = STATES[verdicts[id]]
            tile = {"width": 0.96, "height": 0.92, "ec": "#404040", "lw": 0.5}
            axes.add_patch(plt.Rectangle((column + 0.02, row + 0.04), **tile, **_filled(look)))
            words = "not: " * (verdicts[id] == "does not hold") + claims[id]
            text = f"$\\mathbf{{{id}}}$\n" + textwrap.fill(words, 16)
            where = {"ha": "center", "va": "center", "fontsize": 7.6, "linespacing": 1.0}
            shown = axes.text(column + 0.5, row + 0.5, text, color=_ink(look), gid=id, **where)
            if "hatch" in look:
                shown.set_bbox({"fc": "white", "ec": "none", "pad": 0.6})
    names = [textwrap.fill(name, 9) for name in METHODS]
    axes.set(xlim=(0, 8), ylim=(len(names), 0), xticks=[])
    axes.set_yticks([row + 0.5 for row in range(len(names))], names)
    axes.tick_params(left=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    box = {"ec": "#404040", "lw": 0.5}
    marks = [Patch(label=state, **box, **_filled(look)) for state, look in STATES.items()]
    axes.legend(handles=marks, ncols=4, loc="lower center", bbox_to_anchor=(0.46, 1.0), fontsize=9)
    return fig


def _filled(look):
    return {"fc": look["color"], "hatch": look.get("hatch")}


def _ink(look):
    return "white" if look["color"] in ("#0072B2", "#D55E00") else "black"


def sensitivity(claims: pd.DataFrame) -> pd.DataFrame:
    """Judge claims by their rules with every threshold half and twice as strict.

    Parameters
    ----------
    claims : DataFrame
        As `hlsvm.reproduce.claims` gives it.

    Returns
    -------
    DataFrame
        By id, only claims that are told and whose rule has a threshold: the verdicts
        ``half as strict``, ``as written`` and ``twice as strict``.
    """
    ids = [id for id in claims.index[claims.verdict != "cannot be told"] if has_threshold(id)]
    names = {"half as strict": 0.5, "as written": 1.0, "twice as strict": 2.0}
    rows = statements().loc[ids]
    return pd.DataFrame(
        {name: [verdict for verdict, _ in decide_all(rows, by)] for name, by in names.items()},
        index=ids,
    )
