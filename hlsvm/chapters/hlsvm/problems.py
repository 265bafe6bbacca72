"""A binary problem of Thesis Table 5.2: its data, its division and its settings."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hlsvm import reproduce
from hlsvm.datasets import Dataset, load, partitions


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
