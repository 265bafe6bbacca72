"""The wheel: the library alone, usable in an empty environment from any folder."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel from a copy of what it is made of, without a network."""
    import setuptools

    if int(setuptools.__version__.split(".")[0]) < 77:
        pytest.skip("needs setuptools >= 77 to build without a network")
    copy = tmp_path_factory.mktemp("build")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    leave = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(ROOT / "hlsvm", copy / "hlsvm", ignore=leave)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    done = subprocess.run(
        [*command, "-w", str(copy / "dist"), str(copy)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (path,) = (copy / "dist").glob("*.whl")
    return path


def test_the_wheel_holds_the_library_its_types_and_no_chapters(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    rooms = {name.split("/")[1] for name in names if name.startswith("hlsvm/")}
    assert {"trees", "select", "datasets", "reproduce", "cli", "py.typed"} <= rooms
    assert not rooms & {"chapters", "tests"}
    assert {"hlsvm/datasets/registry.toml", "hlsvm/reproduce/hlsvm.mplstyle"} <= set(names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"hlsvm"}


def required(wheel):
    """Return the names of all distributions that the wheel asks for, without extras."""
    metadata = next(n for n in zipfile.ZipFile(wheel).namelist() if n.endswith("METADATA"))
    lines = zipfile.ZipFile(wheel).read(metadata).decode().partition("\n\n")[0].splitlines()
    waiting = [line.partition(":")[2] for line in lines if line.startswith("Requires-Dist")]
    names = set()
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        if requirement.name not in names:
            names.add(requirement.name)
            waiting += distribution(requirement.name).requires or []
    return names


def test_what_is_installed_with_the_library_is_small(wheel):
    names = {name.lower() for name in required(wheel)}
    assert not names & {"jupyterlab", "ipykernel", "papermill", "cvxpy", "matplotlib", "pytest"}
    assert len(names) <= 30


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Give the Python of an empty environment that has the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    packages = next((folder / "env" / "lib").glob("python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(packages)
    for name in required(wheel):
        for file in distribution(name).files:
            source = Path(distribution(name).locate_file(file.parts[0]))
            target = packages / file.parts[0]
            if file.parts[0] not in ("..", "__pycache__") and not target.is_symlink():
                target.symlink_to(source)
    return folder / "env" / "bin" / "python"


def run(python, folder, *arguments):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "HLSVM_ROOT")}
    environment["NUMBA_CACHE_DIR"] = str(folder / "numba")
    command = [str(python), *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


FIT = """
import sys
from hlsvm import HLSVMClassifier
from hlsvm.datasets import load
from hlsvm.trees import export_c, load_arrays, save_arrays
data = load("banana_like").split(0.25, seed=0)
model = HLSVMClassifier(lam=1e-5, random_state=0).fit(data.X_train, data.y_train)
export_c(model, "tree.h")
save_arrays(model, "tree.npz")
assert (load_arrays("tree.npz").predict(data.X_test) == model.predict(data.X_test)).all()
heavy = {"papermill", "jupyterlab", "IPython", "cvxpy", "matplotlib", "dask"} & set(sys.modules)
print(round(model.score(data.X_test, data.y_test), 2), sorted(heavy))
"""


def test_a_tree_is_fitted_and_exported_from_another_folder(installed, tmp_path):
    done = run(installed, tmp_path, "-c", FIT)
    assert done.returncode == 0, done.stderr
    score, heavy = done.stdout.split(maxsplit=1)
    assert float(score) > 0.8
    assert heavy.strip() == "[]"
    assert "static" in (tmp_path / "tree.h").read_text()


def test_a_notebook_command_says_what_is_missing(installed, tmp_path):
    done = run(installed, tmp_path, "-m", "hlsvm", "run")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: hlsvm is installed without what executes notebooks")
    assert "pip install 'hlsvm[notebooks]'" in done.stderr
    done = run(installed, tmp_path, "-m", "hlsvm", "figure", "Thesis.Fig5.6")
    assert done.returncode == 2
    assert "hlsvm is installed without its repository" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert run(installed, tmp_path, "-m", "hlsvm", "data", "list").returncode == 0
