"""What a sweep costs beside executing the same notebooks by hand."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pandas as pd

QUESTION = "What does `hlsvm sweep` cost over executing the same notebook with papermill by hand?"
RUNS = int(os.environ.get("HLSVM_BENCH_RUNS", "10"))  # a turn
TURNS = 2

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


def _by_sweep(notebook: Path, seeds: range) -> None:
    grid = notebook.with_name(f"seeds{seeds[0]}.yml")
    grid.write_text(f"seed: {list(seeds)}\n")
    out = notebook.with_name(f"out{seeds[0]}")
    command = ["hlsvm", "sweep", str(notebook), str(grid), "--out", str(out)]
    subprocess.run([sys.executable, "-m", *command], check=True, capture_output=True)


def _by_loop(notebook: Path, seeds: range) -> None:
    ends = [str(seeds[0]), str(seeds[-1] + 1)]
    command = [sys.executable, "-c", BY_HAND, str(notebook), *ends]
    subprocess.run(command, check=True, capture_output=True)


def _by_command(notebook: Path, seeds: range) -> None:
    for seed in seeds:
        output = notebook.with_name(f"{seed}.cli.ipynb")
        command = [str(notebook), str(output), "-p", "seed", str(seed), "--no-progress-bar"]
        subprocess.run(
            [sys.executable, "-m", "papermill", *command], check=True, capture_output=True
        )


WAYS = {
    "hlsvm sweep": _by_sweep,
    "a loop over papermill.execute_notebook": _by_loop,
    "the papermill command, run by run": _by_command,
}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run() -> pd.DataFrame:
    """Execute the same notebook each way, one run at a time, the ways taking turns."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        notebook = _notebook(Path(folder))
        _by_loop(notebook, range(1))
        for turn in range(TURNS):
            for way, execute in WAYS.items():
                seeds = range(turn * RUNS, (turn + 1) * RUNS)
                begin, used = time.perf_counter(), _cpu()
                execute(notebook, seeds)
                rows.append((way, (time.perf_counter() - begin) / RUNS, (_cpu() - used) / RUNS))
    result = pd.DataFrame(rows, columns=["way", "seconds_per_run", "cpu_seconds_per_run"])
    table = result.groupby("way", sort=False).median().reset_index()
    for name in ("seconds", "cpu_seconds"):
        column = table[f"{name}_per_run"]
        table[f"sweep_{name}_over_this"] = column[0] / column
    return table.assign(runs=RUNS * TURNS)
