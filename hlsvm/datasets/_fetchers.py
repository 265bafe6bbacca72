"""Sets that scikit-learn's fetchers serve: LFW pairs and OpenML."""

from __future__ import annotations

import os
import warnings
from urllib.error import URLError

import numpy as np

from hlsvm.datasets._dataset import DataUnavailable
from hlsvm.datasets._folders import data_folder
from hlsvm.datasets._raw import Raw
from hlsvm.datasets.registry import Entry

# Folder each fetcher makes in its data home once it has the data.
_LEAVES = {"fetch_lfw_pairs": "lfw_home/lfw_funneled", "fetch_openml": "openml"}


def home() -> str:
    """Return the data home of the fetchers, inside the data folder."""
    return os.fspath(data_folder() / "scikit-learn")


def fetched(entry: Entry) -> bool:
    """Whether the fetcher has fetched it."""
    return (data_folder() / "scikit-learn" / _LEAVES[entry.options["fetcher"]]).is_dir()


def _lfw(entry: Entry, download: bool) -> Raw:
    from sklearn.datasets import fetch_lfw_pairs

    bunch = fetch_lfw_pairs(subset="10_folds", data_home=home(), download_if_missing=download)
    return Raw(bunch.data, bunch.target)


def _openml(entry: Entry, download: bool) -> Raw:
    from sklearn.datasets import fetch_openml

    if not download and not fetched(entry):
        raise OSError("not downloaded yet")
    bunch = fetch_openml(
        entry.options["name"], version=entry.options["version"], data_home=home(), as_frame=False
    )
    names, y = np.unique(bunch.target.astype(str), return_inverse=True)
    return Raw(bunch.data, y, class_names=tuple(names))


def read_fetched(entry: Entry, *, download: bool) -> tuple[Raw, str, str]:
    """Ask scikit-learn for a set; arrays, source, note.

    Raises
    ------
    DataUnavailable
        It is not in the data folder and could not be fetched.
    """
    fetcher = entry.options["fetcher"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # one for every attempt
            raw = (_lfw if fetcher == "fetch_lfw_pairs" else _openml)(entry, download)
    except (OSError, URLError) as error:
        raise DataUnavailable(
            f"The data set {entry.name!r} ({entry.title}) is not in the data folder, and "
            f"sklearn.datasets.{fetcher} could not get it ({error}). To have it, run  "
            f"hlsvm data fetch {entry.name}  where there is a network."
        ) from error
    return raw, f"sklearn.datasets.{fetcher}", entry.note
