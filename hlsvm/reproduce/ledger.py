"""The ledger of records: one line for each recording, written by recording and never changed.

``data/results/ledger.csv`` holds when a record was made, which file, its commit and the digest of
its JSON. A record that was changed by hand no longer agrees with its own digest; one whose digests
were adjusted no longer agrees with the ledger; a ledger whose lines were adjusted no longer agrees
with those in git's history. What it cannot see: a new line that claims a run which never took
place. That shows in the difference of the commit which adds it, and by running the step again.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
from pathlib import Path

from hlsvm._files import claim, settle, write_whole
from hlsvm.reproduce.paths import repository_root

_COLUMNS = ("recorded", "record", "commit", "digest")


def own_digest(content: dict) -> str:
    """Return the digest of a record's content, its own digest apart."""
    plain = {key: value for key, value in content.items() if key != "digest"}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _file() -> Path:
    return repository_root() / "data" / "results" / "ledger.csv"


def _lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def read_record(path: Path) -> dict:
    """Read the provenance of a record and check it and its files against their digests.

    Raises
    ------
    FileNotFoundError
        There is no such record.
    ValueError
        It was changed by hand, or a file of it is missing or was changed.
    """
    settle(path.parent)
    content = json.loads(path.read_text(encoding="utf-8"))
    advice = f"Record it again: hlsvm run --only {content.get('id')} --scale paper --record"
    if content.get("digest") != own_digest(content):
        raise ValueError(f"{path.name} was changed after it was recorded. {advice}")
    for name, digest in content["files"].items():
        other = path.with_name(name)
        if not other.exists() or hashlib.sha256(other.read_bytes()).hexdigest() != digest:
            raise ValueError(
                f"{name} is not the file {path.name} describes (missing or changed). {advice}"
            )
    return content


def enter(path: Path, content: dict) -> None:
    """Add the line of a record that has just been written to the repository."""
    record = path.relative_to(repository_root()).as_posix()
    line = [content["recorded"], record, content["commit"], content["digest"]]
    with claim(repository_root() / "out" / ".ledger", wait=True):
        head = ",".join(_COLUMNS) + "\n"
        text = _file().read_text(encoding="utf-8") if _file().exists() else head
        write_whole(_file(), text + ",".join(line) + "\n")


def _past() -> list[tuple[str, str]]:
    """Return the ledger in every commit of the history that changed it: (commit, text)."""
    root = repository_root()

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else ""

    name = _file().relative_to(root).as_posix()
    commits = git("log", "--format=%h", "--", name).split()
    return [(commit, git("show", f"{commit}:{name}")) for commit in commits]


def broken() -> list[str]:
    """Return what is wrong with the records of the repository: sentences, none if all is well.

    Every record must be whole (its files and its own digest), stand in the ledger as it is, and
    the ledger must hold every line that it held in an earlier commit.
    """
    root, wrong, last = repository_root(), [], {}
    text = _file().read_text(encoding="utf-8") if _file().exists() else ""
    for line in _lines(text):
        last[line["record"]] = line
    paths = [*(root / "figures").glob("*.json"), *(root / "data/results").glob("*.json")]
    for path in sorted(paths):
        name = path.relative_to(root).as_posix()
        try:
            content = read_record(path)
        except ValueError as error:
            wrong.append(f"{name}: {error}")
            continue
        line = last.pop(name, {})
        if any(line.get(key) != content.get(key) for key in ("recorded", "commit", "digest")):
            wrong.append(f"{name} is not the record that data/results/ledger.csv names.")
    wrong += [
        f"{name} stands in data/results/ledger.csv, but there is no such file."
        for name, line in last.items()
        if line["digest"] != "removed"
    ]
    for commit, past in _past():
        if not set(past.splitlines()) <= set(text.splitlines()):
            wrong.append(f"data/results/ledger.csv has lost or changed lines of commit {commit}.")
    return wrong
