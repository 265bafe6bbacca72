"""The published numbers: as printed, and parsed."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlsvm.reproduce import published, repository_root
from hlsvm.reproduce.published_numbers import (
    columns_of,
    is_text_file,
    keys_of,
    meaning,
    parse_number,
    quantities_of,
    row_keys,
)
from hlsvm.reproduce.repository import entries, read_strings

WITH_NUMBERS = [entry.id for entry in entries().values() if entry.published_csv]
TABLES = [name for name in WITH_NUMBERS if entries()[name].kind == "table"]


@pytest.mark.parametrize("id", TABLES)
def test_a_table_has_keys_quantities_and_numbers_that_parse(id):
    printed, parsed = published(id, printed=True), published(id)
    assert len(printed) == len(parsed) > 0
    keys, names = keys_of(id), quantities_of(id)
    assert names
    assert not set(keys) & set(names)
    rows = row_keys(printed, keys)
    assert len(rows) == len(set(rows))
    for name in names:
        column = columns_of(entries()[id].published_csv)[name]
        if column.kind in ("result", "ratio", "seconds") and column.better != "equal":
            assert pd.api.types.is_numeric_dtype(parsed[name]), name


def test_printed_digits_are_kept():
    row = published("Thesis.Tab5.4", printed=True).iloc[2]
    assert row[["dataset", "method", "error_pct", "error_sd", "RC"]].tolist() == [
        *("IJCNN", "H-LSVM", "2.36", "", "2.0e-3"),
    ]
    parsed = published("Thesis.Tab5.4").iloc[2]
    assert parsed["RC"] == 2.0e-3
    assert np.isnan(parsed["error_sd"])


def test_a_figure_has_the_numbers_of_its_table_or_its_text():
    assert published("Thesis.Fig5.6").equals(published("Thesis.Tab5.4"))
    assert set(published("Thesis.Fig5.5").topic) == {"Figure 5.5", "Figure 5.5(b)"}
    assert set(published("HLSVM.Fig5").topic) == {"Figure 5", "Figure 5c", "Figure 5d"}
    assert set(published("SRS.Fig12").topic) == {"Figure 12", "Figure 12-13"}
    assert set(published("SRS.FigA.15").columns) == set(published("SRS.TabA.10").columns)
    assert published("DTSVM.Fig9").empty


def test_numbers_in_text_belong_to_one_chapter():
    thesis = pd.concat([published(f"Thesis.Text{k}", printed=True) for k in range(2, 7)])
    whole = published("Thesis.exp.4A", printed=True)
    assert sorted(thesis["id"]) == sorted(whole["id"])
    assert len(published("SRS.Text")) == 60


def test_ids_without_numbers_are_told():
    with pytest.raises(KeyError, match="has no printed numbers"):
        published("Thesis.Fig1.1")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_parse_number_reads_back_what_python_writes(value):
    assert parse_number(repr(value)) == value


@pytest.mark.parametrize("text", ["", "~ n", "N*M^2", "inf", "nan", "a|b", "10^-1..10^5", "1/0x"])
def test_text_is_no_number(text):
    assert math.isnan(parse_number(text))


def test_powers_and_fractions():
    assert parse_number("2^-5") == 2.0**-5
    assert parse_number("5/11") == 5 / 11


FILES = {entries()[name].published_csv for name in WITH_NUMBERS}


@pytest.mark.parametrize("file", sorted(FILES))
def test_every_column_says_what_it_means(file):
    known = columns_of(file)
    header = list(read_strings(repository_root() / "data" / "published" / file).columns)
    if is_text_file(file):
        ids = read_strings(repository_root() / "data" / "published" / file)["id"]
        assert list(known) == ids.tolist()
    else:
        assert set(known) == set(header)
    for column in known.values():
        assert column.role in ("key", "quantity", "spread", "text")
        kinds = ("result", "ratio", "context", "seconds", "stated", "derived")
        assert (column.kind in kinds) == (column.role == "quantity"), column
        ways = ("low", "high", "accuracy", "equal", "above", "below", "significance")
        compared = column.kind in ("result", "ratio", "context", "seconds")
        assert (column.better in ways) == compared, column


def test_sources_methods_are_told_from_others():
    row = {"dataset": "IJCNN", "method": "H-LSVM"}
    assert meaning("Thesis.Tab5.4", row, "error_pct").kind == "result"
    assert meaning("Thesis.Tab5.4", {**row, "method": "Linear SVM"}, "error_pct").kind == "baseline"
    assert meaning("Thesis.Tab3.5", {}, "p_value").better == "significance"
    assert meaning("DTSVM.Tab7", {}, "sigma_opt").kind == "result"
    with pytest.raises(ValueError, match=r"does not say what Thesis\.text999 is"):
        meaning("Thesis.Text5", {"id": "Thesis.text999"}, "value")
