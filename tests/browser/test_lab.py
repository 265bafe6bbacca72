"""JupyterLab in a browser: a notebook is opened, all its cells are run, the last figure is seen."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIT_MS = 150_000


@pytest.fixture
def lab(tmp_path):
    """Start JupyterLab on a copy of the first notebook; give its address."""
    notebooks = tmp_path / "work" / "notebooks"
    notebooks.mkdir(parents=True)
    shutil.copy(ROOT / "notebooks" / "00_start_here.ipynb", notebooks)
    home = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    environment = os.environ | home | {"HLSVM_ROOT": str(ROOT), "IPYTHONDIR": str(tmp_path / "ip")}
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"]
    command += ["--ServerApp.token=", "--ServerApp.password=", "--port=0", "--ip=127.0.0.1"]
    command += ["--LabApp.expose_app_in_browser=True", "--LabApp.news_url="]
    command += [f"--ServerApp.root_dir={notebooks.parent}"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    try:
        yield _address(Path(home["JUPYTER_RUNTIME_DIR"]), server, tmp_path / "log")
    finally:
        server.terminate()
        server.wait(20)


def _address(folder, server, log):
    """Return the address the server has written down, once it answers there."""
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        for path in folder.glob("jpserver-*.json"):
            base = json.loads(path.read_text())["url"].rstrip("/")
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(f"{base}/api", timeout=10) as answer:
                    assert answer.status == 200
                return base
        time.sleep(0.3)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def test_the_first_notebook_runs_from_the_menu(page, lab):
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{lab}/lab/tree/notebooks/00_start_here.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status='idle']")
    page.evaluate("void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(FINISHED, polling=500)
    found = page.evaluate(OUTPUTS)
    assert found["errors"] == []
    assert found["pictures"] >= 3
    assert page.locator(".jp-OutputArea-output img").last.is_visible() or found["pictures"]


# All code cells have been counted from 1, and none is running.
FINISHED = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const cells = [...panel.content.model.cells].filter(c => c.type === 'code');
  const done = cells.every((c, i) => c.executionCount === i + 1);
  return done && panel.sessionContext.session?.kernel?.status === 'idle';
}"""
OUTPUTS = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const cells = [...panel.content.model.cells].filter(c => c.type === 'code');
  const all = cells.flatMap(c => c.outputs.toJSON());
  return {
    errors: all.filter(o => o.output_type === 'error').map(o => o.ename + ': ' + o.evalue),
    pictures: all.filter(o => o.data && o.data['image/png']).length,
  };
}"""
