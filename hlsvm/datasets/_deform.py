"""Kernel of `infinite_digits`: one deformed image per row, a function of (seed, row) alone."""

from __future__ import annotations

import numpy as np
from numba import njit

SIDE = 28
CONTROL = 7  # control points a side of the elastic field
_MASK = (1 << 64) - 1


def spline_weights() -> np.ndarray:
    """Uniform cubic B-spline weights of the pixels: (28, 7), rows sum to 1."""
    weights = np.zeros((SIDE, CONTROL))
    for pixel in range(SIDE):
        place = (pixel + 0.5) / SIDE * (CONTROL - 3)
        first = min(int(place), CONTROL - 4)
        t = place - first
        weights[pixel, first] = (1 - t) ** 3 / 6
        weights[pixel, first + 1] = (3 * t**3 - 6 * t**2 + 4) / 6
        weights[pixel, first + 2] = (-3 * t**3 + 3 * t**2 + 3 * t + 1) / 6
        weights[pixel, first + 3] = t**3 / 6
    return weights


def first_state(seed: int) -> np.uint64:
    """Return the 64-bit word that stands for a seed."""
    z = (seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return np.uint64(z ^ (z >> 31))


@njit(cache=True, nogil=True)
def _mix(z):
    """Splitmix64's output function."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True)
def _draw(state, draws):
    """Fill `draws` with uniform numbers of (-1, 1): splitmix64 from `state`."""
    for k in range(draws.size):
        state = state + np.uint64(0x9E3779B97F4A7C15)
        draws[k] = (_mix(state) >> np.uint64(11)) * 2.0**-52 - 1.0


@njit(cache=True, nogil=True)
def _field(control, weights, half, field):
    """Spread control points over the pixels: weights @ control @ weights.T."""
    side, points = weights.shape
    for r in range(side):
        for q in range(points):
            total = 0.0
            for p in range(points):
                total += weights[r, p] * control[p * points + q]
            half[r, q] = total
    for r in range(side):
        for c in range(side):
            total = 0.0
            for q in range(points):
                total += weights[c, q] * half[r, q]
            field[r, c] = total


@njit(cache=True, nogil=True)
def _pixel(image, row, col):
    """Bilinear value of an image at a place; 0 outside."""
    side = SIDE
    if row <= -1.0 or col <= -1.0 or row >= side or col >= side:
        return 0.0
    r, c = int(np.floor(row)), int(np.floor(col))
    a, b = row - r, col - c
    value = 0.0
    if r >= 0 and c >= 0:
        value += (1 - a) * (1 - b) * image[r * side + c]
    if r >= 0 and c + 1 < side:
        value += (1 - a) * b * image[r * side + c + 1]
    if r + 1 < side and c >= 0:
        value += a * (1 - b) * image[(r + 1) * side + c]
    if r + 1 < side and c + 1 < side:
        value += a * b * image[(r + 1) * side + c + 1]
    return value


@njit(cache=True, nogil=True)
def deform_rows(base, start, state, weights, shift, angle, elastic, scale, half_up, out):
    """Write row ``start + k`` of the endless set into ``out[k]``, for every k.

    Row i is image ``i % len(base)``, turned about its centre by up to `angle` radians, moved by up
    to `shift` pixels each way and bent by a cubic B-spline whose control points move by up to
    `elastic` pixels. Values are multiplied by `scale` and `half_up` is added (0.5 rounds to
    integers).
    """
    side = SIDE
    points = weights.shape[1]
    cells = points * points
    draws = np.empty(3 + 2 * cells)
    down, across = np.empty((side, side)), np.empty((side, side))
    half = np.empty((side, points))
    centre = (side - 1) / 2
    for k in range(out.shape[0]):
        i = start + k
        image = base[i % base.shape[0]]
        _draw(_mix(state ^ _mix(np.uint64(i) + np.uint64(1))), draws)
        turn = angle * draws[0]
        cos, sin = np.cos(turn), np.sin(turn)
        up, left = shift * draws[1], shift * draws[2]
        _field(draws[3 : 3 + cells], weights, half, down)
        _field(draws[3 + cells :], weights, half, across)
        for r in range(side):
            for c in range(side):
                y, x = r - centre - up, c - centre - left
                row = cos * y - sin * x + centre + elastic * down[r, c]
                col = sin * y + cos * x + centre + elastic * across[r, c]
                out[k, r * side + c] = _pixel(image, row, col) * scale + half_up
