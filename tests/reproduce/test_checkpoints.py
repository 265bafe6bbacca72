"""Steps of long work: computed once, whatever kills the process, void when code or input change."""

import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlsvm.reproduce import Recorder, checkpoint

CODE = "hlsvm._params"
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(), inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@settings(max_examples=60, deadline=None)
@given(value=values)
def test_what_is_kept_comes_back(kept, value):
    params = {"value": repr(value)}
    assert checkpoint("any", params, lambda: value, code=CODE, folder=kept) == value
    assert checkpoint("any", params, lambda: 1 / 0, code=CODE, folder=kept) == value


def test_arrays_and_frames_come_back_to_the_bit(tmp_path):
    frame = pd.DataFrame(
        {"name": ["007", "", "1e-5"], "x": [0.1, np.nan, 1 / 3], "n": [1, 2, 3], "ok": [True] * 3}
    )
    result = {
        "weights": np.random.default_rng(0).normal(size=(3, 2)).astype(np.float32),
        "nested": [frame, (np.float64(0.1), np.int32(4))],
        "odd": {"array": 1, "dict": {"tuple": [2]}},
    }
    now = checkpoint("x", {}, lambda: result, code=[CODE], folder=tmp_path)
    then = checkpoint("x", {}, lambda: 1 / 0, code=[CODE], folder=tmp_path)
    for back in (now, then):
        assert back["weights"].dtype == np.float32
        np.testing.assert_array_equal(back["weights"], result["weights"])
        pd.testing.assert_frame_equal(back["nested"][0], frame)
        assert back["nested"][1] == (0.1, 4)
        assert back["odd"] == result["odd"]


def test_other_parameters_name_or_code_are_other_steps(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("x = 1\n")
    sys.path.insert(0, str(tmp_path))
    calls = []

    def run(name="a", params=(("n", 1),), code="pack"):
        checkpoint(name, dict(params), lambda: calls.append(1), code=code, folder=tmp_path / "out")
        return len(calls)

    try:
        assert [run(), run()] == [1, 1]
        assert run(params=(("n", 2),)) == 2
        assert run(params=(("n", np.array([1, 2])),)) == 3
        assert run(params=(("n", np.array([1, 3])),)) == 4
        assert run(params=(("n", np.array([1, 3])),)) == 4
        assert run(name="b") == 5
        (package / "__init__.py").write_text("# spoken\nx = 1\n")
        assert run() == 5
        (package / "more.py").write_text("y = 2\n")
        assert run() == 6
    finally:
        sys.path.remove(str(tmp_path))


KILLED = """
import sys, time
from pathlib import Path
from hlsvm.reproduce import checkpoint
folder = Path(sys.argv[1])

def step(k):
    with (folder / "log").open("a") as log:
        log.write(f"{k} ")
    time.sleep(0.02)
    return k * k

print(sum(checkpoint("s", {"k": k}, lambda: step(k), code="hlsvm._params", folder=folder)
          for k in range(40)))
"""


def test_killed_work_goes_on_where_it_stopped(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    log = tmp_path / "log"
    for steps in (8, 20):
        process = subprocess.Popen(command)
        while not log.exists() or len(log.read_text().split()) < steps:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
        process.wait()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) == sum(k * k for k in range(40))
    ran = [int(k) for k in log.read_text().split()]
    assert set(ran) == set(range(40))
    assert len(ran) <= 40 + 2  # at most the step that was killed, each time
    assert not list(tmp_path.rglob("*.part")) or len(list(tmp_path.rglob("*.part"))) <= 2


def test_a_damaged_file_is_computed_again(tmp_path):
    checkpoint("x", {}, lambda: 1, code=CODE, folder=tmp_path)
    (path,) = tmp_path.rglob("*.npz")
    for damage in (b"", b"PK\x03\x04 not a zip", path.read_bytes()[:-40]):
        path.write_bytes(damage)
        assert checkpoint("x", {}, lambda: 2, code=CODE, folder=tmp_path) == 2


def test_a_pickle_is_not_executed(tmp_path):
    checkpoint("x", {}, lambda: 1, code=CODE, folder=tmp_path)
    (path,) = tmp_path.rglob("*.npz")
    np.savez(path, tree=np.array([{"a": 1}], dtype=object))
    assert checkpoint("x", {}, lambda: 3, code=CODE, folder=tmp_path) == 3


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": [1, object()]}, r"the result\['a'\]\[1\] is object"),
        ({1: 2}, "is dict"),
        (np.array([object()]), "is ndarray"),
        (pd.DataFrame({"x": [1]}, index=["r"]), r"Call reset_index\(\)"),
        (lambda: 1, "is function"),
    ],
)
def test_results_that_are_not_kept(value, words, tmp_path):
    with pytest.raises(TypeError, match=words):
        checkpoint("x", {}, lambda: value, code=CODE, folder=tmp_path)
    assert not list(tmp_path.rglob("*.*"))


def test_arguments_that_are_refused(tmp_path):
    for name in ("", "../x", "a b", ".hidden"):
        with pytest.raises(ValueError, match="name must be letters"):
            checkpoint(name, {}, lambda: 1, code=CODE, folder=tmp_path)
    with pytest.raises(ValueError, match=r"Got 'hlsvm\.nothing'"):
        checkpoint("x", {}, lambda: 1, code="hlsvm.nothing", folder=tmp_path)


def test_the_recorder_keeps_steps_at_paper_scale_only(repository):
    calls = []

    def work():
        calls.append(1)
        time.sleep(0.05)
        return {"n": len(calls)}

    quick, paper = Recorder(scale="quick"), Recorder(scale="paper")
    for record, results in ((quick, [1, 2]), (paper, [3, 3])):
        for n in results:
            assert record.step("s", {"a": 1}, work, code=CODE) == {"n": n}
    assert list((repository / "out" / "checkpoints" / "s").glob("*.npz"))
    again = Recorder(scale="paper")
    again.step("s", {"a": 1}, work, code=CODE)
    assert again._context()["duration_s"] >= 0.04
    assert Recorder(scale="paper", seed=1).step("s", {"a": 1}, work, code=CODE) == {"n": 4}


def test_progress_is_silent_at_quick_scale(repository, capfd):
    assert list(Recorder(scale="quick").progress(range(3), "steps")) == [0, 1, 2]
    assert capfd.readouterr() == ("", "")
    assert list(Recorder(scale="paper").progress(iter(range(3)), "steps", total=3)) == [0, 1, 2]
    assert "steps" in capfd.readouterr().err
