"""Human judgments and their readers."""
