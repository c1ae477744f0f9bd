"""What is asked of metrics and said about them; values are checked in test_published."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.study.meta import measuring as draws
from detectable.study.meta import statistics as segment_statistics
from detectable.study.meta.meta import _halves, meta
from detectable.study.meta.settings import MetaSettings
from detectable.study.meta.statistics import FormSwaps, PairForms, SegmentLevel, SystemLevel
from detectable.study.meta.table import meta_table

RNG = np.random.default_rng(11)
QUALITY = RNG.normal(0, 1, (5, 40)) + np.linspace(0, 1, 5)[:, None]


def scores(values: np.ndarray, **options: object) -> Scores:
    names = ("one", "two", "three", "four", "five")
    return Scores.build(dict(zip(names, values, strict=False)), **options)  # type: ignore[arg-type]


PEOPLE = scores(np.round(QUALITY + RNG.normal(0, 0.3, QUALITY.shape)))
GOOD = scores(QUALITY + RNG.normal(0, 0.4, QUALITY.shape))
BAD = scores(RNG.normal(0, 1, QUALITY.shape))
FEW = {"n_resamples": 199, "rng": 1}


def test_a_good_metric_is_better_than_noise_and_noise_is_not_above_the_floor() -> None:
    found = meta(PEOPLE, {"noise": BAD, "comet": GOOD}, level="segment", **FEW)  # type: ignore[arg-type]
    assert [row.metric for row in found.rows] == ["comet", "noise"]
    assert found.summary().startswith("comet is better than noise at accuracy with calibrated")
    assert found.pairs[0].verdict == "better"
    assert found.pairs[0].interval is not None
    assert 0.0 not in found.pairs[0].interval
    assert (found.rows[0].above_floor, found.rows[0].floor) == ("yes", found.rows[1].floor)
    assert found.rows[1].above_floor != "yes"
    # People tie few pairs here, so a coin gets more than one score for all.
    assert found.rows[0].floor == pytest.approx((1.0 - found.human_ties) / 2.0)


def test_a_constant_metric_has_no_correlation_and_the_floor() -> None:
    flat = scores(np.full(QUALITY.shape, 0.1))
    found = meta(PEOPLE, {"flat": flat}, level="segment", **FEW)  # type: ignore[arg-type]
    assert found.rows[0].value == pytest.approx(found.human_ties)
    assert found.rows[0].above_floor == "no"
    none = meta(PEOPLE, {"flat": flat, "comet": GOOD}, statistic="pearson", **FEW)  # type: ignore[arg-type]
    assert [np.isnan(row.value) for row in none.rows] == [False, True]
    assert none.rows[1].interval is None
    assert none.pairs == ()


@pytest.mark.parametrize("name", ["ter", "metricx-24", "glow"])
def test_lower_is_better_is_turned_and_said(name: str) -> None:
    turned = scores(-np.array([v[0] for v in GOOD.systems.values()]) + 9)
    plain = meta(PEOPLE, {"comet": GOOD}, **FEW)  # type: ignore[arg-type]
    asked = ("glow",) if name == "glow" else ()
    found = meta(PEOPLE, {name: turned}, lower_is_better=asked, **FEW)  # type: ignore[arg-type]
    assert found.rows[0].value == pytest.approx(plain.rows[0].value)
    assert found.rows[0].negated
    assert f"{name}: lower is better, so it was negated." in found.notes


def test_a_name_that_does_not_tell_is_taken_as_it_is() -> None:
    found = meta(PEOPLE, {"glow": GOOD}, **FEW)  # type: ignore[arg-type]
    assert not found.rows[0].negated
    assert any("--lower-is-better glow" in note for note in found.notes)


def test_references_are_left_out_unless_kept() -> None:
    def with_reference(table: Scores) -> Scores:
        systems = {
            **table.systems,
            "refA": table.systems["one"],
            "Human-B.0": table.systems["two"],
        }
        return Scores.build(systems)

    given = with_reference(PEOPLE), {"comet": with_reference(GOOD)}
    found = meta(*given, **FEW)  # type: ignore[arg-type]
    assert found.references == ("refA", "Human-B.0")
    assert found.n_systems == 5
    assert meta(*given, keep_references=True, **FEW).n_systems == 7  # type: ignore[arg-type]


def test_segments_counted_from_0_and_from_1_are_the_same() -> None:
    values = np.array([v[0] for v in GOOD.systems.values()])
    zero = scores(values, items=[str(i) for i in range(40)])
    one = meta(PEOPLE, {"comet": GOOD}, **FEW)  # type: ignore[arg-type]
    assert meta(PEOPLE, {"comet": zero}, **FEW).rows == one.rows  # type: ignore[arg-type]


def test_missing_scores_are_left_out_and_counted() -> None:
    holes = np.array([v[0] for v in GOOD.systems.values()])
    holes[0, :7] = np.nan
    holes[:, 39] = np.nan
    found = meta(PEOPLE, {"comet": scores(holes), "bleu": GOOD}, level="segment", **FEW)  # type: ignore[arg-type]
    assert (found.n_segments, found.n_outputs) == (39, 5 * 39 - 7)
    assert any(note.startswith("12 of 200 judged outputs left out") for note in found.notes)


def test_judgments_are_averaged_and_documents_are_drawn_from_ten_on() -> None:
    rows = [
        (name, i, f"d{i // 4}", rater, 50 + 10 * float(values[0][i]))
        for name, values in PEOPLE.systems.items()
        for i in range(40)
        for rater in "xy"
    ]
    columns = ("system", "item", "document", "rater", "score")
    table = Judgments.build(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))
    found = meta(table, {"comet": scores(QUALITY, items=[str(i) for i in range(40)])}, **FEW)  # type: ignore[arg-type]
    plain = meta(PEOPLE, {"comet": scores(QUALITY)}, **FEW)  # type: ignore[arg-type]
    assert found.rows[0].value == pytest.approx(plain.rows[0].value)
    assert (found.unit, found.n_clusters) == ("document", 10)
    few = Judgments.build(
        {
            **{c: list(v) for c, v in zip(columns, zip(*rows, strict=True), strict=True)},
            "document": [f"d{r[1] // 8}" for r in rows],
        }
    )
    found = meta(few, {"comet": scores(QUALITY, items=[str(i) for i in range(40)])}, **FEW)  # type: ignore[arg-type]
    assert found.unit == "segment"
    assert any(note.startswith("5 documents: too few to be drawn") for note in found.notes)


@pytest.mark.parametrize("by", ["none", "item", "sys"])
@pytest.mark.parametrize(
    "statistic", ["pearson", "spearman", "kendall", "kendall-c", "acc23", "tau23"]
)
def test_weights_of_segments_are_copies_of_them(by: str, statistic: str) -> None:
    rng = np.random.default_rng(5)
    human, metric = (
        rng.integers(0, 4, (3, 9)).astype(float),
        rng.integers(0, 5, (3, 9)).astype(float),
    )
    human[0, 3] = np.nan
    weights = rng.integers(0, 3, 9)
    level = SegmentLevel(human, metric, statistic, by)  # type: ignore[arg-type]
    got = level.values(weights[None].astype(float))[0]
    order = np.repeat(np.arange(9), weights)
    copies = SegmentLevel(human[:, order], metric[:, order], statistic, by)  # type: ignore[arg-type]
    want = copies.values(np.ones((1, order.size)))[0]
    if by == "item" or statistic in ("pearson", "spearman"):
        assert got == pytest.approx(want)
        return
    # Copies of one output are ties that both see: with weights they are no pairs.
    assert got == pytest.approx(_without_copies(human, metric, order, statistic, by))


def _without_copies(
    human: np.ndarray, metric: np.ndarray, order: np.ndarray, statistic: str, by: str
) -> float:
    groups = [[s] for s in range(3)] if by == "sys" else [[0, 1, 2]]
    values = []
    for group in groups:
        cells = [
            (s, k, i) for k, i in enumerate(order) for s in group if np.isfinite(human[s, i])
        ]
        con = dis = th = tm = both = 0
        for a, (s, k, i) in enumerate(cells):
            for t, m, j in cells[:a]:
                if i == j and k != m:
                    continue  # another copy of the same segment
                h, f = human[s, i] - human[t, j], metric[s, i] - metric[t, j]
                con += h * f > 0
                dis += h * f < 0
                th += h == 0 and f != 0
                tm += h != 0 and f == 0
                both += h == 0 and f == 0
        pairs = con + dis + th + tm + both
        used = np.unique([i for _, _, i in cells])
        whole = [np.isfinite(human[s]) for s in group]
        levels = min(
            np.unique(np.concatenate([v[s][w] for s, w in zip(group, whole, strict=True)])).size
            for v in (human, metric)
        )
        assert used.size
        values.append(
            {
                "kendall": (con - dis) / np.sqrt((con + dis + th) * (con + dis + tm)),
                "kendall-c": 2 * (con - dis) / (len(cells) ** 2 * (levels - 1) / levels),
                "acc23": (con + both) / pairs,
                "tau23": (2 * (con + both) - pairs) / pairs,
            }[statistic]
        )
    return float(np.mean(values))


@pytest.mark.parametrize("statistic", ["kendall", "kendall-c", "acc23", "tau23"])
def test_swaps_by_forms_are_swaps_of_scores(statistic: str) -> None:
    rng = np.random.default_rng(6)
    human, one, other = rng.integers(0, 4, (3, 3, 8)).astype(float)
    twice, metric = np.concatenate([human, human], axis=1), np.concatenate([one, other], axis=1)
    taken = rng.integers(0, 2, (20, 8))
    for by, rows in (("none", [slice(None)]), ("sys", [slice(s, s + 1) for s in range(3)])):
        forms = tuple(PairForms.of(twice[r], metric[r], statistic) for r in rows)  # type: ignore[arg-type]
        got = FormSwaps(forms, zero=False).swapped(taken.astype(float))[:, 0]
        for row, swap in enumerate(taken.astype(bool)):
            a, b = np.where(swap, other, one), np.where(swap, one, other)
            want = [
                SegmentLevel(human, m, statistic, by).values(np.ones((1, 8)))[0]  # type: ignore[arg-type]
                for m in (a, b)
            ]
            if statistic == "kendall-c":  # the levels of swapped scores are those of both
                continue
            assert got[row] == pytest.approx(want[0] - want[1])


@pytest.mark.parametrize(
    "statistic", ["spa", "pairwise-accuracy", "pearson", "spearman", "kendall"]
)
def test_weights_of_systems_leave_out_those_with_none(statistic: str) -> None:
    human, metric = np.array([v[0] for v in PEOPLE.systems.values()]), QUALITY
    ones, some = np.ones((1, 40)), np.array([[1.0, 0, 1, 1, 1]])
    kept = [0, 2, 3, 4]
    got = SystemLevel(human, metric, statistic).values(ones, some)  # type: ignore[arg-type]
    want = SystemLevel(human[kept], metric[kept], statistic).values(ones)  # type: ignore[arg-type]
    assert got == pytest.approx(want)


def test_the_batch_size_does_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"level": "segment", "statistic": "kendall", "draw_systems": True, **FEW}
    whole = meta(PEOPLE, {"comet": GOOD, "bleu": BAD}, **options)  # type: ignore[arg-type]
    monkeypatch.setattr(draws, "_CELLS", 1200)
    monkeypatch.setattr(segment_statistics, "_CELLS", 1000)
    again = meta(PEOPLE, {"comet": GOOD, "bleu": BAD}, **options)  # type: ignore[arg-type]
    assert again.pairs[0].p_value == whole.pairs[0].p_value
    assert again.rows[0].interval.to_json() == pytest.approx(whole.rows[0].interval.to_json())  # type: ignore[union-attr]


def test_an_unseeded_run_can_be_repeated_from_its_signature() -> None:
    first = meta(PEOPLE, {"comet": GOOD, "bleu": BAD}, n_resamples=199)
    again = meta(
        PEOPLE,
        {"comet": GOOD, "bleu": BAD},
        n_resamples=199,
        rng=int(first.signature.seed or 0),
    )
    assert first == again


def test_two_fold_thresholds_flatter_less() -> None:
    best = meta(PEOPLE, {"noise": BAD}, level="segment", **FEW)  # type: ignore[arg-type]
    fair = meta(PEOPLE, {"noise": BAD}, level="segment", epsilon="two-fold", **FEW)  # type: ignore[arg-type]
    assert fair.rows[0].value <= best.rows[0].value
    assert (fair.rows[0].epsilon, best.rows[0].epsilon) != (best.rows[0].epsilon, None)


def test_an_outlier_is_named() -> None:
    far = np.array([v[0] for v in PEOPLE.systems.values()])
    far[4] += 60
    found = meta(scores(far), {"comet": GOOD}, statistic="pearson", **FEW)  # type: ignore[arg-type]
    assert any(
        note.startswith("People put five far from all other systems") for note in found.notes
    )


def test_without_an_outlier_none_is_named() -> None:
    def outliers(*means: float) -> list[str]:
        people = scores(np.array(means)[:, None] + np.tile([0.1, -0.1], 20))
        metric = scores(QUALITY[: len(means)])
        found = meta(people, {"comet": metric}, statistic="pearson", **FEW)  # type: ignore[arg-type]
        return [note for note in found.notes if note.startswith("People put")]

    assert outliers(1, 2, 3, 4, 5) == []
    assert outliers(3, 3, 3, 4, 5) == []  # most are equal: nothing to measure by
    assert outliers(1, 2, 90) == []  # two would be left
    # Robust deviations of 1.483 from the median 3: 3.7 is 2.5 of them.
    assert outliers(2, 3, 4, 3 + 3.7, 2.5) == []
    [note] = outliers(2, 3, 4, 3 + 3.8, 2.5)
    rest = np.corrcoef([2, 3, 4, 2.5], QUALITY[[0, 1, 2, 4]].mean(axis=1))[0, 1]
    assert note == (
        "People put four far from all other systems, which alone can make Pearson's correlation "
        f"high; without: comet {rest:.2f}."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "acc-eq"}, "`statistic` must be one of spa, .* at level 'system'"),
        ({"level": "segment", "statistic": "spa"}, "at level 'segment'; got 'spa'"),
        ({"average_by": "sys"}, "`average_by` has no effect at level 'system'"),
        ({"undefined": "zero"}, "`undefined` has no effect at level 'system'"),
        ({"level": "segment", "average_by": "sys"}, "must be 'item' for acc-eq"),
        ({"level": "segment", "pair_p": "normal"}, "`pair_p` has no effect without"),
        ({"epsilon": 1.0}, "`epsilon` has no effect without"),
        ({"level": "segment", "epsilon": 1.0}, "must be 'best' or 'two-fold' for acc-eq"),
        ({"level": "segment", "statistic": "acc23", "epsilon": -1.0}, "must be a number ≥ 0"),
        ({"level": "segment", "statistic": "acc23", "epsilon": "best"}, "must be a number for"),
        ({"level": "segment", "statistic": "kendall", "average_by": "none", "draw_systems": True},
         "`draw_systems` needs average_by='item'"),
        ({"statistic": "kendall-c", "draw_systems": True}, "does not go with kendall-c"),
        ({"baseline": "ter"}, "`baseline` must be one of comet; got 'ter'"),
        ({"lower_is_better": ["ter"]}, "`lower_is_better` must name human or a metric"),
        ({"unit": "document"}, "documents of segments are not known"),
        ({"n_resamples": 10}, "`n_resamples` must be"),
    ],
)  # fmt: skip
def test_messages(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        meta(PEOPLE, {"comet": GOOD}, **{**FEW, **options})  # type: ignore[arg-type]


def test_messages_about_data() -> None:
    with pytest.raises(InputError, match="`metrics` must name at least one"):
        meta(PEOPLE, {})
    with pytest.raises(DataError, match="no system has scores of people and of every metric"):
        meta(PEOPLE, {"comet": Scores.build({"other": np.ones(40)})})
    with pytest.raises(DataError, match="at least two systems are needed"):
        meta(scores(QUALITY[:1]), {"comet": scores(QUALITY[:1])})
    elsewhere = scores(QUALITY, items=[f"x{i}" for i in range(40)])
    with pytest.raises(DataError, match="comet has no score of a segment that people judged"):
        meta(PEOPLE, {"comet": elsewhere})
    with pytest.raises(DataError, match="cannot be judged by one segment"):
        meta(scores(QUALITY[:, :1]), {"comet": scores(QUALITY[:, :1])})


def test_all_swaps_are_counted_where_they_are_few() -> None:
    both = {"comet": GOOD, "bleu": BAD}
    assert not meta(PEOPLE, both, **FEW).exact  # type: ignore[arg-type]
    documents = [f"d{i % 5}" for i in range(40)]
    people = scores(np.array([v[0] for v in PEOPLE.systems.values()]), documents=documents)
    few = meta(people, both, unit="document", statistic=["spa", "pearson"], **FEW)  # type: ignore[arg-type]
    assert few.exact
    assert {pair.p_value * 16 for pair in few.pairs} <= set(range(1, 17))
    assert not meta(people, {"comet": GOOD}, unit="document", **FEW).exact  # type: ignore[arg-type]


def test_the_signature_holds_what_was_asked() -> None:
    plain = meta(PEOPLE, {"comet": GOOD, "bleu": BAD}, baseline="bleu", **FEW)  # type: ignore[arg-type]
    assert plain.signature.settings == {
        "level": "system", "statistic": "spa", "p": "normal", "baseline": "bleu",
        "unit": "segment", "R": 199, "alpha": 0.05,
    }  # fmt: skip
    other = meta(
        PEOPLE, {"comet": GOOD}, level="segment", statistic=["acc_eq", "acc23"],  # type: ignore[list-item]
        epsilon="two-fold", undefined="zero", draw_systems=True, alpha=0.1, **FEW,  # type: ignore[arg-type]
    )  # fmt: skip
    assert other.signature.settings == {
        "level": "segment", "statistic": "acc-eq+acc23", "average": "item", "undefined": "zero",
        "epsilon": "two-fold", "unit": "segment", "R": 199, "alpha": 0.1, "systems": "drawn",
    }  # fmt: skip
    assert other.draw_systems
    assert not plain.draw_systems


def engine(seed: int) -> Engine:
    return Engine.start(seed, n_jobs=1, executor=None, progress=silent)


@pytest.mark.parametrize("documents", [5, None])
def test_halves_are_of_whole_documents(documents: int | None) -> None:
    of = None if documents is None else [f"d{i % documents}" for i in range(40)]
    people = scores(np.array([v[0] for v in PEOPLE.systems.values()]), documents=of)
    asked = MetaSettings.check(
        level="segment", statistic=None, average_by=None, undefined=None,
        epsilon="two-fold", pair_p=None, draw_systems=False,
    )  # fmt: skip
    seen = set()
    for seed in range(20):
        halves = _halves(meta_table(people, {"comet": GOOD}), asked, engine(seed))
        assert halves is not None
        if documents is None:
            assert halves.sum() == 20
        else:
            assert halves.sum() == 24  # three documents of five
            assert (halves == np.tile(halves[:5], 8)).all()
        seen.add(tuple(halves.tolist()))
    assert len(seen) > 5
    best = MetaSettings.check(
        level="segment", statistic=None, average_by=None, undefined=None, epsilon=None,
        pair_p=None, draw_systems=False,
    )  # fmt: skip
    assert _halves(meta_table(people, {"comet": GOOD}), best, engine(1)) is None
