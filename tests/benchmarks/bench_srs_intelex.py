"""The exact answer on 50,000 rows of Covertype, beside scikit-learn-intelex."""

from hlsvm.chapters.srs_svm.beside import beside_libsvm
from hlsvm.chapters.srs_svm.contest import EXACT, WHOLE
from hlsvm.chapters.srs_svm.foreign import FOREIGN

QUESTION = (
    "Is the exact answer on 50,000 rows of Covertype (C = 4, gamma = 32) had in the time of "
    "scikit-learn-intelex? One run, processor seconds of one thread; the rivals run in "
    "HLSVM_RIVALS_PYTHON (asked: no more than its time)"
)


def run():
    """Return one row a method."""
    sample = "covertype.binary, sample"
    return beside_libsvm(sample, methods=(*FOREIGN, EXACT, WHOLE), n_rows=50_000)
