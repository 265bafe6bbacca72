"""JupyterLab in a browser: a notebook is opened, all its cells are run, the last figure is seen."""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIT_MS = 150_000
_TRIES, _START_SECONDS = 3, 40


def _command(folder, flags):
    """Return what `make lab` calls in a folder, with the Python of the tests."""
    make = ["make", "--dry-run", "-f", str(ROOT / "Makefile"), "-C", str(folder), "lab"]
    make += [f"BIN={Path(sys.executable).parent}", f"LABFLAGS={' '.join(flags)}"]
    said = subprocess.run(make, capture_output=True, text=True, check=True).stdout
    (line,) = [line for line in said.splitlines() if "jupyter lab " in line]
    return shlex.split(line)


@contextlib.contextmanager
def _lab(folder, tmp_path):
    """Start JupyterLab in a folder by the command of the Makefile; give its address."""
    home = {
        name: str(tmp_path / name)
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR")
    }
    settings = tmp_path / "JUPYTERLAB_SETTINGS_DIR" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')
    environment = os.environ | home | {"HLSVM_ROOT": str(ROOT), "IPYTHONDIR": str(tmp_path / "ip")}
    flags = ["--no-browser", "--allow-root", "--ServerApp.token=", "--ServerApp.password="]
    flags += ["--port=0", "--ip=127.0.0.1", "--LabApp.expose_app_in_browser=True"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            _command(folder, flags), stdout=log, stderr=log, env=environment, cwd=folder
        )
    try:
        yield _address(Path(home["JUPYTER_RUNTIME_DIR"]), server, tmp_path / "log")
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:  # it waits for kernels that are still busy
            server.kill()
            server.wait(20)


@pytest.fixture
def lab(tmp_path):
    """Start JupyterLab on a copy of the first notebook, without outputs; give its address."""
    notebooks = tmp_path / "work" / "notebooks"
    notebooks.mkdir(parents=True)
    notebook = nbformat.read(ROOT / "notebooks" / "00_start_here.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, notebooks / "00_start_here.ipynb")
    for name in ("pyproject.toml", "constraints.txt"):  # what the target depends on
        (notebooks.parent / name).touch()
    with _lab(notebooks.parent, tmp_path) as address:
        yield address


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


def _run_all(page):
    """Run all cells; again where a kernel that JupyterLab gave up at its start took the request."""
    for _ in range(_TRIES):
        page.wait_for_function(READY, polling=500)
        page.evaluate("void window.jupyterapp.commands.execute('notebook:run-all-cells')")
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            if page.evaluate(STARTED):
                return
            page.wait_for_timeout(500)
    pytest.fail(f"no cell was run in {_TRIES} x {_START_SECONDS} seconds")


def test_the_first_notebook_runs_from_the_menu(page, lab):
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{lab}/lab/tree/notebooks/00_start_here.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    _run_all(page)
    page.wait_for_function(FINISHED, polling=500)
    seen = page.evaluate(OUTPUTS)
    assert seen["errors"] == []
    assert seen["pictures"] >= 1
    page.evaluate(GO_TO_LAST_PICTURE)
    picture = page.locator(".jp-Cell.jp-mod-active .jp-OutputArea-output img").last
    picture.wait_for(state="visible")
    assert picture.evaluate("image => image.complete && image.naturalWidth") > 100


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_every_picture_of_every_notebook_is_shown(page, tmp_path):
    broken, seen = {}, 0
    with _lab(ROOT, tmp_path) as address:
        page.set_default_timeout(WAIT_MS)
        page.goto(f"{address}/lab?reset")
        page.wait_for_selector(".jp-Launcher")
        page.evaluate(START_NO_KERNEL)
        for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
            if ".ipynb_checkpoints" in path.parts:
                continue
            name = path.relative_to(ROOT).as_posix()
            page.evaluate(OPEN, name)
            page.wait_for_selector(".jp-Notebook .jp-MarkdownCell h1")
            page.wait_for_function(LOADED, polling=100)
            images = page.evaluate(IMAGES)
            seen += len(images)
            broken[name] = [image["source"] for image in images if not image["width"]]
            assert page.get_by_text("official Jupyter news").count() == 0
            page.evaluate(CLOSE)
    assert {name: images for name, images in broken.items() if images} == {}
    assert seen > 10


START_NO_KERNEL = """() => {
  const registry = window.jupyterapp.docRegistry;
  const preference = registry.getKernelPreference.bind(registry);
  registry.getKernelPreference = (...which) => ({...preference(...which), shouldStart: false});
}"""
OPEN = """async path => {
  await window.jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
}"""
CLOSE = "() => window.jupyterapp.shell.currentWidget.dispose()"
IMAGES = """() => [...document.querySelectorAll('.jp-MarkdownCell img, .jp-OutputArea img')]
  .map(i => ({source: i.alt || i.src.slice(0, 80), width: i.naturalWidth}))"""
LOADED = """() => {
  const cells = document.querySelectorAll('.jp-Notebook .jp-Cell').length;
  const expected = window.jupyterapp?.shell.currentWidget?.content?.model?.cells?.length;
  const images = [...document.querySelectorAll('.jp-MarkdownCell img, .jp-OutputArea img')];
  return cells === expected && images.every(i => i.complete);
}"""
# The kernel is connected and waits.
READY = """() => {
  const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
  const kernel = context?.session?.kernel;
  return Boolean(context?.isReady) && kernel?.connectionStatus === 'connected'
    && kernel.status === 'idle';
}"""
# A cell has been counted.
STARTED = """() => {
  const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells];
  return cells.some(c => c.type === 'code' && c.executionCount > 0);
}"""
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
# JupyterLab draws only the cells in view.
GO_TO_LAST_PICTURE = """async () => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  const shows = c => c.type === 'code' && c.outputs.toJSON().some(o => o.data?.['image/png']);
  const last = [...notebook.model.cells].findLastIndex(shows);
  notebook.activeCellIndex = last;
  await notebook.scrollToItem(last);
}"""
