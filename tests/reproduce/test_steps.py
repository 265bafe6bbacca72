"""Steps of long work: computed once, whatever kills the process, void when code or input change."""

import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlsvm.reproduce import Recorder
from hlsvm.reproduce.problems import NotRun
from hlsvm.reproduce.steps import run_step

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


def give(value):
    return value


def run(value, folder, **more):
    return run_step(give, (value,), folder=folder, **more)


@settings(max_examples=60, deadline=None)
@given(value=values)
def test_what_is_kept_comes_back(kept, value):
    assert run(value, kept).value == value
    again = run(value, kept)
    assert again.value == value
    assert again.reused


def test_arrays_and_frames_come_back_to_the_bit(tmp_path):
    frame = pd.DataFrame(
        {"name": ["007", "", "1e-5"], "x": [0.1, np.nan, 1 / 3], "n": [1, 2, 3], "ok": [True] * 3}
    )
    result = {
        "weights": np.random.default_rng(0).normal(size=(3, 2)).astype(np.float32),
        "nested": [frame, (np.float64(0.1), np.int32(4))],
        "odd": {"array": 1, "dict": {"tuple": [2]}},
        "gap": NotRun("data", "SensIT Vehicle"),
    }
    now, then = run(result, tmp_path), run(result, tmp_path)
    assert (now.reused, then.reused) == (False, True)
    for back in (now.value, then.value):
        assert back["weights"].dtype == np.float32
        np.testing.assert_array_equal(back["weights"], result["weights"])
        pd.testing.assert_frame_equal(back["nested"][0], frame)
        assert back["nested"][1] == (0.1, 4)
        assert back["odd"] == result["odd"]
        assert back["gap"] == result["gap"]


FACTOR = 2


def times(values, power=1):
    return FACTOR * float(np.sum(values)) ** power


def test_other_arguments_code_or_context_are_other_steps(tmp_path, monkeypatch):
    def run(*arguments, context=None, function=times, **keywords):
        return run_step(function, arguments, keywords, context=context, folder=tmp_path)

    assert not run([1]).reused
    assert run([1]).reused
    assert not run([2]).reused
    assert not run(np.array([1])).reused
    assert run(np.array([1])).reused
    assert not run(np.array([1.0])).reused
    assert not run([1], power=2).reused
    assert not run([1], context={"seed": 1}).reused
    assert run([1], context={"seed": 1}).reused
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3)
    assert run([1]).value == 3
    assert not run([1], function=lambda x: 7).reused
    assert run([1], function=lambda x: 7).reused


def test_another_library_is_another_step(tmp_path, monkeypatch):
    run(1, tmp_path)
    monkeypatch.setattr("hlsvm.reproduce.steps.libraries", lambda: {"numpy": "0.1"})
    assert not run(1, tmp_path).reused


def test_a_step_says_when_it_was_computed(tmp_path):
    first, again = run(1, tmp_path), run(1, tmp_path)
    assert first.computed == again.computed
    assert again.line() == {**first.line(), "reused": True}
    assert first.line()["name"] == "give"


KILLED = """
import sys, time
from pathlib import Path
from hlsvm.reproduce.steps import run_step
folder = Path(sys.argv[1])

def square(k, folder):
    with (Path(folder) / "log").open("a") as log:
        log.write(f"{k} ")
    time.sleep(0.02)
    return k * k

def kept(k):
    return run_step(square, (k, str(folder)), folder=folder).value

print(sum(kept(k) for k in range(40)))
"""


def test_killed_work_goes_on_where_it_stopped(tmp_path):
    script = tmp_path / "work.py"
    script.write_text(KILLED)
    command = [sys.executable, str(script), str(tmp_path)]
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
    assert len(list(tmp_path.rglob(".*"))) <= 2


def test_a_damaged_file_is_computed_again(tmp_path):
    run(1, tmp_path)
    (path,) = tmp_path.rglob("*.npz")
    for damage in (b"", b"PK\x03\x04 not a zip", path.read_bytes()[:-40]):
        path.write_bytes(damage)
        assert not run(1, tmp_path).reused
        assert run(1, tmp_path).reused


def test_a_pickle_is_not_executed(tmp_path):
    run(1, tmp_path)
    (path,) = tmp_path.rglob("*.npz")
    np.savez(path, tree=np.array([{"a": 1}], dtype=object))
    assert not run(1, tmp_path).reused


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (lambda: {"a": [1, object()]}, r"the result\['a'\]\[1\] is object"),
        (lambda: {1: 2}, "is dict"),
        (lambda: np.array([object()]), "is ndarray"),
        (lambda: pd.DataFrame({"x": [1]}, index=["r"]), r"Call reset_index\(\)"),
        (lambda: print, "is builtin"),
    ],
)
def test_results_that_are_not_kept(value, words, tmp_path):
    with pytest.raises(TypeError, match=words):
        run_step(value, folder=tmp_path)
    assert not list(tmp_path.rglob("*.*"))


def test_the_recorder_keeps_steps_at_paper_scale_only(repository):
    log = repository / "log"

    def work(a):
        with log.open("a") as file:
            file.write("x")
        time.sleep(0.05)
        return {"n": len(log.read_text())}

    quick, paper = Recorder(scale="quick"), Recorder(scale="paper")
    for record, results in ((quick, [1, 2]), (paper, [3, 3])):
        for n in results:
            assert record.step(work, 1) == {"n": n}
    assert len(list((repository / "out" / "steps").glob("*.npz"))) == 1
    again = Recorder(scale="paper")
    again.step(work, a=1)
    again.step(work, 1)
    assert again._context()["duration_s"] >= 0.04
    assert [step["reused"] for step in again._context()["steps"]] == [False, True]
    assert Recorder(scale="paper", seed=1).step(work, 1) == {"n": 5}


def test_progress_is_silent_at_quick_scale(repository, capfd):
    assert list(Recorder(scale="quick").progress(range(3), "steps")) == [0, 1, 2]
    assert capfd.readouterr() == ("", "")
    assert list(Recorder(scale="paper").progress(iter(range(3)), "steps", total=3)) == [0, 1, 2]
    assert "steps" in capfd.readouterr().err
