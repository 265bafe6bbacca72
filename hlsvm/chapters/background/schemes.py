"""The block diagrams of Thesis chapter 2: selection families and the kernel trick."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from hlsvm.reproduce.boxes import draw_boxes

_FAMILIES = {
    "(a) filter": (
        {
            "all": (0, 1, "all features", "data"),
            "select": (1.25, 1, "rank or search by a\nmeasure of the data"),
            "some": (2.6, 1, "chosen\nfeatures", "data"),
            "fit": (3.8, 1, "classifier", "choice"),
        },
        [("all", "select"), ("select", "some"), ("some", "fit")],
    ),
    "(b) wrapper": (
        {
            "all": (0, 1, "all features", "data"),
            "select": (1.25, 1, "propose a subset"),
            "fit": (2.6, 1, "classifier", "choice"),
            "test": (3.8, 1, "its error", "data"),
            "turn": (2.5, 0.45, "until nothing improves", "plain"),
        },
        [("all", "select"), ("select", "fit"), ("fit", "test"), ("test", "select", "", -0.45)],
    ),
    "(c) embedded": (
        {
            "all": (0, 1, "all features", "data"),
            "fit": (1.9, 1, "one objective: classifier\nand selection together", "choice"),
            "some": (3.8, 1, "classifier on\nchosen features", "data"),
        },
        [("all", "fit"), ("fit", "some")],
    ),
}
_TRICK = (
    {
        "x": (0, 1, "input space\n$x$", "data"),
        "phi": (1.3, 1, "$\\phi$, never computed:\n$k(x, x') = \\phi(x)\\cdot\\phi(x')$"),
        "z": (2.8, 1, "feature space\n$\\phi(x)$", "data"),
        "fit": (4.2, 1, "hyperplane with\nlarge margin", "choice"),
        "f": (5.6, 1, "$f(x) = \\sum_i \\alpha_i y_i k(x_i, x) + b$", "data"),
    },
    [("x", "phi"), ("phi", "z"), ("z", "fit"), ("fit", "f")],
)


def selection_families():
    """Draw Figure 2.4: how selector and classifier meet in filters, wrappers, embedded methods.

    Returns
    -------
    figure, boxes and arrows : DataFrame
    """
    fig, panels = plt.subplots(3, 1, figsize=(6.6, 3.4), layout="constrained")
    frames = [
        draw_boxes(axes, boxes, arrows, title=title).assign(panel=title)
        for axes, (title, (boxes, arrows)) in zip(panels, _FAMILIES.items(), strict=True)
    ]
    return fig, pd.concat(frames, ignore_index=True)


def kernel_trick():
    """Draw Figure 2.11: from the inputs through a feature map that is never computed.

    Returns
    -------
    figure, boxes and arrows : DataFrame
    """
    fig, axes = plt.subplots(figsize=(9.0, 1.3), layout="constrained")
    return fig, draw_boxes(axes, *_TRICK)
