"""Where a data set is: the data folder, the mirror, the official address."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from hlsvm.datasets._dataset import DataCorrupted, DataUnavailable
from hlsvm.datasets._download import NotServed, download
from hlsvm.datasets._npz import read_npz
from hlsvm.datasets._raw import Raw, check_shape, clean
from hlsvm.datasets._read import read_official
from hlsvm.datasets._store import (
    Found,
    data_folder,
    in_folder,
    mirror_address,
    parse_manifest,
)
from hlsvm.datasets.registry import Entry, find


@dataclass(frozen=True)
class AtHand:
    """The files of one data set in one place."""

    files: tuple[Found, ...]
    where: str  # "local" or "mirror"
    normalised: bool  # one .npz of a mirror, or the official files

    def read(self, entry: Entry) -> Raw:
        """Check every file, then read them."""
        paths = [file.check() for file in self.files]
        raw = read_npz(paths[0], entry) if self.normalised else read_official(entry, paths)
        raw = clean(raw, entry)
        if raw.X_test is None and "rest_of" in entry.options:
            _add_rest(raw, find(entry.options["rest_of"]))
        check_shape(raw, entry, ", ".join(str(p) for p in paths))
        return raw

    def source(self) -> str:
        """Say where the data came from, without a machine's paths."""
        place = "data folder" if self.where == "local" else "mirror"
        return f"{place}: {', '.join(file.path.name for file in self.files)}"


def _add_rest(raw: Raw, whole: Entry) -> None:
    """Make the test part of the rows of another set's training part that this one lacks."""
    other, _, _ = obtain(whole, download=False)
    mine = np.column_stack([raw.X_train, raw.y_train]).astype(np.float32)
    theirs = np.column_stack([other.X_train, other.y_train]).astype(np.float32)
    left: dict[bytes, int] = {}
    for row in mine:
        left[row.tobytes()] = left.get(row.tobytes(), 0) + 1
    rest = np.ones(len(theirs), dtype=bool)
    for k, row in enumerate(theirs):
        if left.get(row.tobytes(), 0):
            left[row.tobytes()] -= 1
            rest[k] = False
    raw.X_test, raw.y_test = other.X_train[rest], other.y_train[rest]


def look_in(folder: Path, entry: Entry, where: str) -> AtHand | None:
    """Look for a set in a folder: its .npz, or all of its official files."""
    if entry.mirror and (file := in_folder(folder, entry.mirror, "")):
        return AtHand((file,), where, normalised=True)
    found = [in_folder(folder, file["name"], file["sha256"]) for file in entry.files]
    if found and all(found):
        return AtHand(tuple(f for f in found if f), where, normalised=False)
    return None


@lru_cache(maxsize=4)
def _served(address: str) -> dict[str, str]:
    """Give the manifest of a mirror behind an address; empty if it has none."""
    import requests

    try:
        answer = requests.get(address + "MANIFEST.csv", timeout=(10, 60))
    except requests.RequestException as error:
        raise NotServed(f"the mirror {address} does not answer") from error
    return parse_manifest(answer.text) if answer.ok else {}


def _from_address(address: str, entry: Entry) -> AtHand | None:
    """Copy a set from a mirror behind an address into the data folder."""
    digests, folder = _served(address), data_folder()
    origin = f"{address}MANIFEST.csv"
    if entry.mirror in digests:
        download(address + entry.mirror, folder / entry.mirror, digests[entry.mirror], origin)
    elif entry.files:
        try:
            for file in entry.files:
                name = file["name"]
                known = file["sha256"] or digests.get(name, "")
                download(address + name, folder / name, known, origin)
        except NotServed:
            return None
    found = look_in(folder, entry, "local")
    return None if found is None else replace(found, where="mirror")


def served_by_mirror(entry: Entry) -> bool:
    """Whether the mirror has the set, by its listing alone."""
    place = mirror_address()
    if isinstance(place, Path):
        return look_in(place, entry, "mirror") is not None
    try:
        digests = _served(place) if place else {}
    except NotServed:
        return False
    listed = [file["name"] in digests for file in entry.files]
    return (bool(entry.mirror) and entry.mirror in digests) or (bool(listed) and all(listed))


def at_hand(entry: Entry) -> AtHand | None:
    """Look for a set in the data folder, then in the mirror."""
    if local := look_in(data_folder(), entry, "local"):
        return local
    place = mirror_address()
    if isinstance(place, Path):
        return look_in(place, entry, "mirror")
    return _from_address(place, entry) if place else None


def offline() -> bool:
    """Whether ``HLSVM_OFFLINE`` forbids the official addresses."""
    return os.environ.get("HLSVM_OFFLINE", "") not in ("", "0")


def fetch_official(entry: Entry) -> AtHand:
    """Download the official files that are not in the data folder yet.

    Raises
    ------
    NotServed
        No address gave one of them.
    DataCorrupted
        One came with a wrong digest from every address that gave it.
    """
    folder = data_folder()
    for file in entry.files:
        name, target = file["name"], folder / file["name"]
        urls = [file["url"]] if "url" in file else []
        urls += [base + name for base in entry.official]
        trouble: list[Exception] = []
        for url in urls:
            try:
                download(url, target, file["sha256"])
                break
            except (NotServed, DataCorrupted) as error:
                trouble.append(error)
        else:
            raise next((e for e in trouble if isinstance(e, DataCorrupted)), trouble[0])
    found = look_in(folder, entry, "local")
    assert found is not None
    return found


def unavailable(entry: Entry, reason: str) -> DataUnavailable:
    """Word what is missing and what to do about it."""
    ways = []
    if entry.downloadable:
        ways.append(f"run  hlsvm data fetch {entry.name}  where there is a network")
    if entry.mirror or entry.files:
        names = [entry.mirror] if entry.mirror else []
        names += [", ".join(file["name"] for file in entry.files)] if entry.files else []
        ways.append(
            f"set HLSVM_MIRROR to a folder or address that holds {' or '.join(names)}, "
            f"or put it into the data folder {data_folder()}"
        )
    if entry.stand_in:
        ways.append(f"load the stand-in {entry.stand_in!r}")
    listed = "".join(f"\n  - {way}" for way in ways)
    return DataUnavailable(
        f"The data set {entry.name!r} ({entry.title}) is neither in the data folder nor in a "
        f"mirror, and {reason}." + (f" To have it:{listed}" if ways else "")
    )


def fetch_allowed(entry: Entry, allowed: bool = True) -> AtHand:
    """Download the official files, or raise `DataUnavailable` with the reason and the ways."""
    if entry.external:
        raise unavailable(entry, f"cannot be downloaded: {entry.external}")
    if not allowed:
        raise unavailable(entry, "download=False forbids the official address")
    if offline():
        raise unavailable(entry, "HLSVM_OFFLINE forbids the official address")
    try:
        return fetch_official(entry)
    except NotServed as error:
        raise unavailable(entry, f"the official address failed ({error})") from error


def obtain(entry: Entry, *, download: bool = True, sample: bool = True) -> tuple[Raw, str, str]:
    """Find a set, check its files, read them.

    Returns
    -------
    raw : Raw
    source : str
        Where it came from.
    note : str
        The registry's note; for a stand-in also what it stands for.
    """
    trouble = ""
    try:
        found = at_hand(entry)
    except NotServed as error:
        found, trouble = None, str(error)
    if found is None and sample and entry.stand_in:
        try:
            raw, source, note = obtain(find(entry.stand_in), download=False)
            return raw, source, f"stands in for {entry.name!r}: {note}"
        except DataUnavailable:
            pass  # then the set itself, or the reason why not
    if entry.format == "sklearn":
        from hlsvm.datasets._fetchers import read_fetched

        return read_fetched(entry, download=download and not offline())
    try:
        found = found or fetch_allowed(entry, download)
    except DataUnavailable as error:
        raise DataUnavailable(f"{error}" + (f"\n({trouble})" if trouble else "")) from error
    return found.read(entry), found.source(), entry.note
