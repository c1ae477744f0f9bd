"""Which items people judge: how they are drawn, and what was drawn."""
