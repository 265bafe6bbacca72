"""Killed during work, a sweep, a run and a fetch lose nothing and do nothing twice.

`hlsvm bench kills` does the same a hundred times each.
"""

import importlib.util
import os
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "_kills.py"
SPEC = importlib.util.spec_from_file_location("_kills", FILE)
kills = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(kills)
CASES = {
    "sweep": (kills.sweep_case, 6),
    "run": (kills.run_case, 6),
    "fetch": (kills.fetch_case, ["australian", "diabetes", "heart", "ionosphere"]),
}


@pytest.mark.skipif(os.name != "posix", reason="needs kill -9")
@pytest.mark.parametrize(
    "name", [pytest.param("run", marks=pytest.mark.thorough), "sweep", "fetch"]
)
def test_killed_during_work_it_loses_and_repeats_nothing(name):
    make, size = CASES[name]
    answer = kills.in_folder(make, size, kills=3)
    assert answer.pop("kills") > 0
    assert answer == {"lost": 0, "doubled": 0, "changed": 0}
