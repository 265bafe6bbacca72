"""A node that looks at some of the features, for trees that are to differ from each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hlsvm.linear.kernels import read_only
from hlsvm.trees._samples import Samples
from hlsvm.trees._split import split_node


def split_on_drawn(share: float, samples: Samples, options, rows, counts, total, least, seed):
    """Split a node as `split_node` does, by a random share of the features (one at least)."""
    n_features = samples.X.shape[1]
    n_drawn = max(round(share * n_features), 1)
    random = np.random.default_rng(np.random.SeedSequence([seed, 4]))
    drawn = np.sort(random.choice(n_features, n_drawn, replace=False))
    X = read_only(np.ascontiguousarray(samples.X[np.ix_(rows, drawn)]))
    part = Samples.of(X, samples.codes[rows], samples.weight[rows], samples.n_classes)
    split, proofs = split_node(part, options, np.arange(len(rows)), counts, total, least, seed)
    if split is None:
        return None, proofs
    if split.w is None:
        return replace(split, feature=int(drawn[split.feature])), proofs
    w = np.zeros(n_features, samples.X.dtype)
    w[drawn] = split.w
    return replace(split, w=w, values=samples.project(rows, w)), proofs
