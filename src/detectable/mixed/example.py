"""A dozen ratings, small enough to follow by hand."""


def example_ratings() -> dict[str, list[int] | list[str]]:
    """Return ratings of three items of two systems by two raters; Ben is kinder than Ann.

    Examples
    --------
    >>> {name: values[:4] for name, values in example_ratings().items()}
    {'score': [3, 4, 2, 4], 'system': ['old', 'new', 'old', 'new'],
     'rater': ['ann', 'ann', 'ann', 'ann'], 'item': [1, 1, 2, 2]}
    """
    return {
        "score": [3, 4, 2, 4, 5, 5, 4, 5, 4, 6, 7, 6],
        "system": ["old", "new"] * 6,
        "rater": ["ann"] * 6 + ["ben"] * 6,
        "item": [1, 1, 2, 2, 3, 3] * 2,
    }
