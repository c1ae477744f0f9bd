"""What in a corpus deserves a warning before anything is computed from it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

from detectable.core.wording import count
from detectable.data.texts.corpus import Corpus

FindingKind: TypeAlias = Literal[
    "empty-output",
    "empty-reference",
    "identical-runs",
    "identical-systems",
    "unequal-runs",
    "equals-reference",
    "source-copied",
    "tokenised",
    "subwords",
    "lowercased",
]
Stream: TypeAlias = Sequence[str | None]

# Shares of lines from which on a pattern is no accident. Counts alone, such as sacreBLEU's
# 100 lines that end in « .», say nothing about a file of 50 lines.
_TOKENISED_SHARE = 0.5
_TOKENISED_LEAST = 0.01  # of all lines: in Chinese text few lines hold a comma that we know
_TOKENISED_COUNT = 100
_SUBWORD_SHARE = 0.05
_REFERENCE_SHARE = 0.5
_SOURCE_SHARE = 0.1
_CASED_SHARE = 0.5  # of reference lines that hold an upper-case letter
_UNCASED_SHARE = 0.02
_LONG = 20  # characters; shorter lines (names, numbers, links) are often rightly the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something in the data that a user should know of.

    Attributes
    ----------
    kind : str
        What was found, one of a fixed list.
    message : str
        One sentence that names system, run, file (when known) and line, then a remedy.
    system : str or None
        The system; None where the references or several systems are concerned.
    line : int or None
        The first line concerned, counted from 1.
    """

    kind: FindingKind
    message: str
    system: str | None = None
    line: int | None = None


def inspect_corpus(corpus: Corpus, *, tokenizing: bool) -> tuple[Finding, ...]:
    """Return everything in a corpus that deserves a warning.

    Looked for are empty outputs and references, runs and systems that are copies of each
    other, unequal numbers of runs, outputs that repeat a reference or the source, subword
    marks, lower-cased text against cased text and, if the metric tokenises, text that is
    tokenised already. Every rule works on shares of lines, so that it serves small files too.

    Parameters
    ----------
    corpus : Corpus
        Outputs and references.
    tokenizing : bool
        Whether the metric cuts text into words itself; then tokenised text is cut twice.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["one", ""]}, ["one", "two"])
    >>> inspect_corpus(corpus, tokenizing=True)[0].message
    "system 'A' has an empty output in 1 of 2 lines, first in line 2. Was a line lost?"
    """
    labels = _labels(corpus)
    found: list[Finding] = [*_unequal_runs(corpus), *_copies(corpus, labels)]
    found += _references(corpus, tokenizing=tokenizing)
    for (system, run), label in labels.items():
        lines = corpus.output(system, run)
        found += _output(system, label, lines)
        found += _repeats(corpus, system, label, lines)
        if _lowercased(lines) and any(_cased(stream) for stream in corpus.references):
            message = f"{label} is all in lower case, the references are not. Truecase it."
            found.append(Finding(kind="lowercased", system=system, message=message))
        if tokenizing:
            found += _tokenised(system, label, lines)
    return tuple(found)


def _labels(corpus: Corpus) -> dict[tuple[str, int], str]:
    """Return «system 'A', run 2 (a.2.txt)»; the run only where there are several."""
    paths = corpus.files or {}
    labels = {}
    for system, run in corpus.outputs:
        label = f"system {system!r}"
        if corpus.n_runs(system) > 1:
            label += f", run {run + 1}"
        if run < len(paths.get(system, ())):
            label += f" ({paths[system][run]})"
        labels[system, run] = label
    return labels


def _unequal_runs(corpus: Corpus) -> Iterator[Finding]:
    sizes = {name: corpus.n_runs(name) for name in corpus.systems}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name!r} has {count(n, 'run')}" for name, n in sizes.items())
        yield Finding(
            kind="unequal-runs",
            message=f"the systems differ in their number of runs: {listed}. Was a run lost?",
        )


def _copies(corpus: Corpus, labels: Mapping[tuple[str, int], str]) -> Iterator[Finding]:
    """Report equal outputs: of one system every pair of runs, of two systems the first pair."""
    reported: set[tuple[str, str]] = set()
    for first, second in combinations(labels, 2):
        pair = (first[0], second[0])
        if pair in reported or corpus.output(*first) != corpus.output(*second):
            continue
        if first[0] == second[0]:
            what = "Give each run its own output, or drop the copy: a copy adds no information."
            kind: FindingKind = "identical-runs"
        else:
            what = "Was one file given under two names?"
            kind = "identical-systems"
            reported.add(pair)
        message = f"{labels[first]} and {labels[second]} have identical outputs. {what}"
        yield Finding(kind=kind, system=first[0], message=message)


def _references(corpus: Corpus, *, tokenizing: bool) -> Iterator[Finding]:
    rows = [row for row, texts in enumerate(zip(*corpus.references, strict=True), start=1)
            if not any(text and text.strip() for text in texts)]  # fmt: skip
    if rows:
        yield Finding(
            kind="empty-reference",
            line=rows[0],
            message=f"the references are empty in {_first(rows, corpus.n_segments)}. "
            "Outputs of these segments are scored against nothing.",
        )
    for index, stream in enumerate(corpus.references, start=1):
        label = f"reference {index}"
        if tokenizing:
            yield from _tokenised(None, label, stream)
        outputs = [corpus.output(*output) for output in corpus.outputs]
        if _lowercased(stream) and any(_cased(lines) for lines in outputs):
            message = (
                f"{label} is all in lower case, some outputs are not. Use cased references."
            )
            yield Finding(kind="lowercased", message=message)


def _output(system: str, label: str, lines: Sequence[str]) -> Iterator[Finding]:
    rows = _rows(lines, lambda line: not line.strip())
    if rows:
        yield Finding(
            kind="empty-output",
            system=system,
            line=rows[0],
            message=f"{label} has an empty output in {_first(rows, len(lines))}. "
            "Was a line lost?",
        )
    rows = _rows(lines, lambda line: "@@ " in line or "\u2581" in line)
    if len(rows) > _SUBWORD_SHARE * len(lines):
        yield Finding(
            kind="subwords",
            system=system,
            line=rows[0],
            message=f"{label} has subword marks (@@ or \u2581) in {_first(rows, len(lines))}. "
            "Join the subwords before scoring.",
        )


def _repeats(
    corpus: Corpus, system: str, label: str, lines: Sequence[str]
) -> Iterator[Finding]:
    for index, stream in enumerate(corpus.references, start=1):
        rows = _same(lines, stream, _REFERENCE_SHARE)
        if rows:
            yield Finding(
                kind="equals-reference",
                system=system,
                line=rows[0],
                message=f"{label} equals reference {index} in {_first(rows, len(lines))}. "
                "Is it the reference itself, or was the system trained on it?",
            )
    rows = [] if corpus.sources is None else _same(lines, corpus.sources, _SOURCE_SHARE)
    if rows:
        yield Finding(
            kind="source-copied",
            system=system,
            line=rows[0],
            message=f"{label} repeats the source in {_first(rows, len(lines))}. "
            "Were these segments left untranslated?",
        )


def _same(lines: Sequence[str], others: Stream, share: float) -> list[int]:
    """Return the rows where both streams agree, if they agree in all or in many long lines."""
    rows = [i for i, (a, b) in enumerate(zip(lines, others, strict=True), 1) if a == b and a]
    if len(rows) == len(lines):
        return rows
    long = [row for row, line in enumerate(lines, start=1) if len(line) >= _LONG]
    both = sorted(set(rows) & set(long))
    return both if both and len(both) >= share * len(long) else []


def _tokenised(system: str | None, label: str, lines: Stream) -> Iterator[Finding]:
    """Look, in lines that hold a comma or end in a full stop, for a space before it."""
    texts = [line or "" for line in lines]
    able = _rows(texts, lambda line: ", " in line or line.rstrip().endswith("."))
    rows = _rows(texts, lambda line: " , " in line or line.rstrip().endswith(" ."))
    many = len(rows) >= max(_TOKENISED_SHARE * len(able), _TOKENISED_LEAST * len(texts))
    if rows and (many or len(rows) >= _TOKENISED_COUNT):
        yield Finding(
            kind="tokenised",
            system=system,
            line=rows[0],
            message=f"{label} looks tokenised: a space before the comma or the full stop in "
            f"{_first(rows, len(texts))}. Detokenise it; this metric tokenises by itself.",
        )


def _lowercased(lines: Stream) -> bool:
    """Say whether there are lower-case letters and (almost) no line with an upper-case one."""
    upper = sum(1 for line in lines if line and line != line.lower())
    lower = any(line and line != line.upper() for line in lines)
    return lower and upper <= _UNCASED_SHARE * len(lines)


def _cased(lines: Stream) -> bool:
    upper = sum(1 for line in lines if line and line != line.lower())
    return upper >= _CASED_SHARE * len(lines)


def _rows(lines: Sequence[str], test: Callable[[str], bool]) -> list[int]:
    return [row for row, line in enumerate(lines, start=1) if test(line)]


def _first(rows: Sequence[int], total: int) -> str:
    return f"{len(rows):,} of {count(total, 'line')}, first in line {rows[0]:,}"
