"""What in a corpus deserves a warning before anything is computed from it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.texts.alignment import Misfit, find_misfits
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
    "source-as-reference",
    "foreign-reference",
    "foreign",
    "shifted",
    "reordered",
    "unrelated",
]
Stream: TypeAlias = Sequence[str | None]
_Output: TypeAlias = tuple[str, int]  # a system and its run, from 0

# Shares of lines from which on a pattern is no accident. Counts alone, such as sacreBLEU's
# 100 lines that end in “ .”, say nothing about a file of 50 lines.
_TOKENISED_SHARE = 0.5
_TOKENISED_LEAST = 0.01  # of all lines: in Chinese text few lines hold a comma that we know
_TOKENISED_COUNT = 100
_SUBWORD_SHARE = 0.05
_REFERENCE_SHARE = 0.5
_SOURCE_SHARE = 0.1
_SOURCE_GIVEN = 0.9  # of reference lines that are the source: more than correcting texts leaves
_CASED_SHARE = 0.5  # of reference lines that hold an upper-case letter
_UNCASED_SHARE = 0.02
_WHOLE = 0.9  # of the lines of a text, which then are called the text
_BLOCK = 1 << 14  # lines of every stream that are looked at together
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
    certain : bool
        Whether no score of these texts can mean anything, so that a comparison is refused.
    """

    kind: FindingKind
    message: str
    system: str | None = None
    line: int | None = None
    certain: bool = False


def check_texts(corpus: Corpus, *, tokenizing: bool = False) -> tuple[Finding, ...]:
    """Return what deserves a warning, and refuse texts that certainly do not belong together.

    Refused are references in another language than all outputs, outputs that are a line or more
    out of step up to their end, and outputs in another order. `inspect_corpus` has the options.
    """
    found = inspect_corpus(corpus, tokenizing=tokenizing)
    certain = [finding.message for finding in found if finding.certain]
    if certain:
        more = f" ({len(certain) - 1} more like it.)" if len(certain) > 1 else ""
        raise DataError(certain[0] + more)
    return found


def inspect_corpus(corpus: Corpus, *, tokenizing: bool) -> tuple[Finding, ...]:
    """Return everything in a corpus that deserves a warning.

    Looked for are empty outputs and references, runs and systems that are copies of each
    other, unequal numbers of runs, outputs that repeat a reference or the source, references
    that are the source, outputs that do not belong to the references (`alignment`), subword
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
    seen = _look(corpus, tokenizing=tokenizing)
    found: list[Finding] = [*_unequal_runs(corpus), *_copies(seen.copies, labels)]
    found += _references(seen, tokenizing=tokenizing)
    given = list(_sources_given(seen))
    found += given or [_misplaced(misfit, corpus, labels) for misfit in find_misfits(corpus)]
    for output, label in labels.items():
        system, lines = output[0], seen.outputs[output]
        found += _output(system, label, lines)
        found += _repeats(seen, output, label)
        if lines.lowercased and any(stream.cased for stream in seen.references):
            message = f"{label} is all in lower case, the references are not. Truecase it."
            found.append(Finding(kind="lowercased", system=system, message=message))
        if tokenizing:
            found += _tokenised(system, label, lines)
    return tuple(found)


@dataclass(slots=True)
class _Rows:
    """How many lines were met, and the first of them, counted from 1."""

    n: int = 0
    first: int = 0

    def add(self, rows: list[int]) -> None:
        self.n += len(rows)
        self.first = self.first or (rows[0] if rows else 0)

    def of(self, total: int) -> str:
        return f"{self.n:,} of {count(total, 'line')}, first in line {self.first:,}"


@dataclass(slots=True)
class _Lines:
    """What was met in the lines of one stream."""

    total: int = 0
    empty: _Rows = field(default_factory=_Rows)
    subwords: _Rows = field(default_factory=_Rows)
    tokenised: _Rows = field(default_factory=_Rows)
    able: int = 0  # lines that would show whether they are tokenised
    long: int = 0
    upper: int = 0  # lines with an upper-case letter
    lower: bool = False  # whether there is a lower-case letter

    def add(self, lines: Stream, before: int, *, tokenizing: bool) -> None:
        """Look at some more lines."""
        texts = [line or "" for line in lines]
        first = before + 1
        self.total += len(texts)
        self.empty.add([i for i, x in enumerate(texts, first) if not x or x.isspace()])
        self.subwords.add(
            [i for i, x in enumerate(texts, first) if "@@ " in x or "\u2581" in x]
        )
        self.long += sum([len(x) >= _LONG for x in texts])
        self.upper += sum([x != x.lower() for x in texts])
        self.lower = self.lower or any(x != x.upper() for x in texts)
        if tokenizing:
            self._space_before_mark(texts, first)

    def _space_before_mark(self, texts: list[str], first: int) -> None:
        """Look, where there is a comma or a full stop at the end, for a space before it."""
        ends = [x.rstrip()[-2:] for x in texts]
        both = list(zip(texts, ends, strict=True))
        self.able += sum([", " in x or end.endswith(".") for x, end in both])
        self.tokenised.add(
            [i for i, (x, end) in enumerate(both, first) if " , " in x or end == " ."]
        )

    @property
    def lowercased(self) -> bool:
        """Whether there are lower-case letters and (almost) no line with an upper-case one."""
        return self.lower and self.upper <= _UNCASED_SHARE * self.total

    @property
    def cased(self) -> bool:
        """Whether many lines hold an upper-case letter."""
        return self.upper >= _CASED_SHARE * self.total


@dataclass(slots=True)
class _Same:
    """Lines of two streams that agree: all of them, and those that are long."""

    every: _Rows = field(default_factory=_Rows)
    long: _Rows = field(default_factory=_Rows)

    def add(self, lines: Stream, others: Stream, before: int) -> None:
        """Look at some more lines."""
        both = enumerate(zip(lines, others, strict=True), start=before + 1)
        same = [(row, len(a)) for row, (a, b) in both if a == b and a]
        self.every.add([row for row, _ in same])
        self.long.add([row for row, size in same if size >= _LONG])

    def met(self, lines: _Lines, share: float) -> _Rows | None:
        """Return the lines where both agree, if they agree in all or in many long ones."""
        if self.every.n == lines.total:
            return self.every
        return self.long if self.long.n and self.long.n >= share * lines.long else None


class _Seen(NamedTuple):
    """All that was met in a corpus, in one pass over its lines."""

    references: tuple[_Lines, ...]
    outputs: Mapping[_Output, _Lines]
    without_reference: _Rows
    repeated: Mapping[tuple[_Output, int], _Same]  # by output and reference
    untranslated: Mapping[_Output, _Same]
    sources: Mapping[int, _Same]  # references that repeat the source
    copies: Collection[tuple[_Output, _Output]]


def _look(corpus: Corpus, *, tokenizing: bool) -> _Seen:
    """Walk along all streams together, some lines at a time: large files are not held."""
    outputs, n_references = corpus.outputs, len(corpus.references)
    sourced = corpus.sources is not None
    seen = _Seen(
        references=tuple(_Lines() for _ in range(n_references)),
        outputs={output: _Lines() for output in outputs},
        without_reference=_Rows(),
        repeated={(o, r): _Same() for o in outputs for r in range(n_references)},
        untranslated={output: _Same() for output in outputs if sourced},
        sources={r: _Same() for r in range(n_references) if sourced},
        copies=(),
    )
    alike = [list(outputs)]  # those that are equal so far
    for start in range(0, corpus.n_segments, _BLOCK):
        part = corpus.part(start, start + _BLOCK)
        for lines, stream in zip(seen.references, part.references, strict=True):
            lines.add(stream, start, tokenizing=tokenizing)
        if part.sources is not None:
            for same, stream in zip(seen.sources.values(), part.references, strict=True):
                same.add(part.sources, stream, start)
        together = enumerate(zip(*part.references, strict=True), start=start + 1)
        seen.without_reference.add(
            [row for row, texts in together if not any(x and not x.isspace() for x in texts)]
        )
        for output in outputs:
            own = part.output(*output)
            seen.outputs[output].add(own, start, tokenizing=tokenizing)
            for r, stream in enumerate(part.references):
                seen.repeated[output, r].add(own, stream, start)
            if part.sources is not None:
                seen.untranslated[output].add(own, part.sources, start)
        alike = [group for one in alike for group in _equal({o: part.output(*o) for o in one})]
    return seen._replace(copies=[pair for group in alike for pair in _to_report(group)])


def _equal(lines: Mapping[_Output, Stream]) -> list[list[_Output]]:
    """Return the groups of outputs with the same lines, if two at least have them."""
    groups: dict[Stream, list[_Output]] = {}
    for output, own in lines.items():
        groups.setdefault(tuple(own), []).append(output)
    return [group for group in groups.values() if len(group) > 1]


def _to_report(group: list[_Output]) -> Iterator[tuple[_Output, _Output]]:
    """Give every output with the first of all, and with the first of its own system."""
    own: dict[str, _Output] = {}
    for output in group:
        before = own.setdefault(output[0], output)
        for first in dict.fromkeys((group[0], before)):
            if first != output:
                yield first, output


def _labels(corpus: Corpus) -> dict[_Output, str]:
    """Return “system 'A', run 2 (a.2.txt)”; the run only where there are several."""
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


def _copies(
    equal: Collection[tuple[_Output, _Output]],
    labels: Mapping[_Output, str],
) -> Iterator[Finding]:
    """Report equal outputs: of one system every pair of runs, of two systems the first pair."""
    reported: set[tuple[str, str]] = set()
    for first, second in equal:
        pair = (first[0], second[0])
        if pair in reported:
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


def _references(seen: _Seen, *, tokenizing: bool) -> Iterator[Finding]:
    rows = seen.without_reference
    if rows.n:
        yield Finding(
            kind="empty-reference",
            line=rows.first,
            message=f"the references are empty in {rows.of(seen.references[0].total)}. "
            "Outputs of these segments are scored against nothing.",
        )
    for index, stream in enumerate(seen.references, start=1):
        label = f"reference {index}"
        if tokenizing:
            yield from _tokenised(None, label, stream)
        if stream.lowercased and any(lines.cased for lines in seen.outputs.values()):
            message = (
                f"{label} is all in lower case, some outputs are not. Use cased references."
            )
            yield Finding(kind="lowercased", message=message)


def _output(system: str, label: str, lines: _Lines) -> Iterator[Finding]:
    if lines.empty.n:
        yield Finding(
            kind="empty-output",
            system=system,
            line=lines.empty.first,
            message=f"{label} has an empty output in {lines.empty.of(lines.total)}. "
            "Was a line lost?",
        )
    if lines.subwords.n > _SUBWORD_SHARE * lines.total:
        yield Finding(
            kind="subwords",
            system=system,
            line=lines.subwords.first,
            message=f"{label} has subword marks (@@ or \u2581) in "
            f"{lines.subwords.of(lines.total)}. Join the subwords before scoring.",
        )


def _repeats(seen: _Seen, output: _Output, label: str) -> Iterator[Finding]:
    lines = seen.outputs[output]
    for index in range(len(seen.references)):
        rows = seen.repeated[output, index].met(lines, _REFERENCE_SHARE)
        if rows is not None:
            yield Finding(
                kind="equals-reference",
                system=output[0],
                line=rows.first,
                message=f"{label} equals reference {index + 1} in {rows.of(lines.total)}. "
                "Is it the reference itself, or was the system trained on it?",
            )
    same = seen.untranslated.get(output)
    rows = None if same is None else same.met(lines, _SOURCE_SHARE)
    if rows is not None:
        yield Finding(
            kind="source-copied",
            system=output[0],
            line=rows.first,
            message=f"{label} repeats the source in {rows.of(lines.total)}. "
            "Were these segments left untranslated?",
        )


def _sources_given(seen: _Seen) -> Iterator[Finding]:
    """Report references that are the source."""
    for index, same in seen.sources.items():
        lines = seen.references[index]
        rows = same.met(lines, _SOURCE_GIVEN)
        if rows is not None:
            yield Finding(
                kind="source-as-reference",
                line=rows.first,
                message=f"reference {index + 1} is the source in {rows.of(lines.total)}. Was the "
                "source given as reference?",
                certain=rows.n == lines.total,
            )


def _misplaced(misfit: Misfit, corpus: Corpus, labels: Mapping[_Output, str]) -> Finding:
    """Say which lines do not belong where they stand."""
    alone = len(misfit.outputs) == 1
    who = labels[misfit.outputs[0]] if alone else "all outputs"
    return Finding(
        kind=misfit.kind,
        system=misfit.outputs[0][0] if alone else None,
        line=misfit.first,
        message=_of_languages(misfit, who)
        if misfit.kind in ("foreign", "foreign-reference")
        else _of_lines(misfit, who, corpus.n_segments),
        certain=misfit.certain,
    )


def _of_languages(misfit: Misfit, who: str) -> str:
    scripts = ""
    if misfit.scripts is not None:
        scripts = f" ({misfit.scripts[0]} and {misfit.scripts[1]} script)"
    if misfit.reference is None:
        return (
            f"{who} is in another language than the references{scripts}. Is it the output for "
            "another language pair?"
        )
    which = f"reference {misfit.reference + 1}"
    are = "is" if len(misfit.outputs) == 1 else "are"
    return (
        f"{who} {are} in another language than {which}{scripts}. Was the source given as "
        "reference, or the file of another language?"
    )


def _of_lines(misfit: Misfit, who: str, n_segments: int) -> str:
    alone = len(misfit.outputs) == 1
    first, last = misfit.first, misfit.last
    if misfit.kind == "shifted":
        there = first + misfit.shift
        where = f"from {first:,} on" if last == n_segments else f"{first:,} to {last:,}"
        lost, added = (
            ("the output", "the references")
            if misfit.shift > 0
            else ("the references", "the output")
        )
        n = count(abs(misfit.shift), "line")
        return (
            f"{who}: lines {where} look like lines from {there:,} on of the references. Look there "
            f"for {n} lost in {lost}, or added to {added}."
        )
    if misfit.kind == "reordered":
        line, place = misfit.match or (first, first)
        return (
            f"{who}: lines are in another order than the references; line {line:,} looks like "
            f"line {place:,} of the references. Sort them alike."
        )
    whole = last - first + 1 >= _WHOLE * n_segments
    where = "" if whole else f", in lines {first:,} to {last:,},"
    has = "has" if alone else "have"
    return (
        f"{who}{where} {has} almost nothing in common with the references (agreement "
        f"{misfit.agreement:.2f}; translations of one text have 0.45 or more). Do they belong to "
        "this test set?"
    )


def _tokenised(system: str | None, label: str, lines: _Lines) -> Iterator[Finding]:
    rows = lines.tokenised
    many = rows.n >= max(_TOKENISED_SHARE * lines.able, _TOKENISED_LEAST * lines.total)
    if rows.n and (many or rows.n >= _TOKENISED_COUNT):
        yield Finding(
            kind="tokenised",
            system=system,
            line=rows.first,
            message=f"{label} looks tokenised: a space before the comma or the full stop in "
            f"{rows.of(lines.total)}. Detokenise it; this metric tokenises by itself.",
        )
