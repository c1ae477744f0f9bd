"""Controls: repeats, references and degraded copies, dealt evenly."""

import math
import unicodedata
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heapify, heapreplace
from itertools import cycle
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.wording import count, listing
from detectable.data.human.columns import Kind
from detectable.study.selection.selection import Selection
from detectable.study.tasks.result import Pool, Shown

Unit: TypeAlias = Literal["word", "character"]
_TRIES = 50
_LONG = 20  # from this length on, more is removed than put in
_PHRASE = 6  # the longest phrase put in, in words
_CHARACTER_BASED = (
    *("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"),
)


def replaced_and_inserted(length: int, unit: Unit = "word") -> tuple[int, int]:
    """Return how many tokens of a text of `length` are replaced, and by how many.

    In words, after the tool of Direct Assessment: 1, 1, 1, 2, 2 of texts of 1 to 5 words, 3 of
    6–7, 4 of 8–14, 5 of 15–19; of longer texts a quarter is removed, and 6 words are put in.

    In characters, after Appraise: twice as many, 12 of a long text. Three characters are left
    at least, and half of a text shorter than six, rounded down.

    References
    ----------
    Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be evaluated by
    the crowd alone", Natural Language Engineering 23(1), 3–30; the tool itself for the table.

    Examples
    --------
    >>> [replaced_and_inserted(n)[0] for n in (1, 3, 4, 6, 8, 15)]
    [1, 1, 2, 3, 4, 5]
    >>> replaced_and_inserted(40), replaced_and_inserted(40, "character")
    ((10, 6), (12, 12))
    """
    if length < 1:
        raise InputError(f"`length` must be at least 1; got {length}.")
    if unit == "word":
        removed = _removed_words(length)
        return removed, removed if length < _LONG else _PHRASE
    doubled = 2 * (_PHRASE if length >= _LONG else _removed_words(length))
    removed = min(doubled, max(length - 3, (length + 1) // 2))
    return removed, removed


def _removed_words(length: int) -> int:
    for longest, removed in ((3, 1), (5, 2), (7, 3), (14, 4), (19, 5)):
        if length <= longest:
            return removed
    return length // 4


def start_range(length: int, removed: int) -> tuple[int, int]:
    """Return the first and the last place (from 0) at which a replaced run may begin.

    From two tokens on the first stays; from five words on the last two stay as well.
    """
    if length == 1:
        return 0, 0
    return 1, max(1, length - removed - 2)


class Phrases:
    """Runs of words of the references, from which phrases are drawn.

    A phrase never holds the first or the last word of its sentence, where capital letters and
    full stops would give it away; its first word is put in lower case.
    """

    def __init__(self, references: Sequence[str], unit: Unit) -> None:
        self.unit = unit
        self._tokens = [tokens_of(text, unit) for text in references]
        self._lengths = np.array([len(tokens) for tokens in self._tokens])
        self._edges: dict[
            int, NDArray[np.int64]
        ] = {}  # by size: where the places of a line end

    def draw(self, size: int, row: int, rng: np.random.Generator) -> list[str] | None:
        """Return a phrase of `size` tokens from another line than `row`, or a shorter one.

        Shorter where no line is long enough; None where there is none at all. A `row` beyond the
        last is a line that phrases are not drawn from.
        """
        for wanted in range(size, 0, -1):
            edges = self._edges_of(wanted)
            start = end = 0
            if row < self._lengths.size:
                start, end = int(edges[row]), int(edges[row + 1])
            total = int(edges[-1]) - (end - start)
            if total:
                at = int(rng.integers(total))
                if at >= start:
                    at += end - start  # its own reference would repair the output
                line = int(np.searchsorted(edges, at, side="right")) - 1
                first = 1 + at - int(edges[line])
                phrase = self._tokens[line][first : first + wanted]
                return [phrase[0].lower(), *phrase[1:]]
        return None

    def _edges_of(self, size: int) -> NDArray[np.int64]:
        """Return where the places for phrases of a size begin and end, line by line."""
        if size not in self._edges:
            places = np.maximum(self._lengths - size - 1, 0)
            self._edges[size] = np.concatenate([[0], np.cumsum(places)])
        return self._edges[size]


def tokens_of(text: str, unit: Unit) -> list[str]:
    """Return the words of a text, or its characters."""
    return text.split() if unit == "word" else list(text.strip())


def degrade(text: str, row: int, phrases: Phrases, rng: np.random.Generator) -> str | None:
    """Return `text` with a run of its tokens replaced, or None if that is impossible.

    The result differs from the text in more than capital letters.
    """
    tokens = tokens_of(text, phrases.unit)
    if not tokens:
        return None
    joint = " " if phrases.unit == "word" else ""
    removed, inserted = replaced_and_inserted(len(tokens), phrases.unit)
    first, last = start_range(len(tokens), removed)
    plain = joint.join(tokens).casefold()
    for _ in range(_TRIES):
        phrase = phrases.draw(inserted, row, rng)
        if phrase is None:
            return None
        if len(tokens) == 1:
            phrase = [word.title() for word in phrase]
        start = int(rng.integers(first, last + 1))
        made = joint.join([*tokens[:start], *phrase, *tokens[start + removed :]])
        if made.casefold() != plain:
            return made
    return None


def guess_unit(references: Sequence[str]) -> Unit:
    """Return how a language is cut: in characters where most letters need no spaces.

    Chinese, Japanese, Thai, Lao, Khmer, Burmese and Tibetan letters are counted.
    """
    letters = [c for text in references[:200] for c in text if c.isalpha()]
    of_words = sum(not unicodedata.name(c, "").startswith(_CHARACTER_BASED) for c in letters)
    return "word" if 2 * of_words >= len(letters) else "character"


# --- Controls: repeats, references and degraded copies of outputs in the same task ---

CONTROLS: tuple[Kind, ...] = ("degraded", "repeat", "reference")


class Referenced(Protocol):
    """Texts with a reference for the row of every output."""

    @property
    def references(self) -> Sequence[str] | Mapping[int, str]:
        """The references by row."""


class ControlMaker:
    """Makes controls, and remembers which outputs could not be degraded."""

    def __init__(self, pool: Referenced, phrases: Phrases, rng: np.random.Generator) -> None:
        self._pool, self._phrases, self._rng = pool, phrases, rng
        self._refused: list[str] = []
        self.degraded: Counter[str] = Counter()  # planned so far, by system

    def one(self, original: Shown, kind: Kind) -> Shown:
        """Return a control of one kind; a repeat where a degraded copy is impossible."""
        output = original.output
        if kind == "reference":
            return Shown(kind, output, self._pool.references[output.row], original)
        if kind == "degraded":
            text = degrade(original.text, output.row, self._phrases, self._rng)
            if text is not None:
                return Shown(kind, output, text, original)
            self._refused.append(_named(original))
        return Shown("repeat", output, original.text, original)

    def spread(
        self,
        runs: Mapping[int, Sequence[Shown]],
        degraded: Mapping[str, int],
        n_references: int,
    ) -> dict[int, list[Shown]]:
        """Return a control of every output: so many degraded of each system, and repeats.

        Runs take turns in being degraded, and at most one of a run is the reference. Where an
        output cannot be degraded, another one is, of the same system if there is one.
        """
        places = [(key, place) for key, run in runs.items() for place in range(len(run))]
        places = [places[i] for i in self._rng.permutation(len(places)).tolist()]
        made: dict[tuple[int, int], Shown] = {}
        left = Counter(degraded)
        refused: list[Shown] = []
        in_run: Counter[int] = Counter()
        waiting = list(places)
        # Those whose turn it is come first; the others are for what these could not serve.
        for own in (True, False):
            while fit := [
                (key, place)
                for key, place in waiting
                if (left[runs[key][place].output.system] if own else left.total())
            ]:
                key, place = min(fit, key=lambda one: in_run[one[0]])
                waiting.remove((key, place))
                original = runs[key][place]
                text = degrade(original.text, original.output.row, self._phrases, self._rng)
                if text is None:
                    refused.append(original)
                    continue
                made[key, place] = Shown("degraded", original.output, text, original)
                in_run[key] += 1
                left[original.output.system if own else next(iter(+left))] -= 1
        self._refused += [_named(original) for original in refused[: left.total()]]
        with_reference: set[int] = set()
        for key, place in places:
            if (key, place) not in made:
                shown = len(with_reference) < n_references and key not in with_reference
                made[key, place] = self.one(
                    runs[key][place], "reference" if shown else "repeat"
                )
                if shown:
                    with_reference.add(key)
        return {key: [made[key, place] for place in range(len(runs[key]))] for key in runs}

    def one_of_each(self, originals: Sequence[Shown], system: str) -> list[Shown]:
        """Return a degraded copy, a repeat and a reference of three different outputs.

        The copy is of `system` where one of its outputs can be degraded.
        """
        order = [originals[i] for i in self._rng.permutation(len(originals)).tolist()]
        order.sort(key=lambda one: one.output.system != system)
        before = len(self._refused)
        for place, original in enumerate(order):
            made = self.one(original, "degraded")
            if made.kind == "degraded":
                del self._refused[before:]  # another output of the block serves as well
                others = [*order[:place], *order[place + 1 :]]
                rest = [others[i] for i in self._rng.permutation(len(others)).tolist()]
                return [made, self.one(rest[0], "repeat"), self.one(rest[1], "reference")]
        del self._refused[before + 1 :]
        kinds: tuple[Kind, ...] = ("repeat", "repeat", "reference")
        return [self.one(o, kind) for o, kind in zip(order[:3], kinds, strict=True)]

    def notes(self) -> tuple[str, ...]:
        """Say what could not be degraded."""
        if not self._refused:
            return ()
        copies = count(len(self._refused), "degraded copy", "degraded copies")
        return (
            f"{copies} could not be made, and the text is repeated instead: no phrase of "
            f"another reference changes {listing(self._refused, most=3)}.",
        )


def _named(original: Shown) -> str:
    return f"{original.output.system} line {original.output.row + 1}"


# --- Deal degraded copies evenly over systems, to all tasks of one rater ---


def deal_evenly(
    available: Sequence[Mapping[str, int]],
    wanted: Sequence[int],
    so_far: Counter[str],
    rng: np.random.Generator,
) -> list[Counter[str]]:
    """Return for every task how many copies of each system are to be degraded.

    Systems take turns; where two have equally many with this rater, the one with fewer over all
    raters comes first, and else chance decides. Where a task has nothing left of a system, copies
    move between tasks afterwards: no other deal of the same numbers would be more even.

    Parameters
    ----------
    available : sequence of mapping
        Per task, how many texts of each system can be chosen.
    wanted : sequence of int
        Per task, how many are to be chosen; not more than are available.
    so_far : counter
        How many the raters before have of each system; what is dealt here is added.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> dealt = deal_evenly([{"A": 7, "B": 1}, {"B": 7}], [4, 3], Counter(), rng)
    >>> [dict(task) for task in dealt]
    [{'A': 3, 'B': 1}, {'B': 3}]
    """
    names = sorted({name for task in available for name in task})
    order = [names[i] for i in rng.permutation(len(names)).tolist()]
    total: Counter[str] = Counter()
    dealt: list[Counter[str]] = []
    for most, n in zip(available, wanted, strict=True):
        task: Counter[str] = Counter()
        for _ in range(n):
            left = [one for one in order if task[one] < most.get(one, 0)]
            name = min(left, key=lambda one: (total[one], so_far[one]))
            task[name] += 1
            total[name] += 1
        dealt.append(task)
    while _move_one(available, dealt, total, order):
        pass
    so_far.update(total)
    return dealt


def _move_one(
    available: Sequence[Mapping[str, int]],
    dealt: list[Counter[str]],
    total: Counter[str],
    order: Sequence[str],
) -> bool:
    """Take a copy from a system with two more than another, by way of others if need be."""
    for rich in sorted(order, key=lambda name: -total[name]):
        came: dict[str, tuple[str, int]] = {}  # from which system, in which task
        queue = deque([rich])
        while queue:
            giver = queue.popleft()
            if total[giver] <= total[rich] - 2:
                total[rich] -= 1
                total[giver] += 1
                while giver != rich:
                    before, task = came[giver]
                    dealt[task][before] -= 1
                    dealt[task][giver] += 1
                    giver = before
                return True
            for task, most in enumerate(available):
                for taker in order if dealt[task][giver] else ():
                    free = dealt[task][taker] < most.get(taker, 0)
                    if free and taker != rich and taker not in came:
                        came[taker] = (giver, task)
                        queue.append(taker)
    return False


# --- Which items are judged at all, and by whom: evenly, and some of them twice ---


def draw_rows(
    rows: Sequence[int],
    documents: Sequence[str] | None,
    n: int,
    rng: np.random.Generator,
) -> tuple[tuple[int, ...], int]:
    """Return `n` of the rows in order, or as many whole documents as reach `n`, and how many.

    Documents come in random order, whatever their length, until `n` lines are reached, and the
    last one is taken whole. Without documents every row is one of its own.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> draw_rows(range(6), ["a", "a", "b", "b", "c", "c"], 3, rng)
    ((0, 1, 2, 3), 2)
    """
    lines: dict[str | int, list[int]] = {}
    for row in rows:
        lines.setdefault(row if documents is None else documents[row], []).append(row)
    whole = list(lines.values())
    taken: list[int] = []
    n_drawn = 0
    for index in rng.permutation(len(whole)).tolist():
        if len(taken) >= n:
            break
        taken += whole[index]
        n_drawn += 1
    return tuple(sorted(taken)), n_drawn


def sample_items(pool: Pool, n_items: int | None, rng: np.random.Generator) -> Pool:
    """Return the pool cut to a sample of its lines, and a note that says what was taken."""
    if n_items is None:
        return pool
    if n_items > pool.n_rows:
        raise InputError(
            f"`n_items` must be at most {pool.n_rows:,}, the lines of the corpus; got "
            f"{n_items:,}."
        )
    documents = pool.corpus.documents
    rows, n_drawn = draw_rows(pool.rows, documents, n_items, rng)
    taken = f"{len(rows):,} of {count(pool.n_rows, 'line')} were drawn"
    if documents is None:
        note = f"{taken}, each by itself, since no documents are known."
    else:
        note = (
            f"{taken}: {n_drawn:,} whole of {count(len(set(documents)), 'document')}, until "
            f"{n_items:,} lines were reached."
        )
    return replace(pool, rows=rows, notes=(*pool.notes, note))


def selected_items(
    pool: Pool, selection: Selection, items: Sequence[str] | None = None
) -> Pool:
    """Return the pool cut to the lines that the last batch of a selection drew, with their weights.

    Items of the selection are matched by `items`, what every line is called; by default they are
    numbers of lines, from 1, or stand in the order of the lines.
    """
    names = [str(row + 1) for row in range(pool.n_rows)] if items is None else list(items)
    place = {name: row for row, name in enumerate(names)}
    batch = selection.batch_of[selection.unit_of] == selection.batch
    drawn = np.flatnonzero(batch).tolist()
    if not {selection.pool_items[i] for i in drawn} <= place.keys():
        if len(selection.pool_items) != pool.n_rows:
            other = [name for name in selection.pool_items if name not in place]
            raise InputError(
                f"`selection` must be of these {pool.n_rows:,} lines; {listing(other)} are not lines of "
                "them. Items of a selection are numbers of lines, or as many as there are lines."
            )
        place = {name: row for row, name in enumerate(selection.pool_items)}
    documents = pool.corpus.documents
    weights = {}
    for i in drawn:
        row = place[selection.pool_items[i]]
        said = None if documents is None else documents[row]
        if (
            said is not None
            and selection.pool_documents
            and said != selection.pool_documents[i]
        ):
            raise InputError(
                f"`selection` says that line {row + 1:,} is of document "
                f"{selection.pool_documents[i]!r}, and the texts say {said!r}. Give the texts that it was "
                "made from."
            )
        weights[row] = float(selection.weight[selection.unit_of[i]])
    note = f"{len(weights):,} of {count(pool.n_rows, 'line')} are shown, as the selection drew them."
    return replace(
        pool, rows=tuple(sorted(weights)), weights=weights, notes=(*pool.notes, note)
    )


def rows_judged_twice(pool: Pool, overlap: float, rng: np.random.Generator) -> frozenset[int]:
    """Return the lines that a second rater judges too: that share of them at least."""
    if not overlap:
        return frozenset()
    n = math.ceil(overlap * pool.n_rows - 1e-9)  # 0.1 of 240 is 24 lines, rounding aside
    return frozenset(draw_rows(pool.rows, pool.corpus.documents, n, rng)[0])


# --- Share items out to raters: evenly, and some of them to two ---


def share_items(
    rows: Sequence[int], twice: Collection[int], n_raters: int, rng: np.random.Generator
) -> list[list[int]]:
    """Return the items of each rater in random order, those of `twice` with two raters.

    Nobody gets an item twice. Items that two judge go to every pair of raters in turn, as games
    are set in a tournament: any two raters have equally many in common, but for one. The other
    items make loads equal: nobody has more than one item more than another (two, where fewer
    items than raters are left for that).

    Examples
    --------
    >>> share_items(range(4), {0}, 2, np.random.default_rng(1))
    [[3, 0, 1], [2, 0]]
    """
    order = [rows[i] for i in rng.permutation(len(rows)).tolist()]
    shares: list[list[int]] = [[] for _ in range(n_raters)]
    both = [row for row in order if row in twice]
    for row, pair in zip(both, cycle(_rounds(n_raters)), strict=False):
        for rater in pair:
            shares[rater].append(row)
    loads = [(len(share), rater) for rater, share in enumerate(shares)]
    heapify(loads)
    for row in (row for row in order if row not in twice):
        load, rater = loads[0]  # who has least, the first of several
        shares[rater].append(row)
        heapreplace(loads, (load + 1, rater))
    return [[own[i] for i in rng.permutation(len(own)).tolist()] for own in shares]


def _rounds(n: int) -> Iterator[tuple[int, int]]:
    """Yield all pairs of n in rounds in which nobody comes twice (the circle method).

    One by one: of a thousand raters there are half a million pairs, and few are needed.

    Examples
    --------
    >>> list(_rounds(4))
    [(0, 3), (1, 2), (0, 2), (3, 1), (0, 1), (2, 3)]
    """
    seats: list[int | None] = [*range(n), *([None] if n % 2 else [])]
    for _ in range(len(seats) - 1):
        for one, two in zip(seats[: len(seats) // 2], reversed(seats), strict=False):
            if one is not None and two is not None:
                yield one, two
        seats = [seats[0], seats[-1], *seats[1:-1]]


def check_raters(raters: int | None, most: int, what: str, *, overlap: bool) -> None:
    """Refuse more raters than there is work for, and one rater where two are to agree."""
    if raters is None:
        return
    if raters > most:
        raise InputError(
            f"`raters` must be at most {most}: there are {count(most, what)} to share out; "
            f"got {raters}."
        )
    if overlap and raters < 2:
        raise InputError(
            f"`raters` must be at least 2 for an overlap; got {raters}. A second rater has to "
            "judge the same items."
        )
