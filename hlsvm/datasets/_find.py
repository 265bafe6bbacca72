"""Where a data set is: the data folder, the mirror, the official address."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hlsvm.datasets._dataset import DataCorrupted, DataUnavailable
from hlsvm.datasets._download import download
from hlsvm.datasets._folders import DataFile, data_folder, in_folder, mirror_address
from hlsvm.datasets._manifest import address_manifest, folder_manifest
from hlsvm.datasets._npz import read_npz
from hlsvm.datasets._raw import Raw, check_raw, clean
from hlsvm.datasets._read import read_official
from hlsvm.datasets._transfer import NotServed
from hlsvm.datasets.registry import Entry, find


@dataclass(frozen=True)
class LocatedSet:
    """The files of one data set in one place."""

    files: tuple[DataFile, ...]
    where: str  # "local" or "mirror"
    normalised: bool  # one .npz of a mirror, or the official files
    arrived: frozenset[Path] = frozenset()  # those that were downloaded just now

    def read(self, entry: Entry) -> Raw:
        """Check every file, then read them; record the digests that nobody stated.

        What arrived just now without a stated digest and is not the data set is removed again.
        """
        paths = [file.check() for file in self.files]
        try:
            raw = read_npz(paths[0], entry) if self.normalised else read_official(entry, paths)
            raw = clean(raw, entry)
            if raw.X_test is None and "rest_of" in entry.options:
                _add_rest(raw, find(entry.options["rest_of"]))
            check_raw(raw, entry, ", ".join(str(p) for p in paths))
        except DataCorrupted:
            for file in self.files:
                if file.path in self.arrived and file.expected()[0] is None:
                    file.path.unlink(missing_ok=True)
            raise
        for file in self.files:
            file.pin()
        return raw

    def check(self, entry: Entry) -> list[Path]:
        """Check every file; where nobody states a digest, read them as the data set."""
        if any(file.expected()[0] is None for file in self.files):
            self.read(entry)
        return [file.check() for file in self.files]

    def source(self) -> str:
        """Say where the data came from, without a machine's paths."""
        place = "data folder" if self.where == "local" else "mirror"
        return f"{place}: {', '.join(file.path.name for file in self.files)}"


def _add_rest(raw: Raw, whole: Entry) -> None:
    """Make the test part of the rows of another set's training part that this one lacks."""
    other, _, _ = obtain(whole, download=False)
    rows = np.column_stack([raw.X_train, raw.y_train]).astype(np.float32)
    theirs = np.column_stack([other.X_train, other.y_train]).astype(np.float32)
    left: dict[bytes, int] = {}
    for row in rows:
        left[row.tobytes()] = left.get(row.tobytes(), 0) + 1
    rest = np.ones(len(theirs), dtype=bool)
    for k, row in enumerate(theirs):
        if left.get(row.tobytes(), 0):
            left[row.tobytes()] -= 1
            rest[k] = False
    raw.X_test, raw.y_test = other.X_train[rest], other.y_train[rest]


def look_in(folder: Path, entry: Entry, where: str) -> LocatedSet | None:
    """Look for a set in a folder: its .npz, or all of its official files."""
    if entry.mirror and (file := in_folder(folder, entry.mirror, "")):
        return LocatedSet((file,), where, normalised=True)
    files = [in_folder(folder, file["name"], file["sha256"]) for file in entry.files]
    if files and all(files):
        return LocatedSet(tuple(f for f in files if f), where, normalised=False)
    return None


def _from_address(address: str, entry: Entry) -> LocatedSet | None:
    """Copy a set from a mirror behind an address into the data folder."""
    digests, folder = address_manifest(address), data_folder()
    wanted: list[tuple[str, str]] = []
    if entry.mirror in digests:
        wanted = [(entry.mirror, digests[entry.mirror])]
    else:
        for file in entry.files:
            wanted.append((file["name"], file["sha256"] or digests.get(file["name"], "")))
    new = frozenset(folder / name for name, _ in wanted if not (folder / name).exists())
    for name, known in wanted:
        try:
            origin = f"{address}MANIFEST.csv"
            download(address + name, folder / name, known, origin, entry.most_bytes)
        except NotServed:
            if name in digests:
                raise
            return None
    located = look_in(folder, entry, "local")
    return None if located is None else replace(located, where="mirror", arrived=new)


def served_by_mirror(entry: Entry) -> bool:
    """Whether the mirror has the set, by its listing alone."""
    place = mirror_address()
    if isinstance(place, Path):
        return look_in(place, entry, "mirror") is not None
    try:
        digests = address_manifest(place) if place else {}
    except NotServed:
        return False
    listed = [file["name"] in digests for file in entry.files]
    return (bool(entry.mirror) and entry.mirror in digests) or (bool(listed) and all(listed))


def mirror_trouble() -> str:
    """Say what is wrong with the mirror; "" where it answers or none is set."""
    place = mirror_address()
    try:
        if isinstance(place, Path):
            folder_manifest(place)
        elif place:
            address_manifest(place)
    except (NotServed, DataCorrupted) as error:
        return str(error)
    return ""


def locate(entry: Entry) -> tuple[LocatedSet | None, str]:
    """Look for a set in the data folder, then in the mirror.

    Returns
    -------
    located : LocatedSet or None
    trouble : str
        Why the mirror did not answer; "" where it did, or was not asked.
    """
    if local := look_in(data_folder(), entry, "local"):
        return local, ""
    place = mirror_address()
    if isinstance(place, Path):
        return look_in(place, entry, "mirror"), ""
    try:
        return (_from_address(place, entry) if place else None), ""
    except NotServed as error:
        return None, str(error)


def offline() -> bool:
    """Whether ``HLSVM_OFFLINE`` forbids the official addresses."""
    return os.environ.get("HLSVM_OFFLINE", "") not in ("", "0")


def fetch_official(entry: Entry) -> LocatedSet:
    """Download the official files that are not in the data folder yet.

    Raises
    ------
    NotServed
        No address gave one of them.
    DataCorrupted
        One came with a wrong digest from every address that gave it.
    """
    folder, arrived = data_folder(), []
    for file in entry.files:
        name, target = file["name"], folder / file["name"]
        urls = [file["url"]] if "url" in file else []
        urls += [base + name for base in entry.official]
        if not target.exists():
            arrived.append(target)
        trouble: list[Exception] = []
        for url in urls:
            try:
                download(url, target, file["sha256"], most_bytes=entry.most_bytes)
                break
            except (NotServed, DataCorrupted) as error:
                trouble.append(error)
        else:
            raise next((e for e in trouble if isinstance(e, DataCorrupted)), trouble[0])
    located = look_in(folder, entry, "local")
    assert located is not None
    return replace(located, arrived=frozenset(arrived))


def unavailable(entry: Entry, reason: str, trouble: str = "") -> DataUnavailable:
    """Word what is missing, what to do about it, and what went wrong with the mirror."""
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
        f"mirror, and {reason}."
        + (f" To have it:{listed}" if ways else "")
        + (f"\n({trouble})" if trouble else "")
    )


def fetch_allowed(entry: Entry, *, allowed: bool = True, trouble: str = "") -> LocatedSet:
    """Download the official files, or raise `DataUnavailable` with the reason and the ways."""
    if entry.external:
        raise unavailable(entry, f"cannot be downloaded: {entry.external}", trouble)
    if not allowed:
        raise unavailable(entry, "download=False forbids the official address", trouble)
    if offline():
        raise unavailable(entry, "HLSVM_OFFLINE forbids the official address", trouble)
    try:
        return fetch_official(entry)
    except NotServed as error:
        reason = f"the official address failed ({error})"
        raise unavailable(entry, reason, trouble) from error


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
    located, trouble = locate(entry)
    if located is None and sample and entry.stand_in:
        try:
            raw, source, note = obtain(find(entry.stand_in), download=False)
            return raw, source, f"stands in for {entry.name!r}: {note}"
        except DataUnavailable:
            pass  # then the set itself, or the reason why not
    if located is None and entry.format == "sklearn":
        from hlsvm.datasets._fetchers import read_fetched

        return read_fetched(entry, download=download and not offline())
    located = located or fetch_allowed(entry, allowed=download, trouble=trouble)
    return located.read(entry), located.source(), entry.note
