"""What other rooms call of this one below its estimators: expansions, grids, SVMs of one region."""

from hlsvm.regions._expansion import Expansion, read_svm
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
    "Expansion",
    "Region",
    "Training",
    "read_svm",
    "train_paths",
    "train_region_svm",
    "winners_on_paths",
]
