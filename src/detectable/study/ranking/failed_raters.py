"""Raters who failed the check on degraded copies: what the ranking would say without them."""

import numpy as np

from detectable.core.errors import DetectableError
from detectable.core.execute import Engine
from detectable.core.verdict import Verdict
from detectable.core.wording import count, listing
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.prepare import prepare
from detectable.study.ranking.run import run
from detectable.study.ranking.settings import RankSettings
from detectable.study.ranking.verdicts import decide_pairs
from detectable.study.raters.rater_check import check_rater
from detectable.study.raters.rater_pairs import pair_up

_CHECK_LEVEL = 0.05  # of WMT's rule for raters
_NAMED = 3

Named = dict[frozenset[str], tuple[str, Verdict]]  # pair → (system it is about, verdict)


def failed_raters(judgments: Judgments) -> tuple[str, ...]:
    """Return the raters who do not score degraded copies below their originals.

    By WMT's rule, a one-sided paired t test at .05. Who judged too few copies to be tested is not
    among them.
    """
    if judgments.rater is None or not judgments.is_kind("degraded").any():
        return ()
    pairs = pair_up(judgments)
    found = []
    for code, name in enumerate(judgments.rater.levels):
        p = check_rater(*pairs.of(code), "paired-t", _CHECK_LEVEL).p_value
        if p > _CHECK_LEVEL:  # not a number is no failure
            found.append(name)
    return tuple(found)


def without_failed_raters(
    judgments: Judgments, verdicts: Named, settings: RankSettings, engine: Engine
) -> tuple[str, ...]:
    """Rank again without the raters who failed, and say whether a verdict depends on them.

    The ranking itself keeps them: whom to leave out must be decided before the results are seen.
    """
    failed = failed_raters(judgments)
    if not failed or judgments.rater is None:
        return ()
    who = (
        f"{len(failed):,} of {count(judgments.rater.n_levels, 'rater')} who failed the check on "
        f"degraded copies ({listing(list(failed))})"
    )
    codes = [judgments.rater.levels.index(name) for name in failed]
    kept = judgments.take(~np.isin(judgments.rater.codes, codes))
    try:
        prepared = prepare(kept, settings)
        outcome = run(prepared, settings, engine)
    except DetectableError:
        return (f"{who}: without them there is too little left to rank.",)
    again = decide_pairs(outcome, settings).verdicts
    names = prepared.scores.systems
    changed = []
    for (a, b), verdict in zip(outcome.pairs, again, strict=True):
        before = verdicts.get(frozenset((names[a], names[b])))
        if before is None:
            continue
        # The order of two close systems may turn, and with it who is called better.
        now = verdict if before[0] == names[a] else _TURNED.get(verdict, verdict)
        if now != before[1]:
            other = names[b] if before[0] == names[a] else names[a]
            changed.append(
                f"{before[0]} against {other}: with them {before[1]}, without them {now}"
            )
    if not changed:
        return (f"{who}: without them every verdict is the same.",)
    more = "" if len(changed) <= _NAMED else f"; and {len(changed) - _NAMED} more"
    verb = "The verdict depends" if len(changed) == 1 else f"{len(changed)} verdicts depend"
    return (f"{verb} on {who}. {'; '.join(changed[:_NAMED])}{more}.",)


_TURNED: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}
