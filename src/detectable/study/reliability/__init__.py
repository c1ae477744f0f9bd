"""How many documents or segments an evaluation needs."""
