"""Integer trees as a C99 header without floating point, heap or library calls."""

from __future__ import annotations

import numpy as np

from hlsvm.trees._c_text import array, labels, power_of_two, smallest
from hlsvm.trees._intake import Intake
from hlsvm.trees._intake_c import integer_note
from hlsvm.trees._words import feature_words
from hlsvm.trees.integers import IntegerTrees

_HEAD = """/* Made by hlsvm: {n_trees} tree(s), {n_planes} hyperplanes, {n_features} features,
 * integers of {bits} bits.
 * {name}_predict(x) returns the number of a class; {name}_classes[number] is its label.
 * {name}_certain(x) is 1 where that label is proven to be the one of the model that was exported:
 * no decision on the way lies within its bound of rounding, {name}_doubt (in units of 2^{shift} at
 * hyperplanes, of one at comparisons){more}.
 * C99 without floating point, memory taken or calls of a library.
 *
 * x[j] = round((value - zero) / step), at most {top}, at least {low}, of type {code}:
{table} */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#define {upper}_FEATURES {n_features}
#define {upper}_CLASSES {n_classes}

"""

_WALK = """
/* Value of a decision: above zero x goes right. */
static inline {sum} {name}_value(const {code} *x, int32_t node)
{{
    const int32_t k = {name}_what[node];
    {sum} s = 0;
    int32_t j;
    if (k < 0)
        return ({sum})x[~k] - {name}_cut[node];
    for (j = 0; j < {n_features}; ++j)
        s += (int32_t){name}_weights[k][j] * x[j];
    return s - ({sum}){name}_cut[node] * {size};
}}

/* Leaf that x reaches from a root. */
static inline int32_t {name}_leaf(const {code} *x, int32_t node)
{{
    while ({name}_right[node])
        node = {name}_value(x, node) > 0 ? (int32_t){name}_right[node] : node + 1;
    return node;
}}

static inline int {name}_clear(const {code} *x, int32_t node)
{{
    while ({name}_right[node]) {{
        const {sum} v = {name}_value(x, node);
        const {sum} doubt = {name}_doubt[node];
        const {sum} least = {name}_what[node] < 0 ? doubt : doubt * {size};
        if (v <= least && v >= -least)
            return 0;
        node = v > 0 ? (int32_t){name}_right[node] : node + 1;
    }}
    return 1;
}}

static inline int {name}_inside(const {code} *x)
{{
    int32_t j;
    for (j = 0; j < {n_features}; ++j)
        if ({name}_used[j] && (x[j] == {low} || x[j] == {top}))
            return 0;
    return 1;
}}
"""

_ONE = """
static inline int {name}_predict(const {code} *x)
{{
    return {name}_what[{name}_leaf(x, 0)];
}}

static inline int {name}_certain(const {code} *x)
{{
    return {name}_inside(x) && {name}_clear(x, 0);
}}
"""

_SEVERAL = """
static inline int {name}_best(const int32_t *score)
{{
    int c, best = 0;
    for (c = 1; c < {n_classes}; ++c)
        if (score[c] > score[best])
            best = c;
    return best;
}}

static inline int {name}_predict(const {code} *x)
{{
    int32_t score[{n_classes}];
    {name}_score(x, score, 1);
    return {name}_best(score);
}}

static inline int {name}_certain(const {code} *x)
{{
    int32_t score[{n_classes}];
    int k, c, best;
    for (k = 0; k < {n_trees}; ++k)
        if (!{name}_clear(x, (int32_t){name}_roots[k]))
            return 0;
    {name}_score(x, score, 0);
    best = {name}_best(score);
    for (c = 0; c < {n_classes}; ++c)
        if (c != best && score[best] - score[c] <= {least})
            return 0;
    return {name}_inside(x);
}}
"""

_MEAN = """
/* Sums of leaf shares in units of 2^-15, from one on: zeros a compiler would leave to memset. */
static inline void {name}_score(const {code} *x, int32_t *score, int all)
{{
    int k, c;
    (void)all;
    for (c = 0; c < {n_classes}; ++c)
        score[c] = 1;
    for (k = 0; k < {n_trees}; ++k) {{
        const uint16_t *s = {name}_shares[{name}_what[{name}_leaf(x, (int32_t){name}_roots[k])]];
        for (c = 0; c < {n_classes}; ++c)
            score[c] += s[c];
    }}
}}
"""

_PAIRS = """
/* How far a decision is trusted: 2^14 at the margin of the SVMs and beyond. */
static inline uint32_t {name}_trust({sum} v, int32_t node)
{{
    const {unsigned} size = v < 0 ? -({unsigned})v : ({unsigned})v;
    const uint32_t a = (uint32_t)({name}_what[node] < 0 ? size : size / {size});
    if (a >= {name}_far[node])
        return 1u << 14;
    return ((a >> {name}_down[node]) * {name}_factor[node]) >> 16;
}}

/* Votes, and where `all` the trust that decides between equal ones; from one on, as zeros a
 * compiler would leave to memset. */
static inline void {name}_score(const {code} *x, int32_t *score, int all)
{{
    int k, c;
    for (c = 0; c < {n_classes}; ++c)
        score[c] = 1;
    for (k = 0; k < {n_trees}; ++k) {{
        uint32_t trust = 1u << 14;
        int32_t node = (int32_t){name}_roots[k];
        int second;
        while ({name}_right[node]) {{
            const {sum} v = {name}_value(x, node);
            const uint32_t near = {name}_trust(v, node);
            if (near < trust)
                trust = near;
            node = v > 0 ? (int32_t){name}_right[node] : node + 1;
        }}
        second = {name}_what[node];
        score[{name}_pairs[k][second]] += {n_classes} * 32768;
        if (all) {{
            score[{name}_pairs[k][second]] += 16384 + (int32_t)trust;
            score[{name}_pairs[k][1 - second]] += 16384 - (int32_t)trust;
        }}
    }}
}}
"""
_MORE = {
    "one": "",
    "mean": ",\n * and the sums of the leaves' shares are further apart than their rounding",
    "pairs": ",\n * and no two classes have the most votes",
}


def _integers(name: str, values, unsigned: bool = False) -> str:
    kind = smallest(values, unsigned)
    return array(kind, name, np.asarray(values).astype(object))


def _table(small: IntegerTrees, intake: Intake | None) -> str:
    """Zero and step of every feature, as lines of the comment."""
    lines = []
    for j, word in enumerate(feature_words("export_c", small.forest)):
        clean = "".join(c if c.isprintable() and c not in "*/\\" else "_" for c in word)
        zero, step = small.zero[j].item(), small.step[j].item()
        rule = f"zero {zero!r}, step {step!r} = {power_of_two(step)}" if step else "not read: 0"
        lines.append(f" *   {j} {clean}: {rule}\n")
    if intake is not None:
        lines += integer_note(intake, small)
    return "".join(lines)


def _leaf_numbers(small: IntegerTrees, inner) -> tuple[np.ndarray, np.ndarray | None]:
    """Return what leaves hold: their class (of two), or of averaged trees the row of shares."""
    forest = small.forest
    if forest.kind != "mean":
        return forest.joined("winner"), None
    shares = np.concatenate([small.shares(k) for k in range(len(forest.trees))])
    rows, number = np.unique(shares[~inner], axis=0, return_inverse=True)
    whole = np.zeros(len(inner), np.int64)
    whole[~inner] = number.reshape(-1)
    return whole, rows


def _whole_labels(classes) -> np.ndarray:
    """Labels without floating point: whole numbers as such, fractions as text."""
    if classes.dtype.kind != "f":
        return classes
    whole = classes.astype(np.int64)
    return whole if (whole == classes).all() else classes.astype(str)


def integer_header(small: IntegerTrees, name: str, intake: Intake | None = None) -> str:
    """Header of integer trees; see `export_c`."""
    forest, nodes = small.forest, small.nodes
    weights = np.concatenate([part.weights for part in nodes])
    plane, feature = forest.joined("plane"), forest.joined("feature")
    inner = forest.joined("left") >= 0
    held, shares = _leaf_numbers(small, inner)
    what = np.where(plane >= 0, plane, np.where(feature >= 0, -1 - feature, held))
    wide = small.bits == 16 or forest.n_features > 2**14
    words = {
        "name": name, "upper": name.upper(), "guard": name.upper() + "_H", "bits": small.bits,
        "code": f"int{small.bits}_t", "top": small.top, "low": -small.top - 1,
        "sum": "int64_t" if wide else "int32_t", "unsigned": "uint64_t" if wide else "uint32_t",
        "size": 2**small.shift, "shift": small.shift, "n_trees": len(forest.trees),
        "n_planes": len(weights), "n_features": forest.n_features,
        "n_classes": len(forest.classes), "more": _MORE[forest.kind],
        "table": _table(small, intake),
        "least": len(forest.trees) if forest.kind == "mean" else 0,
    }  # fmt: skip
    if len(weights) == 0:
        weights = np.zeros((1, forest.n_features), np.int64)
    right = np.where(inner, forest.joined("right"), 0)
    parts = [
        _HEAD.format(**words),
        labels(name, _whole_labels(forest.classes)),
        array(words["code"], f"{name}_weights", weights.astype(object)),
        _integers(f"{name}_what", what),
        _integers(f"{name}_right", right, unsigned=True),
        array("int32_t", f"{name}_cut", np.concatenate([p.cut for p in nodes])),
        _integers(f"{name}_doubt", np.concatenate([p.doubt for p in nodes])),
        _integers(f"{name}_used", (small.step > 0).astype(int), unsigned=True),
    ]
    body = [_WALK]
    if forest.kind != "one":
        parts.append(_integers(f"{name}_roots", forest.roots, unsigned=True))
        body += [_MEAN if forest.kind == "mean" else _PAIRS, _SEVERAL]
    else:
        body.append(_ONE)
    if forest.kind == "mean":
        parts.append(array("uint16_t", f"{name}_shares", shares))
    if forest.kind == "pairs":
        parts.append(_integers(f"{name}_pairs", forest.pairs, unsigned=True))
        tables = [small.trusts(k) for k in range(len(forest.trees))]
        for word, values in zip(("down", "factor", "far"), zip(*tables, strict=True), strict=True):
            parts.append(_integers(f"{name}_{word}", np.concatenate(values), unsigned=True))
    return "".join([*parts, *(text.format(**words) for text in body), "\n#endif\n"])
