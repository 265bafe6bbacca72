"""One hyperplane: Weighted-Pegasos (Thesis alg. 5) and dual coordinate descent on its objective."""
