"""Every grid of notebooks/sweeps fits its notebook, and every recorded sweep fits its grid."""

from pathlib import Path

import pandas as pd
import pytest

from hlsvm.reproduce._notebook import Notebook
from hlsvm.reproduce._values import complete, read_grid

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks" / "sweeps"
GRIDS = sorted(path.name for path in FOLDER.glob("*.yml"))
RECORDED = sorted(path.name for path in (ROOT / "data" / "results" / "sweeps").glob("*.csv"))


def sets_of(name):
    grid = FOLDER / name
    notebook = Notebook(FOLDER / f"{grid.stem.partition('-')[0]}.ipynb")
    return notebook, complete(notebook, read_grid(grid), grid)


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_names_parameters_of_its_notebook(name):
    notebook, sets = sets_of(name)
    assert "sweep.result(" in notebook.code[-1]
    assert len(sets) > 1
    varied = {key for key in sets[0] if len({str(one[key]) for one in sets}) > 1}
    assert varied


def test_every_method_has_a_notebook_and_a_grid():
    methods = {path.stem for path in FOLDER.glob("*.ipynb")}
    assert methods == {"hlsvm", "qpfs", "kqpfs", "srs_svm", "dtsvm", "metric_tree"}
    assert {name.partition("-")[0].removesuffix(".yml") for name in GRIDS} == methods


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_sweep_has_a_good_row_for_every_set(name):
    _, sets = sets_of(f"{Path(name).stem}.yml")
    table = pd.read_csv(ROOT / "data" / "results" / "sweeps" / name)
    assert len(table) == len(sets)
    assert (table["status"] == "ok").all()
    for key in sets[0]:
        if len({str(one[key]) for one in sets}) > 1:
            assert table[key].tolist() == [one[key] for one in sets]
