"""How the documentation is built: make docs. Nothing in the built pages comes from elsewhere."""

import sys
from pathlib import Path

from detectable.core.version import VERSION

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))
sys.path.insert(0, str(HERE.parent))  # scripts that write parts of pages

project = "detectable"
copyright = "the authors of detectable, Apache-2.0"
version = release = VERSION

# The root of the repository is the source, so that links between README, docs and replications
# work here as they work on a forge. Only these pages are read.
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "replications/README.md", "replications/*/README.md"]
exclude_patterns = ["docs/_*", "docs/extensions", ".venv", "**/.*"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "accessible",
    "api_pages",
    "blocks",
    "charts",
    "contents",
    "decisions",
    "mathml",
    "screenshots",
]
myst_heading_anchors = 3
autosummary_generate = False  # api_pages writes one page per public name
autodoc_typehints = "none"  # the docstrings say the types in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # types in words: «array of shape (n, pairs)» must not become links
napoleon_custom_sections = [("Attributes", "params_style")]
html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"detectable {VERSION}"
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
default_role = "code"  # `name` in a docstring
