"""One test has one name in each command, and every command takes the names of the others."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # older versions of click know no `Choice[str]`

# Swapping two systems within units flips the signs of their differences: the field calls it
# (approximate) randomization for outputs, a permutation test for judgments, sign flips in trials.
SAME: tuple[frozenset[str], ...] = (
    frozenset({"randomization", "permutation", "sign-flip"}),
    frozenset({"t", "paired-mean"}),
)


class NamedTest(_Choice):
    """A choice of tests that also takes what another command calls one of them.

    Examples
    --------
    >>> NamedTest(["auto", "randomization", "t"]).convert("permutation", None, None)
    'randomization'
    """

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the name that this command has for the test."""
        own = [name for same in SAME if value in same for name in self.choices if name in same]
        if value not in self.choices and own:
            return str(own[0])
        return super().convert(value, param, ctx)
