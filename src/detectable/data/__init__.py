"""Layer data: files to immutable tables."""
