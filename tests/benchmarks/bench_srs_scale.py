"""Half a million rows in twenty dimensions: SRS-SVM and its exact answer."""

from hlsvm.chapters.srs_svm.scale import large

QUESTION = (
    "Do SRS-SVM and its exact answer complete on 500,000 rows (shooting range, 18 columns of "
    "noise, 5 % of the labels turned over, C = 1, gamma = 4) within 24 GB and an hour on two "
    "cores? LIBSVM's time is extrapolated from 20,000, 50,000 and 100,000 rows by a power law"
)
SIZES, FULL, CACHE_MB = (20_000, 50_000, 100_000), 500_000, 8000


def run():
    """Return one row a method and size."""
    return large(SIZES, FULL, seed=0, n_jobs=2, cache_size=CACHE_MB)
