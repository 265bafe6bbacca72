"""What there is and where it is now: `list`, `available`, `fetch`, `verify`."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from hlsvm._files import sha256
from hlsvm.datasets._dataset import DataCorrupted
from hlsvm.datasets._transfer import NotServed
from hlsvm.datasets._user_files import is_path
from hlsvm.datasets.registry import Entry, find, registry

_READY = ("bundled", "synthetic", "local", "mirror", "file")


@dataclass(frozen=True)
class Availability:
    """Whether a data set can be loaded now, without a download; true in a condition if it can.

    Attributes
    ----------
    where : str
        "bundled", "synthetic", "local" (the data folder), "mirror", the same with the stand-in's
        name after it, or "needs download", "external"; for a path "file" or "no file".
    reason : str
        Why it cannot be loaded and what to do about it; "" where it can.
    """

    where: str
    reason: str = ""

    def __bool__(self) -> bool:
        return self.where.partition(" ")[0] in _READY


def available(name: str | PathLike, *, sample: bool = True) -> Availability:
    """Say whether a data set can be loaded now; nothing is read, generated or downloaded.

    Names of files, the registry and the mirror's manifest answer it. A damaged file is noticed
    only when it is loaded.

    Parameters
    ----------
    name : str or path
        As for `load`: one of ``hlsvm.datasets.list()``, or a file.
    sample : bool
        False: a stand-in (a sample, a training part alone) does not count.

    Returns
    -------
    Availability
        True in a condition if `load` would succeed with ``download=False``; `where` says from
        which place, `reason` why not.

    Raises
    ------
    ValueError
        No data set is called so.

    Examples
    --------
    >>> bool(available("wine")), available("wine").where
    (True, 'bundled')
    >>> available("rat").where
    'external'
    """
    if is_path(name):
        path = Path(name).expanduser()
        if path.is_file():
            return Availability("file")
        return Availability("no file", f"There is no file {path.absolute()}.")
    entry = find(name)
    place = where(entry, sample=sample)
    result = Availability(place)
    if result:
        return result
    from hlsvm.datasets._find import unavailable

    why = f"cannot be downloaded: {entry.external}" if entry.external else "was not downloaded yet"
    return Availability(place, str(unavailable(entry, why)))


def where(entry: Entry, sample: bool = True) -> str:
    """Say where a set is now, by looking at names only; nothing is opened or downloaded."""
    from hlsvm.datasets._fetchers import fetched
    from hlsvm.datasets._find import look_in, served_by_mirror
    from hlsvm.datasets._folders import data_folder

    if entry.built_in:
        return entry.generator.partition(":")[0].replace("digits", "synthetic")
    rest = entry.options.get("rest_of")
    if rest is None or where(find(rest)) in _READY:
        try:
            if look_in(data_folder(), entry, "local"):
                return "local"
            if entry.format == "sklearn" and fetched(entry):
                return "local"
            if served_by_mirror(entry):
                return "mirror"
        except DataCorrupted:  # a file that the mirror's manifest does not list
            pass
    if sample and entry.stand_in and (place := where(find(entry.stand_in))) in _READY:
        return f"{place} (stand-in {entry.stand_in})"
    return "external" if entry.external else "needs download"


def file_digests(name: str | PathLike) -> tuple[str, ...]:
    """Return the SHA-256 of the files that `load` would read now; no data are read or downloaded.

    Parameters
    ----------
    name : str or path
        As for `load`.

    Returns
    -------
    tuple of str
        As the registry or a manifest states them (`load` accepts no others), else computed. Empty
        for bundled and synthetic sets, for what is not at hand and for what is no data set.

    Examples
    --------
    >>> file_digests("wine")
    ()
    """
    if is_path(name):
        path = Path(name).expanduser()
        return (sha256(path),) if path.is_file() else ()
    entry = registry().get(name)
    if entry is None or entry.built_in:
        return ()
    digests = _stated(entry)
    if not digests:
        return file_digests(entry.stand_in)
    return digests + file_digests(entry.options.get("rest_of", ""))


def _stated(entry: Entry) -> tuple[str, ...]:
    """Return the digests of a set's files in the data folder or the mirror; () if it has none."""
    from hlsvm.datasets._find import look_in
    from hlsvm.datasets._folders import data_folder, mirror_address
    from hlsvm.datasets._manifest import address_manifest

    place = mirror_address()
    for folder in (data_folder(), place):
        if isinstance(folder, Path):
            with suppress(DataCorrupted):
                if located := look_in(folder, entry, ""):
                    return tuple(f.expected()[0] or sha256(f.path) for f in located.files)
    listed: dict[str, str] = {}
    with suppress(NotServed):
        listed = address_manifest(place) if isinstance(place, str) else {}
    names = [entry.mirror] if entry.mirror in listed else [file["name"] for file in entry.files]
    return tuple(listed[name] for name in names if name in listed)


def _shape(entry: Entry) -> str:
    rows = f"{entry.n_train:,}" if entry.n_train else "any"
    rows += f" + {entry.n_test:,}" if entry.n_test else ""
    return f"{rows} x {entry.n_features:,}"


def list_sets() -> Any:
    """Return all data sets as a table.

    Returns
    -------
    pandas.DataFrame
        Indexed by name: title, shape ("training + test rows x columns"), classes (0 for a
        regression target), where ("bundled", "synthetic", "local", "mirror", "needs download",
        "external", or a stand-in's place), large (gigabytes to download), note (also why a set
        cannot be downloaded) and ids of the catalogue.

    Examples
    --------
    >>> list_sets().loc["wine", ["shape", "where"]].to_list()
    ['178 x 13', 'bundled']
    """
    import pandas as pd

    from hlsvm.datasets._find import mirror_trouble

    if trouble := mirror_trouble():
        warnings.warn(f"{trouble} (HLSVM_MIRROR)", UserWarning, stacklevel=2)
    rows = [
        {
            "name": entry.name,
            "title": entry.title,
            "shape": _shape(entry),
            "classes": entry.n_classes,
            "where": where(entry),
            "large": entry.large,
            "note": "; ".join(filter(None, [entry.external, entry.note])),
            "ids": " ".join(entry.ids),
        }
        for entry in registry().values()
    ]
    return pd.DataFrame(rows).set_index("name")


def fetch(name: str) -> list[Path]:
    """Bring a data set into the data folder, unless a mirror folder has it whole.

    Unlike `load` it never takes a stand-in. It reads only files whose digest nobody states.

    Returns
    -------
    list of Path
        The checked files; empty for bundled and synthetic sets and for scikit-learn's fetchers.

    Raises
    ------
    DataUnavailable
        It cannot be had; the message says why and what to do.
    DataCorrupted
        A file came, or was there, with a wrong digest.
    """
    from hlsvm.datasets import _find

    entry = find(name)
    if entry.built_in:
        return []
    if entry.format == "sklearn":
        from hlsvm.datasets._fetchers import read_fetched

        read_fetched(entry, download=not _find.offline())
        return []
    located, trouble = _find.locate(entry)
    located = located or _find.fetch_allowed(entry, trouble=trouble)
    return located.check(entry)


def verify(name: str) -> Any:
    """Check every file of a data set that is available against its digest.

    Returns
    -------
    pandas.DataFrame
        One row per file: file, where, status, expected, actual. Status is "good", "wrong",
        "recorded" (no digest was known; it is from now on) or "absent" (no file: one row).
    """
    import pandas as pd

    entry = find(name)
    columns = ["file", "where", "status", "expected", "actual"]
    return pd.DataFrame(_checks(entry), columns=columns)


def _checks(entry: Entry) -> list[tuple]:
    from hlsvm.datasets._find import look_in
    from hlsvm.datasets._folders import data_folder, mirror_address

    folders = [("local", data_folder()), ("mirror", mirror_address())]
    rows = []
    for place, folder in folders:
        located = look_in(folder, entry, place) if isinstance(folder, Path) else None
        for file in located.files if located else ():
            expected, _ = file.expected()
            try:
                file.check()
                file.pin()
                status = "good" if expected else "recorded"
            except DataCorrupted:
                status = "wrong"
            rows.append((file.path.name, place, status, expected or "", sha256(file.path)))
    if not rows and not entry.built_in:
        names = ", ".join(file["name"] for file in entry.files) or entry.mirror
        rows.append((names, "", "absent", "", ""))
    return rows
