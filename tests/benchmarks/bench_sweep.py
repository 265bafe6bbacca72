"""What a sweep costs beside executing the same notebooks by hand."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pandas as pd

QUESTION = "What does `hlsvm sweep` cost over executing the same notebook with papermill by hand?"
RUNS = 5
ROUNDS = 3

CELLS = (
    "seed: int = 0",
    "from sklearn.datasets import load_digits\nfrom sklearn.svm import LinearSVC",
    "X, y = load_digits(return_X_y=True)\n"
    "score = LinearSVC(random_state=seed).fit(X, y).score(X, y)",
    "from hlsvm.reproduce import sweep\nsweep.result({'score': score})",
)
BY_HAND = """
import sys
from papermill import execute_notebook
for seed in range(*map(int, sys.argv[2:])):
    execute_notebook(sys.argv[1], f"{sys.argv[1]}.{seed}.out.ipynb", {"seed": seed},
                     progress_bar=False)
"""


def _notebook(folder: Path) -> Path:
    code = [nbformat.v4.new_code_cell(source) for source in CELLS]
    code[0].metadata["tags"] = ["parameters"]
    notebook = nbformat.v4.new_notebook(cells=code)
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(notebook, folder / "run.ipynb")
    return folder / "run.ipynb"


def _seconds(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return (time.perf_counter() - begin) / RUNS


def _by_sweep(notebook: Path, first: int) -> float:
    grid = notebook.with_name(f"seeds{first}.yml")
    grid.write_text(f"seed: {list(range(first, first + RUNS))}\n")
    out = notebook.with_name(f"out{first}")
    command = ["hlsvm", "sweep", str(notebook), str(grid), "--out", str(out)]
    return _seconds([sys.executable, "-m", *command])


def _by_loop(notebook: Path, first: int) -> float:
    last = str(first + RUNS)
    return _seconds([sys.executable, "-c", BY_HAND, str(notebook), str(first), last])


def _by_command(notebook: Path, first: int) -> float:
    begin = time.perf_counter()
    for seed in range(first, first + RUNS):
        output = notebook.with_name(f"{seed}.cli.ipynb")
        command = [str(notebook), str(output), "-p", "seed", str(seed), "--no-progress-bar"]
        subprocess.run(
            [sys.executable, "-m", "papermill", *command], check=True, capture_output=True
        )
    return (time.perf_counter() - begin) / RUNS


def run() -> pd.DataFrame:
    """Execute the same notebook each way, one at a time, the ways taking turns."""
    ways = {
        "hlsvm sweep": _by_sweep,
        "a loop over papermill.execute_notebook": _by_loop,
        "the papermill command, run by run": _by_command,
    }
    with tempfile.TemporaryDirectory() as folder:
        notebook = _notebook(Path(folder))
        _by_loop(notebook, 0)
        times = {way: [] for way in ways}
        for number in range(ROUNDS):
            for way, execute in ways.items():
                times[way].append(execute(notebook, number * RUNS))
    medians = {way: statistics.median(values) for way, values in times.items()}
    return pd.DataFrame(
        {
            "way": way,
            "seconds_per_run": seconds,
            "sweep_over_this": medians["hlsvm sweep"] / seconds,
            "runs": RUNS * ROUNDS,
        }
        for way, seconds in medians.items()
    )
