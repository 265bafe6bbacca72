"""Thesis chapter 3: the data sets of feature selection, its protocol, its pictures.

`problems` names the data and the published settings, `curves` measures error against number of
features, `tables` writes Tables 3.3-3.7 from it, `digits` runs MNIST, `growth` times the methods
(Table 3.1, 3.2, Figure 3.13), `pictures` and `drawings` draw.
"""
