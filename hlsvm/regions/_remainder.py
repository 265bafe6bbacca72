r"""How far a kernel expansion can be from its first-order form at a leaf point.

With :math:`\delta = x - x_0`, :math:`\rho = |\delta|` and
:math:`T(x) = f(x_0) + \delta^\top \nabla f(x_0)` two bounds hold, and both are taken:

*Curvature.* :math:`f - T = \tfrac12 \delta^\top \nabla^2 f(z)\, \delta` for some z between
:math:`x_0` and x, and the second derivative of every kernel is bounded, so that
:math:`\nabla^2 f` lies between constants made of :math:`\sum |\alpha_i|`.

*Norm.* :math:`f(x) - b = \langle w, \varphi(x) \rangle`, and f and its gradient at :math:`x_0` are
the products of w with :math:`\varphi(x_0)` and its derivatives, which span a space V. Hence
:math:`f(x) - b` is the product of w with the part of :math:`\varphi(x)` in V, which is known, and
of the part of w outside V with the part of :math:`\varphi(x)` outside V: at most the product of
their lengths. No other bound from :math:`f(x_0)`, the gradient and :math:`|w|` is tighter. For the
Gaussian kernel, with :math:`t = \gamma\rho^2`,

.. math:: \left| f(x) - b - e^{-t}(T(x) - b) \right| \le
    \sqrt{|w|^2 - (f(x_0) - b)^2 - \tfrac{|\nabla f(x_0)|^2}{2\gamma}}\,\sqrt{1 - e^{-2t}(1 + 2t)} .

The centre of this interval, :math:`b + e^{-t}(T - b)`, is the *damped* Taylor form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hlsvm.regions._expansion import Expansion

# Eigenvalues of the second derivative of exp(-gamma r^2) over 2 gamma: from -1 to this.
_BULGE = 2.0 * math.exp(-1.5)
# Largest |second derivative| of tanh.
_TANH = 4.0 / (3.0 * math.sqrt(3.0))
# Share of sum |alpha_i| |k| that sums of floating-point numbers may be wrong by.
_ROUNDING = 1e-11


def damped(taylor, intercept, gamma, squares):
    """Projection of f on what is known at the leaf point: b + exp(-gamma rho^2) (T - b)."""
    return intercept + np.exp(-gamma * squares)[:, None] * (taylor - intercept)


@dataclass(frozen=True)
class Remainder:
    """Bounds on the expansions of an SVM from their first-order forms at leaf points.

    Attributes
    ----------
    expansion : Expansion
    points : ndarray of shape (n_leaves, d)
    values : ndarray of shape (n_leaves, n_machines)
    outside : ndarray of shape (n_leaves, n_machines)
        Length of the part of w that is not known at the leaf ("rbf"), or of w.
    steepness : ndarray of shape (n_leaves, n_machines)
        Length of the gradient at the leaf point.
    """

    expansion: Expansion
    points: np.ndarray
    values: np.ndarray
    outside: np.ndarray
    steepness: np.ndarray

    @classmethod
    def of(cls, expansion, points, values, gradients, n_jobs=None):
        """Prepare the bounds: norms of the machines and what the leaves know of them."""
        kernel = expansion.kernel
        norms = np.zeros(len(expansion.coef))
        if kernel.name != "sigmoid" and kernel.coef0 >= 0:
            norms = expansion.norms(n_jobs)
        outside = np.broadcast_to(norms**2, values.shape)
        if kernel.name == "rbf":
            known = (values - expansion.intercept) ** 2
            known += np.einsum("lmj,lmj->lm", gradients, gradients) / (2 * kernel.gamma)
            outside = np.maximum(outside - known, 0.0)
        outside = np.sqrt(outside + 1e-9 * norms**2)
        return cls(expansion, points, values, outside, np.linalg.norm(gradients, axis=2))

    def curvature(self, taylor, X, leaf, squares):
        """Interval of f by the second derivative along the way from the leaf point.

        Returns
        -------
        low, high : ndarrays of shape (n, n_machines)
        """
        kernel, coef = self.expansion.kernel, self.expansion.coef
        if kernel.name == "rbf":
            up, down = np.maximum(coef, 0).sum(axis=1), np.maximum(-coef, 0).sum(axis=1)
            most, least = down + _BULGE * up, -(up + _BULGE * down)
            half = kernel.gamma * squares[:, None]
            return taylor + half * least, taylor + half * most
        bend = self._bend(X, leaf)
        half = 0.5 * squares[:, None] * bend
        return taylor - half, taylor + half

    def _bend(self, X, leaf):
        """Largest |second derivative| of f between row and leaf point, kernels of a product."""
        kernel, weights = self.expansion.kernel, np.abs(self.expansion.coef)
        n = len(X)
        if kernel.name == "linear" or (kernel.name == "poly" and kernel.degree == 1):
            return np.zeros((n, len(weights)))
        lengths = np.sqrt(np.einsum("ij,ij->i", self.expansion.support, self.expansion.support))
        scale = kernel.gamma**2
        if kernel.name == "sigmoid":
            return np.broadcast_to(scale * _TANH * (weights @ lengths**2), (n, len(weights)))
        p = kernel.degree
        reach = np.sqrt(np.einsum("ij,ij->i", self.points, self.points))[leaf]
        reach = np.maximum(reach, np.sqrt(np.einsum("ij,ij->i", X, X)))
        bend = np.zeros((n, len(weights)))
        for k in range(p - 1):  # (gamma |s| R + |c|)^(p - 2), term by term
            term = math.comb(p - 2, k) * kernel.gamma**k * abs(kernel.coef0) ** (p - 2 - k)
            bend += term * (reach**k)[:, None] * (weights @ lengths ** (k + 2))
        return scale * p * (p - 1) * bend

    def norm(self, taylor, X, leaf, squares):
        """Interval of f by the length of w; without end for the sigmoid, which is no product.

        Returns
        -------
        low, high : ndarrays of shape (n, n_machines)
        """
        kernel = self.expansion.kernel
        if kernel.name == "rbf":
            t = kernel.gamma * squares
            # 1 - exp(-2t)(1 + 2t), without cancellation for small t.
            rest = -np.expm1(-2 * t) - 2 * t * np.exp(-2 * t)
            rest = np.where(t < 1e-3, 2 * t * t, rest)
            middle = damped(taylor, self.expansion.intercept, kernel.gamma, squares)
        elif kernel.name == "sigmoid" or kernel.coef0 < 0:
            endless = np.full(taylor.shape, np.inf)
            return -endless, endless
        else:
            rest, middle = self._rest_of_product(X, leaf, squares), taylor
        width = self.outside[leaf] * np.sqrt(rest)[:, None]
        return middle - width, middle + width

    def _rest_of_product(self, X, leaf, squares):
        """|phi(x) - phi(x0) - d phi(x0)|^2 for a kernel of the inner product."""
        kernel, points = self.expansion.kernel, self.points[leaf]
        squared = np.einsum("ij,ij->i", X, X)
        cross = np.einsum("ij,ij->i", X, points)
        base = np.einsum("ij,ij->i", points, points)
        u_squared, u_cross, u_base = map(kernel.inner, (squared, cross, base))
        slope = kernel.slope
        rest = kernel.scalar(u_squared, 0)
        rest -= 2 * (
            kernel.scalar(u_cross, 0) + kernel.scalar(u_cross, 1) * slope * (squared - cross)
        )
        rest += kernel.scalar(u_base, 0)
        rest += 2 * kernel.scalar(u_base, 1) * slope * (cross - base)
        rest += kernel.scalar(u_base, 2) * (slope * (cross - base)) ** 2
        rest += kernel.scalar(u_base, 1) * slope * squares
        biggest = np.maximum(np.maximum(kernel.scalar(u_squared, 0), kernel.scalar(u_base, 0)), 1.0)
        return np.maximum(rest, 0.0) + 1e-12 * biggest * (kernel.name != "linear")

    def interval(self, taylor, X, leaf, squares, bound="best"):
        """Interval that holds f, for every row and machine.

        Parameters
        ----------
        taylor : ndarray of shape (n, n_machines)
            First-order forms at the rows.
        X : ndarray of shape (n, d)
        leaf : ndarray of int, shape (n,)
        squares : ndarray of shape (n,)
            Squared distances to the leaf points.
        bound : {"curvature", "norm", "best"}
            "best" is the common part of both.

        Returns
        -------
        low, high : ndarrays of shape (n, n_machines)
        """
        low, high = np.full(taylor.shape, -np.inf), np.full(taylor.shape, np.inf)
        for name in ("curvature", "norm"):
            if bound in (name, "best"):
                below, above = getattr(self, name)(taylor, X, leaf, squares)
                low, high = np.maximum(low, below), np.minimum(high, above)
        slack = self._slack(X) + self._slack_of_taylor(X, leaf)
        return low - slack, high + slack

    def _slack_of_taylor(self, X, leaf):
        """Bound the rounding of ``(f(x0) - g.x0) + g.x``, which grows with distance from 0."""
        lengths = np.linalg.norm(X, axis=1) + np.linalg.norm(self.points, axis=1)[leaf]
        size = np.abs(self.values[leaf]) + self.steepness[leaf] * lengths[:, None]
        return (X.shape[1] + 4) * np.finfo(float).eps * size

    def _slack(self, X):
        """Bound the rounding of the expansion itself."""
        kernel, weights = self.expansion.kernel, np.abs(self.expansion.coef)
        n = len(X)
        if kernel.name in ("rbf", "sigmoid"):
            size = np.broadcast_to(weights.sum(axis=1), (n, len(weights)))
        else:
            lengths = np.sqrt(np.einsum("ij,ij->i", self.expansion.support, self.expansion.support))
            reach = np.sqrt(np.einsum("ij,ij->i", X, X))
            power = 1 if kernel.name == "linear" else kernel.degree
            most = abs(kernel.coef0) + kernel.slope * reach * lengths.max(initial=0.0)
            size = (most**power)[:, None] * weights.sum(axis=1)
        return _ROUNDING * (size + np.abs(self.expansion.intercept) + 1.0)
