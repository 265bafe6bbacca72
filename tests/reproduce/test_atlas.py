"""The map is read from the code, and the pages of the scoreboard from the records."""

import matplotlib as mpl
import matplotlib.pyplot as plt

from hlsvm.reproduce import atlas, scoreboard, summary
from hlsvm.reproduce import board as boards
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
    for by in ("id", "document", "home"):
        counts = summary(board, by)
        assert counts.loc["all", "numbers"] == len(board)
        assert (counts[list(VERDICTS)].sum(axis=1) == counts.numbers).all()
    fig = boards.draw(summary(board, "document"))
    widths = [bar.get_width() for bar in fig.axes[0].patches]
    assert abs(sum(widths) - 200) < 1e-6  # the Thesis and all; SRS.Tab9 has no results
    plt.close(fig)


def test_the_catalogue_is_counted_whole():
    assert boards.catalogue_states().loc["all"].sum() == len(atlas.entries())
