"""Forward against reverse test data: what translated sources do to scores and conclusions."""
