"""Rivals in another Python: scikit-learn-intelex, and liquidSVM with cells.

They need versions of their own, so they run in a child process: in the Python that the environment
variable ``HLSVM_RIVALS_PYTHON`` names, or in this one if they are installed here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hlsvm.reproduce import NotRun

_CHILD = """
import json, os, sys, sysconfig, time
import numpy as np
name, parts, C, gamma, out = sys.argv[1:]
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
z = np.load(parts)
X, y, C, gamma = z["X"], z["y"], float(C), float(gamma)
if name.startswith("scikit"):
    from sklearnex.svm import SVC
    fit = lambda X, y: SVC(C=C, gamma=gamma, cache_size=3000).fit(X, y)
else:
    sysconfig.get_config_vars()["SO"] = ".so"
    import liquidSVM
    one = {} if name.endswith("grid") else {"gammas": [gamma ** -0.5], "c_values": [C]}
    fit = lambda X, y: liquidSVM.mcSVM(
        X, y, mc_type="AvA_hinge", useCells=True, threads=1, display=0, **one)
some = np.where(np.arange(len(z["T"])) % 2, y.max(), y.min())
fit(X[:500], y[:500])
start = time.process_time()
model = fit(X, y)
spent = time.process_time() - start
scikit = name.startswith("scikit")
predicted = model.predict(z["T"]) if scikit else model.test(z["T"], some)[0][:, 0]
np.save(out, np.asarray(predicted, dtype=float))
print(json.dumps({"train_s": spent}))
"""


@dataclass(frozen=True)
class Rival:
    """A rival: its model of a problem has `fit` and `predict`, as scikit-learn's have.

    `python` is the Python that it runs in; `C` and `gamma` are set by a call.
    """

    name: str
    python: str
    C: float = 1.0
    gamma: float = 1.0

    def gap(self) -> NotRun | None:
        """Return why it cannot run, None if it can."""
        module = "sklearnex" if self.name.startswith("scikit") else "liquidSVM"
        look = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
        if subprocess.run([self.python, "-c", look], check=False).returncode == 0:
            return None
        return NotRun(f"{self.name} is not installed", "HLSVM_RIVALS_PYTHON")

    def __call__(self, problem, random_state) -> _Model:
        """Return the model of a problem; `random_state` is not used."""
        settings = problem.settings
        return _Model(replace(self, C=settings["C"], gamma=settings["gamma"]))


class _Model:
    """A rival that fits when it is asked to predict: one child process does both."""

    def __init__(self, rival: Rival):
        self.rival = rival

    def fit(self, X, y):
        self._rows = np.asarray(X, float), np.asarray(y, float)
        return self

    def predict(self, X_test):
        """Fit and predict in the other Python; sets ``train_s_`` (processor seconds)."""
        X, y = self._rows
        rival = self.rival
        with tempfile.TemporaryDirectory() as folder:
            parts, labels = Path(folder) / "parts.npz", Path(folder) / "labels.npy"
            np.savez(parts, X=X, y=y, T=np.asarray(X_test, float))
            call = [rival.python, "-c", _CHILD, rival.name, parts, rival.C, rival.gamma, labels]
            threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
            done = subprocess.run(
                [str(word) for word in call],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, **threads},
            )
            if done.returncode:
                last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                raise RuntimeError(f"{rival.name} failed: {last}")
            self.train_s_ = json.loads(done.stdout.splitlines()[-1])["train_s"]
            return np.load(labels)


def rivals() -> dict[str, tuple[Rival | NotRun, int]]:
    """Return every rival, or why it cannot run, by its name, with the number of its fits: one."""
    python = os.environ.get("HLSVM_RIVALS_PYTHON") or sys.executable
    names = ("scikit-learn-intelex", "liquidSVM, cells", "liquidSVM, cells and grid")
    known = {name: Rival(name, python) for name in names}
    return {name: (rival.gap() or rival, 1) for name, rival in known.items()}
