"""What is wrong with the records of a repository and with their ledger."""

import csv
import io
import subprocess

from hlsvm.reproduce import read_record, repository_root
from hlsvm.reproduce.provenance import ledger
from hlsvm.reproduce.repository import record_files


def past(path):
    """Return a file in every commit of the history that changed it: (commit, text)."""
    root = repository_root()

    def git(*words):
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else ""

    name = path.relative_to(root).as_posix()
    commits = git("log", "--format=%h", "--", name).split()
    return [(commit, git("show", f"{commit}:{name}")) for commit in commits]


def rows(text):
    """Return the lines of a ledger; what a merge marks as its sides is none."""
    return {line for line in text.splitlines() if line[:1].isdigit()}


def without_code():
    """Return the list of records that need not name their code, "record,digest", and a complaint.

    They were made before records named it. The list is closed: made again, a record names its
    code and its line goes; a line that an earlier list lacks is a complaint.
    """
    path = ledger().with_name("without_code.csv")
    lines = set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()
    for commit, then in past(path):
        if then and not lines <= set(then.splitlines()):
            return lines, [f"{path.name} has lines that it lacked in commit {commit}."]
    return lines, []


def broken():
    """Return what is wrong with the records of the repository: sentences, none if all is well.

    Every record must be whole (its files and its own digest), stand in the ledger as it is, and
    the ledger must hold every row that it held in an earlier commit. A record names its code, or
    is one of the closed list of those that do not.
    """
    root, last = repository_root(), {}
    older, wrong = without_code()
    text = ledger().read_text(encoding="utf-8") if ledger().exists() else ""
    for line in csv.DictReader(io.StringIO(text)):
        last[line["record"]] = line
    for path in record_files():
        name = path.relative_to(root).as_posix()
        try:
            content = read_record(path)
        except ValueError as error:
            wrong.append(f"{name}: {error}")
            continue
        if content.get("code") is None and f"{name},{content['digest']}" not in older:
            wrong.append(f"{name} does not name its code.")
        line = last.pop(name, {})
        if any(line.get(key) != content.get(key) for key in ("recorded", "commit", "digest")):
            wrong.append(f"{name} is not the record that data/results/ledger.csv names.")
    wrong += [
        f"{name} stands in data/results/ledger.csv, but there is no such file."
        for name, line in last.items()
        if line["digest"] != "removed"
    ]
    for commit, then in past(ledger()):
        if not rows(then) <= rows(text):
            wrong.append(f"data/results/ledger.csv has lost or changed lines of commit {commit}.")
    return wrong
