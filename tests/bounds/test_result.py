"""The result object: what it says as text, Markdown, HTML and a row."""

import math

import pandas as pd
import pytest

from hlsvm.bounds import Bound, holdout_bound, side_by_side


@pytest.fixture
def bound():
    return Bound("one <&>", 0.12345, 0.95, {"samples": 1200, "share": 0.5}, "i.i.d.", "the tree")


def test_text_says_value_confidence_terms_and_assumption(bound):
    text = repr(bound)
    for part in ("one <&>", "0.1235", "0.95", "samples  1,200", "share    0.5", "i.i.d.", "tree"):
        assert part in text
    assert str(bound) == text


def test_notebook_shows_a_table(bound):
    html = bound._repr_html_()
    assert html.count("<tr>") == 2
    assert "one &lt;&amp;&gt;" in html
    assert "<&>" not in html
    markdown = bound._repr_markdown_()
    assert "| samples | 1,200 |" in markdown
    assert "*Assumes:* i.i.d." in markdown


def test_unknown_constant_is_said():
    bound = Bound("shape", 2.0, None)
    assert "constant unknown" in repr(bound)
    assert bound.vacuous


def test_number_row_and_verdict(bound):
    assert float(bound) == 0.12345
    assert not bound.vacuous
    assert Bound("x", 0.5, 0.9).vacuous
    assert Bound("x", math.nan, 0.9).vacuous
    assert bound.to_dict() == {
        "bound": "one <&>",
        "value": 0.12345,
        "confidence": 0.95,
        "samples": 1200,
        "share": 0.5,
    }


def test_a_bound_cannot_be_changed(bound):
    with pytest.raises(AttributeError):
        bound.value = 0.0


def test_side_by_side_orders_by_value(bound):
    table = side_by_side([bound, holdout_bound([1] * 100, [1] * 100)])
    assert isinstance(table, pd.DataFrame)
    assert table.bound.tolist() == ["hold-out", "one <&>"]
    assert side_by_side([]).empty
