"""Files that belong together: kill the writer anywhere, and there are all of them or none."""

import os
import subprocess
import sys

import pytest

from hlsvm._files import settle, write_together

# Writes version "old", then is killed in the middle of writing "new": before step `at` of the
# four that change the disk (two files staged, the folder renamed, the first file moved).
KILLED = """
import os, sys
from pathlib import Path
from hlsvm import _files as atomic
folder, at = Path(sys.argv[1]), int(sys.argv[2])

def files(text):
    return {name: lambda path: path.write_text(text) for name in ("r.a", "r.b", "r.c")}

atomic.write_together(folder, files("old"))
replace, steps = os.replace, 0
def counted(*paths):
    global steps
    if steps == at:
        os.kill(os.getpid(), 9)
    steps += 1
    replace(*paths)
atomic.os.replace = counted
atomic.write_together(folder, files("new"))
"""


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def files(text):
    return {name: lambda path: path.write_text(text) for name in ("r.a", "r.b", "r.c")}


@pytest.mark.parametrize(("at", "left"), [(0, "old"), (1, "new"), (2, "new"), (3, "new")])
def test_killed_between_files(at, left, tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(at)], check=False)
    assert done.returncode == -9
    assert len(list(tmp_path.iterdir())) > 3
    settle(tmp_path)
    assert contents(tmp_path) == dict.fromkeys(("r.a", "r.b", "r.c"), left)


def test_the_next_writer_clears_up_too(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "2"], check=False)
    write_together(tmp_path, {"other": lambda path: path.write_text("x")})
    assert contents(tmp_path) == {"r.a": "new", "r.b": "new", "r.c": "new", "other": "x"}


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    write_together(tmp_path, files("old"))
    broken = {**files("new"), "r.c": lambda path: 1 / 0}
    with pytest.raises(ZeroDivisionError):
        write_together(tmp_path, broken)
    assert contents(tmp_path) == dict.fromkeys(("r.a", "r.b", "r.c"), "old")


def test_a_stage_of_a_living_process_is_left_alone(tmp_path):
    stage = tmp_path / f".r.{os.getpid()}.stage"
    stage.mkdir()
    settle(tmp_path)
    assert stage.exists()
    settle(tmp_path / "nowhere")


def test_later_files_see_earlier_ones(tmp_path):
    def count(path):
        path.write_text(str(sorted(other.name for other in path.parent.iterdir())))

    write_together(tmp_path, {"a": lambda path: path.write_text("1"), "b": count})
    assert (tmp_path / "b").read_text() == "['a']"
