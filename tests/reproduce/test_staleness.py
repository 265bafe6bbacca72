"""A record is as young as its code and data, or somebody has said why that does not matter."""

import json
import subprocess
import sys

import pandas as pd
import pytest
from hlsvm.reproduce.fresh import confirmations

from hlsvm import datasets
from hlsvm.reproduce import Recorder, confirm, stale
from hlsvm.reproduce.provenance import registry_digest

ROW = {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 2.0}


def record(repository, **changed):
    """Record a table, then pretend that the digests of what it was made from were others."""
    recorder = Recorder(scale="paper")
    recorder.uses(datasets.load("banana_like"))
    recorder.table(pd.DataFrame([ROW]), "Thesis.Tab5.4")
    path = repository / "data" / "results" / "thesis-tab5.4.json"
    content = json.loads(path.read_text())
    content["code"].update(changed.get("code", {}))
    if "registered" in changed:
        content["datasets"]["banana_like"]["registered"] = changed["registered"]
    path.write_text(json.dumps(content))


def test_a_record_is_fresh_when_it_is_made(repository):
    record(repository)
    assert stale().empty


def test_changed_code_and_data_make_it_out_of_date(repository):
    record(repository, code={"hlsvm._params": "0" * 16, "hlsvm.gone": "0" * 16}, registered="0")
    assert stale().changed.tolist() == ["hlsvm._params hlsvm.gone data:banana_like"]


def test_a_confirmation_holds_for_the_state_it_was_given_for(repository):
    record(repository, code={"hlsvm._params": "0" * 16}, registered="0")
    assert confirm(["Thesis.Tab5.4"], "a message was reworded") == 1
    assert stale().empty
    assert [row["changed"] for row in confirmations()] == ["data:banana_like", "hlsvm._params"]
    kept = repository / "out" / "digests.json"
    digests = json.loads(kept.read_text())
    digests["hlsvm._params"]["digest"] = "1" * 16  # as if the module had changed again
    kept.write_text(json.dumps(digests))
    assert "hlsvm._params" in stale().changed[0]
    assert confirm(["all"], "another message was reworded") == 1
    assert stale().empty
    names = [row["changed"] for row in confirmations()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("ids", "because", "words"),
    [
        (["all"], "", "because must say"),
        (["all"], "just because", "because must say"),
        (["Thesis.Tab5.5"], "a message was reworded", "Got 'Thesis.Tab5.5'"),
        ([], "a message was reworded", "Got none"),
    ],
)
def test_what_cannot_be_confirmed(repository, ids, because, words):
    record(repository, registered="0")
    with pytest.raises(ValueError, match=words):
        confirm(ids, because)
    assert not confirmations()


def test_the_registry_digest_sees_facts_and_not_words():
    assert registry_digest("banana_like") == registry_digest("banana_like") != ""
    assert registry_digest("banana_like") != registry_digest("digits")
    assert registry_digest("nothing of this name") == ""


def test_looking_imports_no_algorithm_and_remembers(repository):
    record(repository, registered="0")
    code = "from hlsvm.reproduce import stale; print(stale().changed[0]); import sys"
    code += "; print([name for name in ('sklearn', 'numba', 'scipy') if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["data:banana_like", "[]"]
    kept = json.loads((repository / "out" / "digests.json").read_text())
    assert "hlsvm.datasets.synthetic" in kept
    (repository / "out" / "digests.json").write_text("not JSON")
    assert stale().changed.tolist() == ["data:banana_like"]


def test_no_committed_record_is_out_of_date():
    late = stale()
    lines = [f"{row.record}: {row.changed}" for row in late.itertuples()]
    message = "run the notebook again, or: hlsvm report --confirm ID --because '...'"
    assert not lines, f"{message}\n" + "\n".join(lines)
