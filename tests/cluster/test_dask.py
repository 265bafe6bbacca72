"""Estimators on a real Dask cluster: scheduler and two workers on the loopback, same answers."""

import json
import os
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from hlsvm import SRSSVC, HLSVMClassifier
from hlsvm.blocks import predict_blocks
from hlsvm.datasets.synthetic import banana, xor

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'hlsvm[dask]'")
da = pytest.importorskip("dask.array")


def start(*arguments, cwd):
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        cwd=cwd,
        env={**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "False"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Give a client of a scheduler with two workers, each a process of its own."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    where = ["--scheduler-file", str(file)]
    common = ["--host", "127.0.0.1", "--no-dashboard", *where]
    started = [start("scheduler", "--port", "0", *common, cwd=folder)]
    threads = ["--no-nanny", "--nthreads", "1"]
    started += [start("worker", *threads, *common, cwd=folder) for _ in range(2)]
    try:
        end = time.monotonic() + 60
        while not (file.exists() and file.read_text()):
            assert time.monotonic() < end, "the scheduler did not start"
            time.sleep(0.05)
        with distributed.Client(json.loads(file.read_text())["address"]) as client:
            client.wait_for_workers(2, timeout=60)
            yield client
    finally:
        for process in started:
            process.kill()
            process.wait()


def on_cluster(function):
    with joblib.parallel_config(backend="dask"):
        return function()


def test_srs_gives_the_same_answer(cluster):
    X, y = xor(600, seed=0)
    model = SRSSVC(3, C=10.0, gamma=1.0, random_state=0, n_jobs=2)
    local, remote = model.fit(X, y), on_cluster(lambda: SRSSVC(**model.get_params()).fit(X, y))
    assert np.array_equal(local.reduced_set_, remote.reduced_set_)
    assert np.array_equal(local.decision_function(X), remote.decision_function(X))


def test_dtsvm_gives_the_same_answer(cluster):
    from hlsvm.regions import DTSVMClassifier

    X, y = banana(600, seed=0)
    model = DTSVMClassifier(C=10.0, gamma=1.0, ceiling_size=150, random_state=0, n_jobs=2)
    local, remote = model.fit(X, y), on_cluster(lambda: type(model)(**model.get_params()).fit(X, y))
    assert np.array_equal(local.predict(X), remote.predict(X))
    assert np.array_equal(local.n_support_evaluated(X), remote.n_support_evaluated(X))


def test_cross_validation_gives_the_same_answer(cluster):
    X, y = banana(800, seed=1)
    model = HLSVMClassifier(lam=1e-5, random_state=0)

    def scores():
        return cross_val_score(model, X, y, cv=4, n_jobs=2)

    assert np.array_equal(scores(), on_cluster(scores))


@pytest.fixture(scope="module")
def model():
    X, y = banana(800, seed=1)
    return HLSVMClassifier(lam=1e-5, random_state=0).fit(X, y)


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
@pytest.mark.parametrize("chunks", [(130, 2), (257, 1), (1000, 2)])
def test_blocks_answer_as_the_whole_array(model, method, chunks):
    X = banana(1000, seed=2)[0]
    lazy = predict_blocks(model, da.from_array(X, chunks=chunks), method=method, rows=300)
    expected = getattr(model, method)(X)
    assert lazy.shape == expected.shape
    assert lazy.dtype == expected.dtype
    assert lazy.numblocks[0] > 1
    assert np.array_equal(lazy.compute(scheduler="sync"), expected)


def test_blocks_on_the_cluster(cluster, model):
    X = banana(5000, seed=3)[0]
    met = predict_blocks(model, da.from_array(X, chunks=(1000, 2)), method="n_hyperplanes")
    assert int(met.sum().compute()) == int(model.n_hyperplanes(X).sum())


def test_no_more_than_a_few_blocks_are_in_memory(model):
    alive, most = [0], [0]

    def make(block_info=None):
        alive[0] += 1
        most[0] = max(most[0], alive[0])
        return np.random.default_rng(0).normal(size=(1000, 2))

    X = da.map_blocks(make, chunks=((1000,) * 40, (2,)), dtype=float, meta=np.empty((0, 2)))

    def count(labels):
        alive[0] -= 1
        return np.array([(labels == 1).sum()])

    labels = predict_blocks(model, X)
    total = labels.map_blocks(count, chunks=((1,) * 40,), dtype=int, meta=np.empty(0, int)).sum()
    assert int(total.compute(scheduler="sync")) % 40 == 0
    assert most[0] <= 3


@pytest.mark.parametrize(
    ("X", "more", "error", "words"),
    [
        (np.zeros((3, 2)), {}, TypeError, "must be a Dask array"),
        (da.zeros(3), {}, ValueError, "Got 1 dimensions"),
        (da.zeros((3, 2)), {"rows": 0}, ValueError, "'rows'"),
        (da.zeros((3, 2)), {"method": "predcit"}, TypeError, "Got 'predcit'"),
        (da.zeros((3, 5)), {}, ValueError, "features"),
    ],
)
def test_what_is_refused(model, X, more, error, words):
    with pytest.raises(error, match=words):
        predict_blocks(model, X, **more)
