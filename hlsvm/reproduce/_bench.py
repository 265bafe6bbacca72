"""Run one benchmark file and print its table: the child process of ``hlsvm bench``.

A benchmark is a file ``tests/benchmarks/bench_<name>.py`` with a text ``QUESTION`` (what it
measures, against what) and a function ``run()`` that returns a `pandas.DataFrame`, one row a
measurement. It prints nothing itself.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from hlsvm._files import write_whole
from hlsvm.reproduce.provenance import provenance


def _describe(where: dict) -> list[str]:
    machine = where["machine"]
    threads = ", ".join(f"{name}={count}" for name, count in machine["threads"].items())
    versions = ", ".join(f"{name} {number}" for name, number in where["versions"].items())
    commit = (where["commit"] or "none")[:12] + (" with changes" if where["dirty"] else "")
    return [
        f"commit   {commit}",
        f"versions {versions}",
        f"machine  {machine['cpu']}, {machine['cores']} cores, {machine['system']}",
        f"threads  {threads}",
    ]


def main(path: Path, output: Path) -> None:
    """Run the benchmark at `path`, print its table, save it as CSV at `output`."""
    import pandas as pd

    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    table = module.run()
    if not isinstance(table, pd.DataFrame) or table.empty:
        raise SystemExit(f"{path.name}: run() must return a DataFrame with rows, not {table!r}.")
    named = not isinstance(table.index, pd.RangeIndex)
    lines = _describe(provenance())
    shown = table.to_string(index=named, float_format=lambda x: f"{x:.4g}")
    comments = "".join(f"# {line}\n" for line in [" ".join(module.QUESTION.split()), *lines])
    write_whole(output, comments + table.to_csv(index=named))
    sys.stdout.write("\n".join([shown, *lines]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
