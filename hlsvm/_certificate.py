"""What an iterative solver can prove about its answer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Certificate"]


@dataclass(frozen=True)
class Certificate:
    """Bounds on how far an answer is from the optimum, and why its solver stopped.

    Estimators hold one for each problem they solved in ``certificates_``. What a solver measures
    beyond this stands in subclasses.

    Attributes
    ----------
    objective : float
        Objective reached, to be minimised, in the scale of the solver's docstring.
    dual_objective : float
        Lower bound of the objective, such as the value of a feasible point of the dual; NaN where
        the method has none.
    n_iter : int
        Iterations: epochs, steps, rounds.
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
        """`gap` over the size of the objective; zero where the objective is zero."""
        return self.gap / abs(self.objective) if self.objective else 0.0
