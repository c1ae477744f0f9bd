"""Texts of systems, references and sources, and the files they come in."""
