"""Compare systems from their outputs or segment scores."""
