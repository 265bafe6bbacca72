"""Stability selection: does the stated rate hold, and how long do 100 half-samples take."""

from time import perf_counter, process_time

import numpy as np
import pandas as pd

from hlsvm import datasets
from hlsvm.select import JMI, MRMR, QPFS, MaxRel, StabilitySelector

QUESTION = (
    "How large is the mean share of false discoveries of `StabilitySelector(fdr=0.1)` in 200 made "
    "sets of each design (asked: <= 0.1; `error` is its standard error, `power` the share of the "
    "ten signals selected), and how long do the 100 half-samples of MNIST (asked: <= 60 s on two "
    "cores) and of SRBCT (asked: <= 3 s) take? Seconds of two threads; half of `cpu_s` is what "
    "they take where nothing else runs."
)
SETS, ROWS, FEATURES, SIGNALS = 200, 150, 100, 10
SELECTORS = {"MaxRel": MaxRel, "mRMR": MRMR, "QPFS": QPFS}


def independent(rng):
    """Noise, each feature by itself."""
    return rng.normal(size=(ROWS, FEATURES))


def correlated_noise(rng):
    """One common factor in all features without information."""
    X = independent(rng)
    X[:, SIGNALS:] = 0.4 * X[:, SIGNALS:] + rng.normal(size=(ROWS, 1))
    return X


def chained_noise(rng):
    """Noise that wanders from feature to feature, a correlation of 0.9 between neighbours."""
    X = independent(rng)
    for j in range(SIGNALS + 1, FEATURES):
        X[:, j] = 0.9 * X[:, j - 1] + np.sqrt(0.19) * X[:, j]
    return X


def copied_noise(rng):
    """Only nine different features without information, each of them ten times."""
    X = independent(rng)
    X[:, SIGNALS:] = np.repeat(X[:, SIGNALS : SIGNALS + 9], 10, axis=1)
    return X


def skewed_noise(rng):
    """Noise of other distributions, from the normal one to long tails and rare events."""
    X = independent(rng)
    power = rng.uniform(0.0, 2.5, FEATURES - SIGNALS)
    X[:, SIGNALS:] = np.where(power < 1.5, np.exp(power * X[:, SIGNALS:]), X[:, SIGNALS:] > power)
    return X


def correlated_signals(rng):
    """One common factor in all signals."""
    X = independent(rng)
    X[:, :SIGNALS] = 0.8 * X[:, :SIGNALS] + 0.6 * rng.normal(size=(ROWS, 1))
    return X


def noise_of_signals(rng):
    """Noise that tells nothing of the class, but is the noise in a signal: not promised."""
    X = independent(rng)
    near = X[:, np.arange(FEATURES - SIGNALS) % SIGNALS]
    X[:, SIGNALS:] = 0.6 * X[:, SIGNALS:] + 0.8 * near
    return X


DESIGNS = (independent, correlated_noise, chained_noise, copied_noise, skewed_noise,
           correlated_signals, noise_of_signals)  # fmt: skip


def draw(design, seed, effect):
    """Return rows and classes of one set: the signals tell three classes of unequal sizes apart."""
    rng = np.random.default_rng(seed)
    X, y = design(rng), rng.choice(3, ROWS, p=[0.5, 0.3, 0.2])
    direction = rng.normal(size=(3, SIGNALS))
    X[:, :SIGNALS] += effect * direction[y]
    return X, y


def rate(name, design, effect=1.0):
    """Return one row: what was selected in all sets of a design."""
    false, power, size, spent = [], [], [], process_time()
    for seed in range(SETS):
        X, y = draw(design, seed, effect)
        chosen = StabilitySelector(SELECTORS[name](), random_state=seed).fit(X, y).get_support()
        wrong = chosen[SIGNALS:].sum() + (0 if effect else chosen[:SIGNALS].sum())
        false.append(wrong / max(1, chosen.sum()))
        power.append(chosen[:SIGNALS].mean())
        size.append(chosen.sum())
    row = {"what": design.__name__ if effect else "no signals", "selector": name}
    row |= {"false_share": np.mean(false), "error": np.std(false) / np.sqrt(SETS)}
    row |= {"power": np.mean(power) if effect else np.nan, "selected": np.mean(size)}
    return row | {"cpu_s": process_time() - spent}


def seconds(name, kind):
    """Return one row: 100 half-samples of a data set."""
    data = datasets.load(name)
    selector = StabilitySelector(kind(), n_pairs=1, n_jobs=2, random_state=0)
    selector.fit(data.X_train[:200], data.y_train[:200])  # compiles
    cpu, wall = process_time(), perf_counter()
    selector.set_params(n_pairs=50).fit(data.X_train, data.y_train)
    row = {"what": name, "selector": kind.__name__, "selected": selector.n_selected_}
    return row | {"cpu_s": process_time() - cpu, "seconds": perf_counter() - wall}


def run():
    """Return one row per design and selector, and one per data set and selector."""
    rows = [rate(name, design) for name in SELECTORS for design in DESIGNS]
    rows += [rate(name, independent, effect=0.0) for name in SELECTORS]
    for name in ("srbct", "mnist"):
        rows += [seconds(name, kind) for kind in (*SELECTORS.values(), JMI)]
    return pd.DataFrame(rows)
