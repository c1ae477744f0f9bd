"""System outputs and references, line by line."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.lines import LongLines
from detectable.data.names import unwrapped

Lines: TypeAlias = tuple[str, ...] | LongLines
Labels = tuple[str, ...]

UNKNOWN = "unknown"  # stands for the original language where a test set does not say it


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Outputs of several systems on one test set; every field has one entry per segment.

    Build it with `Corpus.build`, which checks the lengths, or with a reader.

    Attributes
    ----------
    references : tuple of tuples
        One or more reference streams. None marks a segment that a stream does not cover.
    systems : mapping of str to tuple of tuples
        For every system its runs (optimizer replications, seeds), each a stream of outputs.
    sources, documents, domains, original_languages : tuple or None
        What is known about each segment.
    language_pair : str or None
        From which language into which the systems translate, where the files say it.
    reference_names : tuple of str or None
        What the references are called, such as their translators, in the order of `references`.
    files : mapping of str to tuple of str, or None
        The file of each run, where there was one, for messages.
    notes : tuple of str
        One sentence for everything that its reader left out, missed or renamed, with its count and
        its name.

    Notes
    -----
    The lines of large files are sequences that read the file again (`LongLines`), not tuples. Walk
    along them, or take them part by part with `part`.
    """

    references: tuple[tuple[str | None, ...] | LongLines, ...]
    systems: Mapping[str, tuple[Lines, ...]]
    sources: Lines | None = None
    documents: Labels | None = None
    domains: Labels | None = None
    original_languages: Labels | None = None
    language_pair: str | None = None
    reference_names: Labels | None = None
    files: Mapping[str, tuple[str, ...]] | None = None
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __repr__(self) -> str:
        known = (
            count(len(self.systems), "system"),
            count(self.n_segments, "segment"),
            count(len(self.references), "reference"),
        )
        return f"<Corpus: {', '.join(known)}>"

    @classmethod
    def build(
        cls,
        systems: Mapping[str, Sequence[str] | Sequence[Sequence[str]]],
        references: Sequence[str] | Sequence[Sequence[str | None]],
        *,
        sources: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        domains: Sequence[str] | None = None,
        original_languages: Sequence[str] | None = None,
        language_pair: str | None = None,
        reference_names: Sequence[str] | None = None,
    ) -> "Corpus":
        """Check lists of lines and freeze them.

        A flat list of strings is one run, or one reference; a list of lists is several.

        Examples
        --------
        >>> corpus = Corpus.build({"A": ["a b", "c"]}, ["a b", "d"])
        >>> corpus.n_segments, corpus.n_runs("A")
        (2, 1)
        """
        corpus = cls(
            references=_streams(references),
            systems={name: _streams(runs) for name, runs in systems.items()},
            sources=_frozen(sources),
            documents=_labels(documents),
            domains=_labels(domains),
            original_languages=_labels(original_languages),
            language_pair=language_pair,
            reference_names=_labels(reference_names),
        )
        _check_lengths(corpus)
        _check_reference_names(corpus)
        return corpus

    table = property(unwrapped)

    @property
    def n_segments(self) -> int:
        """The number of segments."""
        return len(self.references[0])

    @property
    def references_per_segment(self) -> tuple[int, int]:
        """The fewest and the most references that a segment has.

        Examples
        --------
        >>> Corpus.build({"A": ["a", "b"]}, [["a", "b"], ["c", None]]).references_per_segment
        (1, 2)
        """
        most = len(self.references)
        if all(
            isinstance(stream, LongLines) or None not in stream for stream in self.references
        ):
            return most, most
        found = [most - texts.count(None) for texts in zip(*self.references, strict=True)]
        return min(found), max(found)

    @property
    def outputs(self) -> tuple[tuple[str, int], ...]:
        """Every (system, run index), systems in order, runs within systems."""
        return tuple(
            (name, run) for name, runs in self.systems.items() for run in range(len(runs))
        )

    def n_runs(self, system: str) -> int:
        """Return the number of runs of `system`."""
        return len(self.systems[system])

    def output(self, system: str, run: int = 0) -> Lines:
        """Return the lines of one run."""
        return self.systems[system][run]

    def select(self, rows: Iterable[int]) -> "Corpus":
        """Return the corpus cut to the given segments, in the given order."""
        keep = tuple(rows)

        def cut(lines: Sequence[Any]) -> tuple[Any, ...]:
            if isinstance(lines, LongLines):
                return lines.take(keep)
            return tuple(lines[i] for i in keep)

        return self._cut(cut)

    def part(self, start: int, stop: int) -> "Corpus":
        """Return the segments from `start` to before `stop`, with their lines held."""
        return self._cut(lambda lines: lines[start:stop])

    def _cut(self, cut: Callable[[Sequence[Any]], Any]) -> "Corpus":
        return Corpus(
            references=tuple(cut(stream) for stream in self.references),
            systems={n: tuple(cut(run) for run in runs) for n, runs in self.systems.items()},
            sources=None if self.sources is None else cut(self.sources),
            documents=None if self.documents is None else cut(self.documents),
            domains=None if self.domains is None else cut(self.domains),
            original_languages=(
                None if self.original_languages is None else cut(self.original_languages)
            ),
            language_pair=self.language_pair,
            reference_names=self.reference_names,
            files=self.files,
        )


def _streams(lines: Sequence[Any]) -> tuple[Any, ...]:
    if isinstance(lines, str):
        raise DataError("expected a list of lines, got one string. Split it into lines first.")
    if isinstance(lines, LongLines):
        return (lines,)
    if all(line is None or isinstance(line, str) for line in lines):
        return (tuple(lines),)
    return tuple(run if isinstance(run, LongLines) else tuple(run) for run in lines)


def _frozen(lines: Sequence[str] | None) -> Lines | None:
    return lines if lines is None or isinstance(lines, LongLines) else tuple(lines)


def _labels(names: Sequence[str] | None) -> Labels | None:
    return None if names is None else tuple(names)


def _check_lengths(corpus: Corpus) -> None:
    """Raise one error that names every stream whose length differs from the first reference."""
    if not corpus.references or not corpus.references[0]:
        raise DataError(
            "the references hold no segment. Give at least one non-empty reference."
        )
    if not corpus.systems:
        raise DataError("there is no system to evaluate. Give at least one output.")
    n = corpus.n_segments
    problems = [
        f"{name} has {count(size, 'line')}" for name, size in _sizes(corpus) if size != n
    ]
    if problems:
        raise DataError(
            f"all streams must have the {count(n, 'line')} of the first reference; "
            f"{listing(problems)}."
        )
    if any(isinstance(stream, LongLines) for stream in corpus.references):
        return  # a file has a line for every segment, empty or not
    for row, texts in enumerate(zip(*corpus.references, strict=True), start=1):
        if all(text is None for text in texts):
            raise DataError(f"segment {row} has no reference at all.")


def _check_reference_names(corpus: Corpus) -> None:
    names = corpus.reference_names
    if names is not None and len(names) != len(corpus.references):
        raise DataError(
            f"`reference_names` must name each of the {count(len(corpus.references), 'reference')}"
            f"; got {count(len(names), 'name')}."
        )


def _sizes(corpus: Corpus) -> Iterable[tuple[str, int]]:
    for index, stream in enumerate(corpus.references, start=1):
        yield f"reference {index}", len(stream)
    for name, runs in corpus.systems.items():
        if not runs:
            yield f"system {name!r}", 0
        for index, run in enumerate(runs, start=1):
            yield f"system {name!r} run {index}", len(run)
    for label, values in (
        ("the source", corpus.sources),
        ("the document list", corpus.documents),
        ("the domain list", corpus.domains),
        ("the original-language list", corpus.original_languages),
    ):
        if values is not None:
            yield label, len(values)
