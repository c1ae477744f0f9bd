"""One folder per paper: a script, the numbers expected, the tolerance, and what matched."""
