"""What a sweep loses when it is killed in the middle, again and again."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pandas as pd

QUESTION = (
    "How many results of `hlsvm sweep` are lost, changed or made twice by kill -9 at random "
    "moments (HLSVM_BENCH_KILLS, 100 by default; two runs a kill)?"
)
KILLS = int(os.environ.get("HLSVM_BENCH_KILLS", "100"))
LONGEST = 2.0  # of the random waits before a kill, in times to the first record

CELLS = (
    "seed: int = 0\nlog: str = ''",
    "with open(log, 'a') as file:\n    file.write(f'{seed}\\n')",
    "from hlsvm.reproduce import sweep\nsweep.result({'square': seed**2})",
)


def _prepare(folder: Path) -> list[str]:
    code = [nbformat.v4.new_code_cell(source) for source in CELLS]
    code[0].metadata["tags"] = ["parameters"]
    notebook = nbformat.v4.new_notebook(cells=code)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    nbformat.write(notebook, folder / "run.ipynb")
    log = folder / "log.txt"
    log.touch()
    (folder / "grid.yml").write_text(f"seed: {list(range(2 * KILLS))}\nlog: ['{log}']\n")
    command = [sys.executable, "-m", "hlsvm", "sweep", "run.ipynb", "grid.yml"]
    return [*command, "--out", str(folder / "out"), "--n-jobs", "2"]


def _records(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "out" / "runs").glob("*.json")}


def _started(folder: Path) -> list[str]:
    return (folder / "log.txt").read_text().split()


def _start(command: list[str], folder: Path) -> subprocess.Popen:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, cwd=folder, start_new_session=True, **quiet)


def _first_record(command: list[str], folder: Path) -> float:
    """Kill the sweep at its first record; return the seconds that took."""
    process, begin = _start(command, folder), time.perf_counter()
    while not _records(folder) and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return time.perf_counter() - begin


def _one_kill(command: list[str], folder: Path, wait: float) -> bool:
    """Start the sweep, wait, kill it; say whether it was still at work."""
    process = _start(command, folder)
    time.sleep(wait)
    at_work = process.poll() is None
    if at_work:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return at_work


def run() -> pd.DataFrame:
    """Kill a sweep at random moments, let it finish, and count what went wrong."""
    chance = random.Random(0)
    found = {"kills": 0, "runs": 2 * KILLS, "records_changed": 0, "recorded_run_again": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = _prepare(folder)
        longest = LONGEST * _first_record(command, folder)
        for _ in range(KILLS):
            kept, before = _records(folder), len(_started(folder))
            found["kills"] += _one_kill(command, folder, chance.uniform(0.1, longest))
            now = _records(folder)
            found["records_changed"] += sum(now.get(name) != text for name, text in kept.items())
            found["recorded_run_again"] += _again(kept, _started(folder)[before:])
        kept, before = _records(folder), len(_started(folder))
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        found["recorded_run_again"] += _again(kept, _started(folder)[before:])
        table = pd.read_csv(folder / "out" / "results.csv")
        good = (table.square == table.seed**2) & (table.status == "ok")
        found["results_lost"] = 2 * KILLS - int(good.sum())
        found["recorded_before_the_last"] = len(kept)
    return pd.DataFrame([found])


def _again(kept: dict[str, bytes], started: list[str]) -> int:
    """Count the runs that were started although their record was there."""
    settled = {str(json.loads(text)["parameters"]["seed"]) for text in kept.values()}
    return sum(seed in settled for seed in started)
