"""Bounds on the error of a classifier, with their terms by name (Thesis 2.1, 5.2.2, C; DTSVM 4).

Those of the papers have an unknown constant and show how error and complexity move together;
`prune_by_bound` and its parts have none: their value holds at the stated confidence.
"""

from hlsvm.bounds.best_held_out import fit_best_with_bound
from hlsvm.bounds.binomial import (
    binomial_lower,
    binomial_upper,
    failure_test,
    holdout_bound,
    kl_binary,
    kl_lower,
    kl_upper,
    log_binomial_tail,
)
from hlsvm.bounds.compression import compression_upper, margin_bound
from hlsvm.bounds.descended import DescendedTreeClassifier
from hlsvm.bounds.descent import norm_bound, pegasos_bound, pegasos_iterations
from hlsvm.bounds.effective import (
    complexity,
    correct_shares,
    effective_leaves,
    leaf_shares,
    lemma_5_2,
    lemma_5_3,
    tree_complexity,
)
from hlsvm.bounds.gibbs import GaussianTree
from hlsvm.bounds.held_out import fit_with_bound
from hlsvm.bounds.margins import (
    LocalSVM,
    dtsvm_terms,
    log_shatter_bound,
    machines_of,
    slack_to_margin,
    theorem_7,
    theorem_10,
)
from hlsvm.bounds.occam import code_tree, message_bound
from hlsvm.bounds.picking import pick_to_learn
from hlsvm.bounds.pruning import BoundedTree, prune_by_bound
from hlsvm.bounds.result import Bound, side_by_side
from hlsvm.bounds.support import support_vector_bound
from hlsvm.bounds.vc import (
    count_dichotomies,
    separate,
    shattered_labellings,
    vc_bound,
    vc_confidence,
    vc_dimension_hyperplane,
)

__all__ = [
    "Bound",
    "BoundedTree",
    "DescendedTreeClassifier",
    "GaussianTree",
    "LocalSVM",
    "binomial_lower",
    "binomial_upper",
    "code_tree",
    "complexity",
    "compression_upper",
    "correct_shares",
    "count_dichotomies",
    "dtsvm_terms",
    "effective_leaves",
    "failure_test",
    "fit_best_with_bound",
    "fit_with_bound",
    "holdout_bound",
    "kl_binary",
    "kl_lower",
    "kl_upper",
    "leaf_shares",
    "lemma_5_2",
    "lemma_5_3",
    "log_binomial_tail",
    "log_shatter_bound",
    "machines_of",
    "margin_bound",
    "message_bound",
    "norm_bound",
    "pegasos_bound",
    "pegasos_iterations",
    "pick_to_learn",
    "prune_by_bound",
    "separate",
    "shattered_labellings",
    "side_by_side",
    "slack_to_margin",
    "support_vector_bound",
    "theorem_7",
    "theorem_10",
    "tree_complexity",
    "vc_bound",
    "vc_confidence",
    "vc_dimension_hyperplane",
]
