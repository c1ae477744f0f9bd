"""Agreement of raters: against scipy, on crossed data, and what is left out."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, SuspiciousDataWarning
from detectable.data.factor import Factor, factor
from detectable.data.human.judgments import Judgments
from detectable.report.shown.rater_agreement import grade
from detectable.study.precision.rater_agreement import SpanAgreement, agreement
from detectable.study.precision.variance_sums import combined_codes, rater_cells
from tests.study.precision.crossed import EVERYTHING, crossed


@pytest.mark.golden
def test_pairs_are_those_of_scipy() -> None:
    from scipy.stats import pearsonr, spearmanr

    judgments = crossed(np.random.default_rng(1), items=300, raters=5, per_item=3)
    rounded = Judgments.build(
        {**judgments.to_columns(), "score": np.rint(judgments.score / 5)}, scale=EVERYTHING
    )
    found = agreement(rounded)
    assert len(found.pairs) == 10
    columns = rounded.to_columns()
    by_rater: dict[str, dict[str, float]] = {}
    for item, rater, score in zip(
        columns["item"], columns["rater"], columns["score"], strict=True
    ):
        by_rater.setdefault(rater, {})[item] = score
    for pair in found.pairs:
        one, other = by_rater[pair.rater], by_rater[pair.other]
        shared = sorted(one.keys() & other.keys())
        x, y = [one[i] for i in shared], [other[i] for i in shared]
        assert pair.n_translations == len(shared)
        assert pair.pearson == pytest.approx(pearsonr(x, y).statistic)
        assert pair.spearman == pytest.approx(spearmanr(x, y).statistic)
        assert pair.mean_difference == pytest.approx(np.mean(x) - np.mean(y))
    sizes = [pair.n_translations for pair in found.pairs]
    assert sizes == sorted(sizes, reverse=True)
    mean = np.average([pair.pearson for pair in found.pairs], weights=sizes)
    assert found.pearson == pytest.approx(mean)


def test_alpha_is_the_share_of_quality_in_crossed_data() -> None:
    rng = np.random.default_rng(2)
    found = [agreement(crossed(rng, items=150)).krippendorff for _ in range(60)]
    assert abs(np.mean(found) - 0.25) < 3 * np.std(found, ddof=1) / 60**0.5


def test_only_systems_own_output_counts_and_repeats_are_dropped() -> None:
    columns = {
        "system": ["A"] * 8,
        "item": [1, 1, 1, 2, 2, 3, 3, 1],
        "rater": ["v", "v", "w", "v", "w", "v", "w", "w"],
        "score": [10, 90, 10, 20, 20, 30, 31, 0],
        "kind": ["system"] * 7 + ["degraded"],
    }
    found = agreement(Judgments.build(columns, repeated="mark"), min_overlap=3)
    assert found.krippendorff > 0.99
    assert (found.n_translations, found.n_judgments, found.n_raters) == (3, 6, 2)
    assert any("1 repeat by the same rater" in note for note in found.notes)
    assert any("1 degraded" in note for note in found.notes)
    assert "Raters agree well" in found.summary()


def test_the_size_of_blocks_does_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = crossed(np.random.default_rng(4), raters=8, per_item=4)
    whole = agreement(judgments, min_overlap=3)
    assert len(whole.pairs) > 3
    monkeypatch.setattr("detectable.study.precision.variance_sums._PAIRS", 20)
    assert agreement(judgments, min_overlap=3) == whole


def test_too_little_in_common_gives_no_correlation() -> None:
    judgments = crossed(np.random.default_rng(3), items=40, raters=200)
    found = agreement(judgments)
    assert (found.pairs, np.isnan(found.pearson)) == ((), True)
    assert found.n_pairs_below > 0
    assert "No two raters share 10 translations" in found.summary()
    assert found == agreement(judgments) or np.isnan(found.pearson)


def test_a_rater_who_gives_one_score_has_no_correlation() -> None:
    columns = {
        "system": ["A"] * 8,
        "item": [1, 1, 2, 2, 3, 3, 4, 4],
        "rater": ["v", "w"] * 4,
        "score": [50, 10, 50, 20, 50, 30, 50, 40],
    }
    found = agreement(Judgments.build(columns), min_overlap=4)
    assert np.isnan(found.pairs[0].pearson)
    assert grade(found) == "no better than chance"


@pytest.mark.parametrize(("documents", "known"), [(1, False), (3, False), (4, True)])
def test_an_interval_needs_four_documents(documents: int, known: bool) -> None:
    found = agreement(crossed(np.random.default_rng(4), items=40, documents=documents))
    assert (found.interval is not None) == known
    assert any("No interval is given" in note for note in found.notes) == (not known)


def test_with_two_raters_the_interval_holds_for_these_two() -> None:
    rng = np.random.default_rng(5)
    two, three = (agreement(crossed(rng, items=40, raters=n, documents=8)) for n in (2, 3))
    assert two.interval is not None
    assert any("holds for these two raters" in note for note in two.notes)
    assert not any("these two" in note for note in three.notes)


def test_the_interval_is_the_jackknife_of_documents_and_raters() -> None:
    from scipy.stats import t

    judgments = crossed(np.random.default_rng(6), items=40, raters=5, documents=8)
    found = agreement(judgments)
    raters = judgments.column("rater").codes
    documents = judgments.column("document").codes
    spreads = []
    for codes in (documents, raters):
        left = [
            agreement(judgments.take(codes != c)).krippendorff for c in range(codes.max() + 1)
        ]
        g = -np.log(1 - np.array(left))
        spreads.append((g.size - 1) / g.size * ((g - g.mean()) ** 2).sum())
    df = sum(spreads) ** 2 / (spreads[0] ** 2 / 7 + spreads[1] ** 2 / 4)
    half = t.ppf(0.975, df) * sum(spreads) ** 0.5
    middle = -np.log(1 - found.krippendorff)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (1 - np.exp(half - middle), 1 - np.exp(-half - middle))
    )


def test_refusals_and_warnings() -> None:
    once = {"system": ["A", "A"], "item": [1, 2], "rater": ["v", "w"], "score": [1, 2]}
    with pytest.raises(DataError, match="no translation was judged by two raters"):
        agreement(Judgments.build(once))
    same = {"system": ["A"] * 2, "item": [1, 1], "rater": ["v", "w"], "score": [5, 5]}
    with pytest.raises(DataError, match="alpha has no value"):
        agreement(Judgments.build(same))
    judgments = crossed(np.random.default_rng(4))
    with pytest.warns(SuspiciousDataWarning, match="interval or ordinal is likely meant"):
        agreement(judgments, level="nominal")


@pytest.mark.slow
@pytest.mark.parametrize("documents", [None, 40])
def test_intervals_cover(documents: int | None) -> None:
    rng, trials, hits = np.random.default_rng(5), 800, 0
    for _ in range(trials):
        judgments = crossed(rng, items=200, raters=500, documents=documents)
        bounds = agreement(judgments).interval
        assert bounds is not None
        hits += 0.25 in bounds
    assert hits / trials > 0.95 - 3 * (0.05 * 0.95 / trials) ** 0.5


def test_what_chance_allows_a_pair_is_fishers_range_around_the_mean() -> None:
    from scipy.stats import pearsonr

    scores = [50, 60, 80, 70, 20, 30, 90, 95, 40, 41, 70, 20, 33, 35, 66, 90]
    table = {
        "system": ["A"] * 16,
        "item": [i // 2 for i in range(16)],
        "rater": ["v", "w"] * 8,
        "score": scores,
    }
    found = agreement(Judgments.build(table), min_overlap=3)
    [pair] = found.pairs
    allowed = found.by_chance(pair)
    assert allowed is not None
    # One pair is its own mean: the range is the usual interval of its correlation.
    low, high = pearsonr(scores[::2], scores[1::2]).confidence_interval()
    assert (allowed.low, allowed.high) == pytest.approx((low, high))
    assert found.by_chance(replace(pair, n_translations=3)) is None
    assert found.by_chance(replace(pair, n_translations=4)) is not None


# --- Cells of translations and raters ---


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    together = {(int(a), int(b)) for a, b in zip(one, other, strict=True)}
    return len(together) == len(set(one.tolist())) == len(set(other.tolist()))


def test_combinations_are_told_apart_also_where_their_key_is_too_long() -> None:
    rng = np.random.default_rng(1)
    columns = [factor("a", rng.integers(0, 9, 200)) for _ in range(3)]
    want = np.array(
        [9 * (9 * a + b) + c for a, b, c in zip(*(x.codes for x in columns), strict=True)]
    )
    assert same_partition(combined_codes(*columns), want)
    # Levels that are never used make a key of 2**66.
    wide = [
        Factor(name="a", levels=tuple(str(i) for i in range(1 << 11)), codes=x.codes)
        for x in columns
    ]
    assert same_partition(combined_codes(*wide, *wide), want)


def test_a_translation_belongs_to_its_campaign_and_language() -> None:
    columns = {
        "system": ["A"] * 4,
        "item": [1, 1, 1, 1],
        "rater": ["v", "w", "v", "w"],
        "language": ["de", "de", "cs", "cs"],
        "campaign": ["x", "x", "x", "x"],
        "score": [1, 2, 3, 4],
    }
    judgments = Judgments.build(columns)
    cells = rater_cells(judgments.cells())
    assert cells.translation[cells.cell].tolist() == [0, 0, 1, 1]
    assert cells.size.tolist() == [2, 2]
    ((first, second),) = cells.pairs()
    assert cells.translation[first].tolist() == cells.translation[second].tolist() == [0, 1]


def test_one_rater_throughout_makes_no_pairs() -> None:
    columns = {"system": ["A"] * 2, "item": [1, 2], "rater": ["v", "v"], "score": [1, 2]}
    cells = rater_cells(Judgments.build(columns).cells(repeats="first"))
    assert sum(first.size + second.size for first, second in cells.pairs()) == 0


def test_pairs_come_in_blocks_of_whole_raters(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    chosen = [(item, rater) for item in range(30) for rater in range(20) if rng.random() < 0.6]
    columns = {
        "system": ["A"] * len(chosen),
        "item": [item for item, _ in chosen],
        "rater": [f"r{rater:02d}" for _, rater in chosen],
        "score": rng.normal(50.0, 9.0, len(chosen)),
    }
    cells = rater_cells(Judgments.build(columns).cells())
    ((first, second),) = cells.pairs()
    # As they were found before: the nearest cells first.
    near = [
        (here, here + lag)
        for lag in range(1, int(cells.size.max()))
        for here in np.flatnonzero(cells.translation[lag:] == cells.translation[:-lag]).tolist()
    ]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == near
    monkeypatch.setattr("detectable.study.precision.variance_sums._PAIRS", 200)
    blocks = list(cells.pairs())
    assert len(blocks) > 5
    raters = [set(cells.rater[one].tolist()) for one, _ in blocks]
    assert sum(map(len, raters)) == len(set().union(*raters))
    order = {pair: place for place, pair in enumerate(near)}
    for one, other in blocks:
        places = [order[pair] for pair in zip(one.tolist(), other.tolist(), strict=True)]
        assert places == sorted(places)  # so that sums are added up in the same order
    assert sum(one.size for one, _ in blocks) == len(near)


# Errors that raters marked


def told(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    return path


def mark(
    item: int, rater: str, start: int | None, end: int | None, **more: Any
) -> dict[str, Any]:
    return {
        "system": "A",
        "item": str(item),
        "rater": rater,
        "kind": "system",
        "start": start,
        "end": end,
        "severity": "minor",
        **more,
    }


def judged_by(*raters: str, n: int = 6) -> Judgments:
    """Return texts in documents of one, each judged by all raters."""
    rows = [(item, rater) for item in range(n) for rater in raters]
    return Judgments.build(
        {
            "system": ["A"] * len(rows),
            "item": [str(item) for item, _ in rows],
            "rater": [rater for _, rater in rows],
            "score": [50 + 7 * (item % 7) + (rater == "w") for item, rater in rows],
        }
    )


def spans_of(
    path: Path, judgments: Judgments, lines: Sequence[dict[str, Any]]
) -> SpanAgreement:
    found = agreement(judgments, spans=told(path, lines)).spans
    assert found is not None
    return found


def test_marks_are_compared_by_hand(tmp_path: Path) -> None:
    lines = [
        *(mark(0, "v", 0, 4), mark(0, "w", 2, 6)),  # 2 of 4 and 4 letters
        *(mark(1, "v", 0, 10), mark(1, "w", 0, 10, severity="major")),
        mark(2, "v", 3, 5),  # nobody else
        mark(3, "v", None, None),  # missing: it has no place
        *(mark(4, "v", 0, 3, kind="degraded"), mark(9, "v", 0, 3)),  # not of these judgments
    ]
    found = spans_of(tmp_path / "s.jsonl", judged_by("v", "w"), lines)
    assert (found.n_texts, found.n_marks, found.n_missing) == (6, 5, 1)
    # Letters: 4 + 10 + 2 by one, 4 + 10 by the other, 2 + 10 by both, 2 of them equally bad.
    assert found.f1 == pytest.approx(2 * 12 / 30)
    assert found.f1_severity == pytest.approx(2 * (2 + 10 / 2) / 30)
    # Disorder (4/8)² + 1 + 1 over 2.5 marks a rater; by chance all five pairings of every text.
    texts = [([(0, 4)], [(2, 6)]), ([(0, 10)], [(0, 10)]), ([(3, 5)], []), *[([], [])] * 3]
    severity = {(1, 1): "major"}

    def cost(i: int, j: int) -> float:
        one, other = texts[i][0], texts[j][1]
        if not one or not other:
            return float(len(one) + len(other))
        (u,), (v,) = one, other
        apart = (abs(u[0] - v[0]) + abs(u[1] - v[1])) / (u[1] - u[0] + v[1] - v[0])
        return min(apart**2 + float((1, j) in severity), 2.0)

    chance = sum(cost(i, j) for i in range(6) for j in range(6) if i != j)
    expected = 1 - ((0.25 + 1 + 1) / 2.5) / (chance / (5 * 2.5))
    assert found.gamma == pytest.approx(expected)
    assert found.f1_interval is not None
    assert found.f1_interval.low < found.f1 < found.f1_interval.high


def test_raters_who_mark_the_same_agree_and_those_by_chance_do_not(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    judgments = judged_by("v", "w", "x", n=150)

    def drawn(item: int, rater: str) -> list[dict[str, Any]]:
        starts = rng.integers(0, 60, rng.poisson(1.2))
        return [mark(item, rater, int(s), int(s + rng.integers(2, 9))) for s in starts]

    lines = [one for item in range(150) for one in drawn(item, "v")]
    lines += [{**one, "rater": "w"} for one in lines]
    lines += [one for item in range(150) for one in drawn(item, "x")]
    found = spans_of(tmp_path / "s.jsonl", judgments, lines)
    by_pair = {(pair.rater, pair.other): pair for pair in found.pairs}
    same = by_pair["v", "w"]
    assert (same.f1, same.gamma) == (1.0, 1.0)
    for pair in (("v", "x"), ("w", "x")):
        assert abs(by_pair[pair].gamma) < 0.05
        assert by_pair[pair].f1 < 0.2
    assert found.gamma_interval is not None
    assert 0.2 < found.gamma_interval.low < found.gamma < found.gamma_interval.high < 0.5


def test_what_is_no_table_of_errors_is_refused(tmp_path: Path) -> None:
    judgments = judged_by("v", "w")
    path = tmp_path / "s.jsonl"
    for lines, why in (
        ([{"rater": "v"}], "line 1: an error must say its 'system'"),
        ([mark(0, "v", 4, 2)], "start and end must be whole numbers in order; got 4 and 2"),
        ([mark(0, "v", 0, None)], "start and end must be whole"),
        ([mark(77, "v", 0, 2)], "no error of it belongs to a judgment"),
    ):
        with pytest.raises(DataError, match=why):
            agreement(judgments, spans=told(path, lines))
