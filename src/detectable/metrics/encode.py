"""Lines of text as integers: one vocabulary for all outputs and references, also block by block.

Text is cut into *units*, each tokenised once however often it occurs. A unit is a line, or, where
the tokeniser never looks beyond white space, a chunk between white space. Typical test sets
repeat their chunks, so most of the cost of tokenising goes away.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.kernels.word_matches import MOST_BYTES, number_chunks
from detectable.metrics.base import TextMetric

T = TypeVar("T")
TokenArray: TypeAlias = NDArray[np.int32]
Tokenize: TypeAlias = Callable[[str], Iterable[str]]

_BLOCK = 16  # outputs whose statistics are computed together
_LINES = 1 << 15  # that are cut into pieces at a time


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Encoded lines: the tokens of line `i` are ``ids[offsets[i] : offsets[i + 1]]``."""

    ids: TokenArray
    offsets: IntArray

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, line: int) -> TokenArray:
        return self.ids[self.offsets[line] : self.offsets[line + 1]]

    @property
    def lengths(self) -> IntArray:
        """The number of tokens of every line."""
        return np.diff(self.offsets)


class References(NamedTuple):
    """Encoded references; those of segment `i` are the lines ``first[i]`` to ``first[i + 1] - 1``.

    A segment that a reference stream does not cover has one line fewer; it has at least one.
    """

    tokens: Tokens
    first: IntArray

    @property
    def owner(self) -> IntArray:
        """The segment of every line."""
        return np.repeat(np.arange(self.first.size - 1), np.diff(self.first))

    def closest_lengths(self, lengths: IntArray) -> IntArray:
        """Return the reference length closest to each of `lengths`, of shape (…, segments).

        Of two that are equally close, the shorter, as in mteval and sacreBLEU.
        """
        candidates = self.tokens.lengths
        span = int(candidates.max(initial=0)) + 1  # distance and length as one sortable number
        distance = np.abs(lengths[..., self.owner] - candidates)
        keys = np.minimum.reduceat(distance * span + candidates, self.first[:-1], axis=-1)
        closest: IntArray = keys % span
        return closest

    def mean_lengths(self) -> FloatArray:
        """Return the mean reference length of every segment."""
        sums = np.add.reduceat(self.tokens.lengths, self.first[:-1])
        means: FloatArray = sums / np.diff(self.first)
        return means


class Encoder:
    """Turns lines into token numbers, with one vocabulary for everything it encodes.

    Parameters
    ----------
    tokenize : callable
        Gives the tokens of a text.
    lowercase : bool
        Whether lines are lowercased before anything else.
    by_chunk : bool
        Promise that tokenising a line gives the same tokens as tokenising, one after the other,
        the chunks between its white space. Lines with a newline are never cut.
    plain : callable, optional
        Says of a text without white space that it is its own only token, sparing `tokenize`.

    Examples
    --------
    >>> encoder = Encoder(str.split)
    >>> encoder.encode(["a b a", "", "b"]).ids.tolist()
    [0, 1, 0, 1]
    >>> encoder.id_of("b"), encoder.id_of("z")
    (1, -1)
    """

    def __init__(
        self,
        tokenize: Tokenize,
        *,
        lowercase: bool = False,
        by_chunk: bool = False,
        plain: Callable[[str], bool] | None = None,
    ) -> None:
        self._tokenize = tokenize
        self._lowercase = lowercase
        self._by_chunk = by_chunk
        self._plain = plain
        self._vocabulary = _Numbers()
        self._units = _Numbers()
        # The tokens of unit u are _ids[_ends[u] : _ends[u + 1]].
        self._ids = np.zeros(0, np.int32)
        self._ends = np.zeros(1, np.int64)

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """The number of every token seen so far, in the order of the numbers."""
        return MappingProxyType(self._vocabulary)

    def id_of(self, token: str) -> int:
        """Return the number of `token`, or -1 if it was not seen yet."""
        return self._vocabulary.get(token, -1)

    def encode(self, lines: Sequence[str]) -> Tokens:
        """Return the tokens of every line.

        Line by line would be slow, all at once would hold every piece of every line as text; so
        it is done in parts, which number the tokens as the whole would.
        """
        parts = [
            self._encode(lines[start : start + _LINES])
            for start in range(0, max(1, len(lines)), _LINES)
        ]
        if len(parts) == 1:
            return parts[0]
        before = _running(np.array([part.ids.size for part in parts]))
        ends = [part.offsets[1:] + n for part, n in zip(parts, before[:-1], strict=True)]
        return Tokens(
            np.concatenate([part.ids for part in parts]), np.concatenate([[0], *ends])
        )

    def _encode(self, lines: Sequence[str]) -> Tokens:
        if self._lowercase:
            lines = [line.lower() for line in lines]
        numbers, ends = self._numbered(lines)
        starts = self._ends[numbers]
        sizes = self._ends[numbers + 1] - starts
        before = _running(sizes)
        index = np.arange(before[-1]) + np.repeat(starts - before[:-1], sizes)
        offsets = before if ends is None else before[ends]
        return Tokens(self._ids[index], offsets)

    def _numbered(self, lines: Sequence[str]) -> tuple[IntArray, IntArray | None]:
        """Return the numbers of all units, and how many come before each line if not one each."""
        if not self._by_chunk:
            return self._recognised(lines), None
        found = _distinct_chunks(lines)
        if found is not None:
            chunks, ids, ends = found
            return self._recognised(chunks)[ids], ends
        units, ends = _gather(lines, _chunks)
        return self._recognised(units), ends

    def _recognised(self, units: Sequence[str]) -> IntArray:
        """Return the numbers of units, of which new ones are tokenised."""
        known = len(self._units)
        numbers = self._units.of(units)
        self._learn(list(islice(self._units, known, None)))
        return numbers

    def encode_references(self, corpus: Corpus) -> References:
        """Return the tokens of all references of `corpus`."""
        lines, first = reference_lines(corpus)
        return References(self.encode(lines), first)

    def _learn(self, units: Sequence[str]) -> None:
        """Tokenise units that are new."""
        tokenize, plain = self._tokenize, self._plain
        tokens: list[str] = []
        ends: list[int] = []
        for unit in units:
            if plain is not None and plain(unit):
                tokens.append(unit)
            else:
                tokens.extend(tokenize(unit))
            ends.append(len(tokens))
        ids = self._vocabulary.of(tokens).astype(np.int32)
        self._ids = np.concatenate([self._ids, ids])
        self._ends = np.concatenate([self._ends, self._ends[-1] + np.array(ends, np.int64)])


def reference_lines(corpus: Corpus) -> tuple[list[str], IntArray]:
    """Return all references, segment by segment, and where each segment starts."""
    rows = zip(*corpus.references, strict=True)
    return _gather(rows, lambda row: [line for line in row if line is not None])


def output_blocks(
    corpus: Corpus, step: str, progress: Progress
) -> Iterator[tuple[slice, list[str]]]:
    """Yield the lines of a few outputs at a time, with their place among all outputs.

    What a block holds is large enough to pay for work per block, and small enough for the
    memory that its statistics need.
    """
    total = len(corpus.outputs)
    progress(step, 0, total)
    for start in range(0, total, _BLOCK):
        part = corpus.outputs[start : start + _BLOCK]
        yield (
            slice(start, start + len(part)),
            list(chain.from_iterable(corpus.output(*output) for output in part)),
        )
        progress(step, start + len(part), total)


def code_points(lines: Iterable[str]) -> Tokens:
    """Return the characters of every line as tokens."""
    kept = list(lines)
    # A lone surrogate is a character like any other; a plain encoding would refuse it.
    text = "".join(kept).encode("utf-32-le", "surrogatepass")
    ids = np.frombuffer(text, "<i4").astype(np.int32)
    return Tokens(ids, _running(np.fromiter(map(len, kept), np.int64, len(kept))))


class _Numbers(dict[str, int]):
    """Numbers strings from 0, in the order in which they come first."""

    def of(self, texts: Sequence[str]) -> IntArray:
        """Return the number of each of `texts`, new ones included."""
        new = [text for text in dict.fromkeys(texts) if text not in self]
        self.update(zip(new, range(len(self), len(self) + len(new)), strict=True))
        return np.fromiter(map(self.__getitem__, texts), np.int64, len(texts))


def _distinct_chunks(
    lines: Sequence[str],
) -> tuple[list[str], NDArray[np.int32], IntArray] | None:
    """Return all different chunks, their numbers in the lines, and how many before each line.

    None where they must be cut one by one: without the library, with a newline in a line, or
    where there is more text than the library takes.
    """
    text = "\n".join(lines)
    if text.count("\n") > max(len(lines) - 1, 0):
        return None
    coded = text.encode(
        "utf-8", "surrogatepass"
    )  # a lone surrogate is a character like any other
    if len(coded) >= MOST_BYTES:
        return None
    found = number_chunks(np.frombuffer(coded, np.uint8), len(lines))
    if found is None:
        return None
    if found.ids.size == 0:
        return [], found.ids, found.offsets
    # One text for all, because decoding them one by one takes twice as long.
    different = b"\n".join([coded[a:b] for a, b in found.spans.tolist()])
    return different.decode("utf-8", "surrogatepass").split("\n"), found.ids, found.offsets


def _chunks(line: str) -> list[str]:
    return [line] if "\n" in line else line.split()


def _gather(
    whole: Iterable[T], cut: Callable[[T], Iterable[str]]
) -> tuple[list[str], IntArray]:
    """Cut each of `whole`; return all pieces, and how many there are before each and in all.

    One flat list: thousands of short ones would wake the garbage collector, which in a process
    with large libraries costs more than all the rest.
    """
    pieces: list[str] = []
    ends = [0]
    for item in whole:
        pieces.extend(cut(item))
        ends.append(len(pieces))
    return pieces, np.array(ends, np.int64)


def _running(sizes: IntArray) -> IntArray:
    """Return the running total, beginning with 0."""
    total = np.zeros(sizes.size + 1, np.int64)
    np.cumsum(sizes, out=total[1:])
    return total


# --- Statistics of a large corpus, block by block: neither its lines nor their tokens are all held ---

LARGE = 1 << 16  # segments from which on it is done in blocks; does not change any number
_BLOCK_LINES = 1 << 17  # of all outputs and references in a block
_FEWEST = 1 << 10  # segments of a block


def statistics_in_blocks(
    metric: TextMetric, corpus: Corpus, *, compact: bool, progress: Progress = silent
) -> NDArray[Any]:
    """Return what `metric.statistics` returns, of a large corpus with far less memory.

    A metric whose statistics of a segment depend on other segments (`by_segment` is False) sees
    the whole corpus at once, and holds it.

    Parameters
    ----------
    compact : bool
        Whether a large table of whole numbers may come in 16 or 32 bits instead of as doubles.
    """
    n = corpus.n_segments
    if n <= LARGE or not metric.by_segment:
        return metric.statistics(corpus, progress=progress)
    streams = len(corpus.outputs) + len(corpus.references)
    size = max(_FEWEST, _BLOCK_LINES // streams)
    table: NDArray[Any] = np.zeros((0, 0, 0))
    progress(metric.name, 0, n)
    for start in range(0, n, size):
        stop = min(n, start + size)
        part = metric.statistics(corpus.part(start, stop))
        kind = _kind(part) if compact else part.dtype
        if start == 0:
            table = np.empty((len(part), n, part.shape[-1]), kind)
        # A type that holds the old numbers and the new ones.
        table = table.astype(np.promote_types(kind, table.dtype), copy=False)
        table[:, start:stop] = part
        progress(metric.name, stop, n)
    return table


def _kind(part: FloatArray) -> np.dtype[Any]:
    """Return the smallest type that holds these numbers."""
    if (part == np.rint(part)).all():
        largest = np.abs(part).max()
        for kind in (np.int16, np.int32):
            if largest <= np.iinfo(kind).max:
                return np.dtype(kind)
    return np.dtype(np.float64)
