"""Odd input meets a clear error or the right answer; the whole is `hlsvm bench fuzz`."""

import random
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlsvm._params import check_number

from . import probe, prober, surface

_EVERY = 100  # the share of all probes that is made here
# Probes that raised, hung or misled once: always made.
_KNOWN = [
    probe.Probe("KernelSVC", "fit", "tol", "1e-320"),
    probe.Probe("DTSVMClassifier", "fit", "tol", "10**30"),
    probe.Probe("LASVMClassifier", "fit", "n_epochs", "2**63"),
    probe.Probe("QPFS", "fit", "n_jobs", "inf"),
    probe.Probe("HLSVMClassifier", "fit", "n_jobs", "0"),
    probe.Probe("HLSVMClassifier", "fit", "random_state", "-1"),
    probe.Probe("HLSVMClassifier", "fit", "y", "text and numbers"),
    probe.Probe("HLSVMClassifier", "fit", "y", "a list of text and numbers"),
    probe.Probe("SRSSVC", "fit", "C", "1e+308"),
    probe.Probe("KernelFisher", "fit", "mu", "1e-320"),
    probe.Probe("ReliefF", "fit", "X", "dates"),
    probe.Probe("KernelSVC", "fit", "X", "DataFrame with dates"),
    probe.Probe("MetricTreeSVC", "n_hyperplanes", "", "before fit"),
    probe.Probe("MetricTreeSVC", "apply", "", "before fit"),
    probe.Probe("bounds.pegasos_iterations", "", "radius", "1e+30"),
    probe.Probe("bounds.count_dichotomies", "", "n_features", "1e+30"),
    probe.Probe("bounds.theorem_10", "", "machines", "object"),
]
_GOOD = (probe.CLEAR, probe.ANSWER)


@pytest.mark.parametrize("name", surface.functions())
def test_every_function_has_a_right_call(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = surface.functions()[name]
    function(**surface.right_call(name))


def test_old_defects_stay_mended():
    bad = [v for v in prober.run(_KNOWN) if v.outcome not in _GOOD]
    assert not bad, "\n".join(f"{v.outcome}: {v.probe}: {v.why}" for v in bad)


def test_a_share_of_all_probes():
    chosen = random.Random(0).sample(probe.probes(), len(probe.probes()) // _EVERY)
    bad = [v for v in prober.run(chosen) if v.outcome not in _GOOD]
    assert not bad, "\n".join(f"{v.outcome}: {v.probe}: {v.why}" for v in bad)


_DEEDS = """
import os, sys, time
sys.path.insert(0, {folder!r})
from fuzz import kinds, prober, surface
def refuse():
    raise ValueError("The 'deed' parameter is wrong.")
deeds = dict(work=lambda: any(iter(int, 1)), sleep=lambda: time.sleep(600),
             die=lambda: os._exit(1), fail=lambda: [][1], mislead=lambda: float("nan"),
             refuse=refuse)
surface.functions = lambda: dict(f=lambda deed: deeds[deed]())
surface.right_call = lambda name: {{}}
kinds.VALUES = {{name: lambda name=name: name for name in deeds}}
prober.serve({number})
"""


@pytest.mark.thorough
def test_failures_are_distinguished_from_answers(monkeypatch):
    deeds = ("work", "sleep", "die", "fail", "mislead", "refuse")
    monkeypatch.setattr(prober, "_START", 0.0)
    chosen = [probe.Probe("f", "", "deed", name) for name in deeds]
    verdicts = prober.run(chosen, limit=2.0, child=_DEEDS, asleep=5.0)
    outcomes = [verdict.outcome for verdict in verdicts]
    assert outcomes == [probe.HANG] * 2 + [probe.RAW] * 2 + [probe.WRONG, probe.CLEAR]
    assert prober.table(verdicts).loc["all", "probes"] == len(deeds)


@settings(max_examples=200, deadline=None)
@given(st.floats() | st.integers(), st.integers(-5, 5), st.integers(0, 5))
def test_a_number_passes_exactly_where_it_is_in_the_interval(value, low, width):
    inside = low <= value < low + width
    expected = nullcontext() if inside else pytest.raises(ValueError, match="'a' parameter of f")
    with expected:
        check_number("f", "a", value, low=low, high=low + width, closed="left")
