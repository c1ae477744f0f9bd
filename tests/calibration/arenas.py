"""Arenas in which prompts and voters have favourites: coverage, ranks, false alarms, power."""

import functools
import math
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.choices import VoteCluster
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.data.battles.battles import Battles
from detectable.inference.battle_votes import ELO, cells_of, plain_votes
from detectable.inference.bradley_terry import clustered, fit_strengths, two_way
from detectable.inference.rank_sets import largest_of_all, pair_errors
from detectable.kernels.distributions import t_quantile
from detectable.planning.arena import Arena as ArenaScenario
from detectable.planning.ask import sample_size
from detectable.study.arena.arena import arena
from detectable.study.arena.result import Arena, ArenaPair
from detectable.study.arena.strengths import around
from detectable.study.arena.votes import choose_clusters, chosen_votes, covariances
from tests.calibration.effort import ALPHA, LEVEL, POWER, Effort, Rates

STRENGTHS = (0.5, 0.35, 0.15, 0.0, -0.2, -0.8)
BY_VOTES, BY_PROMPTS = "votes as independent", "by prompts"
OURS = "`arena`: by prompts, and voters where they have favourites"
TWO_WAY_NORMAL = "as `arena`, with the normal distribution in place of t"
CLUSTERED: dict[str, VoteCluster] = {
    BY_VOTES: "vote",
    BY_PROMPTS: "prompt",
    TWO_WAY_NORMAL: "auto",
    OURS: "auto",
}
VOTES_TOGETHER = "votes as independent, largest of all pairs"
VOTES_ALONE = "votes as independent, every pair alone"


@dataclass(frozen=True, slots=True)
class World:
    """Votes on pairs at random; prompts (and voters) like some systems more than others do.

    `favour` is the standard deviation of what a prompt adds to the strength of each system;
    `taste` that of a voter. A share `ties` of the votes is a tie.
    """

    strengths: tuple[float, ...] = STRENGTHS
    votes: int = 1500
    prompts: int = 100
    favour: float = 0.8
    voters: int = 60
    taste: float = 0.0
    ties: float = 0.17
    shares: tuple[float, ...] = ()  # of the votes, voter by voter; all alike if there are none

    @property
    def label(self) -> str:
        said = f"{self.prompts} prompts"
        return said if not self.taste else f"{said}, {self.voters} voters with tastes"

    def draw(self, rng: np.random.Generator) -> Battles:
        """Return the battles of one arena."""
        k, n = len(self.strengths), self.votes
        a = rng.integers(0, k, n)
        b = (a + rng.integers(1, k, n)) % k
        prompt, voter = rng.integers(0, self.prompts, n), rng.integers(0, self.voters, n)
        if self.shares:
            voter = rng.choice(self.voters, n, p=self.shares)
        of_prompts = self.favour * rng.normal(size=(self.prompts, k))
        of_voters = self.taste * rng.normal(size=(self.voters, k))
        liked = np.array(self.strengths) + of_prompts[prompt] + of_voters[voter]
        rows = np.arange(n)
        chance = 1.0 / (1.0 + np.exp(liked[rows, b] - liked[rows, a]))
        won = (rng.random(n) < chance).astype(float)
        won[rng.random(n) < self.ties] = 0.5
        names = [f"s{i}" for i in range(k)]
        return Battles.build(
            [names[i] for i in a],
            [names[i] for i in b],
            won,
            prompt=[f"p{i}" for i in prompt],
            voter=[f"v{i}" for i in voter] if self.taste else None,
        )

    @functools.cache  # noqa: B019 (a few worlds only)
    def truth(self) -> FloatArray:
        """Return the strengths that all possible votes on all prompts would give."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        weights = weights / weights.sum()
        spread = math.sqrt(2.0 * (self.favour**2 + self.taste**2))
        k = len(self.strengths)
        a, b = np.triu_indices(k, 1)
        gap = np.array(self.strengths)[a] - np.array(self.strengths)[b]
        chance = (1.0 / (1.0 + np.exp(-(gap[:, None] + spread * nodes)))) @ weights
        score = 0.5 * self.ties + (1.0 - self.ties) * chance
        return fit_strengths(plain_votes(k, a, b, score)).strengths


WORLDS = (
    World(),
    World(prompts=250),
    World(prompts=30),
    World(taste=0.6),
)


def _pair(found: Arena, first: str = "s0", second: str = "s1") -> tuple[ArenaPair, float]:
    """Return the pair of two systems, and 1 or −1 for its order."""
    for pair in found.pairs:
        if {pair.better, pair.worse} == {first, second}:
            return pair, 1.0 if pair.better == first else -1.0
    raise LookupError(first)


def intervals_of_first_two(battles: Battles) -> dict[str, Interval]:
    """Return the interval of s0 − s1 by each way to cluster; those of `arena`, from one fit."""
    chosen = chosen_votes(battles, "half", "votes")
    fit = fit_strengths(cells_of(chosen.votes), chosen.model)
    s0, s1 = battles.systems.index("s0"), battles.systems.index("s1")
    estimate = float(fit.strengths[s0] - fit.strengths[s1])
    found = {}
    for name, cluster in CLUSTERED.items():
        clusters = choose_clusters(battles, cluster)
        rng = np.random.default_rng(0)  # for a bootstrap, which is not asked for
        both = covariances(chosen.votes, chosen.model, fit, clusters, rng=rng)
        k = len(battles.systems)
        error = float(pair_errors(both.chosen[:k, :k])[s0, s1])
        df = math.inf if name == TWO_WAY_NORMAL else both.df
        found[name] = around(estimate, error, t_quantile(0.5 + 0.5 * LEVEL, df), LEVEL)
    return found


def _covers(world: World, rng: np.random.Generator) -> FloatArray:
    truth = world.truth()
    found = intervals_of_first_two(world.draw(rng))
    return np.array([truth[0] - truth[1] in found[name] for name in CLUSTERED], dtype=float)


def coverage(effort: Effort) -> Rates:
    """95 % intervals of the difference of the two best."""
    worlds = (*WORLDS, World(taste=0.6, voters=25))
    shares = [
        effort.repeat(_covers, world, f"covers {world.label}").mean(axis=0) for world in worlds
    ]
    return Rates(
        "95 % interval of the difference of the two strongest of six systems, 1,500 votes",
        tuple(CLUSTERED),
        tuple(world.label for world in worlds),
        np.column_stack(shares),
        effort.trials,
        LEVEL,
        "coverage",
    )


def _ranks(world: World, rng: np.random.Generator) -> FloatArray:
    battles, truth = world.draw(rng), world.truth()
    ranks = {f"s{i}": 1 + int((truth > truth[i] + 1e-9).sum()) for i in range(truth.size)}
    equal = np.ptp(truth) < 1e-9
    ours = arena(battles, side="none", rng=rng)
    votes = arena(battles, cluster="vote", side="none", rng=rng)
    said = [
        found.n_apart == 0
        if equal
        else all(row.rank_low <= ranks[row.system] <= row.rank_high for row in found.systems)
        for found in (ours, votes)
    ]
    if equal:
        said.append(not any(pair.p_value <= ALPHA for pair in votes.pairs))
    else:
        said.append(
            all(
                pair.p_value > ALPHA or ranks[pair.better] < ranks[pair.worse]
                for pair in votes.pairs
            )
        )
    return np.array(said, dtype=float)


def rank_sets(effort: Effort) -> Rates:
    """All true ranks in their sets at once."""
    rows = (OURS, VOTES_TOGETHER, VOTES_ALONE)
    shares = [
        effort.repeat(_ranks, world, f"ranks {world.label}").mean(axis=0) for world in WORLDS
    ]
    return Rates(
        "All six true ranks in their 95 % sets at once, 1,500 votes",
        rows,
        tuple(world.label for world in WORLDS),
        np.column_stack(shares),
        effort.trials,
        LEVEL,
        "coverage",
    )


def false_alarms(effort: Effort) -> Rates:
    """Any of 15 pairs called different where all systems are equal."""
    rows = (OURS, VOTES_TOGETHER, VOTES_ALONE)
    worlds = [replace(world, strengths=(0.0,) * 6) for world in WORLDS]
    shares = [
        1.0 - effort.repeat(_ranks, world, f"equal {world.label}").mean(axis=0)
        for world in worlds
    ]
    return Rates(
        "Any of 15 pairs called different where all six systems are equal, 1,500 votes",
        rows,
        tuple(world.label for world in worlds),
        np.column_stack(shares),
        effort.trials,
        ALPHA,
        "error",
    )


@functools.cache
def _at_the_mde(world: World) -> tuple[World, float]:
    """Return a world whose two strongest differ by the MDE that such arenas state."""
    stated = []
    for seed in range(15):
        found = arena(world.draw(np.random.default_rng([71, seed])), side="none", rng=seed)
        stated.append(_pair(found)[0].mde)
    wanted = float(np.median(stated))
    low, high, made = 0.0, 6.0, world
    for _ in range(50):
        gap = 0.5 * (low + high)
        made = replace(world, strengths=(0.5 * gap, -0.5 * gap, *world.strengths[2:]))
        truth = made.truth()
        low, high = (gap, high) if truth[0] - truth[1] < wanted else (low, gap)
    return made, wanted


def _seen(world: World, rng: np.random.Generator) -> FloatArray:
    pair, sign = _pair(arena(world.draw(rng), side="none", rng=rng))
    return np.array([pair.verdict == "better" and sign > 0], dtype=float)


def stated_mde(effort: Effort) -> Rates:
    """The difference that an arena says it would have seen, seen."""
    worlds = [replace(world, strengths=(0.2, 0.2, 0.1, 0.0, -0.1, -0.4)) for world in WORLDS]
    shares = []
    for world in worlds:
        made, _ = _at_the_mde(world)
        shares.append(effort.repeat(_seen, made, f"mde {world.label}").mean(axis=0))
    return Rates(
        "A difference of the stated MDE is found, six systems, 1,500 votes",
        ("`arena`, among 15 pairs",),
        tuple(world.label for world in worlds),
        np.column_stack(shares),
        effort.trials,
        POWER,
        "power",
    )


PLANS = (
    ("2 systems, 40 Elo", ArenaScenario(ties=0.2), 40.0),
    ("6 systems, 60 Elo", ArenaScenario(systems=6, pairing="uniform", ties=0.2), 60.0),
    (
        "6 systems, 60 Elo, all pairs",
        ArenaScenario(systems=6, pairing="uniform", ties=0.2, family="all-pairs"),
        60.0,
    ),
)


def _planned(plan: tuple[ArenaScenario, float, int], rng: np.random.Generator) -> FloatArray:
    scenario, gap, votes = plan
    half = 0.5 * gap / ELO
    strengths = (half, -half, *(0.0,) * (scenario.systems - 2))
    world = World(
        strengths=strengths, votes=votes, prompts=10 * votes, favour=0.0, ties=scenario.ties
    )
    found = arena(world.draw(rng), cluster="vote", side="none", rng=rng)
    pair, sign = _pair(found)
    p = pair.p_adjusted if scenario.family == "all-pairs" else pair.p_value
    return np.array([p <= ALPHA and sign > 0], dtype=float)


def planned_votes(effort: Effort) -> Rates:
    """The votes that the planner asks for show the gap."""
    shares, columns = [], []
    for label, scenario, gap in PLANS:
        votes = sample_size(scenario, effect=gap, power=POWER).n_items or 0
        shares.append(
            effort.repeat(_planned, (scenario, gap, votes), f"plan {label}").mean(axis=0)
        )
        columns.append(f"{label}: {votes:,} votes")
    return Rates(
        "The gap is shown with the votes of `sample-size arena`",
        ("`arena`",),
        tuple(columns),
        np.column_stack(shares),
        effort.trials,
        POWER,
        "power",
    )


# --- Voters who gave most of the votes ---

FORMER = "CR1 of both kinds, with clusters − 1 degrees of freedom, as before"
UNEVEN = "`arena`"
CAPPED = "`arena --cap-voter 2`"


def _zipf(n: int, power: float) -> tuple[float, ...]:
    shares = np.arange(1.0, n + 1) ** -power
    return tuple((shares / shares.sum()).tolist())


def _one_half(n: int) -> tuple[float, ...]:
    return (0.5, *[0.5 / (n - 1)] * (n - 1))


def uneven_worlds(
    strengths: tuple[float, ...] = (0.0,) * 5, voters: tuple[int, ...] = (12, 40, 100)
) -> dict[str, World]:
    """Return arenas of 800 votes whose voters are equal or not, by label."""
    made = {}
    for n in voters:
        for name, shares in (
            ("equal", ()),
            ("Zipf 1", _zipf(n, 1.0)),
            ("Zipf 1.2", _zipf(n, 1.2)),
            ("one half", _one_half(n)),
        ):
            made[f"{n}, {name}"] = World(
                strengths=strengths,
                votes=800,
                prompts=80,
                voters=n,
                taste=0.6,
                ties=0.0,
                shares=shares,
            )
    return made


def _former_apart(battles: Battles, rng: np.random.Generator) -> bool:
    """Whether any pair is told apart by the rule that took clusters as equal."""
    chosen = chosen_votes(battles, "half", "votes")
    fit = fit_strengths(cells_of(chosen.votes), chosen.model)
    clusters = choose_clusters(battles, "two-way")
    each = [
        clustered(chosen.votes, chosen.model, fit, codes)
        for codes in (*clusters.codes, clusters.crossed())
    ]
    covariance = two_way(*each)
    largest = largest_of_all(covariance, rng, df=min(clusters.sizes.values()) - 1.0)
    apart = np.abs(fit.strengths[:, None] - fit.strengths)
    errors = pair_errors(covariance)
    return bool((apart > largest.critical(ALPHA) * errors)[errors > 0.0].any())


def _told_apart(world: World, rng: np.random.Generator) -> FloatArray:
    battles = world.draw(rng)
    found = [_former_apart(battles, rng)]
    for cap in (None, 2.0):
        made = arena(battles, cluster="two-way", side="none", cap_voter=cap, rng=rng)
        found.append(made.n_apart > 0)
    return np.array(found, dtype=float)


def uneven_voters(effort: Effort) -> Rates:
    """Any of ten pairs of equal systems told apart, where few voters gave most votes."""
    worlds = uneven_worlds()
    shares = [
        effort.repeat(_told_apart, world, f"uneven {label}").mean(axis=0)
        for label, world in worlds.items()
    ]
    return Rates(
        "Any of 10 pairs called different where all five systems are equal, 800 votes on 80 prompts; voters and who of them gave how many votes",
        (FORMER, UNEVEN, CAPPED),
        tuple(worlds),
        np.column_stack(shares),
        effort.trials,
        ALPHA,
        "error",
    )


def uneven_voters_power(effort: Effort) -> Rates:
    """Any pair called different where neighbours are .4 apart."""
    worlds = uneven_worlds((0.8, 0.4, 0.0, -0.4, -0.8), voters=(40,))
    shares = [
        effort.repeat(_told_apart, world, f"uneven power {label}").mean(axis=0)
        for label, world in worlds.items()
    ]
    return Rates(
        "Any pair called different where five systems are .4 apart each, 800 votes on 80 prompts",
        (FORMER, UNEVEN, CAPPED),
        tuple(worlds),
        np.column_stack(shares),
        effort.trials,
        kind="plain",
    )
