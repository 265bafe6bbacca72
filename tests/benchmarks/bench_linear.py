"""One weighted hyperplane: the kernels of hlsvm.linear against LIBLINEAR at an equal objective."""

import time
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from hlsvm import datasets
from hlsvm.linear import WeightedLinearSVC, WeightedPegasos
from hlsvm.linear.weights import balanced_weights

QUESTION = (
    "How long does the weighted linear SVM of a tree's root take (processor time, medians, one "
    "process, interleaved), each solver with the loosest tolerance that brings its objective "
    "within 0.1 % of the optimum; LIBLINEAR is scikit-learn's LinearSVC with the same boxes"
)
# data set, positive class, lam, loss_scale: those of the tables, then the same in the sum form
PROBLEMS = [
    ("ijcnn1", 1, 1e-5, "mean"),
    ("ijcnn1", 1, 1e-5, "sum"),
    ("mnist", 3, 1e-4, "mean"),
    ("mnist", 3, 1e-3, "sum"),
]
WITHIN = 1e-3
REPEATS = 3


def rows(name, positive):
    """Return X (float32) and labels +-1, or made data of the same shape where it is not at hand."""
    try:
        data = datasets.load(name)
        X, y = np.ascontiguousarray(data.X_train, dtype=np.float32), data.y_train == positive
        label = name
    except datasets.DataUnavailable:
        rng = np.random.default_rng(0)
        n, d = {"ijcnn1": (49_990, 22), "mnist": (60_000, 784)}[name]
        X = rng.random((n, d), dtype=np.float32) * (rng.random((n, d)) < 0.2)
        X, label = np.ascontiguousarray(X, dtype=np.float32), f"made, as {name}"
        y = X @ rng.normal(size=d) + rng.normal(size=n) > 1.3 * np.sqrt(0.07 * d)
    return X, np.where(y, 1, -1), label


def objective(X, y, upper, model, free):
    """P(w, b) in float64, the bias a feature of value one or free of charge."""
    w, b = model.coef_[0], float(model.intercept_[0])
    loss = upper @ np.maximum(0.0, 1.0 - y * (X @ w + b))
    return 0.5 * (w @ w + (0.0 if free else b * b)) + loss


def candidates(lam, loss_scale):
    """Name -> (is the bias free, estimators, loosest first)."""
    shared = {"lam": lam, "loss_scale": loss_scale, "max_iter": 3000, "random_state": 0}
    walk = shared | {"max_iter": 10_000, "bias_scale": 1.0}
    peer = {"loss": "hinge", "C": 1.0, "max_iter": 3000, "random_state": 0}
    ours = (1e-2, 3e-3, 1e-3)
    return {
        "dual": (False, [WeightedLinearSVC(tol=tol, **shared) for tol in ours]),
        "LIBLINEAR": (False, [LinearSVC(tol=tol, **peer) for tol in (0.3, 0.1, 0.03, 0.01)]),
        "dual, free bias": (
            True,
            [WeightedLinearSVC(tol=tol, bias_feature=None, **shared) for tol in ours],
        ),
        "Pegasos, k = 1000": (True, [WeightedPegasos(**walk)]),
    }


def timed(model, X, y, upper):
    """Fit; return processor seconds."""
    weights = {"sample_weight": upper} if isinstance(model, LinearSVC) else {}
    start = time.process_time()
    model.fit(X, y, **weights)
    return time.process_time() - start


def choose(X, y, upper, lam, loss_scale):
    """Per method the loosest tolerance that comes near the optimum, and what it reaches."""
    bounds = {}
    for free, s in ((False, 1.0), (True, None)):
        sharp = WeightedLinearSVC(lam, loss_scale=loss_scale, bias_feature=s, tol=1e-4)
        sharp.set_params(max_iter=5000, random_state=0).fit(X, y)
        bounds[free] = sharp.certificates_[0].dual_objective / lam
    picked = {}
    for name, (free, models) in candidates(lam, loss_scale).items():
        for model in models:
            timed(model, X, y, upper)
            excess = objective(X, y, upper, model, free) / bounds[free] - 1
            picked[name] = (excess, model)
            if excess <= WITHIN:
                break
    return picked


def run():
    """Choose the tolerances, then time all methods in turn."""
    lines = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, positive, lam, loss_scale in PROBLEMS:
            X, y, label = rows(name, positive)
            nu = balanced_weights(y.astype(float))
            upper = nu / (lam * (len(y) if loss_scale == "mean" else 1))
            picked = choose(X, y, upper, lam, loss_scale)
            times = {method: [] for method in picked}
            for _ in range(REPEATS):
                for method, (_, model) in picked.items():
                    times[method].append(timed(model, X, y, upper))
            base = np.median(times["LIBLINEAR"])
            for method, (excess, model) in picked.items():
                seconds = np.median(times[method])
                lines.append(
                    {
                        "data": f"{label}, lam={lam:g}, {loss_scale}",
                        "method": method,
                        "tol": model.tol,
                        "n_iter": int(np.max(model.n_iter_)),
                        "fit_s": seconds,
                        "LIBLINEAR / this": base / seconds,
                        "excess_pct": 100 * excess,
                        "train_error_pct": 100 * float(np.mean(model.predict(X) != y)),
                    }
                )
    return pd.DataFrame(lines)
