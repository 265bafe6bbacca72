"""Tables 3.3 to 3.7 of the Thesis, with the rows that could not be run."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from hlsvm.chapters.qpfs.curves import divisions, means, paired_test
from hlsvm.chapters.qpfs.problems import FOLDS, NOT_RUN
from hlsvm.reproduce import published
from hlsvm.select import QPFS, StreamwiseSelector, alpha_hat, similarity_of

_SHORT = {"mRMR MID": "MID", "mRMR MIQ": "MIQ"}


def baseline_error(X, y, *, repeats=1, seed=0, folds=FOLDS) -> float:
    """Return the error in percent with all features, by cross-validation."""
    errors = []
    for train, test in divisions(len(X), repeats, seed, folds):
        scaler = MinMaxScaler().fit(X[train])
        svm = SVC(kernel="linear").fit(scaler.transform(X[train]), y[train])
        errors.append(np.mean(svm.predict(scaler.transform(X[test])) != y[test]))
    return 100.0 * float(np.mean(errors))


def sizes(data: dict[str, tuple], *, repeats=1, seed=0, folds=FOLDS) -> pd.DataFrame:
    """Return Table 3.3: sizes, and the error with all features."""
    rows = [
        {
            "dataset": name,
            "n_samples": len(X),
            "n_features": X.shape[1],
            "n_classes": len(np.unique(y)),
            "baseline_error_pct": baseline_error(X, y, repeats=repeats, seed=seed, folds=folds),
        }
        for name, (X, y) in data.items()
    ]
    return pd.DataFrame(rows)


def alphas(problems, data: dict[str, tuple], correlation=()) -> pd.DataFrame:
    """Return Table 3.4: means of Q and F (in bits for "MI") and the alpha of Eq. 3.7.

    The logarithm of the source is not known; alpha does not depend on it.
    """
    rows = []
    for problem in problems:
        if problem.name not in data:
            continue
        X, y = data[problem.name]
        codes = np.unique(y, return_inverse=True)[1]
        kinds = ("cor", "MI") if problem.name in correlation else ("MI",)
        for kind in kinds:
            name = "pearson" if kind == "cor" else "mi"
            read = similarity_of(X, name, **problem.reading)
            unit = 1.0 if kind == "cor" else np.log(2.0)
            q, f = read.mean() / unit, float(np.mean(read.relevance(codes))) / unit
            row = {"dataset": problem.name, "similarity": kind, "nystrom_p": ""}
            rows.append({**row, "q_bar": q, "f_bar": f, "alpha_hat": alpha_hat(q, f)})
    return pd.DataFrame(rows)


def all_pixels(X, y) -> pd.DataFrame:
    """Return the row of MNIST in Table 3.4, over all pixels; the source takes fewer."""
    codes = np.unique(y, return_inverse=True)[1]
    read = similarity_of(X)
    q, f = read.mean() / np.log(2.0), float(np.mean(read.relevance(codes))) / np.log(2.0)
    why = 'not comparable: the source counts "only nonzero values", of what it does not say'
    row = {"dataset": "MNIST", "similarity": "MI", "nystrom_p": "", "q_bar": q, "f_bar": f}
    return pd.DataFrame([{**row, "alpha_hat": alpha_hat(q, f), "status": why}])


def spans(X, y, name: str, grid) -> pd.DataFrame:
    """Return alpha of Eq. 3.7 for discretisations (n, s), beside the one that is printed."""
    codes = np.unique(y, return_inverse=True)[1]
    rows = []
    for n_bins, span in grid:
        read = similarity_of(X, n_bins=n_bins, span=span)
        q, f = read.mean(), float(np.mean(read.relevance(codes)))
        row = {"dataset": name, "n": n_bins, "s": span, "alpha": alpha_hat(q, f)}
        rows.append({**row, "q_bits": q / np.log(2), "f_bits": f / np.log(2)})
    return pd.DataFrame(rows)


def versus(rows: pd.DataFrame) -> pd.DataFrame:
    """Return Table 3.5: mRMR and QPFS, with the one-tailed paired t test over the folds."""
    found = []
    for (name, count), part in rows[rows.group == "table"].groupby(
        ["dataset", "n_features"], sort=False
    ):
        wide = part.pivot_table(index="fold", columns="method", values="error_pct").dropna()
        theirs, ours = wide["mRMR MID"].to_numpy(), wide["QPFS"].to_numpy()
        p = paired_test(theirs, ours)
        found.append(
            {
                "dataset": name,
                "alpha_hat": part[part.method == "QPFS"].alpha.mean(),
                "n_features": count,
                "mrmr_error_pct": theirs.mean(),
                "mrmr_error_pm": theirs.std(ddof=1) / np.sqrt(len(theirs)),
                "qpfs_error_pct": ours.mean(),
                "qpfs_error_pm": ours.std(ddof=1) / np.sqrt(len(ours)),
                "significant": "yes" if p < 0.05 else "no",
                "p_value": p,
                "folds": len(wide),
            }
        )
    return pd.DataFrame(found)


def selectors(rows: pd.DataFrame) -> pd.DataFrame:
    """Return Table 3.6: error of the selectors at every number of features."""
    frame = means(rows[rows.group == "table"])
    frame["method"] = frame.method.map(lambda name: _SHORT.get(name, name))
    frame["nystrom_p"] = ""
    keep = ["dataset", "method", "nystrom_p", "n_features", "error_pct", "error_pm", "folds"]
    return frame[keep]


def streamwise(data: dict[str, tuple], *, repeats=1, seed=0, folds=FOLDS) -> pd.DataFrame:
    """Return Table 3.7: how many features streamwise selection keeps, and its error."""
    found = []
    for name, (X, y) in data.items():
        kept, errors = [], []
        for train, test in divisions(len(X), repeats, seed, folds):
            chosen = StreamwiseSelector().fit(X[train], y[train]).get_support()
            scaler = MinMaxScaler().fit(X[train][:, chosen])
            svm = SVC(kernel="linear").fit(scaler.transform(X[train][:, chosen]), y[train])
            guess = svm.predict(scaler.transform(X[test][:, chosen]))
            kept.append(chosen.sum())
            errors.append(100.0 * np.mean(guess != y[test]))
        found.append(
            {
                "dataset": name,
                "n_selected_mean": np.mean(kept),
                "n_selected_pm": np.std(kept, ddof=1) / np.sqrt(len(kept)),
                "error_pct": np.mean(errors),
                "error_pm": np.std(errors, ddof=1) / np.sqrt(len(errors)),
            }
        )
    return pd.DataFrame(found)


def with_not_run(frame: pd.DataFrame, id: str, missing: dict[str, str]) -> pd.DataFrame:
    """Add the published rows of sets that are not at hand, saying so in ``status``."""
    keys = [
        name
        for name in ("dataset", "method", "similarity", "nystrom_p", "n_features")
        if name in frame.columns and (id != "Thesis.Tab3.3" or name == "dataset")
    ]
    why = {**NOT_RUN, **missing}
    theirs = published(id, printed=True)
    gone = theirs[theirs.dataset.isin(why)][keys].drop_duplicates()
    gone = gone.assign(status=gone.dataset.map(why))
    if "n_features" in keys:
        gone["n_features"] = pd.to_numeric(gone.n_features)
    return pd.concat([frame.assign(status=""), gone], ignore_index=True)


def indefinite(problems, data: dict[str, tuple]) -> pd.DataFrame:
    """Return the smallest eigenvalue of Q and what QPFS did about it (erratum E12)."""
    from hlsvm.select import smallest_eigenvalue

    rows = []
    for problem in problems:
        if problem.name not in data or data[problem.name][0].shape[1] > 5000:
            continue
        X, y = data[problem.name]
        for kind in ("pearson", "mi"):
            read = {} if kind == "pearson" else problem.reading
            value = smallest_eigenvalue(similarity_of(X, kind, **read).matrix())
            with warnings.catch_warnings():  # the table says what the warning says
                warnings.simplefilter("ignore", ConvergenceWarning)
                proof = QPFS(similarity=kind, alpha=0.3, **read).fit(X, y).certificate_
            rows.append(
                {
                    "dataset": problem.name,
                    "similarity": kind,
                    "smallest eigenvalue": value,
                    "features entered": proof["n_columns"],
                    "their smallest eigenvalue": proof["curvature"],
                    "relative gap": proof["relative_gap"],
                }
            )
    return pd.DataFrame(rows)
