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
    "holds": {"fc": "#0072B2"},
    "holds in part": {"fc": "#56B4E9"},
    "does not hold": {"fc": "#D55E00"},
    "cannot be told": {"fc": "white"},
}
_LOOKS = STATES | {"better": {"fc": "#009E73"}, "different": {"fc": "#C8C8C8"}}
_LIKE = {"same": "holds", "worse": "does not hold", "not run": "cannot be told"}
_COLUMNS = 3  # of tiles


def draw_counts(panels: dict[str, pd.DataFrame]):
    """Draw tables of counts as bars of equal length, a bar a row, parted by the columns.

    Parameters
    ----------
    panels : dict of str to DataFrame
        By its heading a table whose columns are verdicts on claims or on numbers.

    Returns
    -------
    Figure
    """
    height = sum(0.8 + 0.27 * len(counts) for counts in panels.values())
    fig, column = plt.subplots(len(panels), figsize=(8.4, height), squeeze=False)
    for axes, (heading, counts) in zip(column[:, 0], panels.items(), strict=True):
        total = counts.sum(axis=1)
        share = counts.div(total, axis=0).set_axis([f"{id} ({n:.0f})" for id, n in total.items()])
        for state, left in (share.cumsum(axis=1) - share).items():
            look = _LOOKS[_LIKE.get(state, state)]
            options = {"left": left, "ec": "#404040", "lw": 0.5, "label": state, **look}
            bars = axes.barh(share.index, share[state], **options)
            texts = [str(number) if number else "" for number in counts[state]]
            axes.bar_label(bars, texts, label_type="center", fontsize=9, **_written(look))
        axes.invert_yaxis()
        axes.grid(visible=False)
        axes.set(xlim=(0, 1.002), xticks=[], frame_on=False)  # the outline of the bars is whole
        axes.tick_params(left=False)
        axes.legend(title=heading, ncols=5, loc="lower center", bbox_to_anchor=(0.5, 0.97))
    return fig


def headlines() -> pd.DataFrame:
    """Return ``data/headlines.csv``: each headline claim in short, with the words of its number."""
    return read_strings(repository_root() / "data" / "headlines.csv").set_index("id")


def measured() -> pd.Series:
    """Return in a few words what was measured of every headline claim, by id."""
    words = headlines().measured
    answers = decide_all(statements().loc[words.index].assign(because=words))
    texts = pd.Series([text for _, text in answers], index=words.index)
    lacking = texts.str.startswith(("missing", "the record"))
    texts = texts.mask(lacking, "deciding run missing")
    texts = texts.mask(texts.str.startswith("data"), "data not available")
    flip = str.maketrans("+-", "-+", "~")  # "~+5.5" is the rival's, "-5.5" the method's
    texts = texts.str.replace(r"~\S+( to \S+)?", lambda m: m[0].translate(flip), regex=True)
    texts = texts.str.replace(r"(\+\S+) to (-\S+)", r"\2 to \1", regex=True)  # the low end first
    texts = texts.str.replace(r"\d+\.\d\d(?=.* ×| at)", lambda m: f"{float(m[0]):.1f}", regex=True)
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
        Rows by method; thick edges where the rule was followed, stars where too little was run.
    """
    order, values, whole = list(STATES), measured(), statements().changed == ""
    capped, methods = out_of_reach(), headlines().groupby("method", sort=False).short
    ticks, top, star = {}, 0.0, {"marker": "*", "ms": 8, "color": "black", "ls": ""}
    fig, axes = plt.subplots(figsize=(8.4, 11.2), layout="constrained")
    for name, short in methods:
        ranked = sorted(short.index, key=lambda id: (order.index(verdicts[id]), id))
        for place, id in enumerate(ranked):
            look, row, x = STATES[verdicts[id]], top + place // _COLUMNS, place % _COLUMNS
            tile = {"width": 0.97, "height": 0.93, "ec": "#404040", "lw": 0.5}
            if whole[id] and verdicts[id] != "cannot be told":
                tile |= {"ec": "black", "lw": 3}
            axes.add_patch(plt.Rectangle((x + 0.015, row + 0.035), **tile, **look))
            if verdicts[id] == "holds in part" and capped[id]:
                axes.plot(x + 0.94, row + 0.2, **star)
            for gid, text in ((id, f"{id}\n{short[id]}"), (None, values[id])):
                at = {"va": "top", "y": row + 0.1} if gid else {"va": "bottom", "y": row + 0.93}
                at |= {"weight": "normal" if gid else "bold", "gid": gid, **_written(look)}
                axes.text(x + 0.06, s=text, fontsize=9.6, linespacing=1.1, **at)
        bottom = top - (-len(short) // _COLUMNS)
        ticks[textwrap.fill(name, 9)], top = (top + bottom) / 2, bottom + 0.15
    axes.set(xlim=(0, _COLUMNS), ylim=(top, 0), xticks=[], frame_on=False)
    axes.set_yticks([*ticks.values()], [*ticks])
    axes.tick_params(left=False)
    axes.grid(visible=False)
    box = {"ec": "#404040", "lw": 0.5}
    marks = [Patch(label=state, **box, **look) for state, look in STATES.items()]
    marks.append(Patch(fc="white", ec="black", lw=2.5, label="tested exactly by its rule"))
    marks.append(plt.Line2D([], [], label="could at best hold in part", **star))
    axes.legend(handles=marks, ncols=3, loc="lower center", bbox_to_anchor=(0.46, 1.0))
    return fig


def _written(look):
    return {"color": "white" if look["fc"] in ("#0072B2", "#009E73") else "black"}


def sensitivity(claims: pd.DataFrame) -> pd.DataFrame:
    """Return by id the verdicts ``half as strict``, ``as written`` and ``twice as strict``.

    Of `claims`, those that are told and whose rule has a threshold.
    """
    ids = [id for id in claims.index[claims.verdict != "cannot be told"] if has_threshold(id)]
    names = {"half as strict": 0.5, "as written": 1.0, "twice as strict": 2.0}
    rows = statements().loc[ids]
    return pd.DataFrame(
        {name: [verdict for verdict, _ in decide_all(rows, by)] for name, by in names.items()},
        index=ids,
    )
