"""Risk, complexity and bounds: Thesis 2.1, 5.2.2, 5.3.3 and C, HLSVM 4 and 5.6, DTSVM 4.

`complexity` walks along delta and the sample size, `shape` asks what else the gap follows,
`descent` is appendix C, `regions` the terms of DTSVM. `contest` measures the bounds of known
constants on every problem, `judged` compares them, `validity` counts their failures over draws
from a known distribution. `pictures` draws.
"""
