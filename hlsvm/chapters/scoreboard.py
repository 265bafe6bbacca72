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


def headlines() -> pd.DataFrame:
    """Return ``data/headlines.csv``: each headline claim in short, with the words of its number."""
    return read_strings(repository_root() / "data" / "headlines.csv").set_index("id")


def measured() -> pd.Series:
    """Return in a few words what was measured of every headline claim, by id."""
    words = headlines().measured
    answers = decide_all(statements().loc[words.index].assign(because=words))
    texts = pd.Series([text for _, text in answers], index=words.index)
    texts = texts.mask(
        texts.str.startswith(("missing", "the record")), "the deciding run is missing"
    )
    texts = texts.mask(texts.str.startswith("data"), "data not available")
    return texts.str.replace(r"(\d)%", r"\1 %", regex=True)


def out_of_reach() -> pd.Series:
    """Return by id whether a claim could not hold, whatever the result, as too little was run."""
    return statements().changed.str.contains("'[Hh]olds' (?:needs|is out of reach)")


def draw_tiles(verdicts: pd.Series):
    """Draw every headline claim as a tile with what was measured, coloured by its verdict.

    Parameters
    ----------
    verdicts : Series
        By the id of the claim.

    Returns
    -------
    Figure
        A row a topic of the claims; thick edges where everything was run that the rule asks for,
        a star where too little was run for more than "holds in part".
    """
    order, values, whole = list(STATES), measured(), statements().changed == ""
    capped, methods = out_of_reach(), headlines().groupby("method", sort=False).short
    fig, axes = plt.subplots(figsize=(10, 9), layout="constrained")
    for row, (_, short) in enumerate(methods):
        ranked = sorted(short.index, key=lambda id: (order.index(verdicts[id]), id))
        for column, id in enumerate(ranked):
            look = STATES[verdicts[id]]
            star = "*" * (verdicts[id] == "holds in part" and bool(capped[id]))
            edge = "#404040" if look["color"] != "white" else "#c8c8c8"  # that of the hatches, too
            tile = {"width": 0.96, "height": 0.92, "ec": edge, "lw": 0.5}
            if whole[id] and verdicts[id] != "cannot be told":
                tile |= {"ec": "black", "lw": 3}
            axes.add_patch(plt.Rectangle((column + 0.02, row + 0.04), **tile, **_filled(look)))
            parts = {
                id: f"{id}{star}\n{textwrap.fill(short[id], 17)}",
                "": textwrap.fill(values[id], 15),
            }
            for name, text in parts.items():
                at = {"va": "top", "y": row + 0.08} if name else {"va": "bottom", "y": row + 0.93}
                style = {"ha": "center", "fontsize": 7.6, "linespacing": 1.05, "gid": name or None}
                weight = "normal" if name else "bold"
                if "hatch" in look:
                    style["bbox"] = {"fc": "white", "ec": "none", "pad": 0.8}
                axes.text(column + 0.5, s=text, color=_ink(look), weight=weight, **at, **style)
    names = [textwrap.fill(name, 9) for name, _ in methods]
    axes.set(xlim=(0, 8), ylim=(len(names), 0), xticks=[])
    axes.set_yticks([row + 0.5 for row in range(len(names))], names)
    axes.tick_params(left=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    box = {"ec": "#404040", "lw": 0.5}
    marks = [Patch(label=state, **box, **_filled(look)) for state, look in STATES.items()]
    marks.append(Patch(fc="white", ec="black", lw=2.5, label="run in full"))
    axes.legend(handles=marks, ncols=5, loc="lower center", bbox_to_anchor=(0.46, 1.0), fontsize=9)
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
