"""LFW and OpenML through scikit-learn's fetchers, on made files and a made answer."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from hlsvm.datasets import DataUnavailable, load
from hlsvm.datasets import list as list_sets


def test_lfw_pairs_from_images(data_folder):
    image = pytest.importorskip("PIL.Image")
    home = data_folder / "scikit-learn" / "lfw_home"
    for person, level in [("Ada_L", 40), ("Bob_M", 200)]:
        folder = home / "lfw_funneled" / person
        folder.mkdir(parents=True)
        for k in (1, 2):
            array = np.full((250, 250, 3), level, np.uint8)
            image.fromarray(array).save(folder / f"{person}_000{k}.jpg")
    (home / "pairs.txt").write_text("1\t1\nAda_L\t1\t2\nAda_L\t1\tBob_M\t1\n")
    for name in ("pairsDevTrain.txt", "pairsDevTest.txt"):
        (home / name).write_text("0\n")
    assert list_sets().loc["lfw", "where"] == "local"
    data = load("lfw", download=False)
    assert data.X_train.shape == (2, 5828)
    assert data.y_train.tolist() == [1, 0]
    levels = data.X_train.reshape(2, 2, -1).mean(axis=2) * 255
    np.testing.assert_allclose(levels, [[40, 40], [40, 200]], atol=2)


def test_openml(monkeypatch, data_folder):
    monkeypatch.setenv("HLSVM_OFFLINE", "0")
    asked = {}

    def answer(name, **keys):
        asked.update(keys, name=name)
        return Bunch(data=np.eye(3), target=np.array(["b", "a", "b"], dtype=object))

    monkeypatch.setattr("sklearn.datasets.fetch_openml", answer)
    data = load("gcm")
    assert (asked["name"], asked["version"]) == ("GCM", 1)
    assert asked["data_home"].startswith(str(data_folder))
    assert data.y_train.tolist() == [1, 0, 1]
    assert data.class_names == ("a", "b")
    with pytest.raises(DataUnavailable, match="not downloaded yet"):
        load("gcm", download=False)
