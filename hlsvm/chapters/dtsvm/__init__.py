"""The DTSVM paper: its figures, its claims, and the searches of its rivals."""
