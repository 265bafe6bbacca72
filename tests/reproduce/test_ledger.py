"""Every attempt to change a record by hand is noticed, however many digests are adjusted."""

import csv
import hashlib
import json
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from hlsvm.reproduce import Recorder, read_record, repository_root, staleness
from hlsvm.reproduce.code_digest import Code
from hlsvm.reproduce.provenance import record_digest
from hlsvm.reproduce.repository import record_files

from .ledger import broken

ROW = {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 2.5}
RECORD = Path("data/results/thesis-tab5.4.json")
LEDGER = Path("data/results/ledger.csv")


@pytest.fixture
def recorded(repository, commit):
    """Return the repository with one committed record."""
    Recorder(scale="paper", out_dir="record", seed=3).table(pd.DataFrame([ROW]), "Thesis.Tab5.4")
    commit(repository, "one record")
    assert broken() == []
    return repository


def adjust(root, **fields):
    """Change fields of the record, with its own digest."""
    content = json.loads((root / RECORD).read_text())
    content |= fields
    content["digest"] = record_digest(content)
    (root / RECORD).write_text(json.dumps(content))
    return content


def change_a_number(root):
    path = (root / RECORD).with_suffix(".csv")
    path.write_text(path.read_text().replace("2.5", "1.5"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()}


def adjust_the_ledger(root, content):
    lines = list(csv.reader((root / LEDGER).open()))
    lines[-1] = [content["recorded"], RECORD.as_posix(), content["commit"], content["digest"]]
    (root / LEDGER).write_text("\n".join(map(",".join, lines)) + "\n")


def test_a_changed_number(recorded):
    files = change_a_number(recorded)
    assert "thesis-tab5.4.csv is not the file" in broken()[0]
    content = json.loads((recorded / RECORD).read_text())
    (recorded / RECORD).write_text(json.dumps({**content, "files": files}))
    assert "was changed after it was recorded" in broken()[0]
    content = adjust(recorded, files=files)
    assert read_record(recorded / RECORD) == content
    assert "is not the record that data/results/ledger.csv names" in broken()[0]
    adjust_the_ledger(recorded, content)
    assert "ledger.csv has lost or changed lines of commit" in broken()[0]


@pytest.mark.parametrize(
    "forged",
    [
        {"seed": 4},
        {"commit": "0" * 40},
        {"machine": {"cpu": "another"}},
        {"dirty": True},
        {"duration_s": 1.0},
        {"code": "0" * 32},
        {"recorded": "2020-01-01T00:00:00Z"},
    ],
)
def test_a_forged_field(recorded, forged):
    content = json.loads((recorded / RECORD).read_text())
    (recorded / RECORD).write_text(json.dumps({**content, **forged}))
    assert "was changed after it was recorded" in broken()[0]
    content = adjust(recorded, **forged)
    assert "is not the record" in broken()[0]
    adjust_the_ledger(recorded, content)
    assert "has lost or changed lines" in broken()[0]


def test_a_record_that_is_gone_and_one_that_was_never_made(recorded):
    other = recorded / RECORD.with_name("thesis-tab5.5.json")
    other.write_text((recorded / RECORD).read_text())
    assert "thesis-tab5.5.json is not the record" in broken()[0]
    other.unlink()
    (recorded / RECORD).unlink()
    assert broken() == [f"{RECORD} stands in {LEDGER}, but there is no such file."]


def test_a_record_that_does_not_name_its_code(recorded, commit):
    """A line of the ledger that is only added says nothing; the list of such records is closed."""
    content = json.loads((recorded / RECORD).read_text())
    made = (recorded / RECORD).with_name("thesis-tab5.5.json")
    line = Path("data/results/without_code.csv")
    (recorded / line).write_text("record,digest\n")
    commit(recorded, "the closed list")
    content |= {"id": "Thesis.Tab5.5", "code": None}
    content["digest"] = record_digest(content)
    made.write_text(json.dumps(content))
    entry = [content["recorded"], f"data/results/{made.name}", content["commit"], content["digest"]]
    with (recorded / LEDGER).open("a") as file:
        file.write(",".join(entry) + "\n")
    assert broken() == [f"data/results/{made.name} does not name its code."]
    with (recorded / line).open("a") as file:
        file.write(f"data/results/{made.name},{content['digest']}\n")
    assert "without_code.csv has lines that it lacked in commit" in broken()[0]
    commit(recorded, "a longer list")
    assert "without_code.csv has lines that it lacked in commit" in broken()[0]


def test_a_record_made_again_is_a_new_line(recorded, commit):
    record = Recorder(scale="paper", out_dir="record", seed=3)
    record.table(pd.DataFrame([{**ROW, "error_pct": 2.4}]), "Thesis.Tab5.4")
    assert broken() == []
    commit(recorded, "again")
    assert broken() == []
    assert len((recorded / LEDGER).read_text().splitlines()) == 3


def test_a_changed_repository_is_not_recorded(repository, commit):
    frame = pd.DataFrame([ROW])
    (repository / "notebooks").mkdir()
    (repository / "notebooks" / "new.py").write_text("x = 1")
    with pytest.raises(RuntimeError, match="not as in that commit: notebooks/"):
        Recorder(scale="paper", out_dir="record")
    Recorder(scale="paper").table(frame, "Thesis.Tab5.4")
    assert (repository / "out/paper/results/thesis-tab5.4.json").exists()
    commit(repository, "new")
    record = Recorder(scale="paper", out_dir="record")
    (repository / "notebooks" / "new.py").write_text("x = 2")
    with pytest.raises(RuntimeError, match=r"notebooks/new\.py"):
        record.table(frame, "Thesis.Tab5.4")
    commit(repository, "changed while it ran")
    with pytest.raises(RuntimeError, match=r"notebooks/new\.py"):
        record.table(frame, "Thesis.Tab5.4")
    Recorder(scale="paper", out_dir="record").table(frame, "Thesis.Tab5.4")
    assert broken() == []
    with pytest.raises(ValueError, match=r"keeps results at scale 'paper'\. Got 'quick'"):
        Recorder(scale="quick", out_dir="record")


def test_outside_git_nothing_is_recorded(repository, tmp_path, monkeypatch):
    (repository / ".git").rename(tmp_path / "gone")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(RuntimeError, match="A record names its commit"):
        Recorder(scale="paper", out_dir="record")


def test_the_records_of_this_repository_are_as_they_were_made():
    assert broken() == []


def test_the_code_of_a_record_is_that_of_its_commit(tmp_path, monkeypatch):
    """A record carries the digest that today's rule gives the code of the commit it names."""
    root = repository_root()
    records = [json.loads(path.read_text()) for path in record_files()]
    made = {}
    for record in records:
        if record["code"] is not None:
            made.setdefault(record["commit"], {})[record["id"]] = record["code"]
    assert made
    for commit, codes in made.items():
        archive = subprocess.run(["git", "archive", commit], cwd=root, capture_output=True)
        if archive.returncode:
            pytest.skip(f"commit {commit[:8]} is not in this clone")
        folder = tmp_path / commit
        folder.mkdir()
        subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
        code = Code(package=folder / "hlsvm")
        monkeypatch.setattr(staleness, "package_code", lambda code=code: code)
        monkeypatch.setenv("HLSVM_ROOT", str(folder))
        assert {id: staleness.section_digest(id) for id in codes} == codes, commit
