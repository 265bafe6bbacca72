"""What an execution of a notebook depends on: the meaning of its cells and of the package."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hlsvm.reproduce._files import digest


@cache
def _package() -> str:
    folder = Path(__file__).resolve().parents[1]
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))]
    return hashlib.sha256("".join(ast.dump(ast.parse(t)) for t in texts).encode()).hexdigest()


def notebook_digest(cells: Sequence[str]) -> str:
    """Return the digest of code cells and of the code of the package."""
    return digest(list(cells), _package())
