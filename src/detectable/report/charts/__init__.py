"""One file per chart: a function that turns a result into a `Chart` block.

The block's `make` takes a width in pixels and returns a Vega-Lite dict. Nothing is drawn here, and
nothing heavy is imported: ``report/render/picture.py`` draws.
"""
