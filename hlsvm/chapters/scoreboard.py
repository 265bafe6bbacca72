"""The scoreboard in pictures and in a line per method."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

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


# A method -> the claims that decide its line, the line if they hold (in part), and if not.
_TAKE_HOME = {
    "**[QPFS](03_qpfs.ipynb)**": (
        ["QPFS.01"],
        "about as accurate as mRMR once some dozens of features are kept, not with the first few.",
        "no reason to prefer it to mRMR in our runs.",
    ),
    "**[KQPFS](04_kqpfs_equivalence.ipynb)**": (
        ["KQPFS.01", "KQPFS.03"],
        "the kernel Fisher discriminant by another road; use whichever is faster.",
        "its equality with the kernel Fisher discriminant is not confirmed.",
    ),
    "**[H-LSVM](05_hlsvm.ipynb)**": (
        ["HLSVM.03", "HLSVM.10"],
        "where a kernel SVM is too slow at prediction and a linear SVM too inaccurate, it is "
        "nearer to the kernel SVM on most sets, at a small part of the cost.",
        "cheap, but not reliably nearer to the kernel SVM than to the linear one.",
    ),
    "**[Bounds](06_generalization_bounds.ipynb)**": (
        ["BOUND.06"],
        "the complexity term follows the gap and bounds it.",
        "the complexity term of the papers is no bound as it stands; use a bound without unknown "
        "constants, or a test set.",
    ),
    "**[SRS-SVM](08_srs_svm.ipynb)**": (
        ["SRS.01", "SRS.02"],
        "as accurate as the whole SVM and faster on some sets; the repaired, exact form costs "
        "little more.",
        "no reliable gain over a good solver on all samples.",
    ),
    "**[DTSVM](09_dtsvm.ipynb)**": (
        ["DTSVM.01", "DTSVM.02"],
        "the search for parameters on leaves is far cheaper than on all samples.",
        "no gain over one SVM could be shown.",
    ),
    "**[Metric tree](10_metric_tree.ipynb)**": (
        ["METRIC.01", "METRIC.02"],
        "much faster than the SVM it replaces, at a small loss on most sets; use its certificate.",
        "faster, but not without a loss of accuracy.",
    ),
}


def take_home(verdicts: pd.Series) -> str:
    """Return a line per method, Markdown, as the verdicts on its claims decide it.

    Parameters
    ----------
    verdicts : Series
        By the id of the claim, as ``claims().verdict``.
    """
    lines = []
    for method, (ids, holds, fails) in _TAKE_HOME.items():
        answers = set(verdicts[ids])
        line = holds if answers <= {"holds", "holds in part"} else fails
        if "cannot be told" in answers:
            line = "still open: data or records are missing."
        lines.append(f"- {method}: {line}")
    return "\n".join(lines)
