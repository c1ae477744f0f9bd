"""Formats of scores: every file here is one, and its `READER` says all about it.

A new format is a new file; nothing else has to know it.
"""
