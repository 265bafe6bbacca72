"""The mistakes of the documents, each as a small computation that shows it."""
