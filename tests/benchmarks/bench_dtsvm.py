"""DTSVM's whole search beside LIBSVM's search over the same 63 pairs."""

import pandas as pd

from hlsvm import datasets
from hlsvm.chapters.dtsvm import contest, problems, rivals

QUESTION = (
    "Search over 63 pairs and training, one against one: how many times LIBSVM's processor time is "
    "DTSVM's? LIBSVM is timed on 500, 1,000, ... random training rows while a search stays under "
    "about a minute; 'seconds' on all rows follows from the power law with the exponent beside it, "
    "unless 'measured' is true. 'accuracy' is that of the test part, LIBSVM's with the pair its "
    "search found, on 'rows' training rows"
)
BUDGET = 60.0  # processor seconds of the largest search of LIBSVM, about
FIT = 60.0  # of the training of its pair, about
SETS = ("PHW", "Letter", "Shuttle", "Poker", "CI", "KDD-10%")


def compare(problem):
    """Rows of one set."""
    parts = problems.six_parts(problem.load(), 0)
    ours = contest.dtsvm(parts, "1A1", sigma=problem.ceiling_size)
    theirs = rivals.searched("LIBSVM", parts, "1A1", start=500, budget=BUDGET, fit_budget=FIT)
    rows = [
        {
            "data": problem.name,
            "method": method,
            "rows": found["rows"],
            "seconds": found["train_s"],
            "times": theirs["train_s"] / found["train_s"],
            "measured": not found.get("extrapolated", False),
            "exponent": found.get("exponent"),
            "accuracy": found["accuracy_pct"],
        }
        for method, found in (("LIBSVM", theirs), ("DTSVM", ours))
    ]
    timed = zip(theirs["grown_n"], theirs["grown_s"], strict=True)
    rows += [
        {"data": problem.name, "method": "LIBSVM, subset", "rows": n, "seconds": seconds}
        for n, seconds in timed
    ]
    return rows


def run():
    """Return one row a set and method, and one for every subset that was timed."""
    contest.warm_up()
    known = {problem.name: problem for problem in problems.problems("paper")}
    rows = []
    for name in SETS:
        try:
            rows += compare(known[name])
        except datasets.DataUnavailable:
            rows.append({"data": name, "method": "not run: data"})
    return pd.DataFrame(rows)
