"""Training time on generated sets as they grow: SRS-SVM over LIBSVM."""

import pandas as pd

from hlsvm.chapters.srs_svm.growth import ratios, searched

QUESTION = (
    "How many times faster than LIBSVM is SRS-SVM on two and three circles, XOR and the shooting "
    "range as they grow, grid search included? Processor seconds of one thread (asked: the ratio "
    "grows with n; >= 6.7 x on the shooting range at 9,000 points)"
)
SIZES = (1000, 3000, 9000)
HS = {"2CC": (5,), "3CC": (5,), "XOR": (5,), "SR": (5, 15, 20)}


def run():
    """Return LIBSVM's time over that of SRS-SVM, one row a set and h, one column a size."""
    tables = [searched(name, n, hs, 0) for name, hs in HS.items() for n in SIZES]
    return ratios(pd.concat(tables, ignore_index=True)).reset_index()
