"""Whether one tree is the top of another."""

import numpy as np


def nested(small, large) -> bool:
    """Return whether a tree is the top of another: the same hyperplanes in the same places."""
    pairs = [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        if not small.is_inner[a]:
            continue
        if not large.is_inner[b]:
            return False
        same = np.array_equal(small.weights[small.plane[a]], large.weights[large.plane[b]])
        if not same or small.offsets[a] != large.offsets[b]:
            return False
        pairs += [(small.left[a], large.left[b]), (small.right[a], large.right[b])]
    return True
