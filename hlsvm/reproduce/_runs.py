"""Runs of a sweep: what the notebook says, one record that appears whole, one table of all."""

import errno
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.util import find_spec
from io import BytesIO
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from hlsvm._files import read_json, write_json, write_whole
from hlsvm._params import shown
from hlsvm.reproduce._pool import Event, Worker, describe_failure
from hlsvm.reproduce.digests import value_digest
from hlsvm.reproduce.notebook import Notebook

RESULT_VARIABLE = "HLSVM_SWEEP_RESULT"
NO_RESULT = "there is no result: let the last cell call hlsvm.reproduce.sweep.result({...})"

_LAST = ("status", "error", "seconds", "finished", "run", "commit", "cpu")


@dataclass(frozen=True)
class Run:
    """One execution of the notebook, known by its code, its parameters and the files they name."""

    notebook: Notebook
    parameters: dict[str, Any]
    label: str
    folder: Path

    @cached_property
    def key(self) -> str:
        """Sixteen hexadecimal digits that stand for the code, the parameters and their data."""
        return value_digest([self.notebook.code_digest, *sorted(self.parameters.items())])[:16]

    @property
    def path(self) -> Path:
        """File of the record."""
        return self.folder / f"{self.key}.json"

    @property
    def failed_notebook(self) -> Path:
        """File of what was executed up to a failure."""
        return self.folder / f"{self.key}.failed.ipynb"

    @property
    def changed(self) -> dict[str, Any]:
        """Parameters that differ from the notebook's defaults."""
        known, given = self.notebook.parameters, self.parameters.items()
        return {k: v for k, v in given if value_digest(v) != value_digest(known[k].default)}

    def record(self) -> dict[str, Any] | None:
        """Read how it ended; None where it has not."""
        record = read_json(self.path)
        return record if isinstance(record, dict) and record.get("key") == self.key else None


def plan(notebook: Notebook, sets: Sequence[dict[str, Any]], folder: Path) -> list[Run]:
    """Make a run of every complete set; labels name what varies."""
    varied = [name for name in sets[0] if len({value_digest(one[name]) for one in sets}) > 1]
    runs = []
    for one in sets:
        label = " ".join(f"{name}={one[name]}" for name in varied)
        runs.append(Run(notebook, one, label or notebook.name, folder))
    return runs


@cache
def origin() -> dict[str, Any]:
    """Return commit, versions and processor of this process: the same for all its runs."""
    from hlsvm.reproduce.provenance import provenance

    made = provenance()
    return {
        "commit": (made["commit"] or "") + ("+changes" if made["dirty"] else ""),
        "cpu": made["machine"]["cpu"],
        "versions": made["versions"],
    }


def now() -> str:
    """Return the time, in UTC, as text that sorts."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def result(values: Any):
    """Say what a notebook of a sweep has found; by hand, just show it: the rows, as a DataFrame.

    Parameters
    ----------
    values : mapping, list of mappings or DataFrame
        One row, or several: names with numbers, text, booleans or None (TypeError for others).
        Called again, it adds rows.

    Examples
    --------
    >>> result({"error_pct": 2.5, "leaves": 7})
       error_pct  leaves
    0        2.5       7
    """
    import pandas as pd

    rows = [
        {str(name): _scalar(str(name), value) for name, value in row.items()}
        for row in _rows(values)
    ]
    json.dumps(rows, ensure_ascii=False).encode()  # half a character fails here, not in the table
    path = os.environ.get(RESULT_VARIABLE)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
    return pd.DataFrame(rows)


def _rows(values: Any) -> list[Mapping[str, Any]]:
    if hasattr(values, "to_dict") and hasattr(values, "columns"):
        _check_names(values.columns)
        return values.to_dict("records")
    rows = [values] if isinstance(values, Mapping) else values
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        raise TypeError(
            "The 'values' of sweep.result must be a mapping, a list of mappings or a DataFrame. "
            f"Got {type(values).__name__} instead."
        )
    for row in rows:
        _check_names(row)
    return list(rows)


def _check_names(names: Iterable[Any]) -> None:
    texts = [str(name) for name in names]
    if "" in texts or len(set(texts)) < len(texts):
        raise ValueError(
            f"The names in sweep.result must differ and not be empty. Got {shown(texts)} instead."
        )


def _scalar(name: str, value: Any) -> Any:
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(
        f"The value {name!r} of sweep.result must be a number, text, a boolean or None. "
        f"Got {type(value).__name__} instead."
    )


def execute(worker: Worker, notebook: Notebook, parameters: dict[str, Any], folder: Path) -> Event:
    """Execute a notebook; return how it ended (`Worker.run`) with its ``rows`` and ``origin``."""
    path = folder / "rows.jsonl"
    path.unlink(missing_ok=True)
    environment = {RESULT_VARIABLE: str(path)}
    outcome = worker.run(notebook, folder, parameters=parameters, environment=environment)
    if outcome["status"] == "ok":
        del outcome["executed"]  # the rows say it all
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {**outcome, "rows": [json.loads(line) for line in lines], "origin": origin()}


def _refuse_full_disk(outcome: Event, folder: Path) -> None:
    """Raise OSError where a run failed because the disk is full: that is no result of the run."""
    for code in (errno.ENOSPC, errno.EDQUOT):
        if "Error" in outcome["exception"] and f"[Errno {code}]" in outcome["message"]:
            raise OSError(code, os.strerror(code), str(folder))


def finish(run: Run, outcome: Event) -> str:
    """Write the record of a run that has ended as `execute` says; return its status."""
    status, error, rows = outcome["status"], "", outcome["rows"]
    if status == "failed":
        _refuse_full_disk(outcome, run.folder)
        error = describe_failure(run.notebook.path.name, outcome)
        if outcome["executed"]:
            write_whole(run.failed_notebook, outcome["executed"])
    elif not rows:
        status, error = "failed", NO_RESULT
    record = {
        "key": run.key,
        "parameters": run.parameters,
        "rows": rows if status == "ok" else [],
        "status": status,
        "error": error,
        "seconds": round(outcome["seconds"], 3),
        "finished": now(),
        **outcome["origin"],
    }
    write_json(run.path, record)
    if status == "ok":
        run.failed_notebook.unlink(missing_ok=True)
    return status


def _tidy(run: Run, record: dict[str, Any]) -> list[dict[str, Any]]:
    before = {
        name: json.dumps(value) if isinstance(value, list | dict) else value
        for name, value in record["parameters"].items()
    }
    after = {name: record[name] for name in ("status", "error", "seconds", "finished")}
    after |= {"run": run.key, "commit": record["commit"], "cpu": record["cpu"]}
    after |= {f"version_{name}": number for name, number in record["versions"].items()}
    rows = []
    for row in record["rows"] or [{}]:
        taken = before.keys() | after.keys()
        named = {f"result_{k}" if k in taken else k: value for k, value in row.items()}
        rows.append({**before, **named, **after})
    return rows


def write_table(runs: Sequence[Run], folder: Path) -> Path:
    """Write the table of all finished runs in the order of the grid, however they came to end.

    Columns: parameters, results, status, error, seconds, finished, run, commit, cpu, versions. A
    result that has the name of another column is called ``result_<name>``.
    """
    import pandas as pd

    rows = [row for run in runs if (record := run.record()) for row in _tidy(run, record)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    last = [name for name in names if name in _LAST or name.startswith("version_")]
    columns = [name for name in names if name not in last] + last
    frame = pd.DataFrame({name: _column([row.get(name) for row in rows]) for name in columns})
    path = folder / "results.csv"
    write_whole(path, frame.to_csv(index=False, lineterminator="\n"))
    _write_parquet(frame, path.with_suffix(".parquet"))
    return path


def _column(values: list[Any]) -> Any:
    """Make a column of one kind where all values are of one, else of the values as they are.

    Whole numbers and booleans stay what they are beside None; whole numbers beside others become
    floats where none of them loses a digit.
    """
    import pandas as pd

    kinds = {type(value) for value in values if value is not None}
    if kinds == {int} and all(v is None or -(2**63) <= v < 2**63 for v in values):
        return pd.Series(values, dtype="Int64")
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean")
    if kinds == {float} or (kinds == {int, float} and all(map(_survives, values))):
        return pd.Series(values, dtype="float64")
    return pd.Series(values, dtype=object)


def _survives(value: Any) -> bool:
    """Whether a number is the same as a float."""
    return not isinstance(value, int) or (abs(value) < 2**1023 and int(float(value)) == value)


def _write_parquet(frame: Any, path: Path) -> None:
    """Write Parquet where pyarrow is installed; a column of numbers and text becomes text."""
    if find_spec("pyarrow") is None:
        return
    buffer, texts = BytesIO(), frame.select_dtypes(object).columns
    frame.astype(dict.fromkeys(texts, "string")).to_parquet(buffer, index=False)
    write_whole(path, buffer.getvalue())
