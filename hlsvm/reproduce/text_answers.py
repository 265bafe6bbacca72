"""Numbers in running text that follow from recorded figures and tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from hlsvm.reproduce.repository import repository_root, stem

_ALPHA = "QPFS alpha = "


def _drawn(id: str) -> pd.DataFrame:
    return pd.read_csv(repository_root() / "figures" / f"{stem(id)}.csv")


def best_alpha(curves: pd.DataFrame) -> float:
    """Return the alpha of the grid with the least error, averaged over the sizes all curves have.

    Parameters
    ----------
    curves : DataFrame
        ``label`` ("QPFS alpha = 0.3"), ``n_features``, ``error_pct``.

    Examples
    --------
    >>> rows = [("QPFS alpha = 0.1", 10, 5.0), ("QPFS alpha = 0.5", 10, 4.0)]
    >>> best_alpha(pd.DataFrame(rows, columns=["label", "n_features", "error_pct"]))
    0.5
    """
    some = curves[curves.label.str.startswith(_ALPHA)]
    wide = some.pivot_table(index="n_features", columns="label", values="error_pct").dropna()
    return float(wide.mean().idxmin().removeprefix(_ALPHA))


def random_until(curves: pd.DataFrame) -> float:
    """Return the most features at which random selection is worse than QPFS beyond the spreads."""
    chance = curves[curves.label == "random"].set_index("n_features")
    best = curves[curves.label.str.startswith("QPFS")]
    best = best.loc[best.groupby("n_features").error_pct.idxmin()].set_index("n_features")
    worse = chance.error_pct - best.error_pct > chance.error_pm + best.error_pm
    return float(worse.index[worse].max()) if worse.any() else 0.0


def rate_enough(curves: pd.DataFrame) -> float:
    """Return the least p from which QPFS with Nystrom errs as QPFS does, within mean spreads."""
    curves = curves.drop_duplicates(["label", "n_features"])
    exact = curves[curves.label == "QPFS"].set_index("n_features")
    enough = np.nan
    rates = sorted({float(text.split(" = ")[1]) for text in curves.label if "+N p" in text})
    for p in reversed(rates):
        some = curves[curves.label == f"QPFS+N p = {p:g}"].set_index("n_features")
        gap = (some.error_pct - exact.error_pct).dropna()
        if gap.mean() > (some.error_pm + exact.error_pm)[gap.index].mean():
            break
        enough = p
    return enough


def _sparsity(pixels) -> Iterator[tuple[str, float, str]]:
    empty = np.mean(np.asarray(pixels) == 0, axis=0)
    yield "028", float((empty > 0.7).sum()), ""
    yield "029", float(100 * empty.mean()), ""


def _chapter3() -> Iterator[tuple[str, float, str]]:
    arrhythmia, srbct, digits = (_drawn(f"Thesis.Fig3.{k}") for k in (6, 8, 11))
    digits = digits[~digits.label.str.endswith(", published")]
    yield "013", best_alpha(arrhythmia), ""
    yield "014", random_until(arrhythmia), ""
    if srbct.label[srbct.label.str.startswith(_ALPHA)].nunique() > 1:  # the whole grid
        yield "016", best_alpha(srbct), ""
    yield "017", rate_enough(srbct[srbct.n_features <= 100]), ""
    yield "027", float(digits.n_features[digits.error_pct.idxmin()]), ""
    yield "030", best_alpha(digits), ""


_ANSWERS = {"Thesis.Text3": _chapter3}
IDS = tuple(_ANSWERS)


def answers(id: str, pixels=None) -> pd.DataFrame:
    """Answer the numbers of a running text that the committed records settle.

    Parameters
    ----------
    id : {"Thesis.Text3"}
    pixels : array of shape (n, 784), optional
        Training part of MNIST: two numbers of "Thesis.Text3" describe it.

    Returns
    -------
    DataFrame
        ``id``, ``value``, ``status``: a table to record under `id`.

    Raises
    ------
    ValueError
        No text of this id is answered here.

    Examples
    --------
    >>> answers("Thesis.Text3").id.iloc[0]
    'Thesis.text013'
    """
    if id not in _ANSWERS:
        raise ValueError(f"id must be one of {sorted(_ANSWERS)}. Got {id!r} instead.")
    found = [*_ANSWERS[id]()]
    if id == "Thesis.Text3" and pixels is not None:
        found += _sparsity(pixels)
    document = id.partition(".")[0]
    rows = [(f"{document}.text{number}", value, status) for number, value, status in found]
    return pd.DataFrame(rows, columns=["id", "value", "status"])
