"""A warm process that executes notebooks with papermill, one at a time.

It is started by path (``python -P``) and imports nothing of the package, so it is ready as soon as
papermill is. Jobs come in on standard input as one JSON object a line; events go out on
standard output the same way. When standard input closes, because the parent is done or because it
was killed, the kernel is killed and the process ends: nothing is left running.
"""

import contextlib
import json
import logging
import os
import queue
import shutil
import signal
import sys
import tempfile
import threading
import time

from jupyter_client import AsyncKernelManager
from papermill.engines import NBClientEngine, papermill_engines
from papermill.exceptions import PapermillException, PapermillExecutionError
from papermill.execute import execute_notebook

START_ATTEMPTS = 3
SOCKET_PATH_LIMIT = 60  # a Unix socket's path has at most 107 bytes, of which we add up to 40


class _Workplace:
    """The folder for this process's sockets, and the kernel that runs now."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="hlsvm-")
        self.manager = None
        self.started = 0

    def connection(self):
        """Sockets in a folder of our own: kernels cannot race for TCP ports (papermill #511)."""
        self.started += 1
        unix = os.name == "posix" and len(self.folder) <= SOCKET_PATH_LIMIT
        return {
            "transport": "ipc" if unix else "tcp",
            "connection_file": os.path.join(self.folder, f"kernel-{self.started}.json"),
        }

    def leave(self):
        """Kill the kernel with all it started, and end this process."""
        process = getattr(getattr(self.manager, "provisioner", None), "process", None)
        if process is not None and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                if os.name == "posix":
                    os.killpg(os.getpgid(process.pid), signal.SIGKILL)
                else:
                    process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
        os._exit(0)


WORKPLACE = _Workplace()


class _Manager(AsyncKernelManager):
    """A kernel manager that the process knows of, with sockets of its own."""

    def __init__(self, **kwargs):
        super().__init__(**WORKPLACE.connection(), **kwargs)
        WORKPLACE.manager = self


class _Engine(NBClientEngine):
    """Papermill's engine, telling which of the notebook's own code cells starts and ends."""

    tell = staticmethod(lambda event: None)

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, **kwargs):
        start, complete = nb_man.cell_start, nb_man.cell_complete
        number = 0

        def is_counted(cell):
            tags = cell.metadata.get("tags", ())
            return cell.cell_type == "code" and "injected-parameters" not in tags

        def cell_start(cell, index=None, **more):
            nonlocal number
            if is_counted(cell):
                number += 1
                cls.tell({"event": "cell", "number": number, "source": cell.source})
            start(cell, index, **more)

        def cell_complete(cell, **more):
            complete(cell, **more)
            if is_counted(cell):
                cls.tell({"event": "cell done", "number": number})

        nb_man.cell_start, nb_man.cell_complete = cell_start, cell_complete
        return super().execute_managed_notebook(nb_man, kernel_name, **kwargs)


papermill_engines.register("hlsvm", _Engine)


def _first_line(source):
    lines = [line.strip() for line in source.splitlines()]
    code = [line for line in lines if line and not line.startswith(("#", "%"))]
    return (code or lines or [""])[0]


def _execute(job, tell):
    """Execute one notebook; a kernel that does not come up is started again."""
    cell = {"number": 0, "source": ""}

    def follow(event):
        cell.update(event)
        tell({"event": event["event"], "number": event["number"]})

    _Engine.tell = staticmethod(follow)
    for attempt in range(1, START_ATTEMPTS + 1):
        try:
            execute_notebook(
                job["notebook"],
                job["output"],
                parameters=job["parameters"],
                engine_name="hlsvm",
                kernel_name="python3",
                language="python",
                progress_bar=False,
                cwd=job["cwd"],
                start_timeout=120,
                execution_timeout=job["timeout"],
                kernel_manager_class=_Manager,
                iopub_timeout=60,
                coalesce_streams=True,
                store_widget_state=False,
            )
            return {"status": "ok"}
        except PapermillExecutionError as error:
            return _failure(cell, error.ename, error.evalue)
        except Exception as error:
            started = cell["number"] or isinstance(error, PapermillException)
            if started or attempt == START_ATTEMPTS:
                return _failure(cell, type(error).__name__, str(error))
            time.sleep(attempt)


def _failure(cell, exception, message):
    return {
        "status": "failed",
        "cell": cell["number"],
        "line": _first_line(cell["source"]),
        "exception": exception,
        "message": message,
    }


def _listen(jobs):
    for line in sys.stdin:
        jobs.put(json.loads(line))
    WORKPLACE.leave()


def main():
    """Take jobs until standard input closes."""
    logging.getLogger("papermill").setLevel(logging.ERROR)
    # The kernel inherits standard output: keep ours to ourselves and give it standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(event):
        answers.write(json.dumps(event) + "\n")
        answers.flush()

    jobs = queue.Queue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    while True:
        job = jobs.get()
        os.environ.update(job["environment"])
        begin = time.perf_counter()
        outcome = _execute(job, tell)
        tell({"event": "end", **outcome, "seconds": time.perf_counter() - begin})


if __name__ == "__main__":
    main()
