"""Thesis chapter 4: KQPFS and the kernel Fisher discriminant."""
