"""A setting is declared once, in the settings class of its study; all else is made from that.

From `option` come the option of the command line (``cli/options.py``), the check of the value, the
field of the planner and of campaigns. Its default in the signature of the public function and the
head of its entry in the docstring there are written by ``scripts/make_signatures.py``, and a test
says where they differ. Nothing heavy is imported, so that ``--help`` costs nothing.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, Union, get_args, get_origin

T = TypeVar("T")
Kind: TypeAlias = Literal["", "probability", "positive", "share", "repetitions"]


class Option(NamedTuple):
    """What is said of one setting beside its name, type and default.

    Attributes
    ----------
    help : str
        For people, in a line.
    flag : str
        On the command line, where it is not made from the name.
    metavar : str
        What stands for the value in help.
    kind : {'', 'probability', 'positive', 'share', 'repetitions'}
        How a number is checked. Words are checked by their type, whole numbers by `least` and
        `most`; a share and other numbers have rules of their own in the settings class.
    least, most : int, optional
        Of a whole number; of texts that a server takes, the most letters or entries.
    shown : bool
        Whether help says the default.
    open : bool
        Whether the command line may leave it out, whatever the library has as a default.
    or_file : bool
        Whether a setting with words may name a file (in Python also be a table) in their place.
    page : mapping, optional
        How a page asks for it (`on_page`); without it no page does.
    """

    help: str
    flag: str = ""
    metavar: str | None = None
    kind: Kind = ""
    least: int = 1
    most: int | None = None
    shown: bool = True
    open: bool = False
    or_file: bool = False
    page: Mapping[str, Any] | None = None


def option(default: Any, help: str, **more: Any) -> Any:
    """Declare a setting in a settings class; ``...`` as the default says that it must be given.

    Examples
    --------
    >>> from detectable.core.choices import Runs
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Example:
    ...     runs: Runs = option("auto", "A sample of possible runs, or these runs.")
    ...     n_draws: int = option(10, "Draws.", flag="--draws", kind="repetitions")
    >>> [(one.name, one.words, one.default) for one in declared(Example)]
    [('runs', ('auto', 'random', 'fixed'), 'auto'), ('n_draws', (), 10)]
    """
    said = {"option": Option(help=help, **more)}
    if default is ...:
        return dataclasses.field(metadata=said)
    return dataclasses.field(default=default, metadata=said)


def on_page(
    key: str,
    label: str,
    default: Any,
    within: tuple[float, float] = (-math.inf, math.inf),
    slides: tuple[float, float] | None = None,
    step: float = 0.01,
    **more: Any,
) -> dict[str, Any]:
    """Return how a page asks for a setting, as a field of the planner takes it.

    Parameters
    ----------
    key, label : str
        In an address, and for people.
    default
        Of the page, which begins with a design that is worth a look.
    within, slides, step
        The range that may be given, the ends of the slider, and its step.
    **more
        What else ``report.planner.field.Field`` takes.
    """
    given = {"key": key, "label": label, "default": default, "within": within}
    return {**given, "slides": slides, "step": step, **more}


def alpha() -> Any:
    """Declare the error level."""
    return option(0.05, "Chance of a false alarm that is accepted.", kind="probability")


def power() -> Any:
    """Declare the power at which detectable effects are stated."""
    return option(0.8, "Power at which detectable effects are stated.", kind="probability")


def resamples_of_family(what: str) -> Any:
    """Declare a number of random draws that follows the number of pairs."""
    more = " (default: 9,999, and more where a correction needs them)."
    return option(None, what + more, flag="--resamples", kind="repetitions")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Shared:
    """What many studies take beside their own settings."""

    baseline: str | None = option(
        None, "Compare all others with this system (default: all pairs)."
    )
    alpha: float = alpha()
    power: float = power()


class Declared(NamedTuple):
    """One setting as it was declared.

    Attributes
    ----------
    default
        None where there is none.
    needed : bool
        Whether it must be given.
    kind : type
        Of a value that is given: `int`, `float`, `str`, `bool`, or `tuple` for several.
    words : tuple of str
        That it may be; empty for numbers and texts.
    """

    name: str
    default: Any
    needed: bool
    kind: type
    words: tuple[str, ...]
    said: Option

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return self.said.flag or f"--{self.name.replace('_', '-')}"

    def check(self, value: Any) -> Any:
        """Refuse what the setting may not be; return it, a whole number or a chance as plain one."""
        from detectable.core import check

        if value is None and self.default is None and not self.needed:
            return None
        if self.words and not self.said.or_file:
            return check.one_of(value, self.words, self.name)
        if self.said.kind == "repetitions":
            return check.repetitions(value, self.name, minimum=self.said.least)
        if self.said.kind == "probability":
            return check.probability(value, self.name)
        if self.said.kind == "positive":
            check.positive(value, self.name)
        elif self.kind is int:
            most = {} if self.said.most is None else {"maximum": self.said.most}
            return check.positive_int(value, self.name, minimum=self.said.least, **most)
        return value


@cache
def declared(settings: type) -> tuple[Declared, ...]:
    """Return the settings of a class that were declared by `option`, in their order."""
    return tuple(
        Declared(
            one.name,
            None if one.default is MISSING else one.default,
            one.default is MISSING,
            *_kind_and_words(one.type),
            one.metadata["option"],
        )
        for one in dataclasses.fields(settings)
        if "option" in one.metadata
    )


def _kind_and_words(hint: Any) -> tuple[type, tuple[str, ...]]:
    """Return what a value is; of a union, such as ``int | None``, the first part says it."""
    if get_origin(hint) is Literal:
        return str, get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return _kind_and_words(get_args(hint)[0])
    return get_origin(hint) or hint, ()


def check_settings(settings: Any) -> None:
    """Check every setting that was declared, as `settings` has it, and keep it as checked."""
    for one in declared(settings.__class__):
        object.__setattr__(settings, one.name, one.check(getattr(settings, one.name)))


def asked(settings: type[T], given: Mapping[str, Any]) -> T:
    """Return settings of what a function was given: ``asked(Settings, locals())``."""
    names = [one.name for one in dataclasses.fields(settings)]  # type: ignore[arg-type]
    return settings(**{name: given[name] for name in names if name in given})
