"""A figure is a function of the table recorded beside it: redrawn from its CSV it is the same."""

import io
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from hlsvm.reproduce import Recorder, drawings, redraw, repository_root
from hlsvm.reproduce.records import as_recorded
from hlsvm.reproduce.repository import stem

CURVE = pd.DataFrame({"depth": [1, 2, 3], "error_pct": [9.0, 4.0, 1 / 3], "name": ["a", "b", "c"]})
ID = "Thesis.Fig5.6"


@pytest.fixture
def registered(monkeypatch):
    """Give the figure another drawing: two panels from a table, or from its parts."""
    drawings._register(ID)

    def two_panels(table, marker="o"):
        parts = table if isinstance(table, dict) else {"all": table}
        fig, axes = plt.subplots(1, len(parts), squeeze=False)
        for panel, part in zip(axes.flat, parts.values(), strict=True):
            panel.plot(part.iloc[:, 0], part.iloc[:, 1], marker)
        return fig

    monkeypatch.setattr(drawings, "_DRAWINGS", {})
    drawings.draws(ID, marker="s")(two_panels)


def pixels(source):
    return np.asarray(Image.open(source).convert("RGB"), dtype=int)


def alike(one, two):
    return one.shape == two.shape and (np.abs(one - two).max(axis=2) > 48).mean() < 0.02


def test_a_table_is_drawn_as_it_will_be_read_back():
    parts = {"(a)": CURVE, "(b)": pd.DataFrame({"x": [1.5, np.nan], "n": [1, 2]})}
    back = as_recorded(parts)
    assert list(back) == ["(a)", "(b)"]
    assert back["(a)"].error_pct.tolist() == [9, 4, 0.3333333]
    assert back["(a)"].depth.dtype == np.int64
    assert back["(b)"].columns.tolist() == ["x", "n"]
    assert as_recorded(back)["(b)"].equals(back["(b)"])
    assert as_recorded(CURVE).columns.tolist() == ["depth", "error_pct", "name"]


@pytest.mark.parametrize("table", [CURVE, {"(a)": CURVE, "(b)": CURVE.iloc[:2]}])
def test_a_recorded_figure_is_redrawn_to_the_pixel(repository, registered, table, tmp_path):
    Recorder(scale="paper", out_dir="record").figure(table, ID)
    redraw(ID, tmp_path / "again.png")
    first = pixels(repository / "figures" / "thesis-fig5.6.png")
    assert np.array_equal(pixels(tmp_path / "again.png"), first)
    assert first.shape[1] >= 1300


def test_a_redrawn_figure_takes_a_style_a_width_and_a_format(repository, registered, tmp_path):
    Recorder(scale="paper", out_dir="record").figure(CURVE, ID)
    style = tmp_path / "mine.mplstyle"
    style.write_text("axes.facecolor: red\nsavefig.dpi: 100\n")
    redraw(ID, tmp_path / "small.png", style=style, width=3.4)
    small = pixels(tmp_path / "small.png")
    assert small.shape[1] == 340
    assert ((small == [255, 0, 0]).all(axis=2)).mean() > 0.2
    redraw(ID, tmp_path / "figure.pdf")
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("id", ["Thesis.Fig5.6", "Beyond.Fig1"])
def test_the_legend_of_a_narrower_figure_has_room(id):
    fig = redraw(id, width=5.0)
    (named,) = fig.legends
    assert named.get_window_extent().width <= fig.bbox.width


@pytest.mark.parametrize("id", ["Thesis.Fig5.6", "Thesis.Fig3.6"])
def test_a_width_without_room_is_refused(id, tmp_path):
    with pytest.raises(ValueError, match=rf"width must be larger: {id} has no room in 2 inches"):
        redraw(id, tmp_path / "narrow.png", width=2)
    assert not (tmp_path / "narrow.png").exists()


def test_what_cannot_be_redrawn(repository, registered):
    with pytest.raises(FileNotFoundError, match=r"is not recorded: there is no figures/"):
        redraw(ID)
    with pytest.raises(KeyError, match="is not in the catalogue"):
        redraw("Thesis.Fig99")
    Recorder(scale="paper", out_dir="record").figure(CURVE, ID)
    with pytest.raises(ValueError, match="width"):
        redraw(ID, width=-1)


def test_a_record_that_no_longer_fits_its_drawing_says_so(repository, registered):
    Recorder(scale="paper", out_dir="record").figure(CURVE, ID)
    drawings.draws(ID)(lambda table: table["a panel of its own"])
    with pytest.raises(
        ValueError, match=rf"record of {ID} no longer fits its drawing.*--only {ID}"
    ):
        redraw(ID)


RECORDS = [
    json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((repository_root() / "figures").glob("*.json"))
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_every_recorded_figure_is_redrawn_from_its_table(record, tmp_path):
    """The same picture: at most one pixel in 50 differs visibly, which other fonts may do.

    Where a drawing has changed since, ``figures/redrawn`` holds the picture that it makes now, by
    ``hlsvm figure ID --out figures/redrawn/NAME.png``. Made again, a record has no need of it.
    """
    redraw(record["id"], tmp_path / "again.png")
    again, name = pixels(tmp_path / "again.png"), f"{stem(record['id'])}.png"
    redrawn = repository_root() / "figures" / "redrawn" / name
    recorded = pixels(repository_root() / "figures" / name)
    if redrawn.exists():
        assert not alike(again, recorded), f"figures/redrawn/{name} is no longer needed: delete it"
    assert alike(again, pixels(redrawn) if redrawn.exists() else recorded)


def test_pictures_are_the_same_bytes_every_time(registered):
    first, second = io.BytesIO(), io.BytesIO()
    drawings.draw(CURVE, ID).savefig(first)
    drawings.draw(CURVE, ID).savefig(second)
    assert first.getvalue() == second.getvalue()
