"""The figures of the metric tree paper, each from its table."""

import matplotlib.pyplot as plt
import numpy as np

from hlsvm.chapters.background.drawings import plane_panels
from hlsvm.reproduce import draw_boundary, draws, label, scatter_classes


@draws("MetricTree.Fig1")
def one_cut(points):
    """Draw points, their farthest pair and the cut between the two."""
    fig, axes = plt.subplots(figsize=(6.4, 5.2))
    xy = points[["x1", "x2"]].to_numpy()
    scatter_classes(axes, xy, points.side, labels=("left child", "right child"))
    u, v = xy[points.end == 1]
    axes.plot(*np.array([u, v]).T, "s-", color="black", linewidth=1.5, label="farthest pair")
    for end, name, above in ((u, "$u^*$", -14), (v, "$v^*$", 6)):
        axes.annotate(name, end, (6, above), textcoords="offset points")
    middle, along = (u + v) / 2, np.array([v[1] - u[1], u[0] - v[0]])
    axes.axline(middle, middle + along, color="black", linestyle="--", label="cut, $h(x)=0$")
    low, high = xy.min(axis=0) - 0.15, xy.max(axis=0) + 0.15
    axes.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    label(axes, "$x_1$", "$x_2$")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


@draws("MetricTree.Fig2")
def svm_tree_and_cells(table):
    """Draw the boundary of the SVM, that of the tree, and the cells of the tree."""
    titles = ("(a) LS-SVM", "(b) tree with Taylor leaves", "(c) cells of the tree")
    fig, _ = plane_panels(titles, 3.8)
    points = table["points"]
    for axes, part in zip(fig.axes, ("svm", "tree"), strict=False):
        scatter_classes(axes, points[["x1", "x2"]], points.y, size=5)
        draw_boundary(axes, table[part])
    cells = table["cells"].cell.to_numpy()
    side = round(len(cells) ** 0.5)
    shade = np.random.default_rng(0).permutation(cells.max() + 1)[cells].reshape(side, side)
    look = {"extent": (-1, 1, -1, 1), "origin": "lower", "cmap": "Pastel1"}
    fig.axes[2].imshow(shade, **look)
    fig.axes[2].grid(visible=False)
    for axes in fig.axes:
        axes.set_aspect("equal")
    return fig
