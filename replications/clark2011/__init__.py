"""MultEval (Clark et al. 2011)."""
