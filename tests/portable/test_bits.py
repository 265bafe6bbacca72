"""The same bits on every processor: all estimators, each profile in a process of its own.

``make portable`` runs them (HLSVM_PROFILES=all); ``make test`` asks that no estimator is missing.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import hlsvm

from .compare import differences
from .fits import settings
from .profiles import OUT, PINS, PROCESSORS, environment, missing

FITS = Path(__file__).with_name("fits.py")
FARTHEST = "without AVX"
ANSWERS = ("predict()", "get_support()", "ranking_", "n_selected_")
VALUES = ("decision_function()", "predict_proba()", "transform()", "scores_", "bound.bound.value")
# Share of answers that may differ, and size of the difference of values, where libraries are not
# held to AVX2. Trees, mRMR of counts, ReliefF and RFE-SVM never differ.
_ROUNDING = (0.0, 1e-11)  # of a product by OpenBLAS, or of exp and log of NumPy and the C library
_TOLERANCE = (0.0, 1e-3)  # a solver stops elsewhere within its tolerance
MAY_DIFFER = {
    **dict.fromkeys(("linear", "linear, free bias", "linear, plane", "Pegasos"), _ROUNDING),
    **dict.fromkeys(("QPFS", "QPFS, Pearson", "QPFS, Nystrom", "mRMR, Pearson"), _ROUNDING),
    **dict.fromkeys(("CFS", "streamwise", "Fastfood", "KQPFS", "KernelFisher"), _ROUNDING),
    **dict.fromkeys(("DTSVM", "DTSVM, grid", "decomposition"), _ROUNDING),
    **dict.fromkeys(("LASVM", "LASVM, digits"), _ROUNDING),
    **dict.fromkeys(("KernelSVC", "SRSSVC", "DCSVC", "metric tree"), _TOLERANCE),
    **dict.fromkeys(("kernel search", "kernel search, bits"), _TOLERANCE),  # the machine refitted
    "bound": (0.0, 1e-8),  # a quasi-Newton descent stops elsewhere
    "preimages": (0.01, 0.05),  # of a kernel SVM that stops elsewhere: other minima
}
PINNED = [
    name for name in PROCESSORS if PINS.keys() <= PROCESSORS[name].keys() and name != FARTHEST
]
FREE = [name for name in PROCESSORS if name not in PINNED]
CHOSEN = PROCESSORS if os.environ.get("HLSVM_PROFILES") == "all" else ()

pytestmark = pytest.mark.skipif(missing("Haswell") is not None, reason="needs x86-64 with AVX2")


@cache
def fitted(profile):
    """Numbers of all settings under a profile; None: this processor, pinned as `make test` is."""
    OUT.mkdir(parents=True, exist_ok=True)
    to = OUT / f"bits-{os.getpid()}.npz"
    variables = environment(profile or "as it is") | ({} if profile else PINS)
    subprocess.run([sys.executable, str(FITS), str(to)], env=variables, check=True)
    with np.load(to) as saved:
        numbers = dict(saved)
    to.unlink()
    return numbers


@cache
def by_setting(profile):
    """Setting -> where its numbers are others than here, and by how much."""
    result = {}
    for name, size in differences(fitted(None), fitted(profile)).items():
        setting, where = name.split("/", 1)
        result.setdefault(setting, {})[where] = size
    return result


def largest(sizes, names):
    return max((sizes.get(name, 0.0) for name in names), default=0.0)


def on(profiles):
    params = []
    for name in profiles:
        reason = (
            f"this processor has no {missing(name)}" if missing(name) else "make portable runs it"
        )
        skip = pytest.mark.skipif(bool(missing(name)) or name not in CHOSEN, reason=reason)
        params.append(pytest.param(name, marks=skip))
    return params


def test_every_public_estimator_is_among_the_settings():
    public = (getattr(hlsvm, name) for name in hlsvm.__all__)
    estimators = {x for x in public if isinstance(x, type) and issubclass(x, BaseEstimator)}
    assert estimators <= {type(model) for model, _ in settings().values()}


@pytest.mark.parametrize("profile", on(PINNED))
def test_all_numbers_are_the_same_where_libraries_are_pinned(profile):
    assert by_setting(profile) == {}


@pytest.mark.parametrize("profile", on(FREE))
def test_only_what_is_listed_differs_elsewhere_and_by_no_more(profile):
    for setting, sizes in by_setting(profile).items():
        assert setting in MAY_DIFFER, (setting, sizes)
        answers, values = MAY_DIFFER[setting]
        assert largest(sizes, ANSWERS) <= answers, (setting, sizes)
        assert largest(sizes, VALUES) <= values, (setting, sizes)


@pytest.mark.parametrize("profile", on([FARTHEST]))
def test_nothing_is_listed_that_is_the_same_everywhere(profile):
    assert MAY_DIFFER.keys() <= by_setting(profile).keys()
