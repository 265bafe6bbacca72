"""A fit holds X once: no copy for a node, float32 stays float32, nothing kept in the model."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from hlsvm import ObliqueTreeClassifier

from .helpers import ring

# Peak resident memory of a fit beyond what the interpreter and compiled kernels take, over X.
SCRIPT = """
import re
import numpy as np
from hlsvm import ObliqueTreeClassifier

def status(name):
    with open("/proc/self/status") as file:
        return int(re.search(name + r":\\s+(\\d+) kB", file.read())[1]) * 1024

rng = np.random.default_rng(0)
def data(n):
    X = rng.standard_normal((n, 40), dtype=np.float32)
    return X, X[:, 0] + X[:, 1] ** 2 > 1.0

model = ObliqueTreeClassifier(1e-5, min_fraction=2e-2, random_state=0, OPTIONS)
model.fit(*data(2_000))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = status("VmRSS")
X, y = data(200_000)
model.fit(X, y)
print((status("VmHWM") - before) / X.nbytes, model.get_n_leaves())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
@pytest.mark.parametrize("options", ["bias='svm'", "bias='gain', prune_fraction=0.2"])
def test_peak_of_a_fit(options):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT.replace("OPTIONS", options)],
        capture_output=True,
        text=True,
        check=True,
    )
    ratio, leaves = map(float, run.stdout.split())
    assert leaves > 10
    assert 1 < ratio <= 2.5


def test_a_model_is_its_arrays():
    X, y = ring(20_000)
    model = ObliqueTreeClassifier(1e-4).fit(X, y)
    size = len(pickle.dumps(model))
    assert size < 6 * model.tree_.nbytes + 10_000 < X.nbytes


def test_input_is_left_alone():
    X, y = ring(300)
    kept = X.copy(), y.copy()
    ObliqueTreeClassifier(1e-5, prune_fraction=0.2).fit(X, y)
    np.testing.assert_array_equal(X, kept[0])
    np.testing.assert_array_equal(y, kept[1])


def test_read_only_and_memory_mapped(tmp_path):
    X, y = ring(300)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = ObliqueTreeClassifier(1e-5, random_state=0).fit(mapped, y)
    expected = ObliqueTreeClassifier(1e-5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.tree_.weights, expected.tree_.weights)
    np.testing.assert_array_equal(model.predict(mapped), expected.predict(X))
