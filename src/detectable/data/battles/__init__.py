"""Battles: two systems at a time, and who won."""
