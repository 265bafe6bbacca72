"""The deformed digits that stand in for MNIST8m: bytes in memory, features by need."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack

from hlsvm.datasets import Dataset
from hlsvm.datasets.digits import infinite_digits
from hlsvm.reproduce import published
from hlsvm.select import QPFS

STAND_IN = "not comparable: deformed MNIST digits in MNIST8m's place"


@dataclass(frozen=True)
class Settings:
    """Parameters of the combined system (Thesis Table 6.1)."""

    p: float
    C_linear: float
    C: float
    gamma: float
    lam: float
    rho: float
    min_fraction: float | None = None
    shrinkage: float = 0.0

    @classmethod
    def printed(cls) -> Settings:
        """Return the settings as Table 6.1 and section 6.1 print them."""
        table = published("Thesis.Tab6.1").set_index(["algorithm", "parameter"]).value.astype(float)
        return cls(
            p=table["QPFS", "nystrom_p"],
            C_linear=table["LIBLINEAR", "C"],
            C=table["LIBSVM", "C"],
            gamma=table["LIBSVM", "gamma"],
            lam=table["H-LSVM", "lambda"],
            rho=table["H-LSVM", "rho"],
            min_fraction=1e-5,
        )


@dataclass
class Digits:
    """Training and test digits, 3 against the rest; the test rows follow the training rows.

    Attributes
    ----------
    n_train, n_test : int
        Rows.
    n_svm, n_svm_test : int
        First rows the RBF SVM is trained and tested on.
    counts : tuple of int
        Numbers of features.
    source : {"mnist", "digits"}
        Images that are deformed: MNIST's, or the bundled 8x8 digits enlarged.
    seed : int
    """

    n_train: int
    n_test: int
    n_svm: int
    n_svm_test: int
    counts: tuple[int, ...]
    source: str
    seed: int = 0
    n_jobs: int | None = field(default=None, compare=False)

    @classmethod
    def of(cls, scale: str, *, seed: int = 0, n_jobs=None, **sizes) -> Digits:
        """Return the digits of a scale; `sizes` take the place of the numbers of rows."""
        if scale == "quick":
            sizes = {"n_train": 3000, "n_test": 2000, "n_svm": 1000, "n_svm_test": 1000}
            counts, source = (50, 100, 200, 400, 784), "digits"
        else:
            counts, source = (50, 100, 200, 400, 500, 600, 784), "mnist"
        return cls(counts=counts, source=source, seed=seed, n_jobs=n_jobs, **sizes)

    def describe(self) -> dict:
        """Return what a step that is kept depends on."""
        names = ("n_train", "n_test", "n_svm", "n_svm_test", "source", "seed")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def data(self) -> Dataset:
        """Both parts, as bytes, made when they are first asked for."""
        more = {"source": self.source, "dtype": "uint8", "n_jobs": self.n_jobs}
        train = infinite_digits(self.n_train, self.seed, **more)
        test = infinite_digits(self.n_test, self.seed, start=self.n_train, **more)
        return Dataset(
            train.X_train,
            np.where(train.y_train == 3, 1, -1),
            test.X_train,
            np.where(test.y_train == 3, 1, -1),
            name="infinite_digits_3vo",
            source=train.source,
            note=train.note,
        )

    def columns(self, X, features) -> np.ndarray:
        """Return the chosen pixels of rows of bytes as float32 in [0, 1]."""
        out = np.empty((len(X), len(features)), dtype=np.float32)
        for first in range(0, len(X), 20_000):
            out[first : first + 20_000] = X[first : first + 20_000, features]
        out /= 255
        return out

    def train(self, features) -> tuple[np.ndarray, np.ndarray]:
        """Return the training part with the chosen features."""
        return self.columns(self.data.X_train, features), self.data.y_train

    def sparse_train(self, features):
        """Return the training part with the chosen features as float64 CSR, made block by block."""
        X = self.data.X_train
        blocks = [
            csr_array(self.columns(X[first : first + 20_000], features), dtype=np.float64)
            for first in range(0, len(X), 20_000)
        ]
        return vstack(blocks, format="csr")

    def test(self, features) -> tuple[np.ndarray, np.ndarray]:
        """Return the test part with the chosen features."""
        return self.columns(self.data.X_test, features), self.data.y_test


def rank(digits: Digits, settings: Settings) -> dict:
    """Rank the pixels by QPFS+Nystrom, and by QPFS in full for comparison.

    Returns
    -------
    dict
        ``order`` (best first), ``alpha``, ``seconds`` of the published method; ``exact_order``,
        ``exact_alpha``, ``exact_seconds`` of the program without sampling.
    """
    from hlsvm.reproduce.timing import timed

    X, y = digits.data.X_train, digits.data.y_train
    sampled = QPFS(nystrom=settings.p, random_state=digits.seed, n_jobs=digits.n_jobs)
    exact = QPFS(n_jobs=digits.n_jobs)
    QPFS(nystrom=settings.p, random_state=0).fit(X[:500], y[:500])  # warm
    sampled, seconds = timed(lambda: sampled.fit(X, y))
    exact, exact_seconds = timed(lambda: exact.fit(X, y))
    return {
        "order": sampled.ranking_,
        "alpha": float(sampled.alpha_),
        "seconds": seconds,
        "exact_order": exact.ranking_,
        "exact_alpha": float(exact.alpha_),
        "exact_seconds": exact_seconds,
    }


def overlap(ranking: dict, counts) -> pd.DataFrame:
    """Say how many of the chosen pixels both forms of QPFS share."""
    rows = []
    for count in counts:
        shared = np.intersect1d(ranking["order"][:count], ranking["exact_order"][:count]).size
        rows.append({"n_features": int(count), "shared_pct": 100 * shared / count})
    return pd.DataFrame(rows)
