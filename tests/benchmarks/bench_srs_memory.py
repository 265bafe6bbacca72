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
import json, resource, sys, time
from hlsvm import SRSSVC, datasets

def peak():
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

part = datasets.load("covtype_sample_binary").split(0.2, 0, True)
before, start = peak(), time.process_time()
model = SRSSVC(80, C=4.0, gamma=32.0, exact=True, random_state=0, cache_size=float(sys.argv[1]))
model.fit(part.X_train, part.y_train)
spent = time.process_time() - start
right = 100 * model.score(part.X_test, part.y_test)
print(json.dumps({"cpu_s": spent, "accuracy_pct": right, "before_mb": before, "peak_mb": peak()}))
"""


def run():
    """Return one row a budget."""
    rows = []
    for budget in BUDGETS:
        call = [sys.executable, "-c", CHILD, str(budget)]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
        rows.append({"cache_mb": budget, **json.loads(done.stdout.splitlines()[-1])})
    return pd.DataFrame(rows)
