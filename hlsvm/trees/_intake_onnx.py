"""Gaps and categories in ONNX: nodes that bring rows as given to the columns trees take."""

from __future__ import annotations

import json

import numpy as np

from hlsvm.trees._intake import Intake


def note(intake: Intake) -> str:
    """How gaps and categories are passed, as JSON: codes of every column of categories."""
    codes = {
        intake.word(column): {str(value): code for value, code in table.items()}
        for column, table in intake.categories.items()
    }
    return json.dumps({"gap": "NaN", "codes": codes}, ensure_ascii=False)


def _ranked(graph, column: int, rank, dtype) -> str:
    """One column of ranks, NaN where the code is none."""
    at = graph.constant(f"at_{column}", np.array([column]))
    code = graph.add("Gather", ["X", at], f"code_{column}", axis=1)
    low = graph.constant(f"none_{column}", np.zeros((), dtype))
    high = graph.constant(f"size_{column}", np.array(len(rank), dtype))
    from_zero = graph.add("GreaterOrEqual", [code, low], f"from_zero_{column}")
    below = graph.add("Less", [code, high], f"below_{column}")
    known = graph.add("And", [from_zero, below], f"known_{column}")
    safe = graph.add("Where", [known, code, low], f"safe_{column}")
    place = graph.add("Cast", [safe], f"place_{column}", to=graph.type_of(np.int64))
    table = rank if len(rank) else np.zeros(1)
    table = graph.constant(f"ranks_{column}", table.astype(dtype))
    found = graph.add("Gather", [table, place], f"found_{column}", axis=0)
    lack = graph.constant(f"lack_{column}", np.array(np.nan, dtype))
    return graph.add("Where", [known, found, lack], f"ranked_{column}")


def _runs(graph, intake: Intake, dtype) -> list[str]:
    """Columns in their order: those of numbers between two of categories in one piece."""
    pieces, start = [], 0
    for column in [*sorted(intake.encoder.ranks), intake.n_features]:
        if start < column:
            run = graph.constant(f"run_{start}", np.arange(start, column))
            pieces.append(graph.add("Gather", ["X", run], f"numbers_{start}", axis=1))
        if column < intake.n_features:
            pieces.append(_ranked(graph, column, intake.encoder.ranks[column], dtype))
        start = column + 1
    return pieces


def encode(graph, intake: Intake, dtype) -> None:
    """Add the nodes, and make their output the rows that trees take."""
    encoder = intake.encoder
    rows = "X"
    if encoder.ranks:
        rows = graph.add("Concat", _runs(graph, intake, dtype), "ranked", axis=1)
    lacks = graph.add("IsNaN", [rows], "lacks")
    filling = graph.constant("filling", encoder.filling.astype(dtype))
    graph.rows = graph.add("Where", [lacks, filling, rows], "filled")
    if len(encoder.telling):
        telling = graph.constant("telling", encoder.telling)
        flags = graph.add("Gather", [lacks, telling], "flags", axis=1)
        flags = graph.add("Cast", [flags], "companions", to=graph.type_of(dtype))
        graph.rows = graph.add("Concat", ["filled", flags], "encoded", axis=1)
