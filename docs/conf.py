# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sphinx: the pages of this folder as a site (`make docs`; the version comes from CMake). Doxygen
# writes the reference into a folder of it.
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
