"""Estrella, Hamon and Popescu-Belis (2007) on public data."""
