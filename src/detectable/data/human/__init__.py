"""Human judgments and ratings, and their readers."""
