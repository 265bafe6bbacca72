"""Which methods are worth their operations: the picture of the README, and what it shows."""

import math
import re
from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd

from hlsvm._files import write_whole
from hlsvm.bounds import binomial_lower, binomial_upper
from hlsvm.chapters.scoreboard_words import deciding_values
from hlsvm.reproduce.claim_verdicts import fill_in
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
#: What is drawn, in the order of the legend: whose colour a method has, its shape, its size.
LOOKS = {
    **{"H-LSVM": ("H-LSVM", "o", 14), "ours: tree": ("LightGBM", "o", 8)},
    **{"linear SVM": ("Linear SVM", "s", 7), "RBF SVM": ("RBF SVM", "D", 7)},
    **{"decision tree": ("CART", "v", 8), "10 random trees": ("Random forest", "8", 8)},
    **{"100 random trees": ("Random forest", "P", 9), "boosting": ("k-NN", "p", 9)},
    "MLP 32": ("MLP", "X", 8),
}
_LOG_DELTA = math.log(0.025)  # an end of a 95 % interval
_BLOCK = re.compile(
    r"(<!-- (picture|default): generated .*? -->\n\n).*?(\n\n<!-- end of \2 -->)", re.DOTALL
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
    """Draw error against operations, a panel per data set; what is worth it has its name.

    The grey line is the least error at any price, of the methods that are drawn.
    """
    rows = rows[rows["method"].isin(list(LOOKS))]
    sets = rows["dataset"].unique()
    fig, panels = plt.subplots(2, math.ceil(len(sets) / 2), figsize=(10, 6.8), sharex=True)
    for axes, of in zip(panels.flat, sets, strict=True):
        part = rows[rows["dataset"] == of].sort_values("operations", kind="stable")
        subject = part.loc[part["method"] == "H-LSVM", "error_pct"].max()  # always in the panel
        end = max(2.2 * part["error_pct"].median(), 1.5 * subject)
        end = min(end, 1.1 * part["error_pct"].max())
        low = math.floor(part["low"].min()) if part["low"].min() > end / 2 else 0
        own = f" (axis from {low} %)" if low else f" (axis to {end:.2g} %)" if end < 1 else ""
        axes.set(xscale="log", xlim=(1.2, 4e6), ylim=(low - 0.03 * (end - low), end))
        axes.set_title(of + own, fontsize=11, pad=12)
        least = part[part["error_pct"] < part["error_pct"].cummin().shift(fill_value=end)]
        axes.step(least["operations"], least["error_pct"], where="post", color="0.7", zorder=0)
        for method, (look, marker, size) in LOOKS.items():
            shade = color(look)
            mark = {"mec": "white", "mew": 0.6, "ls": "", "color": shade, "marker": marker}
            if of == sets[0]:
                axes.plot([], [], label=method, ms=size, **mark)
            for row in part[part["method"] == method].itertuples():
                at = (row.operations, min(row.error_pct, end))
                axes.plot(at[:1] * 2, [row.low, min(row.high, end)], color=shade, lw=0.8, zorder=1)
                above = 2 if method == "H-LSVM" else 3  # the large mark hides no other
                axes.plot(*at, ms=size, clip_on=False, zorder=above, **mark)
                if row.error_pct > end:
                    _beside(axes, f"{row.error_pct:.2g}", at, (7, 0), "left", "center")
                if row.worth:
                    name = method if at[0] > 300 else method.replace(" trees", "\ntrees")
                    _beside(axes, name, at, (-7, -3), "right", "center")
        for method in set(LOOKS) - {*part["method"]}:
            _beside(axes, f"{method}: not run", (4e6, low), (-3, 3), "right", "bottom")
    for axes in panels[:, 0]:
        axes.set_ylabel("test error (%)")
    for axes in panels[-1]:
        axes.set_xlabel("operations per decision")
    for text in fig.legend(loc="outside upper center", ncols=5, fontsize=10).get_texts():
        text.set_weight("bold" if text.get_text() == "H-LSVM" else "normal")
    return fig


def _beside(axes, text, at, shift, ha, va) -> None:
    place = {"xytext": shift, "textcoords": "offset points", "ha": ha, "va": va}
    axes.annotate(text, at, fontsize=9, linespacing=0.95, annotation_clip=False, **place)


def _words(rows: pd.DataFrame) -> str:
    best = rows[rows["worth"]].groupby("method")["dataset"].nunique().sort_values(ascending=False)
    ours = best.get("ours: tree", 0)
    others = best[best.index.isin(list(LOOKS))].drop(["H-LSVM", "ours: tree"], errors="ignore")
    times = rows.pivot(index="dataset", columns="method", values="batch_us")
    times = times.reindex(columns=["10 random trees", "H-LSVM"]).T.to_numpy()
    slower = int((times[0] > times[1]).sum())
    left = [name for name in dict.fromkeys(rows["method"]) if name not in LOOKS]
    named = ", ".join(f"{name} on {best[name]}" for name in left if name in best)
    return (
        f"**Which to use today?** H-LSVM as published is worth its operations on "
        f"{best.get('H-LSVM', 0) or 'none'} of the {rows['dataset'].nunique()} data sets, our tree "
        f"(`ObliqueTreeClassifier`) on {ours or 'none'}; of the others "
        f"{', '.join(f'{name} on {count}' for name, count in others.items()) or 'none is'}."
        + f" But operations are not time: 10 random trees take longer than H-LSVM on {slower} sets."
        * bool(slower)
        + f" Run, but not drawn, are {', '.join(left)}: they change none of these names, and of "
        f"them only {named or 'none'} would be named." * bool(left)
    )


def _default() -> str:
    faster, lost = deciding_values()["fast"]
    return fill_in(
        "SRS-SVM above is as published. `SRSSVC()`, our default, trains {:to .1f} times as fast as "
        "the same solver on all samples, and loses {:to .1f} points.",
        *(faster, lost),
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
    words = {"picture": _words, "default": lambda _: _default()}
    write_whole(page, _BLOCK.sub(lambda at: f"{at[1]}{words[at[2]](rows)}{at[3]}", text))
