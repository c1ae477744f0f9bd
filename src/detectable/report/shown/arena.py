"""What an arena shows, with its pictures."""

import math
from collections.abc import Iterator

from detectable.core.interval import Interval
from detectable.core.verdict import differ, in_words
from detectable.core.wording import capital, count, listing, number, p_statement, significant
from detectable.inference.battle_votes import elo
from detectable.report import blocks
from detectable.report.methods.ranking import arena_methods as methods
from detectable.report.paper_table import PairNumbers
from detectable.report.shown.ordered import (
    FEW_SYSTEMS,
    MOST,
    MOST_SYSTEMS,
    each,
    ranks_of,
    verdicts_of,
    who_beats_whom,
    who_is_first,
)
from detectable.study.arena.result import Arena, ArenaPair, ArenaSystem, BothOrders

_FEW = 3  # pairs that a summary spells out


def show_arena(result: Arena) -> Iterator[blocks.Block]:
    """Show who may be first, the strengths, what could not be told, and every pair."""
    yield verdict(result)
    yield blocks.Pictures("arena:strengths", result)
    yield systems(result)
    yield from _limits(result)
    if result.effects:
        yield effects(result)
    yield blocks.Pictures("arena:all_pairs", result)
    if len(result.systems) > FEW_SYSTEMS:
        yield matrix(result)
    yield pairs(result)
    if result.orders is not None:
        yield orders(result.orders)
    yield _checks(result)
    yield from blocks.notes(result.notes)
    yield methods(result)


def verdict(result: Arena) -> blocks.Verdict:
    """Return who may be first, and what the numbers rest on."""
    first, *detail = _sentences(result)
    status = "better" if len(result.systems) == 2 and result.n_apart else "info"
    if len(result.systems) == 2 and not result.n_apart:
        status = "undecided"
    return blocks.Verdict(status, first, tuple(detail))  # type: ignore[arg-type]  # one of three words


def _limits(result: Arena) -> Iterator[blocks.Text]:
    undecided = [pair for pair in result.pairs if pair.verdict == "undecided"]
    known = [pair for pair in undecided if not math.isnan(pair.mde_share)]
    if not known or len(result.systems) == 2:
        return
    low, high = (f(pair.mde_share for pair in known) for f in (min, max))
    ends = [number(100 * share, digits=1) for share in (low, high)]
    span = ends[0] if ends[0] == ends[1] else " to ".join(ends)
    needed = [pair.votes_needed for pair in known if pair.votes_needed is not None]
    more = ""
    if needed:
        more = (
            f" To find a gap of {significant(result.effect)} Elo, the closest of them needs "
            f"{min(needed):,} more votes of the two systems."
        )
    following = result.next_pair
    advice = ""
    if following is not None:
        a, b = following.between
        c, d = following.vote
        which = "of the two" if {a, b} == {c, d} else f"of {c} and {d}"
        advice = f" One more vote {which} tells most about {a} and {b}."
    yield blocks.Text(
        "limits",
        "What these votes could have shown",
        f"For {count(len(undecided), 'undecided pair')} a true share of wins of {span}% is found with "
        f"{result.power:.0%} power. Smaller ones are usually missed.{more}{advice}",
    )


def systems(result: Arena) -> blocks.Table:
    """Return strengths and ranks, with a rule between clusters."""
    tiers = [result.tiers()[row.system] for row in result.systems]
    breaks = [i for i in range(1, len(tiers)) if tiers[i] != tiers[i - 1]]
    adjusted = any(not math.isnan(row.adjusted) for row in result.systems)
    plain = {row.system: row for row in result.unadjusted or ()}
    placed = any(row.placed != "ranked" for row in result.systems)
    together = "" if len(result.systems) == 2 else ", all together"
    columns = (
        blocks.Column("ranks", "ranks", "text", of=ranks_of),
        blocks.Column("system", "system", "name"),
        blocks.Column("elo", "Elo", digits=0),
        blocks.Column(
            "elo_interval",
            f"{1 - result.alpha:.0%} interval{together}",
            "interval",
            digits=0,
            short=f"{1 - result.alpha:.0%} interval",
            of=_elo_ends,
        ),
        blocks.Column(
            "strength", "strength", digits=3, keep=2, help="log-odds; they add up to zero"
        ),
        blocks.Column("standard_error", "SE", digits=3, keep=3),
        blocks.Column("interval", "interval", "interval", digits=3, keep=blocks.DATA_ONLY),
        blocks.Column(
            "interval_alone", "interval alone", "interval", digits=3, keep=blocks.DATA_ONLY
        ),
        blocks.Column("rank_low", "lowest rank", "count", keep=blocks.DATA_ONLY),
        blocks.Column("rank_high", "highest rank", "count", keep=blocks.DATA_ONLY),
        blocks.Column(
            "adjusted", "adjusted", digits=3, keep=2, help="without side and covariates"
        )
        if adjusted
        else None,
        blocks.Column("adjusted_ranks", "adj. ranks", "text", keep=4, of=_adjusted_ranks)
        if adjusted
        else None,
        blocks.Column(
            "unadjusted",
            "unadjusted",
            digits=3,
            keep=2,
            help="with side and covariates left in",
            of=lambda row: plain[row.system].strength,
        )
        if plain
        else None,
        blocks.Column(
            "unadjusted_ranks",
            "unadj. ranks",
            "text",
            keep=4,
            of=lambda row: ranks_of(plain[row.system]),
        )
        if plain
        else None,
        blocks.Column("lmarena_rank", "LMArena rank", "count", keep=blocks.DATA_ONLY),
        blocks.Column("placed", "placed", "text", keep=2) if placed else None,
        blocks.Column("bound", "bound", digits=2, keep=4, sign=True) if placed else None,
        blocks.Column("votes", "votes", "count", keep=4),
        blocks.Column("wins", "wins", "share", digits=1, keep=5),
    )
    return blocks.table(
        "systems",
        "Strengths",
        columns,
        result.systems,
        breaks=breaks,
        caption=f"Strengths with {1 - result.alpha:.0%} intervals and ranks for all systems at once.",
    )


def _elo_ends(row: ArenaSystem) -> tuple[float, float] | None:
    ends = elo_interval(row.interval)
    return None if math.isnan(ends.low) else (ends.low, ends.high)


def _adjusted_ranks(row: ArenaSystem) -> str:
    if row.adjusted_rank_low is None:
        return "–"
    low, high = row.adjusted_rank_low, row.adjusted_rank_high
    return str(low) if low == high else f"{low}–{high}"


def effects(result: Arena) -> blocks.Table:
    """Return what sways voters besides the systems."""
    columns = (
        blocks.Column("name", "effect", "name"),
        blocks.Column("estimate", "estimate", digits=3, sign=True),
        blocks.Column(
            "interval", f"{1 - result.alpha:.0%} interval", "interval", digits=3, sign=True
        ),
        blocks.Column("standard_error", "SE", digits=3, keep=3),
        blocks.Column("p_value", "p", "p"),
        blocks.Column("scale", "per", digits=3, keep=blocks.DATA_ONLY),
    )
    return blocks.table(
        "effects",
        "What else sways voters (log-odds)",
        columns,
        result.effects,
        note="The side: of being shown first. Covariates: of one standard deviation more.",
    )


def matrix(result: Arena) -> blocks.Matrix:
    """Return a verdict for every two systems, the strongest first."""
    names = tuple(row.system for row in result.systems)
    title = f"All pairs: {differ(result.n_apart, len(result.pairs))}"
    beside = (
        blocks.Column("ranks", "ranks", "text", of=ranks_of),
        blocks.Column("system", "system", "name"),
        blocks.Column("elo", "Elo", digits=0),
    )
    return blocks.Matrix(
        "matrix",
        title,
        names,
        verdicts_of(names, result.pairs),
        numbers=PairNumbers.build(
            names,
            {
                (pair.better, pair.worse): (pair.difference, pair.p_adjusted)
                for pair in result.pairs
                if math.isfinite(pair.difference)
            },
            digits=2,
            alpha=result.alpha,
            caption=f"in log-odds (largest |t| of {count(len(result.pairs), 'pair')}, α = {result.alpha:g}).",
        ),
        beside=blocks.table("systems", "Strengths", beside, result.systems),
    )


def pairs(result: Arena) -> blocks.Table:
    """Return every pair with its verdict."""
    several = len(result.pairs) > 1
    needed = any(pair.votes_needed is not None for pair in result.pairs)
    together = ", all pairs together" if several else ""
    level = f"{1 - result.alpha:.0%} interval"
    columns = (
        blocks.Column("better", "stronger", "name"),
        blocks.Column("worse", "weaker", "name"),
        blocks.Column(
            "chance", "wins", "share", digits=1, help="share of wins, by the strengths"
        ),
        blocks.Column(
            "share_interval",
            f"{level}{together}",
            "shares",
            digits=1,
            short=level,
            of=lambda pair: (_share(pair.interval.low), _share(pair.interval.high)),
        ),
        blocks.Column("difference", "difference", digits=3, keep=blocks.DATA_ONLY),
        blocks.Column("standard_error", "SE", digits=3, keep=blocks.DATA_ONLY),
        blocks.Column("interval", "interval", "interval", digits=3, keep=blocks.DATA_ONLY),
        blocks.Column(
            "interval_alone", "interval alone", "interval", digits=3, keep=blocks.DATA_ONLY
        ),
        blocks.Column("p_value", "p alone", "p", keep=blocks.DATA_ONLY),
        blocks.Column("p_adjusted", "p", "p", help="for all pairs; the verdict goes by it"),
        blocks.Column("mde_share", f"MDE {result.power:.0%}", "share", digits=1, keep=3),
        blocks.Column("mde_elo", "MDE in Elo", digits=0, keep=4),
        blocks.Column("mde", "MDE in log-odds", digits=3, keep=blocks.DATA_ONLY),
        blocks.Column("votes_needed", "votes needed", "count", keep=5) if needed else None,
        blocks.Column("share", "own votes", "share", digits=1, keep=blocks.DATA_ONLY),
        blocks.Column("votes", "votes", "count", keep=4, help="of the two against each other"),
        blocks.Column("verdict", "verdict", "verdict"),
    )
    gap = significant(result.effect)
    note = (
        f"Votes needed: more battles of the two that would show a gap of {gap} Elo."
        if needed
        else ""
    )
    return blocks.contrasts(
        "pairs",
        "Pairs",
        columns,
        result.pairs,
        note=note,
        caption=f"Shares of wins with {level}{together}.",
    )


def _share(difference: float) -> float:
    """Return a difference in strength as a share of wins."""
    if math.isinf(difference):
        return 1.0 if difference > 0 else 0.0
    return 0.5 * (1.0 + math.tanh(0.5 * difference))


def in_both_orders(result: Arena) -> str:
    """Say how often pairs got one outcome in both orders, and whether the first place helps."""
    found = result.orders
    if found is None:
        return ""
    said = f"In both orders {found.share_same:.1%} of {count(found.n_pairs, 'pair')} have one outcome"
    if found.p_value > result.alpha:
        return f"{said}; not shown that the first or second place helps."
    place = "first" if found.effect > 0.0 else "second"
    return (
        f"{said}; whoever is shown {place} wins {100.0 * abs(found.effect):.1f} % more often "
        f"({p_statement(found.p_value)})."
    )


def orders(found: BothOrders) -> blocks.Table:
    """Return what became of pairs that were judged in both orders."""
    level = f"{found.interval.level:.0%} interval"
    columns = (
        blocks.Column("n_pairs", "pairs", "count"),
        blocks.Column("share_same", "same outcome", "share", digits=1),
        blocks.Column("interval", level, "interval", digits=3, keep=3),
        blocks.Column("first", "first won twice", "share", digits=1),
        blocks.Column("second", "second won twice", "share", digits=1),
        blocks.Column("effect", "wins more when first", digits=3, sign=True),
        blocks.Column("effect_interval", level, "interval", digits=3, sign=True, keep=2),
        blocks.Column("p_value", "p", "p"),
    )
    return blocks.table("orders", "Pairs judged in both orders", columns, (found,))


def _checks(result: Arena) -> blocks.Text:
    points: list[tuple[blocks.Mark, str]] = [("plain", basis(result))]
    ratio = result.naive.design_effect
    if result.clusters:
        points.append(
            (
                "look" if ratio > 1.2 else "plain",
                f"Clusters make the variance of a difference {number(ratio, digits=2)} times that of "
                "independent votes.",
            )
        )
    for effect in result.effects:
        if effect.p_value <= result.alpha:
            more = "first place" if effect.name == "side" else f"more {effect.name}"
            word = "helps" if effect.estimate > 0 else "hurts"
            points.append(
                (
                    "look",
                    f"{capital(more)} {word} ({p_statement(effect.p_value)}): the column "
                    "“adjusted” has the strengths without it.",
                )
            )
    if common(result):
        points.append(("look", common(result)))
    return blocks.Text("checks", "Assumptions and checks", points=tuple(points))


# --- The pictures of an arena ---


def strengths(result: Arena) -> Iterator[blocks.Chart]:
    """Yield the systems with intervals, rank sets and lines that can be drawn."""
    from detectable.report.charts.ranking import Ranked, ranking

    shown = [row for row in result.systems if math.isfinite(row.strength)]
    if not 1 < len(shown) <= MOST or not all(_finite(row.interval) for row in shown):
        return
    tiers = result.tiers()
    rows = tuple(
        Ranked(
            row.system, row.elo, elo_interval(row.interval), ranks_of(row), tiers[row.system]
        )
        for row in shown
    )
    title = who_is_first(result.systems, max(tiers.values()) - 1)
    left_out = [row.system for row in result.systems if row not in shown]
    without = f" Without estimate: {listing(left_out)}." if left_out else ""
    together = "for both" if len(result.systems) == 2 else "for all systems together"
    yield blocks.Chart(
        "strengths",
        title,
        f"Strength in Elo, mean 1000, with {1 - result.alpha:.0%} interval {together}. Ranks: all "
        "that may be true at once. A line is drawn where every system above it is better than "
        f"every one below it.{without}",
        f"{title}. {each(result.systems, lambda row: f'{number(row.elo, digits=0)} Elo')}",
        lambda width: ranking(rows, "Elo", digits=0, width=width),
        "systems",
        key=True,
    )


def all_pairs(result: Arena) -> Iterator[blocks.Chart]:
    """Yield every two systems at a glance."""
    from detectable.report.charts.ranking import matrix

    names = tuple(row.system for row in result.systems if math.isfinite(row.strength))
    if not FEW_SYSTEMS < len(names) <= MOST_SYSTEMS:
        return
    title = differ(result.n_apart, len(result.pairs))
    yield blocks.Chart(
        "matrix",
        title,
        "Above the diagonal: share of wins of the row beyond 50%, in points, filled where the two "
        "differ significantly. Below it: p for all pairs together. Where it is narrow: ▲ the row is "
        "ahead, · undecided. Columns are numbered like rows.",
        f"{title}. {who_beats_whom(result.systems, result.pairs)}",
        lambda width: matrix(
            names,
            result.pairs,
            value=lambda pair: 100.0 * (pair.chance - 0.5),
            digits=1,
            width=width,
        ),
        "pairs",
    )


def elo_interval(value: Interval) -> Interval:
    """Return an interval of strengths on the scale of Elo."""
    return Interval(elo(value.low), elo(value.high), value.level)


def _finite(value: Interval) -> bool:
    return math.isfinite(value.low) and math.isfinite(value.high)


def say_arena(result: Arena) -> str:
    """Say who is on top, how many pairs differ significantly, and the closest calls."""
    return "\n".join(filter(None, [*_sentences(result), common(result)]))


def _sentences(result: Arena) -> list[str]:
    """Return who may be first, how many pairs differ, and what the numbers rest on."""
    said = [_on_top(result), _apart(result), _decided_without(result), *_outside(result)]
    shown = result.pairs if len(result.pairs) <= _FEW else result.pairs[:1]
    said += [_in_words(result, pair) for pair in shown]
    said += [basis(result), *uneven(result), in_both_orders(result)]
    return [sentence for sentence in said if sentence]


def _on_top(result: Arena) -> str:
    """Say who may be first."""
    first = [row.system for row in result.systems if row.rank_low == 1]
    if len(first) == 1:
        others = len(result.systems) - 1
        what = "the other" if others == 1 else f"all {others} others"
        return f"{first[0]} is on top: better than {what}."
    if len(result.systems) == 2:
        return f"{capital(in_words('undecided', first[0], first[1]))}."
    some = "any" if len(first) == len(result.systems) else "each"
    return f"{some.capitalize()} of {count(len(first), 'system')} may be first: {listing(first, most=8)}."


def _apart(result: Arena) -> str:
    """Say how many pairs differ significantly."""
    if len(result.pairs) == 1:
        return ""
    undecided = [pair for pair in result.pairs if pair.verdict == "undecided"]
    said = (
        f"{differ(result.n_apart, len(result.pairs))} (all pairs together, "
        f"p ≤ {result.alpha:g})"
    )
    known = [pair.mde_elo for pair in undecided if not math.isnan(pair.mde_elo)]
    if not known:
        return f"{said}."
    low, high = (number(x, digits=0) for x in (min(known), max(known)))
    span = low if low == high else f"{low} to {high}"
    return (
        f"{said}, {len(undecided):,} undecided; there, gaps of {span} Elo could have "
        f"been detected ({result.power:.0%} power)."
    )


def _decided_without(result: Arena) -> str:
    """Say what is taken out of strengths, ranks and verdicts."""
    if not result.decided_without:
        return ""
    what = ["the side" if name == "side" else name for name in result.decided_without]
    return f"Strengths, ranks and verdicts are adjusted for {' and '.join(what)}."


def _outside(result: Arena) -> list[str]:
    """Say who won or lost everything."""
    words = {
        "above": "is above all: it lost to none of those that can be ranked",
        "below": "is below all: it won against none of those that can be ranked",
        "unknown": "cannot be placed beside those that can be ranked",
    }
    said: list[str] = []
    if len(result.systems) == 2:  # their pair says it
        return said
    for row in result.systems:
        if row.placed == "ranked":
            continue
        end = ""
        if math.isfinite(row.bound):
            side = "at least" if row.placed == "above" else "at most"
            end = f"; its strength is {side} {number(row.bound, digits=2, sign=True)} ({1 - result.alpha:.0%}, one-sided)"
        said.append(f"{row.system} {words[row.placed]}{end}.")
    return said


def _in_words(result: Arena, pair: ArenaPair) -> str:
    """Say what is known of a pair."""
    head = in_words(pair.verdict, pair.better, pair.worse)
    low, high = (
        number(100 * _share(x), digits=1) for x in (pair.interval.low, pair.interval.high)
    )
    numbers = (
        f"{number(100 * pair.chance, digits=1)}% of wins [{low}, {high}], "
        f"{p_statement(pair.p_adjusted)}"
    )
    if pair.verdict != "undecided" or math.isnan(pair.mde_share):
        return f"{head}: {numbers}."
    return (
        f"{head}: {numbers}. {number(100 * pair.mde_share, digits=1)}% of wins or more "
        f"({number(pair.mde_elo, digits=0)} Elo) could have been detected ({result.power:.0%} power)."
    )


def basis(result: Arena) -> str:
    """Say what the numbers rest on."""
    ties = {
        "half": "ties as half a win",
        "davidson": "ties by Davidson's model",
        "rao-kupper": "ties by Rao and Kupper's model",
        "drop": "ties left out",
    }
    sizes = ", ".join(count(n, kind) for kind, n in result.clusters.items())
    by = "votes as independent" if not result.clusters else f"standard errors by {sizes}"
    cap = (
        f", no voter counts more than {significant(result.cap_voter)} times the median one"
        if result.cap_voter is not None
        else ""
    )
    votes = f"{count(result.n_votes, 'vote')} ({count(result.n_ties, 'tie')})"
    return f"{votes}, {ties[result.ties]}{cap}, {by}."


def uneven(result: Arena) -> list[str]:
    """Say of which clusters few have most of the votes."""
    said = []
    for kind, effective in (result.effective or {}).items():
        n, most = result.clusters[kind], (result.most_votes or {}).get(kind, math.nan)
        if effective >= 0.5 * n:
            continue
        text = (
            f"{count(n, kind)} count as {number(effective, digits=1)}: one "
            f"{'gave' if kind == 'voter' else 'got'} {100 * most:.0f} % of the votes."
        )
        if kind == "voter" and result.cap_voter is None:
            text += " --cap-voter 2 weighs voters more evenly."
        said.append(text)
    return said


def common(result: Arena) -> str:
    """Say what the common choices would have said."""
    if result.naive.tool or len(result.systems) == 2:
        return result.naive.tool
    ranks = " ".join(str(row.lmarena_rank) for row in result.systems if row.lmarena_rank)
    said = (
        f"Independent votes and every pair by itself would call {result.naive.n_apart:,} of "
        f"{count(len(result.pairs), 'pair')} different"
    )
    if len(result.systems) > 12:
        return f"{said}."
    return f"{said}; LMArena's rule would rank {ranks}."
