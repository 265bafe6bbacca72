"""Answers for sparse rows, a block of which is written out at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from hlsvm.trees._answers import Answers

_BLOCK = 2**20  # bytes of rows that are dense at a time, in double precision
_BY_ROW = (
    "predict",
    "predict_proba",
    "decision_function",
    "apply",
    "n_hyperplanes",
    "n_operations",
)


class _OfRead(Answers):
    """What a model answers for rows that it has read."""

    def __init__(self, model):
        self.classes_, self.forest_ = model.classes_, model.forest_

    def _read(self, X):
        return X


def _by_blocks(answer: Callable) -> Callable:
    @wraps(answer)
    def answered(self, X):
        check_is_fitted(self)
        if not issparse(X) or self.memory_budget is not None or self._categories:
            return answer(self, X)
        rows, of_read = self._checked(X), _OfRead(self)
        step = max(_BLOCK // (8 * rows.shape[1]), 1)
        parts = [
            answer(of_read, self._dense(rows[first : first + step]))
            for first in range(0, rows.shape[0], step)
        ]
        return np.concatenate(parts)

    return answered


def answer_by_blocks(kind: type) -> None:
    """Let the methods of `Answers` that answer row by row take sparse rows block by block.

    Parameters
    ----------
    kind : type
        A class of `Answers` with ``_checked(X)``, which leaves sparse rows as CSR, and
        ``_dense(X)``, which writes rows out as trees take them.
    """
    for name in _BY_ROW:
        setattr(kind, name, _by_blocks(getattr(Answers, name)))
