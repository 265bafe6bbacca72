"""Where a record comes from: code, versions, data, machine; and the ledger of all records.

``data/results/ledger.csv`` holds when a record was made, which file, its commit and the digest of
its JSON. A record that was changed by hand no longer agrees with its own digest; one whose digests
were adjusted no longer agrees with the ledger; a ledger whose lines were adjusted no longer agrees
with those in git's history. What it cannot see: a new line that claims a run which never took
place. That shows in the difference of the commit which adds it, and by running the step again.
"""

import hashlib
import json
import os
import platform
import re
import subprocess
from functools import lru_cache
from pathlib import Path

import numpy as np

from hlsvm._files import claim, settle, sha256, write_whole
from hlsvm.reproduce.code_digest import data_facts, versions_of
from hlsvm.reproduce.digests import data_digest
from hlsvm.reproduce.repository import RepositoryNotFound, repository_root

_PACKAGES = ("hlsvm", "numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib", "cvxpy")
# What recording itself writes, and what makes the numbers.
_RECORDED = (":(exclude)figures", ":(exclude)data/results", ":(exclude)README.md")
_CODE = ("hlsvm", "notebooks", "constraints.txt")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_PATH = re.compile(r"(?<![\w:/.~])(?:[A-Za-z]:\\|/)(?:[^\s/\\'\",;()]+[/\\])+([^\s/\\'\",;()]*)")


def scrub(value):
    """Return `value` (text, list, dict ...) with absolute paths cut down to file names."""
    if isinstance(value, dict):
        return {str(key): scrub(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [scrub(item) for item in value]
    if isinstance(value, np.ndarray):
        return scrub(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return _PATH.sub(r"\1", str(value))


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=repository_root(),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, RepositoryNotFound):
        return None
    return done.stdout.strip()


def versions() -> dict:
    """Return the versions of Python and of the libraries results depend on."""
    return {"python": platform.python_version(), **versions_of(_PACKAGES)}


@lru_cache(maxsize=1)
def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def machine() -> dict:
    """Return what the times of a record depend on: processor, cores, threads, system."""
    from threadpoolctl import threadpool_info

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": _processor(),
        "cores": usable,
        "threads": {
            **{name: os.environ[name] for name in _THREADS if name in os.environ},
            **{pool["prefix"]: pool["num_threads"] for pool in threadpool_info()},
        },
        "system": f"{platform.system()} {platform.machine()}",
    }


def describe_dataset(dataset) -> dict:
    """Return name, source, note, shapes, digest and registry digest of a loaded `Dataset`."""
    parts = [getattr(dataset, name, None) for name in ("X_train", "y_train", "X_test", "y_test")]
    return {
        "sha256": data_digest(*parts),
        "shapes": [list(np.shape(part)) if part is not None else None for part in parts],
        "source": scrub(getattr(dataset, "source", "")),
        "note": scrub(getattr(dataset, "note", "")),
        "registered": data_facts(str(getattr(dataset, "name", "")))[0],
    }


def check_clean(since: str | None = None) -> None:
    """Refuse to record (RuntimeError) from a repository whose code is not that of its commit.

    `since` is the commit at which the work began: its code must be that of the present commit.
    """
    advice = "Or leave out_dir empty: the results then go to out/paper."
    now = commit()
    if now is None:
        raise RuntimeError(f"A record names its commit, and the repository has none. {advice}")
    lines = (_git("status", "--porcelain", "--", ".", *_RECORDED) or "").splitlines()
    changed = [line.split(maxsplit=1)[1] for line in lines]
    if since and since != now:
        changed += (_git("diff", "--name-only", since, now, "--", *_CODE) or "").splitlines()
    if changed:
        names = ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if changed[5:] else "")
        raise RuntimeError(
            "A record names the commit that made it, and these files are not as in that commit: "
            f"{names}. Commit them and run again; steps that are kept are not computed again. "
            + advice
        )


def commit() -> str | None:
    """Return the commit that is checked out, None outside git."""
    return _git("rev-parse", "HEAD")


def provenance() -> dict:
    """Return commit, versions and machine of this moment."""
    name = commit()
    changed = _git("status", "--porcelain", "--untracked-files=normal", "--", "hlsvm")
    dirty = None if name is None else bool(changed)
    return {"commit": name, "dirty": dirty, "versions": versions(), "machine": machine()}


_COLUMNS = ("recorded", "record", "commit", "digest")


def record_digest(content: dict) -> str:
    """Return the digest of a record's content, its own digest apart."""
    plain = {key: value for key, value in content.items() if key != "digest"}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def ledger() -> Path:
    """Return the file of the ledger."""
    return repository_root() / "data" / "results" / "ledger.csv"


def read_record(path: Path) -> dict:
    """Read the provenance of a record and check it and its files against their digests.

    Raises
    ------
    FileNotFoundError, ValueError
        There is none, it was changed by hand, or a file of it is missing or was changed.
    """
    settle(path.parent)
    content = json.loads(path.read_text(encoding="utf-8"))
    advice = f"Record it again: hlsvm run --only {content.get('id')} --scale paper --record"
    if content.get("digest") != record_digest(content):
        raise ValueError(f"{path.name} was changed after it was recorded. {advice}")
    for name, digest in content["files"].items():
        other = path.with_name(name)
        if not other.exists() or sha256(other) != digest:
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
        text = ledger().read_text(encoding="utf-8") if ledger().exists() else head
        write_whole(ledger(), text + ",".join(line) + "\n")
