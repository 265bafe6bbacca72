"""Verdicts: which way is better, what counts as the same, what is missing and why."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlsvm.reproduce import compare, published, save_table
from hlsvm.reproduce.catalogue import entries
from hlsvm.reproduce.columns import keys_of
from hlsvm.reproduce.comparison import recorded_text as recorded
from hlsvm.reproduce.judge import VERDICTS, judge, round_like
from hlsvm.reproduce.quantities import quantity

ERROR, ACCURACY = quantity("error_pct"), quantity("accuracy_pct")
finite = st.floats(min_value=1e-6, max_value=1e6)


@pytest.mark.parametrize(
    ("printed", "ours", "name", "spread", "verdict"),
    [
        ("2.36", "2.00", "error_pct", "", "better"),
        ("2.36", "2.40", "error_pct", "", "same"),  # within 5 % of the error
        ("2.36", "2.80", "error_pct", "", "worse"),
        ("11.39", "11.60", "error_pct", "0.30", "same"),  # within the printed spread
        ("11.39", "11.60", "error_pct", "0.10", "worse"),  # a printed spread is stricter
        ("0.10", "0.104", "error_pct", "0.00", "same"),  # half a unit of the last digit
        ("95.00", "95.20", "accuracy_pct", "", "same"),  # 5 % of the error, not of 95
        ("95.00", "95.40", "accuracy_pct", "", "better"),
        ("95.00", "94.00", "accuracy_pct", "", "worse"),
        ("1.22e-7", "1.0e-8", "test_s_per_pattern", "", "better"),
        ("49990", "49990.0", "n_train", "", "same"),
        ("49990", "40000", "n_train", "", "worse"),
        ("1e-5", "1e-6", "hlsvm_lambda", "", "not comparable"),
        ("1e-5", "0.00001", "hlsvm_lambda", "", "same"),
        ("N*d", "N*d", "training_ops", "", "same"),
        ("N*d", "N*M", "training_ops", "", "not comparable"),
        ("2|5", "3", "speed_gain_factor", "", "same"),
        ("2|5", "9", "speed_gain_factor", "", "better"),
        ("2|5", "1", "speed_gain_factor", "", "worse"),
        ("2.36", "", "error_pct", "", "not run"),
    ],
)
def test_judge(printed, ours, name, spread, verdict):
    assert judge(printed, ours, quantity(name), spread).verdict == verdict


def test_seconds_say_that_machines_differ():
    assert "machines" in judge("10", "1", quantity("train_s")).why


@given(finite, finite)
def test_better_for_an_error_is_worse_for_a_gain(theirs, ours):
    down = judge(repr(theirs), repr(ours), quantity("RC")).verdict
    up = judge(repr(theirs), repr(ours), quantity("RE")).verdict
    assert (down, up) in {("same", "same"), ("better", "worse"), ("worse", "better")}


@given(st.floats(0.01, 99.99), st.floats(0.01, 99.99))
def test_accuracy_and_error_agree(theirs, ours):
    by_error = judge(f"{theirs:.2f}", f"{ours:.2f}", ERROR).verdict
    by_accuracy = judge(f"{100 - theirs:.2f}", f"{100 - ours:.2f}", ACCURACY).verdict
    assert by_error == by_accuracy


@given(st.floats(-1e8, 1e8, allow_nan=False), st.sampled_from(["2.36", "1.2e-3", "63490", "1"]))
def test_rounding_keeps_three_digits(value, printed):
    written = round_like(printed, value)
    assert math.isclose(float(written), value, rel_tol=6e-3, abs_tol=1e-300)


def test_nothing_recorded_is_not_run(repository):
    found = compare("Thesis.Tab5.4")
    assert set(found["verdict"]) == {"not run"}
    assert set(found["why"]) == {"nothing recorded yet"}
    assert set(found["ours"]) == {""}


@pytest.mark.parametrize("id", [e.id for e in entries().values() if e.published_csv])
def test_every_id_with_numbers_compares(id, repository):
    found = compare(id)
    if not found.empty:
        assert set(found["verdict"]) <= set(VERDICTS)
        assert compare(id, layout="wide").shape[0] >= 1


@pytest.mark.parametrize("id", [e.id for e in entries().values() if e.kind == "table"][6:])
def test_the_published_numbers_are_the_same_as_themselves(id, repository):
    if not entries()[id].published_csv:
        return
    found = compare(id, published(id, printed=True))
    assert set(found["verdict"]) == {"same"}


def rows(*cells):
    names = ["dataset", "method", "error_pct", "hyp_mean", "status", "note"]
    return pd.DataFrame([dict(zip(names, cell, strict=False)) for cell in cells])


def pick(found, dataset, method, name="error_pct"):
    found = found[(found.dataset == dataset) & (found.method == method)]
    return found[found["quantity"] == name].iloc[0]


def test_a_record_serves_both_documents(repository):
    ours = rows(
        ("ijcnn", "HLSVM", 2.1, 7.3),  # other spellings of the published IJCNN, H-LSVM
        ("Vehicle", "H-LSVM", None, None, "not run: data (SensIT Vehicle)"),
        ("Covtype", "H-LSVM", 16.2, 9.0, "not comparable: a sample of 92,962 rows"),
    )
    save_table(ours, "Thesis.Tab5.4", scale="paper", out_dir="record")
    for id in ("Thesis.Tab5.4", "HLSVM.Tab4", "Thesis.Fig5.6", "HLSVM.Fig4", "Thesis.exp.5A"):
        found = compare(id, quantities="error_pct")
        line = pick(found, "IJCNN", "H-LSVM")
        assert line[["published", "ours", "difference", "verdict"]].tolist() == [
            *("2.36", "2.10", "-0.26", "better"),
        ]
        line = pick(found, "Vehicle", "H-LSVM")
        assert (line.ours, line.verdict) == ("", "not run")
        assert line.why == "data (SensIT Vehicle: combined_scale.bz2, combined_scale.t.bz2)"
        line = pick(found, "Covtype", "H-LSVM")
        assert (line.verdict, line.why) == ("not comparable", "a sample of 92,962 rows")
        assert (line.ours, line.difference[0]) == ("16.20", "4")
        assert line.published.startswith("11.39")
        assert pick(found, "IJCNN", "Linear SVM").why == "no such row in the record"


def test_an_own_record_comes_before_that_of_the_other_document(repository):
    save_table(rows(("IJCNN", "H-LSVM", 2.1)), "Thesis.Tab5.4", scale="paper", out_dir="record")
    save_table(rows(("IJCNN", "H-LSVM", 9.9)), "HLSVM.Tab4", scale="paper", out_dir="record")
    assert pick(compare("HLSVM.Tab4"), "IJCNN", "H-LSVM").verdict == "worse"
    assert pick(compare("Thesis.Tab5.4"), "IJCNN", "H-LSVM").verdict == "better"
    assert recorded("SRS.Tab4") is None


def test_a_frame_in_memory_can_be_compared(repository):
    found = compare("Thesis.Tab5.4", rows(("IJCNN", "H-LSVM", 2.36)), quantities=["error_pct"])
    assert pick(found, "IJCNN", "H-LSVM").verdict == "same"
    assert pick(found, "IJCNN", "H-LSVM").difference == "0.00"


def test_rows_are_matched_by_the_value_of_numeric_keys(repository):
    ours = pd.DataFrame(
        {"dataset": ["SRBCT"], "method": ["QPFS+Nystrom"], "nystrom_p": [0.1], "n_features": [10.0]}
    ).assign(error_pct=0.001)
    theirs = published("Thesis.Tab3.6", printed=True)
    chosen = theirs[(theirs.method == "QPFS+Nystrom") & (theirs.n_features == "10")].iloc[0]
    ours["dataset"], ours["nystrom_p"] = chosen.dataset, float(chosen.nystrom_p)
    found = compare("Thesis.Tab3.6", ours)
    assert (found["ours"] != "").sum() == 1


def test_records_that_cannot_be_matched_are_refused(repository):
    with pytest.raises(ValueError, match=r"it lacks \['method'\]"):
        compare("Thesis.Tab5.4", pd.DataFrame({"dataset": ["IJCNN"], "error_pct": [2.0]}))
    with pytest.raises(ValueError, match="two rows"):
        compare("Thesis.Tab5.4", rows(("IJCNN", "SVC", 1), ("IJCNN", "LIBSVM", 2)))
    with pytest.raises(ValueError, match="quantities must be among"):
        compare("Thesis.Tab5.4", quantities="errors")
    with pytest.raises(ValueError, match="layout must be"):
        compare("Thesis.Tab5.4", layout="tall")


def test_external_tables_say_why(repository):
    found = compare("SRS.Tab9")
    assert set(found["verdict"]) == {"not comparable"}
    assert "not public" in found["why"].iloc[0]


def test_numbers_in_text_are_answered_from_any_record(repository):
    answers = pd.DataFrame({"id": ["Thesis.text054", "HLSVM.text005"], "value": [54.41, 54.41]})
    save_table(answers, "Thesis.Fig5.5", scale="paper", out_dir="record")
    for id, row in (
        ("Thesis.Text5", "Thesis.text054"),
        ("Thesis.Fig5.5", "Thesis.text054"),
        ("HLSVM.Text", "HLSVM.text005"),
    ):
        found = compare(id).set_index("id")
        assert found.loc[row, "verdict"] == "same"
        assert (found["ours"] != "").sum() == 1
    stated = compare("Thesis.Text5").query("verdict == 'not comparable'")
    assert stated["why"].str.startswith("stated, not measured").all()
    assert len(stated)


def test_wide_layout_keeps_the_order(repository):
    wide = compare("Thesis.Tab5.4", rows(("IJCNN", "H-LSVM", 2.1)), layout="wide")
    assert wide.index[:3].tolist() == [
        *(("IJCNN", "Linear SVM"), ("IJCNN", "Non-linear SVM"), ("IJCNN", "H-LSVM")),
    ]
    assert wide.loc[("IJCNN", "H-LSVM"), "error_pct"] == "2.36 | 2.10  better"
    assert len(wide) == len(published("Thesis.Tab5.4"))
    assert list(compare("SRS.Tab1", layout="wide").index) == ["20", "200", "2000", "20000"]
    assert keys_of("SRS.Tab1") == ["n_instances"]
