"""How to read a matrix of pairs, in comparisons and rankings alike."""

from collections.abc import Sequence


def matrix_caption(scale: str, verdicts: Sequence[str], correction: str) -> str:
    """Say what stands where, and what the signs mean that are there.

    Examples
    --------
    >>> matrix_caption("z", ["better", "undecided"], "none").split(". ")[1]
    'Below it: p'
    """
    p = "p" if correction == "none" else "corrected p"
    signs = [
        said
        for found, said in (
            ({"worse", "lower"}, "▼: the column is ahead."),
            ({"equivalent", "non-inferior"}, "=: equivalent."),
        )
        if found & set(verdicts)
    ]
    return " ".join(
        [
            f"Above the diagonal: difference in {scale}, row − column, filled where something is "
            f"shown. Below it: {p}. Where it is narrow: ▲ the row is ahead, · undecided.",
            *signs,
            "Columns are numbered like rows.",
        ]
    )
