"""What other rooms call of this one below its estimators: grids, and the SVMs of one region."""

from hlsvm.regions._grid import COSTS, GAMMAS
from hlsvm.regions._region_svm import (
    Region,
    Training,
    train_paths,
    train_region_svm,
    winners_on_paths,
)

__all__ = [
    "COSTS",
    "GAMMAS",
    "Region",
    "Training",
    "train_paths",
    "train_region_svm",
    "winners_on_paths",
]
