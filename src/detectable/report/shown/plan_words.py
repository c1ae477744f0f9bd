"""What a plan says: what is asked and how, what it can show, what it takes."""

import math

from detectable.core.wording import listing
from detectable.data.scores.direction import HEAVIEST_MQM
from detectable.study.monitoring.frozen_plan import (
    Expected,
    Plan,
    PlanOutlook,
    assumed_sd,
    judgments_per_item,
    outlook,
)
from detectable.study.monitoring.planned import (
    PREFERENCES,
    UNPAIRED,
    WITH_DOCUMENTS,
    ZERO_ONE,
    Planned,
)


def say_plan(plan: Plan) -> str:
    """Say what was planned, what it can show and what it takes."""
    return "\n".join([planned(plan), *outlook_sentences(plan)])


def planned(plan: Planned) -> str:
    """Say what was planned."""
    said = (f"Planned: {asked(plan)}", scope(plan), independence(plan), admitting(plan))
    return "\n".join(filter(None, said))


def asked(plan: Planned) -> str:
    """Say which systems are compared, what is to be shown, by what, and up to where."""
    who = (
        f"{listing([s for s in plan.systems if s != plan.baseline])} against {plan.baseline}"
        if plan.baseline is not None
        else f"all pairs of {listing(list(plan.systems))}"
    )
    end = "without an end" if plan.n_max is None else f"up to {plan.n_max:,} {plan.unit_name}"
    return f"{who}, {aim(plan)}, by {plan.test}, {end}, error rate {plan.alpha:g}."


def admitting(plan: Planned) -> str:
    """Say whose work will count."""
    if plan.admission is None:
        return ""
    few = "is refused" if plan.admission["few"] == "refuse" else "counts"
    where = "below their originals"
    if plan.admission.get("against") == "neighbours":
        where = "further below their originals than the lines beside them"
    return (
        f"Work counts once its rater has scored {plan.admission['pairs']} degraded copies {where} "
        f"({plan.admission['rule']}, p ≤ {plan.admission['alpha']:g}); with fewer at the end it "
        f"{few}."
    )


def aim(plan: Planned) -> str:
    """Say what is to be shown, without a verb: ``not worse by more than 0.5``."""
    if plan.claim == "better":
        return "better or worse" if plan.sided == 2 else "better"
    if plan.claim == "equivalent":
        return f"equivalent within ±{plan.margin:g}"
    return f"not worse by more than {plan.margin:g}"


def scope(plan: Planned, *, will_be: str = "will be") -> str:
    """Say about which raters the claims will be."""
    if plan.test == "mixed" or plan.unit == "rater":
        return f"The claims {will_be} about raters like those who judge."
    return (
        f"The claims {will_be} about the raters who judge; with raters as units, or the mixed "
        "model, they are about raters like them."
    )


def independence(plan: Planned) -> str:
    """Say that items count one by one, where they do whatever documents they come from."""
    if plan.test == "mixed" or (plan.unit != "item" and plan.test in WITH_DOCUMENTS):
        return ""
    if plan.unit == "item" or plan.test in PREFERENCES:
        return "Items count as independent, also those of one document."
    return (
        "Items count as independent; where they come from documents, plan paired-mean, "
        "sign-flip or e-process."
    )


def outlook_sentences(plan: Planned) -> list[str]:
    """Say the outlook: what it can show, what it takes, what it costs."""
    found = outlook(plan)
    said = [] if found.power is None else [_power_sentence(plan, found)]
    said += filter(None, [_document_sentence(plan)])
    if plan.anytime:
        said.append(
            "What bets can show depends on the whole distribution of the scores, so neither power "
            "nor detectable effect is stated."
        )
    if found.expected_judgments.most is not None:
        said.append(_judgment_sentence(plan, found))
    if found.cost is not None and found.cost.most is not None:
        said.append(_cost_sentence(plan, found.cost))
    return said


def _power_sentence(plan: Planned, found: PlanOutlook) -> str:
    share, target = f"{found.power or 0.0:.0%}", f"{found.target_power or 0.0:.0%}"
    start = f"If {_assumption(plan)}, {plan.n_max:,} {plan.unit_name} show"
    least = None if found.mde is None else f"{found.mde:.3g} or more"
    if plan.claim != "better":
        true = "nothing differs" if not found.effect else f"the difference is {found.effect:g}"
        more = "" if least is None else f", and with {target} if it is {least}"
        return f"{start} “{aim(plan)}” with {share} power if {true}{more}."
    what = "a lead in wins" if plan.test in PREFERENCES else "a difference"
    if found.mde_better is not None and plan.effect is None:
        return (
            f"{plan.n_max:,} {plan.unit_name} show P(better) − ½ of {found.mde_better:.3f} or more, "
            f"the scale of looks, with {target} power. If {_assumption(plan)}, that is a difference "
            f"of {found.mde:.3g}."
        )
    if plan.effect is None:
        return f"{start} {what} of {least} with {share} power."
    ranks = ""
    if found.mde_better is not None:
        ranks = f" (P(better) − ½ of {found.mde_better:.3f}, the scale of looks)"
    return (
        f"{start} {what} of {found.effect:g} with {share} power, and of {least}{ranks} with "
        f"{target}."
    )


def _assumption(plan: Planned) -> str:
    if plan.test in PREFERENCES and plan.sd is None:
        return "every comparison is decided"
    share = "three tenths" if plan.test in UNPAIRED else "a fifth"
    guess = f" (assumed: {share} of the scale)"
    if plan.scale == ZERO_ONE:
        guess = f" ({_of_answers(plan)})"
    elif not math.isfinite(plan.scale[1] - plan.scale[0]):
        guess = f" (assumed: {share} of {HEAVIEST_MQM:g}, the heaviest error of MQM)"
    of = "two outputs" if plan.test in UNPAIRED else "an item"
    return (
        f"the standard deviation of the difference of {of} is {assumed_sd(plan):.3g}"
        f"{'' if plan.sd is not None else guess}"
    )


def _of_answers(plan: Planned) -> str:
    """Say where the spread of right and wrong answers comes from."""
    if plan.agreement is not None:
        return f"0/1 answers that agree in {plan.agreement:.0%} of items"
    chance = "0/1 answers that agree only by chance"
    if plan.baseline_accuracy is not None:
        return f"{chance}, {plan.baseline_accuracy:.0%} of them right"
    others = "--sd" if plan.test in UNPAIRED else "--agreement, --sd"
    return f"assumes {chance}; give {others} or --pilot"


def _document_sentence(plan: Planned) -> str:
    """Say what documents cost, and what a single test would need: the number of other commands."""
    if plan.documents is None:
        return ""
    from detectable.planning.documents import DocumentSpread

    spread = DocumentSpread(**plan.documents)
    said = (
        f"The pilot's items come in documents of {spread.size:.3g}: design effect "
        f"{spread.design_effect:.1f}."
    )
    if plan.effect is None or plan.claim != "better":
        return said
    target = float(plan.design["power"])
    level = (1.0 if plan.sided == 2 else 2.0) * plan.alpha / len(plan.pairs)
    needed = spread.needed(plan.effect, alpha=level, power=target)
    if needed is None:
        return said
    return (
        f"{said} One test without looks finds {abs(plan.effect):g} with {target:.0%} power in "
        f"{needed:,} documents ({spread.items(needed):,} items); looks at the data take more."
    )


def _judgment_sentence(plan: Planned, found: PlanOutlook) -> str:
    judgments = found.expected_judgments
    text = f"At most {judgments.most:,.0f} judgments"
    if judgments.no_effect is None:
        return f"{text}."
    text += f"; about {judgments.no_effect:,.0f} expected without a difference"
    if found.effect:
        text += f", {judgments.effect:,.0f} with one of {found.effect:.3g}"
    advised = plan.claim == "better" and plan.design["futility"] != "none"
    return f"{text}{', if advice to give up is followed' if advised else ''}."


def _cost_sentence(plan: Planned, cost: Expected) -> str:
    each = judgments_per_item(plan.test, len(plan.systems))
    factors = f"{plan.n_max:,} items × {each} systems" if each > 1 else f"{plan.n_max:,} items"
    text = f"Cost: at most {factors} × {plan.cost_per_judgment:g} = {cost.most:,.10g}"
    if plan.budget is not None:
        text += f" of a budget of {plan.budget:,.10g}"
    if cost.no_effect is None:
        return f"{text}."
    text += f"; about {cost.no_effect:,.4g} expected without a difference"
    if cost.effect != cost.no_effect:
        text += f", {cost.effect:,.4g} with one"
    return f"{text}."
