"""Blocks into forms: terminal text, Markdown, LaTeX, CSV and a page."""
