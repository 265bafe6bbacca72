"""The map is read from the code, and the pages of the scoreboard from the records."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

from hlsvm.reproduce import atlas, board_pages, scoreboard
from hlsvm.reproduce.verdict import VERDICTS

mpl.use("agg")
# Who may stand on whom (CONTRIBUTING, "Rooms and arrows").
ALLOWED = {("trees", "linear"), ("subclass", "linear"), ("bounds", "trees")}


def test_rooms_stand_only_on_what_they_may():
    arrows = atlas.room_arrows()
    assert set(zip(arrows.room, arrows.stands_on, strict=True)) <= ALLOWED
    assert ("trees", "linear") in set(zip(arrows.room, arrows.stands_on, strict=True))


def test_imports_of_every_form_are_seen():
    import ast

    source = (
        "import hlsvm.trees.tree\nfrom hlsvm import QPFS\nfrom hlsvm.linear import x\nimport re"
    )
    assert atlas._rooms(atlas._imports(ast.parse(source))) == {"trees", "select", "linear"}


def test_every_notebook_is_on_the_map():
    chapters = atlas.chapters()
    rooms = chapters.set_index("notebook").rooms
    assert "trees" in rooms["05_hlsvm"]
    assert "select" in rooms["07_global_view"]
    fig, drawn = atlas.draw_map(chapters, atlas.room_arrows())
    assert ("trees", "05_hlsvm") in set(zip(drawn["from"], drawn["to"], strict=True))
    fig.canvas.draw()
    fig, boxes = atlas.design_cycle()
    fig.canvas.draw()
    assert len(boxes) == 5 + 4 + 3
    plt.close("all")


def test_pages_of_the_scoreboard_count_what_it_says():
    board = scoreboard(["SRS.Tab9", "Thesis.Tab5.4"])
    for counts in (board_pages.by_document(board), board_pages.by_notebook(board)):
        assert counts.loc["all", "numbers"] == len(board)
        assert (counts[list(VERDICTS)].sum(axis=1) == counts.numbers).all()
    fig, shares = board_pages.draw(board_pages.by_document(board))
    assert shares.sum(axis=1).round(6).eq(100).all()
    plt.close(fig)
    assert board_pages.reasons(board, "not comparable").numbers.sum() == 6
    worse = board_pages.worst(board, 1000)
    assert len(worse) == (board.verdict == "worse").sum()


def test_numbers_that_fall_short_come_before_seconds():
    row = {"id": "X", "row": "", "quantity": "q", "published": "1", "ours": "2", "difference": "1"}
    board = pd.DataFrame(
        [
            {**row, "quantity": "time", "verdict": "worse", "why": "seconds of two machines"},
            {**row, "quantity": "error", "verdict": "worse", "why": ""},
        ]
    )
    assert board_pages.worst(board).quantity.tolist() == ["error", "time"]


def test_the_catalogue_is_counted_whole():
    states = board_pages.catalogue_states()
    gaps = board_pages.gaps()
    assert states.loc["all"].sum() == len(atlas.entries())
    assert len(gaps) == states.loc["all"].get("not run", 0)
