"""The examples of hlsvm._holdout run and say what they print; shares and folds hold every class."""

import doctest

import numpy as np
import pytest

from hlsvm import _holdout


def test_examples():
    assert doctest.testmod(_holdout) == doctest.TestResults(failed=0, attempted=2)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.9])
def test_a_class_gives_its_share_and_never_all(share):
    codes = np.repeat([0, 1, 2], [50, 7, 1])
    drawn = _holdout.draw_share(codes, share, np.random.default_rng(1))
    given = np.bincount(codes[drawn], minlength=3)
    assert given.tolist() == [round(50 * share), min(round(7 * share), 6), 0]


def test_folds_part_every_class_evenly():
    codes = np.random.default_rng(0).permutation(np.repeat([0, 1], [53, 11]))
    fold = _holdout.deal_folds(codes, 5, np.random.default_rng(2))
    for code in (0, 1):
        sizes = np.bincount(fold[codes == code], minlength=5)
        assert sizes.max() - sizes.min() <= 1
