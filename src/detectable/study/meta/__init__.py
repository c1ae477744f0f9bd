"""Which metric agrees with people: metrics judged by human scores of the same outputs."""
