"""What experiments share: a data set as a paper uses it, and a gap as a value."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from hlsvm import datasets


@dataclass(frozen=True)
class NotRun:
    """Why there is no number: ``str()`` is the `status` of a table's row.

    Examples
    --------
    >>> str(NotRun("data", "SensIT Vehicle"))
    'not run: data (SensIT Vehicle)'
    """

    reason: str
    what: str = ""

    def __str__(self) -> str:
        return f"not run: {self.reason}" + (f" ({self.what})" if self.what else "")


@dataclass(frozen=True)
class Problem:
    """A data set as a paper uses it.

    Attributes
    ----------
    name : str
        As the paper prints it.
    data : str
        Name for `hlsvm.datasets.load`; "" where nobody has it.
    missing : str
        What is missing, for the row "not run: data".
    settings : dict
        What the paper prints for it, such as ``{"C": 10, "gamma": 1}``.
    options : dict
        More for `hlsvm.datasets.load`.
    """

    name: str
    data: str = ""
    missing: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def gap(self) -> NotRun | None:
        """Return why it cannot be run, None if it can; nothing is loaded."""
        sample = self.options.get("sample", True)
        if self.data and datasets.available(self.data, sample=sample):
            return None
        return NotRun("data", self.missing or self.data)

    def load(self):
        """Return the `Dataset`."""
        return datasets.load(self.data, **self.options)


def over(
    record: Any,
    problems: Iterable[Problem],
    methods: Mapping[str, Any],
    measure: Callable[[Problem, Any], Any],
) -> pd.DataFrame:
    """Measure every method on every problem, each as a kept step; one row or more for each.

    `measure` is the protocol, written in the notebook: ``(problem, method) -> dict, list of dict,
    DataFrame or NotRun``; `methods` are whatever it takes, by name. A problem with a gap gets one
    row per method, with the gap as its ``status``.
    """
    rows = []
    for problem in record.progress(list(problems), "data sets"):
        gap = problem.gap()
        for name, method in methods.items():
            head = {"dataset": problem.name, "method": name}
            result = gap or record.step(measure, problem, method)
            rows += [{**head, **row} for row in _rows(result)]
    return pd.DataFrame(rows)


def _rows(result: Any) -> list[dict]:
    if isinstance(result, NotRun):
        return [{"status": str(result)}]
    if isinstance(result, pd.DataFrame):
        return result.to_dict("records")
    return list(result) if isinstance(result, list) else [result]
