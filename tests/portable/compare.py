"""Where two sets of numbers differ, and by how much."""

from __future__ import annotations

import numpy as np


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """Zero for the same bits; else the largest difference by the largest value of the two.

    Numbers that count or name something (integers, booleans) differ by the share of them that do,
    arrays of different shapes by infinity.
    """
    if a.shape != b.shape or a.dtype != b.dtype:
        return np.inf
    if a.tobytes() == b.tobytes():
        return 0.0
    if a.dtype.kind != "f":
        return float(np.mean(a != b))
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return np.inf
    size = max(np.abs(a[finite]).max(), np.abs(b[finite]).max())
    return max(float(np.abs(a[finite] - b[finite]).max() / size), 5e-324)


def differences(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> dict[str, float]:
    """Name -> difference, of the names whose numbers differ or that one of the two lacks."""
    both = {name: difference(a[name], b[name]) for name in a.keys() & b.keys()}
    return {name: size for name, size in both.items() if size} | dict.fromkeys(
        a.keys() ^ b.keys(), np.inf
    )
