"""The scoreboard as tiles and as bars, and how its verdicts hang on thresholds."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Patch

from hlsvm.reproduce.claim_verdicts import decide_all, has_threshold, statements
from hlsvm.reproduce.repository import read_strings, repository_root

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


def headlines() -> dict[str, dict[str, str]]:
    """Return every headline claim in a few words, by its method and its id."""
    rows = read_strings(repository_root() / "data" / "headlines.csv")
    return {
        name: dict(zip(part.id, part.short, strict=True))
        for name, part in rows.groupby("method", sort=False)
    }


def short_claims() -> pd.Series:
    """Return every headline claim in a few words, by its id."""
    return pd.Series({id: words for claims in headlines().values() for id, words in claims.items()})


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
    for row, claims in enumerate(headlines().values()):
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
    names = [textwrap.fill(name, 9) for name in headlines()]
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
