"""Probabilities and quantiles of the distributions that every command needs.

scipy has all of these. Its import takes longer than most commands, so the few that stand on the
path of nearly every command are here; the tests hold them to scipy.
"""
