"""The settings of Sphinx for the site; `make docs` copies the pages beside this file and builds them."""

from importlib.metadata import version as installed

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

project = "toysearch"
version = release = installed("toysearch")
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
root_doc = "index"
source_suffix = {".md": "markdown"}
default_role = "code"
smartquotes = False  # a quotation mark or two hyphens may be part of a command
autosummary_generate = False  # numpydoc loads it
lexers["mermaid"] = TextLexer()  # a diagram is shown as its text: drawing it would need a script from elsewhere
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
html_theme = "furo"
html_title = "toysearch"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "toysearch/page/static/icon.svg"  # of the local page
templates_path = ["templates"]
html_theme_options = {"navigation_with_keys": True}
html_sidebars = {
    "**": [f"sidebar/{name}.html" for name in ("brand", "search", "scroll-start", "navigation", "scroll-end")]
}
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_use_index = False
html_additional_pages = {"search": "search.html"}


def setup(app):
    """List the pages of the branch that a page is in: with all pages on each, most of the time would go into lists."""
    app.connect("html-page-context", _one_branch, priority=400)  # the theme's comes after it
    app.connect("builder-inited", _searched_by_itself)


def _searched_by_itself(app):
    """Leave out the index of Sphinx: the site has its own."""
    app.builder.search = False


def _one_branch(app, page, template, context, doctree):
    if tree := context.get("toctree"):
        context["toctree"] = lambda **options: tree(**{**options, "collapse": True})
