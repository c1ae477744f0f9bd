"""Layer power: before the data; what an evaluation can detect, and how much it needs."""
