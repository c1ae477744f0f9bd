"""A new campaign from the outputs of systems: parts, blocks with controls, pairs, context."""

import hashlib
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias, TypeVar

import numpy as np

from detectable.core.choices import DegradeUnit
from detectable.core.errors import DataError, InputError
from detectable.core.rng import resolve
from detectable.core.types import Seed
from detectable.core.wording import count, is_harmful, listing
from detectable.data.human.columns import Kind
from detectable.data.store.records import Line, NewCampaign, NewPage, Page, Part, Segment
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.settings import LONGEST_PAGE, CampaignSettings, checked_name
from detectable.study.selection.selection import Selection
from detectable.study.tasks.controls import (
    CONTROLS,
    ControlMaker,
    Phrases,
    Unit,
    guess_unit,
    rows_judged_twice,
    sample_items,
    selected_items,
)
from detectable.study.tasks.result import Output, Pool, Shown, pool_of
from detectable.study.tasks.segment_tasks import SystemOrder

V = TypeVar("V")
Fit: TypeAlias = Callable[
    [CampaignSettings, Sequence[Part], tuple[str, ...], int], CampaignSettings
]
_LATER = 4  # blocks by which a second wave follows the first, so that somebody else takes it


def make_campaign(  # noqa: PLR0913 (what is judged, and how)
    corpus: Corpus,
    name: str,
    settings: CampaignSettings,
    *,
    systems: Sequence[str] | None = None,
    n_items: int | None = None,
    items: Sequence[str] | None = None,
    selection: Selection | None = None,
    unit: DegradeUnit = "auto",
    rng: Seed = None,
    fit: Fit | None = None,
) -> tuple[NewCampaign, tuple[str, ...]]:
    """Return a campaign ready for a store, and notes on what was changed or left out.

    Documents come in random order, their parts one after the other. A share of them comes a second
    time, some blocks later, for another rater: agreement and components of variance need it.

    Parameters
    ----------
    corpus : Corpus
        Outputs and references; sources where they are to be shown, documents where known.
    name : str
        Of the campaign.
    systems : sequence of str, optional
        Which systems; all by default, and two at least.
    n_items : int, optional
        How many lines to draw, in whole documents; all by default.
    items : sequence of str, optional
        What every line is called; by default by its number.
    selection : Selection, optional
        From `select`, in place of `n_items`: its last batch is shown, and looks use its weights.
    unit : {'auto', 'word', 'character'}
        What is replaced in degraded copies.
    rng : Generator, int or None
        None draws a fresh seed. What follows from it stays in the store.
    fit : callable, optional
        Returns settings that follow from the number of pieces of work: how much of it a rater takes
        at once, and the share of controls.
    """
    checked_name(name)
    shown = settings.mode
    if shown in ("reference", "bilingual") and not any(map(any, corpus.references)):
        raise InputError(
            f'`mode` must be "source" or "alone" for texts without references; got {shown!r}.'
        )
    if shown in ("source", "bilingual") and corpus.sources is None:
        raise InputError(
            f'`mode` must be "reference" or "alone" for texts without sources; got {shown!r}. '
            "Give the sources, or judge against the reference or by itself."
        )
    generator, _ = resolve(rng)
    seed = int(generator.integers(2**62))  # of the blocks; a store keeps 63 bits
    pool = pool_of(corpus, systems)
    if selection is None:
        pool = sample_items(pool, n_items, generator)
    else:
        pool, settings = _selected(pool, selection, items, n_items, settings)
    if len(pool.systems) < 2:
        raise InputError(f"`systems` must be two at least; got {len(pool.systems)}.")
    if settings.baseline and settings.baseline not in pool.systems:
        raise InputError(
            f"`baseline` must be one of {listing(list(pool.systems))}; got {settings.baseline!r}."
        )
    refuse_unreadable(list(pool.systems), "system")
    if settings.document_score and corpus.documents is None:
        raise InputError(
            "`document_score` must be left out where no documents are known. Give the document of "
            "each line."
        )
    parts, notes = parts_of(pool, items, longest=settings.page_lines)
    again = {
        item_name(row, items) for row in rows_judged_twice(pool, settings.overlap, generator)
    }
    twice = {part.name for part in parts if part.segments[0].item in again}
    several = any(len(part.segments) > 1 for part in parts)
    settings = replace(settings, mixed_controls=several)
    known = pool.references if any(pool.references) else next(iter(pool.systems.values()))
    chosen = guess_unit(known) if unit == "auto" else unit
    settings = replace(settings, degrade=chosen)
    if fit is not None:
        settings = fit(settings, parts, tuple(pool.systems), len(parts) + len(twice))
    return NewCampaign(
        name=name,
        settings=settings.to_json(),
        systems=tuple(pool.systems),
        parts=parts,
        works=_order(parts, twice, settings.block, generator),
        block=settings.block,
        lease=settings.lease,
        seed=seed,
    ), (*pool.notes, *notes, *markup_note(parts))


def _selected(
    pool: Pool,
    selection: Selection,
    items: Sequence[str] | None,
    n_items: int | None,
    settings: CampaignSettings,
) -> tuple[Pool, CampaignSettings]:
    """Return the lines that a selection drew, and settings that know what each stands for."""
    if n_items is not None:
        raise InputError(
            "`n_items` has no effect beside `selection`, which says what is judged."
        )
    cut = selected_items(pool, selection, items)
    weights = {item_name(row, items): weight for row, weight in (cut.weights or {}).items()}
    if len(set(weights.values())) == 1:
        return cut, settings  # a random sample
    return cut, replace(settings, sampling_weights=weights)


def _order(
    parts: Sequence[Part], twice: Collection[str], block: int, rng: np.random.Generator
) -> list[tuple[str, int]]:
    """Return parts and waves: documents in random order, second waves some blocks later."""
    documents: dict[str, list[str]] = {}
    for part in parts:
        documents.setdefault(part.document or part.name, []).append(part.name)
    whole = list(documents.values())
    shuffled = [whole[i] for i in rng.permutation(len(whole)).tolist()]
    names = [name for document in shuffled for name in document]
    later = _LATER * block
    placed = [(place, 1, name) for place, name in enumerate(names)]
    placed += [(place + later, 2, name) for place, name in enumerate(names) if name in twice]
    return [(name, wave) for _, wave, name in sorted(placed, key=lambda one: one[:2])]


# --- Cut a corpus into what one rater judges at one time: documents, parts of long ones, sentences ---

MOST_CHARACTERS = 6_000  # of the longest version on one page
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|<!--|&(?:[a-z]+|#\d+);")


def parts_of(
    pool: Pool, items: Sequence[str] | None = None, *, longest: int = LONGEST_PAGE
) -> tuple[list[Part], tuple[str, ...]]:
    """Return the parts of the chosen lines in their order, and a note where one was cut.

    `items` are the names of all lines; by default they are called by their number. `longest` is
    how many lines a page holds.
    """
    names = pool.corpus.documents
    if names is not None:
        refuse_unreadable(sorted(set(names)), "document")
    lines: dict[str, list[int]] = {}
    for row in pool.rows:
        lines.setdefault(str(row + 1) if names is None else names[row], []).append(row)
    made, cut = [], []
    for name, rows in lines.items():
        pieces = np.array_split(rows, _n_pieces(pool, rows, longest))
        if len(pieces) > 1:
            cut.append(name)
        for number, piece in enumerate(pieces, start=1):
            made.append(
                Part(
                    name=name if len(pieces) == 1 else f"{name} ({number} of {len(pieces)})",
                    document=None if names is None else name,
                    segments=tuple(_segment(pool, int(row), items) for row in piece),
                )
            )
    if len({part.name for part in made}) < len(made):
        raise DataError("two documents have names that cannot be distinguished. Rename one.")
    note = (
        f"{count(len(cut), 'document')} longer than {count(longest, 'line')} or {MOST_CHARACTERS:,} "
        f"characters cut into parts ({listing(cut, most=3)})."
    )
    return made, (note,) if cut else ()


def _n_pieces(pool: Pool, rows: Sequence[int], most: int) -> int:
    longest = max(
        sum(len(lines[row]) for row in rows)
        for lines in (*pool.systems.values(), pool.references)
    )
    wanted = max(math.ceil(len(rows) / most), math.ceil(longest / MOST_CHARACTERS))
    return max(1, min(wanted, len(rows)))


def item_name(row: int, items: Sequence[str] | None) -> str:
    """Return what a line is called."""
    return str(row + 1) if items is None else items[row]


def _segment(pool: Pool, row: int, items: Sequence[str] | None) -> Segment:
    sources = pool.corpus.sources
    made = Segment(
        item=item_name(row, items),
        source=None if sources is None else _composed(sources[row]),
        reference=_composed(pool.references[row]) or None,
        outputs={name: _composed(lines[row]) for name, lines in pool.systems.items()},
    )
    if any(
        "\0" in (text or "") for text in (made.source, made.reference, *made.outputs.values())
    ):
        raise DataError(
            f"line {row + 1:,}: a text holds a null character, which databases do not keep. "
            "Remove it from the file."
        )
    return made


def _composed(text: str) -> str:
    """Return a text whose letters are whole: places in it are counted in code points (NFC)."""
    return unicodedata.normalize("NFC", text)


def refuse_unreadable(names: Sequence[str], what: str) -> None:
    """Refuse names with line breaks and other characters that nobody can read."""
    for name in names:
        if not name.strip() or any(is_harmful(c) for c in name):
            raise DataError(
                f"the {what} {name!r} has a name with a line break or another character that "
                "nobody can read. Rename it."
            )


def markup_note(parts: Sequence[Part]) -> tuple[str, ...]:
    """Say how many texts hold markup, which is shown and not obeyed."""
    texts = [text for part in parts for one in part.segments for text in one.outputs.values()]
    n = sum(_MARKUP.search(text) is not None for text in texts)
    if not n:
        return ()
    return (
        f"{count(n, 'text')} with markup such as <b>: raters see it as it is written. Remove it "
        "if they should not.",
    )


# --- The pages of a block: blind, all systems or pairs of each part, with controls among them ---

Place = tuple[str, str, str | None]
"""A part, the system whose text is judged, and the one beside it (on the right) if there is one."""

PHRASE_LINES = 2_000
"""Lines that phrases for degraded copies are drawn from: enough, and loaded in no time."""

_CALLED: tuple[Kind, ...] = (
    "degraded",
    "reference",
    "repeat",
)  # a page, after its first line of


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of one block, with numbers for their lines."""

    lines: Mapping[str, Sequence[tuple[int, Segment]]]  # by part

    @property
    def references(self) -> Mapping[int, str]:
        """The reference of every line by its number."""
        return {row: one.reference or "" for lines in self.lines.values() for row, one in lines}

    def shown(self, part: str, system: str) -> list[Shown]:
        """Return what a system wrote for a part."""
        return [
            Shown("system", Output(system, row), one.outputs[system])
            for row, one in self.lines[part]
        ]


class BlockMaker:
    """Makes the pages of any block of one campaign; the same block always comes out the same.

    A round shows each part at most once, in an order that is drawn anew, and two versions of a part
    stand half a round apart where they can; pairs are complete when the block is. Of the versions of
    a part every system comes first, second, … equally often, but for one. Controls are copies of
    pages of the same block, and are dealt as if they were another system: at any place among the
    versions of their part, before or after their original. So where a page stands tells nothing
    about what it is, also to who knows this rule. The lines of a page share its place, so half of
    the lines of a copy are degraded, at random, and the others are repeats and references: a check
    goes by how much further the first fall. Copies are of each system in turn, in an order that is
    random for every rater: a rule that looks at them treats all systems alike.

    Parameters
    ----------
    parts : sequence of Part
        Texts of the campaign, in its order: phrases for degraded copies are drawn from their lines.
    seed : int
        Of the campaign.
    controls : float
        Share of the pages that are controls.
    unit : {'word', 'character'}
        What is replaced in degraded copies.
    together : bool
        Show two systems of a part beside each other on one page, and every pair of `shown_pairs`
        on a page of its own: a round shows each part once, in another pair each. Of a pair each
        system stands on the left equally often, but for one. In a control one of the two texts is
        replaced, and both may have changed sides.
    baseline : str
        Of pairs: the system that all others are shown beside; all pairs without one.
    mixed : bool
        Whether copies of several lines are mixed; otherwise all lines of one are of one kind.
    texts : callable, optional
        Returns the texts of parts, given their names, where `parts` are not all that there are.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        seed: int,
        controls: float,
        unit: Unit,
        together: bool = False,
        baseline: str = "",
        mixed: bool = True,
        texts: Callable[[Sequence[str]], Iterable[Part]] | None = None,
    ) -> None:
        self._seed, self._share, self._mixed = seed, controls, mixed
        self._together, self._baseline = together, baseline
        lines = [one for part in parts for one in part.segments]
        starts = np.cumsum([0, *(len(part.segments) for part in parts)]).tolist()
        self._start = {part.name: start for part, start in zip(parts, starts, strict=False)}
        self._n_lines = len(lines)
        own = {part.name: part for part in parts}
        self._texts = texts or (lambda names: [own[name] for name in names])
        first, references = next(iter(lines[0].outputs)), [one.reference or "" for one in lines]
        # Without references phrases come from what a system wrote elsewhere.
        known = any(references)
        self._kinds = CONTROLS if known else tuple(k for k in CONTROLS if k != "reference")
        self._phrases = Phrases(
            references if known else [one.outputs[first] for one in lines], unit
        )

    def __call__(
        self, rater: str, block: int, parts: Sequence[str], needed: Sequence[str]
    ) -> list[NewPage]:
        """Return the pages of a rater's block in order."""
        rng = self._random(rater, block)
        order = [parts[i] for i in rng.permutation(len(parts)).tolist()]
        texts = self._of_block(parts)
        pages = self._places(order, needed, rng)
        made = [texts.shown(part, system) for part, system, _ in pages]
        copies, copied = self._copies(rater, block, pages, needed, rng, made, texts)
        versions: dict[str, list[tuple[list[Shown], Place]]] = {part: [] for part in order}
        for page, place in zip(made, pages, strict=True):
            versions[place[0]].append((page, place))
        for number, place in copied.items():
            among = versions[place[0]]
            among.insert(int(rng.integers(len(among) + 1)), (copies[number], place))
        return [_new_page(page, place, rng) for page, place in _dealt(versions, rng)]

    def _places(
        self, parts: Sequence[str], needed: Sequence[str], rng: np.random.Generator
    ) -> list[Place]:
        """Return what the pages show, round by round."""
        if not self._together:
            systems = SystemOrder(needed, rng)
            of_part = {part: systems.next() for part in parts}
            return [
                (part, of_part[part][turn], None)
                for turn in range(len(needed))
                for part in parts
            ]
        pairs = shown_pairs(needed, self._baseline)
        if not pairs:
            return []
        sides = {pair: SystemOrder(pair, rng) for pair in pairs}
        dealt = SystemOrder(pairs, rng)
        shown = {part: dealt.next() if len(pairs) > 1 else tuple(pairs) for part in parts}
        found: list[Place] = []
        for turn in range(len(pairs)):
            for part in parts:
                left, right = sides[shown[part][turn]].next()
                found.append((part, left, right))
        return found

    def _copies(
        self,
        rater: str,
        block: int,
        pages: Sequence[Place],
        needed: Sequence[str],
        rng: np.random.Generator,
        made: Sequence[list[Shown]],
        texts: _Texts,
    ) -> tuple[dict[int, list[Shown]], dict[int, Place]]:
        """Return controls, and of what each is a copy, by the place of that page."""
        n = min(round(len(pages) * self._share / (1.0 - self._share)), len(pages))
        kinds = [self._kinds[i % len(self._kinds)] for i in range(n)]
        if self._share and pages and not kinds:
            kinds = [self._kinds[0]]
        maker = ControlMaker(texts, self._phrases, rng)
        free = rng.permutation(len(pages)).tolist()
        found: dict[int, list[Shown]] = {}
        copied: dict[int, Place] = {}
        mixed = self._mixed and any(len(lines) > 1 for lines in texts.lines.values())
        n_turns = len(kinds) if mixed else kinds.count("degraded")
        turns = self._turns(rater, block, n_turns, needed)
        for kind in kinds:
            system = turns.pop(0) if mixed or kind == "degraded" else None
            fit = [i for i in free if system is None or system in pages[i][1:]]
            place = (fit or free)[0]
            free.remove(place)
            part, shown, beside = pages[place]
            original = made[place]
            if system is not None and system == beside:
                # The other text of the same page is the one that is degraded.
                shown, beside, original = system, shown, texts.shown(part, system)
            n_lines = len(original)
            of_lines = self._mix(n_lines, rng) if mixed and n_lines > 1 else [kind] * n_lines
            found[place] = [
                maker.one(line, one) for line, one in zip(original, of_lines, strict=True)
            ]
            copied[place] = part, shown, beside
        return found, copied

    def _mix(self, n: int, rng: np.random.Generator) -> list[Kind]:
        """Return the kinds of the lines of a copy: half of them degraded, at random."""
        others = [kind for kind in self._kinds if kind != "degraded"]
        first = int(rng.integers(len(others)))
        kinds: list[Kind] = ["degraded"] * (n // 2)
        kinds += [others[(first + i) % len(others)] for i in range(n - n // 2)]
        return [kinds[i] for i in rng.permutation(n).tolist()]

    def _turns(self, rater: str, block: int, n: int, needed: Sequence[str]) -> list[str]:
        """Return which systems are degraded in a block: each in turn over the rater's blocks."""
        first = (block - 1) * n
        turns = []
        for place in range(first, first + n):
            cycle, at = divmod(place, len(needed))
            order = self._random(rater, -1 - cycle).permutation(len(needed))
            turns.append(needed[int(order[at])])
        return turns

    def _random(self, rater: str, number: int) -> np.random.Generator:
        """Return the random numbers of a block, whichever process asks for it."""
        key = hashlib.sha256(f"{self._seed}\n{rater}\n{number}".encode()).digest()
        return np.random.default_rng(int.from_bytes(key, "big"))

    def _of_block(self, parts: Sequence[str]) -> _Texts:
        """Return the texts of a block; lines that phrases are not drawn from come after all others."""
        lines: dict[str, Sequence[tuple[int, Segment]]] = {}
        beyond = self._n_lines
        for part in self._texts(parts):
            start = self._start.get(part.name, beyond)
            lines[part.name] = list(enumerate(part.segments, start))
            beyond += len(part.segments)
        return _Texts(lines)


_TRIES = 30  # orders of a round, of which the one that keeps versions apart is taken


def _dealt(versions: Mapping[str, Sequence[V]], rng: np.random.Generator) -> list[V]:
    """Return the versions of all parts in rounds, each part once in a round or not at all."""
    n_rounds = max((len(some) for some in versions.values()), default=0)
    rounds: list[list[tuple[str, V]]] = [[] for _ in range(n_rounds)]
    for part, some in versions.items():
        chosen = np.sort(rng.choice(n_rounds, len(some), replace=False)).tolist()
        for number, version in zip(chosen, some, strict=True):
            rounds[number].append((part, version))
    shown: list[tuple[str, V]] = []
    for one in rounds:
        last = {part: place for place, (part, _) in enumerate(shown)}
        best: list[tuple[str, V]] = []
        nearest = 0
        for _ in range(_TRIES):
            order = [one[i] for i in rng.permutation(len(one)).tolist()]
            gaps = (len(shown) + i - last[p] for i, (p, _) in enumerate(order) if p in last)
            gap = min(gaps, default=len(versions))
            if gap > nearest:
                best, nearest = order, gap
            if 2 * nearest >= len(versions):
                break
        shown += best
    return [version for _, version in shown]


def _new_page(page: Sequence[Shown], place: Place, rng: np.random.Generator) -> NewPage:
    """Return a page; of two texts beside each other those of a control may have changed sides."""
    part, system, beside = place
    if page[0].of is None:
        return NewPage(part=part, system=system, kind="system", beside=beside)
    kinds: list[Kind] = [line.kind for line in page]
    # Where nothing could be degraded the page is something else.
    kind = min(kinds, key=_CALLED.index)
    lines = tuple((line.kind, line.text) for line in page)
    flipped = beside is not None and bool(rng.integers(2))
    return NewPage(
        part=part, system=system, kind=kind, lines=lines, beside=beside, flipped=flipped
    )


# --- Which two systems stand beside each other, where raters choose between texts ---

Pair = tuple[str, str]


def shown_pairs(systems: Sequence[str], baseline: str = "") -> list[Pair]:
    """Return the pairs of a part: each with the baseline, or all of them without one.

    Every pair is a page of its own, so all pairs of k systems take k (k − 1) / 2 pages of every
    part, and pairs with a baseline k − 1. No pair is left out or drawn: a choice between two
    systems says nothing certain about a third.

    Examples
    --------
    >>> shown_pairs(["A", "B", "C"])
    [('A', 'B'), ('A', 'C'), ('B', 'C')]
    >>> shown_pairs(["A", "B", "C"], "B")
    [('A', 'B'), ('B', 'C')]
    """
    return [pair for pair in combinations(systems, 2) if not baseline or baseline in pair]


# --- What precedes a page in its document, which raters read and do not judge ---

LINES_BEFORE = 3


class Context:
    """The lines before every part of a document that was cut.

    They are those of the system whose page it is, even where the page is a control: a rater reads
    one translation, and nothing tells a copy from its original.

    Parameters
    ----------
    parts : iterable of Part
        All texts of a campaign; the parts of a document in their order.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self._before: dict[str, tuple[Segment, ...]] = {}
        so_far: dict[str, tuple[Segment, ...]] = {}
        for part in parts:
            if part.document is None:
                continue
            before = so_far.get(part.document, ())
            self._before[part.name] = before
            so_far[part.document] = (*before, *part.segments)[-LINES_BEFORE:]

    def of(self, page: Page) -> tuple[Line, ...]:
        """Return the lines before a page, at most three, the nearest last."""
        return tuple(
            Line(
                item=one.item,
                source=one.source,
                reference=one.reference,
                text=one.outputs[page.system],
                other=None if page.beside is None else one.outputs[page.beside],
            )
            for one in self._before.get(page.part, ())
        )
