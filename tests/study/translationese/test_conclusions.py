"""What a half concludes, whatever it was made from."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

import detectable as dt
from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.metrics.registry import metric
from detectable.study.ranking.prepare import prepare
from detectable.study.ranking.rank_systems import rank_prepared
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.conclusions import (
    Concluded,
    PairVerdict,
    RankedHalves,
    compare_halves,
    half_conclusions,
    of_comparison,
    of_ranking,
    rank_halves,
    replicated,
    text_scores,
)
from detectable.study.translationese.halves import HALVES, human_scores
from tests.report import results
from tests.study.translationese.planted import ZH_EN
from tests.study.translationese.test_translationese import people
from tests.study.translationese.test_translationese import texts_of_remarks as texts


@pytest.mark.parametrize("turned", ["better", "worse", "undecided", "higher", "lower"])
def test_a_verdict_reads_both_ways(turned: str) -> None:
    opposite = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}
    found = Concluded({("A", "B"): PairVerdict(turned, 1.0)}, ())  # type: ignore[arg-type]
    assert found.of("A", "B").verdict == turned
    assert found.of("B", "A").verdict == opposite.get(turned, turned)
    assert found.told_apart == (turned != "undecided")


def test_the_typical_detectable_difference() -> None:
    pairs = {(a, b): PairVerdict("undecided", m) for a, b, m in
             [("A", "B", 1.0), ("A", "C", math.nan), ("B", "C", 4.0)]}  # fmt: skip
    assert Concluded(pairs, ()).median_mde == 2.5
    assert math.isnan(Concluded({}, ()).median_mde)


def test_of_a_ranking() -> None:
    ranking = results.ranking()
    found = of_ranking(ranking)
    assert found.clusters == ranking.clusters
    assert len(found.pairs) == len(ranking.pairs)
    for row in ranking.pairs:
        assert found.of(row.better, row.worse) == PairVerdict(row.verdict, row.mde)


def test_of_a_comparison_one_metric_is_taken() -> None:
    rows = (results.pair(), results.pair(metric="chrf", verdict="undecided", mde=0.75))
    groups = {"bleu": (("new",), ("old",)), "chrf": (("new", "old"),)}
    both = results.comparison(pairs=rows, groups=groups)
    assert of_comparison(both, "bleu") == Concluded(
        {("new", "old"): PairVerdict("better", 1.05)}, (("new",), ("old",))
    )
    assert of_comparison(both, "chrf") == Concluded(
        {("new", "old"): PairVerdict("undecided", 0.75)}, (("new", "old"),)
    )
    assert of_comparison(results.comparison(pairs=rows, groups={}), "bleu").clusters == ()


# --- Metrics on the halves of a corpus: the same as comparing the rows of each half ---

OPTIONS: dict[str, Any] = {
    "unit": "document",
    "correction": "holm",
    "alpha": 0.1,
    "power": 0.7,
    "n_resamples": 199,
}
ROWS = {"forward": range(12), "reverse": range(12, 20), "both": range(20)}


def _corpus(share: float = 0.7) -> dt.Corpus:
    rng = np.random.default_rng(5)
    words = np.array([f"w{i}" for i in range(20)])
    lines = [" ".join(rng.choice(words, 9)) for _ in range(22)]

    def output(kept: float) -> list[str]:
        return [
            " ".join(w if rng.random() < kept else "x" for w in line.split()) for line in lines
        ]

    return dt.Corpus.build(
        {"A": output(share), "B": output(0.5)},
        lines,
        documents=[f"d{i // 2}" for i in range(22)],
        original_languages=["zh"] * 12 + ["en"] * 8 + ["de"] * 2,
    )


def _engine() -> Engine:
    return Engine.start(3, n_jobs=1, executor=None, progress=silent)


def test_every_half_is_compared_as_its_rows_are() -> None:
    corpus, metrics = _corpus(), (metric("chrf"), metric("bleu"))
    texts = text_scores(corpus, metrics, ZH_EN, unit="document", engine=_engine())
    assert [(m.name, m.scale, m.digits, m.unit) for m in texts.measures] == [
        ("chrf", "chrf", metrics[0].digits, "document"),
        ("bleu", "bleu", metrics[1].digits, "document"),
    ]
    found = compare_halves(texts, _engine(), **OPTIONS)
    assert list(found) == ["forward", "reverse", "both"]
    for half, rows in ROWS.items():
        comparison = found[half]  # type: ignore[index]
        alone = dt.compare(
            corpus.select(list(rows)), metrics, runs="fixed", n_examples=0, rng=1, **OPTIONS
        )
        assert [row.difference for row in comparison.pairs] == [
            row.difference for row in alone.pairs
        ]
        assert [row.mde for row in comparison.pairs] == pytest.approx(
            [row.mde for row in alone.pairs], rel=0.05
        )
        assert [row.n_units for row in (texts.measures[0].halves[half],)] == [len(rows) // 2]  # type: ignore[index]
    apart = [found[half].pairs[0].p_value for half in ("forward", "reverse")]
    assert apart[0] != apart[1]


def test_what_is_odd_about_the_texts_is_said_of_both_halves_only() -> None:
    corpus = _corpus(share=1.0)  # the reference itself
    texts = text_scores(corpus, (metric("chrf"),), ZH_EN, unit="document", engine=_engine())
    with pytest.warns(DetectableWarning, match="equals reference 1 in 20 of 20") as said:
        compare_halves(texts, _engine(), **OPTIONS)
    assert len(said) == 1


# --- What each half says, with the n of its own ---


def _said() -> dict[str, Concluded]:
    told = {
        "forward": PairVerdict("undecided", 4.0),
        "reverse": PairVerdict("worse", math.nan),
        "both": PairVerdict("better", 2.0),
    }
    return {
        half: Concluded({("A", "B"): told[half]}, (("A",), ("B",)) if half == "both" else ())
        for half in HALVES
    }


SOME = ("zh", "zh", "en", "en", "en", "de")


def test_of_judgments() -> None:
    judged = people(SOME)
    rows = half_conclusions(judged.measures()[0], _said(), judged)  # type: ignore[arg-type]
    assert [(row.measure, row.half) for row in rows] == [("raw", half) for half in HALVES]
    assert [row.clusters for row in rows] == [(), (), (("A",), ("B",))]
    assert [row.told_apart for row in rows] == [0, 1, 1]
    assert [row.pairs for row in rows] == [1, 1, 1]
    assert [row.mde for row in rows] == pytest.approx([4.0, math.nan, 2.0], nan_ok=True)
    assert [row.n_units for row in rows] == [2, 3, 5]
    assert [row.n_segments for row in rows] == [2, 3, 5]
    assert [row.n_judgments for row in rows] == [4, 6, 10]


def test_texts_have_no_judgments() -> None:
    (chrf,) = texts(SOME).measures
    for judged in (None, people(SOME)):
        rows = half_conclusions(chrf, _said(), judged)  # type: ignore[arg-type]
        assert [row.n_judgments for row in rows] == [None, None, None]
        assert [row.measure for row in rows] == ["chrf"] * 3


# --- Rankings of the halves: which judgments they hold, and whose z ---

RANK = "detectable.study.translationese.conclusions.rank_prepared"
HALF = {"forward": slice(0, 6), "reverse": slice(6, 12), "both": slice(0, 12)}


def _judgments(**more: Any) -> dt.Judgments:
    """Return two raters' scores of two systems on 14 segments, two of them in neither half."""
    rng = np.random.default_rng(3)
    system, item, rater = (axis.ravel() for axis in np.indices((2, 14, 2)))
    score = 50 + 9 * system + 8 * rater + 12 * (item >= 6) + rng.normal(0, 5, system.size)
    table = {
        "system": np.array(["old", "new"])[system],
        "item": item,
        "rater": np.array(["ann", "bob"])[rater],
        "score": score.clip(0, 100).round(1),
        "original_language": np.array(["zh"] * 6 + ["en"] * 6 + ["de", "unknown"])[item],
    }
    return dt.Judgments.build({**table, **more})


def _ranked(judgments: dt.Judgments, **options: Any) -> RankedHalves:
    settings = RankSettings(n_resamples=99, **options)
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    return rank_halves(human_scores(judgments, ZH_EN, settings), settings, engine)


def _scores(judgments: dt.Judgments) -> np.ndarray:
    """Return scores (systems, segments, raters)."""
    return judgments.score.reshape(2, 14, 2)


def test_each_half_holds_its_own_judgments() -> None:
    judgments = _judgments()
    found = _ranked(judgments, standardise="none")
    assert list(found.rankings) == ["forward", "reverse", "both"]
    for half, part in HALF.items():
        ranking = found.rankings[half]  # type: ignore[index]
        means = {row.system: row.mean_raw for row in ranking.systems}
        want = _scores(judgments)[:, part].mean(axis=(1, 2))
        assert means == pytest.approx({"old": want[0], "new": want[1]})
        assert ranking.scale == "points"
    assert [(row.half, row.n, row.N) for row in found.replicated] == [
        ("forward", 6, 24),
        ("reverse", 6, 24),
        ("both", 12, 48),
    ]


def test_raters_keep_the_z_of_all_that_they_judged() -> None:
    judgments = _judgments()
    found = _ranked(judgments, standardise="z")
    scores = _scores(judgments)
    z = (scores - scores.mean(axis=(0, 1))) / scores.std(axis=(0, 1), ddof=1)
    for half, part in HALF.items():
        ranking = found.rankings[half]  # type: ignore[index]
        want = z[:, part].mean(axis=(1, 2))
        assert ranking.scale == "z"
        assert {row.system: row.mean_z for row in ranking.systems} == pytest.approx(
            {"old": want[0], "new": want[1]}, abs=0.01
        )


@pytest.mark.parametrize("half", ["forward", "reverse", "both"])
def test_what_goes_wrong_says_on_which_half(half: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def fail(*arguments: Any) -> Any:
        seen.append(arguments)
        if len(seen) == list(HALF).index(half) + 1:
            raise DataError("nothing there. Use unit='item'.")
        return rank_prepared(*arguments)

    monkeypatch.setattr(RANK, fail)
    where = "both halves" if half == "both" else f"the {half} half"
    with pytest.raises(DataError) as failure:
        _ranked(_judgments())
    assert str(failure.value) == f"{where}: nothing there. Use unit='segment'."


def test_input_errors_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise InputError("no")

    monkeypatch.setattr(RANK, fail)
    with pytest.raises(InputError, match="the forward half: no"):
        _ranked(_judgments())


def test_what_is_odd_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(*arguments: Any) -> Any:
        warnings.warn("odd", DetectableWarning, stacklevel=2)
        return rank_prepared(*arguments)

    monkeypatch.setattr(RANK, warn)
    with pytest.warns(DetectableWarning, match="odd") as said:
        _ranked(_judgments())
    assert len(said) == 1


# --- n is not N: the rank-sum test on segments and on judgments, against scipy ---


def test_segments_and_judgments_by_scipy() -> None:
    """Three systems; each segment is judged twice, some not at all."""
    rng = np.random.default_rng(5)
    system, item, again = (axis.ravel() for axis in np.indices((3, 10, 2)))
    score = np.array([50, 62, 55])[system] + rng.normal(0, 8, system.size).round(1)
    kept = ~((system == 0) & (item >= 8)) & ~((system == 1) & (item == 9))
    names = np.array(["low", "high", "middle"])
    table = {
        "system": names[system][kept],
        "item": item[kept],
        "rater": np.array(["ann", "bob"])[again][kept],
        "score": score.clip(0, 100)[kept],
    }
    judgments = dt.Judgments.build(table)
    plain = RankSettings(standardise="none", test="rank-sum")
    by_judgment = RankSettings(standardise="none", test="rank-sum", level="judgment")
    found = replicated("reverse", prepare(judgments, plain), prepare(judgments, by_judgment))
    assert [(row.half, row.first, row.second) for row in found] == [
        ("reverse", "high", "middle"),
        ("reverse", "high", "low"),
        ("reverse", "middle", "low"),
    ]
    # Distinct segments of either system, and judgments of the two together.
    assert [(row.n, row.N) for row in found] == [(10, 38), (9, 34), (10, 36)]
    for row in found:
        first, second = (
            {
                int(i): score[kept & (names[system] == name) & (item == i)]
                for i in range(10)
                if (kept & (names[system] == name) & (item == i)).any()
            }
            for name in (row.first, row.second)
        )
        means = [[float(x.mean()) for x in part.values()] for part in (first, second)]
        every = [np.concatenate(list(part.values())) for part in (first, second)]
        for p, values in ((row.p_segments, means), (row.p_judgments, every)):
            want = mannwhitneyu(*values, alternative="greater", method="asymptotic").pvalue
            assert p == pytest.approx(want)
