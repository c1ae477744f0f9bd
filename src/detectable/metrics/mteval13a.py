"""The tokeniser 13a of mteval, WMT's default, in our own code: a test holds it to sacreBLEU's.

Tercom shares its Western rules (`tercom`); all of them look at ASCII only.
"""

import re
from collections.abc import Iterable
from functools import cache

# Where 13a splits, in a chunk that has none of `_HARD`: at ASCII punctuation other than
# apostrophe, hyphen, full stop and comma; at a full stop or comma unless it stands between two
# digits; at a hyphen that follows a digit.
_BREAKS = re.compile(
    r"([!-&(-+/:-@\[-`{-~]|(?<![0-9])[.,]|[.,](?![0-9])|(?<=[0-9])-)", re.ASCII
)
# Entities and "<skipped>" are replaced first; of several full stops or commas in a row, 13a
# treats every other one differently; lines that came whole have white space.
_HARD = re.compile(r"[&<\s]|[.,]{2}")

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def tokenize_13a(line: str) -> list[str]:
    """Return the tokens of a whole line, rule by rule.

    Examples
    --------
    >>> tokenize_13a("It costs $5.50 &amp; more.")
    ['It', 'costs', '$', '5.50', '&', 'more', '.']
    """
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return apply_rules(f" {resolve_entities(line)} ", western_rules()).split()


def tokenize_chunk(text: str) -> list[str]:
    r"""Return the tokens of text without white space, or of a line that came whole, faster.

    Why 13a works chunk by chunk: `<skipped>` and the entities hold no white space. Of the four
    patterns that follow, the first acts on single characters and the last on a digit and a
    hyphen. The other two look at one neighbour of a full stop or comma and only ask whether it
    is an ASCII digit; white space is not, whatever its kind, and neither is the space that pads
    the line. A match may use up white space, but only on the one side that its pattern looks at,
    so it never hides it from the next chunk. Only "-\n" joins chunks, and the encoder leaves
    lines with a newline whole. Letters and digits of any script are never split.
    """
    if _HARD.search(text):
        # sacreBLEU strips the right end first.
        return tokenize_13a(text.rstrip())
    return [piece for piece in _BREAKS.split(text) if piece]


def resolve_entities(line: str) -> str:
    """Replace the entities of XML that mteval and Tercom know, one after the other."""
    if "&" in line:
        for entity, character in _ENTITIES:
            line = line.replace(entity, character)
    return line


def apply_rules(line: str, rules: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """Replace what each pattern finds, pattern by pattern."""
    for pattern, replacement in rules:
        line = pattern.sub(replacement, line)
    return line


@cache
def western_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the Western rules, compiled on first use: most text needs only `tokenize_chunk`."""
    return (
        (re.compile(r"([{-~[-` -&(-+:-@/])"), r" \1 "),
        (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
        (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
        (re.compile(r"([0-9])(-)"), r"\1 \2 "),
    )
