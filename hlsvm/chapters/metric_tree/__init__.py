"""The metric tree paper: drawings, the least-squares SVM of its figure, claims."""
