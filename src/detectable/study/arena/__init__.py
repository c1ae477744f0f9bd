"""Preferences and arenas: how strong systems are, and which may be told apart."""
