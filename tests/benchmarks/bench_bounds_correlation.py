"""Correlation of T_comp with the gap of test and training error along the delta grid."""

import pandas as pd

from hlsvm import datasets
from hlsvm.chapters.bounds import complexity
from hlsvm.chapters.hlsvm.problems import problem

QUESTION = (
    "How linear is the gap between test and training error in T_comp along the delta grid of HLSVM "
    "5.6 (published: 0.91 on ijcnn1, 0.97 on the faces)? Mean curve of the seeds, 95 % bootstrap "
    "interval over them; with the test part that comes with the data and divided anew at random"
)
PLAN = (
    ("IJCNN", "division that comes with the data", 20),
    ("IJCNN", "random divisions", 20),
    ("CBCL faces", "random divisions", 10),
)


def run():
    """Return one row a data set and protocol."""
    rows = []
    for name, protocol, n_seeds in PLAN:
        entry = problem(name)
        try:
            data = entry.load()
        except datasets.DataUnavailable:
            rows.append({"dataset": name, "protocol": "not run: data", "seed": 0})
            continue
        for seed in range(n_seeds):
            random = protocol.startswith("random")
            part = complexity.redivided(entry, data, seed) if random else data
            rows += [
                {"dataset": name, "protocol": protocol, "seed": seed, **row}
                for row in complexity.walk(entry, part, seed)
            ]
    return complexity.correlation(pd.DataFrame(rows))
