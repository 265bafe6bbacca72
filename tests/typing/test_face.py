"""mypy accepts code that uses the public names, in strict mode.

Calls of constructors may be untyped: scikit-learn's are.
"""

import re
import sys
from pathlib import Path
from subprocess import run

import pytest

import hlsvm

ROOT = Path(__file__).resolve().parents[2]


def test_users_code_passes_in_strict_mode(tmp_path):
    pytest.importorskip("mypy")
    face = Path(__file__).with_name("face.py")
    flags = ["--strict", "--allow-untyped-calls", "--config-file", "pyproject.toml"]
    flags += ["--cache-dir", str(tmp_path)]
    done = run([sys.executable, "-m", "mypy", *flags, str(face)], cwd=ROOT, capture_output=True,
               text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_imported_late_is_known_to_type_checkers():
    text = Path(hlsvm.__file__).read_text(encoding="utf-8")
    named = set(re.findall(r"import (\w+) as \1\n", text))
    assert named == set(hlsvm.__all__[1:])
