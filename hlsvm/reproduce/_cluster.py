"""Runs of a sweep on a Dask cluster: one task a run, its record written where the sweep stands."""

import contextlib
import logging
import tempfile
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hlsvm._files import claim
from hlsvm.reproduce._pool import Event, Worker
from hlsvm.reproduce._runs import Run, execute, finish, origin
from hlsvm.reproduce.notebook import Notebook, NotebookError

_CONNECT_SECONDS = 15
_POLL_SECONDS = 0.5
_MOST_AT_ONCE = 400  # each holds an open claim


class ClusterError(NotebookError):
    """The cluster cannot be reached or cannot execute notebooks; finished runs are kept."""


_KEPT = threading.local()  # a process for the next run on this thread of a Dask worker


@contextlib.contextmanager
def _worker() -> Iterator[Worker]:
    """Give the process of this thread; one that was interrupted is ended and replaced."""
    worker = vars(_KEPT).pop("worker", None) or Worker()
    try:
        yield worker
    except BaseException:
        worker.close()
        raise
    _KEPT.worker = worker


def execute_remotely(path: str, content: bytes, parameters: dict[str, Any]) -> Event:
    """Execute a notebook on the Dask worker this is called on; return all that came of it."""
    with tempfile.TemporaryDirectory(prefix="hlsvm-run-") as folder, _worker() as worker:
        return execute(worker, Notebook(Path(path), content), parameters, Path(folder))


def _connect(address: str) -> Any:
    try:
        from distributed import Client
        from distributed.comm import resolve_address
    except ImportError:
        raise ClusterError(
            "--scheduler needs Dask, which is not installed: pip install 'hlsvm[dask]'."
        ) from None
    try:
        resolve_address(address)  # a client of a wrong address would take its time to close
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address!r} ({error}): start one with `dask scheduler` "
            "and workers with `dask worker ADDRESS`."
        ) from None


class _Submitted:
    """Runs that the cluster has now, each claimed until it has ended or the cluster is left."""

    def __init__(self, client: Any, is_settled: Callable[[Run], bool]):
        from distributed import as_completed

        self.client = client
        self.is_settled = is_settled
        self.held: dict[str, tuple[Run, contextlib.ExitStack]] = {}
        self.queue = as_completed(loop=client.loop)

    def fill(self, waiting: deque[Run]) -> tuple[list[Run], list[Run]]:
        """Submit runs while there is room; return those found ended, and those others hold."""
        ended, busy = [], []
        room = min(_MOST_AT_ONCE, max(8, 2 * sum(self.client.nthreads().values())))
        while waiting and len(self.held) < room:
            run = waiting.popleft()
            stack = contextlib.ExitStack()
            if not stack.enter_context(claim(run.folder / ".claims" / run.key)):
                busy.append(run)
            elif self.is_settled(run):
                stack.close()
                ended.append(run)
            else:
                self._submit(run, stack)
        return ended, busy

    def _submit(self, run: Run, stack: contextlib.ExitStack) -> None:
        future = self.client.submit(
            execute_remotely,
            str(run.notebook.path.resolve()),
            run.notebook.content,
            run.changed,
            key=f"hlsvm-{run.key}-{uuid.uuid4().hex[:8]}",
            pure=False,
        )
        self.held[future.key] = run, stack
        self.queue.add(future)

    def collect(self) -> Run:
        """Wait for a task to end, write the record of its run, and return the run."""
        from distributed import KilledWorker

        future = next(self.queue)
        run, stack = self.held.pop(future.key)
        with stack:
            try:
                answer = future.result()
            except KilledWorker as error:
                answer = _lost(str(error))
            finish(run, answer)
        return run

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        for _, stack in self.held.values():
            stack.close()


def _lost(message: str) -> Event:
    failure = {"cell": 0, "line": "", "exception": "KilledWorker", "message": message}
    nothing = {"executed": b"", "rows": [], "origin": origin()}
    return {"status": "failed", "seconds": 0.0, **failure, **nothing}


def on_cluster(
    runs: Sequence[Run], address: str, is_settled: Callable[[Run], bool]
) -> Iterator[Run]:
    """Execute runs on the workers of a Dask scheduler; yield each as its record is written.

    Dask gives a run whose worker dies to another one. Twice as many runs are submitted as the
    workers have threads, so that none waits for work. A run that another sweep holds is looked at
    again until it has ended or is free.
    """
    if not runs:
        return
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)  # what Dask logs of a lost connection is said in a sentence
    try:
        with _connect(address) as client, _Submitted(client, is_settled) as submitted:
            waiting = deque(runs)
            while waiting or submitted.held:
                with _true_cause(client, address):
                    ended, busy = submitted.fill(waiting)
                yield from ended
                if submitted.held:
                    with _true_cause(client, address):
                        run = submitted.collect()
                    yield run
                elif busy:
                    time.sleep(_POLL_SECONDS)
                waiting.extend(busy)
    finally:
        logging.disable(before)


@contextlib.contextmanager
def _true_cause(client: Any, address: str) -> Iterator[None]:
    """Say whether the scheduler was lost, or the workers cannot do what they are asked."""
    from distributed import CancelledError
    from distributed.comm import CommClosedError

    try:
        yield
    except OSError as error:
        if error.errno is not None and not isinstance(error, CommClosedError):
            raise  # of this machine, such as a full disk
        raise _lost_scheduler(address, error) from None
    except (CancelledError, TimeoutError) as error:
        raise _lost_scheduler(address, error) from None
    except Exception as error:
        if client.status != "running":
            raise _lost_scheduler(address, error) from None
        raise ClusterError(
            f"The cluster cannot execute notebooks ({type(error).__name__}: {error}); its "
            "workers need the same hlsvm as this machine, with its extra 'notebooks'."
        ) from error


def _lost_scheduler(address: str, error: BaseException) -> ClusterError:
    return ClusterError(
        f"The Dask scheduler at {address!r} was lost ({type(error).__name__}). The runs that had "
        "ended are kept: start it again, and the same command executes the rest."
    )
