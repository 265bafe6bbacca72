"""MetricTree: its data sets, its two tables, its figures.

`problems` names the data, `contest` measures SVM, tree and rivals on one division of it, `series`
runs the tables, `pictures` draws.
"""
