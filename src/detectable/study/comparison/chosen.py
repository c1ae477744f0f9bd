"""How a comparison is tested: what the settings leave open follows from the design."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.core.errors import InputError
from detectable.core.wording import count
from detectable.inference.few_units import choose_test, enumerable
from detectable.inference.resample_count import resample_count
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.settings import OF_DRAWS, CompareSettings

UnitTest: TypeAlias = Literal["swap", "t", "bootstrap", "compat"]
Correction: TypeAlias = Literal["max-t", "holm", "none"]

_OF_OTHER_TOOLS = 10_000
_FEWEST_TO_RESAMPLE = 20  # below, bootstrap intervals miss 8 to 16 % of cases instead of 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is done, after the data are known; it does not depend on their scores.

    Attributes
    ----------
    test : {'swap', 't', 'bootstrap', 'compat'}
        Of the runs at hand.
    runs : {'random', 'fixed'}
        What the verdict is about: systems, or the runs at hand.
    correction : {'max-t', 'holm', 'none'}
        Of the test of the runs at hand; that of new runs is Holm's wherever it is max-T.
    family_size : int
        Tests that are corrected together.
    n_resamples : int
        Swaps or resamples, where they are drawn.
    """

    test: UnitTest
    runs: Literal["random", "fixed"]
    correction: Correction
    family_size: int
    n_resamples: int
    exact: bool
    n_units: int

    @property
    def n_patterns(self) -> int:
        """Swaps other than the data themselves."""
        return 2 ** (self.n_units - 1) - 1 if self.exact else self.n_resamples

    @property
    def stepwise(self) -> Correction:
        """The correction of p-values that have no joint null."""
        return "holm" if self.correction == "max-t" else self.correction


def choose(
    measured: Measured, n_pairs: int, settings: CompareSettings, *, margins: bool
) -> Chosen:
    """Resolve what was left open, or say what does not fit the data."""
    sample = measured.units[0]
    n_units = sample.n_units
    by_task = measured.tasks is not None
    test: UnitTest = "t" if by_task else _test(n_units, settings, measured.unit_word)
    size = n_pairs * (len(measured.units) if settings.family == "systems-and-metrics" else 1)
    correction = _correction(test, settings, n_units, measured.unit_word)
    exact = test == "swap" and enumerable(n_units)
    stepwise = size if correction == "holm" else 1
    if margins and correction == "max-t":
        # Equivalence is corrected by Holm beside max-T. Its p-values are one-sided, half as large.
        stepwise = math.ceil(size / 2)
    return Chosen(
        test=test,
        runs="fixed"
        if by_task
        else _runs(
            sample.systems, sample.runs, settings, samples=measured.n_samples is not None
        ),
        correction=correction,
        family_size=size,
        n_resamples=_resamples(
            test,
            stepwise,
            settings,
            any_number=exact or test == "t" or correction == "max-t",
        ),
        exact=exact,
        n_units=n_units,
    )


def _test(n_units: int, settings: CompareSettings, unit: str) -> UnitTest:
    tested = settings.test == "bootstrap" and settings.compat is None
    if (tested or settings.interval in OF_DRAWS) and n_units < _FEWEST_TO_RESAMPLE:
        name = "test" if tested else "interval"
        raise InputError(
            f"`{name}={getattr(settings, name)!r}` resamples {unit}s, and {count(n_units, unit)} "
            f"are too few: below {_FEWEST_TO_RESAMPLE} such intervals miss far more often than "
            f"they say. Drop it: the default fits any number."
        )
    if settings.compat is not None:
        return "compat"
    if settings.test == "auto":
        return choose_test(n_units, settings.alpha)
    return "swap" if settings.test == "randomization" else settings.test


def _correction(
    test: UnitTest, settings: CompareSettings, n_units: int, unit: str
) -> Correction:
    """Return the correction: max-T of resampled differences, unless another was asked for.

    Claims about a margin have no joint null, as t tests have none.
    """
    joint = test in ("swap", "bootstrap") and settings.claim == "better"
    if settings.correction == "auto":
        return "max-t" if joint else "holm"
    if settings.correction == "max-t" and not joint:
        why = f"{count(n_units, unit)} are tested by t"
        if settings.claim != "better":
            why = f"a margin has none for `claim={settings.claim!r}`"
        raise InputError(
            f"`correction='max-t'` needs swapped differences, and {why}. Use "
            "`correction='holm'`."
        )
    return settings.correction


def _runs(
    systems: tuple[str, ...],
    runs: tuple[int, ...],
    settings: CompareSettings,
    *,
    samples: bool,
) -> Literal["random", "fixed"]:
    if samples and settings.runs == "random":
        raise InputError(
            "`runs='random'` is about runs, and the scores hold samples of items: the second "
            "sample of one item has nothing in common with the second of another. Drop it; the "
            "spread of item means holds the noise of sampling already."
        )
    single = [name for name, n in zip(systems, runs, strict=True) if n < 2]
    if settings.runs == "random":
        if len(single) == len(systems):
            raise InputError(
                "`runs='random'` needs at least two runs of some system; all have one. Give more "
                "runs or use `runs='fixed'`."
            )
        return "random"
    if settings.only_these_runs or single:
        return "fixed"
    return "random"


def _resamples(
    test: UnitTest, n_stepwise: int, settings: CompareSettings, *, any_number: bool
) -> int:
    if test == "compat":
        return settings.n_resamples or _OF_OTHER_TOOLS
    return resample_count(
        settings.n_resamples, n_stepwise=n_stepwise, alpha=settings.alpha, exact=any_number
    )
