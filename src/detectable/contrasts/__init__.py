"""What comparisons and rankings share: every pair of systems, tested and claimed of in one way."""
