"""Where a record comes from: code, versions, data, parameters, machine."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import re
import subprocess
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from hlsvm.reproduce.code_digest import data_facts
from hlsvm.reproduce.digests import data_digest
from hlsvm.reproduce.paths import RepositoryNotFound, repository_root

_PACKAGES = ("hlsvm", "numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib", "cvxpy")
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


def _meaning(node) -> list:
    """Return a syntax tree as nested lists, without docstrings, comments and positions."""
    if isinstance(node, list):
        return [_meaning(item) for item in node]
    if not isinstance(node, ast.AST):
        return [type(node).__name__, repr(node)]
    fields = {name: value for name, value in ast.iter_fields(node) if value not in (None, [])}
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            fields["body"] = node.body[1:]
    return [type(node).__name__, [[name, _meaning(fields[name])] for name in sorted(fields)]]


@lru_cache(maxsize=512)
def _digest_at(path: Path, _changed: int) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return hashlib.sha256(repr(_meaning(tree)).encode()).hexdigest()[:16]


def code_digest(path: Path) -> str:
    """Return a digest of what a source file does: comments and docstrings do not count."""
    return _digest_at(path, path.stat().st_mtime_ns)


def loaded_code() -> dict[str, str]:
    """Return the digest of every module of the package that has been loaded, records apart."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        source = getattr(module, "__file__", None)
        if not name.startswith("hlsvm.") or not source or not source.endswith(".py"):
            continue
        if name.split(".")[1] not in ("reproduce", "cli") and Path(source).exists():
            found[name] = code_digest(Path(source))
    return found


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


def provenance() -> dict:
    """Return commit, versions, loaded code and machine of this moment."""
    return {
        **_commit(),
        "versions": versions(),
        "code": loaded_code(),
        "machine": machine(),
    }
