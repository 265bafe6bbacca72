"""The data sets of Thesis Table 3.3, those that stand beside them, and how each is divided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import RepeatedKFold

from hlsvm.datasets import Dataset, DataUnavailable, load
from hlsvm.reproduce import published

FOLDS = 10
ALPHAS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True)
class Problem:
    """A data set and the settings it is run with.

    Attributes
    ----------
    name : str
        As in Thesis Table 3.3, or the name of a set that the Thesis does not have.
    data : str
        Name for `hlsvm.datasets.load`.
    counts : tuple of int
        Numbers of features at which errors are taken.
    n_bins : int or None
        Segments of the discretisation; None: the data come discretised.
    span : float
        Standard deviations that the segments cover.
    nystrom : float or None
        Share of the rows that the Thesis samples.
    repeats : int
        Repetitions of 10-fold cross-validation for the tables; the first fifth of them serves
        the curves.
    intensities : bool
        The data are logarithms; take the intensities themselves.
    """

    name: str
    data: str
    counts: tuple[int, ...] = (10, 20, 40, 50, 100, 200, 400)
    n_bins: int | None = 3
    span: float = 6.0
    nystrom: float | None = None
    repeats: int = 10
    intensities: bool = False

    @property
    def reading(self) -> dict:
        """Arguments of a selector that read the data as this problem does."""
        return {"n_bins": self.n_bins, "span": self.span}

    def load(self) -> Dataset:
        """Return the data set."""
        return load(self.data)

    def arrays(self, data: Dataset) -> tuple[np.ndarray, np.ndarray]:
        """Return all rows, training and test part together, and their classes."""
        X, y = data.X_train, data.y_train
        if data.X_test is not None and len(data.X_test):
            X, y = np.concatenate([X, data.X_test]), np.concatenate([y, data.y_test])
        X = np.asarray(X, dtype=np.float64)
        return (np.exp(X) if self.intensities else X), np.asarray(y)


PAPER = (
    Problem("ARR", "arrhythmia_binary", counts=(10, 20, 40, 50, 100, 200)),
    Problem("NCI9", "nci9_mrmr", n_bins=None, repeats=5),
    Problem("SRBCT", "srbct"),
    Problem("SRBCT intensities", "srbct", span=9.5, intensities=True),
    Problem("Colon", "colon_mrmr", n_bins=None),
    Problem("Lymphoma", "lymphoma_mrmr", n_bins=None),
    Problem("Leukemia", "leukemia_mrmr", n_bins=None),
)
QUICK = (
    Problem("Breast cancer", "breast_cancer", counts=(1, 2, 3, 5, 8, 12, 20, 30), repeats=1),
    Problem("Wine", "wine", counts=(1, 2, 3, 5, 8, 13), repeats=1),
)
# What the Thesis has and nobody can have now, and the set that is shown in its place.
NOT_RUN = {
    "NCI60": "not run: data (the 60 x 1,123 preparation is not public; NCI9 is shown)",
    "GCM": "not run: data (GCM is not at hand; Leukemia and Lymphoma are shown)",
    "RAT": "not run: data (RAT was never published; Colon is shown)",
}


def at_hand(record, problems) -> tuple[dict[str, tuple], dict[str, str]]:
    """Return X and y of the sets that load, by name, and for the others why they do not.

    Parameters
    ----------
    record : hlsvm.reproduce.Recorder
        Notes the digests.
    problems : sequence of Problem
    """
    found, missing = {}, {}
    for problem in problems:
        try:
            found[problem.name] = problem.arrays(record.uses(problem.load()))
        except DataUnavailable:
            missing[problem.name] = f"not run: data ({problem.data} is not at hand)"
    return found, missing


def divisions(n: int, repeats: int, seed: int, folds: int = FOLDS) -> Iterator:
    """Yield training and test rows; the first repetitions do not depend on how many follow."""
    yield from RepeatedKFold(n_splits=folds, n_repeats=repeats, random_state=seed).split(
        np.zeros(n)
    )


def published_alpha(name: str, similarity: str = "MI") -> float:
    """Return the alpha that Thesis Table 3.4 prints (NaN where it has none)."""
    table = published("Thesis.Tab3.4")
    row = table[(table.dataset == name) & (table.similarity == similarity)]
    return float(row.alpha_hat.iloc[0]) if len(row) else np.nan
