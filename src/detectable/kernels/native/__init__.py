"""Loops that no matrix product serves, in C: the sources, and the library that holds them."""
