"""Regions with a kernel SVM each: the decision tree of DTSVM (JMLR 2010) and its leaf solver."""
