"""The answer of `translationese`: what reverse-created data do to scores and to conclusions."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict, in_numbers
from detectable.core.wording import count, decimals, listing, number, p_statement
from detectable.core.wording import interval as in_brackets
from detectable.study.comparison.result import Comparison
from detectable.study.ranking.ranking import Ranking
from detectable.study.translationese.halves import HalfName, Part

Change: TypeAlias = Literal["same", "lost", "gained", "turned"]
Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemEffect:
    """One system under one measure on both halves.

    Attributes
    ----------
    forward, reverse : float
        Its score on each half.
    difference : float
        Reverse − forward: what reverse-created data add to its score.
    interval, standard_error, df
        Of the difference, over independent documents of two halves.
    p_value, p_adjusted : float
        Of «no difference», alone and corrected (Holm) for the systems of the measure.
    n_forward, n_reverse : int
        Distinct segments with a score.
    """

    measure: str
    system: str
    forward: float
    forward_interval: Interval
    reverse: float
    reverse_interval: Interval
    difference: float
    interval: Interval
    standard_error: float
    df: float
    p_value: float
    p_adjusted: float
    n_forward: int
    n_reverse: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEffect:
    """Two systems under one measure: what reverse data do to the difference between them.

    Attributes
    ----------
    forward, reverse, both : float
        Difference first − second, on each half and on both together. The first system has the
        better score on both.
    effect_first, effect_second : float
        Reverse − forward of each of the two.
    opposite : bool
        Whether reverse data raise one and lower the other.
    relative : float
        Reverse − forward of the difference: by how much reverse data favour the first.
    p_value, p_adjusted : float
        Of «reverse data favour neither», alone and corrected (Holm) for the pairs of the measure.
    relative_mde : float
        Smallest `relative` that could have been detected, after that correction.
    verdict_forward, verdict_reverse, verdict_both : str
        Of the first against the second, by the test of a ranking or comparison of that half.
    mde_forward, mde_reverse, mde_both : float
        Smallest difference that each of these could have detected.
    change : {'same', 'lost', 'gained', 'turned'}
        What becomes of the verdict on both halves if reverse data are left out.
    forward_had_power : bool
        Whether the forward half could have detected a difference as large as that on both.
    """

    measure: str
    first: str
    second: str
    forward: float
    reverse: float
    both: float
    effect_first: float
    effect_second: float
    opposite: bool
    relative: float
    interval: Interval
    standard_error: float
    df: float
    p_value: float
    p_adjusted: float
    relative_mde: float
    verdict_forward: Verdict
    verdict_reverse: Verdict
    verdict_both: Verdict
    mde_forward: float
    mde_reverse: float
    mde_both: float
    change: Change
    forward_had_power: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfAgreement:
    """How far the two halves score the systems alike.

    Attributes
    ----------
    value : float
        Correlation, over systems, of the scores on the two halves.
    interval : Interval
        For what two halves of this size show on average, of these systems on other documents:
        both halves resampled. Not for scores without noise, which would agree better.
    random_halves : float
        The median over random splits of the same documents: what noise alone allows.
    random_interval : Interval
        The middle of these.
    p_value : float
        Share of random splits that agree as little as forward and reverse do.
    """

    measure: str
    coefficient: Coefficient
    value: float
    interval: Interval
    random_halves: float
    random_interval: Interval
    p_value: float
    n_systems: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfConclusion:
    """What one half alone says about the order of the systems.

    Attributes
    ----------
    clusters : tuple of tuple of str
        Best first.
    told_apart, pairs : int
        Pairs with a verdict, and all pairs.
    mde : float
        Median over pairs of the smallest difference that could have been detected.
    n_units, n_segments : int
        Documents (or segments) and distinct segments of the half.
    n_judgments : int or None
        N: judgments of these segments.
    """

    measure: str
    half: HalfName
    clusters: tuple[tuple[str, ...], ...]
    told_apart: int
    pairs: int
    mde: float
    n_units: int
    n_segments: int
    n_judgments: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicated:
    """A rank-sum test of two systems on n segments, and the same on N judgments.

    Attributes
    ----------
    n, N : int
        Distinct segments on which either was judged, and judgments of the two.
    p_segments : float
        One-sided, in favour of the first, on the mean of each segment: as WMT tests.
    p_judgments : float
        The same with every judgment taken for a segment of its own, which is wrong.
    """

    half: HalfName
    first: str
    second: str
    n: int
    N: int
    p_segments: float
    p_judgments: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """Is a system not worse than the human translation by more than a margin.

    Attributes
    ----------
    difference : float
        System − human translation, on distinct segments of the half.
    interval : Interval
        At 1 − 2α, corrected for the number of systems: non-inferiority is shown where all of it
        lies on the better side of −margin.
    p_value, p_adjusted : float
        Of «worse by the margin or more», alone and corrected (Holm); nan without a margin.
    verdict : {'non-inferior', 'undecided'} or None
        None without a margin.
    margin_shown : float
        The smallest margin that these data show; 0 where the system is shown not to be worse at all.
    margin_found : float
        The smallest margin that this half could show, if the two are equally good.
    power : float
        The chance to show the margin, if they are equally good; nan without a margin.
    segments_needed : int or None
        Distinct segments, in documents like these, that give the asked power.
    """

    measure: str
    half: HalfName
    system: str
    human: str
    difference: float
    interval: Interval
    standard_error: float
    df: float
    margin: float | None
    p_value: float
    p_adjusted: float
    verdict: Verdict | None
    margin_shown: float
    margin_found: float
    power: float
    n_segments: int
    n_units: int
    segments_needed: int | None


# --- The answer of `translationese`: what reverse-created data do to scores and to conclusions ---

_FEW = 2  # systems whose parity is told one by one
_NAMED = {"raw": "raw human scores", "z": "human scores (z)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Translationese(Result):
    """Forward against reverse test data.

    Attributes
    ----------
    language_pair : str
        Source and target language, in short form.
    parts : tuple of Part
        How many documents, segments and judgments were written in which language, and so belong
        to the forward half, to the reverse half, or to neither (*other*, *missing*).
    measures : tuple of str
        ``raw`` or ``z`` for human scores, the one that rankings are about first; then the
        metrics.
    effects : tuple of SystemEffect
        Systems within measures.
    pairs : tuple of PairEffect
        Pairs within measures; of human scores those of the first measure.
    agreement : tuple of HalfAgreement
        Three correlations within measures; none with fewer than three systems.
    conclusions : tuple of HalfConclusion
        What each half, and both together, say about the order of the systems.
    replicated : tuple of Replicated
        The test that WMT uses, on n segments and on N judgments.
    parity : tuple of Parity
        Where a human translation was named.
    rankings, comparisons : mapping of half to Ranking or Comparison
        All about each half; not in `to_dict`.
    """

    language_pair: str
    parts: tuple[Part, ...]
    measures: tuple[str, ...]
    digits: Mapping[str, int]
    unit: str
    effects: tuple[SystemEffect, ...]
    pairs: tuple[PairEffect, ...]
    agreement: tuple[HalfAgreement, ...]
    conclusions: tuple[HalfConclusion, ...]
    replicated: tuple[Replicated, ...]
    parity: tuple[Parity, ...]
    human: str | None
    margin: Mapping[str, float]
    alpha: float
    power: float
    n_resamples: int
    notes: tuple[str, ...] = ()
    rankings: Mapping[HalfName, Ranking] = field(
        default_factory=dict, repr=False, compare=False, metadata={"bulk": "rows"}
    )
    comparisons: Mapping[HalfName, Comparison] = field(
        default_factory=dict, repr=False, compare=False, metadata={"bulk": "rows"}
    )

    def summary(self) -> str:
        """Say what reverse data do, what changes without them, and what that costs."""
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return the sentences of the summary."""
        found = [self.advice()]
        found += [self.effect_sentence(measure) for measure in self.measures]
        for measure in self.measures:
            found += self.sentences_about(measure)
        return found + self.replication_sentences()

    def sentences_about(self, measure: str) -> list[str]:
        """Say what hangs on the direction under one measure: verdicts, agreement and parity."""
        found = self.change_sentences(measure) if measure in self.judged_measures else []
        return found + self.agreement_sentences(measure) + self.parity_sentences(measure)

    @property
    def judged_measures(self) -> tuple[str, ...]:
        """Measures of which each half draws conclusions: two systems or more."""
        return tuple(m for m in self.measures if any(row.measure == m for row in self.pairs))

    def label(self, measure: str) -> str:
        """Return what to call a measure in a sentence."""
        return _NAMED.get(measure, measure)

    def part(self, data: str, direction: str) -> Part:
        """Return the counts of one direction."""
        return next(p for p in self.parts if (p.data, p.direction) == (data, direction))

    def conclusion(self, measure: str, half: HalfName) -> HalfConclusion:
        """Return what a half concludes under a measure."""
        return next(c for c in self.conclusions if (c.measure, c.half) == (measure, half))

    def advice(self) -> str:
        """Recommend to leave reverse data out, and say what that costs."""
        said = []
        for data in dict.fromkeys(part.data for part in self.parts):
            reverse, forward = self.part(data, "reverse"), self.part(data, "forward")
            before = forward.n_segments + reverse.n_segments
            what = "judged segments" if data == "judgments" else "segments"
            said.append(
                f"{forward.n_segments:,} of {before:,} {what} remain ({forward.n_segments / before:.0%})"
            )
        text = f"Leave reverse-created data out: {'; '.join(said)}."
        costs = [cost for m in self.judged_measures[:1] for cost in [self._cost(m)] if cost]
        return " ".join([text, *costs])

    def _cost(self, measure: str) -> str:
        both, forward = (self.conclusion(measure, half) for half in ("both", "forward"))
        if math.isnan(both.mde) or math.isnan(forward.mde):
            return ""
        digits = self.digits[measure]
        return (
            f"The typical detectable difference goes from {number(both.mde, digits=digits)} to "
            f"{number(forward.mde, digits=digits)} in {self.label(measure)}."
        )

    def effect_sentence(self, measure: str) -> str:
        """Say by how much reverse data raise or lower the systems under a measure."""
        rows = [row for row in self.effects if row.measure == measure]
        digits = self.digits[measure]
        if len(rows) == 1:
            row = rows[0]
            numbers = in_numbers(
                row.difference, row.interval, p=row.p_value, scale=row.measure, digits=digits
            )
            return f"{row.system} on reverse − forward data: {numbers}."
        shown = sorted(rows, key=lambda row: row.difference)
        low, high = (
            number(row.difference, digits=digits, sign=True) for row in (shown[0], shown[-1])
        )
        up = sum(row.difference > 0.0 for row in rows)
        sure = sum(row.p_adjusted <= self.alpha for row in rows)
        return (
            f"In {self.label(measure)}, reverse − forward is {low} ({shown[0].system}) to {high} "
            f"({shown[-1].system}): {up} of {count(len(rows), 'system')} score higher on reverse data, "
            f"{sure} {'is' if sure == 1 else 'are'} significantly different (p ≤ {self.alpha:g}, Holm)."
        )

    def change_sentences(self, measure: str) -> list[str]:
        """Say which verdicts change without reverse data, and whether the half could tell."""
        rows = [row for row in self.pairs if row.measure == measure]
        changed = [row for row in rows if row.change != "same"]
        favoured = [row for row in rows if row.p_adjusted <= self.alpha]
        opposite = sum(row.opposite for row in rows)
        label = self.label(measure)
        found = []
        if not changed:
            found.append(
                f"In {label}, none of {count(len(rows), 'verdict')} changes without reverse data."
            )
        else:
            kinds = [
                f"{n:,} {word}"
                for kind, word in (
                    ("turned", "turned round"),
                    ("lost", "no longer decided"),
                    ("gained", "newly decided"),
                )
                if (n := sum(row.change == kind for row in changed))
            ]
            said = (
                f"In {label}, {len(changed):,} of {count(len(rows), 'verdict')} "
                f"{'changes' if len(changed) == 1 else 'change'} without reverse data: "
                f"{', '.join(kinds)}."
            )
            lost = [row for row in changed if row.change == "lost"]
            weak = sum(not row.forward_had_power for row in lost)
            if lost:
                said = f"{said} {_could_tell(weak, len(lost))}"
            found.append(said)
        if favoured:
            pairs = [f"{row.first} against {row.second}" for row in favoured]
            found.append(
                f"Reverse data significantly favour one of the two in {count(len(favoured), 'pair')} "
                f"({listing(pairs, most=3)})."
            )
        else:
            shifts = sorted(row.relative_mde for row in rows)
            typical = number(shifts[len(shifts) // 2], digits=self.digits[measure])
            found.append(
                f"No pair is significantly favoured by reverse data; a shift of {typical} between two "
                f"systems would typically have been seen ({self.power:.0%} power). In {opposite:,} of "
                f"{count(len(rows), 'pair')} reverse data raise one system and lower the other."
            )
        return found

    def agreement_sentences(self, measure: str) -> list[str]:
        """Say how far the halves agree under a measure, beside random halves."""
        by = {row.coefficient: row for row in self.agreement if row.measure == measure}
        if not by:
            return []
        r = by["pearson"]
        return [
            f"The halves agree on {self.label(measure)} at r = {number(r.value)} "
            f"{in_brackets(r.interval)}, ρ = {number(by['spearman'].value)}, "
            f"τ = {number(by['kendall'].value)}; random halves of the same documents at r = "
            f"{number(r.random_halves)} ({p_statement(r.p_value)})."
        ]

    def replication_sentences(self) -> list[str]:
        """Say where taking N judgments for N segments would have found more."""
        found = []
        for half in dict.fromkeys(row.half for row in self.replicated):
            rows = [row for row in self.replicated if row.half == half]
            right = sum(row.p_segments <= self.alpha for row in rows)
            wrong = sum(row.p_judgments <= self.alpha for row in rows)
            if half == "both" or all(row.n == row.N for row in rows):
                continue
            found.append(
                f"n is not N: on the {half} half WMT's one-sided rank-sum tells {right:,} of "
                f"{count(len(rows), 'pair')} apart on distinct segments, and {wrong:,} if every judgment "
                "is taken for a segment."
            )
        return found

    def parity_sentences(self, measure: str) -> list[str]:
        """Say of how many systems parity is shown on each half; of few, one by one."""
        found = []
        for half in ("forward", "reverse"):
            rows = [r for r in self.parity if (r.measure, r.half) == (measure, half)]
            if len(rows) <= _FEW:
                found += [self.parity_sentence(row) for row in rows]
            else:
                found.append(self._many_parities(rows))
        return found

    def _many_parities(self, rows: list[Parity]) -> str:
        first, digits = rows[0], self.digits[rows[0].measure]
        where = f"{first.half.capitalize()} half, {self.label(first.measure)}"
        found = sorted(row.margin_found for row in rows)
        typical = number(found[len(found) // 2], digits=digits)
        if first.margin is None:
            return (
                f"{where}: no margin was given, so that parity with {first.human} cannot be claimed; "
                f"one of {typical} would typically be shown of equal systems ({self.power:.0%} power)."
            )
        shown = [row.system for row in rows if row.verdict == "non-inferior"]
        names = f" ({listing(shown)})" if shown else ""
        powers = sorted(row.power for row in rows)
        margin = number(first.margin, digits=max(digits, decimals(first.margin)))
        return (
            f"{where}: {len(shown):,} of {count(len(rows), 'system')} shown not to be worse than "
            f"{first.human} by more than {margin}{names}. Of equal systems it would be shown with "
            f"{powers[len(powers) // 2]:.0%} power; a margin of {typical} with {self.power:.0%}."
        )

    def parity_sentence(self, row: Parity) -> str:
        """Say whether a system is shown not to be worse than the human translation."""
        digits = self.digits[row.measure]
        numbers = in_numbers(
            row.difference,
            row.interval,
            p=row.p_adjusted,
            scale=self.label(row.measure),
            digits=digits,
        )
        where = f"{row.half.capitalize()} half ({count(row.n_segments, 'distinct segment')})"
        if row.margin is None:
            return (
                f"{where}: {row.system} − {row.human} {numbers}; a margin of "
                f"{number(row.margin_shown, digits=digits)} is shown, without one parity cannot be "
                "claimed."
            )
        margin = number(row.margin, digits=max(digits, decimals(row.margin)))
        if row.verdict == "non-inferior":
            said = f"{row.system} is not worse than {row.human} by more than {margin}"
        else:
            said = f"not shown that {row.system} is not worse than {row.human} by more than {margin}"
        needs = (
            ""
            if row.segments_needed is None
            else f"; {row.segments_needed:,} segments give {self.power:.0%}"
        )
        return (
            f"{where}: {said}: {numbers}. If they are equal, this half shows it with "
            f"{row.power:.0%} power{needs}."
        )


def _could_tell(weak: int, lost: int) -> str:
    """Say whether the forward half could have kept the verdicts that are lost without reverse data."""
    if weak == 0:
        return "The forward half could have detected the differences that both halves show."
    which = "" if weak == lost else f"For {weak:,} of the {lost:,} no longer decided, "
    said = (
        f"{which}the forward half is too small to tell: it could not have detected the "
        "difference that both halves show."
    )
    return said[0].upper() + said[1:]
