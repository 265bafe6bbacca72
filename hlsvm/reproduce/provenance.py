"""Where a record comes from: code, versions, data, parameters, machine."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from hlsvm.reproduce.code_digest import data_facts
from hlsvm.reproduce.digests import data_digest
from hlsvm.reproduce.paths import RepositoryNotFound, repository_root

_PACKAGES = ("hlsvm", "numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib", "cvxpy")
# What recording itself writes, and what makes the numbers.
_RECORDED = (":(exclude)figures", ":(exclude)data/results", ":(exclude)README.md")
_CODE = ("hlsvm", "notebooks", "constraints.txt")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_PATH = re.compile(r"(?<![\w:/.~])(?:[A-Za-z]:\\|/)(?:[^\s/\\'\",;()]+[/\\])+([^\s/\\'\",;()]*)")


def scrub(value):
    """Return `value` (text, list, dict ...) with absolute paths cut down to file names.

    Examples
    --------
    >>> scrub("read /home/me/data/ijcnn1.npz from https://a.org/b/c")
    'read ijcnn1.npz from https://a.org/b/c'
    """
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
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, RepositoryNotFound):
        return None
    return done.stdout.strip()


def _commit() -> dict:
    commit = _git("rev-parse", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=normal", "--", "hlsvm")
    return {"commit": commit, "dirty": None if commit is None else bool(changed)}


def versions() -> dict:
    """Return the versions of Python and of the libraries results depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


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


def registry_digest(name: str) -> str:
    """Return a digest of what the registry says of a data set; "" where it has none."""
    return data_facts(name)[0]


def describe_dataset(dataset) -> dict:
    """Return name, source, note, shapes, digest and registry digest of a loaded `Dataset`."""
    parts = [getattr(dataset, name, None) for name in ("X_train", "y_train", "X_test", "y_test")]
    return {
        "sha256": data_digest(*parts),
        "shapes": [list(np.shape(part)) if part is not None else None for part in parts],
        "source": scrub(getattr(dataset, "source", "")),
        "note": scrub(getattr(dataset, "note", "")),
        "registered": registry_digest(str(getattr(dataset, "name", ""))),
    }


def check_clean(since: str | None = None) -> None:
    """Refuse to record from a repository whose code is not that of its commit.

    Parameters
    ----------
    since : str, optional
        Commit at which the work began: its code must be that of the present commit.

    Raises
    ------
    RuntimeError
        There is no commit, or files differ from it; the message names them.
    """
    advice = "Or leave out_dir empty: the results then go to out/paper."
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        raise RuntimeError(f"A record names its commit, and the repository has none. {advice}")
    lines = (_git("status", "--porcelain", "--", ".", *_RECORDED) or "").splitlines()
    changed = [line.split(maxsplit=1)[1] for line in lines]
    if since and since != commit:
        changed += (_git("diff", "--name-only", since, commit, "--", *_CODE) or "").splitlines()
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
    return {**_commit(), "versions": versions(), "machine": machine()}
