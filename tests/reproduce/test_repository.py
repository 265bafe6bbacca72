"""The catalogue is whole: every id once, with a home, files that exist, and names that work."""

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlsvm.reproduce import lookup, repository_root, siblings, stem
from hlsvm.reproduce.records import record_folders
from hlsvm.reproduce.repository import RepositoryNotFound, entries

PUBLISHED = repository_root() / "data" / "published"
HOMES = {
    *("00_start_here", "02_background", "03_qpfs", "04_kqpfs_equivalence", "05_hlsvm"),
    *("06_generalization_bounds", "07_global_view", "08_srs_svm", "09_dtsvm", "10_metric_tree"),
}


def test_every_id_stands_once_and_makes_its_own_file_name():
    ids = [line.split(",")[0] for line in _lines()[1:]]
    assert len(ids) == len(set(ids)) == len({stem(name) for name in ids}) == len(entries())
    assert all(re.fullmatch(r"[a-z]+-[\w.+%-]+", stem(name)) for name in ids)


def _lines():
    text = (repository_root() / "data" / "catalogue.csv").read_text(encoding="utf-8")
    return text.splitlines()


def test_every_id_has_a_home_and_a_reason_if_it_is_external():
    for entry in entries().values():
        assert entry.home in HOMES, entry.id
        assert (entry.regenerable == "no") == bool(entry.why), entry.id
        assert entry.regenerable in ("data", "diagram", "no")


def test_published_files_and_the_catalogue_name_each_other():
    named = {entry.published_csv for entry in entries().values() if entry.published_csv}
    assert named == {path.name for path in PUBLISHED.glob("*.csv")} - {"columns.csv"}


def test_what_an_id_depends_on_is_in_the_catalogue():
    for entry in entries().values():
        for other in filter(None, entry.depends_on.split(";")):
            assert other in entries(), f"{entry.id} depends on {other}"


def test_one_table_in_two_documents():
    for entry in entries().values():
        if entry.same_as:
            first = lookup(entry.same_as)
            assert first.kind == entry.kind
            assert not first.same_as
            assert entry.id in siblings(first.id)
    assert siblings("Thesis.Tab5.4") == ["Thesis.Tab5.4", "HLSVM.Tab4"]
    assert siblings("SRS.Tab4") == ["SRS.Tab4"]


def test_lookup_suggests_the_nearest_ids():
    with pytest.raises(KeyError, match=r"'Thesis\.Fig5\.66' is not in the catalogue.*Fig5\.6"):
        lookup("Thesis.Fig5.66")
    with pytest.raises(KeyError, match=r"Did you mean.*'Thesis\.Tab5\.4'"):
        lookup("thesis.tab5.4")
    with pytest.raises(KeyError, match=r"data/catalogue\.csv lists them"):
        lookup("???")
    with pytest.raises(TypeError, match="id must be text"):
        lookup(5)


@given(st.text(max_size=30))
def test_lookup_finds_an_id_or_says_so(name):
    if name in entries():
        assert lookup(name).id == name
    else:
        with pytest.raises(KeyError):
            lookup(name)


def test_same_as():
    assert lookup("HLSVM.Tab4").same_as == "Thesis.Tab5.4"


def test_the_root_is_found_from_any_folder(repository, monkeypatch, tmp_path):
    inside = repository / "data" / "published"
    monkeypatch.chdir(inside)
    assert repository_root() == repository
    monkeypatch.delenv("HLSVM_ROOT")
    assert repository_root() == repository
    monkeypatch.chdir(tmp_path)
    assert (repository_root() / "hlsvm").is_dir()


def test_a_wrong_root_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("HLSVM_ROOT", str(tmp_path))
    with pytest.raises(RepositoryNotFound, match="is not a clone of the repository"):
        repository_root()


def test_without_a_repository_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("HLSVM_ROOT", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hlsvm.reproduce.repository.__file__", str(tmp_path / "a" / "b" / "c.py"))
    with pytest.raises(RepositoryNotFound, match="installed without its repository"):
        repository_root()


def test_where_records_go(repository, tmp_path):
    kept = repository / "figures", repository / "data" / "results"
    assert record_folders("paper", "record") == kept
    assert record_folders("paper")[0] == repository / "out" / "paper" / "figures"
    assert record_folders("quick", "")[0] == repository / "out" / "quick" / "figures"
    assert record_folders("quick", "mine")[1] == repository / "mine" / "results"
    assert record_folders("paper", tmp_path)[0] == tmp_path / "figures"


def test_importing_the_room_is_free():
    code = (
        "import sys, hlsvm.reproduce as r\n"
        "assert not {'pandas', 'numpy', 'matplotlib'} & set(sys.modules)\n"
        "assert r.lookup('Thesis.Fig5.6').home == '05_hlsvm'\n"
        "assert not {'pandas', 'matplotlib'} & set(sys.modules)\n"
        "missing = [name for name in r.__all__ if not hasattr(r, name)]\n"
        "assert not missing, missing\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
