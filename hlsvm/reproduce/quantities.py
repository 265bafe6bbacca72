"""What a published quantity is: an error, a time, a setting ..., and which way is better."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """How two values of a column are compared.

    Attributes
    ----------
    kind : str
        "error", "accuracy", "time", "count", "ratio", "match", "setting", "formula".
    better : {"lower", "higher", "match", ""}
        Which way is better; "match": reproduced or not; "": neither.
    tolerance : float
        Relative difference that counts as the same where no spread is printed. For accuracies it
        is taken of 100 minus the published value, so that it means the same as for errors.
    """

    kind: str
    better: str
    tolerance: float


_ERROR = Quantity("error", "lower", 0.05)
_ACCURACY = Quantity("accuracy", "higher", 0.05)
_TIME = Quantity("time", "lower", 0.25)
_COUNT = Quantity("count", "lower", 0.05)
_GAIN = Quantity("ratio", "higher", 0.05)
_RATIO = Quantity("ratio", "lower", 0.05)
_MATCH = Quantity("match", "match", 0.02)
_SETTING = Quantity("setting", "", 0.0)
_FORMULA = Quantity("formula", "", 0.0)

# First pattern that matches the whole name of a column decides.
_PATTERNS = [
    (r"\w*error_pct", _ERROR),
    (r"\w*accuracy_pct", _ACCURACY),
    (r"(subclass|level\d)_pct", _SETTING),
    (r"\w*_s(_per_pattern|_tree|_local_svms)?", _TIME),
    (r"hyp_\w+|\w*hyp_mean|n_sv|svm_n_sv|tnsv|avg_depth|n_T_\w+|\w+_cost|T1|T2|R_\w+", _COUNT),
    (r"RC|RCC|RTT|RCT|abs_accuracy_diff", _RATIO),
    (r"RE|speed_gain_factor|\w+_(precision|recall)", _GAIN),
    (r"n_selected\w*", _COUNT),
    (r"q_bar|f_bar|alpha_hat|S_global|homogeneous_leaf_train_pct", _MATCH),
    (r"n_(train|test|features|samples|classes|labels)|d", Quantity("match", "match", 0.0)),
    (r"complexity|\w+_ops|estimated_mrrs_size|\w+_relation|accuracy_contrast", _FORMULA),
]


def quantity(name: str) -> Quantity:
    """Return how a column is compared; a column no rule knows is a setting.

    Examples
    --------
    >>> quantity("error_pct").better, quantity("accuracy_pct").better, quantity("libsvm_C").better
    ('lower', 'higher', '')
    """
    for pattern, meaning in _PATTERNS:
        if re.fullmatch(pattern, name):
            return meaning
    return _SETTING


# The same for numbers in running text, by their words; what no rule knows is reproduced or not.
_STATED = {
    *("Protocol", "Parameter", "Hardware", "Context", "Motivation", "Baseline", "Levels"),
    *("Pruning", "Algorithm 1", "Pegasos parameters", "alpha grid"),
    "Discretisation example",
}
_WORDS = [
    (
        r".*\b(grid|range|values)\b.*|lambda|delta|training samples|number of features|"
        r"(positive|negative) samples|class radius|neighbours|partitions|subset sizes|"
        r"points = support vectors|linear subproblems|samples per subclass|sampling rates shown|"
        r"number of selected pixels drawn|classifiers per cell.*|runs averaged.*|k-means centroids|"
        r"number of samples after replication|k \(mini-batch size\)|depth of the drawn partition",
        _SETTING,
    ),
    (r"(test )?accuracy", _ACCURACY),
    (r"mean error", _ERROR),
    (
        r"(ranking|training|classification) time( per pattern| at [\d,]+ samples)?(, upper limit)?|"
        r"longest training.*",
        _TIME,
    ),
    (
        r"(largest )?speed\b.*|speed-up.*|.*\bsaved|.*acceleration.*|cost reduction.*|"
        r"(complexity|time) ratio.*|improvement.*|correlation of T.*|samples discarded|recall.*|"
        r"accuracy gained.*",
        _GAIN,
    ),
    (
        r"accuracy (lost|difference).*|largest advantage.*|upper limit of RC|R upper limit.*|"
        r"NESV ratio",
        _RATIO,
    ),
    (
        r"(candidate )?support vectors.*|size of estimated MRRS|.*hyperplanes.*|mean NESV.*|"
        r"maximum depth.*",
        _COUNT,
    ),
]


def text_quantity(name: str, topic: str) -> Quantity:
    """Return how a number in running text is compared, judged by its words.

    Examples
    --------
    >>> text_quantity("accuracy", "Figure 5.5").kind
    'accuracy'
    >>> text_quantity("C grid", "Protocol").kind
    'setting'
    """
    if topic in _STATED:
        return _SETTING
    for pattern, meaning in _WORDS:
        if re.fullmatch(pattern, name):
            return meaning
    return _MATCH
