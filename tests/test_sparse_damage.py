"""A sparse matrix whose indices lie outside it is refused before compiled code follows them."""

import numpy as np
import pytest
from scipy import sparse

from hlsvm import CFS, ObliqueTreeClassifier
from hlsvm.linear import WeightedLinearSVC

X = np.random.default_rng(0).integers(0, 3, size=(40, 4)).astype(float)
Y = X[:, 0] + X[:, 1] > 2


def damaged(form, array, value):
    matrix = sparse.coo_matrix(X).asformat(form)
    if array == "row":
        row, column = (at.copy() for at in matrix.coords)
        row[3] = value
        matrix.coords = (row, column)
    else:
        getattr(matrix, array)[-1 if array == "indptr" else 3] = value
    return matrix


CASES = [(form, array, value) for form in ("csr", "csc", "bsr") for array in ("indices", "indptr")
         for value in (-5, 10**6)] + [("coo", "row", 40), ("coo", "row", -1)]  # fmt: skip


@pytest.mark.parametrize(("form", "array", "value"), CASES)
@pytest.mark.parametrize("make", [CFS, ObliqueTreeClassifier, WeightedLinearSVC])
def test_it_is_refused(make, form, array, value):
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        make().fit(damaged(form, array, value), Y)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_a_whole_one_is_taken(form):
    WeightedLinearSVC(1e-2).fit(sparse.coo_matrix(X).asformat(form), Y)
    ObliqueTreeClassifier(1e-2).fit(sparse.coo_matrix(X).asformat(form), Y)


def test_numbers_beyond_double_precision_are_refused():
    rows = X.astype(np.longdouble)
    CFS().fit(rows, Y)
    rows[0, 0] = np.longdouble("1e400")
    if np.isfinite(rows[0, 0]):  # long double is longer than double here
        with pytest.raises(ValueError, match="infinity"):
            CFS().fit(rows, Y)
