"""Records: named by their id, whole or absent, the same bytes for the same figure."""

import dataclasses
import hashlib
import json
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlsvm.datasets import load
from hlsvm.reproduce import Recorder, label, line, read_record, save_figure, save_table, use_style
from hlsvm.reproduce.records import _drawn_numbers

CURVE = pd.DataFrame({"depth": [1, 2, 3], "error_pct": [9.0, 4.0, 1 / 3]})
NAMES = [f"thesis-fig5.6.{kind}" for kind in ("csv", "json", "png", "svg")]


def draw(points=3):
    with mpl.rc_context():
        use_style()
        fig, axes = plt.subplots()
        x = np.linspace(0, 1, points)
        axes.plot(x, x**2, **line("H-LSVM"))
        axes.scatter(x, np.cos(50 * x), s=4)
        label(axes, "depth", ("test error", "%"))
        axes.legend()
    plt.close(fig)
    return fig


def test_a_figure_is_four_files(tmp_path):
    save_figure(draw(), "Thesis.Fig5.6", data=CURVE, out_dir=tmp_path, params={"lam": 1e-5}, seed=3)
    assert sorted(path.name for path in tmp_path.iterdir()) == NAMES
    assert (tmp_path / "thesis-fig5.6.csv").read_text().splitlines() == [
        *("depth,error_pct", "1,9", "2,4", "3,0.3333333"),
    ]
    record = read_record(tmp_path / "thesis-fig5.6.json")
    assert (record["params"], record["seed"], record["scale"]) == ({"lam": 1e-5}, 3, "quick")
    assert record["notebook"] == "notebooks/experiments/05_hlsvm.ipynb"
    assert {"commit", "dirty", "versions", "code", "machine", "recorded", "files"} <= set(record)
    assert set(record["files"]) == set(NAMES) - {"thesis-fig5.6.json"}
    png = (tmp_path / "thesis-fig5.6.png").read_bytes()
    assert b"Software\x00hlsvm" in png
    assert b"Title\x00Thesis.Fig5.6" in png


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    fig = draw()
    for folder, figure in (("a", fig), ("b", fig), ("c", draw())):
        save_figure(figure, "Thesis.Fig5.6", data=CURVE, out_dir=tmp_path / folder)
    for kind in ("svg", "png", "csv"):
        digests = {
            hashlib.sha256((tmp_path / folder / f"thesis-fig5.6.{kind}").read_bytes()).hexdigest()
            for folder in "abc"
        }
        assert len(digests) == 1, kind


def test_a_figure_of_many_points_stays_small(tmp_path):
    fig = draw(points=30_000)
    save_figure(fig, "Thesis.Fig5.6", data=CURVE, out_dir=tmp_path)
    svg = (tmp_path / "thesis-fig5.6.svg").read_text()
    assert len(svg) < 400_000
    assert "data:image/png" in svg
    assert not any(artist.get_rasterized() for artist in fig.findobj())


def test_a_dict_of_frames_is_one_table_with_a_part(tmp_path):
    parts = {"(a)": CURVE, "(b)": pd.DataFrame({"x": [1.5]}, index=pd.Index([7], name="row"))}
    save_figure(draw(), "Thesis.Fig5.6", data=parts, out_dir=tmp_path)
    back = pd.read_csv(tmp_path / "thesis-fig5.6.csv")
    assert back["part"].tolist() == ["(a)", "(a)", "(a)", "(b)"]
    assert back.loc[3, ["x", "row"]].tolist() == [1.5, 7]


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (None, TypeError, "data must be the numbers that are drawn.*Got NoneType"),
        ({}, TypeError, "an empty dict"),
        ({"a": [1, 2]}, TypeError, "Got list"),
        (pd.DataFrame(), ValueError, "Got no rows"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "Got 'a' twice"),
    ],
)
def test_data_that_are_refused(data, error, words, tmp_path):
    with pytest.raises(error, match=words):
        save_figure(draw(), "Thesis.Fig5.6", data=data, out_dir=tmp_path)
    assert not list(tmp_path.iterdir())


def test_names_that_are_refused(tmp_path):
    with pytest.raises(KeyError, match=r"Did you mean 'Thesis\.Fig5\.6'"):
        save_figure(draw(), "Thesis.Fig5.61", data=CURVE, out_dir=tmp_path)
    with pytest.raises(TypeError):
        save_figure(draw(), "Thesis.Fig5.6", out_dir=tmp_path)
    with pytest.raises(TypeError, match=r"fig must be a matplotlib Figure\. Got str"):
        save_figure("fig", "Thesis.Fig5.6", data=CURVE, out_dir=tmp_path)
    with pytest.raises(KeyError, match="not in the catalogue"):
        save_table(CURVE, "Thesis.Tab9.9", out_dir=tmp_path)


@pytest.mark.parametrize(
    ("frame", "error", "words"),
    [
        ([1], TypeError, "frame must be a DataFrame. Got list"),
        (pd.DataFrame(), ValueError, "at least one row"),
        (pd.DataFrame({"dataset": ["IJCNN"], "error_pct": [1]}), ValueError, "key columns"),
        (pd.DataFrame({"dataset": ["IJCNN"], "method": ["x"]}), ValueError, "quantities"),
        (
            pd.DataFrame({"dataset": ["a", "a"], "method": ["SVC", "LIBSVM"], "RE": [1, 2]}),
            ValueError,
            "Got .* twice",
        ),
    ],
)
def test_tables_that_are_refused(frame, error, words, tmp_path):
    with pytest.raises(error, match=words):
        save_table(frame, "Thesis.Tab5.4", out_dir=tmp_path)
    assert not list(tmp_path.iterdir())


def test_paper_scale_asks_for_published_rows(repository):
    other = pd.DataFrame({"dataset": ["digits"], "method": ["H-LSVM"], "error_pct": [1.0]})
    save_table(other, "Thesis.Tab5.4")
    with pytest.raises(ValueError, match=r"No row of the table of Thesis\.Tab5\.4 names a"):
        save_table(other, "Thesis.Tab5.4", scale="paper")
    assert (repository / "out/quick/results/thesis-tab5.4.csv").exists()
    assert not (repository / "data/results").exists()


def test_answers_to_running_text_are_checked(repository):
    with pytest.raises(ValueError, match=r"Got 'Thesis\.text999'"):
        save_table(pd.DataFrame({"id": ["Thesis.text999"], "value": [1]}), "Thesis.Text5")
    with pytest.raises(ValueError, match="columns 'id' and 'value'"):
        save_table(pd.DataFrame({"value": [1]}), "Thesis.Text5")
    with pytest.raises(ValueError, match="one row per 'id'"):
        save_table(pd.DataFrame({"id": ["Thesis.text054"] * 2, "value": [1, 2]}), "Thesis.Fig5.5")


def test_the_recorder_of_a_notebook(repository):
    record = Recorder(
        scale="paper", out_dir="record", seed=5, params={"lam": 0.1, "grid": np.arange(2)}
    )
    data = record.uses(load("wine"))
    record.uses(data)
    record.figure(pd.DataFrame({"nu": [1.0], "margin": [0.0], "loss": [1.0]}), "Thesis.FigC.1")
    frame = pd.DataFrame({"dataset": ["IJCNN"], "method": ["H-LSVM"], "error_pct": [1.0]})
    record.table(frame, "Thesis.Tab5.4")
    figure = json.loads((repository / "figures/thesis-figc.1.json").read_text())
    table = json.loads((repository / "data/results/thesis-tab5.4.json").read_text())
    for content in (figure, table):
        assert content["params"] == {"lam": 0.1, "grid": [0, 1]}
        assert (content["seed"], content["scale"]) == (5, "paper")
        assert list(content["datasets"]) == ["wine"]
        assert content["datasets"]["wine"]["shapes"][0] == [178, 13]
        assert re.fullmatch(r"[0-9a-f]{64}", content["datasets"]["wine"]["sha256"])
        assert content["duration_s"] >= 0


def test_two_versions_of_a_data_set_are_both_noted(repository):
    record = Recorder()
    data = load("wine")
    record.uses(data)
    record.uses(dataclasses.replace(data, X_train=data.X_train[:50], y_train=data.y_train[:50]))
    assert list(record._data) == ["wine", "wine (2)"]


@pytest.mark.parametrize("scale", ["", "a/b", None, 3])
def test_a_scale_is_a_word(scale):
    with pytest.raises(ValueError, match="scale must be a word"):
        Recorder(scale=scale)


def test_no_absolute_path_enters_a_record(repository):
    note = "not run: data (put it in /home/me/cache/ijcnn1.npz)"
    frame = pd.DataFrame({"dataset": ["IJCNN"], "method": ["H-LSVM"], "RE": [1], "status": [note]})
    record = Recorder(params={"folder": str(repository / "data")})
    record.table(frame, "Thesis.Tab5.4")
    folder = repository / "out/quick/results"
    text = "".join(path.read_text() for path in folder.iterdir())
    assert "/home" not in text
    assert str(repository) not in text
    assert "put it in ijcnn1.npz" in text


def test_a_record_changed_by_hand_is_noticed(tmp_path):
    save_figure(draw(), "Thesis.Fig5.6", data=CURVE, out_dir=tmp_path)
    path = tmp_path / "thesis-fig5.6.csv"
    path.write_text(path.read_text().replace("9", "8"))
    with pytest.raises(ValueError, match=r"thesis-fig5\.6\.csv is not the file"):
        read_record(tmp_path / "thesis-fig5.6.json")
    path.unlink()
    with pytest.raises(ValueError, match="missing or changed"):
        read_record(tmp_path / "thesis-fig5.6.json")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-(2**40), 2**40), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        max_size=8,
    )
)
def test_numbers_that_are_drawn_keep_rows_and_order(rows):
    frame = pd.DataFrame(rows, columns=["n", "x"])
    assert _drawn_numbers(frame).equals(frame)
    both = _drawn_numbers({"a": frame, "b": frame})
    assert both["n"].tolist() == frame["n"].tolist() * 2


def test_a_run_that_was_not_told_to_record_leaves_the_committed_records_alone(
    repository, monkeypatch
):
    monkeypatch.delenv("HLSVM_RECORD", raising=False)
    record = Recorder(scale="paper")
    assert record.figures == repository / "out/paper/figures"
    assert record.results == repository / "out/paper/results"
    monkeypatch.setenv("HLSVM_RECORD", "1")
    assert Recorder(scale="paper").figures == repository / "figures"
