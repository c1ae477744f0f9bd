"""Layer metrics: text to additive statistics to corpus scores."""
