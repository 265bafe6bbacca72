"""The mistakes of the documents, each as a small computation that shows it.

`fisher` (Thesis chapter 4), `descent` (Weighted-Pegasos, trees), `programs` (QPFS), `background`
(chapter 2, DTSVM, metric tree, SRS-SVM) and `printed` (tables that contradict each other).
"""
