"""The binary problems of Thesis Table 5.2, the bundled ones of the quick scale, their settings."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hlsvm import reproduce
from hlsvm.datasets import Dataset, load, partitions
from hlsvm.reproduce import published


@dataclass(frozen=True)
class Problem(reproduce.Problem):
    """A data set with its protocol and the settings it is run with; named as in Thesis Table 5.2.

    `lam`, `rho`, `C_linear`, `C` and `gamma` are those of Thesis Table 5.3: regularisation and
    pruning share of H-LSVM, cost of the linear SVM, cost and width of the RBF SVM. At a share
    `min_fraction` of the samples a node is a leaf (None: the rule of Thesis 5.2). `price` is the
    mean number of hyperplanes H-LSVM may cost in the row "at the published cost" (NaN: no such
    row). `test_size` is the share to test of `n_partitions` random partitions, on `n_svm` of which
    the RBF SVM is trained as well; None stands for the division that comes with the data.
    `deformed` has the training and test rows of a set that is generated, test rows following the
    training rows.
    """

    lam: float = math.nan
    rho: float = math.nan
    C_linear: float = math.nan
    C: float = math.nan
    gamma: float = math.nan
    min_fraction: float | None = None
    price: float = math.nan
    test_size: float | None = None
    n_partitions: int = 1
    n_svm: int = 1
    deformed: tuple[int, ...] = ()

    def load(self) -> Dataset:
        """Return the data, features as the papers scale them."""
        if not self.deformed:
            return super().load()
        n_train, n_test = self.deformed
        train = load(self.data, n=n_train, **self.options)
        test = load(self.data, n=n_test, start=n_train, **self.options)
        return replace(train, X_test=test.X_train, y_test=test.y_train)

    def parts(self, data: Dataset, seed: int) -> Iterator[Dataset]:
        """Yield the divisions into training and test part."""
        if self.test_size is None:
            yield data
        else:
            yield from partitions(data, self.n_partitions, test_size=self.test_size, seed=seed)


# Where the data comes from, how it is divided, what is missing where it is not at hand.
_PAPER = {
    "IJCNN": {"data": "ijcnn1"},
    "Shuttle": {"data": "shuttle_binary"},
    "M3VO": {"data": "mnist_3vo"},
    "M3Vom8": {"data": "", "missing": "mnist8m; the deformed digits stand in"},
    "Vehicle": {"data": "vehicle_binary", "missing": "SensIT Vehicle, combined"},
    "Faces": {"data": "faces", "missing": "Carbonetto's faces; the CBCL faces stand in"},
    "Covtype": {"data": "covtype_binary", "missing": "all 581,012 rows; a sample stands in"},
}
_TENTHS = {"test_size": 0.1, "n_partitions": 10, "n_svm": 0}
_THIRDS = {"test_size": 1 / 3, "n_partitions": 10, "n_svm": 10}
_PAPER["Covtype"] |= _TENTHS
_PAPER["Faces"] |= _THIRDS
# Sets that stand in for one that is not at hand: own name, settings of the set they stand for.
_STAND_INS = {
    "Deformed digits": (
        "M3Vom8",
        {"data": "infinite_digits_3vo", "deformed": (810_000, 100_000), "n_svm": 0},
    ),
    "CBCL faces": ("Faces", {"data": "cbcl_faces", **_THIRDS}),
    # a sixth of the rows that the papers' 12.93 hyperplanes divide
    "Covtype sample": (
        "Covtype",
        {"data": "covtype_sample_binary", **_TENTHS, "n_svm": 1, "price": 10.0},
    ),
}
_QUICK_SETTINGS = {"lam": 1e-5, "rho": 0.1, "C_linear": 1.0, "C": 10.0, "gamma": 1.0}
_DIGITS = {**_QUICK_SETTINGS, "C_linear": 0.1, "gamma": 0.05, "options": {"scale": 16.0}}
_CANCER = {**_QUICK_SETTINGS, "options": {"scale": "minmax"}}
_QUICK = (
    Problem("Banana-like", "banana_like", **_QUICK_SETTINGS, test_size=0.5, options={"n": 2000}),
    Problem("Digits, 3 vs rest", "digits_3vo", **_DIGITS, test_size=1 / 3),
    Problem("Breast cancer", "breast_cancer", **_CANCER, test_size=1 / 3),
)


def _settings(name: str) -> dict:
    table = published("Thesis.Tab5.3").assign(key=lambda frame: frame.dataset.str.lower())
    row = table.set_index("key").loc[name.lower()]
    columns = {
        "lam": "hlsvm_lambda",
        "rho": "hlsvm_rho",
        "C_linear": "liblinear_C",
        "C": "libsvm_C",
        "gamma": "libsvm_gamma",
    }
    costs = published("Thesis.Tab5.4").query("method == 'H-LSVM'").set_index("dataset").hyp_mean
    settings = {ours: float(row[theirs]) for ours, theirs in columns.items()}
    return settings | {"price": float(costs.get(name, math.nan))}


def problems(scale: str, n_deformed: int = 810_000) -> list[Problem]:
    """Return the problems of a scale: bundled ones, or those of the papers.

    `n_deformed` is the number of deformed digits to train on, 810,000 in the papers.
    """
    if scale == "quick":
        return list(_QUICK)
    whole = {"options": {"sample": False}}  # what stands in has a name of its own
    papers = [Problem(name, **_settings(name), **how, **whole) for name, how in _PAPER.items()]
    stand_ins = [
        Problem(name, **{**_settings(source), **how}) for name, (source, how) in _STAND_INS.items()
    ]
    stand_ins = [
        replace(entry, deformed=(n_deformed, *entry.deformed[1:])) if entry.deformed else entry
        for entry in stand_ins
    ]
    return papers + stand_ins
