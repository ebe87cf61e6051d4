# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sphinx: the pages of this folder as a site (`make docs`; the version comes from CMake). Doxygen
# writes the reference into a folder of it.
from sphinx.addnodes import pending_xref

project = "acc"
author = "The acc developers"
html_title = "acc"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
highlight_language = "none"  # a block without a language is arithmetic, not a program

html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_use_index = False


def folders_as_text(app, doctree):
    """A link to a folder of the source tree is for who reads the page there: the site has none."""
    for link in list(doctree.findall(pending_xref)):
        target = link["reftarget"]
        if target.startswith("../") and (app.srcdir / target).is_dir():
            link.replace_self(link.children)


def setup(app):
    app.connect("doctree-read", folders_as_text)
