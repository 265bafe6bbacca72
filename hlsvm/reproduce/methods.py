"""One name and one look per method: the same colour, marker and line in every figure.

Colours are those of Okabe and Ito and of Tol's muted scheme, safe for colour-blind readers; methods
that share figures also differ in lightness, marker and dash, so that a grey print can be read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache

_BLACK, _ORANGE, _SKY, _GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
_BLUE, _RED, _PINK, _GREY = "#0072B2", "#D55E00", "#CC79A7", "#8A8A8A"
_INDIGO, _OLIVE, _WINE, _SAND, _TEAL = "#332288", "#999933", "#882255", "#DDCC77", "#44AA99"

_SOLID, _DASH, _DOT, _DASHDOT = "-", (0, (5, 2)), (0, (1, 1.4)), (0, (6, 2, 1, 2))
_SPARSE = (0, (2, 3))


@dataclass(frozen=True)
class Method:
    """Name, look and other spellings of a method."""

    name: str
    color: str
    marker: str
    linestyle: object
    aliases: tuple[str, ...] = field(default=())


def _method(name, color, marker, linestyle, *aliases):
    return Method(name, color, marker, linestyle, aliases)


METHODS = (
    # Classifiers of Thesis chapters 5 and 6
    _method("Linear SVM", _ORANGE, "s", _DASH, "LIBLINEAR", "LIBLINEAR (linear SVM)", "LinearSVC"),
    _method(
        "RBF SVM",
        _BLACK,
        "D",
        _DOT,
        "Non-linear SVM",
        "Nonlinear SVM",
        "Gaussian SVM",
        "LIBSVM",
        "LIBSVM (nonlinear SVM)",
        "Non-linear SVM (LIBSVM)",
        "SVC",
        "SVM",
    ),
    _method("H-LSVM", _BLUE, "o", _SOLID, "HLSVM", "HLSVMClassifier"),
    _method("SVM-Trees", _PINK, "^", _DASHDOT, "SVM Trees", "SVMTreesClassifier"),
    _method("CART", _GREEN, "v", _DASH, "Decision tree", "DecisionTreeClassifier"),
    _method("AdaBoost", _RED, "P", _DASHDOT, "AdaBoost stumps"),
    _method("MLP", _WINE, "X", _DOT, "Neural network", "MLPClassifier"),
    _method("LightGBM", _SKY, "<", _SPARSE, "LGBM", "Gradient boosting"),
    _method("SpSVM", _OLIVE, ">", _DOT),
    _method("LL-SVM", _TEAL, "h", _DASHDOT, "LLSVM"),
    _method("Pegasos", _SKY, "d", _DOT, "Weighted-Pegasos", "WeightedPegasos"),
    _method("Perceptron", _GREY, "d", _DASH),
    _method("Random forest", _GREEN, "8", _DOT, "RandomForestClassifier"),
    _method("k-NN", _SAND, "p", _DASHDOT, "KNN", "KNeighborsClassifier"),
    _method("Nystroem SVM", _OLIVE, "H", _SOLID, "Nystrom + linear SVM"),
    # Selectors of Thesis chapter 3
    _method("QPFS", _BLUE, "o", _DASH),
    _method("QPFS+Nystrom", _SKY, "s", _SOLID, "QPFS+Nyström", "QPFS + Nystrom"),
    _method("mRMR MID", _RED, "^", _DASH, "MID", "mRMR", "mRMR (MID)", "MRMR"),
    _method("mRMR MIQ", _PINK, "v", _DASHDOT, "MIQ", "mRMR (MIQ)"),
    _method("MaxRel", _ORANGE, "D", _DOT),
    _method("ReliefF", _GREEN, "P", _SPARSE),
    _method("CFS", _WINE, "X", _SOLID),
    _method("SFS", _OLIVE, ">", _DASH, "Streamwise", "StreamwiseSelector"),
    _method("RFE-SVM", _TEAL, "<", _SOLID, "RFE", "SVM-RFE"),
    _method("Lasso", _SAND, "*", _DASHDOT, "L1"),
    _method("Random selection", _GREY, "x", _SPARSE, "Random"),
    # Kernel discriminants of Thesis chapter 4
    _method("FDA", _ORANGE, "s", _DASHDOT, "Fisher", "LDA", "LinearDiscriminantAnalysis"),
    _method("KFDA", _BLACK, "^", _DASH, "KernelFisher"),
    _method("KFDA-QP", _GREEN, "d", _DOT),
    _method("KQPFS", _BLUE, "D", _SOLID),
    _method("LS-SVM", _RED, "v", _DASHDOT),
    # Reduced sets (SRS-SVM)
    _method("SRS-SVM", _BLUE, ">", _SOLID, "SRS", "SRSSVC", "Proposed (mu=h^2)"),
    _method("HSRS-SVM", _SKY, "h", _DASHDOT, "HSRS"),
    _method("DC-SVM", _GREEN, "^", _DASHDOT, "DCSVM"),
    _method("FastFood", _RED, "v", _DASH),
    _method("Cascade SVM", _WINE, "P", _DOT, "CascadeSVM"),
    # Regions (DTSVM, metric tree)
    _method("DTSVM", _BLUE, "^", _SOLID, "DTSVMClassifier"),
    _method("RDSVM", _SKY, "v", _DASHDOT, "RandomDecompositionSVC"),
    _method("CBD", _RED, "d", _DASHDOT),
    _method("LASVM", _PINK, "X", _DASH),
    _method("Bagging", _GREEN, "o", _DOT, "BaggingClassifier"),
    _method("gSVM", _BLACK, "o", _DASH, "Global SVM"),
    _method("Metric tree", _BLUE, "P", _DASH, "MetricTree", "MetricTreeSVC"),
    _method("RSVM", _RED, "s", _DASHDOT, "Reduced set"),
    _method("Ball tree", _GREY, "o", _DASHDOT, "BallTree"),
)

# Methods that share figures: tests hold their colours apart for every kind of sight.
FAMILIES = {
    "classifiers": ["Linear SVM", "RBF SVM", "H-LSVM", "SVM-Trees", "CART", "AdaBoost", "LightGBM"],
    "selectors": ["QPFS", "QPFS+Nystrom", "mRMR MID", "mRMR MIQ", "MaxRel", "ReliefF"],
    "discriminants": ["FDA", "KFDA", "KQPFS", "LS-SVM"],
    "reduced sets": ["RBF SVM", "SRS-SVM", "HSRS-SVM", "DC-SVM", "FastFood", "Linear SVM"],
    "regions": ["DTSVM", "RDSVM", "CBD", "LASVM", "Bagging", "RBF SVM", "Linear SVM"],
}


def _fold(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum() or letter in "+=^")


@lru_cache(maxsize=1)
def _by_spelling() -> dict[str, Method]:
    table: dict[str, Method] = {}
    for method in METHODS:
        for spelling in (method.name, *method.aliases):
            table.setdefault(_fold(spelling), method)
    return table


def method(name: str) -> Method:
    """Return a method by any of its spellings.

    Raises
    ------
    KeyError
        No method is called so; the message names the nearest.

    Examples
    --------
    >>> method("LIBSVM (nonlinear SVM)").name
    'RBF SVM'
    """
    table = _by_spelling()
    entry = table.get(_fold(str(name)))
    if entry is None:
        near = get_close_matches(_fold(str(name)), table, n=2, cutoff=0.5)
        hint = " or ".join(repr(table[spelling].name) for spelling in near)
        known = ", ".join(method.name for method in METHODS)
        raise KeyError(
            f"{name!r} is not a method with a colour of its own. "
            + (f"Did you mean {hint}?" if hint else f"Known: {known}")
        )
    return entry


def canonical(name: str, *, strict: bool = True) -> str:
    """Return the one spelling of a method's name; an unknown name passes unless `strict`.

    Examples
    --------
    >>> canonical("SVM Trees"), canonical("my method", strict=False)
    ('SVM-Trees', 'my method')
    """
    if not strict and _fold(str(name)) not in _by_spelling():
        return str(name)
    return method(name).name
