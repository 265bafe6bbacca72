"""The scoreboard as tiles, as bars, and in a line per method."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Patch

from hlsvm.reproduce.claim_verdicts import decide_all, has_threshold, statements

# Told apart in grey as well.
_CLAIMS = {
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
    for verdict, look in _CLAIMS.items():
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
    axes.legend(ncols=len(_CLAIMS), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return fig


# Every headline claim in short, by method.
_SHORT = {
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
    "QPFS and H-LSVM": {"GLOBAL.08": "features selected, then a tree: the suitable compromise"},
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
        "METRIC.02": "40 to over 3,000 times faster than its SVM",
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
    return pd.Series({id: words for claims in _SHORT.values() for id, words in claims.items()})


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
    order = list(_CLAIMS)
    fig, axes = plt.subplots(figsize=(10, 7.6), layout="constrained")
    for row, claims in enumerate(_SHORT.values()):
        ranked = sorted(claims, key=lambda id: (order.index(verdicts[id]), id))
        for column, id in enumerate(ranked):
            look = _CLAIMS[verdicts[id]]
            tile = {"width": 0.96, "height": 0.92, "ec": "#404040", "lw": 0.5}
            axes.add_patch(plt.Rectangle((column + 0.02, row + 0.04), **tile, **_filled(look)))
            words = "not: " * (verdicts[id] == "does not hold") + claims[id]
            text = f"$\\mathbf{{{id}}}$\n" + textwrap.fill(words, 16)
            where = {"ha": "center", "va": "center", "fontsize": 8, "linespacing": 1.0}
            shown = axes.text(column + 0.5, row + 0.5, text, color=_ink(look), gid=id, **where)
            if "hatch" in look:
                shown.set_bbox({"fc": "white", "ec": "none", "pad": 0.6})
    names = [textwrap.fill(name, 9) for name in _SHORT]
    axes.set(xlim=(0, 8), ylim=(len(names), 0), xticks=[])
    axes.set_yticks([row + 0.5 for row in range(len(names))], names)
    axes.tick_params(left=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    box = {"ec": "#404040", "lw": 0.5}
    marks = [Patch(label=state, **box, **_filled(look)) for state, look in _CLAIMS.items()]
    axes.legend(handles=marks, ncols=4, loc="lower center", bbox_to_anchor=(0.46, 1.0), fontsize=9)
    return fig


def _filled(look):
    return {"fc": look["color"], "hatch": look.get("hatch")}


def _ink(look):
    return "white" if look["color"] in ("#0072B2", "#D55E00") else "black"


# By topic: the method with its lesson and what it does, the claims that decide its line, the line
# if they hold (in part), if not, and what is open where they cannot be told.
_TAKE_HOME = {
    "QPFS": (
        "[QPFS](03_qpfs.ipynb)** ranks features, to find relevant ones that do not repeat each "
        "other",
        ["QPFS.01"],
        "on small data sets, from some fifty features on, it is about as accurate as mRMR, the "
        "usual filter; on MNIST, and with few features, it is less accurate",
        "no reason to prefer it to mRMR, the usual filter, was measured",
        "whether it is as accurate as mRMR, the usual filter",
    ),
    "KQPFS": (
        "[KQPFS](04_kqpfs_equivalence.ipynb)**, its kernel version, finds a direction that "
        "separates two classes",
        ["KQPFS.01", "KQPFS.03"],
        "its direction is that of the kernel Fisher discriminant, computed in another way",
        "its equality with the kernel Fisher discriminant is not confirmed",
        "whether it equals the kernel Fisher discriminant",
    ),
    "HLSVM": (
        "[H-LSVM](05_hlsvm.ipynb)** is a decision tree whose cuts are linear SVMs",
        ["HLSVM.03", "HLSVM.10"],
        "on most sets its error is nearer to that of the kernel SVM than to that of the linear "
        "SVM, and a decision costs a small part of the kernel SVM's",
        "it is cheap, but not reliably nearer to the kernel SVM than to the linear one",
        "whether it is nearer to the kernel SVM, and faster",
    ),
    "BOUND": (
        "[The bounds](06_generalization_bounds.ipynb)** limit the error of such trees without a "
        "test set",
        ["BOUND.06"],
        "the complexity term follows the gap between test and training error, and bounds it",
        "the papers' bound has a constant that nobody knows; use a bound without one, or a test "
        "set",
        "whether the bound is of use",
    ),
    "GLOBAL": (
        "[QPFS before H-LSVM](07_global_view.ipynb)** selects features and grows the tree on them",
        ["GLOBAL.08"],
        "it needs fewer operations than the tree on all features, at the same error",
        "no gain over the tree on all features",
        "whether the selection pays",
    ),
    "SRS": (
        "[SRS-SVM](08_srs_svm.ipynb)** trains a kernel SVM on the rows that are likely to matter",
        ["SRS.01", "SRS.02"],
        "it is nearly as accurate as the SVM on all rows; with the same solver it is faster on "
        "some sets only",
        "no reliable gain over a good solver on all rows",
        "whether it is as accurate, and faster",
    ),
    "DTSVM": (
        "[DTSVM](09_dtsvm.ipynb)** is a decision tree with a kernel SVM in every leaf of several "
        "classes",
        ["DTSVM.01", "DTSVM.02"],
        "its search for parameters is far cheaper than the search with one SVM",
        "no gain over one SVM could be shown",
        "how much faster its search for parameters is than that with one SVM, and how accurate the "
        "result is; our search with one SVM was run in part only",
    ),
    "METRIC": (
        "[The metric tree](10_metric_tree.ipynb)** replaces a trained kernel SVM by its tangents",
        ["METRIC.01", "METRIC.02"],
        "it is much faster than its SVM, and on most sets, where the kernel is wide, loses little; "
        "a narrow kernel loses more",
        "it is faster, but not without a loss of accuracy",
        "whether it is much faster at the same accuracy",
    ),
}


def take_home(claims: pd.DataFrame) -> str:
    """Return a line per method, as its verdicts decide it, with its claims in a fold, Markdown.

    Parameters
    ----------
    claims : DataFrame
        The headlines, as ``claims(headline=True)``.
    """
    parts, order = [], list(_CLAIMS)
    for (method, ids, holds, fails, unknown), words in zip(
        _TAKE_HOME.values(), _SHORT.values(), strict=True
    ):
        answers = set(claims.verdict[ids])
        line = holds if answers <= {"holds", "holds in part"} else fails
        if "cannot be told" in answers:
            line = f"it is still open {unknown}"
        counts = claims.verdict[list(words)].value_counts()
        told = ", ".join(f"{name}: {counts[name]}" for name in order if name in counts)
        rows = [f"| {id} | {words[id]} | {_decides(claims.loc[id])} |" for id in words]
        rows.sort(key=lambda row: order.index(claims.verdict[row.split()[1]]))
        parts.append(
            f"**{method}. {line[0].upper()}{line[1:]}.\n\n"
            f"<details><summary>Headline claims ({told})</summary>\n\n"
            "| number | claim | verdict and what decides it |\n|---|---|---|\n"
            + "\n".join(rows)
            + "\n\n</details>"
        )
    return "\n\n".join(parts)


def _decides(claim: pd.Series) -> str:
    because = claim.because.replace("|", "\\|").rstrip(".")
    return f"**{claim.verdict}**: {because}"


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
