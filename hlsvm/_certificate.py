"""What a solver of the weighted linear SVM can prove about its answer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Certificate"]


@dataclass(frozen=True)
class Certificate:
    """Bounds on how far a hyperplane is from the optimum, and why its solver stopped.

    Attributes
    ----------
    objective : float
        Primal objective reached, in the scale of the estimator's docstring.
    dual_objective : float
        Value of a feasible point of the dual: no hyperplane has a lower objective.
    n_iter : int
        Iterations: epochs of the dual solver, steps of Pegasos.
    converged : bool
        Whether the solver met its own tolerance.
    reason : str
        Why it stopped, with the numbers compared.

    Examples
    --------
    >>> proof = Certificate(2.0, 1.5, 7, False, "max_iter reached")
    >>> proof.gap, proof.relative_gap
    (0.5, 0.25)
    """

    objective: float
    dual_objective: float
    n_iter: int
    converged: bool
    reason: str

    @property
    def gap(self) -> float:
        """Objective minus dual objective: at least the distance to the optimum."""
        return max(self.objective - self.dual_objective, 0.0)

    @property
    def relative_gap(self) -> float:
        """`gap` over the objective; zero where the objective is zero."""
        return self.gap / self.objective if self.objective > 0 else 0.0
