"""PAC-Bayes bound for a tree whose node weights are Gaussian (the Gibbs tree)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hlsvm.bounds._gibbs import expected_errors
from hlsvm.bounds._standardize import Standardizer
from hlsvm.bounds._tree_shape import TreeShape, to_tree
from hlsvm.bounds.binomial import kl_upper
from hlsvm.bounds.prefix_codes import structure_nats
from hlsvm.bounds.result import Bound

__all__ = ["GaussianTree"]

_CUTOFF = 1e-7  # of the reported risk, on the safe side; optimisation is coarser


@dataclass(frozen=True)
class GaussianTree:
    """A tree whose hyperplanes w_t ~ N(mean_t, diag(exp log_var_t)) are drawn for every decision.

    Attributes
    ----------
    tree_shape : TreeShape
    labels : ndarray of int64, shape (n_nodes,)
        Class a leaf at this node answers.
    mean, log_var : ndarray of shape (n_inner, n_features + 1)
        On standardised rows, the last column being b.
    prior_mean, prior_log_var : ndarray of the same shape
        The prior, fixed before the rows that count were seen.
    structure : float
        Nats of shape and labels under the prior.
    standardizer : Standardizer
        Standardisation of the rows.
    n_classes : int

    Examples
    --------
    >>> from hlsvm import HLSVMClassifier
    >>> from hlsvm.bounds import prune_by_bound
    >>> X = np.random.default_rng(0).uniform(-1, 1, (1000, 2))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> model = HLSVMClassifier(lam=1e-4, random_state=0).fit(X, y)
    >>> gibbs = prune_by_bound(model, X, y, refined=False).posterior
    >>> gibbs.bound(gibbs.standardizer.rows(X), y).value < 0.1, gibbs.kl > 0
    (True, True)
    """

    tree_shape: TreeShape
    labels: np.ndarray
    mean: np.ndarray
    log_var: np.ndarray
    prior_mean: np.ndarray
    prior_log_var: np.ndarray
    structure: float
    standardizer: Standardizer
    n_classes: int

    @classmethod
    def flat_prior(cls, tree_shape, labels, mean, log_var, standardizer, n_classes) -> GaussianTree:
        """With the prior N(0, I) at every node, and the code of shapes and labels."""
        zero = np.zeros_like(mean)
        structure = structure_nats(tree_shape.n_inner, n_classes)
        return cls(
            tree_shape, labels, mean, log_var, zero, zero, structure, standardizer, n_classes
        )

    @classmethod
    def scaled(
        cls, tree_shape, labels, units, kappa: float, standardizer, n_classes
    ) -> GaussianTree:
        """Tree of unit hyperplanes with noise 1/kappa of their length, at the scale of least KL."""
        spread = 1.0 / (1.0 + kappa**2 / units.shape[1]) if units.size else 1.0
        mean = units * (kappa * math.sqrt(spread))
        log_var = np.full_like(mean, math.log(spread))
        return cls.flat_prior(tree_shape, labels, mean, log_var, standardizer, n_classes)

    def errors(self, Z, codes, *, cutoff=_CUTOFF, gradient=False):
        """Return expected errors on standardised rows, class mass of every node, two gradients.

        Returns
        -------
        total, mass, by_mean, by_variance
        """
        by_mean, by_variance = np.zeros_like(self.mean), np.zeros_like(self.mean)
        s = self.tree_shape
        shape = (s.left, s.right, s.end, s.plane, self.labels)
        weights = (np.ascontiguousarray(self.mean), np.exp(self.log_var))
        total, result = expected_errors(
            Z, codes, *weights, *shape, cutoff, gradient, by_mean, by_variance
        )
        mass = np.zeros((s.n_nodes, self.n_classes))
        mass[:, : result.shape[1]] = result
        return total, mass, by_mean, by_variance

    def kl_of_nodes(self) -> np.ndarray:
        """Relative entropy of every node's weights to the prior, nats, shape (n_inner,)."""
        change = self.log_var - self.prior_log_var
        moved = (self.mean - self.prior_mean) ** 2 * np.exp(-self.prior_log_var)
        return 0.5 * np.sum(moved + np.expm1(change) - change, axis=1)

    @property
    def kl(self) -> float:
        """Relative entropy to the prior, nats, shape and labels included."""
        return float(self.kl_of_nodes().sum()) + self.structure

    def bound(self, Z, codes, *, delta: float = 0.05, choices: int = 1, note: str = "") -> Bound:
        """PAC-Bayes-kl bound on the error of the Gibbs tree.

        ``kl(risk || error) <= (KL + ln(2 sqrt(m)/delta') )/m`` (Seeger 2002, Maurer 2004) with
        ``delta' = delta/choices``. The empirical risk is exact: see `hlsvm.bounds._gibbs`.

        Parameters
        ----------
        Z, codes : ndarray
            Standardised rows that count, and their classes.
        delta : float
        choices : int
            Priors it was chosen among after the rows were seen.
        note : str
            What else the prior was made from.
        """
        m = len(codes)
        risk = min(self.errors(Z, codes)[0] / m, 1.0)
        log_term = math.log(2 * math.sqrt(m) * choices / delta)
        terms = {
            "rows that count": m,
            "Gibbs risk on them": risk,
            "hyperplanes": self.tree_shape.n_inner,
            "KL of node weights": float(self.kl_of_nodes().sum()),
            "KL of shape and labels": self.structure,
            "ln(2 sqrt(m)/delta)": log_term,
            "nats a row": (self.kl + log_term) / m,
            "delta": delta,
        }
        value = kl_upper(risk, terms["nats a row"])
        assumption = "rows that count are i.i.d.; weights are drawn anew for every decision"
        assumption += f"; {note}" if note else ""
        return Bound("PAC-Bayes-kl", value, 1 - delta, terms, assumption, "the Gibbs tree")

    def tree(self, mass):
        """Deterministic tree at the means, with expected class counts in its nodes."""
        return to_tree(self.tree_shape, self.standardizer.to_raw(self.mean), mass)

    def draw(self, Z, seed: int) -> np.ndarray:
        """Classes of standardised rows by the Gibbs tree, every decision with fresh weights."""
        random = np.random.default_rng(seed)
        node = np.zeros(len(Z), np.int64)
        s = self.tree_shape
        variance = np.exp(self.log_var)
        for t in s.inner:
            at_node = np.flatnonzero(node == t)
            rows, k = Z[at_node], s.plane[t]
            noise = random.standard_normal(len(at_node)) * np.sqrt(rows**2 @ variance[k])
            right = rows @ self.mean[k] + noise > 0
            node[at_node] = np.where(right, s.right[t], s.left[t])
        return self.labels[node]
