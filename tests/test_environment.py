"""pyproject.toml, constraints.txt, environment.yml, the Makefile and CITATION.cff agree."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hlsvm import __version__
from hlsvm.cli import main
from hlsvm.reproduce._pool import PINS, has_avx2, quiet_environment

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRAS = [
    Requirement(text)
    for texts in PROJECT["optional-dependencies"].values()
    for text in texts
    if not text.startswith("hlsvm")
]
TARGETS = (
    "figures",
    "test",
    "paper",
    "lab",
    "site",
    "bench",
    "setup",
    "lint",
    "unit",
    "notebooks",
    "portable",
)


def pinned(lines, sign):
    pairs = (line.split(sign) for line in lines if sign in line and not line.startswith("#"))
    return {canonicalize_name(name.strip()): version.strip() for name, version in pairs}


CONSTRAINTS = pinned((ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines(), "==")
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
CONDA = pinned([item for item in ENVIRONMENT["dependencies"] if isinstance(item, str)], "=")


@pytest.mark.parametrize("requirement", RUNTIME + EXTRAS, ids=str)
def test_the_tested_version_is_pinned_and_within_the_declared_range(requirement):
    version = CONSTRAINTS[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(version)


def test_conda_installs_the_runtime_dependencies_in_the_tested_versions():
    notebooks = map(Requirement, PROJECT["optional-dependencies"]["notebooks"])
    runtime = {canonicalize_name(requirement.name) for requirement in [*RUNTIME, *notebooks]}
    assert {name: CONDA[name] for name in CONDA if name != "python"} == {
        name: CONSTRAINTS[name] for name in runtime
    }


def test_conda_installs_the_package_and_a_python_it_supports():
    pip = next(item["pip"] for item in ENVIRONMENT["dependencies"] if isinstance(item, dict))
    assert pip == ["--constraint constraints.txt", "--editable .[notebooks,dask]"]  # 07_global_view
    assert "pip" in ENVIRONMENT["dependencies"]
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(CONDA["python"])


def make(*arguments):
    command = ["make", "--dry-run", "--always-make", "--directory", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("target", TARGETS)
def test_every_target_stands_in_the_makefile_and_sets_itself_up(target):
    said = make(target)
    assert "-m venv" in said
    assert "--constraint constraints.txt --editable '.[test]'" in said


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_the_makefile_calls_commands_and_options_that_exist():
    said = make("figures", "paper", "bench", "site")
    calls = [shlex.split(line)[1:] for line in said.splitlines() if "bin/hlsvm " in line]
    assert {call[0] for call in calls} == {"run", "data", "bench", "report", "site", "warmup"}
    for call in calls:
        command = main
        while hasattr(command, "commands"):
            command = command.commands[call.pop(0)]
        command.make_context(command.name, call)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.skipif(not has_avx2(), reason="needs Linux on x86-64 with AVX2")
def test_the_makefile_and_the_runner_pin_the_same_arithmetic(monkeypatch, tmp_path):
    for name in PINS:
        monkeypatch.delenv(name, raising=False)
    assert PINS.items() <= quiet_environment().items()
    (tmp_path / "python").write_text("#!/bin/sh\nenv\n")
    (tmp_path / "python").chmod(0o755)
    ready = ["READY=/dev/null", f"BIN={tmp_path}"]
    command = ["make", "-s", "-C", str(ROOT), "-o", "/dev/null", *ready, "unit"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert (
        PINS.items()
        <= dict(line.split("=", 1) for line in said.splitlines() if "=" in line).items()
    )


def test_the_command_is_installed_from_the_module_tested_here():
    assert PROJECT["scripts"] == {"hlsvm": "hlsvm.cli:main"}
    assert PROJECT["version"] == __version__


class TestCitation:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

    def test_has_what_version_1_2_0_requires(self):
        assert self.citation["cff-version"] == "1.2.0"
        assert {"message", "title", "authors"} <= self.citation.keys()
        assert self.citation["version"] == __version__
        assert self.citation["license"] == PROJECT["license"]
        works = [self.citation["preferred-citation"], *self.citation["references"]]
        for work in works:
            assert {"type", "title", "authors"} <= work.keys()
            for author in work["authors"]:
                assert {"family-names", "given-names"} == author.keys()

    def test_prefers_the_thesis_and_lists_the_four_papers(self):
        thesis = self.citation["preferred-citation"]
        assert (thesis["type"], thesis["year"]) == ("thesis", 2012)
        assert re.match("A Practical View of Large-Scale Classification", thesis["title"])
        assert len(self.citation["references"]) == 4


def test_the_deposit_says_what_the_citation_says():
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    citation = TestCitation.citation
    for ours, theirs in (("title", "title"), ("version", "version"), ("license", "license"),
                         ("description", "abstract"), ("keywords", "keywords")):  # fmt: skip
        assert deposit[ours] == citation[theirs]
    papers = {work.get("doi") for work in citation["references"]}
    assert {entry["identifier"] for entry in deposit["related_identifiers"]} <= papers


def test_every_bundled_and_generated_set_has_a_data_card():
    registry = tomllib.loads((ROOT / "hlsvm/datasets/registry.toml").read_text(encoding="utf-8"))
    cards = (ROOT / "docs/data_cards.md").read_text(encoding="utf-8")
    made = [name for name, entry in registry.items() if "generator" in entry]
    assert len(made) > 10
    for name in made:
        assert f"| `{name}` |" in cards, name
