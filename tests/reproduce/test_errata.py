"""The evidence of the errata: right where a source is right, and able to fail."""

import numpy as np
import pytest

from hlsvm.chapters.errata import background, descent, fisher, printed, programs


@pytest.mark.parametrize("counts", [(30, 10), (12, 12), (5, 25)])
def test_the_two_forms_differ_by_rank_one(counts):
    K, y = fisher.instance(*counts, seed=3)
    result = fisher.rank_one(K, y)
    assert result.iloc[0] < 1e-12
    assert result["cosine"] == pytest.approx(1.0, abs=1e-12)
    assert result["factor seen"] == pytest.approx(result.iloc[3], rel=1e-9)
    W, Q, _, d, c = fisher.parts(K, y)
    assert np.abs(Q - W - 1.01 * c * np.outer(d, d)).max() > 1e-6


def test_the_printed_offset_is_wrong_only_when_classes_are_unbalanced():
    uneven, even = (fisher.offset(*fisher.instance(*n)) for n in ((30, 10), (20, 20)))
    assert abs(uneven["b of Eq. 4.18"]) > 100
    assert abs(uneven["b with both terms over N"]) < 1e-9
    assert abs(even["b of Eq. 4.18"]) < 1e-9


def test_the_constrained_problem_is_longer_by_one_over_t():
    K, y = fisher.instance(seed=5)
    table = fisher.constraints(K, y, mu=0.3)
    assert table["d'a"].tolist() == pytest.approx([2.0, table["d'a"][1]])
    assert table.length[0] == pytest.approx(table.predicted[0])
    assert table.G[1] < table.G[0]
    assert fisher.regulariser(K, y)["mu / 2, as printed"] < 0.999


def test_averaging_twice_loses_a_factor_n():
    table = descent.scales(100, seed=1).set_index("objective")
    length = table["length of w"]
    assert length["sum of weighted losses, lambda = 1/N"] == pytest.approx(length.iloc[0])
    assert length["as written, lambda = 1/N^2"] == pytest.approx(length.iloc[0])
    assert length["as written, lambda = 1/N"] < 0.6 * length.iloc[0]


def test_the_bias_drifts_without_its_place_in_the_test():
    table = descent.bias_drift((100, 3000)).set_index(["hinge test", "step"])
    drift = table.b.unstack("step")
    printed_form = drift.loc["y(w.x) < 1, as printed"]
    right_form = drift.loc["y(w.x + b) < 1"]
    assert printed_form[3000] < printed_form[100] - 4
    assert abs(right_form[3000] - right_form[100]) < 1
    assert table.accuracy_pct["y(w.x + b) < 1", 3000] > 80


def test_trees_norms_and_grids():
    assert descent.short_step(1e-3)[1] > 0.05
    norms = descent.norm_bounds()
    assert norms.iloc[0] > norms.iloc[1]
    assert norms.iloc[0] == pytest.approx(norms.iloc[2], rel=1e-3)
    costs = descent.balanced_tree((1024,)).iloc[0]
    assert costs.iloc[1] < 6 < costs["levels of N samples each"] == 1024 * 11
    assert descent.trees_with(5) == (42, 42)
    assert descent.effective_leaves()["L_eff"].round(2).tolist() == [1.0, 2.92, 4.0]
    assert (descent.grid_members().i % 1 != 0).all()


def test_the_program_in_the_span_is_not_below_the_full_one():
    table, bounded = programs.truncated(trials=5, seed=2)
    assert bounded
    assert table["above the full program"].tolist()[:2] == [0, 0]
    assert table["above the full program"].iloc[2] > 0


def test_similarities_are_indefinite():
    assert programs.similarities().max() < -0.3
    assert np.allclose(programs.bit_matrix()[3], [1, 1, 1, 2])
    assert (programs.bit_matrix()[0] == [1, 0, 0, 1]).all()
    table = programs.alphas()
    assert np.allclose(table.printed, table.gradients, atol=0.0011)


def test_labellings_of_trees_against_the_lemma():
    counted = background.count_tree_labellings(6, (1, 2, 3), seed=1)
    assert counted.labellings.tolist()[0] == 2
    assert counted.labellings.is_monotonic_increasing
    assert counted.labellings.max() <= 2**6
    assert (counted.labellings <= counted["as proved"]).all()
    assert (counted.labellings > counted["as printed"])[1:].all()


def test_the_metric_tree_and_the_levels():
    checked = background.taylor_form(seed=4)
    assert checked.iloc[0] < 1e-7
    assert checked.iloc[1:4].tolist() == pytest.approx([1, 0, -1])
    assert checked.iloc[4] > 0.01
    levels = background.level_sizes()["subproblems per level"]
    assert levels["mu = 1"].endswith("...")
    assert levels["mu = 5"] == "25, 5, 1"


def test_printed_tables_contradict_each_other():
    assert printed.exchanged_p_values().n_features.astype(int).tolist() == [100, 200]
    assert printed.two_tables()["Table 3.5"].tolist() == [33.64, 9.38, 38.5, 35.23]
    errors = printed.tree_errors()
    assert (errors["Table 5.6"] != errors["Table 5.4"]).sum() == 3
    assert printed.usps_cost()["origin 1"].tolist() == pytest.approx([0.03, 0.04], abs=0.002)
    terms = printed.bound_terms()
    assert np.allclose(terms["T1 / R"], terms["log2 n"], rtol=0.01)
    assert not np.allclose(terms["T1 / R"], terms["(ln n)^2"], rtol=0.5)
    recall = printed.implied_recall()
    assert (abs(recall.printed - recall.implied) > 0.01).sum() == 2
    assert printed.relative_time().eval("abs(printed - computed) > 1e-5").sum() == 1
    assert printed.rates()["5/11 is samples"].tolist()[1] == 5000
    assert printed.stages().loc["cifar-10.binary", "sum of Table 5"] == pytest.approx(39760.8)
    assert printed.candidate_precision().min() < 20
    assert printed.banana().loc["accuracy"].nunique() == 2
    assert printed.covtype_relative_error()["RE, Covtype"] == pytest.approx(2.41, abs=0.01)
    assert printed.few_features()["H-LSVM"].iloc[0] > 10
