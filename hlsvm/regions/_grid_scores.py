"""How many validation rows a division answers correctly, for every pair of the grid."""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed

from hlsvm.regions._region_svm import Region, Training, train_paths, winners_on_paths


class GridScores:
    """A division with its validation rows, ready to train and count.

    Parameters
    ----------
    X, y : ndarray of float64, shape (n, d), and of int, shape (n,)
        Training rows and their classes.
    X_val, y_val : likewise
        Validation rows.
    division : TreeDivision or RandomDivision
    grid : tuple of ndarray
        Widths and costs, ascending.
    training : Training
    n_jobs : int or None

    Attributes
    ----------
    regions : list of Region
        Parts with more than one class; those with one are answered at once.
    val_rows : list of ndarray
        Validation rows of each region.
    sure : int
        Validation rows answered correctly in parts of one class.
    """

    def __init__(self, X, y, X_val, y_val, division, grid, training: Training, n_jobs=None):
        self.X, self.y, self.X_val, self.y_val = X, y, X_val, y_val
        self.gammas, self.costs = grid
        self.training, self.n_jobs = training, n_jobs
        self.regions, self.val_rows, self.sure = [], [], 0
        place = division.locate(X_val)
        by_part = np.argsort(place, kind="stable")
        ends = np.searchsorted(place[by_part], np.arange(len(division.parts) + 1))
        for number, part in enumerate(division.parts):
            region = Region.of(part, y)
            rows = by_part[ends[number] : ends[number + 1]]
            if len(region.classes) == 1:
                self.sure += int(np.count_nonzero(y_val[rows] == region.classes[0]))
            else:
                self.regions.append(region)
                self.val_rows.append(rows)

    @property
    def shape(self):
        """Widths times costs."""
        return len(self.gammas), len(self.costs)

    def _one(self, number, reach):
        region, rows = self.regions[number], self.val_rows[number]
        correct = np.zeros(self.shape, dtype=np.int64)
        if len(rows) == 0 or not reach.any():
            return correct
        X = self.X[region.rows]
        paths = train_paths(X, region.counts, self.gammas, self.costs, reach, self.training)
        won = winners_on_paths(
            X, region.counts, paths, self.gammas, reach, self.X_val[rows], self.training
        )
        right = region.classes[won] == self.y_val[rows]
        return np.where(won >= 0, right, False).sum(axis=-1)

    def count(self, numbers, reach, *, split=False):
        """Count correct validation rows in some regions.

        Parameters
        ----------
        numbers : sequence of int
            Regions.
        reach : ndarray of int64, shape (n_gammas,)
            How many of the costs each width goes through.
        split : bool
            Whether the widths of a region are separate pieces of work.

        Returns
        -------
        ndarray of int64, shape (n_gammas, n_costs)
            Summed over the regions; zero beyond the reach.
        """
        reaches = [reach]
        if split:
            reaches = [np.where(np.arange(len(reach)) == a, reach, 0) for a in reach.nonzero()[0]]
        result = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._one)(number, part) for number in numbers for part in reaches
        )
        return np.sum(result, axis=0, dtype=np.int64) if result else np.zeros(self.shape, np.int64)
