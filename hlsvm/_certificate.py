"""What an iterative solver can prove about its answer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Certificate", "KernelCertificate"]


@dataclass(frozen=True)
class Certificate:
    """Bounds on how far an answer is from the optimum, and why its solver stopped.

    Estimators hold one for each problem they solved in ``certificates_``. What a solver measures
    beyond this is in subclasses.

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
        Why it stopped: "tolerance", "max_iter", "precision" (rounding hides any less) or "passes"
        (LASVM was not asked to finish); where a colon follows, the numbers compared.

    Examples
    --------
    >>> proof = Certificate(2.0, 1.5, 7, False, "max_iter")
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


@dataclass(frozen=True)
class KernelCertificate(Certificate):
    """Certificate of a kernel SVM, 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i f(x_i)).

    Attributes
    ----------
    violation : float
        Largest violation of the optimality conditions.
    rounding : float
        Largest difference between the slopes behind these figures and slopes in double precision,
        as far as it was measured.
    n_kernel : int
        Kernel values computed; 0 where they are not counted.
    n_rounds : int
        Times an active set was compared with all samples.
    """

    violation: float
    rounding: float = 0.0
    n_kernel: int = 0
    n_rounds: int = 0
