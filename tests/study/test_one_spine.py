"""One ragged table, one difference: every study that compares two systems finds the same bits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.planning.pilot import Pilot
from detectable.study.archive.campaign_pairs import campaign_pairs
from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import Plan, plan
from detectable.study.precision.control_variates import control_variates
from detectable.study.ranking.rank_systems import rank_systems

SYSTEMS = ("new", "old", "other")
PAIR = ("new", "old")


def ragged(*, raters: bool = True, kinds: bool = True) -> Judgments:
    """Return two campaigns with gaps, repeats, documents, degraded copies and a reference."""
    rng = np.random.default_rng(5)
    rows: list[dict[str, Any]] = []
    for campaign in ("first", "second"):
        for item in rng.permutation(60).tolist():
            ease = rng.normal(0, 12)
            for rater in rng.choice(9, rng.integers(1, 5), replace=False).tolist():
                for number, system in enumerate(SYSTEMS):
                    for kind in ("degraded", "system", "repeat", "reference"):
                        often = {
                            "system": 0.9,
                            "repeat": 0.15,
                            "degraded": 0.1,
                            "reference": 0.05,
                        }
                        if rng.random() > often[kind]:
                            continue
                        level = 60 + ease + 3 * number + rater + rng.normal(0, 7)
                        row = {
                            "campaign": campaign,
                            "system": system,
                            "item": item,
                            "document": f"d{item // 2}",
                            "rater": f"r{rater}",
                            "kind": kind,
                            "score": round(float(np.clip(level, 0, 100)), 1),
                        }
                        rows.append(row)
    if not kinds:
        rows = [row for row in rows if row["kind"] in ("system", "repeat")]
    names = [name for name in rows[0] if raters or name != "rater"]
    columns = {name: [row[name] for row in rows] for name in names}
    return Judgments.build(columns, repeated="mark")


def ranked(judgments: Judgments, **settings: Any) -> float:
    """Return the difference of the pair in a ranking, which puts the better one first."""
    ranking = rank_systems(
        judgments, campaign="first", n_resamples=100, correction="none", rng=1, **settings
    )
    rows = {(row.better, row.worse): row.difference for row in ranking.pairs}
    return rows[PAIR] if PAIR in rows else -rows[PAIR[::-1]]


def planned(folder: Path, unit: str) -> Plan:
    return plan(
        folder / f"{unit}.json",
        systems=list(PAIR),
        n_max=100 if unit != "rater" else 400,
        unit=unit,  # type: ignore[arg-type]
        seed=1,
    )


def looked(judgments: Judgments, folder: Path, unit: str) -> tuple[float, float]:
    """Return what a look and the conclusion after it say about the pair."""
    frozen = planned(folder, unit)
    part = judgments.where(campaign="first")
    row = look(frozen, part, final=True).pairs[0]
    return row.estimate, conclude(frozen).pairs[0].naive_estimate


def in_archive(judgments: Judgments, unit: str) -> float:
    found = campaign_pairs(judgments, unit=unit).to_columns()  # type: ignore[arg-type]
    names = list(zip(found["campaign"], found["first"], found["second"], strict=True))
    column = found["paired difference"]
    if ("first", *PAIR) in names:
        return float(column[names.index(("first", *PAIR))])
    return -float(column[names.index(("first", *PAIR[::-1]))])


def replayed(judgments: Judgments) -> float:
    archive = ComparisonArchive.from_judgments(judgments)
    names = dict(zip(archive.names, archive.differences.tolist(), strict=True))
    if "first: new – old" in names:
        return float(names["first: new – old"])
    return -float(names["first: old – new"])


def controlled(judgments: Judgments) -> float:
    """Return the plain difference beside a metric whose items come in another order."""
    rng = np.random.default_rng(6)
    items = [*judgments.item.levels[::-1], "more"]
    scores = Scores.build({name: rng.normal(0, 1, len(items)) for name in SYSTEMS}, items=items)
    part = judgments.where(campaign="first")
    (row,) = [
        row
        for row in control_variates(part, scores).pairs
        if {row.system, row.baseline} == set(PAIR)
    ]
    assert row.paired
    return row.plain_estimate if row.system == PAIR[0] else -row.plain_estimate


def piloted(judgments: Judgments) -> float:
    return Pilot.judgments(judgments.where(campaign="first"), *PAIR).units.observed


def by_hand(judgments: Judgments, *, items: bool) -> float:
    """Return the mean difference within raters, by a loop: of items, or of their raters."""
    scores: dict[tuple[str, ...], list[float]] = {}
    columns = judgments.to_columns()
    for row in range(judgments.n_judgments):
        if columns["campaign"][row] == "first" and columns["kind"][row] in ("system", "repeat"):
            key = tuple(columns[name][row] for name in ("item", "rater", "system"))
            scores.setdefault(key, []).append(columns["score"][row])
    means = {key: float(np.mean(values)) for key, values in scores.items()}
    found: dict[str, list[float]] = {}
    for item, rater, system in means:
        if system == PAIR[0] and (item, rater, PAIR[1]) in means:
            d = means[item, rater, PAIR[0]] - means[item, rater, PAIR[1]]
            found.setdefault(item, []).append(d)
    if items:
        return float(np.mean([np.mean(d) for d in found.values()]))
    return float(np.mean([one for d in found.values() for one in d]))


def test_within_raters_by_item(tmp_path: Path) -> None:
    judgments = ragged()
    expected = ranked(judgments, test="permutation")
    assert expected == pytest.approx(by_hand(judgments, items=True), abs=1e-9)
    assert ranked(judgments, test="signed-rank", unit="item") == expected
    for unit in ("item", "document"):
        assert looked(judgments, tmp_path, unit) == (expected, expected)
        assert in_archive(judgments, unit) == expected
    assert piloted(judgments) == expected


def test_within_raters_by_rater(tmp_path: Path) -> None:
    judgments = ragged()
    expected = in_archive(judgments, "rater")
    assert expected == pytest.approx(by_hand(judgments, items=False), abs=1e-9)
    assert expected != in_archive(judgments, "item")  # another question, another answer
    assert looked(judgments, tmp_path, "rater") == (expected, expected)
    assert replayed(judgments) == expected


def test_without_raters_items_are_compared(tmp_path: Path) -> None:
    judgments = ragged(raters=False)
    expected = ranked(judgments, test="permutation")
    assert looked(judgments, tmp_path, "item") == (expected, expected)
    assert in_archive(judgments, "item") == expected
    assert replayed(judgments) == expected
    assert controlled(judgments) == expected
    # With raters the metric stands beside the same means of all judgments of an item.
    assert controlled(ragged()) == expected


def test_what_is_no_output_of_a_system_changes_nothing(tmp_path: Path) -> None:
    with_controls, without = ragged(), ragged(kinds=False)
    assert with_controls.n_judgments > without.n_judgments
    for study in (ranked, replayed, controlled, piloted):
        assert study(with_controls) == study(without)
    assert in_archive(with_controls, "item") == in_archive(without, "item")
    (tmp_path / "without").mkdir()
    expected = looked(without, tmp_path / "without", "item")
    assert looked(with_controls, tmp_path, "item") == expected


def test_a_third_system_and_the_order_of_rows_change_nothing() -> None:
    judgments = ragged()
    alone = judgments.take(judgments.system.codes != judgments.system.levels.index("other"))
    shuffled = judgments.take(np.random.default_rng(7).permutation(judgments.n_judgments))
    expected = in_archive(judgments, "rater")
    assert in_archive(alone, "rater") == replayed(alone) == expected
    assert in_archive(shuffled, "rater") == pytest.approx(expected, abs=1e-12)


def test_mixed_models_agree_where_nothing_is_missing() -> None:
    rng = np.random.default_rng(8)
    rows = [
        (s, i, f"r{r}", float(np.clip(60 + 3 * k + rng.normal(0, 9), 0, 100)))
        for i in range(12)
        for r in range(4)
        for k, s in enumerate(SYSTEMS)
    ]
    names = ("system", "item", "rater", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    judgments = Judgments.build({**columns, "campaign": ["first"] * len(rows)})
    plain, mixed = (ranked(judgments, test=t, unit="item") for t in ("permutation", "mixed"))
    assert mixed == pytest.approx(plain, rel=1e-9)
