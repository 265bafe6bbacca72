"""Records, and their comparison with the published numbers: all a notebook needs round a result.

Below the parameters of a notebook::

    from hlsvm import reproduce
    from hlsvm.reproduce import compare, published

    reproduce.use_style()
    record = reproduce.Recorder(scale=scale, seed=seed, out_dir=out_dir, params={"lam": lam})
    data = record.uses(datasets.load("ijcnn1"))  # its digest goes into every later record

A figure: the numbers that are drawn (a frame, or a dict of frames, one per panel), by the function
that `draws` registered for the id::

    record.figure(curve, "Thesis.Fig5.6")

A table, with the key columns and the quantities of the published one under the same names; a row
that could not run says so in ``status``::

    rows = pd.DataFrame([
        {"dataset": "IJCNN", "method": "H-LSVM", "error_pct": 2.31, "hyp_mean": 7.1},
        {"dataset": "Vehicle", "method": "H-LSVM", "status": "not run: data (SensIT Vehicle)"},
    ])
    record.table(rows, "Thesis.Tab5.4")

Published beside what is recorded at paper scale, a verdict per number (also ``layout="wide"``)::

    published("Thesis.Tab5.4")
    compare("Thesis.Tab5.4", quantities=["error_pct", "hyp_mean"])

Long work in steps that survive ``kill -9`` (at quick scale computed every time), and fair times::

    for n in record.progress(sizes, "covtype"):
        row = record.step(fit, n)
    reproduce.race({"H-LSVM": lambda: tree.predict(X), "RBF SVM": lambda: svc.predict(X)})

Numbers that stand in running text are answered by rows ``id`` (such as "Thesis.text054") and
``value`` in any recorded table. Files are named by the id: ``![](../figures/thesis-fig5.6.png)``.
"""

from importlib import import_module

# Module -> its public names, imported when first asked for: importing this costs nothing.
_NAMES = {
    "recorder": "Recorder",
    "problems": "Problem NotRun",
    "sentences": "say",
    "drawings": "draws draw redraw",
    "repository": "caption caveat lookup siblings repository_root RepositoryNotFound stem",
    "records": "save_figure save_table",
    "provenance": "read_record machine",
    "published_numbers": "published",
    "comparison": "compare",
    "recorded_numbers": "recorded",
    "claim_verdicts": "claims",
    "style": "use_style color line point size label legend shared_legend CLASSES",
    "plane_plots": "scatter_classes draw_regions boundary draw_boundary",
    "methods": "canonical",
    "timing": "processor_time race",
    "digests": "data_digest value_digest",
    "board": "scoreboard claim_counts summary state",
    "staleness": "stale",
    "pages": "gallery readme_table",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = list(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(f"hlsvm.reproduce.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'hlsvm.reproduce' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_HOMES])
