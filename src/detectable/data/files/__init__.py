"""Bytes, lines, JSON and tables, with the place of everything that is wrong."""
