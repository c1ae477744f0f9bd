"""Formats of battles, a file each with a ``READER``.

A file that is added here is found by its name; nothing else has to know it.
"""
