"""A fitted tree classifier as a C99 header that needs nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from hlsvm._files import write_whole
from hlsvm._params import check_option, check_path, shown
from hlsvm.trees._c_text import array, labels
from hlsvm.trees._forest import Forest
from hlsvm.trees._intake import Intake
from hlsvm.trees._intake_c import note, wrapper
from hlsvm.trees._pipeline import forest_of
from hlsvm.trees.export_c_integers import integer_header
from hlsvm.trees.integers import IntegerTrees

__all__ = ["export_c"]

_HEAD = """/* Made by hlsvm: {n_trees} tree(s), {n_planes} hyperplanes, {n_features} features.
 * {name}_predict(x) returns the number of a class; {name}_classes[number] is its label.
 * {name}_proba(x, p) writes the probability of every class to p, {n_classes} numbers.
 * x: {n_given} {finite}numbers of type {real}. C99, no other file, no memory taken.{note} */
#ifndef {guard}
#define {guard}

#define {upper}_FEATURES {n_given}
#define {upper}_CLASSES {n_classes}

"""

_WALK = """
static inline {real} {name}_dot(const {real} *w, const {real} *x)
{{
    {real} s[8] = {{0, 0, 0, 0, 0, 0, 0, 0}}, rest = 0;
    int j = 0, k;
    for (; j + 8 <= {n_features}; j += 8)
        for (k = 0; k < 8; ++k)
            s[k] += w[j + k] * x[j + k];
    for (; j < {n_features}; ++j)
        rest += w[j] * x[j];
    return (((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))) + rest;
}}

/* Leaf that x reaches from a root; *margin falls to the least absolute decision value met. */
static inline int {name}_leaf(const {real} *x, int node, {real} *margin)
{{
    while ({name}_nodes[node][2] >= 0) {{
        const int *n = {name}_nodes[node];
        const {real} v = (n[0] >= 0 ? {name}_dot({name}_weights[n[0]], x) : x[n[1]])
                         + {name}_offsets[node];
        const {real} a = v < 0 ? -v : v;
        if (a < *margin)
            *margin = a;
        node = v > 0 ? n[3] : n[2];
    }}
    return node;
}}
"""

_ONE = """
static inline int {call}_predict(const {real} *x)
{{
    {real} margin = 1;
    return {name}_answer[{name}_leaf(x, 0, &margin)];
}}

static inline void {call}_proba(const {real} *x, double *p)
{{
    {real} margin = 1;
    const double *s = {name}_shares[{name}_nodes[{name}_leaf(x, 0, &margin)][3]];
    int c;
    for (c = 0; c < {n_classes}; ++c)
        p[c] = s[c];
}}
"""

_BEST = """
static inline int {name}_best(const double *score)
{{
    int c, best = 0;
    for (c = 1; c < {n_classes}; ++c)
        if (score[c] > score[best])
            best = c;
    return best;
}}
"""

_MEAN = (
    _BEST
    + """
static inline void {name}_sums(const {real} *x, double *sum)
{{
    int k, c;
    for (c = 0; c < {n_classes}; ++c)
        sum[c] = 0;
    for (k = 0; k < {n_trees}; ++k) {{
        {real} margin = 1;
        const double *s = {name}_shares[{name}_nodes[{name}_leaf(x, {name}_roots[k], &margin)][3]];
        for (c = 0; c < {n_classes}; ++c)
            sum[c] += s[c];
    }}
}}

static inline int {call}_predict(const {real} *x)
{{
    double sum[{n_classes}];
    {name}_sums(x, sum);
    return {name}_best(sum);
}}

static inline void {call}_proba(const {real} *x, double *p)
{{
    int c;
    {name}_sums(x, p);
    for (c = 0; c < {n_classes}; ++c)
        p[c] /= {n_trees};
}}
"""
)

_PAIRS = (
    _BEST
    + """
/* Votes with trust, and votes with leaf shares. */
static inline void {name}_count(const {real} *x, double *score, double *share)
{{
    int k, c;
    for (c = 0; c < {n_classes}; ++c)
        score[c] = share[c] = 0;
    for (k = 0; k < {n_trees}; ++k) {{
        {real} margin = 1;
        const int *pair = {name}_pairs[k];
        const int leaf = {name}_leaf(x, {name}_roots[k], &margin), second = {name}_answer[leaf];
        const double *s = {name}_shares[{name}_nodes[leaf][3]];
        const double trust = 0.5 * (double)margin;
        score[pair[second]] += 1.0 + (0.5 + trust) / {n_classes};
        score[pair[1 - second]] += (0.5 - trust) / {n_classes};
        share[pair[second]] += 1.0;
        share[pair[0]] += s[0] / {n_classes};
        share[pair[1]] += s[1] / {n_classes};
    }}
}}

static inline int {call}_predict(const {real} *x)
{{
    double score[{n_classes}], share[{n_classes}];
    {name}_count(x, score, share);
    return {name}_best(score);
}}

/* Where trust decided, the winner takes the largest share, and a millionth more. */
static inline void {call}_proba(const {real} *x, double *p)
{{
    double score[{n_classes}], top, sum = 0;
    int c, won, most;
    {name}_count(x, score, p);
    won = {name}_best(score);
    most = {name}_best(p);
    top = p[most];
    p[most] = p[won];
    p[won] = top + 1e-6;
    for (c = 0; c < {n_classes}; ++c)
        sum += p[c];
    for (c = 0; c < {n_classes}; ++c)
        p[c] /= sum;
}}
"""
)
_BODY = {"one": _ONE, "mean": _MEAN, "pairs": _PAIRS}


def export_c(
    model,
    path=None,
    *,
    name: str = "hlsvm",
    integers: int | None = None,
    rows: ArrayLike | None = None,
) -> str:
    """Write a fitted classifier as a C99 header without dependencies.

    ``NAME_predict(const float *x)`` (``double`` for a tree in double precision) returns the number
    of the class in ``NAME_classes``. It answers as `predict` does, to the last bit, where the
    compiler neither contracts ``a * b + c`` nor re-orders sums (gcc and clang: ``-std=c99`` or
    ``-ffp-contract=off``, without ``-ffast-math``). ``NAME_proba(x, double *p)`` writes the
    probabilities of `predict_proba`.

    Gaps and categories: a gap is passed as NaN, a category as its code, which the first comment
    lists; a number that is no code counts as a gap.

    With `integers` the header has no floating point, and calls nothing: ``NAME_predict`` takes
    integers, made of the features as its first comment says, ``NAME_certain`` tells whether the
    label is proven to be that of the model, and ``NAME_doubt`` holds the bound of every decision.
    See `IntegerTrees`. Its caller brings gaps and categories to integers: the first comment lists
    the integer of each, and `rows` are such as ``model.encode`` gives.

    Parameters
    ----------
    model : HLSVMClassifier, ObliqueTreeClassifier, ObliqueForestClassifier, SavedTrees, ...
        Fitted; or a Pipeline of scalers that ends in one, which takes rows as the Pipeline does.
    path : path-like, optional
        Where to write the header, which appears whole or not at all.
    name : str, default="hlsvm"
        What its names begin with: a C identifier.
    integers : {None, 16, 8}, default=None
        Bits of inputs and weights; None: floating point.
    rows : array-like of shape (n_rows, n_features), optional
        With `integers`: rows that give the ranges of the features, and with 8 bits those that
        hyperplanes are fitted on anew. None (16 bits only): the ranges of the training data.

    Returns
    -------
    str
        The header.

    Raises
    ------
    ValueError
        `name` is not an identifier of C; `rows` are missing or given for nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm import HLSVMClassifier
    >>> from hlsvm.trees import export_c
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = HLSVMClassifier(1e-3).fit(X, X[:, 0] * X[:, 1] > 0)
    >>> "static inline int xor_predict(const double *x)" in export_c(model, name="xor")
    True
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name of export_c must be an identifier of C. Got {shown(name)}.")
    if path is not None:
        check_path("export_c", path)
    check_option("export_c", "integers", integers, (None, 16, 8))
    if integers is not None:
        text = integer_header(IntegerTrees(model, integers, rows), name, Intake.of(model))
    elif rows is not None:
        raise ValueError("rows of export_c serve integers=16 and integers=8 only.")
    else:
        text = _real_header(forest_of(model), name, Intake.of(model))
    if path is not None:
        write_whole(Path(path), text)
    return text


def _real_header(forest: Forest, name: str, intake: Intake | None) -> str:
    """Header in the precision of the trees."""
    real, suffix = ("float", "f") if forest.dtype == np.float32 else ("double", "")
    weights = forest.joined("weights")
    words = {
        "name": name,
        "call": name if intake is None else f"{name}_encoded",
        "finite": "finite " if intake is None else "",
        "note": "" if intake is None else note(intake),
        "n_given": forest.n_features if intake is None else intake.n_features,
        "upper": name.upper(),
        "guard": name.upper() + "_H",
        "real": real,
        "n_trees": len(forest.trees),
        "n_planes": len(weights),
        "n_features": forest.n_features,
        "n_classes": len(forest.classes),
    }
    if len(weights) == 0:
        weights = np.zeros((1, forest.n_features), forest.dtype)
    nodes = np.column_stack([forest.joined(k) for k in ("plane", "feature", "left", "right")])
    leaves = nodes[:, 2] < 0
    nodes[leaves, 3] = np.arange(leaves.sum())  # the row of their shares
    parts = [
        _HEAD.format(**words),
        labels(name, forest.classes),
        array(real, f"{name}_weights", weights, suffix),
        array(real, f"{name}_offsets", forest.joined("offsets"), suffix),
        array("int", f"{name}_nodes", nodes),
    ]
    if forest.kind != "one":
        parts.append(array("int", f"{name}_roots", forest.roots))
    parts.append(array("double", f"{name}_shares", forest.joined("shares")[leaves], ""))
    if forest.kind != "mean":
        parts.append(array("int", f"{name}_answer", forest.joined("winner")))
    if forest.kind == "pairs":
        parts.append(array("int", f"{name}_pairs", forest.pairs))
    parts += [_WALK.format(**words), _BODY[forest.kind].format(**words)]
    if intake is not None:
        parts.append("\n" + wrapper(intake, name, forest.dtype))
    parts.append("\n#endif\n")
    return "".join(parts)
