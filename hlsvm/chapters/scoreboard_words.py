"""The scoreboard in words: which method to choose, and a line per method."""

from __future__ import annotations

import pandas as pd

from hlsvm.chapters.scoreboard import METHODS, STATES, short_claims
from hlsvm.reproduce.claim_verdicts import names, rule, span, statements
from hlsvm.reproduce.recorded_numbers import recorded

# By topic: the method with its lesson and what it does, the claims that decide its line, the line
# if they hold (in part), if not, and what is open where they cannot be told; with the fields of
# `deciding_values`.
_TAKE_HOME = {
    "QPFS": (
        "[QPFS](03_qpfs.ipynb)** ranks features, to find relevant ones that do not repeat each "
        "other",
        ["QPFS.01"],
        "from 50 features on, its error is {QPFS_01[0]:+.2f} points above that of mRMR, the usual "
        "filter, depending on the data set",
        "no reason to prefer it to mRMR, the usual filter, was measured",
        "whether it is as accurate as mRMR, the usual filter",
    ),
    "KQPFS": (
        "[KQPFS](04_kqpfs_equivalence.ipynb)**, its kernel version, finds a direction that "
        "separates two classes",
        ["KQPFS.01", "KQPFS.03"],
        "its direction is that of the kernel Fisher discriminant, to {KQPFS_03[2]}",
        "its equality with the kernel Fisher discriminant is not confirmed",
        "whether it equals the kernel Fisher discriminant",
    ),
    "HLSVM": (
        "[H-LSVM](05_hlsvm.ipynb)** is a decision tree whose cuts are linear SVMs",
        ["HLSVM.03", "HLSVM.10"],
        "on {HLSVM_03[1]} of {HLSVM_03[2]} sets its error is nearer to that of the RBF SVM than to "
        "that of the linear SVM, and it decides {HLSVM_10[0]:.0f} times faster than the RBF SVM",
        "it is cheap, but not reliably nearer to the RBF SVM than to the linear one",
        "whether it is nearer to the RBF SVM, and faster",
    ),
    "BOUND": (
        "[The bounds](06_generalization_bounds.ipynb)** limit the error of such trees without a "
        "test set",
        ["BOUND.06"],
        "the complexity term follows the gap between test and training error, and bounds it",
        "the papers' bound has an unknown constant ({BOUND_06[0]:.4f} on one of our sets, "
        "{BOUND_06[1]:.4f} on another); use a bound without one, or a test set",
        "whether the bound is of use",
    ),
    "GLOBAL": (
        "[QPFS before H-LSVM](07_global_view.ipynb)** selects features and grows the tree on them",
        ["GLOBAL.08"],
        "with {GLOBAL_08[3]:.0%} fewer operations than the tree on all features its error is "
        "{GLOBAL_08[0]:.2f} in place of {GLOBAL_08[1]:.2f} %, on one set of deformed digits",
        "no gain over the tree on all features",
        "whether the selection pays",
    ),
    "SRS": (
        "[SRS-SVM](08_srs_svm.ipynb)** trains a kernel SVM on the rows that are likely to matter",
        ["SRS.01", "SRS.02"],
        "beside the SVM on all rows its accuracy changes by {SRS_01[0]:+.2f} points; with the same "
        "solver it trains {SRS_02[0]:.3g} times as fast",
        "no reliable gain over a good solver on all rows",
        "whether it is as accurate, and faster",
    ),
    "DTSVM": (
        "[DTSVM](09_dtsvm.ipynb)** is a decision tree with a kernel SVM in every leaf that has "
        "several classes",
        ["DTSVM.01", "DTSVM.02"],
        "its search for parameters is far cheaper than that with one SVM; on Letter the latter "
        "takes at least {DTSVM_20[1]:.2g} times as long",
        "no gain over one SVM could be shown",
        "how much faster its search for parameters is than that with one SVM (at least "
        "{DTSVM_20[1]:.2g} times on Letter), and how accurate the result is",
    ),
    "METRIC": (
        "[The metric tree](10_metric_tree.ipynb)** replaces a trained kernel SVM by its tangents",
        ["METRIC.01", "METRIC.02"],
        "it is {METRIC_02[0]} times faster than its SVM and loses at most one point on "
        "{METRIC_01[0]} of {METRIC_01[1]} sets, where most kernels are wide; with tuned kernels it "
        "loses {METRIC_05[0]:.2g} points",
        "it is faster, but not without a loss of accuracy",
        "whether it is much faster at the same accuracy",
    ),
}

# The situation, the method, the claims its row rests on, gain, cost, what else is unproved, and
# the claims that are unproved where they cannot be told.
_CHOICES = [
    (
        "A trained RBF SVM decides too slowly",
        "[metric tree](10_metric_tree.ipynb)",
        ["METRIC.01", "METRIC.02"],
        "{METRIC_02[0]} times faster",
        "at most one point of accuracy on {METRIC_01[0]} of {METRIC_01[1]} sets, "
        "{METRIC_01[2]:.1f} on one",
        "narrow kernels; tuned kernels lose {METRIC_05[0]:.2g} points (METRIC.05)",
        ["METRIC.04"],
    ),
    (
        "Decisions must be fast, and a linear SVM errs too often",
        "[H-LSVM](05_hlsvm.ipynb)",
        ["HLSVM.01", "HLSVM.03", "HLSVM.10"],
        "{HLSVM_01[0]:.2g} points less error than the linear SVM; {HLSVM_10[0]:.0f} times faster "
        "than the RBF SVM",
        "nearer in error to the RBF than to the linear SVM on {HLSVM_03[1]} of {HLSVM_03[2]} sets "
        "only",
        "not significantly better than linear: {HLSVM_01[1]}",
        [],
    ),
    (
        "H-LSVM itself is too slow",
        "[QPFS before H-LSVM](07_global_view.ipynb)",
        ["GLOBAL.08"],
        "{GLOBAL_08[3]:.0%} fewer operations",
        "error {GLOBAL_08[0]:.2f} in place of {GLOBAL_08[1]:.2f} %",
        "any data but one set of deformed digits",
        [],
    ),
    (
        "The search for an SVM's parameters is too slow",
        "a trial of [DTSVM](09_dtsvm.ipynb)",
        ["DTSVM.20"],
        "on Letter, LIBSVM takes at least {DTSVM_20[1]:.2g} times as long",
        "see DTSVM.02",
        "other sets than Letter",
        ["DTSVM.01", "DTSVM.02"],
    ),
    (
        "Training with given parameters is too slow",
        "a faster solver; then a trial of [SRS-SVM](08_srs_svm.ipynb)",
        ["SRS.01", "SRS.02"],
        "{SRS_02[0]:.3g} times as fast with one solver for both",
        "{SRS_01[0]:+.2f} points of accuracy",
        "single runs: ratios near 1 may be chance",
        [],
    ),
    (
        "There are too many features",
        "mRMR, simpler than [QPFS](03_qpfs.ipynb)",
        ["QPFS.01", "QPFS.03"],
        "more accurate than {QPFS_03[1]} of three other filters",
        "QPFS has {QPFS_01[0]:+.2f} points more error, depending on the set",
        "not decided on: {QPFS_01[1]}",
        ["QPFS.05"],
    ),
    (
        "Two classes are to be separated by one number",
        "kernel Fisher discriminant",
        ["KQPFS.03"],
        "[KQPFS](04_kqpfs_equivalence.ipynb) gives the same direction, to {KQPFS_03[2]}",
        "see chapter 4",
        "",
        ["KQPFS.04"],
    ),
]


class _Ends:
    """Several values, shown as the least and the largest."""

    def __init__(self, values):
        self.values = list(dict(values).values())

    def __format__(self, form):
        return span(self.values, f"{{:{form}}}")


# The claims whose values the texts show.
_SHOWN = [
    "QPFS.01",
    "QPFS.03",
    "KQPFS.03",
    "HLSVM.01",
    "HLSVM.03",
    "HLSVM.10",
    "BOUND.06",
    "GLOBAL.08",
    "SRS.01",
    "SRS.02",
    "DTSVM.20",
    "METRIC.01",
    "METRIC.02",
    "METRIC.04",
    "METRIC.05",
    "METRIC.07",
]


def deciding_values() -> dict[str, list]:
    """Return the values that decide some claims, for `str.format`: QPFS_01 has those of QPFS.01.

    Several values of one kind are shown as the least and the largest.
    """
    tables = statements().tables[_SHOWN].str.split(";")
    return {
        id.replace(".", "_"): [_shown(value) for value in rule(id)(*map(recorded, ids))[2:]]
        for id, ids in tables.items()
    }


def _shown(value):
    if isinstance(value, list):
        return names(value)
    return _Ends(value) if isinstance(value, (pd.Series, dict)) else value


def choices(verdicts: pd.Series) -> str:
    """Return which method to try when, with its gain, its cost and what is unproved, Markdown.

    Parameters
    ----------
    verdicts : Series
        Of the headlines, by id.
    """
    lines = ["| if | try | gain | cost | unproved |", "|---|---|---|---|---|"]
    values, short = deciding_values(), short_claims()
    for situation, method, ids, *cells, unproved, unknown in _CHOICES:
        if not verdicts[ids].isin(["holds", "holds in part"]).all():
            method, cells, unproved = "nothing proved", ["", ""], f"see {', '.join(ids)}"
        still = [f"{short[id]} ({id})" for id in unknown if verdicts[id] == "cannot be told"]
        text = [*cells, "; ".join([unproved, *still]).removeprefix("; ")]
        row = [cell.format(**values) for cell in text]
        lines.append(f"| {situation} | {method} | {' | '.join(row)} |")
    return "\n".join(lines)


def take_home(claims: pd.DataFrame) -> str:
    """Return a line per method, as its verdicts decide it, with its claims in a fold, Markdown.

    Parameters
    ----------
    claims : DataFrame
        The headlines, as ``claims(headline=True)``.
    """
    parts, order, values = [], list(STATES), deciding_values()
    for (method, ids, holds, fails, unknown), words in zip(
        _TAKE_HOME.values(), METHODS.values(), strict=True
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
            f"**{method}. {line[0].upper()}{line[1:].format(**values)}.\n\n"
            f"<details><summary>Headline claims ({told})</summary>\n\n"
            "| number | claim | verdict and what decides it |\n|---|---|---|\n"
            + "\n".join(rows)
            + "\n\n</details>"
        )
    return "\n\n".join(parts)


def _decides(claim: pd.Series) -> str:
    because = claim.because.replace("|", "\\|").rstrip(".")
    return f"**{claim.verdict}**: {because}"
