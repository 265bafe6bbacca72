"""Claims: every statement of the documents has a verdict that the records decide."""

import re
from itertools import pairwise

import pandas as pd
import pytest

from hlsvm.reproduce import claims, recorded
from hlsvm.reproduce.claim_verdicts import (
    ANSWERS,
    TOPICS,
    decide_all,
    fill_in,
    has_threshold,
    rule,
    statements,
)
from hlsvm.reproduce.repository import entries, repository_root

STATEMENTS = statements()


def test_all_claims_are_taken_over():
    assert len(STATEMENTS) == 172
    assert (STATEMENTS.headline == "yes").sum() == 44
    assert STATEMENTS.index.is_unique
    assert STATEMENTS.claim.ne("").all()
    assert {name.partition(".")[0] for name in STATEMENTS.index} == set(TOPICS)
    for name in {name for cell in STATEMENTS.tables for name in cell.split(";") if name}:
        assert name in ("texts", "computed") or name in entries()


@pytest.mark.parametrize("id", STATEMENTS.index)
def test_the_verdict_is_that_of_the_records(id):
    ((verdict, because),) = decide_all(statements().loc[[id]])
    assert "lacks what decides" not in because
    assert verdict in ANSWERS
    assert because
    assert not re.search(r"\bnan\b", because)
    assert verdict == STATEMENTS.verdict[id], (
        f"{id} now {verdict}: {because} (hlsvm report --write)"
    )


def test_what_decides_a_claim_is_registered_and_says_what_is_changed_or_missing():
    decided = STATEMENTS.index[STATEMENTS.tables != ""]
    assert set(decided) == {id for id in STATEMENTS.index if rule(id)}
    starts = {id.lower().replace(".", "_") for id in decided}
    for path in (repository_root() / "hlsvm/chapters").glob("*/*claims.py"):
        rules = re.findall(r"^def ([a-z]+_\d+)_", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert rules
        assert starts >= set(rules)
        starts -= set(rules)  # two rules of one claim would be one too many
    assert not starts
    undecided = STATEMENTS[STATEMENTS.tables == ""]
    assert undecided.missing.ne("").all()
    assert undecided.verdict.eq(ANSWERS[3]).all()


def test_a_changed_record_changes_the_verdict():
    table = recorded("MetricTree.Tab1")
    speed = rule("METRIC.02")
    assert speed(table)[:2] == (False, True)
    assert speed(table.assign(speed_gain_factor=table.speed_gain_factor * 4))[0]
    assert not any(speed(table.assign(speed_gain_factor=table.speed_gain_factor / 10))[:2])
    fewer = table.assign(tree_accuracy_pct=table.tree_accuracy_pct - 5)
    assert not any(rule("METRIC.01")(fewer)[:2])


def test_claims_are_asked_for_by_chapter_id_and_document():
    assert claims("hlsvm").equals(claims("HLSVM").loc[claims("hlsvm").index])
    one = claims("SRS.02")
    assert list(one.columns) == ["claim", "place", "verdict", "because"]
    assert len(one) == 1
    assert claims("DTSVM", headline=True).index.str.startswith("DTSVM").all()
    assert len(claims(headline=True)) == 44
    assert not any(re.search(r"\(l[.] ", place) for place in claims().place)
    with pytest.raises(ValueError, match="topic must be a chapter"):
        claims("chapter5")


def test_recorded_gives_numbers_as_numbers():
    table = recorded("Thesis.Tab5.4")
    assert pd.api.types.is_float_dtype(table.error_pct)
    assert table.status.eq("").any()
    assert recorded("HLSVM.Tab4").equals(table)
    assert set(recorded("Thesis.Fig5.7")) >= {"seed", "gap"}
    with pytest.raises(LookupError, match="nothing is recorded for"):
        recorded("Thesis.Fig1.2")


def test_a_stricter_rule_gives_no_better_verdict_and_none_is_as_written():
    rows = STATEMENTS[STATEMENTS.verdict != ANSWERS[3]]
    rows = rows[[has_threshold(id) for id in rows.index]]
    verdicts = [[verdict for verdict, _ in decide_all(rows, by)] for by in (0.5, 1, 2, 1e6)]
    ranks = [[ANSWERS.index(verdict) for verdict in column] for column in verdicts]
    assert verdicts[1] == rows.verdict.tolist()
    for lenient, strict in pairwise(ranks):
        assert all(a <= b for a, b in zip(lenient, strict, strict=True))
    assert sum(a < b for a, b in zip(ranks[0], ranks[3], strict=True)) > len(rows) / 2


def test_a_rule_that_finds_no_row_is_an_error():
    with pytest.raises(ValueError, match="found no rows"):
        fill_in("RE: {}.", pd.Series(dtype=float))
