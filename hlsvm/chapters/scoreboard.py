"""The scoreboard in pictures, in a line per method, and claim by claim."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Patch

from hlsvm.reproduce.claim_verdicts import decide_all, has_threshold, statements

# Told apart in grey as well.
_RESULTS = {
    "same": {"color": "#0072B2"},
    "better": {"color": "#66C2A5"},
    "different": {"color": "#DDCC77"},
    "worse": {"color": "#D55E00"},
}
_CLAIMS = {
    "holds": {"color": "#0072B2"},
    "holds in part": {"color": "#56B4E9"},
    "does not hold": {"color": "#D55E00"},
    "cannot be told": {"color": "white", "hatch": "////"},
}


def draw_results(counts: pd.DataFrame):
    """Draw how many of the compared results are the same, better, different and worse, a bar a row.

    Parameters
    ----------
    counts : DataFrame
        As `summary` gives it; beside a bar its number of results, and how many were not run.

    Returns
    -------
    Figure
    """
    ran = counts[list(_RESULTS)].sum(axis=1)
    counts = counts.rename(
        index=lambda name: f"{name}: {ran[name]} ({counts['not run'][name]} not run)"
    )
    shares = 100 * counts[list(_RESULTS)].div(ran.to_numpy(), axis=0)
    return _bars(counts, shares.fillna(0), _RESULTS, "share of the compared results (%)")


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
    axes.set(xlim=(0, 1.01 * left.max()), xlabel=label)  # the outline of the longest is whole
    axes.legend(ncols=len(looks), loc="lower center", bbox_to_anchor=(0.5, 1.0))
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
        "SRS.21": "its levels forgive too many subclasses",
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
_OPEN = {"data": "open: data not public", "run": "open: not run, or not in full"}
_TILES = {verdict: look for verdict, look in _CLAIMS.items() if verdict != "cannot be told"}
_TILES |= {_OPEN["data"]: {"color": "#DDDDDD"}, _OPEN["run"]: {"color": "white", "hatch": "////"}}


def short_claims() -> pd.Series:
    """Return every headline claim in a few words, by its id."""
    return pd.Series({id: words for claims in _SHORT.values() for id, words in claims.items()})


def tile_states(claims: pd.DataFrame) -> pd.Series:
    """Return the verdicts of claims; of those that cannot be told, why.

    Parameters
    ----------
    claims : DataFrame
        With ``verdict`` and ``because``, as `hlsvm.reproduce.claims` gives it.
    """
    missing = claims.because.str.startswith("data").map({True: _OPEN["data"], False: _OPEN["run"]})
    return claims.verdict.where(claims.verdict != "cannot be told", missing)


def draw_tiles(states: pd.Series):
    """Draw every headline claim as a tile with its number, coloured by its verdict, a row a method.

    Parameters
    ----------
    states : Series
        By the id of the claim, as `tile_states` gives it.

    Returns
    -------
    Figure
    """
    order = list(_TILES)
    fig, axes = plt.subplots(figsize=(10, 7.6), layout="constrained")
    for row, claims in enumerate(_SHORT.values()):
        ranked = sorted(claims, key=lambda id: (order.index(states[id]), id))
        for column, id in enumerate(ranked):
            look = _TILES[states[id]]
            tile = {"width": 0.96, "height": 0.92, "ec": "#404040", "lw": 0.5}
            axes.add_patch(plt.Rectangle((column + 0.02, row + 0.04), **tile, **_filled(look)))
            text = f"$\\mathbf{{{id}}}$\n" + textwrap.fill(claims[id], 16)
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
    marks = [Patch(label=state, **box, **_filled(look)) for state, look in _TILES.items()]
    axes.legend(handles=marks, ncols=5, loc="lower center", bbox_to_anchor=(0.46, 1.0), fontsize=9)
    return fig


def _filled(look):
    return {"fc": look["color"], "hatch": look.get("hatch")}


def _ink(look):
    return "white" if look["color"] in ("#0072B2", "#D55E00") else "black"


# A method -> what it does, its lesson and source, the claims that decide its line, the line if
# they hold (in part), if not, and what is open where they cannot be told.
_TAKE_HOME = {
    "QPFS": (
        "[QPFS](03_qpfs.ipynb), quadratic programming feature selection (Thesis)",
        "ranks features: relevant ones that do not repeat each other",
        ["QPFS.01"],
        "from some dozens of features on about as accurate as mRMR on small data, but not on "
        "MNIST; worse with few",
        "no reason to prefer it to mRMR in our runs",
        "whether it is as accurate as mRMR",
    ),
    "KQPFS": (
        "[KQPFS](04_kqpfs_equivalence.ipynb), the same with a kernel (Thesis)",
        "finds the direction that separates two classes best",
        ["KQPFS.01", "KQPFS.03"],
        "the kernel Fisher discriminant by another road; use whichever is faster",
        "its equality with the kernel Fisher discriminant is not confirmed",
        "whether it equals the kernel Fisher discriminant",
    ),
    "HLSVM": (
        "[H-LSVM](05_hlsvm.ipynb), hierarchical linear SVM (Thesis, HLSVM)",
        "a decision tree whose cuts are linear SVMs",
        ["HLSVM.03", "HLSVM.10"],
        "use it where a kernel SVM is too slow and a linear SVM too inaccurate: on most sets its "
        "error is nearer to the kernel SVM's, at a small part of the cost",
        "cheap, but not reliably nearer to the kernel SVM than to the linear one",
        "whether it is as accurate as hoped, and faster",
    ),
    "BOUND": (
        "[Bounds](06_generalization_bounds.ipynb) (Thesis, HLSVM)",
        "bound the error of such trees without a test set",
        ["BOUND.06"],
        "the complexity term follows the gap and bounds it",
        "the papers' bound has a constant that nobody knows; take a bound without one, or a test "
        "set",
        "whether the bound is of use",
    ),
    "GLOBAL": (
        "[QPFS before H-LSVM](07_global_view.ipynb) (Thesis)",
        "selects features, then grows the tree on them",
        ["GLOBAL.08"],
        "some operations saved at the same error; a linear SVM is cheaper and less accurate",
        "no gain over the tree on all features",
        "whether the selection pays",
    ),
    "SRS": (
        "[SRS-SVM](08_srs_svm.ipynb), subclass reduced set SVM (SRS-SVM)",
        "trains a kernel SVM on the few rows that are likely to matter",
        ["SRS.01", "SRS.02"],
        "nearly as accurate as the SVM on all rows; with the same solver faster on some sets only",
        "no reliable gain over a good solver on all samples",
        "whether it is as accurate, and faster",
    ),
    "DTSVM": (
        "[DTSVM](09_dtsvm.ipynb), decision tree with SVMs (DTSVM)",
        "a decision tree with a kernel SVM in every leaf of several classes",
        ["DTSVM.01", "DTSVM.02"],
        "the search for parameters on leaves is far cheaper than on all samples",
        "no gain over one SVM could be shown",
        "how much faster than a search with one SVM, and at which accuracy: that search was run "
        "in part only",
    ),
    "METRIC": (
        "[Metric tree](10_metric_tree.ipynb) (MetricTree)",
        "answers for a trained kernel SVM by its tangents",
        ["METRIC.01", "METRIC.02"],
        "much faster than its SVM, at a small loss on most sets, where the kernel is wide; with a "
        "narrow kernel the loss grows, and few decisions can be certified",
        "faster, but not without a loss of accuracy",
        "whether it is much faster at the same accuracy",
    ),
}
_WORDS = {"holds": "hold", "holds in part": "in part", "does not hold": "fail"}
_WORDS |= {"cannot be told": "open"}


def take_home(verdicts: pd.Series) -> str:
    """Return a table, Markdown: a line per method, as the verdicts on its claims decide it.

    Parameters
    ----------
    verdicts : Series
        By the id of the claim, as ``claims(headline=True).verdict``.
    """
    lines = ["| method | what it does | what we found | headlines |", "|---|---|---|---|"]
    for topic, (method, does, ids, holds, fails, unknown) in _TAKE_HOME.items():
        answers = set(verdicts[ids])
        line = holds if answers <= {"holds", "holds in part"} else fails
        if "cannot be told" in answers:
            line = f"still open: {unknown}"
        counts = verdicts[verdicts.index.str.startswith(f"{topic}.")].value_counts()
        told = ", ".join(
            f"{counts[name]} {word}" for name, word in _WORDS.items() if name in counts
        )
        lines.append(f"| **{method}** | {does} | {line} | {told} |")
    return "\n".join(lines)


def claim_card(claim: pd.Series, written: pd.Series) -> str:
    """Return a claim with its rule, what was measured and the verdict, Markdown.

    Parameters
    ----------
    claim : Series
        A row of `hlsvm.reproduce.claims`.
    written : Series
        The same row of ``data/claims.csv``.
    """
    rule = written.decided_by.removeprefix("Measure: ")
    lines = {
        "Rule": rule[0].upper() + rule[1:],
        "Changed when it was run": written.changed,
        "Measured": claim.because,
    }
    told = [f"- {name}: {text.rstrip('.')}." for name, text in lines.items() if text]
    head = f"**{claim.name}** “{claim.claim.rstrip('.')}.” *({claim.place})*"
    return "\n".join([head, *told, f"- Verdict: **{claim.verdict}**"])


def claim_folds(claims: pd.DataFrame) -> str:
    """Return all headline claims as `claim_card` shows them, Markdown, folded by method."""
    written, folds = statements(), []
    for method, ids in _SHORT.items():
        cards = "\n\n".join(claim_card(claims.loc[id], written.loc[id]) for id in ids)
        title = f"<summary>{method}: {len(ids)} headline claim{'s' * (len(ids) > 1)}</summary>"
        folds.append(f"<details>{title}\n\n{cards}\n\n</details>")
    return "\n".join(folds)


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
