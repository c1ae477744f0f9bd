"""Formats of other tools, one file each; the tables in ``*_formats.py`` of scores, judgments and battles list them."""
