"""Probes made in a process of their own, which may die or hang, and the table of their verdicts."""

import multiprocessing
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import astuple
from multiprocessing.connection import Connection
from pathlib import Path

import pandas as pd

from .probe import ANSWER, CLEAR, HANG, RAW, WRONG, Probe, Verdict, judge

LIMIT = 20.0  # seconds of processor time a probe may take
_START = 60.0  # seconds more for the first probe of a process, which imports and compiles
_READY = 600.0  # seconds on the clock for the imports of a new process
_ASLEEP = 30.0  # times the limit may pass on the clock, for a probe that waits
_CHILD = (
    "import sys; sys.path.insert(0, {folder!r}); from fuzz import prober; prober.serve({number})"
)
_QUIET = dict.fromkeys(("stdin", "stderr"), subprocess.DEVNULL)  # progress bars among others
_MEMORY = 8 << 30  # bytes of address space, so that an absurd size fails at once


def _no_network(*_):
    raise OSError("no network in a probe")


def serve(number):
    """Answer probes that come through the pipe of this number; runs in a process of its own."""
    import hlsvm.datasets  # noqa: F401  (what `judge` needs is there before the first probe)

    pipe = Connection(number)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    socket.socket.connect = _no_network
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pipe.send("ready")
        while True:
            probe, limit = pipe.recv()
            signal.setitimer(signal.ITIMER_PROF, limit)  # then SIGPROF ends the process
            verdict = judge(Probe(*probe))
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send((verdict.outcome, verdict.why))


class Prober:
    """A process that makes calls, killed and begun anew where one does not end.

    The limit is of processor time, so that a busy machine makes no verdict; a probe that waits
    without working ends after `asleep` times the limit.
    """

    def __init__(self, limit=LIMIT, child=_CHILD, asleep=_ASLEEP):
        self.limit, self.child, self.asleep = limit, child, asleep
        self._begin()

    def _begin(self):
        self._pipe, far = multiprocessing.Pipe()
        code = self.child.format(folder=str(Path(__file__).parents[1]), number=far.fileno())
        command = [sys.executable, "-c", code]
        self._process = subprocess.Popen(command, pass_fds=[far.fileno()], **_QUIET)
        far.close()
        self._limit = None  # it has not said that it is ready

    def _await_start(self):
        if not self._pipe.poll(_READY):
            raise RuntimeError(f"the process of the probes did not start within {_READY:g} s")
        self._pipe.recv()
        self._limit = self.limit + _START

    def ask(self, probe):
        """Return the verdict on `probe`; one that did not end is asked once more."""
        verdict = self._ask(probe)
        return self._ask(probe) if verdict.outcome == HANG else verdict

    def _ask(self, probe):
        verdict = Verdict(probe, HANG, f"no end within {self.limit:g} s")
        try:
            if self._limit is None:
                self._await_start()
            self._pipe.send((astuple(probe), self._limit))
            if self._pipe.poll(self.asleep * self._limit):
                answer = self._pipe.recv()
                self._limit = self.limit
                return Verdict(probe, *answer)
        except (EOFError, OSError):
            if self._process.wait() != -signal.SIGPROF:
                verdict = Verdict(probe, RAW, "the process died")
        self.close()
        self._begin()
        return verdict

    def close(self):
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()


def run(chosen, seen=lambda verdict: None, **options):
    """Verdicts on the probes `chosen`, in order; `seen` is called with each."""
    prober = Prober(**options)
    verdicts = []
    for probe in chosen:
        verdict = prober.ask(probe)
        seen(verdict)
        verdicts.append(verdict)
    prober.close()
    return verdicts


def table(verdicts):
    """Counts by owner and outcome, with a last row of sums."""
    counts = Counter((v.probe.owner, v.outcome) for v in verdicts)
    owners = dict.fromkeys(v.probe.owner for v in verdicts)
    rows = {
        owner: {kind: counts[owner, kind] for kind in (CLEAR, ANSWER, RAW, HANG, WRONG)}
        for owner in owners
    }
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.loc["all"] = frame.sum()
    frame.insert(0, "probes", frame.sum(axis=1))
    return frame
