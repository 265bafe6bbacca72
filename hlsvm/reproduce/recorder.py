"""The recorder of a notebook: its scale, seed and data, said once and written into every record."""

from __future__ import annotations

import time

from hlsvm.reproduce.checkpoints import run_step
from hlsvm.reproduce.drawings import draw
from hlsvm.reproduce.paths import record_folders
from hlsvm.reproduce.problems import over
from hlsvm.reproduce.provenance import describe_dataset
from hlsvm.reproduce.records import save_figure, save_table


class Recorder:
    """What a notebook needs to record its figures and tables: made once, below its parameters.

    Parameters
    ----------
    scale : str
        "quick" records to ``out/quick/`` (git-ignored), "paper" to ``figures/`` and
        ``data/results/`` (committed), any other word to ``out/<word>/``.
    seed : int
        Seed of the notebook.
    out_dir : path or None
        Other place, with folders ``figures`` and ``results`` in it ("" and None: by scale). A
        relative one is taken from the repository.
    params : dict, optional
        The other parameters of the notebook.

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
        self.figures, self.results = record_folders(scale, out_dir)
        self.params = dict(params or {})
        self._data: dict[str, dict] = {}
        self._started = time.perf_counter()
        self._kept = 0.0

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

    def step(self, name, params, function, *, code):
        """Return the result of a step of long work, computed once and kept on the disk.

        At quick scale it is computed every time. The seconds of a step that was read back count
        in the duration of the records, as if it had run now.

        Parameters
        ----------
        name, params, function, code
            As for `hlsvm.reproduce.checkpoint`; seed and scale are added to `params`.
        """
        if self.scale == "quick":
            return function()
        params = {"seed": self.seed, "scale": self.scale, **params}
        start = time.perf_counter()
        value, seconds = run_step(name, params, function, code=code)
        self._kept += max(0.0, seconds - (time.perf_counter() - start))
        return value

    def progress(self, steps, label="", total=None):
        """Return `steps` under a progress bar; at quick scale, where outputs are kept, without."""
        from tqdm import tqdm

        return tqdm(steps, desc=label, total=total, disable=self.scale == "quick")

    def figure(self, table, id, *, data=None):
        """Record a figure: picture, numbers drawn, provenance (see `save_figure`).

        Parameters
        ----------
        table : DataFrame or dict of DataFrames
            The numbers (a dict names the panels); the drawing registered for the id
            (`hlsvm.reproduce.draws`) makes the figure of them.
        id : str
            Id of the catalogue.

        Returns
        -------
        Figure
            What was drawn.
        """
        fig, data = (draw(table, id), table) if data is None else (table, data)
        save_figure(fig, id, data=data, out_dir=self.figures, **self._context())
        return fig

    def table(self, frame, id):
        """Record a table: numbers and provenance (see `save_table`)."""
        save_table(frame, id, out_dir=self.results, **self._context())

    def _context(self) -> dict:
        return {
            "params": self.params,
            "seed": self.seed,
            "scale": self.scale,
            "datasets": self._data,
            "duration_s": round(time.perf_counter() - self._started + self._kept, 2),
        }
