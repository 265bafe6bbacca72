"""Numbers in running text that follow from the records."""

import numpy as np
import pandas as pd
import pytest

from hlsvm.reproduce import published, text_answers


@pytest.mark.parametrize("id", text_answers.IDS)
def test_every_answer_is_a_number_of_that_text(id):
    found = text_answers.answers(id)
    assert set(found.id) <= set(published(id).id)
    assert not found.id.duplicated().any()
    assert np.isfinite(found.value).all()


def test_other_texts_are_refused():
    with pytest.raises(ValueError, match=r"id must be one of .* Got 'SRS.Text' instead"):
        text_answers.answers("SRS.Text")


def curves(**errors):
    rows = [
        {"label": label, "n_features": n, "error_pct": error, "error_pm": 1.0}
        for label, values in errors.items()
        for n, error in zip((10, 20, 40), values, strict=True)
    ]
    return pd.DataFrame(rows)


def test_random_selection_counts_as_worse_beyond_both_spreads():
    table = curves(random=(9, 7, 3), QPFS=(5, 5, 2))
    assert text_answers.random_until(table) == 10
    assert text_answers.random_until(table.assign(error_pm=0.4)) == 40
    assert text_answers.random_until(table.assign(error_pm=9.0)) == 0


def test_a_sampling_rate_is_enough_where_all_higher_ones_are():
    table = curves(
        **{
            "QPFS": (5, 5, 5),
            "QPFS+N p = 0.1": (5, 5, 5),
            "QPFS+N p = 0.2": (9, 9, 9),
            "QPFS+N p = 0.5": (6, 6, 6),
        }
    )
    assert text_answers.rate_enough(table) == 0.5
    assert text_answers.rate_enough(table[table.label != "QPFS+N p = 0.2"]) == 0.1
    assert np.isnan(text_answers.rate_enough(table[~table.label.str.contains("0.5")]))


def test_sparse_pixels_are_counted():
    pixels = np.array([[0, 0, 5], [0, 3, 5], [0, 0, 5], [0, 0, 0]])
    found = text_answers.answers("Thesis.Text3", pixels).set_index("id").value
    assert found["Thesis.text028"] == 2
    assert found["Thesis.text029"] == pytest.approx(100 * 8 / 12)
