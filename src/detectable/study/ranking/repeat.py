"""Would the same study, done again, keep its claims? What varies, what follows, what it would take."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from detectable.core import check
from detectable.core.choices import RepeatKind, words
from detectable.core.errors import InputError
from detectable.core.result import ADDED, Result, Signature
from detectable.core.rng import blocks, resolve
from detectable.core.types import FloatArray, IntArray, Seed
from detectable.core.wording import count
from detectable.study.ranking.repeat_variance import (
    ACROSS,
    Judged,
    RepeatCells,
    RepeatVariance,
    repeat_cells,
    repeat_variance,
)

DRAWS = 20_000
MOST_DOCUMENTS = 1_000  # of a repeat that is looked for
_MOST_RATERS = 20
_EACH = (1, 2, 3)  # raters of a document, of a repeat that is planned
_FEW_RATERS = 5
_GRID = (5, 8, 12, 16, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 300, 500, 1_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedClaim:
    """A claim, and what a repeat would make of it.

    Attributes
    ----------
    kept : float
        Chance of the same order.
    significant_again : float
        Chance that the repeat also finds the difference significant, which mixes in its power.
    """

    better: str
    worse: str
    kept: float
    significant_again: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatNeeded:
    """The fewest documents of a repeat with so many raters each; None where no number does."""

    n_raters: int
    n_documents: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRepeat:
    """The chance that a repeat of some size keeps all claims.

    Attributes
    ----------
    same_rater : bool
        Whether a rater judges all systems of a document; else each system has raters of its own.
    """

    n_raters: int
    same_rater: bool
    n_documents: int
    all_kept: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Result):
    """What a repeat of a ranking would keep.

    Attributes
    ----------
    repeat : {'both', 'raters', 'documents', 'pool'}
        What is new in the repeat.
    unit : str
        ``document``, or ``item`` where documents are not known.
    n_documents, n_raters
        Of the repeat; `n_raters` for each document, on average.
    all_kept, expected_lost : float
        Chance that all claims keep their order, and how many are expected to turn round. Where
        raters are not told from documents (`raters_identified`), documents count as new.
    same_leader : float
        Chance that the same system has the highest score. Where two lead closely it is too high.
    without_shrinkage, limit : float
        `all_kept` if the observed differences were the true ones in expectation; and of an
        endless repeat.
    own_raters : bool
        Whether every system of a document had raters of its own.
    needed : tuple of RepeatNeeded
        Repeats that keep all claims with chance `keep`: for new documents their number by raters
        each, for the same documents the raters each.
    other_kinds : mapping
        `all_kept` of the other kinds of repeat, at the size of this study; without those that
        the data cannot tell.
    plan : tuple of PlannedRepeat
        Chances by size, where documents are new.
    """

    repeat: RepeatKind
    unit: str
    n_documents: int
    n_raters: float
    keep: float
    all_kept: float
    expected_lost: float
    claims: tuple[RepeatedClaim, ...]
    same_leader: float
    without_shrinkage: float
    limit: float
    variance: RepeatVariance
    raters_identified: bool
    own_raters: bool
    needed: tuple[RepeatNeeded, ...]
    other_kinds: Mapping[str, float]
    plan: tuple[PlannedRepeat, ...] = field(default=(), metadata={"bulk": "rows", **ADDED})
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What a ranking claims: two systems, and the difference from which on it is significant."""

    better: str
    worse: str
    threshold: float


# --- What a repeat would keep ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What is known of the systems, and how much of it is noise.

    Attributes
    ----------
    scores : array
        Of the systems, as they were observed.
    first, second : array of int
        The systems of each claim, the better one first.
    document, rater, rest : float
        Variances of a cell.
    squares : tuple of float
        Sums of the squared weights of documents, raters and cells in a mean.
    """

    scores: FloatArray
    first: IntArray
    second: IntArray
    document: float
    rater: float
    rest: float
    squares: tuple[float, float, float]

    def noise(self, squares: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return the variance of a mean by documents, by raters and by the rest."""
        return self.document * squares[0], self.rater * squares[1], self.rest * squares[2]

    def stays(self, kind: RepeatKind) -> float:
        """Return the variance of what is noise in this study and comes again in the repeat."""
        document, rater, _ = self.noise(self.squares)
        return {"both": 0.0, "raters": document, "documents": rater, "pool": document + rater}[
            kind
        ]

    def fresh(self, kind: RepeatKind, squares: tuple[float, float, float]) -> float:
        """Return the variance of what is new in a repeat of some size."""
        document, rater, rest = self.noise(squares)
        new = {"both": document + rater, "raters": rater, "documents": document, "pool": 0.0}
        return new[kind] + rest

    def apart(self, squares: tuple[float, float, float], severity: float) -> float:
        """Return the same of new documents where each system has raters of its own."""
        own = self.rest + self.rater + severity  # which then does not cancel
        return self.document * squares[0] + own * squares[2]

    @property
    def total(self) -> float:
        """The variance of a mean in this study; never 0, so that shares of it are numbers."""
        centred = self.scores - self.scores.mean()
        return max(sum(self.noise(self.squares)), 1e-12 * float(centred @ centred))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Chances that claims keep their order: all, each, each by more than a threshold, the leader."""

    everything: float
    each: FloatArray
    beyond: FloatArray
    leader: float


@dataclass(frozen=True, slots=True)
class RepeatDraws:
    r"""Draws of what is true and of the noise of a repeat, the same for repeats of all kinds and sizes.

    Claims are selected, so observed differences are too large. With :math:`S = \sum a^2` over the
    I centred scores and the share of noise :math:`B = V / (V + \tau^2)`, a priori
    Beta(½, 1) [1]_,

    .. math:: B \mid a \sim Gamma(I/2, rate\ S/2V)\ \text{cut to}\ (0, 1).

    Each draw of B gives :math:`\tau^2 = V/B - V`, the share :math:`b` that is kept of a score,
    :math:`(\tau^2 + stay) / (\tau^2 + V)`, and the repeat's scores
    :math:`b a + N(0, (\tau^2 + stay)(1 - b) + fresh)`. Only the last term depends on the size of
    the repeat.

    References
    ----------
    .. [1] Strawderman (1971), "Proper Bayes minimax estimators of the multivariate normal mean",
       Annals of Mathematical Statistics 42(1), 385-388.
    """

    forecast: Forecast
    true: FloatArray  # τ², (draws,)
    noise: FloatArray  # standard normal, (draws, systems)

    @classmethod
    def draw(cls, forecast: Forecast, n_draws: int, rng: np.random.Generator) -> "RepeatDraws":
        """Draw in fixed blocks."""
        from scipy.special import gammainc, gammaincinv

        centred = forecast.scores - forecast.scores.mean()
        shape, total = centred.size / 2.0, forecast.total
        rate = float(centred @ centred) / (2.0 * total)
        true, noise = np.empty(n_draws), np.empty((n_draws, centred.size))
        done = 0
        for block in blocks(n_draws, rng):
            rows = slice(done, done + block.rows)
            uniform = block.rng.random(block.rows) * gammainc(shape, rate)
            share = np.clip(gammaincinv(shape, uniform) / rate, 1e-12, 1.0)
            true[rows] = total / share - total
            noise[rows] = block.rng.normal(size=(block.rows, centred.size))
            done += block.rows
        return cls(forecast, true, noise)

    def _shrunk(self, kind: RepeatKind) -> tuple[FloatArray, FloatArray]:
        """Return what is kept of a score, and the variance that remains of what comes again."""
        stay = self.forecast.stays(kind)
        b = (self.true + stay) / (self.true + self.forecast.total)
        return b, (self.true + stay) * (1.0 - b)

    def kept(
        self,
        kind: RepeatKind,
        fresh: float,
        *,
        thresholds: FloatArray | float = 0.0,
        shrink: bool = True,
    ) -> Kept:
        """Count the draws in which claims keep their order; `shrink` False takes scores as true."""
        known = self.forecast
        b, left = self._shrunk(kind)
        if not shrink:
            b, left = np.ones_like(b), np.full_like(b, known.total - known.stays(kind))
        spread = np.sqrt(left + fresh)
        each, beyond = np.zeros((2, known.first.size))
        everything, leader, best = 0, 0, int(known.scores.argmax())
        for rows in self._rows():
            x = b[rows, None] * known.scores + spread[rows, None] * self.noise[rows]
            apart = x[:, known.first] - x[:, known.second]
            everything += int((apart > 0.0).all(axis=1).sum())
            each += (apart > 0.0).sum(axis=0)
            beyond += (apart > thresholds).sum(axis=0)
            leader += int((x.argmax(axis=1) == best).sum())
        n = len(self.noise)
        return Kept(
            everything=everything / n, each=each / n, beyond=beyond / n, leader=leader / n
        )

    def room(self, kind: RepeatKind) -> "Room":
        r"""Return between which fresh variances each draw keeps all claims.

        A claim is kept where :math:`b \Delta a + \sqrt{v} \Delta z > 0`, so each draw has an
        interval of v, and the chance of any size of a repeat is a count.
        """
        known = self.forecast
        b, left = self._shrunk(kind)
        low, high = np.zeros(b.size), np.full(b.size, np.inf)
        gap = known.scores[known.first] - known.scores[known.second]
        for rows in self._rows():
            z = self.noise[rows][:, known.first] - self.noise[rows][:, known.second]
            ends = (b[rows, None] * gap / np.where(z == 0.0, 1e-300, z)) ** 2
            upper = np.where(gap > 0.0, np.where(z < 0.0, ends, np.inf), np.inf)
            upper = np.where((gap <= 0.0) & (z <= 0.0), -np.inf, upper)
            lower = np.where((gap <= 0.0) & (z > 0.0), ends, 0.0)
            high[rows], low[rows] = upper.min(axis=1), lower.max(axis=1)
        return Room(low - left, high - left)

    def _rows(self) -> Iterator[slice]:
        """Give the draws in pieces that fit the memory."""
        step = max(1, 4_000_000 // max(1, self.forecast.first.size))
        for start in range(0, len(self.noise), step):
            yield slice(start, start + step)


@dataclass(frozen=True, slots=True)
class Room:
    """For each draw, between which fresh variances of a repeat all claims are kept."""

    low: FloatArray
    high: FloatArray

    def kept(self, fresh: float) -> float:
        """Return the chance that all claims are kept."""
        return float(((self.low < fresh) & (fresh < self.high)).mean())


# --- What a safer repeat would take ---


def balanced(n_documents: int, n_raters: float, n_pool: int) -> tuple[float, float, float]:
    """Return the sums of squared weights of documents, raters and cells of a balanced repeat."""
    cells = n_documents * n_raters
    return 1.0 / n_documents, 1.0 / min(n_pool, cells), 1.0 / cells


def fewest_documents(
    forecast: Forecast, room: Room, kind: RepeatKind, n_raters: int, n_pool: int, keep: float
) -> int | None:
    """Return the fewest new documents that keep all claims with chance `keep`; None if none do."""

    def enough(n: int) -> bool:
        return room.kept(forecast.fresh(kind, balanced(n, n_raters, n_pool))) >= keep

    if not enough(MOST_DOCUMENTS):
        return None
    low, high = 1, MOST_DOCUMENTS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _plan(
    forecast: Forecast, room: Room, kind: RepeatKind, n_pool: int, severity: float
) -> Iterator[PlannedRepeat]:
    """Give the chances by size, as far as they still grow; also for raters of each system."""
    for same_rater in (True, False):
        if not same_rater and (kind != "both" or math.isnan(severity)):
            return
        for each in _EACH:
            if kind == "documents" and each > n_pool:
                continue
            for n in _GRID:
                squares = balanced(n, each, n_pool)
                fresh = forecast.fresh(kind, squares)
                if not same_rater:
                    fresh = forecast.apart(squares, severity)
                chance = room.kept(fresh)
                yield PlannedRepeat(
                    n_raters=each, same_rater=same_rater, n_documents=n, all_kept=chance
                )


# --- The question, answered ---


def predict_repeat(  # noqa: PLR0913 (the question, its size, and what was claimed)
    judged: Judged,
    claims: Sequence[Claimed],
    kind: RepeatKind = "both",
    *,
    n_documents: int | None = None,
    n_raters: int | None = None,
    keep: float = 0.9,
    rng: Seed = None,
    n_draws: int = DRAWS,
    notes: tuple[str, ...] = (),
) -> Repeat:
    """Predict how many of the claims of a study a repeat of it would keep.

    `Ranking.repeat` asks for it. Riley et al. (2024) [1]_ define the probability that a ranking is
    stable for a design, from data with several raters for each item; this is about one study, from
    its own judgments. A claim is kept if the repeat has the same order, significant or not.

    Parameters
    ----------
    judged : Judged
        The judgments, as they were tested.
    claims : sequence of Claimed
        The pairs that differ significantly.
    kind : {'both', 'raters', 'documents', 'pool'}
        What is new: raters and documents, raters, documents, or neither, where the same raters
        are dealt anew to the same documents.
    n_documents, n_raters : int, optional
        Size of the repeat, raters for each document; by default that of this study.
    keep : float
        The chance that the needed sizes are to reach.
    rng : Generator, int or None
    n_draws : int

    References
    ----------
    .. [1] Riley, Deutsch, Foster, Ratnakar, Dabirmoghaddam and Freitag (2024), "Finding
       replicable human evaluations via stable ranking probability", NAACL.
    """
    check.one_of(kind, words(RepeatKind), "repeat")
    _check_size(kind, n_documents, n_raters, keep)
    cells = repeat_cells(judged)
    generator, seed = resolve(rng)
    found = repeat_variance(cells)
    known = not math.isnan(found.document)
    forecast = _forecast(cells, found, claims)
    if n_raters is not None and kind in ("documents", "pool") and n_raters > cells.n_raters:
        raise InputError(
            f"`n_raters` must be at most {cells.n_raters}, the raters of this study, where the same "
            f"raters judge again; got {n_raters}."
        )
    each = len(cells.document) / cells.n_documents
    squares = _squares(cells, forecast, kind, n_documents, n_raters)
    size = {"documents": n_documents or "same", "raters": n_raters or "same"}
    given: dict[str, object] = {}
    if claims:
        draws = RepeatDraws.draw(forecast, n_draws, generator)
        given = _answers(draws, cells, claims, kind, squares, keep)
    settings = {"kind": kind, **size, "keep": keep, "draws": n_draws}
    return Repeat(
        repeat=kind,
        unit="document" if cells.by_document else "item",
        n_documents=n_documents or cells.n_documents,
        n_raters=float(n_raters or each),
        keep=keep,
        variance=found,
        raters_identified=known,
        own_raters=cells.own_raters,
        notes=(*notes, *_notes(cells)),
        signature=Signature("repeat", settings, seed),
        **{**_NOTHING, **given},  # type: ignore[arg-type]
    )


_NOTHING = {
    "all_kept": math.nan,
    "expected_lost": math.nan,
    "claims": (),
    "same_leader": math.nan,
    "without_shrinkage": math.nan,
    "limit": math.nan,
    "needed": (),
    "other_kinds": {},
}


def _check_size(
    kind: RepeatKind, n_documents: int | None, n_raters: int | None, keep: float
) -> None:
    if not 0.5 < keep < 1.0:
        raise InputError(f"`keep` must lie between 0.5 and 1, ends excluded; got {keep:g}.")
    if n_raters is not None:
        check.positive_int(n_raters, "n_raters")
    if n_documents is None:
        return
    check.positive_int(n_documents, "n_documents", minimum=2)
    if kind in ("raters", "pool"):
        raise InputError(
            f"`n_documents` has no effect with `repeat={kind!r}`: the documents stay the same. "
            "Drop it."
        )


def _forecast(cells: RepeatCells, found: RepeatVariance, claims: Sequence[Claimed]) -> Forecast:
    weights = cells.weights()
    place = {name: i for i, name in enumerate(cells.systems)}
    return Forecast(
        scores=weights @ cells.scores,
        first=np.array([place[claim.better] for claim in claims], np.int64),
        second=np.array([place[claim.worse] for claim in claims], np.int64),
        document=0.0 if math.isnan(found.document) else found.document,
        rater=found.rater,
        rest=found.rest,
        squares=(
            float((np.bincount(cells.document, weights) ** 2).sum()),
            float((np.bincount(cells.rater, weights) ** 2).sum()),
            float((weights**2 * cells.uneven).sum()),
        ),
    )


def _squares(
    cells: RepeatCells,
    forecast: Forecast,
    kind: RepeatKind,
    n_documents: int | None,
    n_raters: int | None,
) -> tuple[float, float, float]:
    """Return the sums of squared weights of the repeat: those of this study, unless it has a size."""
    if n_documents is None and n_raters is None:
        return forecast.squares
    each = len(cells.document) / cells.n_documents
    if kind in ("both", "documents"):
        size = n_documents or cells.n_documents
        return balanced(size, n_raters or each, cells.n_raters)
    # The documents are those of this study, with their sizes.
    shares = np.bincount(cells.document, cells.weights())
    uneven = np.bincount(cells.document, cells.uneven) / np.bincount(cells.document)
    n = n_raters or each
    pool = min(cells.n_raters, cells.n_documents * n)
    return forecast.squares[0], 1.0 / pool, float((shares**2 * uneven).sum()) / n


def _answers(
    draws: RepeatDraws,
    cells: RepeatCells,
    claims: Sequence[Claimed],
    kind: RepeatKind,
    squares: tuple[float, float, float],
    keep: float,
) -> dict[str, object]:
    forecast, known = draws.forecast, bool(np.bincount(cells.document).max() > 1)
    fresh = forecast.fresh(kind, squares)
    # A repeat of another size finds other differences significant.
    width = math.sqrt(sum(forecast.noise(squares)) / forecast.total)
    thresholds = np.array([claim.threshold for claim in claims]) * width
    kept = draws.kept(kind, fresh, thresholds=thresholds)
    room = draws.room(kind)
    others = [one for one in words(RepeatKind) if one != kind]
    if not known:  # what comes again of a document is not told from what is new
        others = [one for one in others if one in ("both", "documents")]
    needed: Iterator[RepeatNeeded]
    plan: tuple[PlannedRepeat, ...] = ()
    if kind in ("both", "documents"):
        several = [k for k in _EACH if kind == "both" or k <= cells.n_raters]
        each = several if known else [1]
        needed = (
            RepeatNeeded(
                n_raters=k,
                n_documents=fewest_documents(forecast, room, kind, k, cells.n_raters, keep),
            )
            for k in each
        )
        severity = math.nan if cells.own_raters else cells.severity()
        plan = tuple(
            one
            for one in _plan(forecast, room, kind, cells.n_raters, severity)
            if one.n_raters in each
        )
    else:
        needed = _fewest_raters(cells, forecast, room, kind, keep) if known else iter(())
    return {
        "all_kept": kept.everything,
        "expected_lost": float((1.0 - kept.each).sum()),
        "claims": tuple(
            RepeatedClaim(
                better=claim.better,
                worse=claim.worse,
                kept=float(chance),
                significant_again=float(again),
            )
            for claim, chance, again in zip(claims, kept.each, kept.beyond, strict=True)
        ),
        "same_leader": kept.leader,
        "without_shrinkage": draws.kept(kind, fresh, shrink=False).everything,
        "limit": room.kept(0.0),
        "needed": tuple(needed),
        "other_kinds": {
            one: draws.kept(one, forecast.fresh(one, forecast.squares)).everything  # type: ignore[arg-type]
            for one in others
        },
        "plan": plan,
    }


def _fewest_raters(
    cells: RepeatCells, forecast: Forecast, room: Room, kind: RepeatKind, keep: float
) -> Iterator[RepeatNeeded]:
    """Give the fewest raters of each document that keep all claims on the documents of this study."""
    most = _MOST_RATERS if kind == "raters" else min(_MOST_RATERS, cells.n_raters)
    for n in range(1, most + 1):
        fresh = forecast.fresh(kind, _squares(cells, forecast, kind, None, n))
        if room.kept(fresh) >= keep:
            yield RepeatNeeded(n_raters=n, n_documents=cells.n_documents)
            return


def _notes(cells: RepeatCells) -> tuple[str, ...]:
    unit = "document" if cells.by_document else "item"
    found = []
    if cells.n_documents < cells.n_known:
        found.append(
            f"{cells.n_documents:,} of {count(cells.n_known, unit)} have all systems by one rater; "
            "the others say nothing about a repeat."
        )
    if cells.own_raters:
        found.append(
            f"Systems of {'a document' if cells.by_document else 'an item'} were judged by "
            "different raters: no severity cancels, and raters are part of the rest."
        )
    elif cells.n_raters <= _FEW_RATERS:
        found.append(
            f"With {count(cells.n_raters, 'rater')}, the spread between raters is hardly known."
        )
    if len(cells.systems) < ACROSS:
        found.append(
            f"With {len(cells.systems)} systems, raters who use more of the scale count as raters "
            "who disagree: the chances are rather too low."
        )
    return tuple(found)
