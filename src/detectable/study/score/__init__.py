"""One system with error bars."""
