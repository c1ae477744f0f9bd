"""What the bets on a difference show."""

import math
from collections.abc import Iterator

from detectable.core.wording import count, p_statement
from detectable.report.blocks import (
    Block,
    Chart,
    Methods,
    Repeat,
    Text,
    Verdict,
    notes,
    status_of,
)
from detectable.report.figures.anytime import (
    Watched,
    decision_stands,
    path_table,
    said,
    said_e,
    standing,
    watched_chart,
)
from detectable.sequential.e_process import EProcessTest, EvidencePath
from detectable.sequential.preference_process import PreferenceTest


def show(test: EProcessTest) -> Iterator[Block]:
    """Show the verdict, the evidence over time, and what it does not say."""
    headline = standing(test.verdict, test.decided_at, test.n, "judgment")
    detail = (f"{evidence(test)}, mean difference {said(test.estimate)}.",)
    yield Verdict(status_of(test.verdict), headline, detail)
    watched = watched_evidence(test)
    if watched is not None:
        yield chart(test, watched)
    yield limits()
    if watched is not None:
        yield path_table(watched)
    yield from notes(test.notes)
    low, high = test.bounds
    paragraph = (
        f"The difference of scores between {low:g} and {high:g} was tested with a betting e-process "
        f"with error rate {test.alpha:g} over all times, exact for any distribution. {detail[0]}"
    )
    yield Methods(paragraph, ("waudby-smith-ramdas-2024", "ramdas-etal-2023"))
    yield Repeat(str(test.signature))


def evidence(test: EProcessTest | PreferenceTest) -> str:
    """Say the evidence now, what decides, and the p-value of the largest so far."""
    return (
        f"E = {said_e(test.log_e)} now ({1 / test.alpha:,.4g} needed), {p_statement(test.p_value)} at "
        "any time"
    )


def watched_evidence(test: EProcessTest | PreferenceTest) -> Watched | None:
    """Return the path of a test, if it was kept."""
    path: EvidencePath | None = test.path
    if path is None or not len(path.log_e):
        return None
    return Watched(
        test.n,
        "judgment",
        logs=path.log_e.tolist(),
        decided=test.decided_at,
        verdict=test.verdict,
        needed=1.0 / test.alpha,
    )


def chart(test: EProcessTest | PreferenceTest, watched: Watched) -> Chart:
    """Return the evidence against what decides."""
    needed = f"{watched.needed:,.4g}"
    if test.decided_at is None:
        title = f"E has reached {said_e(test.log_peak)} of the {needed} that decide"
    else:
        fallen = "; it has fallen since" if test.log_e < math.log(watched.needed) else ""
        title = f"E reached {needed} at judgment {test.decided_at:,}: {test.verdict}{fallen}"
    caption = (
        "E is the wealth of a gambler in a game that is fair without a difference: it then reaches "
        f"the dashed line in at most {test.alpha:.0%} of evaluations, ever. "
        f"{decision_stands(watched)}"
    )
    alt = f"{title}. {evidence(test)}, after {count(test.n, 'judgment')}."
    return watched_chart(watched, title=title, caption=caption.rstrip(), alt=alt)


def limits() -> Text:
    """Say what a small E does not mean."""
    text = (
        "A small E says that nothing was shown, not that the systems are equal: parity needs a "
        "margin. The estimate after an early stop is too far from zero on average."
    )
    return Text("limits", "What this test does not say", text)
