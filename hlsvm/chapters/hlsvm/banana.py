"""The banana of Thesis Fig. 5.5 and HLSVM Fig. 2: what the running text says of it, measured."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.svm import SVC, LinearSVC

from hlsvm.datasets import Dataset
from hlsvm.reproduce.timing import median_time
from hlsvm.trees import HLSVMClassifier

# Settings of the RBF SVM on Raetsch's banana as the benchmark's authors chose them.
_C, _GAMMA = 316.2, 1.0


def banana_answers(
    part: Dataset, trees: pd.DataFrame, *, lam: float, min_fraction: float, rho: float, seed: int
) -> pd.DataFrame:
    """Answer the numbers in the text on the banana: rows ``id`` and ``value``.

    Parameters
    ----------
    part : Dataset
        The division the trees were trained on.
    trees : DataFrame
        Accuracy and cost of the unpruned and the pruned tree (`pictures.draw_banana`).
    lam, min_fraction, rho : float
        Settings of the trees.
    seed : int
    """
    linear = LinearSVC(random_state=seed).fit(part.X_train, part.y_train)
    kernel = SVC(C=_C, gamma=_GAMMA).fit(part.X_train, part.y_train)
    tree = HLSVMClassifier(
        lam=lam, min_fraction=min_fraction, prune_fraction=rho, random_state=seed
    ).fit(part.X_train, part.y_train)
    seconds = [
        median_time(lambda model=model: model.predict(part.X_test), repeats=3)
        for model in (kernel, tree)
    ]
    pruned = trees.iloc[-1]
    values = {
        "linear accuracy": 100 * linear.score(part.X_test, part.y_test),
        "RBF accuracy": 100 * kernel.score(part.X_test, part.y_test),
        "support vectors": kernel.n_support_.sum(),
        "lambda": lam,
        "delta": min_fraction,
        "hyperplanes": pruned.hyp_max,
        "accuracy": pruned.accuracy_pct,
        "orders of magnitude": np.log10(seconds[0] / seconds[1]),
    }
    # The Thesis and the paper number the same eight statements apart.
    order = [
        "linear accuracy",
        "RBF accuracy",
        "support vectors",
        "lambda",
        "delta",
        "hyperplanes",
        "accuracy",
        "orders of magnitude",
    ]
    ids = [f"Thesis.text{54 + k:03d}" for k in range(8)] + [
        f"HLSVM.text{5 + k:03d}" for k in range(8)
    ]
    return pd.DataFrame(
        {"id": ids, "quantity": order * 2, "value": [float(values[name]) for name in order * 2]}
    )
