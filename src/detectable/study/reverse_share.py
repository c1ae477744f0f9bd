"""What a result holds about reverse-created data: how much there is, and what is another without it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedVerdict:
    """A verdict that is another one without reverse-created data.

    Attributes
    ----------
    measure : str
        Empty where there is one.
    what : str
        Two systems, or what passes.
    before, after : str
        With reverse-created data, and without them.
    """

    measure: str
    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedNumber:
    """A number with reverse-created data, and without them."""

    measure: str
    what: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReverseShare:
    """How much was created in reverse: first written in the language translated into.

    Attributes
    ----------
    language_pair : str or None
        From which language into which; None where nothing says it, so that directions are not known.
    item : str
        What is counted.
    languages : mapping of str to int
        Items by original language.
    n, n_forward, n_reverse : int
        Items; the rest was written in another language, or does not say.
    n_verdicts : int
        Those that were looked at again without the reverse-created part.
    changes, numbers : tuple
        What is another without it.
    problem : str
        Why the forward part alone cannot be analysed; else nothing.
    """

    language_pair: str | None
    item: str
    languages: Mapping[str, int]
    n: int
    n_forward: int
    n_reverse: int
    n_verdicts: int = 0
    changes: tuple[ChangedVerdict, ...] = ()
    numbers: tuple[ChangedNumber, ...] = ()
    problem: str = ""

    @property
    def is_mixed(self) -> bool:
        """Whether there are both directions."""
        return self.n_forward > 0 and self.n_reverse > 0
