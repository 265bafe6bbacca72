"""Thesis chapter 5 and the HLSVM paper: problems, prices of a decision, drawings, claims."""
