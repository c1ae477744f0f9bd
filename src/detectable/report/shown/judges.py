"""What studies of a judge show: agreement, shares corrected for its errors, labels to plan."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.wording import (
    count,
    how_often,
    interval,
    number,
    p_statement,
    significant,
)
from detectable.report import blocks
from detectable.study.precision.judge_agreement import (
    MISLEADS,
    AltTest,
    JudgeAgreement,
    JudgeOnSystem,
)
from detectable.study.precision.judge_faults import LengthError
from detectable.study.precision.label_plan import Labels
from detectable.study.precision.rogan_gladen import CorrectedShare, RoganGladen


def show_judge_agreement(found: JudgeAgreement) -> Iterator[blocks.Block]:
    """Show bias and agreement by system, tables of answers, and bias between systems."""
    rest = [_sentence(row) for row in found.systems]
    apart = any(pair.verdict != "undecided" for pair in found.pairs)
    detail = tuple(rest) if len(rest) <= 3 else ()
    may = (stands_in(found),) if found.replaces is not None else ()
    yield blocks.Verdict(
        "warning" if apart else "info", favoured(found), (*may, *faults(found), *detail)
    )
    yield _limits(found)
    yield systems(found)
    if any(row.table is not None for row in found.systems):
        yield answers(found)
    if found.pairs:
        yield pairs(found)
    if found.replaces is not None:
        yield raters(found.replaces)
    if found.slices:
        yield slices(found)
    if found.length is not None:
        yield by_length(found.length)
    if found.repeats:
        yield repeats(found)
    if found.drift:
        yield drift(found)
    yield from blocks.notes(found.notes)
    yield _methods(found)


def _limits(found: JudgeAgreement) -> blocks.Text:
    said = (
        "Agreement does not replace labels: what a judge saves goes with the square of its "
        "correlation (detectable labels), and only labels show whether it favours a system."
    )
    misled = [row.system for row in found.systems if row.misleading]
    if misled:
        said += (
            f" {', '.join(misled)}: one answer makes up more than {MISLEADS:.0%}, so κ says little; "
            "look at the table of answers."
        )
    return blocks.Text("limits", "What this can tell", said)


def systems(found: JudgeAgreement) -> blocks.Table:
    """Return a row per system."""
    same = any(not math.isnan(row.share) for row in found.systems)
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("n_items", "labels", "count", keep=2),
        blocks.Column("bias", "judge − people", digits=3, sign=True),
        blocks.Column(
            "interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3, sign=True
        ),
        blocks.Column("correlation", "correlation"),
        blocks.Column("share", "same", "share", digits=1, keep=2) if same else None,
        blocks.Column("kappa", "κ", keep=3) if same else None,
        blocks.Column("ac1", "AC1", keep=3) if same else None,
        blocks.Column("ac1_error", "its error", digits=3, keep=5) if same else None,
        blocks.Column("krippendorff", "α", keep=4) if same else None,
    )
    return blocks.table("systems", "Judge and people", columns, found.systems)


def answers(found: JudgeAgreement) -> blocks.Table:
    """Return the four counts of every system whose answers are yes and no."""
    rows = [row for row in found.systems if row.table is not None]
    titles = ("both yes", "judge yes, people no", "judge no, people yes", "both no")
    columns = (
        blocks.Column("system", "system", "name"),
        *(
            blocks.Column(f"n{i}", title, "count", of=partial(_count, i))
            for i, title in enumerate(titles)
        ),
    )
    return blocks.table("answers", "Answers", columns, rows, folded=len(rows) > blocks.LONG)


def _count(place: int, row: JudgeOnSystem) -> int | None:
    return None if row.table is None else row.table[place]


def pairs(found: JudgeAgreement) -> blocks.Table:
    """Return a row for every two systems with enough labels in common."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("difference", "bias more by", digits=3, sign=True),
        blocks.Column(
            "interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3, sign=True
        ),
        blocks.Column("p_adjusted", "p", "p"),
        blocks.Column("verdict", "the judge's bias is", "verdict", short="bias"),
        blocks.Column("n_items", "labels", "count", keep=3),
    )
    return blocks.contrasts("pairs", "Is the bias the same?", columns, found.pairs)


def stands_in(found: JudgeAgreement) -> str:
    """Say whether the judge may stand in for raters."""
    test = found.replaces
    if test is None:
        return ""
    won = sum(row.replaced for row in test.raters)
    may = "may stand in" if test.passed else "is not shown to stand in"
    return (
        f"The judge {may} for raters: it represents the others as well as {won} of "
        f"{count(len(test.raters), 'rater')} do, allowed to be worse by {test.epsilon:g}. On "
        f"{100 * test.advantage:.0f} % of the outputs it is at least as close to them as a rater."
    )


def raters(test: AltTest) -> blocks.Table:
    """Return a row for every rater that was left out."""
    columns = (
        blocks.Column("rater", "left out", "name"),
        blocks.Column("n_items", "outputs", "count", keep=2),
        blocks.Column("n_units", f"{test.unit}s", "count", keep=3),
        blocks.Column("judge", "judge as close", "share", digits=1),
        blocks.Column("rater_itself", "rater as close", "share", digits=1),
        blocks.Column("p_value", "p", "p", keep=blocks.DATA_ONLY),
        blocks.Column("p_adjusted", "p", "p", help="corrected after Benjamini and Yekutieli"),
        blocks.Column(
            "replaced",
            "judge",
            "text",
            of=lambda row: "as good" if row.replaced else "not shown",
        ),
    )
    how = "equal answers" if test.closeness == "same" else "the root mean squared distance"
    return blocks.table(
        "raters",
        "May the judge stand in for a rater?",
        columns,
        test.raters,
        note=f"Closeness to the other raters by {how}. p: that the judge is worse than the rater by "
        f"{test.epsilon:g} or more (false discovery rate, Benjamini and Yekutieli).",
    )


def faults(found: JudgeAgreement) -> Iterator[str]:
    """Say where and when the judge errs: in slices, by length, again, and since earlier."""
    rows = found.slices or ()
    for row in rows[:1] if len(rows) == 2 else rows:  # of two, each says the same of the other
        if row.verdict != "undecided":
            more = "higher" if row.difference > 0.0 else "lower"
            yield (
                f"On {row.system} the judge scores {more} than on all others, by "
                f"{number(abs(row.difference), digits=3)} against people's scores "
                f"({p_statement(row.p_adjusted)})."
            )
    if found.slices and all(row.verdict == "undecided" for row in found.slices):
        yield f"No evidence that the judge errs more on one {found.signature.settings['by']} than on others."
    length = found.length
    if length is not None:
        told = 0.0 not in length.interval
        which = "longer" if length.slope > 0.0 else "shorter"
        said = (
            f"favours {which} outputs"
            if told
            else "is not shown to favour long or short outputs"
        )
        yield (
            f"The judge {said}: {number(length.slope, digits=3, sign=True)} "
            f"{interval(length.interval, digits=3, sign=True)} for every {_per(length)} more."
        )
    for again in found.repeats or ():
        yield (
            f"Asked again about one output of {again.system}, the judge says the same in "
            f"{again.share_same:.1%} of pairs ({count(again.n_items, 'output')})."
        )
    for then in found.drift or ():
        if then.verdict != "undecided":
            way = "higher" if then.difference > 0.0 else "lower"
            yield (
                f"The judge has drifted: it scores the same outputs of {then.system} {way} than earlier, "
                f"by {number(abs(then.difference), digits=3)} ({p_statement(then.p_adjusted)})."
            )
    if found.drift and all(then.verdict == "undecided" for then in found.drift):
        yield "No evidence that the judge has drifted."


def _per(length: LengthError) -> str:
    return (
        f"{length.per:,.0f} words"
        if length.unit == "words"
        else f"{length.per:g} of {length.column}"
    )


def slices(found: JudgeAgreement) -> blocks.Table:
    """Return a row for every slice, against all others."""
    columns = (
        blocks.Column("system", str(found.signature.settings["by"]), "name"),
        blocks.Column("n_items", "labels", "count", keep=2),
        blocks.Column("error", "judge − people", digits=3, sign=True),
        blocks.Column("absolute", "size of error", digits=3, keep=3),
        blocks.Column("difference", "more than others by", digits=3, sign=True),
        blocks.Column(
            "interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3, sign=True
        ),
        blocks.Column("p_adjusted", "p", "p"),
    )
    return blocks.contrasts("slices", "Where does the judge err?", columns, found.slices or ())


def by_length(found: LengthError) -> blocks.Table:
    """Return the slope of the error on the length."""
    columns = (
        blocks.Column("column", "length", "name"),
        blocks.Column("n_items", "labels", "count"),
        blocks.Column("shorter", "judge − people, shorter half", digits=3, sign=True),
        blocks.Column("longer", "longer half", digits=3, sign=True),
        blocks.Column("slope", f"for every {_per(found)}", digits=3, sign=True),
        blocks.Column(
            "interval", f"{found.interval.level:.0%} interval", "interval", digits=3, sign=True
        ),
        blocks.Column("p_value", "p", "p"),
    )
    return blocks.table("length", "Does the judge favour long outputs?", columns, (found,))


def repeats(found: JudgeAgreement) -> blocks.Table:
    """Return a row for every system that the judge scored several times."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("n_items", "outputs", "count"),
        blocks.Column("n_scores", "scores", "count", keep=2),
        blocks.Column("share_same", "the same again", "share", digits=1),
        blocks.Column("interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3),
        blocks.Column("spread", "SD of an output", digits=3),
        blocks.Column("noise", "share of variance", "share", digits=1),
    )
    return blocks.table(
        "repeats", "Does the judge repeat itself?", columns, found.repeats or ()
    )


def drift(found: JudgeAgreement) -> blocks.Table:
    """Return a row for every system that the judge scored now and earlier."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("n_items", "outputs", "count"),
        blocks.Column("share_same", "the same", "share", digits=1),
        blocks.Column("difference", "now − earlier", digits=3, sign=True),
        blocks.Column(
            "interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3, sign=True
        ),
        blocks.Column("p_adjusted", "p", "p"),
    )
    return blocks.contrasts("drift", "Has the judge drifted?", columns, found.drift or ())


def _methods(found: JudgeAgreement) -> blocks.Methods:
    n = sum(row.n_items for row in found.systems)
    said = (
        f"A judge was compared with people on {count(n, 'label')} of "
        f"{count(len(found.systems), 'system')}: bias (judge − people) with t intervals over "
        f"{found.unit}s, and agreement by Cohen's κ, Gwet's AC1 and Krippendorff's α."
    )
    if found.pairs:
        said += " Equal bias of two systems was tested on the items labelled for both (Holm)."
    if found.slices:
        said += (
            f" The errors of the judge by {found.signature.settings['by']} were each compared with those of "
            "all other labels (Holm)."
        )
    if found.length is not None:
        said += (
            f" Their slope on {found.length.column} was fitted within systems, with CR2 errors."
        )
    if found.drift:
        said += " Scores of the same outputs at two times were compared in pairs (Holm)."
    if found.replaces is None:
        return blocks.Methods(said, ("krippendorff-2011",))
    said += (
        " Whether the judge may stand in for raters was asked by the alternative annotator test "
        f"(Calderon et al., 2025), with ε = {found.replaces.epsilon:g} and t over {found.replaces.unit}s."
    )
    return blocks.Methods(said, ("krippendorff-2011", "calderon-etal-2025"))


# --- What shares corrected for a judge's errors show ---


def show_rogan_gladen(found: RoganGladen) -> Iterator[blocks.Block]:
    """Show the corrected shares, and what they assume."""
    first, *rest = _corrected_shares(found)
    yield blocks.Verdict("info", first, tuple(rest))
    text = (
        "The judge must err here as often as on the labelled data set; nothing in these data can "
        "show that it does. Some labels of this data set make the assumption needless: detectable "
        "control-variates."
    )
    yield blocks.Text("limits", "What this assumes", text)
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("share", "share", digits=3),
        blocks.Column("interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3),
        blocks.Column("untruncated", "uncut", digits=3, help="before it was cut to 0 to 1")
        if any(row.cut for row in found.systems)
        else None,
        blocks.Column("judged_share", "by the judge", digits=3),
        blocks.Column("sensitivity", "sensitivity", digits=3, keep=2),
        blocks.Column("specificity", "specificity", digits=3, keep=2),
        blocks.Column("standard_error", "standard error", digits=3, keep=4),
        blocks.Column("n_pool", "items", "count", keep=3),
        blocks.Column("n_right", "labels: right", "count", keep=3),
        blocks.Column("n_wrong", "labels: wrong", "count", keep=3),
    )
    yield blocks.table("systems", "Corrected shares", columns, found.systems)
    yield from blocks.notes(found.notes)
    yield blocks.Methods(
        f"The shares of {count(len(found.systems), 'system')} were corrected for the judge's "
        "sensitivity and specificity on another, labelled data set (Rogan and Gladen, 1978), with the intervals of "
        "Lang and Reiczigel (2014)."
    )


# --- What a plan of human labels shows ---


def show_labels(found: Labels) -> Iterator[blocks.Block]:
    """Show how many labels, what the judge saves, and what was assumed."""
    status: blocks.Status = "info" if found.n_labels is not None else "warning"
    yield blocks.Verdict(status, labels_needed(found), (_worth(found),))
    yield blocks.Text("limits", "What this rests on", _rests(found))
    rows = (
        ("labels", found.n_labels),
        ("labels without the judge", found.n_without),
        ("smallest pool", found.smallest_pool),
    )
    columns = (
        blocks.Column("what", "what", "name", of=lambda row: row[0]),
        blocks.Column("n", "number", "count", of=lambda row: row[1]),
    )
    yield blocks.table("labels", "Labels", columns, rows)
    yield from blocks.notes(found.notes)
    yield blocks.Methods(_label_methods(found), ("angelopoulos-etal-2023",))


def _rests(found: Labels) -> str:
    of = "scores" if found.goal == "half-width" else "differences of two systems"
    pool = "a pool of any size" if found.n_pool is None else f"a pool of {found.n_pool:,} items"
    said = (
        f"A standard deviation of {significant(found.sd)} and a correlation of "
        f"{number(found.correlation)} with the judge, both of {of}, and {pool}. Labels must be drawn "
        "at random from the pool."
    )
    if found.n_labels is not None:
        what = "half-width" if found.goal == "half-width" else "detectable difference"
        said += f" With so many labels the expected {what} is {significant(found.reached)}."
    return said


def _label_methods(found: Labels) -> str:
    n = (
        "no number of labels suffices"
        if found.n_labels is None
        else f"{found.n_labels:,} labels"
    )
    return (
        "The number of human labels was planned for an estimate that a judge corrects "
        f"(control variate, PPI++), for {found.goal} {significant(found.wanted)} with standard "
        f"deviation {significant(found.sd)} and correlation {number(found.correlation)}: {n}."
    )


def labels_needed(found: Labels) -> str:
    """Say how many labels are needed, or that labels will not do."""
    what = (
        f"a half-width of {significant(found.wanted)}"
        if found.goal == "half-width"
        else f"a difference of {significant(found.wanted)} to be found {how_often(found.power or 0.0)}"
    )
    if found.n_labels is None:
        return (
            f"More items, not more labels: {what} needs a pool of at least "
            f"{count(found.smallest_pool, 'item')}, and this one has {found.n_pool or 0:,}."
        )
    return (
        f"{count(found.n_labels, 'label')} for {what}; {found.n_without:,} without the judge."
    )


def say_labels(found: Labels) -> str:
    """Say how many labels are needed, and what the judge is worth."""
    return f"{labels_needed(found)}\n{_worth(found)}"


def _worth(found: Labels) -> str:
    if found.n_labels is None:
        return f"With all of them labelled it would be {significant(found.reached)}."
    saves = "no labels" if found.saved <= 0.0 else f"{found.saved:.0%} of the labels"
    with_quality = ""
    if found.quality_share is not None:
        with_quality = (
            f", for {found.quality_share:.1%} of the variance of a judgment is quality"
        )
    return (
        f"The judge saves {saves}, at a correlation of {number(found.correlation)} with judgments"
        f"{with_quality}: data efficiency {number(found.data_efficiency)}."
    )


def favoured(found: JudgeAgreement) -> str:
    """Say whether the judge favours a system, or that this is not known."""
    biased = [pair for pair in found.pairs if pair.verdict != "undecided"]
    if biased:
        pair = max(biased, key=lambda one: abs(one.difference))
        first, second = (
            (pair.system, pair.baseline)
            if pair.difference > 0.0
            else (pair.baseline, pair.system)
        )
        return (
            f"The judge favours {first} over {second} by {number(abs(pair.difference), digits=3)} "
            "more than people do: a comparison by the judge alone would be wrong."
        )
    if found.pairs:
        return (
            "No evidence that the judge favours a system, which is no proof that it does not."
        )
    [row] = found.systems
    return f"The judge scores {row.system} {_bias(row)} people do."


def say_judge_agreement(found: JudgeAgreement) -> str:
    """Say whether the judge is fair to all systems, and how far it agrees with people."""
    return "\n".join([favoured(found), *faults(found), *map(_sentence, found.systems)])


def _sentence(row: JudgeOnSystem) -> str:
    said = (
        f"{row.system}: bias {number(row.bias, digits=3, sign=True)} "
        f"{interval(row.interval, digits=3, sign=True)}, correlation {number(row.correlation)}"
    )
    if not math.isnan(row.share):
        said += f", {row.share:.1%} the same, κ {number(row.kappa)}, AC1 {number(row.ac1)}"
    return f"{said} ({count(row.n_items, 'label')})."


def _bias(row: JudgeOnSystem) -> str:
    if 0.0 in row.interval:
        return "neither shown higher nor lower than"
    return "higher than" if row.bias > 0.0 else "lower than"


def _corrected_share(row: CorrectedShare) -> str:
    """Say the corrected share beside that of the judge."""
    share, range_ = number(row.share, digits=3), interval(row.interval, digits=3)
    judged = number(row.judged_share, digits=3)
    said = f"{row.system}: {share} {range_}"
    if not row.cut:
        return f"{said} (the judge says {judged})."
    before = number(row.untruncated, digits=3)
    return f"{said} (uncorrected by the limits: {before}). The judge says {judged}."


def say_rogan_gladen(found: RoganGladen) -> str:
    """Say the corrected shares, and what they assume."""
    return "\n".join(_corrected_shares(found))


def _corrected_shares(found: RoganGladen) -> list[str]:
    return [
        *map(_corrected_share, found.systems),
        "This assumes that the judge errs here as often as on the labelled data set.",
    ]
