"""Trees that minimise their own PAC-Bayes bound: joint descent on all nodes, pruning by the bound.

The expected error of the Gibbs tree is a smooth function of all its weights at once, known without
sampling, and so is the bound. Descending on it moves every hyperplane with all the others in view,
which growing a tree node by node cannot; a node that saves fewer errors than its weights cost is
cut.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from hlsvm.bounds.binomial import kl_upper
from hlsvm.bounds.gibbs import GaussianTree
from hlsvm.bounds.prefix_codes import structure_nats

__all__ = ["descend", "descend_and_prune", "exchange_rate", "initial_posterior", "prune"]

_CUTOFF = 1e-4  # branches of the tree not followed while optimising
_SCALES = 2.0 ** np.arange(1, 11)
_LOG_VAR = (-40.0, 5.0)
_ENOUGH = 2e-3  # a round that improves the bound by less than this share is the last


class _Objective:
    """Bound with its KL multiplied by a temperature, and its derivatives."""

    def __init__(self, posterior: GaussianTree, Z, codes, temperature: float, delta: float):
        self.posterior = posterior
        self.Z, self.codes = Z, codes
        self.temperature = temperature
        self.extra = math.log(2 * math.sqrt(len(codes)) / delta)

    def value(self, risk: float, kl: float) -> float:
        budget = (self.temperature * kl + self.extra) / len(self.codes)
        return min(kl_upper(min(risk, 1.0), budget), 1 - 1e-9)

    def __call__(self, flat):
        mean, log_var = flat.reshape(2, *self.posterior.mean.shape)
        now = replace(self.posterior, mean=mean, log_var=log_var)
        m = len(self.codes)
        total, _, by_mean, by_variance = now.errors(
            self.Z, self.codes, cutoff=_CUTOFF, gradient=True
        )
        value = self.value(total / m, now.kl)
        rate, stiffness = exchange_rate(total / m, value, m)
        ratio = np.exp(log_var - now.prior_log_var)
        kl_mean = (mean - now.prior_mean) * np.exp(-now.prior_log_var)
        grad_mean = rate * by_mean + self.temperature * kl_mean
        grad_var = rate * by_variance * np.exp(log_var) + self.temperature * 0.5 * (ratio - 1)
        return value, np.concatenate([grad_mean.ravel(), grad_var.ravel()]) / (m * stiffness)


def exchange_rate(risk: float, value: float, n: int) -> tuple[float, float]:
    """How many nats one error of n is worth at a bound, and d kl / d bound.

    Differentiating ``kl(risk || value) = nats/n``: an error more raises the bound as much as
    ln(odds(value)/odds(risk)) nats more do.

    Examples
    --------
    >>> rate, _ = exchange_rate(0.1, 0.2, 1000)
    >>> round(rate, 3)  # ln((0.2/0.8)/(0.1/0.9))
    0.811
    """
    risk = min(max(risk, 0.5 / n), 1 - 1e-9)
    value = min(max(value, risk + 1e-12), 1 - 1e-9)
    rate = math.log(value * (1 - risk) / (risk * (1 - value)))
    return rate, (value - risk) / (value * (1 - value))


def initial_posterior(
    tree_shape, labels, units, standardizer, n_classes, Z, codes, *, temperature, delta
):
    """Gibbs tree around unit hyperplanes, at the noise of least (tempered) bound."""
    best = None
    for kappa in _SCALES:
        tree = GaussianTree.scaled(tree_shape, labels, units, kappa, standardizer, n_classes)
        objective = _Objective(tree, Z, codes, temperature, delta)
        value = objective.value(tree.errors(Z, codes, cutoff=_CUTOFF)[0] / len(codes), tree.kl)
        if best is None or value < best[0]:
            best = value, tree
    return best[1]


def descend(posterior, Z, codes, *, temperature=1.0, delta=0.05, max_iter=60) -> GaussianTree:
    """Lower the (tempered) bound over all weights and variances by L-BFGS."""
    if posterior.tree_shape.n_inner == 0:
        return posterior
    objective = _Objective(posterior, Z, codes, temperature, delta)
    first = np.concatenate([posterior.mean.ravel(), posterior.log_var.ravel()])
    half = posterior.mean.size
    limits = [(None, None)] * half + [_LOG_VAR] * half
    options = {"maxiter": max_iter, "maxcor": 20}
    result = minimize(objective, first, jac=True, method="L-BFGS-B", bounds=limits, options=options)
    mean, log_var = result.x.reshape(2, *posterior.mean.shape)
    return replace(posterior, mean=mean.copy(), log_var=log_var.copy())


def prune(posterior, Z, codes, *, temperature=1.0, delta=0.05) -> GaussianTree:
    """Cut every node that saves less than its weights cost; leaves answer their majority.

    The subtree of least ``rate errors + temperature nats`` among all subtrees, by dynamic
    programming from the leaves up, at the `exchange_rate` of the present bound.
    """
    s = posterior.tree_shape
    total, mass, _, _ = posterior.errors(Z, codes, cutoff=_CUTOFF)
    value = _Objective(posterior, Z, codes, temperature, delta).value(
        total / len(codes), posterior.kl
    )
    rate, _ = exchange_rate(total / len(codes), value, len(codes))
    as_leaf = rate * (mass.sum(axis=1) - mass.max(axis=1))
    each = posterior.structure / max(s.n_inner, 1)
    price = temperature * (posterior.kl_of_nodes() + each)
    best, cut = as_leaf.copy(), np.zeros(s.n_nodes, bool)
    for node in s.inner[::-1]:
        split = best[s.left[node]] + best[s.right[node]] + price[s.plane[node]]
        cut[node] = as_leaf[node] <= split
        best[node] = min(as_leaf[node], split)
    return _subtree(posterior, cut, mass)


def _subtree(posterior, cut, mass) -> GaussianTree:
    tree_shape, keep = posterior.tree_shape.collapse(cut)
    rows = posterior.tree_shape.plane[keep & (posterior.tree_shape.plane >= 0) & ~cut]
    weights = ("mean", "log_var", "prior_mean", "prior_log_var")
    return replace(
        posterior,
        tree_shape=tree_shape,
        labels=mass[keep].argmax(axis=1),
        structure=structure_nats(tree_shape.n_inner, posterior.n_classes),
        **{name: getattr(posterior, name)[rows] for name in weights},
    )


def descend_and_prune(
    posterior, Z, codes, *, temperatures=(1.0,), delta=0.05, max_iter=60, rounds=4, seen=None
) -> GaussianTree:
    """Descend and prune in turns, at one temperature after the other.

    Parameters
    ----------
    posterior : GaussianTree
        Under a flat prior (`GaussianTree.flat_prior`).
    Z, codes : ndarray
        Standardised rows that count and their classes.
    temperatures : sequence of float
        A temperature below 1 prices the nats lower: it keeps more of the tree until the nodes have
        found each other. 1 is the bound itself.
    rounds : int
        Most turns at a temperature.
    seen : list, optional
        The tree at the end of each temperature is appended.

    Returns
    -------
    GaussianTree
    """
    for temperature in temperatures:
        last = math.inf
        for _ in range(rounds):
            how = {"temperature": temperature, "delta": delta}
            posterior = descend(posterior, Z, codes, max_iter=max_iter, **how)
            posterior = prune(posterior, Z, codes, **how)
            risk = posterior.errors(Z, codes, cutoff=_CUTOFF)[0] / len(codes)
            value = _Objective(posterior, Z, codes, **how).value(risk, posterior.kl)
            if value > last * (1 - _ENOUGH):
                break
            last = value
        if seen is not None:
            seen.append(posterior)
    return posterior
