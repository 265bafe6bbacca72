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
from hlsvm.reproduce.style import color, styled

PICTURE = "figures/redrawn/front-page.png"
_NAMES = {
    **{"CART": "decision tree", "oblique tree": "ours: tree", "oblique forest": "ours: 3 trees"},
    **{"forest 10": "10 random trees", "forest 100": "100 random trees"},
}
_FORMS = {
    "ours: tree": "a node has a linear SVM or compares one feature, and settings are chosen inside",
    "ours: 3 trees": "a forest of such trees",
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
    """Draw operations and errors, a row a method, the cheapest first."""
    order = rows.groupby("method")["operations"].median().sort_values().index
    sets = rows["dataset"].unique()
    blue = {"H-LSVM", *rows.loc[rows["ours"], "method"]}
    colors = {name: color("H-LSVM") if name in blue else "#404040" for name in order}
    shape = {"sharey": True, "width_ratios": [1.4, *[1] * len(sets)]}
    fig, (price, *panels) = plt.subplots(1, 1 + len(sets), figsize=(10, 4.8), **shape)
    for place, name in enumerate(order):
        cost = rows.loc[rows["method"] == name, "operations"]
        price.plot([cost.min(), cost.max()], [place] * 2, "|-", color=colors[name], lw=3, ms=6)
    for axes, of in zip(panels, sets, strict=True):
        part = rows[rows["dataset"] == of]
        end = min(2.2 * part["error_pct"].median(), 1.1 * part["error_pct"].max())
        for row in part.itertuples():
            place, shade = order.get_loc(row.method), colors[row.method]
            look = {"color": shade, "mfc": shade if row.worth else "white", "clip_on": False}
            if row.error_pct > end:
                axes.plot(end, place, ">", ms=5, **look)
                continue
            axes.plot([row.low, min(row.high, end)], [place] * 2, color=shade, lw=1.2)
            axes.plot(row.error_pct, place, "o", ms=6, **look)
        axes.set_title(f"{of}\nerror (%)", fontsize=10)
        axes.set_xlim(right=end)
    price.set_title("operations\nper decision", fontsize=10)
    price.set(xscale="log", ylim=(len(order) - 0.5, -0.5))
    price.set_yticks(range(len(order)), order)
    for name, text in zip(order, price.get_yticklabels(), strict=True):
        text.set(color=colors[name], weight="bold" if name == "H-LSVM" else "normal")
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
