"""The badges lead to files that are here, and say nothing that is not public."""

import re
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from hlsvm.reproduce.badges import badges, project_of, remote_of, with_badges

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
HERE = ("github.com", "someone/hlsvm")


def links(text):
    return dict(re.findall(r"\[!\[Open (?:on|in) (\w+)\]\([^)]+\)\]\(([^)]+)\)", text))


def test_both_badges_open_a_notebook_that_is_here():
    found = links(badges(HERE))
    binder, colab = urlsplit(found["Binder"]), urlsplit(found["Colab"])
    assert binder.path == "/v2/gh/someone/hlsvm/HEAD"
    assert (ROOT / parse_qs(binder.query)["labpath"][0]).is_file()
    owner, _, path = unquote(colab.path).removeprefix("/github/").partition("/blob/main/")
    assert owner == "someone/hlsvm"
    assert (ROOT / path).is_file()


def test_binder_finds_its_environment_and_nothing_that_comes_before_it():
    assert (ROOT / "environment.yml").is_file()
    for other in ("binder", ".binder", "Dockerfile", "Pipfile"):
        assert not (ROOT / other).exists()


def test_the_readme_has_the_badges_and_says_how_to_install_on_colab():
    found = links(README)
    assert set(found) == {"Binder", "Colab"}
    direct = re.match(r"https://mybinder.org/v2/g[hl]/([^/]+/?[^/]*)/HEAD", found["Binder"])
    host = "gitlab.com" if "/v2/gl/" in found["Binder"] else "github.com"
    project = (host, unquote(direct[1])) if direct else None
    assert with_badges(README, project) == README
    install = README.partition("### In the browser")[2].partition("```")[2].partition("```")[0]
    assert "%pip install --quiet './hlsvm[dask]'" in install
    folder = install.split("%cd hlsvm/")[1].strip()
    assert (ROOT / folder / "00_start_here.ipynb").is_file()


@pytest.mark.parametrize(
    ("remote", "project"),
    [
        ("https://github.com/someone/hlsvm", HERE),
        ("https://github.com/someone/hlsvm.git/", HERE),
        ("https://user:secret@github.com/someone/hlsvm.git", HERE),
        ("git@github.com:someone/hlsvm.git", HERE),
        ("ssh://git@github.com:22/someone/hlsvm.git", HERE),
        ("git@gitlab.com:a/b/hlsvm.git", ("gitlab.com", "a/b/hlsvm")),
        ("https://git.example.org/someone/hlsvm", None),
        ("/srv/git/hlsvm.git", None),
        ("", None),
    ],
)
def test_only_public_hosts_are_named(remote, project):
    assert project_of(remote) == project
    assert "secret" not in badges(project_of(remote))


def test_a_group_of_gitlab_is_one_part_of_the_address():
    assert "/v2/gl/a%2Fb%2Fhlsvm/HEAD?" in links(badges(("gitlab.com", "a/b/hlsvm")))["Binder"]


def test_the_remote_of_a_clone_is_read(tmp_path):
    assert remote_of(tmp_path / "nowhere") == ""
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    assert remote_of(tmp_path) == ""
    subprocess.run(
        [*git, "remote", "add", "origin", "git@github.com:someone/hlsvm.git"], check=True
    )
    assert project_of(remote_of(tmp_path)) == HERE


def test_a_readme_without_marks_stays_as_it_is():
    assert with_badges("# hlsvm\n", HERE) == "# hlsvm\n"
