"""May this be merged: pass, fail or inconclusive, against a baseline of item scores."""
