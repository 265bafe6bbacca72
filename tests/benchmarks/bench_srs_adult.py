"""SRS-SVM and its exact answer on adult, beside LIBSVM and its rivals."""

from hlsvm.chapters.srs_svm.beside import beside_libsvm

QUESTION = (
    "How much faster than LIBSVM are SRS-SVM (h = 15) and its exact answer on adult (a9a, C = 1, "
    "gamma = 2^-5), at what accuracy, objective and recall? One run, processor seconds of one "
    "thread; rivals in HLSVM_RIVALS_PYTHON (asked: >= 84.4 % at >= 6 x; exact 85.0 % at >= 3 x, "
    "objective within 1e-3; recall >= 0.85)"
)


def run():
    """Return one row a method."""
    return beside_libsvm("adult")
