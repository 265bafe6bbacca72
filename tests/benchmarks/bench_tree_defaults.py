"""Do the defaults of the oblique tree and forest rank and err well, without any tuning?"""

import time

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from hlsvm import ObliqueForestClassifier, ObliqueTreeClassifier, datasets

QUESTION = (
    "Which test error (%), AUC and expected calibration error (%) do the default oblique tree and "
    "forest reach beside a CART tree and a linear SVM that were tuned by 5-fold cross-validation "
    "on the same training part, and beside forests and boosting with their defaults? (Tree: no "
    "set worse than the better of the two tuned by more than 0.3; forest: than the best of the "
    "others by more than 0.5; ijcnn1: AUC >= 0.990 and 0.9965, calibration <= 1.0 %.) Means of ten "
    "divisions where a set has no test part and fewer than 2,500 rows."
)
SETS = (
    "ijcnn1", "a9a", "shuttle_binary", "covtype_first20k", "pendigits", "letter", "usps",
    "svmguide1", "mushrooms", "german", "diabetes", "australian",
)  # fmt: skip


def parts(name):
    """Divisions into training and test part; a quarter to test where none comes with the data."""
    data = datasets.load(name)
    if data.X_test is not None:
        return [(data.X_train, data.X_test, data.y_train, data.y_test)]
    return [
        train_test_split(data.X, data.y, test_size=0.25, random_state=seed, stratify=data.y)
        for seed in range(10 if len(data.y) < 2_500 else 1)
    ]


def models():
    """Classifiers by name; the rivals search their settings on the training part."""
    cart = {"ccp_alpha": [0.0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2], "min_samples_leaf": [1, 5, 20]}
    line = make_pipeline(StandardScaler(), LinearSVC(dual="auto", random_state=0))
    costs = {"linearsvc__C": [1e-3, 1e-2, 0.1, 1.0, 10.0]}
    return {
        "tree, default": ObliqueTreeClassifier(random_state=0),
        "forest, default": ObliqueForestClassifier(random_state=0),
        "CART, tuned": GridSearchCV(DecisionTreeClassifier(random_state=0), cart, cv=5),
        "linear SVM, tuned": GridSearchCV(line, costs, cv=5),
        "random forest": RandomForestClassifier(random_state=0),
        "histogram boosting": HistGradientBoostingClassifier(random_state=0),
    } | lightgbm()


def lightgbm():
    """LightGBM with its defaults, where it is installed."""
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return {}
    return {"LightGBM": LGBMClassifier(random_state=0, verbose=-1, n_jobs=1)}


def calibration_error(p, hit, bins=15):
    """Mean distance of a probability from the share of hits, over bins of equal width."""
    place = np.minimum((p * bins).astype(int), bins - 1)
    weight = np.bincount(place, minlength=bins)
    gap = np.abs(np.bincount(place, p, bins) - np.bincount(place, hit, bins))
    return gap.sum() / weight.sum()


def measure(model, X, X_test, y, y_test):
    """Return error, seconds, and for two classes with probabilities how well they rank."""
    start = time.process_time()
    model.fit(X, y)
    row = {"fit_s": time.process_time() - start}
    row["error_pct"] = 100 * np.mean(model.predict(X_test) != y_test)
    if len(model.classes_) == 2 and hasattr(model, "predict_proba"):
        p, hit = model.predict_proba(X_test)[:, 1], y_test == model.classes_[1]
        row |= {"auc": roc_auc_score(hit, p), "ece_pct": 100 * calibration_error(p, hit)}
    return row


def run():
    """Return one row a data set and method."""
    rows = []
    for name in SETS:
        try:
            divisions = parts(name)
        except datasets.DataUnavailable as error:
            rows.append({"data": name, "method": f"not run: {error}"[:60]})
            continue
        for method, model in models().items():
            measured = pd.DataFrame([measure(model, *data) for data in divisions])
            rows.append({"data": name, "method": method} | measured.mean().to_dict())
    return pd.DataFrame(rows)
