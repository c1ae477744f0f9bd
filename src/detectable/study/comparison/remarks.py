"""What a reader should know about the design of a comparison before believing its numbers."""

from collections.abc import Sequence

from detectable.core.wording import count, listing
from detectable.study.comparison.pair import PairComparison
from detectable.study.comparison.question import Question
from detectable.study.comparison.settings import OF_DRAWS
from detectable.study.pairs.cut_intervals import cut_intervals

_SKEWED = 1.0  # skewness of unit differences from which on tests err noticeably
_FEW_AND_SKEWED = 30  # units below which that is so
_FEW_TO_RESAMPLE = 40  # units below which bootstrap intervals are rough
_TWO = 2


def remarks(question: Question, rows: Sequence[PairComparison]) -> tuple[str, ...]:
    """Return notes about skewness, runs, resampling and stepwise corrections."""
    cut: tuple[str, ...] = ()
    if len(rows) > 1 and question.chosen.stepwise != "none":
        cut = cut_intervals(
            (f"{r.system} − {r.baseline} ({r.metric})", r.interval) for r in rows
        )
    return (*_skewed(question), *_runs(question), *_resampled(question), *cut)


def _skewed(question: Question) -> tuple[str, ...]:
    """Name the pairs whose units differ lopsidedly: no known test keeps its level there."""
    measured = question.measured
    n_units = measured.units[0].n_units
    if n_units >= _FEW_AND_SKEWED or n_units < 3:
        return ()
    names = []
    for p, (system, baseline) in enumerate(question.pairs):
        for m, sample in enumerate(measured.units):
            part = question.parts[p][m]
            residuals = part.parts - part.shares * part.value
            spread = float(residuals.std())
            if spread > 0.0 and abs(float((residuals**3).mean())) / spread**3 > _SKEWED:
                pair = f"{sample.systems[system]} − {sample.systems[baseline]}"
                names.append(f"{pair} ({sample.metric.name})")
    if not names:
        return ()
    errs = "a test at .05 errs in about 7 % of cases"
    if question.settings.claim != "better":
        errs = "a claim about a margin at .05 may err in 8 to 13 % of cases"
    return (
        f"{measured.unit_word.capitalize()} differences are skewed for {listing(names, most=3)}: with "
        f"{count(n_units, measured.unit_word)} {errs}.",
    )


def _runs(question: Question) -> tuple[str, ...]:
    sample = question.measured.units[0]
    if max(sample.runs) < _TWO or question.settings.compat is not None:
        return ()  # nothing is said of new runs
    single = [n for n, r in zip(sample.systems, sample.runs, strict=True) if r < _TWO]
    notes = []
    if single:
        notes.append(
            f"{listing(single)} {'has' if len(single) == 1 else 'have'} one run: for new runs, "
            "the mean run variance of the others is assumed."
        )
    if question.settings.run_variance == "pooled":
        notes.append(
            "One run variance for all systems: assumes equally stable systems. Where one is three "
            "times as unstable, such a test errs in 13 to 16 % of cases at .05."
        )
    elif min(r for r in sample.runs if r >= _TWO) == _TWO:
        notes.append(
            "Two runs say little about run noise: at .05 an effect that a known noise would show "
            "with 80 % power is found with 41 to 65 %. A third run adds most."
        )
    return tuple(notes)


def _resampled(question: Question) -> tuple[str, ...]:
    n_units, unit = question.measured.units[0].n_units, question.measured.unit_word
    used = question.settings.interval in OF_DRAWS or question.chosen.test == "bootstrap"
    if not used or n_units >= _FEW_TO_RESAMPLE:
        return ()
    return (
        f"Resampling {count(n_units, unit)} is rough: below {_FEW_TO_RESAMPLE} bootstrap intervals "
        "are too short.",
    )
