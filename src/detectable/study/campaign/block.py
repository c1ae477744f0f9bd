"""The pages of a block: blind, all systems or pairs of each part, with controls among them."""

import hashlib
from collections.abc import Sequence

import numpy as np

from detectable.data.human.judgment_names import Kind
from detectable.data.store.records import NewPage, Part
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.shown_pairs import shown_pairs
from detectable.study.tasks.arrange import arrange
from detectable.study.tasks.controls import CONTROLS, ControlMaker
from detectable.study.tasks.degrade import Phrases, Unit
from detectable.study.tasks.rows import Output, Pool, Shown, pool_of
from detectable.study.tasks.system_order import SystemOrder

Place = tuple[str, str, str | None]
"""A part, the system whose text is judged, and the one beside it (on the right) if there is one."""


class BlockMaker:
    """Makes the pages of any block of one campaign; the same block always comes out the same.

    All pages of one round show each part once, in another system each; so two versions of a part
    stand as far apart as the block allows, and pairs are complete when the block is. Every system
    comes first, second, … equally often, but for one. Controls are copies of pages of the same
    block and stand half a block away from them. Degraded copies are of each system in turn, in an
    order that is random for every rater: a rule that looks at them treats all systems alike.

    Parameters
    ----------
    parts : sequence of Part
        All texts of the campaign.
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
    ) -> None:
        self._seed, self._share = seed, controls
        self._together, self._baseline = together, baseline
        self._rows: dict[str, range] = {}
        lines = [one for part in parts for one in part.segments]
        start = 0
        for part in parts:
            self._rows[part.name] = range(start, start + len(part.segments))
            start += len(part.segments)
        systems = list(lines[0].outputs)
        references = [one.reference or "" for one in lines]
        corpus = Corpus.build(
            {name: [one.outputs[name] for one in lines] for name in systems}, references
        )
        self._pool: Pool = pool_of(corpus, None)
        # Without references phrases come from what a system wrote elsewhere.
        known = any(references)
        self._kinds = CONTROLS if known else tuple(k for k in CONTROLS if k != "reference")
        self._phrases = Phrases(
            references if known else [one.outputs[systems[0]] for one in lines], unit
        )

    def __call__(
        self, rater: str, block: int, parts: Sequence[str], needed: Sequence[str]
    ) -> list[NewPage]:
        """Return the pages of a rater's block in order."""
        rng = self._random(rater, block)
        order = [parts[i] for i in rng.permutation(len(parts)).tolist()]
        pages = self._places(order, needed, rng)
        made = [self._shown(part, system) for part, system, _ in pages]
        copies, copied = self._copies(rater, block, pages, needed, rng, made)
        shown = arrange(
            [[page] for page in made], {place: [copy] for place, copy in copies.items()}
        )
        names = {id(page): name for page, name in zip(made, pages, strict=True)}
        names |= {id(copies[place]): name for place, name in copied.items()}
        return [_new_page(page, names[id(page)], rng) for page in shown]

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
    ) -> tuple[dict[int, list[Shown]], dict[int, Place]]:
        """Return controls, and of what each is a copy, by the place of that page."""
        n = min(round(len(pages) * self._share / (1.0 - self._share)), len(pages))
        kinds = [self._kinds[i % len(self._kinds)] for i in range(n)]
        if self._share and pages and not kinds:
            kinds = [self._kinds[0]]
        maker = ControlMaker(self._pool, self._phrases, rng)
        free = rng.permutation(len(pages)).tolist()
        found: dict[int, list[Shown]] = {}
        copied: dict[int, Place] = {}
        turns = self._turns(rater, block, kinds.count("degraded"), needed)
        for kind in kinds:
            system = turns.pop(0) if kind == "degraded" else None
            fit = [i for i in free if system is None or system in pages[i][1:]]
            place = (fit or free)[0]
            free.remove(place)
            part, shown, beside = pages[place]
            original = made[place]
            if system is not None and system == beside:
                # The other text of the same page is the one that is degraded.
                shown, beside, original = system, shown, self._shown(part, system)
            found[place] = [maker.one(line, kind) for line in original]
            copied[place] = part, shown, beside
        return found, copied

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

    def _shown(self, part: str, system: str) -> list[Shown]:
        return [self._pool.shown(Output(system, row)) for row in self._rows[part]]


def _new_page(page: Sequence[Shown], place: Place, rng: np.random.Generator) -> NewPage:
    """Return a page; of two texts beside each other those of a control may have changed sides."""
    part, system, beside = place
    if page[0].of is None:
        return NewPage(part=part, system=system, kind="system", beside=beside)
    kinds: list[Kind] = [line.kind for line in page]
    # Where nothing could be degraded the page is a repeat.
    kind: Kind = next((one for one in kinds if one != "repeat"), "repeat")
    lines = tuple((line.kind, line.text) for line in page)
    flipped = beside is not None and bool(rng.integers(2))
    return NewPage(
        part=part, system=system, kind=kind, lines=lines, beside=beside, flipped=flipped
    )
