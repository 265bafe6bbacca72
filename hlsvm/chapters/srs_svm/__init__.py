"""The SRS-SVM paper: its figures, its propositions, rivals in another Python, its claims."""
