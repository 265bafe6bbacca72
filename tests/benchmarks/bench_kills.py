"""What `run`, `sweep` and `data fetch` lose when they are killed during work, again and again."""

import importlib.util
import os
from pathlib import Path

import pandas as pd

QUESTION = (
    "How much do `hlsvm sweep`, `hlsvm run --resume` and `hlsvm data fetch` lose, do twice or "
    "change when they are killed (kill -9) during work (HLSVM_BENCH_KILLS each, 100 by default)?"
)
KILLS = int(os.environ.get("HLSVM_BENCH_KILLS", "100"))
SETS = [
    *("australian", "diabetes", "heart", "ionosphere", "ijcnn1"),
    *("pendigits", "fourclass", "letter", "a9a", "mushrooms"),
    *(
        "raetsch_banana",
        "raetsch_breast_cancer",
        "raetsch_diabetis",
        "raetsch_german",
        "raetsch_heart",
    ),
    *("raetsch_image", "raetsch_ringnorm", "raetsch_splice", "raetsch_thyroid", "raetsch_titanic"),
]


def run() -> pd.DataFrame:
    """Return a row for each command: kills, lost, doubled, changed."""
    path = Path(__file__).with_name("_kills.py")
    spec = importlib.util.spec_from_file_location("_kills", path)
    kills = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kills)
    cases = {
        "sweep": (kills.sweep_case, KILLS),
        "run": (kills.run_case, KILLS),
        "data fetch": (kills.fetch_case, SETS),
    }
    return pd.DataFrame(
        {"command": name, **kills.in_folder(make, size, kills=KILLS)}
        for name, (make, size) in cases.items()
    )
