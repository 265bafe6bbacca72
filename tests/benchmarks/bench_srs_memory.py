"""Memory of the exact answer on the sample of Covertype."""

import json
import subprocess
import sys

import pandas as pd

QUESTION = (
    "How much memory does the exact answer on 74,369 rows of Covertype (C = 4, gamma = 32, h = 80) "
    "take in a process of its own, by the megabytes allowed for kernel rows (asked: a budget of "
    "4 GB held)?"
)
BUDGETS = (1000, 3000)  # megabytes for kernel rows
CHILD = """
import json, sys
from hlsvm.chapters.srs_svm.beside import problem_named
from hlsvm.chapters.srs_svm.scale import fit_once, peak_megabytes
from hlsvm.subclass import SRSSVC
problem, data = problem_named("covertype.binary, sample", 0)
before = peak_megabytes()
options = {"C": problem.C, "gamma": problem.gamma, "random_state": 0, "exact": True}
found = fit_once(
    lambda: SRSSVC(problem.h, cache_size=float(sys.argv[1]), **options),
    data.X_train, data.y_train, data.X_test, data.y_test)
print(json.dumps({**found, "before_mb": before}))
"""


def run():
    """Return one row a budget."""
    rows = []
    for budget in BUDGETS:
        call = [sys.executable, "-c", CHILD, str(budget)]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
        rows.append({"cache_mb": budget, **json.loads(done.stdout.splitlines()[-1])})
    return pd.DataFrame(rows)
