"""What is wrong with the records of a repository and with their ledger."""

import csv
import io
import subprocess

from hlsvm.reproduce import read_record, repository_root
from hlsvm.reproduce.provenance import ledger
from hlsvm.reproduce.repository import record_files


def past():
    """Return the ledger in every commit of the history that changed it: (commit, text)."""
    root = repository_root()

    def git(*words):
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else ""

    name = ledger().relative_to(root).as_posix()
    commits = git("log", "--format=%h", "--", name).split()
    return [(commit, git("show", f"{commit}:{name}")) for commit in commits]


def rows(text):
    """Return the lines of a ledger; what a merge marks as its sides is none."""
    return {line for line in text.splitlines() if line[:1].isdigit()}


def broken():
    """Return what is wrong with the records of the repository: sentences, none if all is well.

    Every record must be whole (its files and its own digest), stand in the ledger as it is, and
    the ledger must hold every row that it held in an earlier commit.
    """
    root, wrong, last = repository_root(), [], {}
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
        line = last.pop(name, {})
        if any(line.get(key) != content.get(key) for key in ("recorded", "commit", "digest")):
            wrong.append(f"{name} is not the record that data/results/ledger.csv names.")
    wrong += [
        f"{name} stands in data/results/ledger.csv, but there is no such file."
        for name, line in last.items()
        if line["digest"] != "removed"
    ]
    for commit, then in past():
        if not rows(then) <= rows(text):
            wrong.append(f"data/results/ledger.csv has lost or changed lines of commit {commit}.")
    return wrong
