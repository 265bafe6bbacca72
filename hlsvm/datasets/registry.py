"""The table of data sets: registry.toml as objects."""

from __future__ import annotations

import difflib
import tomllib
from collections import Counter
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Any

from hlsvm._params import check_type, shown


@dataclass(frozen=True)
class Entry:
    """One data set; the keys are explained at the head of registry.toml."""

    name: str
    title: str
    ids: tuple[str, ...] = ()
    alias: tuple[str, ...] = ()
    base: str = ""
    positive: tuple[str, ...] = ()
    groups: dict[str, list[str]] = field(default_factory=dict)
    generator: str = ""
    official: tuple[str, ...] = ()
    files: tuple[dict[str, str], ...] = ()
    format: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    mirror: str = ""
    external: str = ""
    stand_in: str = ""
    n_train: int = 0
    n_test: int = 0
    n_features: int = 0
    n_classes: int = 0
    classes: dict[str, Any] = field(default_factory=dict)
    task: str = "classification"
    sparse: bool = False
    large: bool = False
    dtype: str = "float32"
    scale: str | float = "none"
    split: str = ""
    split_sizes: tuple[int, ...] = ()
    licence: str = ""
    citation: str = ""
    note: str = ""

    @property
    def downloadable(self) -> bool:
        """Whether there is an official address that serves it today."""
        return bool(self.official) and not self.external

    @property
    def most_bytes(self) -> int:
        """Most bytes that one of its files, or what it decompresses to, can have: a limit.

        Room for 32 characters per value and for the recorded partitions; 64 GiB at most.
        """
        if not self.n_train:
            return 1 << 36
        values = (self.n_train + self.n_test) * (self.n_features + 1)
        return min((1 << 26) + 32 * values, 1 << 36)

    @property
    def built_in(self) -> bool:
        """Whether it is bundled or synthetic, so always available."""
        return bool(self.generator)


# A class rule changes these; everything else comes from the base.
_NOT_INHERITED = {"base", "title", "ids", "alias", "positive", "groups"}


def _binary_counts(entry: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    counts: dict[str, Any] = {}
    for label, rows in base.get("classes", {}).items():
        sign = "1" if label in entry["positive"] else "-1"
        before = counts.get(sign)
        if before is None:
            counts[sign] = rows
        elif isinstance(rows, list):
            counts[sign] = [a + b for a, b in zip(before, rows, strict=True)]
        else:
            counts[sign] = before + rows
    return {sign: counts[sign] for sign in ("-1", "1") if sign in counts}


def _complete(name: str, table: dict[str, dict[str, Any]]) -> dict[str, Any]:
    entry = table[name]
    if "base" not in entry:
        return entry
    base = _complete(entry["base"], table)
    whole = {k: v for k, v in base.items() if k not in _NOT_INHERITED} | entry
    if "positive" in entry:
        whole["n_classes"] = 2
        whole["classes"] = _binary_counts(entry, base)
    return whole


def _freeze(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@cache
def registry() -> dict[str, Entry]:
    """All entries by name, in the order of the file."""
    text = files("hlsvm.datasets").joinpath("registry.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    known = {f.name for f in fields(Entry)}
    entries = {}
    for name in table:
        whole = _complete(name, table)
        if unknown := set(whole) - known:
            raise ValueError(f"registry.toml: [{name}] has unknown keys {sorted(unknown)}.")
        entries[name] = Entry(name=name, **{k: _freeze(v) for k, v in whole.items()})
    return entries


def find(name: str) -> Entry:
    """Return the entry of a name; an error names those nearest to it.

    Raises
    ------
    ValueError
        No data set is called so.
    """
    entries = registry()
    if not isinstance(name, str):
        raise TypeError(f"The 'name' of a data set must be a string. Got {shown(name)} instead.")
    if name in entries:
        return entries[name]
    near = difflib.get_close_matches(name.lower(), entries, n=4, cutoff=0.5)
    hint = f" Near it: {', '.join(near)}." if near else ""
    raise ValueError(
        f"No data set is called {name!r}.{hint} hlsvm.datasets.list() shows all {len(entries)}; "
        f"the path of a file must end in .csv, .npz, .svm, .svmlight or .libsvm."
    )


@cache
def _names() -> dict[str, str]:
    known = registry()
    holders = Counter(id for entry in known.values() for id in entry.ids)
    names: dict[str, str] = {}
    for name, entry in known.items():
        for id in entry.ids:
            if holders[id] == 1:  # not the id of a collection
                names.setdefault(id.partition(".data.")[2].lower(), name)
    names |= {name.lower(): name for name in known if name.lower() not in names}
    return names | {text.lower(): name for name, entry in known.items() for text in entry.alias}


def registered_name(text: str) -> str:
    """Return the registered name of what a paper calls `text`.

    Looked for, in this order, among the aliases of registry.toml, the names in the catalogue's
    ids (``Thesis.data.Vehicle``) and the registered names. Upper and lower case are the same. All
    papers mean the two-class set by "Covtype", whose registered name is ``covtype_binary``.

    Parameters
    ----------
    text : str
        As in a published table.

    Returns
    -------
    str
        A name for `hlsvm.datasets.load`; "" where no data set is called so.

    Examples
    --------
    >>> registered_name("IJCNN"), registered_name("Binary Covtype"), registered_name("all sets")
    ('ijcnn1', 'covtype_binary', '')
    """
    check_type("registered_name", "text", text, str, "text")
    return _names().get(text.strip().lower(), "")
