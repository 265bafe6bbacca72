"""Thesis chapter 6, QPFS before a linear SVM, an RBF SVM and H-LSVM: drawings and claims."""
