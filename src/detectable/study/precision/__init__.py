"""How noisy judgments are, and what makes them more precise."""
