"""The cheapest design that reaches a power: how many raters, how many items."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from detectable.core import check
from detectable.core.choices import RatingTest
from detectable.core.errors import InputError
from detectable.core.options import asked
from detectable.core.result import Result, Signature
from detectable.core.types import Progress, Seed, silent
from detectable.planning.ask import sample_size
from detectable.planning.likert import Likert
from detectable.planning.options import CheapestSettings, Prices
from detectable.planning.ratings import Ratings
from detectable.planning.search import Evaluator, Found, Work, find_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs(Prices):
    """What an evaluation pays for, in any currency.

    Parameters
    ----------
    item : float
        One item: choosing it, translating it, preparing it.
    judgment : float
        One rating of one output.
    rater : float
        One rater: finding, training, checking.
    """

    def __post_init__(self) -> None:
        for name in ("item", "judgment", "rater"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise InputError(f"`{name}` must be a cost of 0 or more; got {value!r}.")
        if self.item + self.judgment + self.rater == 0.0:
            raise InputError("at least one cost must be above 0; got none.")

    def of(self, *, items: int, judgments: int, raters: int) -> float:
        """Return what a design costs."""
        return self.item * items + self.judgment * judgments + self.rater * raters


# Judging one output takes about half a minute, and teaching and checking a rater ten minutes, both
# at 30 an hour; a rater gives 100 judgments, as in a task of WMT.
DEFAULT_COSTS = Costs(judgment=0.25, rater=5.0)
_PER_RATER = 100

# Of the cheapest design: raters and prices of the others that a picture shows.
_RATERS = (0.5, 1.0, 1.5)
_PRICES = (0.4, 0.55, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignOption:
    """One way to reach the power."""

    n_raters: int
    n_items: int
    n_judgments: int
    cost: float
    power: float
    test: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheapestDesign(Result):
    """The cheapest way to reach a power, and the others that were looked at."""

    best: DesignOption | None  # None where nothing reaches the power
    options: tuple[DesignOption, ...] = field(repr=False)
    effect: float
    target_power: float
    alpha: float
    notes: tuple[str, ...] = ()
    # For a picture: some designs at other prices, whatever their power.
    nearby: tuple[DesignOption, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )


def cheapest(  # noqa: PLR0913 (the design, its price and the usual options of a search)
    scenario: Likert | Ratings,
    *,
    effect: float,
    costs: Costs | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    max_raters: int = 50,
    judgments_per_rater: int | None = None,
    rng: Seed = None,
    progress: Progress = silent,
) -> CheapestDesign:
    r"""Return the cheapest raters × items that show an effect with a given power.

    For `Likert`, every number of raters I from 2 to `max_raters` needs its own number of items
    J(I), and costs :math:`I c_r + J c_i + 2IJ c_j`. With few raters no number of items is
    enough: the spread between raters does not average out over items [1]_. J falls with I, so
    J(`max_raters`) bounds what more raters could save, and the search ends where even that
    bound is dearer than the best design.

    For `Ratings`, each judgment is one rater's view of one output. Unpaired tests need an item
    for every judgment; where the scenario has a correlation, the paired design, with both
    outputs of an item judged, is priced against the unpaired one.

    Parameters
    ----------
    scenario : Likert or Ratings
        How ratings come about. `n_raters` of a Likert scenario is what is searched for.
    effect : float
        The true difference to show.
    costs : Costs, optional
        Prices of an item, a judgment and a rater. Without them 0.25 a judgment and 5 a rater, of
        100 judgments (`Ratings`); a note says so.
    power, alpha : float
        Power to reach, and error rate of the test.
    max_raters : int
        The most raters that can be had (Likert).
    judgments_per_rater : int, optional
        How many ratings one rater gives (Ratings); needed where `costs` has a price of raters.
    rng, progress
        As in `power`, for scenarios that are simulated.

    References
    ----------
    .. [1] Card et al. (2020), section 5; Judd, Westfall and Kenny (2012), "Treating stimuli as a
       random factor in social psychology", JPSP 103(1), 54–69.

    Examples
    --------
    >>> plan = Likert(n_raters=3, preset="card-low")
    >>> found = cheapest(plan, effect=0.4, costs=Costs(judgment=0.1, rater=5.0), max_raters=4)
    >>> found.best.n_raters > 2, found.best.power >= 0.8
    (True, True)
    """
    given = asked(CheapestSettings, locals())
    target, level = given.power, given.alpha
    notes: tuple[str, ...] = ()
    if costs is None:
        costs = DEFAULT_COSTS
        judgments_per_rater = judgments_per_rater or _PER_RATER
        notes = (_priced(costs, None if isinstance(scenario, Likert) else judgments_per_rater),)
    if isinstance(scenario, Likert):
        options = tuple(
            _likert_options(scenario, effect, costs, target, level, max_raters, progress)
        )
        nearby = tuple(_likert_nearby(scenario, effect, costs, level, max_raters, options))
    else:
        found = tuple(
            _ratings_options(scenario, effect, costs, target, level, judgments_per_rater, rng)
        )
        options = tuple(option for option, _ in found)
        nearby = tuple(one for _, others in found for one in others)
    settings: dict[str, str | int | float] = {
        "scenario": type(scenario).__name__,
        **scenario.settings(),
        "item": costs.item,
        "judgment": costs.judgment,
        "rater": costs.rater,
        "alpha": level,
        "power": target,
    }
    return CheapestDesign(
        best=min(options, key=lambda option: option.cost, default=None),
        options=options,
        effect=effect,
        target_power=target,
        alpha=level,
        notes=(*notes, *_notes(scenario, options, max_raters)),
        nearby=nearby,
        signature=Signature("cheapest", settings),
    )


def _priced(costs: Costs, judgments_per_rater: int | None) -> str:
    """Say the prices where nobody gave any."""
    each = "" if judgments_per_rater is None else f" of {judgments_per_rater} judgments"
    return (
        f"Priced at {costs.judgment:g} a judgment and {costs.rater:g} a rater{each}, as no costs were "
        "given; with your own prices another design may be the cheapest."
    )


def _likert_options(
    scenario: Likert,
    effect: float,
    costs: Costs,
    target: float,
    alpha: float,
    max_raters: int,
    progress: Progress,
) -> Iterator[DesignOption]:
    if not scenario.balanced:
        raise InputError(
            "`scenario` must be balanced for this search: drop raters_per_item and missing."
        )
    most = _search_alone(replace(scenario, n_raters=max_raters), effect, target, alpha)
    if not most.attainable:
        return  # more raters always help, so nothing below reaches the power either
    best = math.inf
    for n_raters in range(2, max_raters + 1):
        progress("pricing designs", n_raters - 1, max_raters - 1)
        floor = _likert_cost(costs, n_raters, int(most.x))
        if floor > best:
            progress("pricing designs", max_raters - 1, max_raters - 1)
            return
        plan = replace(scenario, n_raters=n_raters)
        size = most if n_raters == max_raters else _search_alone(plan, effect, target, alpha)
        if size.attainable:
            found = _likert_design(costs, plan, int(size.x), size.answer.power)
            best = min(best, found.cost)
            yield found


def _search_alone(plan: Likert, effect: float, target: float, alpha: float) -> Found:
    """Return the size; of a whole answer, with its picture, nothing else would be used."""
    return find_size(Evaluator(plan, alpha, entropy=0, work=Work()), effect, target)


def _likert_cost(costs: Costs, n_raters: int, n_items: int) -> float:
    return costs.of(items=n_items, judgments=2 * n_raters * n_items, raters=n_raters)


def _likert_design(costs: Costs, plan: Likert, n_items: int, power: float) -> DesignOption:
    return DesignOption(
        n_raters=plan.n_raters,
        n_items=n_items,
        n_judgments=2 * plan.n_raters * n_items,
        cost=_likert_cost(costs, plan.n_raters, n_items),
        power=power,
        test=plan.test,
    )


def _likert_nearby(
    scenario: Likert,
    effect: float,
    costs: Costs,
    alpha: float,
    max_raters: int,
    options: tuple[DesignOption, ...],
) -> Iterator[DesignOption]:
    """Yield designs with half, as many and 1½ times the raters of the best, at other prices."""
    best = min(options, key=lambda option: option.cost, default=None)
    if best is None:
        return
    for n_raters in sorted(
        {max(2, min(max_raters, round(best.n_raters * x))) for x in _RATERS}
    ):
        plan = replace(scenario, n_raters=n_raters)
        per_item = costs.item + 2 * n_raters * costs.judgment
        if per_item == 0.0:
            return  # items are free, so that no price says how many there are
        sizes = {int((best.cost * x - costs.rater * n_raters) / per_item) for x in _PRICES}
        if n_raters == best.n_raters:
            sizes.add(best.n_items)
        for n_items in sorted(n for n in sizes if n >= plan.smallest_n):
            closed = plan.closed_form(n_items, effect, alpha=alpha)
            if closed is not None:
                yield _likert_design(costs, plan, n_items, closed.power)


def _ratings_options(
    scenario: Ratings,
    effect: float,
    costs: Costs,
    target: float,
    alpha: float,
    judgments_per_rater: int | None,
    rng: Seed,
) -> Iterator[tuple[DesignOption, list[DesignOption]]]:
    """Yield the designs that reach the power, each with others of its kind."""
    if judgments_per_rater is None:
        if costs.rater > 0.0:
            raise InputError(
                "`judgments_per_rater` must be given where raters cost something; got None."
            )
    else:
        check.positive_int(judgments_per_rater, "judgments_per_rater")
    designs = [scenario]
    if scenario.correlation is not None:
        unpaired: RatingTest = "two-means" if scenario.test == "paired-mean" else "rank-sum"
        designs.append(replace(scenario, test=unpaired, correlation=None))
    for design in designs:
        size = sample_size(design, effect=effect, power=target, alpha=alpha, rng=rng)
        if size.n_items is None:
            continue

        def made(n: int, power: float, design: Ratings = design) -> DesignOption:
            judgments = 2 * n
            items = n if design.correlation is not None else judgments
            raters = math.ceil(judgments / (judgments_per_rater or judgments))
            return DesignOption(
                n_raters=raters,
                n_items=items,
                n_judgments=judgments,
                cost=costs.of(items=items, judgments=judgments, raters=raters),
                power=power,
                test=design.test,
            )

        others = []
        if size.nearby is not None:
            own = size.nearby.effect.index(effect)
            powers = [row[own] for row in size.nearby.power]
            pairs = zip(size.nearby.n_items, powers, strict=True)
            others = [made(n, power) for n, power in pairs if power is not None]
        yield made(size.n_items, size.power), others


def _notes(
    scenario: Likert | Ratings, options: tuple[DesignOption, ...], max_raters: int
) -> tuple[str, ...]:
    if not isinstance(scenario, Likert) or not options:
        return ()
    first = min(option.n_raters for option in options)
    if first == 2:
        return ()
    return (
        f"with fewer than {first} of at most {max_raters} raters no number of items is enough.",
    )
