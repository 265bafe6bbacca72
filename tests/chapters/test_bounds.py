"""Chapter 6: nested trees, samples of a known distribution, drawings of what is recorded."""

import numpy as np
import pandas as pd
import pytest

from hlsvm import HLSVMClassifier
from hlsvm.chapters.bounds import validity
from hlsvm.chapters.bounds.nested import nested
from hlsvm.reproduce import drawings


@pytest.fixture(scope="module")
def quarters():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (600, 2))
    y = np.where(X.prod(axis=1) > 0, 1, -1)
    return X, np.where(random.uniform(size=600) < 0.05, -y, y)


def test_a_tree_is_nested_only_in_its_own_growth(quarters):
    few, many, other = (
        HLSVMClassifier(lam, min_fraction=share, random_state=0).fit(*quarters).tree_
        for lam, share in ((1e-5, 0.1), (1e-5, 0.02), (1e-1, 0.02))
    )
    assert nested(few, many)
    assert nested(few, few)
    assert not nested(many, few)
    assert not nested(few, other)


def test_true_errors_of_the_lattice_are_sums():
    lattice = validity.Lattice(0.1)
    assert lattice.error(lattice.truth) == pytest.approx(0.1)
    assert lattice.error(-lattice.truth) == pytest.approx(0.9)
    X, y = lattice.draw(20_000, np.random.default_rng(0))
    assert np.mean(y != np.where(X.prod(axis=1) > 0, 1, -1)) == pytest.approx(0.1, abs=0.01)


def test_draws_depend_on_their_number_alone():
    """Neither on the workers, nor on the block they are drawn in, nor on the other methods."""
    how = {"n": 60, "delta": 0.05, "seed": 1}
    every = validity.draws(range(3), n_jobs=2, **how)
    assert set(every.method) == set(validity.METHODS)
    parts = [validity.draws(block, n_jobs=1, **how) for block in ([0], [1, 2])]
    pd.testing.assert_frame_equal(every, pd.concat(parts, ignore_index=True))
    chosen = [validity.COMPRESSION, "Occam, hyperplanes moved"]
    alone = validity.draws(range(3), methods=chosen, **how)
    kept = every[every.method.isin(chosen)].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone)


def test_failures_are_counted_by_hand():
    rows = [(k, name, 0.2, 0.3 if k < failed else 0.1) for name, failed in (("b", 3), ("a", 0))
            for k in range(4)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["draw", "method", "bound", "true_error"])
    counts = validity.summary(table.assign(failed=table.true_error > table.bound), 0.5)
    assert counts.method.tolist() == ["b", "a"]
    assert counts.failures.tolist() == [3, 0]
    assert counts.p_value.tolist() == pytest.approx([5 / 16, 1.0])
    assert counts.mean_error.tolist() == pytest.approx([0.25, 0.1])


def test_a_mean_bound_below_its_error_is_red():
    row = {"dataset": "a", "test_error": 0.1}
    table = pd.DataFrame(
        [
            {**row, "method": "hold-out", "bound": 0.09},
            {**row, "method": "Occam, subtree", "bound": 0.2},
            {**row, "method": "not pruned", "bound": np.nan},
        ]
    )
    (axes,) = drawings.draw(table, "HLSVM.method.SampleCompression").axes
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == ["Occam, subtree", "hold-out"]
    colors = {line.get_ydata()[0]: line.get_color() for line in axes.lines[:6]}
    assert colors == {0: "#0072B2", 1: "#D55E00"}


@pytest.mark.parametrize(
    ("id", "panels"),
    [
        ("Thesis.Fig5.7", 3),
        ("Thesis.Lem5.3", 3),
        ("Thesis.ThmC.2", 2),
        ("HLSVM.Lem3", 8),
        ("HLSVM.method.SampleCompression", 5),
    ],
)
def test_recorded_figures_can_be_drawn_again(id, panels):
    from hlsvm.reproduce import redraw

    fig = redraw(id)
    assert sum(axes.has_data() for axes in fig.axes) >= panels
