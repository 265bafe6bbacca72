"""SRS-SVM and its exact answer on the sample of Covertype, beside LIBSVM."""

from hlsvm.chapters.srs_svm.beside import beside_libsvm
from hlsvm.chapters.srs_svm.contest import EXACT, LIBSVM, SRS

QUESTION = (
    "How much faster than LIBSVM are SRS-SVM and its exact answer on 74,369 rows of Covertype "
    "(C = 4, gamma = 32, h = 80)? One run, processor seconds of one thread, many minutes (asked: "
    "accuracy within 1 point of LIBSVM's at >= 4 x; exact: LIBSVM's accuracy at >= 2 x)"
)


def run():
    """Return one row a method."""
    return beside_libsvm("covertype.binary, sample", methods=(SRS, EXACT, LIBSVM))
