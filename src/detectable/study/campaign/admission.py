"""Which work of a campaign counts: decided by its controls, block by block, before any look.

The blocks of a rater form a checkpoint as soon as they hold enough degraded copies with their
originals. It is decided once, by the rule of the plan; where a checkpoint ends does not depend on
when somebody asks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.store.records import Decision, JudgmentRow
from detectable.study.campaign.work import campaign_judgments
from detectable.study.monitoring.admission import control_pairs, decide_work
from detectable.study.monitoring.plan import Plan

MOST_FAILED = 3  # checkpoints after which a rater gets no more work


class AdmissionRule:
    """Decides finished work by the rule of a plan; all of it counts where the plan has none.

    Parameters
    ----------
    mixed : bool
        Whether controls of several lines hold other lines than degraded ones. The lines of a page
        share one place, and who scores a copy low as a whole has read nothing: so degraded lines
        are compared with those beside them, whatever the plan says.
    """

    def __init__(self, plan: Plan, *, mixed: bool = False) -> None:
        self._rule, self._scale, self._mixed = plan.admission, plan.scale, mixed

    def __call__(self, rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
        """Return what can be decided now, in the order in which it is to count.

        Parameters
        ----------
        rows : sequence of JudgmentRow
            Of finished, undecided work.
        ending : bool
            Whether no more controls will come: the rest is decided by ``few``.
        """
        if self._rule is None:
            return [
                Decision(rater=row.rater, works=((row.work, row.epoch),), admitted=True)
                for row in {(row.work, row.epoch): row for row in rows}.values()
            ]
        blocks: dict[str, dict[int, list[JudgmentRow]]] = {}
        for row in rows:
            blocks.setdefault(row.rater, {}).setdefault(row.block, []).append(row)
        found = [
            (rows[-1].done_at or 0.0, decision)
            for rater, own in blocks.items()
            for rows, decision in self._of_rater(self._rule, rater, own, ending=ending)
        ]
        # Whose checkpoint was complete first counts first.
        return [decision for _, decision in sorted(found, key=lambda one: one[0])]

    def _of_rater(
        self,
        rule: Mapping[str, Any],
        rater: str,
        blocks: Mapping[int, Sequence[JudgmentRow]],
        *,
        ending: bool,
    ) -> list[tuple[list[JudgmentRow], Decision]]:
        found = []
        held: list[JudgmentRow] = []
        last = max(blocks)
        for block in sorted(blocks):
            held += blocks[block]
            at_end = ending and block == last
            if not at_end and _copies(held) < rule["pairs"]:
                continue  # cannot be enough, whatever their originals are
            decision = self._decision(rule, rater, held, ending=at_end)
            if decision is not None:
                found.append((held, decision))
                held = []
        return found

    def _decision(
        self, rule: Mapping[str, Any], rater: str, rows: Sequence[JudgmentRow], *, ending: bool
    ) -> Decision | None:
        compared, degraded = self._controls(rule, rows)
        outcome, p = decide_work(rule, compared, degraded, ending=ending, lowest=self._scale[0])
        if outcome == "waiting":
            return None
        own = [r for r in rows if r.kind in ("system", "repeat") and r.score is not None]
        return Decision(
            rater=rater,
            works=tuple(dict.fromkeys((row.work, row.epoch) for row in rows)),
            admitted=outcome == "admitted",
            n_pairs=int(degraded.size),
            n_judgments=len(own),
            tested=degraded.size >= rule["pairs"],
            p_value=None if np.isnan(p) else p,
        )

    def _controls(
        self, rule: Mapping[str, Any], rows: Sequence[JudgmentRow]
    ) -> tuple[FloatArray, FloatArray]:
        """Return what copies are compared with, and their scores, of one rater.

        Work that was given out later shows fewer systems of a leaderboard, and of pairs every item
        shows two: each kind of it is compared with the systems that it shows. A page of one line
        has no lines beside it, and a place of its own.
        """
        shown: dict[tuple[int, int, str], set[str]] = {}
        lines: dict[tuple[int, int], set[str]] = {}
        for row in rows:
            if row.kind == "system":
                shown.setdefault((row.work, row.epoch, row.item), set()).add(row.system)
                lines.setdefault((row.work, row.epoch), set()).add(row.line or row.item)
        alike: dict[tuple[bool, tuple[str, ...]], list[JudgmentRow]] = {}
        for row in rows:
            systems = tuple(sorted(shown[row.work, row.epoch, row.item]))
            beside = self._mixed and len(lines[row.work, row.epoch]) > 1
            # A document in several parts has a copy of each.
            own = replace(row, document=row.part) if beside else row
            alike.setdefault((beside, systems), []).append(own)
        pairs = [
            control_pairs(
                {**rule, "against": "neighbours" if beside else "original"},
                campaign_judgments(part, self._scale, everything=True),
                systems,
            )
            for (beside, systems), part in alike.items()
            if any(row.score is not None for row in part)
        ]
        compared = [one for part in pairs for one, _ in part]
        degraded = [one for part in pairs for _, one in part]
        nothing = np.zeros(0)
        return np.concatenate([nothing, *compared]), np.concatenate([nothing, *degraded])


def _copies(rows: Sequence[JudgmentRow]) -> int:
    return sum(row.kind == "degraded" and row.score is not None for row in rows)
