"""Stability selection: what half of the samples chooses, the other half must choose too."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.base import clone

from hlsvm._params import check_number, check_random_state, check_type
from hlsvm.select._base import RankingSelector, order_by
from hlsvm.select._levels import in_threads
from hlsvm.select._qpfs import QPFS
from hlsvm.select._shadows import chance_agreement, q_values, rank_pair, seeded


class StabilitySelector(RankingSelector):
    """Features that both halves of the samples rank first, with a false-discovery rate.

    The samples are divided at random into two halves, many times. In each half every feature gets
    a shadow, a copy with its rows exchanged at random, and a selector ranks features and shadows
    together. A feature's score is the share of divisions in which both halves rank it among the
    first `n_top`; how often shadows get there says how often that is chance.

    Parameters
    ----------
    estimator : selector or None, default=None
        What ranks the features: `QPFS`, `MRMR`, `MaxRel`, `JMI` or another selector of
        `hlsvm.select`; None: ``QPFS()``. It is copied, not fitted; its `random_state` is drawn
        anew for every half, its `n_features_to_select` is read by ``QPFS(binary=True)`` alone.
        If it needs a dense `X`, so does this selector.
    fdr : float in (0, 1), default=0.1
        Largest expected share of features without information among those selected.
    n_top : int or "auto", default="auto"
        How many of features and shadows a half chooses. "auto": 4 sqrt(fdr M), half of the M
        features at most. More finds weaker features if there are many, fewer finds a few strong
        ones.
    n_pairs : int, default=50
        How often the samples are divided: twice as many rankings are made.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the halves and the shadows.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Share of the divisions in which both halves chose the feature.
    frequencies_ : array of shape (n_features,)
        Share of the halves that chose it.
    q_values_ : array of shape (n_features,)
        Smallest `fdr` at which it is selected, all else equal; at most 1.
    ranking_ : int array of shape (n_features,)
        Features, best first: by scores, then frequencies, then mean places.
    by_chance_ : float
        How many shadows the two halves of a division choose both, on average.
    n_top_ : int

    Raises
    ------
    ValueError
        Fewer than two classes have two samples, one for each half.

    Notes
    -----
    What is promised: let N be the features that are, taken together, independent of the class and
    of all features outside N. Then the share of N among the features selected is at most `fdr` in
    expectation, however the features depend on each other. A feature that tells of the class only
    through another one is not in N.

    Why: exchanging N for its shadows changes no distribution, so in a half each feature j of N is
    chosen with the probability p_j of its shadow, whatever `estimator` is. The halves are
    independent, so the scores of N sum to sum p_j^2 or less in expectation, with the sum over all
    shadows: `by_chance_`. The largest set S is selected in which each score is at least
    by_chance_ / (fdr |S|); then the expected share |S and N| / |S| is at most
    fdr E[sum of the scores of N] / by_chance_, which is the e-BH procedure of Wang and Ramdas.

    What is not exact: `by_chance_` is estimated, from all pairs of the 2 `n_pairs` rankings.
    ``QPFS(alpha="auto")`` is balanced once, on all samples without shadows. Samples are taken to
    be independent of each other, given their classes.

    References
    ----------
    R. Shah, R. Samworth, "Variable selection with error control: another look at stability
    selection", JRSS B 75 (2013): the halves. M. Kursa, W. Rudnicki, "Feature selection with the
    Boruta package", J. Stat. Software 36 (2010): the shadows. R. Wang, A. Ramdas, "False discovery
    rate control with e-values", JRSS B 84 (2022): the rate.

    Examples
    --------
    >>> import numpy as np
    >>> from hlsvm.select import MRMR
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 100)), rng.integers(0, 2, 200)
    >>> X[:, :5] += y[:, None]
    >>> selector = StabilitySelector(MRMR(), random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1, 2, 3, 4])
    """

    n_features_to_select = None  # the rate decides

    def __init__(
        self,
        estimator=None,
        *,
        fdr=0.1,
        n_top="auto",
        n_pairs=50,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.fdr = fdr
        self.n_top = n_top
        self.n_pairs = n_pairs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_params(self):
        super()._check_params()
        accepted = "None or a selector of hlsvm.select, such as QPFS() or MRMR()"
        check_type(self, "estimator", self.estimator, (RankingSelector, type(None)), accepted)
        self._base._check_params()
        check_number(self, "fdr", self.fdr, low=0, high=1, closed="neither")
        check_number(self, "n_top", self.n_top, kind=Integral, low=1, options=("auto",))
        check_number(self, "n_pairs", self.n_pairs, kind=Integral, low=1, high=100_000)

    @property
    def _base(self):
        return QPFS() if self.estimator is None else self.estimator

    @property
    def _takes_sparse(self):
        return getattr(self._base, "_takes_sparse", True)

    def _wanted(self, n_features):
        return None

    def _closed_size(self):
        return int(np.count_nonzero(self.q_values_ <= self.fdr))

    def _rank(self, X, codes):
        sizes = np.bincount(codes)
        if np.count_nonzero(sizes >= 2) < 2:
            raise ValueError(
                f"y of {type(self).__name__} must hold at least two classes of two samples or "
                f"more, one for each half. Got classes of {sizes.tolist()} samples instead."
            )
        M = X.shape[1]
        most = (M + 1) // 2 if self.n_top == "auto" else 2 * M
        wanted = round(4.0 * (self.fdr * M) ** 0.5) if self.n_top == "auto" else self.n_top
        self.n_top_ = max(1, min(wanted, most))
        rng = check_random_state(self, self.random_state)
        estimator = self._prepared(X, codes, rng)
        seeds = rng.randint(2**31, size=self.n_pairs).tolist()
        calls = [(estimator, X, codes, self.n_top_, seed) for seed in seeds]
        counts = zip(*in_threads(self.n_jobs, rank_pair, calls), strict=True)
        places, chosen, both, shadows = map(sum, counts)
        self.scores_ = both / self.n_pairs
        self.frequencies_ = chosen / (2 * self.n_pairs)
        self.by_chance_ = chance_agreement(shadows, 2 * self.n_pairs)
        ranking = order_by(self.scores_, self.frequencies_, -places)
        self.q_values_ = np.empty(M)
        self.q_values_[ranking] = q_values(self.scores_[ranking], self.by_chance_)
        return ranking

    def _prepared(self, X, codes, rng):
        """Estimator of the halves: it orders no more than is read, and does not seek its alpha."""
        estimator = clone(self._base)
        if "n_ranked" in estimator.get_params(deep=False):
            estimator.set_params(n_ranked=min(estimator.n_ranked or self.n_top_, self.n_top_))
        if isinstance(estimator, QPFS) and estimator.alpha == "auto":
            estimator.set_params(alpha=seeded(estimator, rng).fit(X, codes).alpha_)
        return estimator
