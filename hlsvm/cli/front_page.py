"""Which methods are worth their operations: the picture of the README, and what it shows."""

import math
import re
from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd

from hlsvm._files import write_whole
from hlsvm.bounds import binomial_lower, binomial_upper
from hlsvm.reproduce.provenance import read_record
from hlsvm.reproduce.recorded_numbers import recorded
from hlsvm.reproduce.records import read_drawn
from hlsvm.reproduce.repository import repository_root
from hlsvm.reproduce.style import styled

PICTURE = "figures/redrawn/front-page.png"
_NAMES = {
    **{"CART": "decision tree", "oblique tree": "ours: tree", "oblique forest": "ours: 3 trees"},
    **{"forest 10": "10 random trees", "forest 100": "100 random trees"},
}
_FORMS = {
    "ours: tree": "a node has a linear SVM or compares one feature, and settings are chosen inside",
    "ours: 3 trees": "a forest of such trees",
}
_BLUE, _LIGHT, _GREEN = "#0072B2", "#56B4E9", "#009E73"
_ORANGE, _PINK, _GREY = "#D55E00", "#CC79A7", "#404040"
_LOOKS = {  # the legend's columns have three methods each; the last are drawn above the others
    **{"decision tree": (_GREEN, "v"), "10 random trees": (_GREEN, "<")},
    **{"100 random trees": (_GREEN, "^"), "AdaBoost": (_PINK, "P"), "boosting": (_PINK, "p")},
    **{"linear SVM": (_GREY, "X"), "MLP 8": (_ORANGE, "s"), "MLP 32": (_ORANGE, "D")},
    **{"MLP 128": (_ORANGE, "8"), "Nystroem 30": (_GREY, "d"), "Nystroem 100": (_GREY, ">")},
    **{"RBF SVM": (_GREY, "*"), "ours: 3 trees": (_LIGHT, "H"), "ours: tree": (_LIGHT, "o")},
    "H-LSVM": (_BLUE, "o"),
}
_LOG_DELTA = math.log(0.025)  # an end of a 95 % interval
_BLOCK = re.compile(
    "(<!-- picture: generated .*? -->\n\n).*?(\n\n<!-- end of picture -->)", re.DOTALL
)


def sizes() -> dict[str, int]:
    """Return the rows of the test part of every data set of Beyond.Fig1, by its record.

    A set without a test part of its own is divided there: a third is for the test.
    """
    used = read_record(repository_root() / "figures" / "beyond-fig1.json")["datasets"].values()
    names = recorded("Beyond.Fig1")["dataset"].unique()
    shapes = [data["shapes"] for data in used]
    return {
        name: test[0] if test else math.ceil(train[0] / 3)
        for name, (train, _, test, _) in zip(names, shapes, strict=True)
    }


def worth(table: pd.DataFrame, sizes: Mapping[str, int]) -> pd.DataFrame:
    """Return the rows of Beyond.Fig1 that have a price, with the 95 % interval of their error.

    `sizes` has the test rows of every data set. A row is ``worth`` its operations if its interval
    lies below those of all that cost less; the cheapest, below which there is nothing, is not.
    """
    rows = table[table["operations"].notna() & table["error_pct"].notna()].copy()
    rows["method"] = rows["method"].replace(_NAMES)
    rows["ours"] = (rows["look"] == "H-LSVM") & (rows["method"] != "H-LSVM")
    tests = rows["dataset"].map(sizes)
    wrong = (rows["error_pct"] / 100 * tests).round().astype(int)
    for name, limit in (("low", binomial_lower), ("high", binomial_upper)):
        ends = [limit(k, n, _LOG_DELTA) for k, n in zip(wrong, tests, strict=True)]
        rows[name] = [100 * end for end in ends]
    rows = rows.sort_values(["dataset", "operations"], kind="stable")
    cheaper = rows.groupby("dataset")["low"].transform(lambda low: low.cummin().shift())
    rows["worth"] = rows["high"] < cheaper
    return rows.sort_index()


def fewer_errors(rows: pd.DataFrame) -> dict[tuple[str, str], list[str]]:
    """Return on which data sets a method has fewer errors than another, beyond chance.

    `rows` are those of `worth`; the keys are (method, other), for all that ran.
    """
    ends = rows.pivot(index="dataset", columns="method", values=["low", "high"])
    names = ends["low"].columns
    return {
        (one, other): list(ends.index[ends["high", one] < ends["low", other]])
        for one in names
        for other in names
    }


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Draw error against operations, a panel per data set, with the least error at any price."""
    sets = rows["dataset"].unique()
    fig, panels = plt.subplots(2, math.ceil(len(sets) / 2), figsize=(10, 6.6), sharex=True)
    for axes, of in zip(panels.flat, sets, strict=True):
        part = rows[rows["dataset"] == of].sort_values("operations", kind="stable")
        end = min(2.2 * part["error_pct"].median(), 1.1 * part["error_pct"].max())
        least = part[part["error_pct"] < part["error_pct"].cummin().shift(fill_value=end)]
        axes.step(least["operations"], least["error_pct"], where="post", color="0.75", zorder=0)
        for method, (shade, marker) in _LOOKS.items():
            look = {"color": shade, "marker": marker, "ms": 7, "ls": ""}
            if of == sets[0]:
                axes.plot([], [], mfc="white", label=method, **look)
            for row in part[part["method"] == method].itertuples():
                axes.plot([row.operations] * 2, [row.low, min(row.high, end)], color=shade, lw=0.8)
                at, inside = min(row.error_pct, end), shade if row.worth else "white"
                axes.plot(row.operations, at, mfc=inside, clip_on=False, **look)
        bottom = 0 if part["low"].min() < end / 2 else None
        axes.set(xscale="log", ylim=(bottom, end))
        axes.set_title(of, fontsize=11, pad=10)
    for axes in panels[:, 0]:
        axes.set_ylabel("test error (%)")
    for axes in panels[-1]:
        axes.set_xlabel("operations per decision")
    for text in fig.legend(loc="outside upper center", ncols=5, fontsize=10).get_texts():
        text.set_weight("bold" if text.get_text() == "H-LSVM" else "normal")
    return fig


def _words(rows: pd.DataFrame) -> str:
    best = rows[rows["worth"]].groupby("method")["dataset"].nunique().sort_values(ascending=False)
    ours = rows[rows["worth"] & rows["ours"]]["dataset"].nunique()
    others = best.drop(["H-LSVM", *rows.loc[rows["ours"], "method"]], errors="ignore")
    forms = [f"{name[6:]} ({what})" for name, what in _FORMS.items() if name in {*rows["method"]}]
    return (
        f"**Which to use today?** H-LSVM as published has a filled mark on "
        f"{best.get('H-LSVM', 0) or 'none'} of the {rows['dataset'].nunique()} data sets, one of "
        f"our forms of it on {ours or 'none'}; of the others "
        f"{', '.join(f'{name} on {count}' for name, count in others.items()) or 'none has any'}."
        + f" Our forms: {'; '.join(forms)}."
        * bool(forms)
    )


def write() -> None:
    """Draw the picture of the README, and write what it shows below it, from the record."""
    root = repository_root()
    record, page = root / "figures" / "beyond-fig1.csv", root / "README.md"
    if not (record.exists() and page.exists()):
        return
    rows = worth(read_drawn(record.read_text(encoding="utf-8")), sizes())
    with styled():
        (root / PICTURE).parent.mkdir(exist_ok=True)
        draw(rows).savefig(root / PICTURE)
    plt.close("all")
    text = page.read_text(encoding="utf-8")
    write_whole(page, _BLOCK.sub(lambda found: f"{found[1]}{_words(rows)}{found[2]}", text))
