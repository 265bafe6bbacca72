"""Sphinx: the book from its executed notebooks, the gallery, and an API page per public name.

The source folder is the repository itself, so notebooks, pictures and their links are read where
they stand. Nothing is executed, and no page loads anything from a network.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import hlsvm  # noqa: E402

project = "hlsvm"
author = "The hlsvm developers"
copyright = "the hlsvm developers"
release = version = hlsvm.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "_mathml",
    "_notebooks",
    "_public_names",
]
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/api/**.rst",
    "notebooks/**.ipynb",
    "notebooks/sweeps/README.md",
    "figures/README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
]
exclude_patterns = [".*", ".venv", "out", "tests", "data", "hlsvm", "**/.ipynb_checkpoints"]

# Notebooks: stored outputs, read through _notebooks.
nb_execution_mode = "off"
nb_custom_formats = {".ipynb": ["_notebooks.read", {}]}
nb_mime_priority_overrides = [("*", "application/vnd.jupyter.widget-view+json", None)]
nb_ipywidgets_js = {}
nb_merge_streams = True
nb_render_markdown_format = "myst"  # of outputs: tables, formulas and links as in Markdown cells
myst_enable_extensions = ["amsmath", "attrs_inline", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = [
    *("myst.xref_missing", "mystnb.unknown_mime_type", "misc.highlighting_failure"),
    *("ref.ref", "ref.term", "ref.python"),  # of docstrings that scikit-learn's classes hand down
    "toc.not_included",  # pages of names, which stand in the tables of their rooms
]

# API.
autosummary_generate = True
templates_path = [str(HERE / "templates")]
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Look.
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "hlsvm"
html_static_path = ["static"]
html_extra_path = ["redirect"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
pygments_style = "friendly"
