"""Seed of every node, by the path that leads to it."""

from __future__ import annotations

_MASK = (1 << 64) - 1


def child_seed(seed: int, side: int) -> int:
    """Seed of a child: a SplitMix64 hash of its parent's and its side.

    A node's seed depends on the path that leads to it and on nothing else, so trees that differ
    only in where they stop are nested (Thesis 5.3.3), and subtrees may grow in any order.

    Examples
    --------
    >>> child_seed(7, 0) != child_seed(7, 1)
    True
    """
    z = (seed * 2 + side + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) >> 1
