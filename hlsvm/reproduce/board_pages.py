"""Tables and a picture of the scoreboard, for the notebook that shows it."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from hlsvm.reproduce.board import state, summary
from hlsvm.reproduce.catalogue import entries
from hlsvm.reproduce.judge import VERDICTS

# Dark for what is settled, light for what is open: told apart in grey as well.
_COLORS = {
    "better": "#0072B2",
    "same": "#56B4E9",
    "worse": "#D55E00",
    "not comparable": "#C9C9C9",
    "not run": "#F2F2F2",
}


def by_document(board: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts by document.

    Parameters
    ----------
    board : DataFrame
        As `hlsvm.reproduce.scoreboard` gives it.

    Examples
    --------
    >>> from hlsvm.reproduce import scoreboard
    >>> by_document(scoreboard(["SRS.Tab9"])).index.tolist()
    ['SRS-SVM', 'all']
    """
    return summary(board.assign(id=board["id"].map(lambda id: entries()[id].document)))


def by_notebook(board: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts by the notebook that computes the numbers."""
    counts = summary(board.assign(id=board["id"].map(lambda id: entries()[id].home)))
    return counts.loc[[*sorted(counts.index.drop("all")), "all"]]


def draw(counts: pd.DataFrame):
    """Draw shares of the verdicts, a bar a row.

    Parameters
    ----------
    counts : DataFrame
        Rows to draw, with the verdicts as columns.

    Returns
    -------
    figure, shares : DataFrame
    """
    shares = counts[list(VERDICTS)].div(counts[list(VERDICTS)].sum(axis=1), axis=0) * 100
    fig, axes = plt.subplots(figsize=(7.6, 0.5 + 0.34 * len(shares)), layout="constrained")
    left = pd.Series(0.0, index=shares.index)
    for verdict in VERDICTS:
        axes.barh(
            shares.index,
            shares[verdict],
            left=left,
            color=_COLORS[verdict],
            edgecolor="#404040",
            linewidth=0.5,
            label=verdict,
        )
        left += shares[verdict]
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="share of the published numbers (%)")
    axes.legend(ncols=5, loc="lower center", bbox_to_anchor=(0.45, 1.0), fontsize=8)
    return fig, shares


def reasons(board: pd.DataFrame, verdict: str, most: int = 20) -> pd.DataFrame:
    """Count why numbers have a verdict, with one id as an example each.

    Returns
    -------
    DataFrame
        ``why``, ``numbers``, ``ids`` (how many), ``such_as``; the most frequent first.
    """
    some = board[board["verdict"] == verdict]
    why = some["why"].replace("", "outside the tolerance")
    found = some.assign(why=why).groupby("why")["id"].agg(["size", "nunique", "first"])
    found = found.reset_index().sort_values(["size", "why"], ascending=[False, True])
    found.columns = ["why", "numbers", "ids", "such_as"]
    return found.head(most).reset_index(drop=True)


def worst(board: pd.DataFrame, most: int = 25) -> pd.DataFrame:
    """Return numbers that fall short, those measured in per cent or counts before seconds."""
    some = board[board["verdict"] == "worse"]
    seconds = some["why"].str.startswith("seconds")
    ordered = pd.concat([some[~seconds], some[seconds]])
    columns = ["id", "row", "quantity", "published", "ours", "difference"]
    return ordered[columns].head(most).reset_index(drop=True)


def catalogue_states() -> pd.DataFrame:
    """Count what has become of the ids of the catalogue, by kind of entry."""
    now = state()
    kinds = now.str.split(":").str[0].str.replace(r"^in .*", "in a notebook", regex=True)
    kind = pd.Series({id: entries()[id].kind for id in now.index})
    table = pd.crosstab(kind, kinds)
    table.loc["all"] = table.sum()
    return table.rename_axis(index=None, columns=None)


def gaps() -> pd.DataFrame:
    """Return every figure and table that is not run, with what is missing."""
    now = state()
    open_ids = now[now.str.startswith("not run")]
    rows = [(id, entries()[id].home, text.partition(": ")[2]) for id, text in open_ids.items()]
    return pd.DataFrame(rows, columns=["id", "home", "missing"])
