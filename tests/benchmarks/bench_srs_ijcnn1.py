"""SRS-SVM and its exact answer on ijcnn1, beside LIBSVM and its rivals."""

from hlsvm.chapters.srs_svm.beside import beside_libsvm

QUESTION = (
    "How much faster than LIBSVM are SRS-SVM and its exact answer on ijcnn1 (C = 32, gamma = 2), "
    "with h chosen on the training part? One run, processor seconds of one thread; rivals in "
    "HLSVM_RIVALS_PYTHON (asked: >= 97.8 % at >= 4 x; exact 98.7 % at >= 1.5 x; recall >= 0.84)"
)


def run():
    """Return one row a method."""
    return beside_libsvm("ijcnn1")
