"""The strengths of systems from battles: who may be called better, and who may not."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from detectable.core.choices import (
    AdjustedStrengths,
    Penalty,
    SideEffect,
    TieRule,
    VoteCluster,
    VoteWeights,
)
from detectable.core.errors import DataError, InputError
from detectable.core.options import asked
from detectable.core.result import Signature
from detectable.core.rng import resolve
from detectable.core.types import IntArray, Seed
from detectable.core.wording import p_statement
from detectable.data.battles.battles import TIE, Battles, one_language, pooled_languages
from detectable.data.battles.read_battles import read_battles
from detectable.inference.battle_votes import HalfTies
from detectable.inference.bradley_terry import among
from detectable.study.arena.ranked import next_pair, ranked
from detectable.study.arena.result import Arena, NaiveArena
from detectable.study.arena.strengths import (
    Strengths,
    find_strengths,
    outside,
    placing,
    without_effects,
)
from detectable.study.arena.two_systems import both_orders, share_of_wins, two_rows
from detectable.study.arena.votes import (
    ChosenVotes,
    Clusters,
    choose_clusters,
    chosen_votes,
    take_clusters,
    tally,
    tool_rule,
)
from detectable.study.settings import ArenaSettings


def arena(  # noqa: PLR0913 (what to read, the choices that define the model, and what to say)
    battles: Any,
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    language: str | None = None,
    ties: TieRule = "half",
    cluster: VoteCluster = "auto",
    side: SideEffect = "auto",
    covariates: Sequence[str] = (),
    adjusted: AdjustedStrengths = "shown",
    weights: VoteWeights = "votes",
    penalty: Penalty = "none",
    cap_voter: float | None = None,
    bootstrap: int = 0,
    effect: float = 20.0,
    between: tuple[str, str] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    rng: Seed = None,
) -> Arena:
    r"""Estimate strengths from battles, with ranks and verdicts that hold for all pairs at once.

    The model of Bradley and Terry: the first of two systems wins with chance
    :math:`1 / (1 + e^{-(\lambda_a - \lambda_b)})`. Standard errors are clustered (see `cluster`): every
    prompt and every voter is left out once, and degrees of freedom go by the effective number of both.
    For every pair, t is the difference over its own standard error; a pair differs significantly where
    absolute t exceeds the 1 − α quantile of the largest absolute t of all pairs. Two systems are compared by
    the exact sign test, or by t over clusters.

    Parameters
    ----------
    battles : path, paths, mapping of str to sequence, data frame, or Battles
        See `read_battles`, also for `format` and `columns`.
    language : str, optional
        Take the battles in this language, where they say it; by default those in all languages,
        which a note names.
    ties : {'half', 'davidson', 'rao-kupper', 'drop'}
        A tie is half a win for both, is modelled, or is left out. Strengths under different rules
        are not comparable.
    cluster : {'auto', 'prompt', 'voter', 'two-way', 'vote'}
        What is independent. By itself: prompts where they repeat, and voters with them where they
        repeat and are ten or more. ``vote`` takes all votes as independent, which is wrong where
        prompts repeat.
    side : {'auto', 'fit', 'none'}
        Whether to estimate how much the first place helps; by itself where the order is known.
    covariates : sequence of str
        What else may sway voters (``length``), in standard deviations. Strengths are given with
        and without them.
    adjusted : {'shown', 'decides'}
        Whether ranks and verdicts go by strengths from which the side and covariates are not taken
        out, or by those from which they are: then a system is better by what it says, and not by how
        long.
    weights : {'votes', 'pairs'}
        Whether every vote counts alike, or every pair of systems.
    penalty : {'none', 'firth'}
        Firth's penalty gives finite strengths to systems that won or lost everything.
    cap_voter : float, optional
        How many times as much as the median voter a voter may count; their votes weigh less beyond.
        By default every vote counts, and few voters with many votes make errors large.
    bootstrap : int
        Draws of the Bayesian bootstrap for the covariance; 0 takes the sandwich.
    effect : float
        A gap in points of Elo, for the votes needed.
    between : (str, str), optional
        Which two systems the next vote is to separate; by default the two strongest.
    alpha, power : float
        The level of all pairs together, and the power at which detectable gaps are stated.
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39(3/4), 324–345; Mogstad, Romano, Shaikh and Wilhelm
    (2024), Review of Economic Studies 91(1), 476–518; Chiang et al. (2024), "Chatbot Arena: an open
    platform for evaluating LLMs by human preference", ICML.

    Examples
    --------
    >>> found = arena({"a": ["x"] * 100, "b": ["y"] * 100, "winner": ["a"] * 60 + ["b"] * 40})
    >>> found.pairs[0].verdict, round(found.pairs[0].p_value, 6)
    ('undecided', 0.056888)
    """
    generator, seed = resolve(rng)
    given = {"covariates": tuple(covariates), "between": between and tuple(between)}
    settings = asked(ArenaSettings, {**locals(), **given, "rng": generator})
    read = read_battles(battles, format=format, columns=columns, covariates=settings.covariates)
    if language is not None:
        read = one_language(read, language)
    chosen = chosen_votes(read, settings.ties, settings.weights, settings.cap_voter)
    clusters = choose_clusters(chosen.battles, settings.cluster)
    simple = settings.penalty == "none" and not settings.covariates and not settings.bootstrap
    plain = isinstance(chosen.model, HalfTies) and chosen.battles.weight is None
    plain = plain and settings.cap_voter is None
    two = len(read.systems) == 2 and simple and plain and settings.adjusted == "shown"
    made = (_two if two else _several)(chosen, clusters, settings)
    signature = Signature("arena", _recipe(read, language, clusters, settings), seed)
    tied = read.outcome == TIE
    return Arena(
        ties=settings.ties,
        weights=settings.weights,
        cluster=clusters.by,
        clusters=clusters.sizes,
        most_votes={
            kind: float(np.bincount(codes).max() / codes.size)
            for kind, codes in zip(clusters.sizes, clusters.codes, strict=True)
        },
        cap_voter=settings.cap_voter,
        n_votes=chosen.battles.n,
        n_ties=int(tied.sum()),
        n_both_bad=read.both_bad,
        alpha=settings.alpha,
        power=settings.power,
        effect=settings.effect,
        orders=both_orders(read, alpha=settings.alpha),
        notes=(*read.notes, *pooled_languages(read), *chosen.notes, *clusters.notes),
        signature=signature,
        **made,
    )


def _several(
    chosen: ChosenVotes, clusters: Clusters, settings: ArenaSettings
) -> dict[str, Any]:
    battles, votes = chosen.battles, chosen.votes
    where = placing(battles, all_ranked=settings.firth)
    complete = where.ranked.size == votes.n_systems
    names = battles.systems
    if complete:
        core, among_core = votes, clusters
    else:
        core = among(votes, where.ranked)
        rows = _rows_among(battles, where.ranked.tolist())
        among_core = take_clusters(clusters, rows)
    found = find_strengths(core, chosen.model, among_core, settings)
    others = [] if complete else outside(votes, where, clusters, alpha=settings.alpha)
    taken_out = (
        without_effects(battles, votes, chosen.model, clusters, settings) if complete else None
    )
    if not complete and (settings.covariates or settings.side == "fit"):
        raise DataError(
            f"{battles.path or 'the battles'}: with systems that won or lost everything, sides and "
            "covariates cannot be fitted. Leave these systems or the covariates out, or take "
            "--penalty firth (penalty='firth')."
        )
    beside = None if taken_out is None else taken_out.without
    if settings.adjusted == "decides":
        found, beside = _deciding(battles, beside), found
    rows_made = ranked(names, where, found, others, tally(battles), settings, beside)
    inside = tuple(names[i] for i in where.ranked.tolist())
    i, j = _in_question(settings, inside, rows_made.systems)
    return {
        "systems": rows_made.systems,
        "pairs": rows_made.pairs,
        "unadjusted": rows_made.unadjusted,
        "effects": () if taken_out is None else taken_out.effects,
        "decided_without": tuple(effect.name for effect in taken_out.effects)
        if taken_out is not None and settings.adjusted == "decides"
        else None,
        "tie_parameter": math.nan if found.fit.tie is None else found.fit.tie,
        "test": "max-t",
        "critical": rows_made.critical,
        "df": found.df,
        "effective": found.covariance.effective,
        "next_pair": next_pair(found, inside, i, j),
        "naive": NaiveArena(
            n_apart=rows_made.n_apart_alone,
            design_effect=rows_made.design_effect,
            tool=tool_rule(battles, rows_made.pairs),
        ),
    }


def _deciding(battles: Battles, without: Strengths | None) -> Strengths:
    """Return adjusted strengths, by which ranks and verdicts go if that was asked."""
    if without is None:
        raise DataError(
            f"{battles.path or 'the battles'}: there is nothing to adjust for. `adjusted='decides'` "
            "needs `covariates` or the order in which systems were shown, and no system that won or "
            "lost everything."
        )
    return without


def _two(chosen: ChosenVotes, clusters: Clusters, settings: ArenaSettings) -> dict[str, Any]:
    battles = chosen.battles
    found = share_of_wins(battles, clusters, alpha=settings.alpha, power=settings.power)
    alone = share_of_wins(
        battles, Clusters("vote", (), {}), alpha=settings.alpha, power=settings.power
    )
    systems, pair = two_rows(battles, found, settings)
    ratio = (found.standard_error / alone.standard_error) ** 2 if alone.standard_error else 1.0
    complete = 0.0 < found.share < 1.0
    taken_out = (
        without_effects(battles, chosen.votes, chosen.model, clusters, settings)
        if complete and (battles.sided or settings.side == "fit")
        else None
    )
    if settings.side == "fit" and taken_out is None:
        raise DataError("the side cannot be fitted: a system won everything. Leave it out.")
    return {
        "systems": systems,
        "pairs": (pair,),
        "effects": () if taken_out is None else taken_out.effects,
        "tie_parameter": math.nan,
        "test": found.test,
        "critical": found.critical,
        "df": found.df,
        "next_pair": None,
        "naive": NaiveArena(
            n_apart=int(alone.p_value <= settings.alpha),
            design_effect=ratio,
            tool=tool_rule(battles, (pair,))
            or _votes_alone(alone.p_value, found.p_value, clusters),
        ),
    }


def _votes_alone(alone: float, found: float, clusters: Clusters) -> str:
    if not clusters.codes or math.isclose(alone, found):
        return ""
    return f"Votes as independent would say {p_statement(alone)}."


def _rows_among(battles: Battles, members: list[int]) -> IntArray:
    return np.flatnonzero(np.isin(battles.a, members) & np.isin(battles.b, members))


def _in_question(
    settings: ArenaSettings, names: tuple[str, ...], systems: Sequence[Any]
) -> tuple[int, int]:
    """Return the places of the two systems that the next vote is to separate."""
    wanted = settings.between
    if wanted is None:
        wanted = tuple(row.system for row in systems if row.placed == "ranked")[:2]
    for name in wanted:
        if name not in names:
            raise InputError(f"`between` must name two of {', '.join(names)}; got {name!r}.")
    return names.index(wanted[0]), names.index(wanted[1])


def _recipe(
    battles: Battles, language: str | None, clusters: Clusters, settings: ArenaSettings
) -> dict[str, str | int | float]:
    recipe: dict[str, str | int | float] = {
        "votes": battles.n,
        "systems": len(battles.systems),
        **({} if language is None else {"language": language}),
        "ties": settings.ties,
        "cluster": clusters.by,
        "weights": settings.weights,
    }
    if settings.covariates:
        recipe["covariates"] = "+".join(settings.covariates)
    if settings.adjusted != "shown":
        recipe["adjusted"] = settings.adjusted
    if settings.penalty != "none":
        recipe["penalty"] = settings.penalty
    if settings.cap_voter is not None:
        recipe["cap_voter"] = settings.cap_voter
    if settings.bootstrap:
        recipe["bootstrap"] = settings.bootstrap
    return recipe | {"alpha": settings.alpha}
