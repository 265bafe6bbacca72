"""The look of the figures: one per method, told apart by every eye and in grey."""

import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from hlsvm.reproduce import (
    CLASSES,
    boundary,
    canonical,
    color,
    draw_regions,
    label,
    legend,
    line,
    point,
    scatter_classes,
    size,
    use_style,
)
from hlsvm.reproduce.methods import METHODS, method

# Methods that share figures: their colours are held apart for every kind of sight.
FAMILIES = {
    "classifiers": ["Linear SVM", "RBF SVM", "H-LSVM", "SVM-Trees", "CART", "AdaBoost", "LightGBM"],
    "selectors": ["QPFS", "QPFS+Nystrom", "mRMR MID", "mRMR MIQ", "MaxRel", "ReliefF"],
    "discriminants": ["FDA", "KFDA", "KQPFS", "LS-SVM"],
    "reduced sets": ["RBF SVM", "SRS-SVM", "HSRS-SVM", "DC-SVM", "FastFood", "Linear SVM"],
    "regions": ["DTSVM", "RDSVM", "CBD", "LASVM", "Bagging", "RBF SVM", "Linear SVM"],
}

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
SIGHTS = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
PUBLISHED_NAMES = [
    *("Linear SVM", "Non-linear SVM", "Nonlinear SVM", "H-LSVM", "SVM Trees", "LIBLINEAR"),
    *("LIBLINEAR (linear SVM)", "LIBSVM (nonlinear SVM)", "LIBSVM", "LibSVM", "LLSVM", "FastFood"),
    *("DCSVM", "Proposed (mu=h^2)", "MaxRel", "MID", "MIQ", "reliefF", "QPFS", "QPFS+Nystrom"),
    *("mRMR", "CFS", "SFS", "ReliefF", "RFE-SVM", "CART", "DTSVM", "RDSVM", "Adaboost"),
]


def lab(rgb):
    """CIELAB of linear RGB in [0, 1]."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(np.clip(to_xyz @ rgb / [0.9505, 1.0, 1.089], 0.008856, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def seen(name, sight):
    rgb = np.array(to_rgb(name))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return lab(np.clip(np.asarray(SIGHTS[sight]) @ linear, 0, 1))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_methods_that_share_figures_are_told_apart(family, sight):
    for one, two in itertools.combinations(FAMILIES[family], 2):
        apart = np.linalg.norm(seen(color(one), sight) - seen(color(two), sight))
        assert apart > 10, (one, two, apart)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_grey_print_can_be_read(family):
    looks = [method(name) for name in FAMILIES[family]]
    assert len({look.marker for look in looks}) == len(looks)
    for one, two in itertools.combinations(looks, 2):
        lightness = abs(seen(one.color, "normal")[0] - seen(two.color, "normal")[0])
        assert lightness > 5 or one.linestyle != two.linestyle, (one.name, two.name)


def test_no_two_methods_look_the_same():
    looks = [(look.color, look.marker, str(look.linestyle)) for look in METHODS]
    assert len(set(looks)) == len(looks)


def test_every_spelling_names_one_method():
    owners = {}
    for look in METHODS:
        for spelling in (look.name, *look.aliases):
            assert owners.setdefault(spelling, look.name) == look.name
            assert canonical(spelling) == look.name


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_methods_of_the_published_tables_have_a_look(name):
    assert color(name).startswith("#")


def test_unknown_methods():
    with pytest.raises(KeyError, match="Did you mean 'H-LSVM'"):
        color("H-LSVMM")
    with pytest.raises(KeyError, match="Known: Linear SVM"):
        color("zzzz")
    assert canonical("zzzz", strict=False) == "zzzz"


def test_classes_differ_in_grey():
    light = [seen(look["color"], "normal")[0] for look in CLASSES]
    assert abs(light[0] - light[1]) > 15


def test_the_style_file_is_read():
    with mpl.rc_context():
        use_style()
        assert mpl.rcParams["figure.constrained_layout.use"]
        cycle = [entry["color"] for entry in mpl.rcParams["axes.prop_cycle"]]
        assert f"#{cycle[0].lstrip('#')}".upper() == color("H-LSVM")


def test_keywords_for_curves_and_points():
    assert line("HLSVM", label="mine", linewidth=3)["label"] == "mine"
    assert point("HLSVM")["linestyle"] == "none"
    axes = plt.figure().subplots()
    axes.plot([1], [1], **line("CART"))
    axes.plot([1], [2], **line("CART"))
    axes.plot([1], [2], **line("H-LSVM"))
    legend(axes)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["CART", "H-LSVM"]
    label(axes, ("time", "s"), "error", "(a)")
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("time (s)", "error", "(a)")
    plt.close("all")


def test_a_legend_of_nothing_is_none():
    axes = plt.figure().subplots()
    legend(axes)
    assert axes.get_legend() is None
    plt.close("all")


def test_sizes_of_figures():
    assert size() == (6.4, 3.97)
    assert size(2)[0] == size(3)[0] == 8.0
    assert size(3)[1] < size(2)[1]


def plane():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, np.where(X[:, 0] > 0, "b", "a")


def test_regions_show_the_boundary_that_is_returned():
    X, y = plane()
    axes = plt.figure().subplots()
    model = LogisticRegression(C=1e4).fit(X, y)
    draw_regions(axes, model, X, steps=80)
    (drawn,) = axes.lines
    assert np.abs(drawn.get_xdata()).max() < 0.3
    returned = boundary(model, X, steps=80)
    assert np.array_equal(drawn.get_xydata(), returned[["x1", "x2"]])
    assert np.abs(model.decision_function(returned[["x1", "x2"]].to_numpy())).max() < 1e-9
    never = LogisticRegression().fit(X, y)
    never.intercept_ = np.array([1e6])
    assert boundary(never, X).empty
    draw_regions(axes, never, X, steps=20)
    assert len(axes.lines) == 1
    plt.close("all")


def test_labels_say_between_which_points_of_the_grid_a_boundary_runs():
    X, y = plane()
    steps = boundary(DecisionTreeClassifier(max_depth=1).fit(X, y), X, steps=11)
    assert steps.x1.nunique() == 1
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    assert boundary(LogisticRegression(C=1e4).fit(X, three), X).piece.nunique() == 2


def test_points_of_two_classes():
    X, y = plane()
    axes = plt.figure().subplots()
    scatter_classes(axes, X, y, labels=("first", "second"))
    drawn = {group.get_label(): len(group.get_offsets()) for group in axes.collections}
    assert drawn == {"first": (y == "a").sum(), "second": (y == "b").sum()}
    with pytest.raises(ValueError, match="two features and two classes"):
        scatter_classes(axes, X[:, :1], y)
    with pytest.raises(ValueError, match="3 classes"):
        scatter_classes(axes, X[:3], [0, 1, 2])
    plt.close("all")
