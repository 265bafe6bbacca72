"""Small functions that others lean on: each on one example that can be checked by hand."""

import ast
import math

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.svm import LinearSVC

from hlsvm._markdown import markdown_table, place
from hlsvm.chapters.dtsvm.rivals import extrapolate
from hlsvm.chapters.evidence import holm, resampled_t
from hlsvm.chapters.hlsvm import prices
from hlsvm.chapters.hlsvm.stumps import HistogramStump
from hlsvm.chapters.qpfs.drawings import looks
from hlsvm.reproduce._meaning import import_targets
from hlsvm.reproduce.claim_verdicts import each, names, span
from hlsvm.reproduce.diagrams import draw_boxes
from hlsvm.reproduce.provenance import scrub
from hlsvm.reproduce.published_numbers import columns_of, key_value, parse_number
from hlsvm.reproduce.records import read_drawn
from hlsvm.reproduce.style import small_png, styled
from hlsvm.reproduce.verdict import Verdict, explain, judge, missing_files, round_like


def test_values_in_sentences():
    assert (span([2.0, 0.5]), span([1.0])) == ("0.5 to 2", "1")
    assert each({"IJCNN": 7.81, "a, sample": 2.0}) == "IJCNN 7.8, a (sample) 2"
    assert each({("Letter", "1A1"): 0.5}, "{:.2f}") == "Letter 1A1 0.50"
    assert (names(["a", "b"]), names([])) == ("a, b", "none")


def test_significance():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.2}) == ["a"]
    mean, error, p = resampled_t([2.0, 1.0, 3.0, 2.0], 0.25)
    assert (round(mean, 1), round(error, 2), round(p, 3)) == (2.0, 0.62, 0.025)
    assert extrapolate([100, 200, 400], [1.0, 4.0, 16.0], 800) == (64.0, 2.0)


def test_prices_of_a_decision():
    X = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]])
    assert prices.operations(LinearSVC().fit(X, [0, 1]), X) == 3.0
    best = prices.front([3.0, 2.0, 2.5, 1.0], [1.0, 5.0, 6.0, 9.0])
    assert best.tolist() == [True, True, False, True]
    assert prices.threshold(np.array([0.1, 0.9, 0.9, 0.4]), 0.5) == 0.9
    codes = np.array([[0], [1], [5], [6]], dtype=np.uint8)
    assert HistogramStump().fit(codes, [-1, -1, 1, 1]).predict(codes).tolist() == [-1, -1, 1, 1]


def test_numbers_as_printed():
    assert (parse_number("1.22e-7"), parse_number("1/11")) == (1.22e-07, 1 / 11)
    assert math.isnan(parse_number("~ n"))
    written = round_like("2.36", 2.34123), round_like("2.0e-3", 0.00184), round_like("3154", 3201.0)
    assert written == ("2.34", "1.84e-3", "3201")
    assert key_value("method", "LIBSVM (nonlinear SVM)") == key_value("method", "RBF SVM")
    assert (key_value("nystrom_p", "0.50"), key_value("dataset", "IJCNN")) == ("0.5", "ijcnn1")


def test_verdicts_and_their_reasons():
    error = columns_of("thesis_table5_4_error_and_cost.csv")["error_pct"]
    assert judge("2.36", "2.10", error).verdict == "better"
    assert judge("11.39", "11.60", error, 0.30).verdict == "same"
    assert missing_files("Vehicle") == "combined_scale.bz2, combined_scale.t.bz2"
    assert (missing_files("GCM"), missing_files("RAT")) == ("`hlsvm data fetch gcm`", "")
    late = Verdict("not run", "hours")
    why = explain("DTSVM.Tab3", "Poker, LASVM", "1A1_total_svs", "Poker", late).why
    assert why == "hours: `hlsvm run 09_dtsvm --scale paper`"


def test_text_of_pages_and_records():
    assert markdown_table(pd.DataFrame({"a": ["x|y"]})) == "| a |\n|---|\n| x\\|y |"
    assert place("Thesis.Fig5.5: H-LSVM on banana") == "thesisfig55-h-lsvm-on-banana"
    text = "read /home/me/data/ijcnn1.npz from https://a.org/b/c"
    assert scrub(text) == "read ijcnn1.npz from https://a.org/b/c"
    assert read_drawn("part,x,y\na,1,\nb,,2\n")["b"].to_dict("list") == {"y": [2]}
    statement = ast.parse("from numpy.linalg import norm as n").body[0]
    assert import_targets(statement) == {"n": ("from", "numpy.linalg", "norm")}


def test_looks(monkeypatch):
    boxes = {"data": (0, 0, "data", "data"), "fit": (1, 0, "fit")}
    axes = plt.figure().subplots()
    draw_boxes(axes, boxes, [("data", "fit")])
    assert [text.get_text() for text in axes.texts] == ["data", "fit", ""]
    shades = looks(["QPFS", "QPFS alpha = 0.3", "QPFS alpha = 0.5"])
    assert shades["QPFS"]["color"] == "#0072B2"
    with styled():
        assert mpl.rcParams["savefig.dpi"] == pytest.approx(204)
        picture, shown = small_png(plt.figure(figsize=(6.4, 4.0)))
    assert picture.startswith(b"\x89PNG")
    assert shown == {"width": 653, "height": 408}
    monkeypatch.setenv("HLSVM_PICTURES", "sketch")  # of runs that compare all but pictures
    sketch, shown = small_png(plt.gcf())
    assert sketch.startswith(b"\x89PNG")
    assert not shown
    plt.close("all")
