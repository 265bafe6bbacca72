"""The SRS-SVM paper: its data, its contests, its two tables of h and mu, its pictures.

`problems` names the data and the published settings, `contest` measures the classifiers, `grid`
fills the tables of h and mu, `growth` follows the training time with the number of samples, and
`pictures` draws. Times are processor seconds of one thread unless a function says otherwise.
"""
