"""Thesis chapter 6 on deformed digits: QPFS before a linear SVM, an RBF SVM and H-LSVM.

`digits` (data and sizes), `contest` (one classifier at one number of features), `series` (all of
them, as the published tables), `pictures`.
"""
