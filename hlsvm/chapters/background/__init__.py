"""Thesis chapter 2: its figures, drawn from their tables."""
