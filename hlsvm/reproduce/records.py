"""Records: a figure or table with its numbers and its provenance, under the name of its id."""

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from hlsvm import __version__
from hlsvm._files import sha256, write_together
from hlsvm.reproduce.provenance import check_clean, enter, provenance, record_digest, scrub
from hlsvm.reproduce.recorded_numbers import check_table
from hlsvm.reproduce.repository import lookup, repository_root, stem
from hlsvm.reproduce.staleness import notebook_of, section_digest

_HEAVY_SVG = 400_000  # bytes; above it, artists of many points are drawn as pixels inside the SVG
_MANY_POINTS = 500


def _drawn_numbers(data: Any) -> pd.DataFrame:
    """Check `data` and make one frame of it; the parts of a dict get a first column ``part``."""
    parts = data if isinstance(data, Mapping) else {"": data}
    wrong = [type(part).__name__ for part in parts.values() if not isinstance(part, pd.DataFrame)]
    if wrong or not parts:
        came = wrong[0] if wrong else "an empty dict"
        raise TypeError(
            "data must be the numbers that are drawn: a DataFrame or a dict of DataFrames. "
            f"Got {came} instead."
        )
    frames = [_plain(part) for part in parts.values()]
    if not any(len(frame) for frame in frames):
        raise ValueError("data must hold the numbers that are drawn. Got no rows.")
    if not isinstance(data, Mapping):
        return frames[0]
    return pd.concat(frames, keys=parts, names=["part"]).reset_index(level=0)


def read_drawn(text: str) -> pd.DataFrame | dict[str, pd.DataFrame]:
    r"""Return the numbers of a figure as its CSV holds them; a dict where it has parts."""
    cells = pd.read_csv(StringIO(text), dtype=str, keep_default_na=False)
    if cells.columns[0] != "part":
        return pd.read_csv(StringIO(text))
    parts = {}
    for name in cells["part"].unique():
        rows = cells[cells["part"] == name].drop(columns="part")
        rows = rows.loc[:, (rows != "").any()]
        parts[name] = pd.read_csv(StringIO(rows.to_csv(index=False)))
    return parts


def as_recorded(data: Any) -> pd.DataFrame | dict[str, pd.DataFrame]:
    """Return the numbers of a figure as they will be read back from its CSV."""
    buffer = StringIO()
    _write_csv(_drawn_numbers(data), 7, buffer)
    return read_drawn(buffer.getvalue())


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Named index levels become columns, a nameless counter goes; texts lose absolute paths."""
    named = [name is not None for name in frame.index.names]
    plain = frame.reset_index() if any(named) else frame.copy()
    plain.columns = [
        "_".join(str(part) for part in name if str(part)) if isinstance(name, tuple) else str(name)
        for name in plain.columns
    ]
    if plain.columns.has_duplicates:
        doubled = plain.columns[plain.columns.duplicated()][0]
        raise ValueError(f"columns must have different names. Got {doubled!r} twice.")
    for name in plain.columns:
        if plain[name].dtype == object or isinstance(plain[name].dtype, pd.StringDtype):
            plain[name] = plain[name].map(scrub, na_action="ignore")
    return plain


def _points(artist: Any) -> int:
    if hasattr(artist, "get_offsets"):
        paths = artist.get_paths() if hasattr(artist, "get_paths") else []
        return max(len(artist.get_offsets()), sum(len(path.vertices) for path in paths))
    return len(artist.get_xdata()) if hasattr(artist, "get_xdata") else 0


def _write_svg(fig: Any, id: str, path: Path) -> None:
    import matplotlib as mpl

    metadata = {"Date": None, "Creator": f"hlsvm {__version__}", "Title": id}
    with mpl.rc_context({"svg.hashsalt": id, "svg.fonttype": "path"}):
        fig.savefig(path, format="svg", metadata=metadata)
        if path.stat().st_size <= _HEAVY_SVG:
            return
        many = fig.findobj(lambda artist: _points(artist) > _MANY_POINTS)
        heavy = [artist for artist in many if not artist.get_rasterized()]
        for artist in heavy:
            artist.set_rasterized(True)
        fig.savefig(path, format="svg", metadata=metadata, dpi=150)
        for artist in heavy:
            artist.set_rasterized(False)


def _write_csv(frame: pd.DataFrame, digits: int, path: Path | StringIO) -> None:
    frame.to_csv(path, index=False, float_format=f"%.{digits}g", lineterminator="\n")


def resolve(folder: str | os.PathLike) -> Path:
    """Return `folder`; a relative one is taken from the repository, wherever we stand."""
    folder = Path(folder).expanduser()
    return folder if folder.is_absolute() else repository_root() / folder


def record_folders(scale: str, out_dir: str | os.PathLike | None = None) -> tuple[Path, Path]:
    """Return the folders of figures and of tables.

    They are in the git-ignored ``out/<scale>/``, or in `out_dir`. Only ``out_dir="record"`` names
    those of the repository (``figures/``, ``data/results/``), which paper scale alone may write.
    """
    root = repository_root()
    if out_dir == "record":
        if scale != "paper":
            raise ValueError(f"out_dir='record' keeps results at scale 'paper'. Got {scale!r}.")
        return root / "figures", root / "data" / "results"
    base = resolve(out_dir) if out_dir else root / "out" / scale
    return base / "figures", base / "results"


def _folder(out_dir: str | os.PathLike | None, scale: str, kind: int) -> Path:
    if out_dir and out_dir != "record":
        return resolve(out_dir)
    return record_folders(scale, out_dir)[kind]


def _write_json(id: str, context: Mapping[str, Any], path: Path, recording: bool) -> None:
    """Write provenance with the digests of the files written before, in the same folder."""
    files = {other.name: sha256(other) for other in sorted(path.parent.iterdir()) if other != path}
    entry = lookup(id)
    content = {
        "id": id,
        "title": entry.title,
        "notebook": notebook_of(id),
        **context,
        **provenance(),
        "code": section_digest(id) if recording else "",
        "recorded": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "files": files,
    }
    content = scrub(content)
    content["digest"] = record_digest(content)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _save(folder: Path, id: str, context: dict, writers: dict[str, Callable[[Path], object]]):
    """Write the files of a record together; one of the repository also enters the ledger."""
    recording = folder.resolve() in record_folders("paper", "record")
    if recording:
        check_clean(context.pop("since", None))
    json_file = f"{stem(id)}.json"
    writers[json_file] = lambda path: _write_json(id, context, path, recording)
    write_together(folder, writers)
    if recording:
        path = folder / json_file
        enter(path, json.loads(path.read_text(encoding="utf-8")))


def save_figure(fig, id, *, data, out_dir=None, scale="quick", **context) -> None:
    """Write ``<out_dir>/<id>.svg``, ``.png``, ``.csv`` (the numbers drawn) and ``.json``.

    The four files appear together or not at all; the same figure gives the same bytes.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        The figure. It stays open, so a notebook shows it.
    id : str
        Id of the catalogue (others: KeyError).
    data : DataFrame or dict of DataFrames
        The numbers that are drawn (a dict names the parts or panels).
    out_dir : path, optional
        Folder. Default: ``out/<scale>/figures``; "record": ``figures``, from a clean commit only
        (else RuntimeError).
    scale : str, default="quick"
        Scale the numbers were computed at.
    **context
        What else belongs to the provenance: ``params``, ``seed``, ``datasets``, ``duration_s``.
    """
    lookup(id)
    if not hasattr(fig, "savefig"):
        raise TypeError(f"fig must be a matplotlib Figure. Got {type(fig).__name__} instead.")
    numbers = _drawn_numbers(data)
    folder = _folder(out_dir, scale, 0)
    fig.canvas.draw()  # layouts settle on the first drawing; the files show the second
    name, metadata = stem(id), {"Software": f"hlsvm {__version__}", "Title": id}
    _save(
        folder,
        id,
        {"scale": scale, **context},
        {
            f"{name}.svg": lambda path: _write_svg(fig, id, path),
            f"{name}.png": lambda path: fig.savefig(path, format="png", metadata=metadata),
            f"{name}.csv": lambda path: _write_csv(numbers, 7, path),
        },
    )


def save_table(frame, id, *, out_dir=None, scale="quick", **context) -> None:
    """Write ``<out_dir>/<id>.csv`` and ``.json``; both appear or none.

    Parameters
    ----------
    frame : DataFrame
        One row per row of the published table, with its key columns (``dataset``, ``method`` ...)
        and its quantities under the same names. ``status`` ("not run: data", "not comparable: a
        sample") and ``note`` are carried along. At scale "paper" rows must match published rows.
    id, out_dir, scale, **context
        As for `save_figure`; the folders are ``out/<scale>/results`` and ``data/results``.
    """
    lookup(id)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a DataFrame. Got {type(frame).__name__} instead.")
    if frame.empty:
        raise ValueError("frame must hold at least one row and one column. Got an empty one.")
    plain = _plain(frame)
    check_table(plain, id, rows=scale == "paper")
    folder = _folder(out_dir, scale, 1)
    writers = {f"{stem(id)}.csv": lambda path: _write_csv(plain, 10, path)}
    _save(folder, id, {"scale": scale, **context}, writers)
