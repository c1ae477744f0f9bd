"""What a plan and its looks say beside their pictures: ledger, checks, a paragraph for a paper."""

from collections.abc import Sequence

from detectable.core.wording import count, listing
from detectable.report.blocks import Column, Mark, Methods, Table, Text, table
from detectable.report.shown.plan_words import aim, independence, scope
from detectable.sequential.families import family_row
from detectable.study.monitoring.ledger import clock_notes, is_earlier, said_time
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import LedgerEvent, PlanHistory

SHORT = 12  # letters of a fingerprint that distinguish plans
_TESTS = {
    "paired-mean": "the mean difference within items",
    "signed-rank": "Wilcoxon's signed-rank test of differences within items",
    "sign-flip": "an exact sign-flip test of differences within items",
    "rank-sum": "Wilcoxon's rank-sum test",
    "two-means": "the difference of two means",
    "proportions": "the difference of two proportions",
    "mixed": "a linear mixed model with raters and items as random effects",
    "preference": "the number of wins against losses",
    "e-process": "a betting e-process",
    "e-preference": "an e-process of wins and losses",
}
_FUTILITY = {
    "predictive-power": "predictive power",
    "conditional-power": "conditional power at the trend",
    "conditional-power-design": "conditional power at the planned effect",
    "beta-spending": "spending of the type II error",
    "p>.5": "p-values above one half",
    "p-above-half": "p-values above one half",
}


def ledger(history: PlanHistory) -> Table:
    """Return the looks as the ledger holds them, in order."""
    columns = (
        Column("look", "look", "count"),
        Column("time", "time", "text", of=lambda entry: said_time(entry.time)),
        Column("judgments", "judgments", "count"),
        Column("new_judgments", "new", "count", keep=2),
        Column("decision", "decision", "text"),
        Column(
            "fingerprint",
            "fingerprint",
            "text",
            keep=3,
            of=lambda entry: entry.fingerprint[:SHORT],
            help="of this entry and all before it",
        ),
    )
    return table("ledger", "The looks in order", columns, history.entries)


def admissions(history: PlanHistory) -> Table:
    """Return whose work was admitted before which look, and by how many control items."""
    columns = (
        Column(
            "look",
            "before look",
            "text",
            short="look",
            of=lambda row: "the end" if row.look is None else str(row.look),
        ),
        Column("rater", "rater", "text"),
        Column("outcome", "outcome", "text"),
        Column("n_judgments", "judgments", "count"),
        Column("n_pairs", "controls", "count", keep=2, help="control items that decided"),
        Column("p_value", "p", "p", keep=2, help="small where the rater told degraded copies"),
    )
    return table("admissions", "Work admitted by control items", columns, history.admissions)


def events(history: PlanHistory) -> Table:
    """Return what happened besides looks."""
    columns = (
        Column("time", "time", "text", of=lambda one: said_time(one.time)),
        Column("event", "event", "text"),
        Column("after_look", "after look", "count"),
        Column("detail", "what", "text", of=_what),
    )
    return table("events", "What happened besides looks", columns, history.events)


def _what(one: LedgerEvent) -> str:
    """Say the details of an event in a few words."""
    if one.event == "needed":
        return f"only {listing(one.detail['systems'])} still judged"
    if one.event == "campaign":
        told = "decisions and numbers" if one.detail["reveal"] == "full" else "decisions only"
        return (
            f"{one.detail['name']} opened: {one.detail['protocol']}, {told} told before the end"
        )
    if one.event == "erasure":
        n = count(int(one.detail["judgments"]), "judgment")
        return f"{n} of {one.detail['rater']} deleted on request"
    if one.event == "void":
        return f"work of {one.detail['rater']}, by {one.detail['who']}: {one.detail['reason']}"
    if one.event == "final":
        return f"concluded with {count(int(one.detail['units']), 'item')}"
    said = [str(one.detail.get(name) or "") for name in ("who", "reason")]
    return ": ".join(text for text in said if text)


def checks(history: PlanHistory) -> Text:
    """Return whether everything went as planned."""
    plan, entries = history.plan, history.entries
    points: list[tuple[Mark, str]] = [_frozen(history)]
    if entries:
        points.append(
            (
                "ok",
                f"{count(len(entries), 'look')}, each with the fingerprint of the one before: nothing "
                f"was changed, removed or put in between. The last: {entries[-1].fingerprint[:SHORT]}.",
            )
        )
    for entry in entries:
        if entry.overruled:
            points.append(
                (
                    "look",
                    f"Look {entry.look} went on against the advice to give up. The error rate holds: "
                    "boundaries never count on that advice.",
                )
            )
        if entry.declared:
            points.append(
                (
                    "look",
                    f"Look {entry.look} was declared the last. The error rate holds if the reason "
                    "has nothing to do with the results.",
                )
            )
    points += [("look", text) for text in clock_notes([entry.time for entry in entries])]
    said = (scope(plan, will_be="are" if entries else "will be"), independence(plan))
    points += [("plain", text) for text in said if text]
    return Text("checks", "Assumptions and checks", points=tuple(points))


def _frozen(history: PlanHistory) -> tuple[Mark, str]:
    plan, entries = history.plan, history.entries
    when = f"The plan was frozen on {said_time(plan.created)}"
    stamp = f"Its fingerprint: {plan.fingerprint[:SHORT]}."
    if not entries:
        return "ok", f"{when}, and nobody has looked yet. {stamp}"
    first = entries[0].time
    if plan.created == first or is_earlier(plan.created, first):
        return "ok", f"{when}, before the first look ({said_time(first)}). {stamp}"
    return "look", f"{when}, after the first look ({said_time(first)}). {stamp}"


def methods(plan: Plan, *, found: str = "", cite: Sequence[str] = ()) -> Methods:
    """Return the paragraph for a paper: what was planned, and `found`, what came of it."""
    said = (
        f"Before any judgment was seen, a plan was frozen (SHA-256 {plan.fingerprint[:SHORT]}…): to "
        f"test {_question(plan)} by {_TESTS[plan.test]}, {_end(plan)}. {_rule(plan)}"
    )
    keys = [*_cite(plan), *cite]
    return Methods(f"{said}{f' {found}' if found else ''}", tuple(dict.fromkeys(keys)))


def _question(plan: Plan) -> str:
    """Say what is to be shown of whom."""
    if plan.baseline is None and len(plan.pairs) > 1:
        whom, verb, other = (
            f"of every two of {len(plan.systems)} systems one",
            "is",
            "the other",
        )
    else:
        names = list(dict.fromkeys(system for system, _ in plan.pairs))
        whom, verb, other = (
            listing(names, most=6),
            "is" if len(names) == 1 else "are",
            plan.pairs[0][1],
        )
    if plan.claim == "equivalent":
        return f"whether {whom} {verb} equivalent to {other} within ±{plan.margin:g}"
    if plan.claim == "non-inferior":
        return f"whether {whom} {verb} not worse than {other} by more than {plan.margin:g}"
    return f"whether {whom} {verb} {aim(plan)} than {other}"


def _end(plan: Plan) -> str:
    if plan.n_max is None:
        return "without an end"
    return f"on up to {plan.n_max:,} {plan.unit_name}"


def _rule(plan: Plan) -> str:
    """Say when it stops, and at which error rate."""
    pairs = count(len(plan.pairs), "comparison")
    if plan.anytime:
        several = f", over all {pairs} by e-Holm" if len(plan.pairs) > 1 else ""
        return (
            f"The evidence could be looked at at any time; the error rate over all times is "
            f"{plan.alpha:g}{several}."
        )
    design = plan.design_at(plan.alpha / len(plan.pairs))
    sides = "two-sided" if plan.sided == 2 and plan.claim == "better" else "one-sided"
    looks = count(len(design.information), "look")
    several = (
        f" The {pairs} share the error rate by Holm's procedure for group-sequential tests."
        if len(plan.pairs) > 1
        else ""
    )
    advice = ""
    rule = str(plan.design.get("futility", "none"))
    if rule != "none" and plan.claim == "better":
        advice = f" Advice to give up came from {_FUTILITY.get(rule, rule)} and is not binding."
    if len(design.information) == 1:
        return f"It allowed for one look, {sides}, at error rate {plan.alpha:g}.{several}"
    shares = listing([f"{share:.0%}" for share in design.information], most=12)
    return (
        f"It allowed for {looks} (planned at {shares} of the maximum) with "
        f"{design.family_in_words()} boundaries, {sides}, with an error rate of {plan.alpha:g} over "
        f"all looks.{several}{advice}"
    )


def _cite(plan: Plan) -> list[str]:
    if plan.anytime:
        keys = ["ramdas-etal-2023"]
        if plan.test == "e-process":
            keys += ["waudby-smith-ramdas-2024", "waudby-smith-etal-2024"]
        return [*keys, "holm-1979"] if len(plan.pairs) > 1 else keys
    keys = ["jennison-turnbull-2000"]
    family = str(plan.design["family"])
    if family_row(family).spends:
        keys.append("lan-demets-1983")
    cite = family_row(family).cite
    if cite and cite not in keys:
        keys.append(cite)
    return [*keys, "maurer-bretz-2013"] if len(plan.pairs) > 1 else keys
