"""Sliders where moving one teaches: each beside a static picture, for readers without a kernel."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from hlsvm.reproduce import draw_regions, label, line, scatter_classes


def _picture(fig: Any) -> bytes:
    """Return a figure as PNG, and close it."""
    import matplotlib.pyplot as plt

    buffer = BytesIO()
    fig.savefig(buffer, format="png", dpi=80)
    plt.close(fig)
    return buffer.getvalue()


def _interactive(draw: Callable[..., Any], **controls: Any) -> Any:
    """Return the controls with the picture they make below them."""
    from ipywidgets import Image, VBox

    image = Image(format="png")

    def redraw(_change: Any = None) -> None:
        values = {name: control.value for name, control in controls.items()}
        image.value = _picture(draw(**values))

    for name, control in controls.items():
        control.description = name
        control.continuous_update = False
        control.style = {"description_width": "5em"}
        control.observe(redraw, names="value")
    redraw()
    return VBox([*controls.values(), image])


def _power(value: float, low: int, high: int) -> Any:
    from ipywidgets import FloatLogSlider

    return FloatLogSlider(value=value, base=10, min=low, max=high, step=0.5, readout_format=".0e")


def draw_tree(part, *, lam: float, delta: float, rho: float, seed: int = 0):
    """Draw H-LSVM on two features: regions, test points, error and cost.

    Parameters
    ----------
    part : Dataset
        With two features and a test part.
    lam, delta, rho : float
        Regularization, least share of a node, share held out for pruning.
    seed : int

    Returns
    -------
    matplotlib.figure.Figure
    """
    import matplotlib.pyplot as plt

    from hlsvm import HLSVMClassifier

    model = HLSVMClassifier(lam=lam, min_fraction=delta, prune_fraction=rho, random_state=seed)
    model.fit(part.X_train, part.y_train)
    fig, axes = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
    draw_regions(axes, model, part.X_train)
    scatter_classes(axes, part.X_test[:300], part.y_test[:300], size=6)
    right = 100 * model.score(part.X_test, part.y_test)
    met = model.n_hyperplanes(part.X_test)
    words = f"accuracy {right:.1f} %, {met.mean():.1f} hyperplanes, {model.get_n_leaves()} leaves"
    label(axes, "$x_1$", "$x_2$", words)
    return fig


def tree(part, *, seed: int = 0):
    """Return sliders for lambda, delta and rho of H-LSVM on two features (see `draw_tree`)."""
    from ipywidgets import FloatSlider

    return _interactive(
        lambda lam, delta, rho: draw_tree(part, lam=lam, delta=delta, rho=rho, seed=seed),
        lam=_power(1e-5, -8, -1),
        delta=_power(1e-3, -4, -1),
        rho=FloatSlider(0.1, min=0.0, max=0.5, step=0.05),
    )


def weights_of(X, y, alpha: float) -> pd.DataFrame:
    """Return relevance and weight of every feature for one alpha (Thesis Eq. 3.4)."""
    from hlsvm import QPFS

    model = QPFS(alpha=alpha).fit(X, y)
    return pd.DataFrame(
        {
            "feature": np.arange(len(model.weights_)),
            "relevance": model.relevance_ / model.relevance_.sum(),
            "weight": model.weights_,
        }
    )


def draw_weights(X, y, *, alpha: float):
    """Draw the weights of QPFS beside the relevances; a high alpha leaves few of them."""
    import matplotlib.pyplot as plt

    table = weights_of(X, y, alpha)
    fig, axes = plt.subplots(figsize=(6.4, 3.0), layout="constrained")
    axes.bar(table.feature, table.relevance, color="#D9D9D9", label="relevance (share)")
    axes.plot(table.feature, table.weight, **line("QPFS", linestyle="none", label="weight"))
    label(
        axes, "feature", "", f"alpha = {alpha:.2f}: {(table.weight > 1e-9).sum()} features chosen"
    )
    axes.legend()
    return fig


def weights(X, y, *, alpha: float = 0.5):
    """Return a slider for alpha of QPFS (see `draw_weights`)."""
    from ipywidgets import FloatSlider

    control = FloatSlider(alpha, min=0.0, max=1.0, step=0.05)
    return _interactive(lambda alpha: draw_weights(X, y, alpha=alpha), alpha=control)


def draw_subclasses(X, y, *, h: int, C: float = 10.0, gamma: float = 1.0, seed: int = 0):
    """Draw the reduced set of SRS-SVM on two features, and the boundary it gives."""
    import matplotlib.pyplot as plt

    from hlsvm import SRSSVC

    model = SRSSVC(h, C=C, gamma=gamma, random_state=seed).fit(X, y)
    fig, axes = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
    draw_regions(axes, model, X)
    scatter_classes(axes, X, y, size=4)
    kept = X[model.reduced_set_]
    axes.scatter(*kept.T, s=30, facecolors="none", edgecolors="black", linewidths=0.8)
    words = (
        f"h = {h}: {len(kept)} of {len(y)} samples kept, accuracy {100 * model.score(X, y):.1f} %"
    )
    label(axes, "$x_1$", "$x_2$", words)
    return fig


def subclasses(X, y, *, h: int = 3, C: float = 10.0, gamma: float = 1.0, seed: int = 0):
    """Return a slider for the number of subclasses of SRS-SVM (see `draw_subclasses`)."""
    from ipywidgets import IntSlider

    return _interactive(
        lambda h: draw_subclasses(X, y, h=h, C=C, gamma=gamma, seed=seed),
        h=IntSlider(h, min=1, max=12),
    )
