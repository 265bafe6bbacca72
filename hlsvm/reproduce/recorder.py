"""The recorder of a notebook: its scale, seed and data, said once and written into every record."""

import os
import time

from hlsvm.reproduce.drawings import draw
from hlsvm.reproduce.problems import over
from hlsvm.reproduce.provenance import check_clean, commit, describe_dataset
from hlsvm.reproduce.records import as_recorded, record_folders, save_figure, save_table
from hlsvm.reproduce.steps import Step, run_step
from hlsvm.reproduce.style import styled


class Recorder:
    """What a notebook needs to record its figures and tables: made once, below its parameters.

    Parameters
    ----------
    scale : str
        "quick", "paper" or another word; results go to the git-ignored ``out/<scale>/``.
    seed : int
        Seed of the notebook.
    out_dir : path or None
        Other place, with folders ``figures`` and ``results`` in it ("" and None: by scale). A
        relative one is taken from the repository. "record" stands for the records of the
        repository, ``figures/`` and ``data/results/``, at paper scale and from a clean commit;
        ``hlsvm run --scale paper --record`` asks for it (by ``HLSVM_RECORD=1``).
    params : dict, optional
        The other parameters of the notebook.

    Raises
    ------
    RuntimeError
        `out_dir` is "record" and files of the repository are not as in its commit.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> record = Recorder(scale="quick", seed=0, out_dir=tempfile.mkdtemp())
    >>> row = {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 2.4}
    >>> record.table(pd.DataFrame([row]), "Thesis.Tab5.4")
    """

    def __init__(self, *, scale="quick", seed=0, out_dir=None, params=None):
        if not isinstance(scale, str) or not scale.isidentifier():
            raise ValueError(f"scale must be a word such as 'quick' or 'paper'. Got {scale!r}.")
        self.scale = scale
        self.seed = seed
        if scale == "paper" and os.environ.get("HLSVM_RECORD"):
            out_dir = out_dir or "record"
        self.figures, self.results = record_folders(scale, out_dir)
        self._since = None
        if out_dir == "record":
            check_clean()
            self._since = commit()
        self.params = dict(params or {})
        self._data: dict[str, dict] = {}
        self._started = time.perf_counter()
        self._kept = 0.0
        self._steps: dict[str, Step] = {}

    def __repr__(self):
        return f"Recorder(scale={self.scale!r}, seed={self.seed!r})"

    def uses(self, dataset):
        """Note a loaded `Dataset` (its digest goes into every later record) and return it."""
        described = describe_dataset(dataset)
        name, number = dataset.name, 2
        while self._data.get(name, described) != described:
            name, number = f"{dataset.name} ({number})", number + 1
        self._data[name] = described
        return dataset

    def over(self, problems, methods, measure):
        """Measure every method on every problem (see `hlsvm.reproduce.problems.over`)."""
        return over(self, problems, methods, measure)

    def step(self, function, *arguments, **keywords):
        """Return ``function(*arguments, **keywords)``, computed once and kept in ``out/steps``.

        The step is computed again when the meaning of the function or of anything it reaches, an
        argument, a library's version, the seed or the scale changes. At quick scale it is
        computed every time. The seconds of a step that was read back count in the duration of the
        records, as if it had run now.

        Parameters
        ----------
        function : callable
            The work: a function of the package, or one written in the notebook. It returns
            numbers, text, lists, dicts, NumPy arrays, DataFrames or `NotRun`.
        *arguments, **keywords
            Whatever `value_digest` takes: data enter by their digest, ``n_jobs`` does not.
        """
        if self.scale == "quick":
            return function(*arguments, **keywords)
        context = {"seed": self.seed, "scale": self.scale}
        start = time.perf_counter()
        step = run_step(function, arguments, keywords, context=context)
        self._kept += max(0.0, step.seconds - (time.perf_counter() - start))
        self._steps[step.key] = step
        return step.value

    def progress(self, steps, label="", total=None):
        """Return `steps` under a progress bar; at quick scale, where outputs are kept, without."""
        from tqdm import tqdm

        return tqdm(steps, desc=label, total=total, disable=self.scale == "quick")

    def figure(self, table, id):
        """Record a figure (picture, numbers drawn, provenance: see `save_figure`) and return it.

        The drawing registered for the id (`hlsvm.reproduce.draws`) makes it of the table: a
        DataFrame, or a dict of them, which names the panels.
        """
        import matplotlib.pyplot as plt

        with styled():
            fig = draw(as_recorded(table), id)
            save_figure(fig, id, data=table, out_dir=self.figures, **self._context())
        plt.close(fig)  # a notebook shows what is returned, and not the same once more
        return fig

    def table(self, frame, id):
        """Record a table: numbers and provenance (see `save_table`)."""
        save_table(frame, id, out_dir=self.results, **self._context())

    def _context(self) -> dict:
        since = {"since": self._since} if self._since else {}
        return {
            **since,
            "params": self.params,
            "seed": self.seed,
            "scale": self.scale,
            "datasets": self._data,
            "steps": [step.line() for step in self._steps.values()],
            "duration_s": round(time.perf_counter() - self._started + self._kept, 2),
        }
