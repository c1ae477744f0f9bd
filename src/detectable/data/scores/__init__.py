"""Scores of segments, and the files they come in."""
