"""What the audit of a survey of studies shows."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count, number, p_statement
from detectable.report import blocks
from detectable.report.charts.past import MOST_STUDIES as MOST
from detectable.report.charts.past import Exaggerated, study_effects
from detectable.study.audit.survey_audit import SizeBand, SurveyAudit
from detectable.study.audit.tables import LARGE, SMALL, Reporting


def show_survey_audit(result: SurveyAudit) -> Iterator[blocks.Block]:
    """Show whether size and effect go together, and studies by size."""
    first, second, *rest = _sentences(result)
    yield blocks.Verdict("info", first, (second,))
    yield chart(result)
    yield _limits(rest)
    if result.reporting is not None:
        yield reporting(result, result.reporting)
    yield bands(result)
    yield studies(result)
    yield from blocks.notes(result.notes)
    yield _methods(result)


def chart(result: SurveyAudit) -> blocks.Chart:
    """Return the effects of all studies by their size."""
    exaggerated = tuple(
        Exaggerated(band.n, result.assumed_effect * band.type_m)
        for band in result.bands
        if not math.isnan(band.type_m)
    )
    title = _title(result)
    caption = (
        f"A dot is a study{'' if result.sizes.size <= MOST else '; a part of them is drawn'}."
    )
    assumed = number(result.assumed_effect, digits=result.digits)
    if exaggerated:
        caption += (
            f" Green, dashed: the true effect that is assumed, {assumed}. Orange: what a significant "
            "result of that size would show on average if it is true."
        )
    told = " ".join(
        f"{count(band.n_studies, 'study', 'studies')} of {_range(band)} items: median effect "
        f"{number(band.median_effect, digits=result.digits, sign=True)}."
        for band in result.bands
    )
    return blocks.Chart(
        "studies",
        title,
        caption,
        f"{title}. {told}",
        partial(
            study_effects,
            tuple(result.sizes.tolist()),
            tuple(result.effects.tolist()),
            assumed=result.assumed_effect,
            exaggerated=exaggerated,
        ),
        "studies",
        key=True,
    )


def _title(result: SurveyAudit) -> str:
    of = f"Of {count(result.n_studies, 'study', 'studies')}"
    if math.isnan(result.tau):
        return f"{of} size and effect cannot be compared"
    if result.p_value > result.alpha:
        what = "larger ones report neither larger nor smaller effects, as far as shown"
    else:
        what = f"larger ones report {'smaller' if result.tau < 0.0 else 'larger'} effects"
    return f"{of}, {what}: τ = {number(result.tau, digits=3)}"


def _limits(said: list[str]) -> blocks.Text:
    """Say what a typical study could have shown; where noise is not known, that it is not."""
    text = " ".join(said) or (
        "Nothing is known about the noise of a study, so that its power cannot be told."
    )
    return blocks.Text("limits", "What a study could have shown", text)


def reporting(result: SurveyAudit, found: Reporting) -> blocks.Table:
    """Return what the studies say of themselves, and what they do not."""
    rows: list[tuple[str, str]] = [("comparisons", f"{found.n_studies:,}")]
    if found.n_papers is not None:
        rows.append(("papers", f"{found.n_papers:,}"))
    rows += [
        ("spread of effects (SD)", number(found.effect_sd, digits=result.digits)),
        (f"at most {SMALL} items", _share(found.small)),
        (f"more than {LARGE} items", _share(found.large)),
        ("items not stated", _share(found.items_missing)),
    ]
    for what, missing, usual, share in (
        (
            "ratings per item",
            found.ratings_missing,
            found.usual_ratings,
            found.usual_ratings_share,
        ),
        ("raters", found.raters_missing, found.usual_raters, found.usual_raters_share),
    ):
        if missing is not None:
            rows.append((f"{what} not stated", _share(missing)))
        if usual is not None and share is not None:
            rows.append((f"{usual} {what}, the most frequent", _share(share)))
    columns = (
        blocks.Column("what", "quantity", "name", of=lambda row: row[0]),
        blocks.Column("value", "value", "text", of=lambda row: row[1]),
    )
    note = "Shares of sizes and numbers are of those that are stated."
    return blocks.table("reporting", "What the studies report", columns, rows, note=note)


def _share(share: float) -> str:
    return f"{100.0 * share:.1f}%"


def studies(result: SurveyAudit) -> blocks.Table:
    """Return size and effect of every study."""
    columns = (
        blocks.Column("n", "items", digits=0, of=lambda row: row[0]),
        blocks.Column(
            "effect", "effect", digits=result.digits, sign=True, of=lambda row: row[1]
        ),
    )
    rows = sorted(zip(result.sizes.tolist(), result.effects.tolist(), strict=True))
    return blocks.table("studies", "Every study", columns, rows, folded=len(rows) > blocks.LONG)


def _methods(result: SurveyAudit) -> blocks.Methods:
    said = (
        f"Size and effect of {count(result.n_studies, 'study', 'studies')} were compared by Kendall's "
        f"τ-b (Card et al., 2020): τ = {number(result.tau, digits=3)}, {p_statement(result.p_value)} "
        "(two-sided)."
    )
    if result.noise:
        said += (
            " Power and the average exaggeration of significant results (Type-M error; Gelman and "
            f"Carlin, 2014) are for a true effect of {number(result.assumed_effect, digits=result.digits)} "
            f"at α = {result.alpha:g}, assuming {result.noise}."
        )
    return blocks.Methods(
        said, ("card-etal-2020", *(("gelman-carlin-2014",) if result.noise else ()))
    )


def bands(result: SurveyAudit) -> blocks.Table:
    """Return one row per band of sizes: what the studies saw, and what they exaggerate."""
    known = bool(result.noise)
    columns = (
        blocks.Column("items", "items", "text", of=_range),
        blocks.Column("n_studies", "studies", "count"),
        blocks.Column("n", "median n", digits=0, short="median", keep=3),
        blocks.Column(
            "median_effect", "median effect", digits=result.digits, sign=True, short="effect"
        ),
        blocks.Column("effect_sd", "spread", digits=result.digits),
        blocks.Column("share_positive", "above 0", "share", digits=0, keep=2),
        blocks.Column("power", "power") if known else None,
        blocks.Column("type_m", "Type-M", digits=1) if known else None,
        blocks.Column("type_s", "Type-S", "share", digits=0, keep=2) if known else None,
    )
    note = ""
    if known:
        shown = f"{result.assumed_effect:.{result.digits}f}"
        note = (
            f"If the true effect is {shown}: power to see it, how many times as large a "
            "significant result is on average (Type-M), and how often its sign is wrong (Type-S)."
        )
    return blocks.table("bands", "Studies by size", columns, result.bands, note=note)


def _range(band: SizeBand) -> str:
    return f"{band.low:,}" if band.low == band.high else f"{band.low:,}–{band.high:,}"


def say_survey_audit(result: SurveyAudit) -> str:
    """Say how size and effect go together, and what the typical study exaggerates."""
    return " ".join(_sentences(result))


def _sentences(result: SurveyAudit) -> list[str]:
    """Return the sentences of the summary, how size and effect go together first."""
    if math.isnan(result.tau):
        together = "Size and effect cannot be compared: one of them is the same throughout."
    elif result.p_value > result.alpha:
        together = "Larger studies report neither larger nor smaller effects, as far as shown."
    elif result.tau < 0.0:
        together = (
            "Larger studies report smaller effects: as if small ones were published "
            "only where they saw a large one."
        )
    else:
        together = "Larger studies report larger effects."
    sentences = [
        together,
        f"Of {count(result.n_studies, 'study', 'studies')} Kendall's τ of n and effect is "
        f"{number(result.tau, digits=3)} ({p_statement(result.p_value)}); the median study has "
        f"{count(round(result.median_n), 'item')}.",
    ]
    known = [band for band in result.bands if not math.isnan(band.type_m)]
    if known:
        middle = min(known, key=lambda band: abs(math.log(band.n / result.median_n)))
        sentences.append(
            f"If the true effect is {number(result.assumed_effect, digits=result.digits)}"
            f"{'' if result.effect_given else ' (the median size reported)'}, a study of "
            f"{count(round(middle.n), 'item')} shows it with a power of "
            f"{number(middle.power)}, and a "
            f"significant result is {number(middle.type_m, digits=1)} times as large as the "
            f"truth, assuming {result.noise}."
        )
    return sentences
