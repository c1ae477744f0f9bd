"""Formats of human judgments, one file each; a file put here is found by its name.

A file ``new_tool.py`` is the format ``new-tool``. It holds a `JudgmentReader` called ``READER``.
"""
