"""The picture of the README and the words below it are those of the record."""

import numpy as np
import pandas as pd
from PIL import Image

from hlsvm.cli import front_page
from hlsvm.reproduce.records import read_drawn
from hlsvm.reproduce.repository import repository_root
from hlsvm.reproduce.style import styled


def test_a_method_is_worth_its_operations_if_all_cheaper_ones_have_clearly_more_errors():
    rows = front_page.worth(
        pd.DataFrame(
            {
                "dataset": ["USPS"] * 4 + ["Adult"],
                "method": ["H-LSVM, axis", "CART", "H-LSVM", "LIBSVM", "H-LSVM"],
                "look": ["H-LSVM", "CART", "H-LSVM", "RBF SVM", "H-LSVM"],
                "operations": [10.0, 20.0, 30.0, 40.0, 5.0],
                "error_pct": [20.0, 19.5, 10.0, 9.5, 15.0],
                "batch_us": 1.0,
            }
        ),
        {"USPS": 2007, "Adult": 16_281},
    )
    assert rows["worth"].tolist() == [False, False, True, False, False]
    assert (rows["low"] < rows["error_pct"]).all()
    assert (rows["error_pct"] < rows["high"]).all()
    fewer = front_page.fewer_errors(rows)
    assert fewer["H-LSVM", "decision tree"] == ["USPS"]
    assert fewer["decision tree", "H-LSVM"] == fewer["LIBSVM", "H-LSVM"] == []
    words = front_page._words(rows)
    assert "on 1 of the 2 data sets, our tree (`ObliqueTreeClassifier`) on none" in words
    assert "of the others none is. Run, but not drawn, are H-LSVM, axis, LIBSVM" in words


def test_the_readme_shows_what_the_record_gives(tmp_path):
    root = repository_root()
    record = (root / "figures" / "beyond-fig1.csv").read_text(encoding="utf-8")
    rows = front_page.worth(read_drawn(record), front_page.sizes())
    wrong = rows["error_pct"] / 100 * rows["dataset"].map(front_page.sizes())
    assert (wrong - wrong.round()).abs().max() < 0.01, "not the number of test rows"
    text = (root / "README.md").read_text(encoding="utf-8")
    assert f"-->\n\n{front_page._words(rows)}\n\n<!-- end of picture -->" in text
    with styled():
        front_page.draw(rows).savefig(tmp_path / "again.png")
    again, shown = (
        np.asarray(Image.open(path).convert("RGB"), dtype=int)
        for path in (tmp_path / "again.png", root / front_page.PICTURE)
    )
    assert again.shape == shown.shape
    assert (np.abs(again - shown).max(axis=2) > 48).mean() < 0.02


def test_no_name_in_the_picture_hangs_on_what_is_not_drawn():
    record = (repository_root() / "figures" / "beyond-fig1.csv").read_text(encoding="utf-8")
    table, named = read_drawn(record), []
    drawn = table["method"].replace(front_page._NAMES).isin(list(front_page.LOOKS))
    for part in (table, table[drawn]):
        rows = front_page.worth(part, front_page.sizes())
        rows = rows[rows["worth"] & rows["method"].isin(list(front_page.LOOKS))]
        named.append(set(zip(rows["dataset"], rows["method"], strict=True)))
    assert named[0] == named[1]


def test_the_advice_of_the_readme_is_what_the_record_shows():
    record = (repository_root() / "figures" / "beyond-fig1.csv").read_text(encoding="utf-8")
    rows = front_page.worth(read_drawn(record), front_page.sizes())
    of_set = rows.groupby("dataset")
    cheapest = rows.loc[of_set["operations"].idxmin(), "method"]
    best = rows[rows["error_pct"] == of_set["error_pct"].transform("min")]
    named = {"RBF SVM", "boosting", "100 random trees", "MLP 128"}
    assert set(cheapest) == {"decision tree"}
    adult = rows[rows["dataset"] == "Adult"].set_index("method")["error_pct"]
    assert adult["H-LSVM"] == adult.max() > adult["linear SVM"]
    assert named <= set(best["method"]) <= named | {"ours: tree"}
    assert best.groupby("method")["dataset"].nunique().max() < rows["dataset"].nunique()
    for method in ("10 random trees", "ours: tree"):
        pair = rows[rows["method"].isin([method, "decision tree"])]
        wins = pair.pivot(index="dataset", columns="method", values="error_pct")
        assert (wins[method] < wins["decision tree"]).sum() > len(wins) / 2
