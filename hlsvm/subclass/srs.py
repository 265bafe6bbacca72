"""SRS-SVM and HSRS-SVM: the kernel SVM on a reduced set, and from there to the exact answer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed

from hlsvm._params import check_number, check_option, check_tolerance, shown
from hlsvm.subclass._base import KernelClassifier
from hlsvm.subclass._libsvm import solve_with_libsvm
from hlsvm.subclass._pairs import LinearTraining, Subclass, candidates
from hlsvm.subclass._reduce import climb, find_subclasses, subclasses_asked
from hlsvm.subclass.solver import solve_kernel_svm

_HUGE = 1e15


class SRSSVC(KernelClassifier):
    """Subclass reduced set SVM: SRS-SVM, HSRS-SVM, and beyond them the exact answer.

    Every class is cut into h subclasses; a linear SVM is solved for every pair of subclasses of two
    classes, and the support vectors of all pairs together are the reduced set on which the kernel
    SVM is solved (SRS-SVM Alg. 1). With `n_children` = mu the pairs are the leaves of a tree whose
    nodes, kernel SVMs on the support vectors of mu nodes below, thin the set out on the way
    (HSRS-SVM, section 5.2).

    The reduced set is a heuristic: the paper's Propositions 1 and 3, by which it would hold every
    support vector, are false (see notebooks/11_errata). With ``exact=True`` the samples outside it
    that violate the optimality conditions of the *whole* training set are added, and the problem is
    solved again from the present solution, until none violates them by more than `tol`. The answer
    is then that of a kernel SVM on all samples, with a certificate.

    Parameters
    ----------
    n_subclasses : "auto", int, or mapping of class to int, default "auto"
        h, per class; at most the size of the class. "auto" takes sqrt(n_samples) / 8, with at least
        ten samples in a subclass on average.
    n_children : int or None, default None
        mu >= 2. None is mu = h^2, the number of pairs: SRS-SVM.
    C : float, default 1.0
        Cost, > 0, of the linear and the kernel SVMs.
    kernel, gamma, degree, coef0, class_weight, tol, cache_size, max_iter
        As in `KernelSVC`.
    exact : bool, default False
        Go on to the solution on all samples.
    solver : {"smo", "libsvm"}, default "smo"
        Of the kernel SVM. LIBSVM has no warm start.
    clusterer : None, clusterer or callable
        None is k-means. A scikit-learn clusterer is cloned and given the number of subclasses; a
        callable gets ``(X, n_subclasses, seed)`` and returns labels.
    faithful : bool, default False
        Take the candidates of Alg. 1: linear SVMs solved to the end, their bias not penalised, and
        of their dual solutions one of few support vectors (see Notes).
    linear_tol : float or None, default None
        Relative duality gap at which a linear SVM stops. None is 0.1, and 1e-3 with `faithful`.
    linear_max_iter : int or None, default None
        Epochs after which it stops anyway. None is 10, and 2,000 with `faithful`.
    n_jobs : int or None
        Threads, over pairs, nodes and kernel rows. The answer does not depend on it, to the bit.
    random_state : int, RandomState or None
        Of clustering, the order of samples, and the shuffles of the hierarchy.

    Attributes
    ----------
    reduced_set_ : ndarray of int64
        Rows the kernel SVM was solved on; under ``exact=True`` with the support vectors added.
    candidates_ : ndarray of int64
        Rows that the method chose: the reduced set before any was added.
    subclasses_ : ndarray of int64, shape (n_samples,)
        Subclass of every row within its class; rows of no weight are left out. Clusters are
        formed without regard to weights.
    n_subclasses_ : ndarray of int64, shape (n_classes,)
        Subclasses found: fewer than asked where rows coincide.
    levels_ : list of list of dict
        For every pair of classes, the levels below the root: ``nodes``, ``samples`` kept,
        ``seconds``, and the ``certificates`` of the SVMs solved (linear ones on the first level).
    stage_times_ : dict
        Seconds of ``subclasses``, ``linear`` (level 1), ``nodes`` (levels between), ``kernel``.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, classes_, gamma_, n_iter_
    certificates_
        As in `KernelSVC`. Without `exact` the certificate is on the reduced set.

    Notes
    -----
    `X` must be dense: pass ``X.toarray()`` for sparse rows.

    For probabilities wrap it in `sklearn.calibration.CalibratedClassifierCV`, which fits a sigmoid
    to decisions on held-out rows.

    Where many samples lie on the margin of a linear SVM (one binary feature may tell two subclasses
    apart), its dual solution is not unique. Coordinate descent ends with most of these samples as
    support vectors, LIBSVM with few; ``faithful=True`` moves the solution to a vertex, at which at
    most d + 1 multipliers are strictly between 0 and their cap. w and b are the same.

    The default is faster and keeps more: samples on the margin that a vertex does without, and
    those that a descent stopped early has not yet let go. On adult (h = 15) it keeps 18,500
    candidates with precision .60 and recall .96 where `faithful` keeps 13,400 with .75 and .87, as
    the paper does (13,698; .72; .85); on ijcnn1 (h = 30) 18,600 with .12 and .90 in place of 5,700
    with .33 and .76.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from hlsvm import SRSSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SRSSVC(n_subclasses=3, C=10, random_state=0).fit(X, y)
    >>> len(model.reduced_set_) < len(X), round(model.score(X, y), 2)
    (True, 0.92)
    """

    def __init__(
        self,
        n_subclasses="auto",
        *,
        n_children=None,
        C=1.0,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        exact=False,
        solver="smo",
        clusterer=None,
        faithful=False,
        linear_tol=None,
        linear_max_iter=None,
        class_weight=None,
        tol=1e-3,
        cache_size=2000,
        max_iter=-1,
        n_jobs=None,
        random_state=None,
    ):
        self.n_subclasses = n_subclasses
        self.n_children = n_children
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.exact = exact
        self.solver = solver
        self.clusterer = clusterer
        self.faithful = faithful
        self.linear_tol = linear_tol
        self.linear_max_iter = linear_max_iter
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    _row_names = ("support_", "candidates_", "reduced_set_")

    def _check_params(self):
        super()._check_params()
        if not isinstance(self.n_subclasses, Mapping):
            check_number(
                self, "n_subclasses", self.n_subclasses, kind=Integral, low=1, options=("auto",)
            )
        check_number(self, "n_children", self.n_children, kind=Integral, low=2, options=(None,))
        check_option(self, "faithful", self.faithful, (True, False))
        if self.linear_tol is not None:
            check_tolerance(self, "linear_tol", self.linear_tol, zero=True)
        limits = {"kind": Integral, "low": 1, "high": 10**9, "options": (None,)}
        check_number(self, "linear_max_iter", self.linear_max_iter, **limits)
        check_option(self, "exact", self.exact, (True, False))
        check_option(self, "solver", self.solver, ("smo", "libsvm"))
        if not (
            self.clusterer is None
            or callable(self.clusterer)
            or hasattr(self.clusterer, "fit_predict")
        ):
            raise TypeError(
                "The 'clusterer' parameter of SRSSVC must be None, a clusterer with fit_predict, "
                f"or a callable. Got {shown(self.clusterer)} instead."
            )

    def _prepare(self, X, labels, caps, seed):
        counts = np.bincount(labels)
        asked = subclasses_asked(self.n_subclasses, self.classes_.tolist(), counts)
        self._check_memory(counts)
        start = time.perf_counter()
        if not np.abs(X).max() < _HUGE:
            raise ValueError(
                f"X of {type(self).__name__} must hold numbers below {_HUGE:.0e}, which single "
                f"precision squares: scale the features. Got {np.abs(X).max():.2e}."
            )
        self._single = np.ascontiguousarray(X, dtype=np.float32)
        self._seeds = np.random.SeedSequence(seed)
        seeds = self._seeds.spawn(1)[0].generate_state(len(counts))
        self.subclasses_ = np.empty(len(labels), dtype=np.int64)
        self._members = []
        for c, h in enumerate(asked):
            rows = np.flatnonzero(labels == c)
            result = find_subclasses(self._single[rows], h, self.clusterer, int(seeds[c] >> 1))
            self.subclasses_[rows] = result
            order = np.split(np.argsort(result, kind="stable"), np.cumsum(np.bincount(result))[:-1])
            self._members.append([Subclass(self._single, rows[part]) for part in order])
        self.n_subclasses_ = np.array([len(members) for members in self._members])
        spent = time.perf_counter() - start
        self.stage_times_ = {"subclasses": spent, "linear": 0.0, "nodes": 0.0, "kernel": 0.0}
        self.levels_, self._chosen, self._used = [], [], []

    def _fit_pair(self, X, labels, caps, a, b):
        sequence = self._seeds.spawn(1)[0]
        reduced = self._reduce(X, labels, caps, a, b, sequence)
        start = time.perf_counter()
        if self.exact:
            rows = np.flatnonzero((labels == a) | (labels == b))
            active = np.searchsorted(rows, reduced)
        else:
            rows, active = reduced, None
        y = np.where(labels[rows] == b, 1.0, -1.0)
        solution = self._kernel_machine(X[rows], y, caps[rows], self.cache_size, active)
        self.stage_times_["kernel"] += time.perf_counter() - start
        support = np.flatnonzero(solution.beta)
        self._chosen.append(reduced)
        self._used.append(np.union1d(reduced, rows[support]))
        return rows[support], solution.beta[support], solution

    def _reduce(self, X, labels, caps, a, b, sequence):
        """Rows that enter the root of this pair of classes."""
        minus, plus = self._members[a], self._members[b]
        start = time.perf_counter()
        leaves, proofs = candidates(
            self._single,
            minus,
            plus,
            caps,
            self._linear_training(),
            sequence.generate_state(len(minus) * len(plus)),
            self.n_jobs,
        )
        kept = len(np.unique(np.concatenate(leaves)))
        spent = time.perf_counter() - start
        self.stage_times_["linear"] += spent
        rng = np.random.default_rng(sequence.spawn(1)[0])
        reduced, levels = climb(
            leaves,
            len(leaves) if self.n_children is None else int(self.n_children),
            lambda nodes: self._support_of(nodes, X, labels == b, caps),
            rng,
        )
        self.stage_times_["nodes"] += sum(level["seconds"] for level in levels)
        first = {"nodes": len(leaves), "samples": kept, "seconds": spent, "certificates": proofs}
        self.levels_.append([first, *levels])
        if len(np.unique(labels[reduced])) < 2:
            reduced = np.unique(np.concatenate([s.rows for s in (*minus, *plus)]))
        return reduced

    def _linear_training(self):
        tol, max_iter = (1e-3, 2000) if self.faithful else (0.1, 10)
        return LinearTraining(
            tol if self.linear_tol is None else float(self.linear_tol),
            max_iter if self.linear_max_iter is None else int(self.linear_max_iter),
            bool(self.faithful),
        )

    def _support_of(self, nodes, X, positive, caps):
        """Support vectors of every node (all of a node of one class), and the certificates."""
        share, workers = self._share([len(rows) for rows in nodes])

        def solve(rows):
            y = np.where(positive[rows], 1.0, -1.0)
            if abs(y.sum()) == len(y):
                return rows, None
            solution = self._kernel_machine(X[rows], y, caps[rows], share)
            return rows[solution.beta != 0], solution.certificate

        result = Parallel(workers, prefer="threads")(delayed(solve)(rows) for rows in nodes)
        return [rows for rows, _ in result], tuple(proof for _, proof in result if proof)

    def _kernel_machine(self, X, y, caps, cache_size, active=None):
        solve = solve_kernel_svm if self.solver == "smo" else solve_with_libsvm
        return solve(
            self._kernel_,
            X,
            y,
            caps,
            active=active,
            tol=self.tol,
            cache_size=cache_size,
            max_iter=self.max_iter,
            refine=self.exact and active is not None,
            n_jobs=self.n_jobs,
        )

    def _assemble(self, X, labels, parts):
        super()._assemble(X, labels, parts)
        self.candidates_ = np.unique(np.concatenate(self._chosen))
        self.reduced_set_ = np.unique(np.concatenate(self._used))
        del self._single, self._members, self._chosen, self._used, self._seeds
