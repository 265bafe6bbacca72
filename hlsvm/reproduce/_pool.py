"""Processes that execute notebooks: each of `n_jobs` threads owns one, and replaces it if it dies.

Nothing heavy is imported here: papermill lives in the processes (`hlsvm.reproduce._worker`).
"""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hlsvm._files import write_whole
from hlsvm.reproduce.notebook import Notebook, NotebookError

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Vector arithmetic that OpenBLAS and NumPy take, read when they are imported: that of AVX2, the
# newest that all x86-64 processors of the last ten years have. The Makefile sets the same.
PINS = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
_NEEDED = ("papermill", "ipykernel", "yaml")
_END_SECONDS = 5
_TAIL_LINES = 20

Event = dict[str, Any]


def print_line(line: str) -> None:
    """Print a line above the progress bars, at once."""
    from tqdm import tqdm

    tqdm.write(line, file=sys.stdout)
    sys.stdout.flush()


def has_avx2() -> bool:
    """Whether this is Linux on an x86-64 processor that `PINS` suit."""
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and "avx2" in cpuinfo.read_text(encoding="utf-8")


def check_installed() -> None:
    """Raise NotebookError where what executes notebooks is not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise NotebookError(
            f"hlsvm is installed without what executes notebooks ({', '.join(missing)}): "
            "pip install 'hlsvm[notebooks]'."
        )


def quiet_environment() -> dict[str, str]:
    """Variables of a process that executes notebooks; what is set already stays.

    One OMP/BLAS thread, because notebooks side by side would fight over the cores, and the same
    vector arithmetic on every processor, because the last bits of a BLAS product depend on it.
    """
    fixed = dict.fromkeys(_THREADS, "1") | (PINS if has_avx2() else {})
    return fixed | os.environ | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}


class Worker:
    """A process that executes one notebook after another, started when first needed.

    It runs in a session of its own, so Ctrl-C reaches it only through `close`; it ends with its
    kernel as soon as the process that started it is gone, however that came about.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self._listener: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    def _start(self) -> subprocess.Popen[str] | None:
        with self._lock:
            if self._closed:
                return None
            if self._process is None:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", str(Path(__file__).with_name("_worker.py"))],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                    env=quiet_environment(),
                    errors="replace",
                    start_new_session=True,
                )
                # Read on, or a chatty kernel would fill the pipe and stand still.
                self._tail = deque(maxlen=_TAIL_LINES)
                self._listener = threading.Thread(
                    target=self._tail.extend, args=(self._process.stderr,), daemon=True
                )
                self._listener.start()
            return self._process

    def run(
        self,
        notebook: Notebook,
        folder: Path,
        tell: Callable[[Event], None] = lambda event: None,
        *,
        parameters: Mapping[str, Any],
        environment: Mapping[str, str],
        timeout: int | None = None,
    ) -> Event:
        """Execute a notebook as it was read, handing events to `tell`; return how it ended.

        It runs in its own folder, if that exists on this machine; `folder` holds it meanwhile.
        Papermill injects the parameters; the environment is that of the kernel; a cell may take
        `timeout` seconds. Returned are ``status`` ("ok", "failed" or "stopped"), ``seconds``,
        ``executed`` (the bytes of the executed notebook, up to a failure), and for a failure
        ``cell`` (number among the notebook's code cells, from 1), ``line``, ``exception``,
        ``message``.
        """
        source, output = folder / notebook.path.name, folder / "executed.ipynb"
        write_whole(source, notebook.content)
        output.unlink(missing_ok=True)
        home = notebook.path.resolve().parent
        job = {
            "notebook": str(source),
            "output": str(output),
            "cwd": str(home if home.is_dir() else folder),
            "parameters": parameters,
            "environment": environment,
            "timeout": timeout,
        }
        outcome = self._follow(json.dumps(job), tell)
        return {**outcome, "executed": output.read_bytes() if output.exists() else b""}

    def _follow(self, job: str, tell: Callable[[Event], None]) -> Event:
        process = self._start()
        if process is None:
            return {"status": "stopped", "seconds": 0.0}
        cell = 0
        with contextlib.suppress(BrokenPipeError, ValueError, OSError):
            process.stdin.write(job + "\n")
            process.stdin.flush()
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "end":
                    return {key: value for key, value in event.items() if key != "event"}
                cell = event["number"]
                tell(event)
        return self._died(cell)

    def _died(self, cell: int) -> Event:
        with self._lock:
            if self._closed:
                return {"status": "stopped", "seconds": 0.0}
            code = self._process.wait()
            self._process = None
            self._listener.join(1)
            words = "".join(self._tail).strip()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        message = f"the process that executed the notebook {how}" + (f": {words}" if words else "")
        return {
            "status": "failed",
            "seconds": 0.0,
            "cell": cell,
            "line": "",
            "exception": "WorkerDied",
            "message": message,
        }

    def close(self) -> None:
        """End the process and its kernel; a job that is running there is stopped."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def describe_failure(name: str, outcome: dict[str, Any]) -> str:
    """Say in one line which notebook failed, in which code cell, and on what."""
    message, *rest = outcome["message"].strip().splitlines() or [""]
    if message.endswith(":"):  # what it announces follows
        message = f"{message} {'; '.join(line.strip().removeprefix('- ') for line in rest)}"
    where = f"code cell {outcome['cell']}" if outcome["cell"] else "before its first cell"
    line = f" (`{outcome['line']}`)" if outcome["line"] else ""
    return f"{name}, {where}{line}: {outcome['exception']}: {message}"


def work_through(
    jobs: Iterable[Any], n_jobs: int, work: Callable[[Worker, Any, Callable[[Event], None]], None]
) -> Iterator[Event]:
    """Call ``work(worker, job, tell)`` for every job in `n_jobs` threads; yield what they tell.

    An exception in `work` ends the whole and is raised here; so does closing the generator or
    Ctrl-C: the processes and their kernels are ended before it is left.
    """
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    jobs = list(jobs)
    for job in jobs:
        waiting.put(job)
    workers = [Worker() for _ in range(min(n_jobs, len(jobs)))]

    def serve(worker: Worker) -> None:
        try:
            while True:
                work(worker, waiting.get_nowait(), events.put)
        except queue.Empty:
            events.put(None)
        except BaseException as error:
            events.put(error)

    threads = [threading.Thread(target=serve, args=(w,), daemon=True) for w in workers]
    for thread in threads:
        thread.start()
    try:
        running = len(threads)
        while running:
            event = events.get()
            if isinstance(event, BaseException):
                raise event
            if event is None:
                running -= 1
            else:
                yield event
    finally:
        with contextlib.suppress(queue.Empty):
            while True:
                waiting.get_nowait()
        for worker in workers:
            worker.close()
        for thread in threads:
            thread.join(_END_SECONDS)
