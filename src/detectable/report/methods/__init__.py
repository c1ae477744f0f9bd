"""How each result was made, as a paper would say it, and whom to cite."""
