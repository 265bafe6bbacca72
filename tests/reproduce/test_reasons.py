"""Every number without one of ours says what is missing, and by which command it is made."""

import re
from fnmatch import fnmatchcase

import pandas as pd
import pytest

from hlsvm.cli import main
from hlsvm.datasets.registry import registry
from hlsvm.reproduce import compare, save_table, scoreboard
from hlsvm.reproduce.repository import entries
from hlsvm.reproduce.verdict import UNEXPLAINED, Verdict, explain, missing_files, reasons


def test_every_number_that_is_not_run_says_what_is_missing(board):
    open_ones = board.query("verdict == 'not run'")
    named = open_ones.why.str.match(r"data \(.+\)$|hours.*: `.+`$|mu = 1 |no such row")
    assert open_ones[~named][["id", "row", "quantity", "why"]].values.tolist() == []


def test_the_commands_named_exist(board):
    commands = {command for why in board.why for command in re.findall(r"`hlsvm ([^`]+)`", why)}
    for command in commands:
        name, *rest = command.split()
        group = main.commands[name]
        if name == "data":
            group, rest = group.commands[rest[0]], rest[1:]
            assert rest[0] in registry()
        group.make_context(name, rest)


def test_every_declared_gap_speaks_of_a_published_number():
    for line in reasons():
        assert line["id"] in entries()
        assert line["verdict"] in ("not run", "not comparable", "different", "worse")
        rows = scoreboard([line["id"]])
        keys = rows["row"].str.split(", ").str[0] if line["id"].count("Text") else rows["row"]
        assert any(fnmatchcase(key, line["row"]) for key in keys), line


@pytest.mark.parametrize(
    ("dataset", "files"),
    [
        ("covertype.binary", "covtype.data.gz"),
        ("LSL-FD", "fd_train.dat.bz2, fd_train.lab.bz2"),
        ("News20", "news20.bz2, news20.t.bz2"),
        ("xor", ""),
        ("PPI", ""),
        ("no such set", ""),
    ],
)
def test_files_of_a_set_as_the_documents_call_it(dataset, files):
    assert missing_files(dataset) == files


def test_a_limit_of_rows_is_part_of_the_command():
    result = Verdict("not run", "hours (74370 rows)")
    said = explain("SRS.Tab4", "covertype.binary, LibSVM", "train_s", "covertype.binary", result)
    assert said.why.endswith("`hlsvm run 08_srs_svm --scale paper -p most_rows 74370`")


def test_a_number_of_ours_is_not_explained_away(repository, commit):
    (repository / "data" / "reasons.csv").write_text(
        "id,row,quantity,verdict,why\n"
        "Thesis.Tab5.4,IJCNN*,error_pct,not comparable,for no good reason\n"
    )
    assert set(compare("Thesis.Tab5.4", quantities="hyp_mean").verdict) == {"not run"}
    row = {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 2.1}
    commit(repository)
    save_table(pd.DataFrame([row]), "Thesis.Tab5.4", scale="paper", out_dir="record")
    result = compare("Thesis.Tab5.4", quantities="error_pct").set_index(["dataset", "method"])
    assert result.verdict["IJCNN", "H-LSVM"] == "better"
    assert result.why["IJCNN", "Linear SVM"] == "for no good reason"
    assert result.why["Shuttle", "Linear SVM"] == "no such row in the record"


def test_a_reason_for_a_worse_number_changes_no_verdict():
    result = explain("DTSVM.Tab7", "PHW", "sigma_opt", "PHW", Verdict("worse", "", 1.0))
    assert (result.verdict, result.why, result.difference) == (
        "worse",
        "another random division",
        1.0,
    )
    plain = explain("DTSVM.Tab14", "PHW, 1A1", "R_dtsvm", "PHW", Verdict("worse"))
    assert plain.why == UNEXPLAINED
