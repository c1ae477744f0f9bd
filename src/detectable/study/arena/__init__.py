"""Preferences and arenas: how strong systems are, and which differ significantly."""
