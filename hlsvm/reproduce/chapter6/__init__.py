"""Risk, complexity and bounds: Thesis 2.1, 5.2.2, 5.3.3 and C, HLSVM 4 and 5.6, DTSVM 4.

`risk` draws chapter 2, `complexity` walks along delta and the sample size, `descent` is appendix C,
`regions` the terms of DTSVM, `contest` the bounds of known constants on every problem, `validity`
their failures over draws from a known distribution, `pictures` draws.
"""
