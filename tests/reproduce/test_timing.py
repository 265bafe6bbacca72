"""Timing: warmed up, interleaved, medians; no test asserts how long anything takes."""

import pytest

from hlsvm.reproduce import processor_time, race


def test_processor_time_returns_the_value():
    value, seconds = processor_time(lambda: "x")
    assert value == "x"
    assert seconds >= 0


def test_rivals_take_turns_after_warming_up():
    calls = []
    rivals = {name: lambda name=name: calls.append(name) for name in "abc"}
    table = race(rivals, repeats=3, warmup=2, at_least=0)
    assert calls[:6] == list("aabbcc")
    assert calls[6:9] == list("abc")  # how many calls fill a measurement
    assert calls[9:] == [*"abc", *"bca", *"cab"]
    assert table["method"].tolist() == list("abc")
    assert table["ratio"][0] == 1
    assert (table["min_s"] <= table["median_s"]).all()
    assert set(table["loops"]) == {1}
    assert {"versions", "machine"} == set(table.attrs)


def test_fast_functions_are_called_in_a_loop():
    table = race({"fast": lambda: None}, repeats=2, at_least=0.002)
    assert table["loops"][0] > 100


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"repeats": 0}, ValueError, "'repeats' parameter of race"),
        ({"repeats": 1.5}, TypeError, "'repeats' parameter of race"),
        ({"warmup": -1}, ValueError, "'warmup' parameter of race"),
        ({"at_least": -1}, ValueError, "'at_least' parameter of race"),
    ],
)
def test_arguments_that_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        race({"a": int}, **arguments)
    with pytest.raises(ValueError, match="Got none"):
        race({})


def test_an_error_of_a_rival_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        race({"a": lambda: 1 / 0})
