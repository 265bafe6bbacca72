"""Verdicts: which way is better, what counts as the same, what is missing and why."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlsvm.reproduce import compare, published, save_table
from hlsvm.reproduce.comparison import recorded_text as recorded
from hlsvm.reproduce.published_numbers import Column, columns_of, keys_of, meaning
from hlsvm.reproduce.repository import entries
from hlsvm.reproduce.verdict import VERDICTS, judge, round_like

finite = st.floats(min_value=1e-6, max_value=1e6)


def column(kind, better, tolerance=0.05):
    return Column("x", "quantity", kind, better, tolerance, "", (), {}, "", "")


@pytest.mark.parametrize(
    ("printed", "ours", "kind", "better", "spread", "verdict"),
    [
        ("2.36", "2.00", "result", "low", "", "better"),
        ("2.36", "2.40", "result", "low", "", "same"),  # within 5 % of the error
        ("2.36", "2.80", "result", "low", "", "worse"),
        ("11.39", "11.60", "result", "low", "0.30", "same"),  # within the spread
        ("11.39", "11.60", "result", "low", "0.10", "worse"),  # a spread is stricter
        ("0.10", "0.104", "result", "low", "0.00", "same"),  # half a unit of the last digit
        ("95.00", "95.20", "result", "accuracy", "", "same"),  # 5 % of the error, not of 95
        ("95.00", "95.40", "result", "accuracy", "", "better"),
        ("95.00", "94.00", "result", "accuracy", "", "worse"),
        ("1500", "6000", "result", "equal", "", "different"),  # a chosen optimum is a result
        ("1.22e-7", "1.0e-8", "seconds", "low", "", "not comparable"),
        ("0", "0", "seconds", "low", "", "not comparable"),
        ("49990", "49990.0", "context", "equal", "", "equal"),
        ("49990", "40000", "context", "equal", "", "differs"),
        ("7.82", "6.00", "baseline", "low", "", "differs"),  # another method is never better
        ("1e-5", "1e-6", "stated", "", "", "stated"),
        ("N*d", "N*d", "stated", "", "", "stated"),  # a typed formula has no verdict
        ("2|5", "3", "ratio", "high", "", "same"),
        ("2|5", "9", "ratio", "high", "", "better"),
        ("2|5", "1", "ratio", "high", "", "worse"),
        ("70|80", "3|6", "ratio", "high", "", "worse"),  # MetricTree.text010
        ("40|3000", "15|1736", "ratio", "high", "", "worse"),  # MetricTree.text011
        ("<0.001", "1.7e-47", "result", "significance", "", "same"),  # SRS.text037
        ("0.0058", "0.0031", "result", "significance", "", "same"),
        ("5.4e-9", "0.294", "result", "significance", "", "different"),  # Tab. 3.5, SRBCT
        ("50", "62", "ratio", "above", "", "same"),  # "at least 50 %"
        ("80", "62", "result", "above", "", "worse"),
        ("0.1", "0.078", "ratio", "below", "", "same"),
        ("yes", "no", "result", "equal", "", "different"),
        ("2.36", "", "result", "low", "", "not run"),
        ("2.36", "", "baseline", "low", "", "not run"),
        ("78823", "", "context", "equal", "", "stated"),  # the size of a set that is missing
        ("2.36", "a word", "result", "low", "", "not comparable"),
    ],
)
def test_judge(printed, ours, kind, better, spread, verdict):
    width = float(spread) if spread else math.nan
    assert judge(printed, ours, column(kind, better), width).verdict == verdict


@given(finite, finite)
def test_better_for_an_error_is_worse_for_a_gain(theirs, ours):
    down = judge(repr(theirs), repr(ours), column("result", "low")).verdict
    up = judge(repr(theirs), repr(ours), column("result", "high")).verdict
    assert (down, up) in {("same", "same"), ("better", "worse"), ("worse", "better")}


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_accuracy_and_error_agree(theirs, ours):  # in hundredths of a per cent
    errors = [f"{value / 100:.2f}" for value in (theirs, ours)]
    accuracies = [f"{(10_000 - value) / 100:.2f}" for value in (theirs, ours)]
    by_error = judge(*errors, column("result", "low")).verdict
    by_accuracy = judge(*accuracies, column("result", "accuracy")).verdict
    assert by_error == by_accuracy


@given(finite, finite, st.sampled_from(["context", "baseline", "seconds", "stated"]))
def test_only_results_are_better_or_worse(theirs, ours, kind):
    result = judge(repr(theirs), repr(ours), column(kind, "low")).verdict
    assert result in ("equal", "differs", "stated", "not comparable")


@given(st.floats(-1e8, 1e8, allow_nan=False), st.sampled_from(["2.36", "1.2e-3", "63490", "1"]))
def test_rounding_keeps_three_digits(value, printed):
    written = round_like(printed, value)
    assert math.isclose(float(written), value, rel_tol=6e-3, abs_tol=1e-300)


def test_nothing_recorded_is_not_run(repository):
    result = compare("Thesis.Tab5.4")
    assert set(result["verdict"]) == {"not run"}
    assert set(result["why"]) == {"nothing recorded yet"}
    assert set(compare("Thesis.Tab5.2")["verdict"]) == {"stated"}
    assert set(result["ours"]) == {""}


@pytest.mark.parametrize("id", [e.id for e in entries().values() if e.published_csv])
def test_every_id_with_numbers_compares(id, repository):
    result = compare(id)
    if not result.empty:
        assert set(result["verdict"]) <= set(VERDICTS)
        assert compare(id, layout="wide").shape[0] >= 1


@pytest.mark.parametrize("id", [e.id for e in entries().values() if e.kind == "table"][6:])
def test_the_published_numbers_are_the_same_as_themselves(id, repository):
    if not entries()[id].published_csv:
        return
    result = compare(id, published(id, printed=True))
    assert set(result["verdict"]) <= {"same", "equal", "stated", "not comparable"}
    seconds = [
        meaning(id, {**dict.fromkeys(keys_of(id), "")}, name).kind == "seconds"
        for name in result["quantity"]
    ]
    assert (result["verdict"] == "not comparable").tolist() == seconds


def rows(*cells):
    names = ["dataset", "method", "error_pct", "hyp_mean", "status", "note"]
    return pd.DataFrame([dict(zip(names, cell, strict=False)) for cell in cells])


def pick(compared, dataset, method, name="error_pct"):
    compared = compared[(compared.dataset == dataset) & (compared.method == method)]
    return compared[compared["quantity"] == name].iloc[0]


def test_a_record_serves_both_documents(repository):
    ours = rows(
        ("ijcnn", "HLSVM", 2.1, 7.3),  # other spellings of the published IJCNN, H-LSVM
        ("Vehicle", "H-LSVM", None, None, "not run: data (SensIT Vehicle)"),
        ("Covtype", "H-LSVM", 16.2, 9.0, "not comparable: a sample of 92,962 rows"),
    )
    save_table(ours, "Thesis.Tab5.4", scale="paper", out_dir="record")
    for id in ("Thesis.Tab5.4", "HLSVM.Tab4", "Thesis.Fig5.6", "HLSVM.Fig4", "Thesis.exp.5A"):
        result = compare(id, quantities="error_pct")
        line = pick(result, "IJCNN", "H-LSVM")
        assert line[["published", "ours", "difference", "verdict"]].tolist() == [
            *("2.36", "2.10", "-0.26", "better"),
        ]
        line = pick(result, "Vehicle", "H-LSVM")
        assert (line.ours, line.verdict) == ("", "not run")
        assert line.why == "data (SensIT Vehicle: combined_scale.bz2, combined_scale.t.bz2)"
        line = pick(result, "Covtype", "H-LSVM")
        assert (line.verdict, line.why) == ("not comparable", "a sample of 92,962 rows")
        assert (line.ours, line.difference[0]) == ("16.20", "4")
        assert line.published.startswith("11.39")
        assert pick(result, "IJCNN", "Linear SVM").why == "no such row in the record"


def test_an_own_record_comes_before_that_of_the_other_document(repository):
    save_table(rows(("IJCNN", "H-LSVM", 2.1)), "Thesis.Tab5.4", scale="paper", out_dir="record")
    save_table(rows(("IJCNN", "H-LSVM", 9.9)), "HLSVM.Tab4", scale="paper", out_dir="record")
    assert pick(compare("HLSVM.Tab4"), "IJCNN", "H-LSVM").verdict == "worse"
    assert pick(compare("Thesis.Tab5.4"), "IJCNN", "H-LSVM").verdict == "better"
    assert recorded("SRS.Tab4") is None


def test_a_frame_in_memory_can_be_compared(repository):
    result = compare("Thesis.Tab5.4", rows(("IJCNN", "H-LSVM", 2.36)), quantities=["error_pct"])
    assert pick(result, "IJCNN", "H-LSVM").verdict == "same"
    assert pick(result, "IJCNN", "H-LSVM").difference == "0.00"


def test_rows_are_matched_by_the_value_of_numeric_keys(repository):
    ours = pd.DataFrame(
        {"dataset": ["SRBCT"], "method": ["QPFS+Nystrom"], "nystrom_p": [0.1], "n_features": [10.0]}
    ).assign(error_pct=0.001)
    theirs = published("Thesis.Tab3.6", printed=True)
    chosen = theirs[(theirs.method == "QPFS+Nystrom") & (theirs.n_features == "10")].iloc[0]
    ours["dataset"], ours["nystrom_p"] = chosen.dataset, float(chosen.nystrom_p)
    result = compare("Thesis.Tab3.6", ours)
    assert (result["ours"] != "").sum() == 1


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
    result = compare("SRS.Tab9")
    assert set(result["verdict"]) == {"not comparable"}
    assert "not public" in result["why"].iloc[0]


def test_numbers_in_text_are_answered_from_any_record(repository):
    answers = pd.DataFrame({"id": ["Thesis.text060", "HLSVM.text011"], "value": [90.61, 90.01]})
    save_table(answers, "Thesis.Fig5.5", scale="paper", out_dir="record")
    for id, row in (
        ("Thesis.Text5", "Thesis.text060"),
        ("Thesis.Fig5.5", "Thesis.text060"),
        ("HLSVM.Text", "HLSVM.text011"),
    ):
        result = compare(id).set_index("id")
        assert result.loc[row, "verdict"] == "same"
        assert (result["ours"] != "").sum() == 1
    assert compare("Thesis.Text5").set_index("id").verdict["Thesis.text063"] == "stated"


def test_wide_layout_keeps_the_order(repository):
    wide = compare("Thesis.Tab5.4", rows(("IJCNN", "H-LSVM", 2.1)), layout="wide")
    assert wide.index[:3].tolist() == [
        *(("IJCNN", "Linear SVM"), ("IJCNN", "Non-linear SVM"), ("IJCNN", "H-LSVM")),
    ]
    assert wide.loc[("IJCNN", "H-LSVM"), "error_pct"] == "2.36 | 2.10  better"
    assert len(wide) == len(published("Thesis.Tab5.4"))
    assert list(compare("SRS.Tab1", layout="wide").index) == ["20", "200", "2000", "20000"]
    assert keys_of("SRS.Tab1") == ["n_instances"]


def lines(id, *rows, **frame):
    return compare(id, pd.DataFrame(rows)).query("ours != ''")


def test_a_part_of_the_rows_and_an_extrapolated_one_have_no_verdict(repository):
    common = {"mode": "1A1", "dataset": "Poker"}
    result = lines(
        "DTSVM.Tab3",
        {**common, "method": "DTSVM", "tnsv": 20_000, "rows": 16_674},
        {**common, "method": "LIBSVM", "tnsv": 5_634, "rows": 4_000},
        {
            **common,
            "method": "LIBSVM",
            "mode": "1AO",
            "tnsv": 5,
            "rows": 16_674,
            "extrapolated": True,
        },
    )
    assert result.verdict.tolist() == ["better", "not comparable", "not comparable"]
    assert result.why.tolist()[1] == "4,000 of 16,674 rows"
    assert "extrapolated" in result.why.tolist()[2]


def test_other_methods_are_context(repository):
    result = lines(
        "Thesis.Tab5.4",
        {"dataset": "IJCNN", "method": "LIBLINEAR", "error_pct": 5.0},
        {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 1.0},
    )
    assert result.verdict.tolist() == ["differs", "better"]


def test_the_row_of_the_source_stands_beside_print_where_a_record_has_several(repository):
    both = [
        {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 9.0},
        {"dataset": "IJCNN", "method": "H-LSVM, settings of Table 5.3", "error_pct": 2.36},
    ]
    assert lines("Thesis.Tab5.4", *both).ours.tolist() == ["2.36"]
    assert lines("Thesis.Tab5.4", both[0]).ours.tolist() == ["9.00"]


def test_a_test_part_has_its_own_noise(repository):
    row = {"dataset": "sonar", "svm_accuracy_pct": 76.0, "tree_accuracy_pct": 76.0}
    theirs = float(published("MetricTree.Tab1").set_index("dataset").tree_accuracy_pct["sonar"])
    near, far = ({**row, "tree_accuracy_pct": theirs - gap} for gap in (6, 12))
    verdicts = [lines("MetricTree.Tab1", r).set_index("quantity").verdict for r in (near, far)]
    assert [v["tree_accuracy_pct"] for v in verdicts] == ["same", "worse"]


def test_a_recorded_spread_counts(repository):
    row = {"dataset": "Covtype", "method": "H-LSVM", "error_pct": 11.9, "error_sd": 1.0}
    assert lines("Thesis.Tab5.4", row).verdict.tolist() == ["same"]
    assert lines("Thesis.Tab5.4", {**row, "error_sd": 0.1}).verdict.tolist() == ["worse"]


def test_an_extrapolated_rival_holds_a_speed_up_back(repository):
    save_table(
        pd.DataFrame({"id": ["DTSVM.text001"], "value": [25.0]}),
        "DTSVM.Text",
        scale="paper",
        out_dir="record",
    )
    assert compare("DTSVM.Text").verdict[0] == "better"
    row = {"mode": "1A1", "method": "LIBSVM", "dataset": "PHW", "tnsv": 1.0, "extrapolated": True}
    save_table(pd.DataFrame([row]), "DTSVM.Tab3", scale="paper", out_dir="record")
    assert compare("DTSVM.Text").verdict[0] == "not comparable"


def test_an_unknown_column_is_an_error(repository):
    path = repository / "data" / "published" / "srs_table1_2cc_training_time.csv"
    path.write_text(path.read_text().replace("libsvm_train_s", "libsvm_seconds"))
    with pytest.raises(ValueError, match="does not say what"):
        compare("SRS.Tab1")


def test_what_is_not_printed_is_not_compared():
    assert "mu" not in set(compare("SRS.Tab7")["quantity"])
    assert not {"C_value", "gamma_value"} & set(compare("SRS.Tab3")["quantity"])
    for name in ("DTSVM.text011", "DTSVM.text024", "Thesis.text032"):  # typed, not measured
        file = f"{name.split('.')[0].lower()}_text_numbers.csv"
        assert columns_of(file)[name].kind == "stated"
