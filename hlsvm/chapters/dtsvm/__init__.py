"""The DTSVM paper: its data sets, its rivals, its protocol, its pictures.

`problems` names the data and cuts it into six parts, `contest` measures the trees, the
decompositions and the linear SVM, `rivals` the methods that are searched on growing subsets,
`series` runs them over all sets and fills the tables, `settings` and `bound` are the experiments
on k, sigma_0 and Theorem 10, `pictures` draws.
"""
