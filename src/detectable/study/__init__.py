"""Layer study: the questions people ask."""
