"""One hyperplane: Weighted-Pegasos (Thesis Alg. 5) and dual coordinate descent on its objective."""

from hlsvm._certificate import Certificate
from hlsvm.linear.pegasos import WeightedPegasos
from hlsvm.linear.svc import WeightedLinearSVC

__all__ = ["Certificate", "WeightedLinearSVC", "WeightedPegasos"]
