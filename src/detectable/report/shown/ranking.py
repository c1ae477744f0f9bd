"""What a ranking shows, with its pictures."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from detectable.core.verdict import (
    could_have_seen,
    differ,
    in_numbers,
    in_words,
    margin_could_have_been,
    would_make_differ,
)
from detectable.core.wording import capital, count, listing, number, p_statement
from detectable.inference.few_units import choose_test, few_differ, p_in_words, too_few_to_swap
from detectable.inference.margin_test import MarginTest
from detectable.inference.randomization import Randomization
from detectable.inference.sign_flips import PairedPermutation
from detectable.report import blocks
from detectable.report.blocks import Block
from detectable.report.blocks_of import show_plainly
from detectable.report.methods.ranking import cluster_rule, methods
from detectable.report.shown.ordered import (
    FEW_SYSTEMS,
    MOST,
    MOST_SYSTEMS,
    each,
    interval_label,
    matrix_caption,
    mde_label,
    p_columns,
    ranking_test,
    ranks_of,
    verdicts_of,
    who_beats_whom,
    who_is_first,
)
from detectable.report.shown.repeat import would_replicate
from detectable.report.shown.reverse_created import reverse_created
from detectable.study.archive.campaign_pairs import CampaignPairs, Decided, SwapCalibration
from detectable.study.ranking.ranking import Influential, RankedPair, Ranking, WmtView

if TYPE_CHECKING:
    from detectable.report.paper_table import PaperTable


_FEW = 3  # names in a headline
_NAMED = 8  # systems that share the top


def show_ranking(result: Ranking) -> Iterator[blocks.Block]:
    """Show who is on top, the ranking, which pairs are undecided, and every pair."""
    yield verdict(result)
    yield blocks.Pictures("ranking:scores", result)
    yield systems(result)
    yield blocks.Papers("ranking:papers", result)
    yield from _limits(result)
    yield blocks.Pictures("ranking:all_pairs", result)
    if len(result.systems) > FEW_SYSTEMS:
        yield matrix(result)
    yield pairs(result)
    more: tuple[str, ...] = ()
    if result.repetition is not None:
        yield from would_replicate(result.repetition)
        more = result.repetition.notes
    yield _checks(result)
    yield from reverse_created(result.reverse)
    yield from blocks.notes((*result.notes, *more))
    yield methods(result)


def verdict(result: Ranking) -> blocks.Verdict:
    """Return who is on top and how many pairs differ; many names go below the headline."""
    first, names = _on_top(result)
    headline, detail = _top(result), []
    if len(names) > _FEW:
        headline = f"{first}."
        detail = [f"On top: {listing(names, most=_NAMED)}."] if len(result.clusters) > 1 else []
    seen = not any(_limits(result))  # else these say what could have been seen
    return blocks.Verdict("info", headline, (*detail, *_told_apart(result, seen=seen)))


def _limits(result: Ranking) -> Iterator[blocks.Text]:
    undecided = [pair for pair in result.pairs if pair.verdict == "undecided"]
    if undecided and result.claim != "better":
        return
    mdes = sorted(pair.mde for pair in undecided if not math.isnan(pair.mde))
    if not mdes:
        return
    low, high = (number(x, digits=result.digits) for x in (mdes[0], mdes[-1]))
    span = low if low == high else f"{low} to {high}"
    which = count(len(undecided), "undecided pair")
    yield blocks.Text(
        "limits",
        "What these judgments could have shown",
        f"For {which} a true difference of {span} {result.scale} "
        f"is found with {result.power:.0%} power. Smaller ones are usually missed. Same cluster "
        "does not mean equally good.",
    )


def systems(result: Ranking) -> blocks.Table:
    """Return the ranking, with a rule between clusters."""
    with_z = any(row.mean_z == row.mean_z for row in result.systems)
    other_score = _other_score(result)
    columns = (
        blocks.Column("cluster", "cluster", "count", short="cl."),
        blocks.Column("ranks", "ranks", "text", of=ranks_of),
        blocks.Column("system", "system", "name"),
        blocks.Column("score", "score", digits=result.digits) if other_score else None,
        blocks.Column(
            "mean_raw", "mean raw", short="raw", keep=3 if result.scale == "z" else 1
        ),
        blocks.Column(
            "mean_z", "mean z", digits=3, short="z", keep=1 if result.scale == "z" else 3
        )
        if with_z
        else None,
        blocks.Column(
            "interval", f"{1 - result.alpha:.0%} interval", "interval", digits=result.digits
        ),
        blocks.Column(
            "n",
            "documents" if result.level == "document" else "items",
            "count",
            keep=2,
            help="distinct items: what the score rests on",
        ),
        blocks.Column(
            "N", "judgments", "count", keep=4, help="of these items, repeats included"
        ),
    )
    order = [row.cluster for row in result.systems]
    breaks = [i for i in range(1, len(order)) if order[i] != order[i - 1]]
    caption = f"Ranking, with the {1 - result.alpha:.0%} interval of every system alone."
    return blocks.table(
        "systems", "Ranking", columns, result.systems, breaks=breaks, caption=caption
    )


def papers(result: Ranking) -> Iterator["PaperTable"]:
    """Yield the ranking as the findings of WMT print it."""
    from detectable.report.shown.paper_tables import findings

    yield findings(result, other_score=_other_score(result))


def _other_score(result: Ranking) -> bool:
    """Say whether the score is neither the raw mean nor mean z (domains, a mixed model)."""
    plain = [row.mean_z if result.scale == "z" else row.mean_raw for row in result.systems]
    return any(
        abs(row.score - mean) > 1e-9 for row, mean in zip(result.systems, plain, strict=True)
    )


def matrix(result: Ranking) -> blocks.Matrix:
    """Return a verdict for every two systems, in the order of the ranking."""
    from detectable.report.shown.paper_tables import pairs_of_a_ranking

    names = [row.system for row in result.systems]
    title = f"All pairs: {differ(result.n_significant, len(result.pairs))}"
    return blocks.Matrix(
        "matrix",
        title,
        tuple(names),
        verdicts_of(names, result.pairs),
        numbers=pairs_of_a_ranking(result, names),
        beside=_beside(result),
    )


def _beside(result: Ranking) -> blocks.Table:
    """Return what is said of every system beside its pairs."""
    by = "z" if result.scale == "z" else "raw"
    columns = (
        blocks.Column("cluster", "cluster", "count", short="cl.", keep=2),
        blocks.Column("ranks", "ranks", "text", of=ranks_of),
        blocks.Column("system", "system", "name"),
        blocks.Column("score", "score" if _other_score(result) else by, digits=result.digits),
    )
    return blocks.table("systems", "Ranking", columns, result.systems)


def pairs(result: Ranking) -> blocks.Table:
    """Return every pair with its verdict."""
    corrected = result.correction != "none" and len(result.pairs) > 1
    beyond = any(pair.verdict in ("inferior", "superior") for pair in result.pairs)
    claimed = result.margin is not None and (result.claim == "better" or beyond)
    digits = result.digits
    adjusted, said = p_columns(
        result.correction, corrected=corrected, claimed=claimed, tests="pairs"
    )
    columns = (
        blocks.Column("better", "higher", "name"),
        blocks.Column("worse", "lower", "name"),
        blocks.Column("difference", "difference", digits=digits, short="diff."),
        blocks.Column(
            "interval",
            interval_label(result, corrected=corrected),
            "interval",
            digits=digits,
            short=interval_label(result, corrected=False),
        ),
        blocks.Column("interval_level", "interval level", digits=2, keep=blocks.DATA_ONLY),
        blocks.Column(
            "interval_alone", "interval alone", "interval", digits=digits, keep=blocks.DATA_ONLY
        ),
        blocks.Column("standard_error", "SE", digits=digits, keep=blocks.DATA_ONLY),
        blocks.Column("probability", "P(higher)", digits=2, keep=blocks.DATA_ONLY),
        blocks.Column("p_value", "p alone", "p", keep=blocks.DATA_ONLY),
        adjusted,
        blocks.Column("p_equivalence", "p equivalence", "p", keep=blocks.DATA_ONLY),
        said,
        blocks.Column("attainable_p", "smallest p", "p", keep=blocks.DATA_ONLY),
        blocks.Column(
            "mde",
            mde_label(result),
            digits=digits,
            keep=3,
        ),
        blocks.Column("units_needed", "units needed", "count", keep=blocks.DATA_ONLY),
        blocks.Column("verdict", "verdict", "verdict"),
        blocks.Column("n", "units", "count", keep=blocks.DATA_ONLY),
        blocks.Column("n_clusters", "clusters", "count", keep=blocks.DATA_ONLY),
    )
    interval = interval_label(result, corrected=corrected)
    return blocks.contrasts(
        "pairs",
        f"Pairs (differences in {result.scale})",
        columns,
        result.pairs,
        caption=f"Differences in {result.scale}, {interval} ({ranking_test(result)}).",
    )


def _checks(result: Ranking) -> blocks.Text:
    first, *others = rests_on(result)
    points: list[tuple[blocks.Mark, str]] = [
        ("plain", first),
        *(("look", text) for text in others),
    ]
    return blocks.Text("checks", "Assumptions and checks", points=tuple(points))


# --- The pictures of a ranking ---


def scores(result: Ranking) -> Iterator[blocks.Chart]:
    """Yield the systems with rank ranges and clusters."""
    from detectable.report.charts.ranking import Ranked, ranking

    if len(result.systems) > MOST:
        return
    rows = tuple(
        Ranked(row.system, row.score, row.interval, ranks_of(row), row.cluster)
        for row in result.systems
    )
    title = who_is_first(result.systems, len(result.clusters) - 1)
    told = each(result.systems, lambda row: number(row.score, digits=result.digits))
    yield blocks.Chart(
        "ranking",
        title,
        f"Score with {1 - result.alpha:.0%} interval. Ranks: all that the tests of pairs leave "
        f"open. {cluster_rule(result)}.",
        f"{title}. {told}",
        lambda width: ranking(rows, result.scale, digits=result.digits, width=width),
        "systems",
        key=True,
    )


def all_pairs(result: Ranking) -> Iterator[blocks.Chart]:
    """Yield every two systems at a glance."""
    from detectable.report.charts.ranking import matrix

    names = tuple(row.system for row in result.systems)
    if not FEW_SYSTEMS < len(names) <= MOST_SYSTEMS or result.claim != "better":
        return
    title = differ(result.n_significant, len(result.pairs))
    yield blocks.Chart(
        "matrix",
        title,
        matrix_caption(result.scale, names, result.pairs, result.correction),
        f"{title}. {who_beats_whom(result.systems, result.pairs)}",
        lambda width: matrix(names, result.pairs, digits=2, width=width),
        "pairs",
    )


def wmt_sentence(view: WmtView, n_significant: int) -> str:
    """Say it in one sentence, next to the number of pairs found here."""
    same = (
        "and agrees on every pair"
        if not view.different
        else f"{n_significant:,} here; {count(len(view.different), 'pair')} "
        f"{'differs' if len(view.different) == 1 else 'differ'}"
    )
    return (
        f"WMT's rule (one-sided rank-sum on z, uncorrected) would make "
        f"{count(len(view.clusters), 'cluster')} and call {view.n_significant:,} of "
        f"{count(view.n_pairs, 'pair')} different, {same}."
    )


def say_ranking(result: Ranking) -> str:
    """Say who is on top, which systems share a cluster, and what WMT would have said."""
    return "\n".join([_top(result), *_told_apart(result), *rests_on(result)])


def _told_apart(result: Ranking, *, seen: bool = True) -> list[str]:
    """Say how many pairs differ significantly, and each of few."""
    apart = [told_apart(result, seen=seen)] if result.claim == "better" else []
    few = result.pairs if len(result.pairs) <= 3 else ()
    return [*apart, *(pair_sentence(result, pair) for pair in few)]


def rests_on(result: Ranking) -> list[str]:
    """Say why it was tested so, what few units allow, on whom it hangs, and what WMT would say."""
    said = [result.reason, *filter(None, (design(result),)), *hinges(result)]
    if result.preset != "wmt21" and result.claim == "better" and not result.weighted:
        said.append(wmt_sentence(result.wmt, result.n_significant))
    return said


def _top(result: Ranking) -> str:
    first, names = _on_top(result)
    return f"{first}: {listing(names, most=_NAMED)}." if names else f"{first}."


def _on_top(result: Ranking) -> tuple[str, list[str]]:
    """Return who is on top, or what was shown, and the names where several share the top."""
    if result.claim != "better":
        return _claimed(result), []
    first, rest = result.clusters[0], len(result.systems) - len(result.clusters[0])
    if len(first) == 1:
        return f"{first[0]} is on top: better than {_others(rest)}", []
    if rest == 0:
        if len(first) == 2:
            return f"{first[0]} and {first[1]} cannot be separated", []
        return f"All {len(first)} systems are in one cluster", [*first]
    return f"{len(first)} systems share the top cluster, above {_others(rest)}", [*first]


def _claimed(result: Ranking) -> str:
    """Say of how many pairs the claim about the margin was shown."""
    shown = sum(pair.verdict == result.claim for pair in result.pairs)
    margin = number(result.margin, digits=result.digits)
    what = f"equivalent within ±{margin}"
    if result.claim == "non-inferior":
        what = f"the lower system not worse by more than {margin}"
    return (
        f"{shown:,} of {count(len(result.pairs), 'pair')} shown: {what} "
        f"(p ≤ {result.alpha:g}{_corrected(result)})"
    )


def told_apart(result: Ranking, *, seen: bool = True) -> str:
    """Say how many pairs differ significantly; `seen`: and what could have been, in the others."""
    undecided = [pair for pair in result.pairs if pair.verdict == "undecided"]
    equivalent = sum(pair.verdict == "equivalent" for pair in result.pairs)
    margin = number(result.margin, digits=result.digits)
    said = (
        f"{differ(result.n_significant, len(result.pairs))}"
        f" (p ≤ {result.alpha:g}{_corrected(result)})"
    )
    if equivalent:
        said += f", {equivalent:,} equivalent within ±{margin}"
    if not undecided:
        return f"{said}."
    mdes = sorted(pair.mde for pair in undecided if not math.isnan(pair.mde))
    said += f", {len(undecided):,} undecided"
    if not mdes or not seen:
        return f"{said}."
    low, high = (number(x, digits=result.digits) for x in (mdes[0], mdes[-1]))
    span = low if low == high else f"{low} to {high}"
    return f"{said}; there, differences of {span} {result.scale} could have been detected ({result.power:.0%} power)."


def _corrected(result: Ranking) -> str:
    if len(result.pairs) == 1 or result.correction == "none":
        return ""
    return ", max-T" if result.correction == "max-t" else ", Holm"


def design(result: Ranking) -> str:
    """Say what so few units allow, where it is not the usual test."""
    unit = "document" if result.unit == "document" else "item"
    stuck = [
        pair
        for pair in result.pairs
        if pair.attainable_p > result.alpha
        and math.isnan(pair.mde)
        # Else nothing varies, which its own sentence says.
        and (pair.n_differing != 0 or pair.units_needed is not None)
    ]
    if stuck and result.preset is None:
        return _stuck(result, stuck, unit)
    if result.test != "t" or choose_test(result.n_units, result.alpha) != "t":
        return ""
    df = min((pair.df for pair in result.pairs if pair.df > 0.0), default=math.nan)
    if math.isnan(df):
        return ""
    if result.matching != "none":
        return too_few_to_swap(result.n_units, unit, result.alpha, df)
    return (
        f"{count(result.n_units, unit)} of some system: too few for a test of ranks. Tested by t "
        f"over {unit}s, {df:.1f} degrees of freedom; it assumes that {unit} means are roughly "
        "normal."
    )


def _stuck(result: Ranking, stuck: list[RankedPair], unit: str) -> str:
    """Say that some pairs, or all, can never be decided with so few units."""
    worst = max(stuck, key=lambda pair: pair.attainable_p)
    which = "" if len(result.pairs) == 1 else f" among {len(result.pairs):,} pairs"
    if len(stuck) < len(result.pairs):
        which = f" for {len(stuck):,} of {count(len(result.pairs), 'pair')}"
    start = (
        f"This design cannot reject at {f'{result.alpha:g}'.lstrip('0')}{which}: the smallest "
        "possible p of"
    )
    p = p_in_words(worst.attainable_p)
    if worst.units_needed is None:
        return f"{start} {count(result.n_resamples or 0, 'sign pattern')} is {p}. Draw more."
    return (
        f"{start} {count(result.n_units, unit)} is {p}. It needs at least {worst.units_needed}."
    )


def hinges(result: Ranking) -> list[str]:
    """Say which verdicts and lines hang on one document or one rater."""
    return [_hinge(result, found) for found in result.influential]


def _hinge(result: Ranking, found: Influential) -> str:
    what = f"Without {found.kind} {found.name} ({found.share:.0%} of the comparisons)"
    if found.clusters:
        groups = " | ".join(", ".join(group) for group in found.clusters)
        return f"{what} the clusters would be {groups}."
    shown = number(found.difference, digits=result.digits, sign=True)
    would = "undecided"
    if found.verdict != "undecided":
        would = f"“{found.verdict}”"
    return (
        f"{what} {found.better} − {found.worse} would be {would} ({shown}, "
        f"{p_statement(found.p_adjusted)})."
    )


def pair_sentence(result: Ranking, pair: RankedPair) -> str:
    """Say one verdict in words first, numbers after."""
    # The first system has the higher score: where it loses all the same, that must be said.
    first = pair.better
    if pair.verdict == "worse":
        first = f"{first} has the higher score but"
    margin = None if result.margin is None else number(result.margin, digits=result.digits)
    second = pair.worse
    if pair.claim == "non-inferior":
        first, second = pair.worse, pair.better
    words = in_words(pair.verdict, first, second, claim=pair.claim, margin=margin)
    numbers = in_numbers(
        pair.difference,
        pair.interval,
        p=pair.p_of_verdict,
        scale=result.scale,
        digits=result.digits,
        alpha=result.alpha,
    )
    if pair.claim == "non-inferior":
        numbers = f"{pair.better} − {pair.worse} {numbers}"
    if pair.verdict != "undecided":
        return f"{words}: {numbers}."
    if pair.claim != "better":
        remark = margin_could_have_been(pair.mde, power=result.power, digits=result.digits)
    else:
        remark = could_have_seen(pair.mde, power=result.power, digits=result.digits)
    stuck = pair.attainable_p > result.alpha
    if stuck and pair.mde == pair.mde and pair.n_differing is not None:
        unit = "document" if result.unit == "document" else "item"
        few = few_differ(pair.n_differing, pair.n_flipped, unit, pair.attainable_p)
        more = would_make_differ(pair.mde, unit, power=result.power, digits=result.digits)
        remark = f"{few} {more}"
    speaks = not stuck or (pair.n_differing == 0 and pair.units_needed is None)
    if math.isnan(pair.mde) and speaks and result.preset is None:
        remark = _no_mde(pair)
    return f"{words}: {numbers}. {remark}".rstrip()


def _no_mde(pair: RankedPair) -> str:
    """Say why there is no detectable difference, though the test could reject."""
    if pair.n_flipped < 2:
        unit = "item" if pair.n_clusters is None else "document"
        return f"One {unit} says nothing about the next: nothing is claimed."
    if math.isnan(pair.standard_error):
        return "Its error is not known: some domain has one unit only."
    if pair.standard_error == 0.0:
        return "Nothing varies here, so that nothing can be shown."
    return "It rests on too few units of its own for any difference to be detected."


def _others(rest: int) -> str:
    return "the other system" if rest == 1 else f"the other {rest}"


# --- What tests of pairs of systems say, which only programs ask for ---


def say_paired_permutation(test: PairedPermutation) -> str:
    """Say how many pairs differ at .05, and the smallest p-value."""
    known = test.p_values[~np.isnan(test.p_values)]
    if not known.size:
        return "undecided: no pair was observed on any unit"
    apart = int((known < 0.05).sum())
    return (
        f"{apart:,} of {count(known.size, 'pair')} differ at .05, unadjusted "
        f"(smallest {p_statement(float(known.min()))})"
    )


def say_margin_test(test: MarginTest) -> str:
    """Say the verdict with its numbers."""
    words = in_words(
        test.verdict, "new", "old", claim="non-inferior", margin=f"{test.margin:g}"
    )
    known = None if math.isnan(test.limits.low) else test.limits
    p = test.p_inferior if test.verdict == "inferior" else test.p_noninferior
    shown = in_numbers(test.estimate, known, p=p, digits=3, alpha=test.alpha)
    return f"{capital(words)}: {shown}."


def say_randomization(test: Randomization) -> str:
    """Say the smallest and the largest p-value."""
    low, high = test.p_values.min(), test.p_values.max()
    return f"{test.p_values.size} tests, p from {low:.4f} to {high:.4f}"


def say_swap_calibration(found: SwapCalibration) -> str:
    """Say the level of each test."""
    parts = [f"{x.test} {x.share:.4f} (SE {x.standard_error:.4f})" for x in found.levels]
    return (
        f"With nothing to find, significant at {found.alpha:g}: {', '.join(parts)}; "
        f"{count(found.n_pairs, 'pair')}, {count(found.n_swaps, 'swap')} of whole "
        f"{found.swapped}s each."
    )


def say_campaign_pairs(found: CampaignPairs) -> str:
    """Say how many comparisons each test decides, then what pairing was worth."""
    return " ".join(_decided(found))


def show_campaign_pairs(found: CampaignPairs) -> Iterator[Block]:
    """Show how many comparisons each test decides, and every plain value."""
    first, *others = _decided(found)
    return show_plainly(found, first, " ".join(others))


def _decided(found: CampaignPairs) -> list[str]:
    sentences = [_more(found.tests[0], other) for other in found.tests[1:]]
    decided = ", ".join(
        f"{t.test} {t.significant:,} ({100 * t.share:.1f} %)" for t in found.tests
    )
    sentences.append(
        f"Of {count(found.n_pairs, 'comparison')} in {count(found.n_campaigns, 'campaign')}, "
        f"decided at {found.alpha:g}: {decided}."
    )
    if np.isnan(found.variance_ratio[1]):
        return [*sentences, "No two systems could be paired."]
    low, middle, high = (number(ratio) for ratio in found.variance_ratio)
    sentences.append(
        f"Pairing is worth {middle} times the judgments (quartiles {low} to {high}); "
        f"median correlation {number(found.correlation)}."
    )
    if any(t.test == "paired" for t in found.tests):
        sentences.append(f"The paired test speaks for {found.claim}.")
    return sentences


def _more(first: Decided, other: Decided) -> str:
    """Say in one sentence what another test adds to the first."""
    moved = f"({count(other.gained, 'comparison')} gained, {other.lost:,} lost)"
    if not first.significant:
        return (
            f"The {other.test} test decides {count(other.significant, 'comparison')}, "
            f"{first.test} none {moved}."
        )
    change = 100.0 * (other.significant / first.significant - 1.0)
    if change < 0.0:
        return (
            f"The {other.test} test decides {-change:.0f} % fewer comparisons than "
            f"{first.test} {moved}."
        )
    return (
        f"The same judgments decide {change:.0f} % more comparisons with the {other.test} test "
        f"than with {first.test} {moved}."
    )
