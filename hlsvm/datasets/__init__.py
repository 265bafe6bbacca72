"""Data sets of the papers: one name each, wherever the files are.

>>> from hlsvm.datasets import load
>>> data = load("digits_3vo")
>>> data.X_train.shape
(1797, 64)
"""

from hlsvm.datasets._dataset import DataCorrupted, Dataset, DataUnavailable
from hlsvm.datasets._listing import Availability, available, fetch, file_digests, verify
from hlsvm.datasets._listing import list_sets as list
from hlsvm.datasets._load import load
from hlsvm.datasets._prepare import rescale
from hlsvm.datasets._splits import partition_indices, partitions
from hlsvm.datasets.digits import infinite_digits
from hlsvm.datasets.registry import registered_name

__all__ = [
    "Availability",
    "DataCorrupted",
    "DataUnavailable",
    "Dataset",
    "available",
    "fetch",
    "file_digests",
    "infinite_digits",
    "list",
    "load",
    "partition_indices",
    "partitions",
    "registered_name",
    "rescale",
    "verify",
]
