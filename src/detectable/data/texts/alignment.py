"""Whether outputs and references belong together: in one language, and line by line.

Two fingerprints tell. The *fingerprint of a line* counts its character trigrams, hashed into 256
cells, each cell centred and weighted by how rare it is; the *agreement* of two lines is the cosine
of their fingerprints. The *profile of a text* counts its trigrams in 4,096 cells; the cosine of two
profiles tells whether they are in one language (after Cavnar and Trenkle 1994, "N-gram-based text
categorization", SDAIR, 161-175; they compare ranks of n-grams, a cosine needs no sorting).

Measured (`tests/data/texts/test_alignment.py` repeats it) on 84 systems: six WMT test sets from
Russian, Ukrainian, Icelandic and Japanese, MultEval's example, four references, German-French. Mean
agreement with the reference is .45 to .74, from Japanese too; that of shuffled lines is 0.

False alarms: none in the 84 systems but two that are broken indeed (one writes random words in all
2,008 lines, one has placeholders in 25), and none in 6,689 outputs of passages of 2 to 300 lines.
Largest sum below `_LOW` in a correct system: .66, limit `_LOW_SUM`. Largest sum in favour of the
next line: .73, limit `_SHIFT_SUM`. Cosine of profiles from 1,000 characters on: .70 or more in 99.9 %
of passages in one language, .47 or less in two languages.

Hits: all sources given as references (refused), all outputs of another language (warned), all
shuffles and exchanged thirds (refused), all shifts by five lines (refused). A line lost or added
before 95 % of the lines: 100 %, named to the line in more than 90 %; before the last 2 %: 89 %, the
last .5 %: 77 %, of 150 to 2,489 lines.

The limits were chosen on these texts, so the rates flatter them. Kept apart were three English-German
systems of newstest2019 (43 lines): no false alarm, the source as reference refused, a lost line named.
All texts but these and German-French are into English; no text into Chinese or Japanese was at hand.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.data.texts.corpus import Corpus

Output: TypeAlias = tuple[str, int]
Fingerprints: TypeAlias = NDArray[np.float32]
MisfitKind: TypeAlias = Literal[
    "foreign-reference", "foreign", "shifted", "reordered", "unrelated"
]

_CELLS = 1 << 8  # of the fingerprint of a line
_FINE_CELLS = 1 << 11  # where one line is looked for among thousands
_PROFILE_CELLS = 1 << 12
_RARE = 1e-3  # share of all trigrams that is added, so that a rare cell does not outweigh all others

_LOW = 0.2  # agreement of a line with its reference that a translation rarely has
_LOW_SUM = 2.0  # by which successive lines fall short of it in all, before they are looked at
_SHIFT_SUM = (
    1.5  # by which successive lines agree better with the next reference than with their own
)
_ALIKE = 0.25  # mean agreement from which on lines are translations of each other
_CLEARLY = 0.15  # by how much more they agree than with the lines they stand beside
_FURTHEST = 20  # lines by which a text is looked for above and below
_FOREIGN = 0.5  # cosine of profiles below which two texts are not in one language
_DISTANT = 0.35  # mean agreement below which languages are compared
_LETTERS = 1_000  # characters that a profile takes
_FEWEST_LETTERS = 50  # that show a script
_ONE_SCRIPT = 0.8  # share of the letters of a text that are of its script
_SURE_LINES = 10  # shifted up to the end, from which on there is no doubt

_MOST = 1 << 9  # lines that are looked at; of more, runs of `_RUN` lines are, the last ones too
_RUN = 1 << 5
_PART = 1 << 12  # references that are held while lines are looked for among them
_LONGEST = 400  # characters of a line that are looked at
_WINDOW = 512  # lines of a region in which a shift is looked for
_SOUGHT = 128  # lines of a region that are looked for in all references
_SEARCHED = 1 << 17  # references among which they are looked for


class Misfit(NamedTuple):
    """Lines of an output that do not belong where they stand.

    Attributes
    ----------
    kind : str
        A reference in another language than all outputs; an output in another language than the
        references; lines that belong some lines above or below; lines in another order; or lines
        that have nothing in common with any reference.
    outputs : tuple of (system, run)
        Whose lines.
    reference : int or None
        Which reference, from 0; only of a foreign one.
    first, last : int
        The first and the last line, from 1.
    shift : int
        Line `i` looks like line `i + shift` of the references.
    match : (int, int) or None
        A line, and the line of the references that it looks like.
    agreement : float
        Mean agreement with the references beside them, or, of languages, the cosine of profiles.
    scripts : (str, str) or None
        The scripts of output and reference, where they differ.
    certain : bool
        Whether there is no other explanation.
    """

    kind: MisfitKind
    outputs: tuple[Output, ...]
    first: int
    last: int
    agreement: float
    certain: bool
    reference: int | None = None
    shift: int = 0
    match: tuple[int, int] | None = None
    scripts: tuple[str, str] | None = None


def find_misfits(corpus: Corpus) -> tuple[Misfit, ...]:
    """Return where outputs and references do not belong together.

    Examples
    --------
    >>> reference = [f"{a} {b} {c}" for a in _WORDS for b in _WORDS for c in _WORDS]
    >>> late = Corpus.build({"A": reference, "B": [*reference[:40], *reference[41:], ""]}, reference)
    >>> [(m.outputs, m.first, m.shift, m.certain) for m in find_misfits(late)]
    [((('B', 0),), 41, 1, True)]
    """
    rows = _rows(corpus.n_segments)
    seen = corpus if len(rows) == corpus.n_segments else corpus.select(rows.tolist())
    counts = [_count(stream, _CELLS) for stream in seen.references]
    weights = _weights(counts)
    references = [_fingerprints(one, weights) for one in counts]
    distant: list[tuple[Output, int]] = []  # outputs and references with little in common
    regions: dict[Output, _Region] = {}
    for output in corpus.outputs:
        own = _fingerprints(_count(seen.output(*output), _CELLS), weights)
        known = _known(own)
        each = [_agreement(own, [one]) for one in references]
        distant += [
            (output, r)
            for r, one in enumerate(each)
            if known.any() and float(one[known].mean()) < _DISTANT
        ]
        here = np.maximum.reduce(each)
        region = _region(own, references, here, rows)
        if region is not None:
            regions[output] = region
    foreign = _foreign(seen, distant)
    misfits = [*_foreign_references(corpus, foreign), *_foreign_outputs(corpus, foreign)]
    explained = {output for misfit in misfits for output in misfit.outputs}
    for output, region in regions.items():
        if output not in explained:
            misfits.append(_explain(corpus, output, region))
    return _together(misfits, corpus.outputs)


_WORDS = ("apple", "brick", "cloud", "drum", "eagle")  # of the example above


def _rows(n: int) -> NDArray[np.int64]:
    """Return the lines that are looked at: all, or runs that lie evenly."""
    if n <= _MOST:
        return np.arange(n)
    starts = np.linspace(0, n - _RUN, _MOST // _RUN).astype(np.int64)
    return np.unique((starts[:, None] + np.arange(_RUN)).ravel())


# --- Fingerprints ---


def _count(lines: Sequence[str | None], cells: int) -> Fingerprints:
    """Return how often each cell is met in each line; -1 throughout where a line is empty."""
    lowered = [(line or "")[:_LONGEST].strip().lower() for line in lines]
    sizes = np.fromiter(map(len, lowered), np.int64, len(lowered))
    hashed = _hashed("\0\0".join([*lowered, ""]), cells)
    hashed += np.repeat(np.arange(len(lowered)) * cells, sizes + 2)
    counts = np.bincount(hashed, minlength=len(lowered) * cells)
    found = counts.reshape(-1, cells).astype(np.float32)
    found[sizes == 0] = -1.0
    return found


def _hashed(text: str, cells: int) -> NDArray[np.int64]:
    """Return the cell of every trigram of characters; after the last stand two zeros."""
    codes = np.frombuffer((text + "\0\0").encode("utf-32-le", "surrogatepass"), np.uint32)
    found = codes[:-2] * np.uint32(0x9E3779B1)
    found += codes[1:-1] * np.uint32(0x85EBCA6B)
    found += codes[2:] * np.uint32(0xC2B2AE35)
    found ^= found >> np.uint32(15)
    found *= np.uint32(0x2C1B3C6D)
    found >>= np.uint32(33 - cells.bit_length())
    return found.astype(np.int64)


def _weights(counts: Sequence[Fingerprints]) -> Fingerprints:
    """Return the weight of each cell: rare trigrams tell more."""
    total = np.sum([np.maximum(one, 0.0).sum(axis=0) for one in counts], axis=0)
    weights: Fingerprints = 1.0 / np.sqrt(total / max(float(total.sum()), 1.0) + _RARE)
    return weights


def _fingerprints(counts: Fingerprints, weights: Fingerprints) -> Fingerprints:
    """Return centred, weighted counts of length 1; all 0 where a line is empty."""
    empty = counts[:, 0] < 0.0
    marks = np.sqrt(np.maximum(counts, 0.0))
    marks -= marks.mean(axis=0)
    marks *= weights
    marks[empty] = 0.0
    length = np.sqrt(np.einsum("ij,ij->i", marks, marks))
    marks /= np.where(length > 0.0, length, 1.0)[:, None]
    return marks


def _known(marks: Fingerprints) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.asarray(marks.any(axis=1))
    return found


def _agreement(
    own: Fingerprints, references: Sequence[Fingerprints], shift: int = 0
) -> NDArray[np.float64]:
    """Return the agreement of each line with that `shift` lines below, of its best reference.

    It is 0 where there is no such line.
    """
    n = len(own)
    found = np.zeros(n)
    start, stop = max(0, -shift), min(n, n - shift)
    if stop > start:
        inside = own[start:stop]
        found[start:stop] = np.max(
            [
                np.einsum("ij,ij->i", inside, one[start + shift : stop + shift])
                for one in references
            ],
            axis=0,
        )
    return found


# --- Regions of lines that deserve a closer look ---


class _Region(NamedTuple):
    """Lines, from 0, that agree less than they should."""

    start: int
    stop: int
    agreement: float


def _largest_run(values: NDArray[np.float64]) -> tuple[float, int, int]:
    """Return the largest sum of successive values, and where it starts and stops.

    Examples
    --------
    >>> _largest_run(np.array([-1.0, 2.0, -0.5, 3.0, -4.0]))
    (4.5, 1, 4)
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    lowest = np.minimum.accumulate(sums)
    stop = int(np.argmax(sums - lowest))
    start = int(np.argmin(sums[: stop + 1]))
    return float(sums[stop] - lowest[stop]), start, stop


def _region(
    own: Fingerprints,
    references: Sequence[Fingerprints],
    here: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> _Region | None:
    """Return the lines that agree too little with their reference, or better with the next."""
    known = _known(own) & np.asarray(np.stack([_known(one) for one in references]).any(axis=0))
    tried = [(np.where(known, _LOW - here, 0.0), _LOW_SUM)]
    for shift in (1, -1):
        there = _agreement(own, references, shift)
        tried.append((np.where(known, there - here, 0.0), _SHIFT_SUM))
    for values, limit in tried:
        largest, start, stop = _largest_run(values)
        if largest >= limit:
            first, last = int(rows[start]), int(rows[stop - 1])
            return _Region(first, last + 1, float(here[start:stop].mean()))
    return None


# --- Languages and scripts ---


_Foreign: TypeAlias = dict[tuple[Output, int], tuple[float, tuple[str, str] | None]]


def _foreign(seen: Corpus, distant: Sequence[tuple[Output, int]]) -> _Foreign:
    """Return, by output and reference, cosine and scripts of what is not in one language."""
    outputs = {output: _profile(seen.output(*output)) for output, _ in distant}
    references = {r: _profile(seen.references[r]) for _, r in distant}
    found: _Foreign = {}
    for output, r in distant:
        (own, script, n), (profile, other, m) = outputs[output], references[r]
        cosine = float(own @ profile)
        if script and other and script != other:
            found[output, r] = cosine, (script, other)
        elif min(n, m) >= _LETTERS and cosine < _FOREIGN:
            found[output, r] = cosine, None
    return found


def _profile(lines: Iterable[str | None]) -> tuple[NDArray[np.float64], str, int]:
    """Return the trigrams of a text as a vector of length 1, its script and its length."""
    text = " ".join(filter(None, lines)).lower()
    counts = np.bincount(_hashed(text, _PROFILE_CELLS), minlength=_PROFILE_CELLS)
    length = float(np.sqrt((counts**2).sum()))
    return counts / max(length, 1.0), _script(text), len(text)


_EAST_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA"))  # Japanese mixes them


def _script(text: str) -> str:
    """Return the script of most letters, such as “Cyrillic”; empty where they are mixed or few.

    Examples
    --------
    >>> _script("Привет, мир! " * 6), _script("Hello, how are you? " * 4), _script("Привет")
    ('Cyrillic', 'Latin', '')
    """
    letters = list(islice(filter(str.isalpha, text), _LETTERS))
    if len(letters) < _FEWEST_LETTERS:
        return ""
    names = (unicodedata.name(letter, "?").split()[0] for letter in letters)
    found = Counter("CJK" if name in _EAST_ASIAN else name for name in names)
    script, most = found.most_common(1)[0]
    if most < _ONE_SCRIPT * len(letters):
        return ""
    return "Chinese or Japanese" if script == "CJK" else script.capitalize()


def _foreign_references(corpus: Corpus, foreign: _Foreign) -> Iterable[Misfit]:
    """Give the references that are in another language than every output."""
    for r in range(len(corpus.references)):
        found = [foreign.get((output, r)) for output in corpus.outputs]
        known = [one for one in found if one is not None]
        if len(known) == len(found):
            yield Misfit(
                kind="foreign-reference",
                outputs=corpus.outputs,
                reference=r,
                first=1,
                last=corpus.n_segments,
                agreement=max(cosine for cosine, _ in known),
                scripts=known[0][1],
                certain=True,
            )


def _foreign_outputs(corpus: Corpus, foreign: _Foreign) -> Iterable[Misfit]:
    """Give the outputs that are in another language than all references, where others are not."""
    n_references = len(corpus.references)
    whose = [
        output
        for output in corpus.outputs
        if all((output, r) in foreign for r in range(n_references))
    ]
    if len(whose) == len(corpus.outputs):
        return  # then the references are foreign
    for output in whose:
        cosine, scripts = foreign[output, 0]
        yield Misfit(
            kind="foreign",
            outputs=(output,),
            first=1,
            last=corpus.n_segments,
            agreement=cosine,
            scripts=scripts,
            certain=False,  # a system may answer in the wrong language
        )


# --- Where the lines of a region belong ---


def _explain(corpus: Corpus, output: Output, region: _Region) -> Misfit:
    """Look for the lines above and below, then everywhere."""
    found = _shifted(corpus, output, region) or _reordered(corpus, output, region)
    return found or Misfit(
        kind="unrelated",
        outputs=(output,),
        first=region.start + 1,
        last=region.stop,
        agreement=region.agreement,
        certain=False,  # a system may write nonsense
    )


def _marked(
    corpus: Corpus, output: Output, start: int, stop: int
) -> tuple[Fingerprints, list[Fingerprints]]:
    """Return the fingerprints of some lines of an output and of its references."""
    part = corpus.part(start, stop)
    counts = [_count(stream, _CELLS) for stream in part.references]
    weights = _weights(counts)
    own = _fingerprints(_count(part.output(*output), _CELLS), weights)
    return own, [_fingerprints(one, weights) for one in counts]


def _shifted(corpus: Corpus, output: Output, region: _Region) -> Misfit | None:
    """Return by how many lines most lines of the region are shifted, and from which line on."""
    middle = (region.start + region.stop) // 2
    start = max(middle - _WINDOW // 2, region.start)
    stop = min(start + _WINDOW, region.stop)
    before, after = max(0, start - _FURTHEST), min(corpus.n_segments, stop + _FURTHEST)
    own, references = _marked(corpus, output, before, after)
    inside = np.zeros(len(own), dtype=bool)
    inside[start - before : stop - before] = True
    inside &= _known(own)
    if not inside.any():
        return None
    shifts = [shift for shift in range(-_FURTHEST, _FURTHEST + 1) if shift]
    means = [float(_agreement(own, references, shift)[inside].mean()) for shift in shifts]
    best = int(np.argmax(means))
    here = float(_agreement(own, references)[inside].mean())
    if means[best] < max(_ALIKE, here + _CLEARLY):
        return None
    first, last = _limits(corpus, output, region, shifts[best])
    at_end = last + abs(shifts[best]) >= corpus.n_segments
    return Misfit(
        kind="shifted",
        outputs=(output,),
        first=first + 1,
        last=corpus.n_segments if at_end else last,
        shift=shifts[best],
        agreement=here,
        certain=at_end and last - first >= _SURE_LINES,
    )


def _limits(corpus: Corpus, output: Output, region: _Region, shift: int) -> tuple[int, int]:
    """Return the first line, from 0, that is shifted so, and the one after the last."""
    gap = _MOST if corpus.n_segments <= _MOST else corpus.n_segments // (_MOST // _RUN) + _RUN
    limits = []
    for near in (region.start, region.stop):
        low, high = max(0, near - gap), min(corpus.n_segments, near + gap)
        own, references = _marked(corpus, output, low, high)
        better = _agreement(own, references, shift) - _agreement(own, references)
        _, start, stop = _largest_run(np.where(_known(own), better, 0.0))
        limits.append((low + start, low + stop))
    return limits[0][0], limits[1][1]


def _reordered(corpus: Corpus, output: Output, region: _Region) -> Misfit | None:
    """Return the misfit if most lines of the region stand elsewhere in the references."""
    n = region.stop - region.start
    rows = region.start + np.unique(np.linspace(0, n - 1, min(n, _SOUGHT)).astype(np.int64))
    own = _count(corpus.select(rows.tolist()).output(*output), _FINE_CELLS)
    best, second, here = np.zeros((3, len(rows)))
    place = np.zeros(len(rows), np.int64)
    for start in range(0, min(corpus.n_segments, _SEARCHED), _PART):
        streams = corpus.part(start, start + _PART).references
        counts = [_count(stream, _FINE_CELLS) for stream in streams]
        weights = _weights(counts)
        mine = _fingerprints(own, weights)
        alike = np.max([mine @ _fingerprints(one, weights).T for one in counts], axis=0)
        inside = np.flatnonzero((rows >= start) & (rows < start + len(streams[0])))
        here[inside] = alike[inside, rows[inside] - start]
        at = alike.argmax(axis=1)
        highest = alike[np.arange(len(rows)), at]
        alike[np.arange(len(rows)), at] = 0.0
        second = np.maximum.reduce([second, np.minimum(highest, best), alike.max(axis=1)])
        place = np.where(highest > best, start + at, place)
        best = np.maximum(best, highest)
    # In texts of few words many lines are alike; the place of a line is one that stands out.
    alone = best >= np.maximum(second, here) + _CLEARLY
    moved = (place != rows) & (best >= _ALIKE + _CLEARLY) & alone
    if moved.sum() < max(len(rows) / 3, 3):
        return None
    first = int(np.flatnonzero(moved)[0])
    return Misfit(
        kind="reordered",
        outputs=(output,),
        first=region.start + 1,
        last=region.stop,
        match=(int(rows[first]) + 1, int(place[first]) + 1),
        agreement=region.agreement,
        certain=3 * n >= corpus.n_segments and n >= _SURE_LINES,
    )


def _together(misfits: Sequence[Misfit], outputs: tuple[Output, ...]) -> tuple[Misfit, ...]:
    """Say of all outputs at once what is the same for all: then the references are at fault."""
    whose = [output for misfit in misfits for output in misfit.outputs]
    starts = [misfit.first for misfit in misfits]
    if (
        len(whose) < 2
        or whose != list(outputs)
        or len({(misfit.kind, misfit.shift) for misfit in misfits}) > 1
        or max(starts) - min(starts) > _SURE_LINES
    ):
        return tuple(misfits)
    first = Counter(starts).most_common(1)[0][0]
    certain = all(misfit.certain for misfit in misfits)
    return (misfits[0]._replace(outputs=outputs, first=first, certain=certain),)
