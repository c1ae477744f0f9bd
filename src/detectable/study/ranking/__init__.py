"""Rank systems from human judgments."""
