"""The propositions of the SRS-SVM paper, tried on solved problems (section 4 and Prop. 3)."""

import numpy as np
import pandas as pd

from hlsvm.subclass import Kernel, solve_kernel_svm

# Class +1 on one side of a line, one point opposite: the multipliers are not unique.
SIDE = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
SIDE_LABELS = np.array([1.0, 1.0, 1.0, -1.0])
#: Five points whose last subclass of class -1 is {3, 4}.
FIVE = np.array([[1.0, -3.0], [1.0, -2.0], [-1.0, -4.0], [-3.0, 4.0], [-2.0, -1.0]])
FIVE_LABELS = np.array([1.0, 1.0, -1.0, -1.0, -1.0])
_HARD = 1e3  # a cost that allows no error here


def hyperplane(X, y, rows, C: float = _HARD) -> dict:
    """Linear SVM on some rows: ``w1``, ``w2``, ``b``, and its support vectors as text."""
    rows = np.asarray(rows)
    solution = solve_kernel_svm(
        Kernel("linear"), X[rows], y[rows], np.full(len(rows), float(C)), tol=1e-9
    )
    w = solution.beta @ X[rows]
    support = ", ".join(str(k) for k in rows[solution.beta != 0])
    numbers = np.round([*w, solution.bias], 6) + 0.0  # no minus zeros
    return dict(zip(("w1", "w2", "b"), numbers, strict=True)) | {"support": support}


def proposition_1() -> pd.DataFrame:
    """Hyperplanes of three subsets of four points: Proposition 1 would make the second impossible.

    ``represents`` says whether it is that of all samples (Definition 2).
    """
    rows = []
    for subset in ([0, 1, 2, 3], [0, 1, 3], [2, 3], [0, 3]):
        rows.append({"samples": str(subset), **hyperplane(SIDE, SIDE_LABELS, subset)})
    table = pd.DataFrame(rows).drop(columns="support")
    numbers = table[["w1", "w2", "b"]]
    table["represents"] = (numbers - numbers.iloc[0]).abs().max(axis=1) < 1e-6
    return table


def proposition_3() -> pd.DataFrame:
    """Five points: the global hyperplane and those of the four pairs of subclasses.

    Sample 3 supports the first row alone.
    """
    pairs = {
        "all": [0, 1, 2, 3, 4],
        "{0} against {2}": [0, 2],
        "{1} against {2}": [1, 2],
        "{0} against {3, 4}": [0, 3, 4],
        "{1} against {3, 4}": [1, 3, 4],
    }
    rows = [
        {"problem": name, **hyperplane(FIVE, FIVE_LABELS, subset)} for name, subset in pairs.items()
    ]
    return pd.DataFrame(rows)
