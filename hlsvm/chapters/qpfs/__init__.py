"""Thesis chapter 3: `drawings` draws its figures, `claims` decides what it claims."""
