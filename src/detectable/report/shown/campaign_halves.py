"""What forward against reverse data show over several campaigns, and of preferences."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median

from detectable.core.interval import Interval
from detectable.core.wording import capital, count, listing, number, p_statement
from detectable.core.wording import interval as in_brackets
from detectable.report import blocks
from detectable.report.charts import halves as drawn
from detectable.report.charts.theme import Spec
from detectable.study.translationese.campaigns import (
    CampaignHalves,
    TranslationeseBattles,
    TranslationeseCampaigns,
)

_COEFFICIENTS = ("pearson", "spearman", "kendall")
_TOLD = 12  # campaigns that are told one by one to those who cannot see


def say_campaigns(result: TranslationeseCampaigns) -> str:
    """Say what reverse data add, how two systems change, and how far the halves agree."""
    return "\n".join([_head(result), *_sentences(result)])


def show_campaigns(result: TranslationeseCampaigns) -> Iterator[blocks.Block]:
    """Show gains by campaign, changes of every two systems, and the correlations."""
    yield blocks.Verdict("info", _head(result), tuple(_sentences(result)))
    yield from _pictures(result)
    yield _table(result)
    if any(row.agreement for row in result.rows):
        yield _agreement(result)
    if result.left_out:
        left = tuple(("plain", f"{name}: {why}") for name, why in result.left_out.items())
        yield blocks.Text("limits", "Campaigns left out", points=left)  # type: ignore[arg-type]  # "plain" is a mark
    yield from blocks.notes(result.notes)
    known = any(row.means_only for row in result.rows)
    yield blocks.Methods(
        (
            "Published means on forward and on reverse data (Graham et al., 2020) were compared; "
            if known
            else "Segments were split by original language, campaign by campaign (Graham et al., 2020); "
        )
        + f"reverse − forward was taken for every system of {count(_n(result), 'campaign')}.",
        ("graham-etal-2020",),
    )


def _n(result: TranslationeseCampaigns) -> int:
    return len({row.campaign for row in result.rows})


def _head(result: TranslationeseCampaigns) -> str:
    first = result.measures[0]
    values = [value for row in result.of(first) for value in row.gains]
    up = sum(value > 0.0 for value in values)
    return (
        f"Leave reverse-created data out: {up} of {count(len(values), 'system')} in "
        f"{count(len(result.of(first)), 'campaign')} score higher on it in {result.label(first)}."
    )


def _sentences(result: TranslationeseCampaigns) -> Iterator[str]:
    for measure in result.measures:
        rows = result.of(measure)
        digits = result.digits[measure]
        values = sorted(value for row in rows for value in row.gains)
        low, high = (number(v, digits=digits, sign=True) for v in (values[0], values[-1]))
        pairs = [pair for row in rows for pair in row.changes]
        said = f"In {result.label(measure)}, reverse − forward is {low} to {high}"
        if pairs:
            opposite = sum(a * b < 0.0 for a, b in pairs)
            said += (
                f"; in {opposite:,} of {count(len(pairs), 'pair')} one system is raised and the "
                "other lowered"
            )
        yield f"{said}."
        worst = _worst(rows)
        if worst is not None:
            r, name = worst
            several = sum(bool(row.agreement) for row in rows) > 1
            said = f"least in {name}:" if several else "at"
            yield f"The halves agree {said} r = {number(r, digits=3)} ({result.label(measure)})."


def _worst(rows: Sequence[CampaignHalves]) -> tuple[float, str] | None:
    known = [(row.correlation("pearson"), row.campaign) for row in rows]
    known = [one for one in known if not math.isnan(one[0])]
    return min(known) if known else None


def _pictures(result: TranslationeseCampaigns) -> Iterator[blocks.Chart]:
    for measure in result.measures:
        yield gains_chart(result, measure)
    of_pairs = [
        measure for measure in result.measures if any(r.changes for r in result.of(measure))
    ]
    if of_pairs:
        yield changes_chart(result, of_pairs)
    for measure in result.measures:
        if any(row.agreement for row in result.of(measure)):
            yield agreement_chart(result, measure)


def gains_chart(result: TranslationeseCampaigns, measure: str) -> blocks.Chart:
    """Return a box for each campaign: Figures 1 and 2 of Graham et al. (2020)."""
    boxes = [drawn.Gains(row.campaign, row.gains) for row in result.of(measure)]
    return gains_of(
        boxes, result.label(measure), measure=measure, digits=result.digits[measure]
    )


def gains_of(
    boxes: Sequence[drawn.Gains], label: str, *, measure: str, digits: int
) -> blocks.Chart:
    """Return the chart of gains, with what it says; `label` is what the scores are."""
    values = [value for one in boxes for value in one.values]
    up = sum(value > 0.0 for value in values)
    title = (
        f"{up} of {count(len(values), 'system')} score{'s' * (up == 1)} higher on reverse data in "
        f"{label}"
    )
    told = " ".join(
        f"{one.name}: median {number(median(one.values), digits=digits, sign=True)} of "
        f"{count(len(one.values), 'system')}."
        for one in boxes[:_TOLD]
    )
    return blocks.Chart(
        f"gains-{measure}",
        title,
        "Reverse − forward of every system (dots), by campaign; box: quartiles, line: median.",
        f"{title}. {told}",
        partial(_draw_gains, tuple(boxes), label),
        "campaigns",
        key=True,
    )


def _draw_gains(boxes: Sequence[drawn.Gains], unit: str, width: int) -> Spec:
    return drawn.gains(boxes, unit=unit, width=width)


def changes_chart(result: TranslationeseCampaigns, measures: Sequence[str]) -> blocks.Chart:
    """Return the change of each of two systems against that of the other: Figure 3 there."""
    shown = tuple(
        drawn.Changes(
            result.label(measure),
            tuple(pair for row in result.of(measure) for pair in row.changes),
        )
        for measure in measures
    )
    return changes_of(shown)


def changes_of(shown: Sequence[drawn.Changes]) -> blocks.Chart:
    """Return the chart of changes, with what it says."""
    pairs = [pair for one in shown for pair in one.pairs]
    opposite = sum(a * b < 0.0 for a, b in pairs)
    title = (
        f"In {opposite:,} of {count(len(pairs), 'pair')} reverse data raise one system and lower "
        "the other"
    )
    told = " ".join(
        f"{one.label}: {sum(a * b < 0.0 for a, b in one.pairs):,} of {count(len(one.pairs), 'pair')}."
        for one in shown
    )
    return blocks.Chart(
        "changes",
        title,
        "Reverse − forward of two systems of one campaign. Dashed: both change alike. Hollow "
        "triangles: one is raised, the other lowered.",
        f"{title}. {told}",
        partial(_draw_changes, tuple(shown)),
        "campaigns",
    )


def _draw_changes(shown: Sequence[drawn.Changes], width: int) -> Spec:
    return drawn.changes(shown, width=width)


def agreement_chart(result: TranslationeseCampaigns, measure: str) -> blocks.Chart:
    """Return r, ρ and τ of every campaign: Figure 4 of Graham et al. (2020)."""
    shown = [
        drawn.Correlations(
            row.campaign, {name: row.correlation(name) for name in _COEFFICIENTS}
        )
        for row in result.of(measure)
        if row.agreement
    ]
    return correlations_of(shown, result.label(measure), id=f"agreement-{measure}")


def correlations_of(
    shown: Sequence[drawn.Correlations], label: str, *, id: str
) -> blocks.Chart:
    """Return the chart of correlations, with what it says; `label` is what the scores are."""
    values = [one.values["kendall"] for one in shown]
    ends = " to ".join(dict.fromkeys(number(f(values), digits=2) for f in (min, max)))
    title = f"In {label} the halves order the systems alike at τ = {ends}"
    signs = dict(zip(_COEFFICIENTS, ("r", "ρ", "τ"), strict=True))
    told = " ".join(
        f"{one.name}: "
        + ", ".join(f"{signs[name]} = {number(one.values[name], digits=3)}" for name in signs)
        + "."
        for one in shown[:_TOLD]
    )
    return blocks.Chart(
        id,
        title,
        "Scores on forward against scores on reverse data. Circle: Pearson's r, diamond: "
        "Spearman's ρ, triangle: Kendall's τ.",
        f"{title}. {told}",
        partial(_draw_agreement, tuple(shown)),
        "agreement",
    )


def _draw_agreement(shown: Sequence[drawn.Correlations], width: int) -> Spec:
    return drawn.correlations(shown, width=width)


def _table(result: TranslationeseCampaigns) -> blocks.Table:
    def digits(row: CampaignHalves) -> int:
        return result.digits[row.measure]

    columns = (
        blocks.Column("measure", "measure", "name"),
        blocks.Column("campaign", "campaign", "name"),
        blocks.Column("n_forward", "n forward", "count", of=lambda row: row.n_forward or None, keep=3),
        blocks.Column("n_reverse", "n reverse", "count", of=lambda row: row.n_reverse or None, keep=3),
        blocks.Column("systems", "systems", "count", of=lambda row: len(row.gains)),
        blocks.Column(
            "higher", "higher", "count", of=lambda row: sum(g > 0.0 for g in row.gains),
            help="systems that score higher on reverse data",
        ),
        blocks.Column(
            "median", "median gain", digits=digits, sign=True, of=lambda row: median(row.gains)
        ),
        blocks.Column("least", "least", digits=digits, sign=True, of=lambda row: min(row.gains), keep=2),
        blocks.Column("most", "most", digits=digits, sign=True, of=lambda row: max(row.gains), keep=2),
        blocks.Column("pairs", "pairs", "count", of=lambda row: len(row.changes) or None, keep=4),
        blocks.Column(
            "opposite", "opposite", "count", of=lambda row: sum(a * b < 0.0 for a, b in row.changes) if row.changes else None,
            help="pairs of which one is raised and the other lowered",
        ),
        blocks.Column(
            "changed", "changed", "count",
            of=lambda row: sum(p.change != "same" for p in row.pairs) if row.pairs else None,
            help="verdicts that are others without reverse data",
        ),
    )  # fmt: skip
    rows = sorted(result.rows, key=lambda row: result.measures.index(row.measure))
    return blocks.table(
        "campaigns", "Reverse − forward, campaign by campaign", columns, rows,
        breaks=[i for i in range(1, len(rows)) if rows[i].measure != rows[i - 1].measure],
    )  # fmt: skip


def _agreement(result: TranslationeseCampaigns) -> blocks.Table:
    columns = (
        blocks.Column("measure", "measure", "name"),
        blocks.Column("campaign", "campaign", "name"),
        *(
            blocks.Column(
                name, sign, digits=3, of=partial(CampaignHalves.correlation, coefficient=name)
            )
            for name, sign in zip(_COEFFICIENTS, ("r", "ρ", "τ"), strict=True)
        ),
    )
    rows = [row for measure in result.measures for row in result.of(measure) if row.agreement]
    return blocks.table(
        "agreement", "How far forward and reverse data score the systems alike", columns, rows
    )


# --- Preferences by original language ---


def say_battles(result: TranslationeseBattles) -> str:
    """Say who is preferred on each half."""
    return "\n".join([_battles_head(result), *_battle_sentences(result)])


def show_battles(result: TranslationeseBattles) -> Iterator[blocks.Block]:
    """Show who is preferred on each half, and by how much reverse data shift it."""
    yield blocks.Verdict("info", _battles_head(result), tuple(_battle_sentences(result)))
    yield _preferred(result)
    yield _preferences(result)
    yield _shifts(result)
    yield from blocks.notes(result.notes)
    yield blocks.Methods(
        f"Votes were split by original language ({result.language_pair}; Graham et al., 2020), and "
        "strengths were fitted on each half (Bradley and Terry, 1952). By how much reverse data shift "
        f"the share of wins was tested over {result.unit}s, corrected by Holm's method.",
        ("graham-etal-2020", "bradley-terry-1952", "holm-1979"),
    )


def _battles_head(result: TranslationeseBattles) -> str:
    return f"Go by forward data: {_found(result)}."


def _found(result: TranslationeseBattles) -> str:
    """Say which verdicts on forward data are not those on all votes."""
    pairs = zip(result.of("forward"), result.of("both"), strict=True)
    changed = [one for one, both in pairs if one.verdict != both.verdict]
    if not changed:
        return "who is preferred there is what all votes together say"
    names = listing([f"{one.first} against {one.second}" for one in changed], most=3)
    n = len(changed)
    return f"{count(n, 'verdict')} {'changes' if n == 1 else 'change'} without reverse data ({names})"


def _battle_sentences(result: TranslationeseBattles) -> Iterator[str]:
    for half in ("forward", "reverse"):
        rows = result.of(half)
        said = [
            f"{row.first} against {row.second} {number(100 * row.share, digits=1)}% of wins "
            f"{_in_percent(row.interval)}, {row.verdict}, {p_statement(row.p_adjusted)}"
            for row in rows
        ]
        first = rows[0]
        documents = (
            ""
            if first.n_documents is None
            else f" about {count(first.n_documents, 'document')}"
        )
        yield f"{half.capitalize()} ({count(first.n_votes, 'vote')}{documents}): {'; '.join(said)}."
    sure = [row for row in result.shifts if row.p_adjusted <= result.alpha]
    told = [
        f"{row.first} against {row.second} {number(100 * row.shift, digits=1, sign=True)} points"
        for row in sure
    ]
    yield (
        f"Reverse data significantly shift {count(len(sure), 'pair')} of {len(result.shifts)}"
        f"{': ' if told else ''}{listing(told, most=3)}."
    )


def _in_percent(interval: Interval) -> str:
    wide = Interval(100 * interval.low, 100 * interval.high, interval.level)
    return in_brackets(wide, digits=1)


def _preferred(result: TranslationeseBattles) -> blocks.Chart:
    rows = tuple(
        drawn.Preferred(f"{row.first} > {row.second}", row.half, row.share, row.interval)
        for row in result.preferences
    )
    told = " ".join(
        f"{row.first} against {row.second}, {row.half}: {number(100 * row.share, digits=1)}%."
        for row in result.preferences[:_TOLD]
    )
    title = capital(_found(result))
    return blocks.Chart(
        "preferences",
        title,
        f"Share of wins of the first with {1 - result.alpha:.0%} intervals for all pairs of a half "
        "together.",
        f"{title}. {told}",
        partial(_draw_preferred, rows),
        "preferences",
        key=True,
    )


def _draw_preferred(rows: Sequence[drawn.Preferred], width: int) -> Spec:
    return drawn.preferred(rows, width=width)


def _preferences(result: TranslationeseBattles) -> blocks.Table:
    columns = (
        blocks.Column("first", "first", "name"),
        blocks.Column("second", "second", "name"),
        blocks.Column("half", "half", "name"),
        blocks.Column("n_votes", "votes", "count", keep=3, help="of all systems on this half"),
        blocks.Column("n_documents", "documents", "count", keep=4),
        blocks.Column("share", "wins", "share", digits=1),
        blocks.Column(
            "interval", f"{1 - result.alpha:.0%} interval", "shares",
            of=lambda row: (row.interval.low, row.interval.high), digits=1,
        ),
        blocks.Column("p_adjusted", "p", "p"),
        blocks.Column("mde", f"MDE {result.power:.0%}", "share", digits=1, keep=2),
        blocks.Column("verdict", "verdict", "verdict"),
    )  # fmt: skip
    return blocks.table(
        "preferences", f"Who is preferred ({result.language_pair})", columns, result.preferences
    )


def _shifts(result: TranslationeseBattles) -> blocks.Table:
    columns = (
        blocks.Column("first", "first", "name"),
        blocks.Column("second", "second", "name"),
        blocks.Column("shift", "reverse − forward", digits=3, sign=True),
        blocks.Column(
            "interval", f"{1 - result.alpha:.0%} interval", "interval", digits=3, sign=True
        ),
        blocks.Column("p_value", "p alone", "p", keep=3),
        blocks.Column("p_adjusted", "p corrected", "p", help="Holm, over pairs"),
    )
    return blocks.table(
        "shifts",
        "By how much reverse data shift the share of wins of the first",
        columns,
        result.shifts,
        note=f"In the battles of the two; independent: {result.unit}s of each half.",
    )
