"""Every entry is well formed, and every data set of the catalogue has one."""

import csv
import re
from pathlib import Path

import pytest

from hlsvm import datasets
from hlsvm.datasets._fetchers import _LEAVES
from hlsvm.datasets._prepare import SCALES
from hlsvm.datasets._read import _FORMATS
from hlsvm.datasets.registry import find, registered_name, registry

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = list(registry().values())


def test_catalogue_is_covered():
    with (ROOT / "data" / "catalogue.csv").open(encoding="utf-8") as stream:
        wanted = {row["id"] for row in csv.DictReader(stream) if row["kind"] == "dataset"}
    named = {i for entry in ENTRIES for i in entry.ids}
    assert wanted == named


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_entry_is_well_formed(entry):
    assert entry.title
    assert entry.licence
    assert re.fullmatch(r"[a-z][a-z0-9_]*", entry.name)
    assert entry.dtype in ("float32", "float64")
    assert entry.scale in SCALES if isinstance(entry.scale, str) else entry.scale > 0
    assert entry.n_features > 0
    assert entry.built_in or entry.citation
    assert not entry.stand_in or entry.stand_in in registry()
    ways = [entry.built_in, entry.downloadable, bool(entry.external)]
    assert sum(ways) == 1, "made here, downloadable or external: exactly one"
    if entry.downloadable:
        assert entry.format == "sklearn" or entry.files
    if entry.files:
        assert entry.format in _FORMATS
    if entry.format == "sklearn":
        assert entry.options["fetcher"] in _LEAVES
    for address in entry.official:
        assert address.startswith("https://")
        assert address.endswith("/")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_files_and_counts(entry):
    for file in entry.files:
        assert set(file) <= {"name", "part", "sha256", "url"}
        assert file["part"] in ("train", "test", "all")
        assert re.fullmatch(r"|[0-9a-f]{64}", file["sha256"])
    if entry.classes:
        assert len(entry.classes) == entry.n_classes
        rows = [v if isinstance(v, list | tuple) else [v] for v in entry.classes.values()]
        assert sum(r[0] for r in rows) == entry.n_train
        assert sum(r[1] for r in rows if len(r) == 2) == entry.n_test
    if entry.positive:
        base = registry()[entry.base]
        assert set(entry.positive) <= set(base.classes) or not base.classes
    if entry.task == "classification" and not entry.external:
        assert entry.n_classes >= 2


def test_same_file_name_means_same_file():
    digests = {}
    for entry in ENTRIES:
        for file in entry.files:
            digests.setdefault(file["name"], set()).add((file["sha256"], file.get("url", "")))
    assert all(len(versions) == 1 for versions in digests.values())


def test_unknown_name_offers_near_ones():
    with pytest.raises(ValueError, match=r"'shutle'.*shuttle"):
        find("shutle")
    with pytest.raises(TypeError, match="must be a string"):
        find(3)


def test_list_shows_every_set():
    table = datasets.list()
    assert list(table.index) == list(registry())
    assert table.loc["digits", "where"] == "bundled"
    assert table.loc["xor", "where"] == "synthetic"
    assert table.loc["vehicle", "where"] == "needs download"
    assert table.loc["rat", "where"] == "external"
    assert "public" in table.loc["rat", "note"]


def test_readme_names_every_set():
    text = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([a-z0-9_]+)` \|", text, flags=re.MULTILINE)
    assert named == list(registry())


def test_names_of_the_papers():
    names = {"IJCNN": "ijcnn1", "covertype.binary": "covtype_binary", "Forest": "covtype"}
    names |= {"Vehicle": "vehicle_binary", " usps": "usps", "all": "", "LIBSVM30": ""}
    for text, name in names.items():
        assert registered_name(text) == name
    aliases = [text.lower() for entry in registry().values() for text in entry.alias]
    assert len(aliases) == len(set(aliases)), "an alias stands for one set"
