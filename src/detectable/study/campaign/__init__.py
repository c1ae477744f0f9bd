"""A campaign of judgments: what is asked, who is shown what, and what came of it."""
