"""One field of the planner: a number or a word, with all that a form needs to know of it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.core.errors import InputError

Value: TypeAlias = float | int | str
Values: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field.

    Attributes
    ----------
    name : str
        The argument of the library that it fills, and its name among the values.
    key : str
        Its short name in an address.
    label, help : str
        For people; the help says what a number means.
    default : number or str
        Where nothing was chosen.
    option : str
        On the command line; empty where it is no option by itself.
    low, high : float
        The range that may be given; outside it, the library or the server would take too long.
    slides : tuple of float, optional
        The ends of the slider, where it is shorter than the range.
    step : float
        Of the slider.
    whole : bool
        Whether only whole numbers make sense.
    log : bool
        Whether the slider moves by factors.
    words : tuple of (str, str)
        For a choice: each word, and what it means. Then the field has no numbers.
    when : tuple of (str, tuple of str), optional
        The field is there only while another has one of these words.
    """

    name: str
    key: str
    label: str
    default: Value
    option: str = ""
    help: str = ""
    low: float = -math.inf
    high: float = math.inf
    slides: tuple[float, float] | None = None
    step: float = 0.01
    whole: bool = False
    log: bool = False
    words: tuple[tuple[str, str], ...] = ()
    when: tuple[str, tuple[str, ...]] | None = None

    @property
    def kind(self) -> Literal["choice", "whole", "number"]:
        """What it takes."""
        return "choice" if self.words else "whole" if self.whole else "number"

    @property
    def slider(self) -> tuple[float, float]:
        """The ends of the slider."""
        return self.slides or (self.low, self.high)

    def is_there(self, values: Values) -> bool:
        """Say whether the field plays a part, as the others are."""
        return self.when is None or str(values[self.when[0]]) in self.when[1]

    def read(self, text: str) -> Value:
        """Return the value that a text stands for.

        Examples
        --------
        >>> Field(name="sd", key="sd", label="sd", default=20.0, low=0.0, high=50.0).read("12.5")
        12.5
        """
        if self.words:
            known = [word for word, _ in self.words]
            if text not in known:
                raise InputError(
                    f"`{self.name}` must be one of {', '.join(known)}; got {text[:40]!r}."
                )
            return text
        number = self._number(text)
        if not self.low <= number <= self.high:
            raise InputError(
                f"`{self.name}` must lie between {self.low:,g} and {self.high:,g} here; got "
                f"{text[:40]!r}."
            )
        return int(number) if self.whole else number

    def _number(self, text: str) -> float:
        try:
            number = float(text.replace("\u2212", "-"))
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or (self.whole and number != int(number)):
            what = "a whole number" if self.whole else "a number"
            raise InputError(f"`{self.name}` must be {what}; got {text[:40]!r}.")
        return number

    def write(self, value: Value) -> str:
        """Return the shortest text that reads back as the value.

        Examples
        --------
        >>> whole = Field(name="n", key="n", label="n", default=10, whole=True)
        >>> whole.write(400), Field(name="e", key="e", label="e", default=1.0).write(2.0)
        ('400', '2')
        """
        if isinstance(value, str):
            return value
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
