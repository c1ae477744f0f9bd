"""What a reliability study says: invariances, repeatability, options and messages."""

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.kernels.distributions import t_quantile
from detectable.report.shown.reliability import clustering_sentence
from detectable.study.reliability.curves import random_orders, source_curves
from detectable.study.reliability.measures import gather
from detectable.study.reliability.reliability import words_per_segment
from detectable.study.settings import ReliabilitySettings
from tests.study.reliability.data import clustered

QUICK: dict[str, Any] = {"orders": 100, "n_resamples": 300, "rng": 1}


def judgments(scores: dt.Scores, *, gaps: float = 0.0, documents: bool = True) -> dt.Judgments:
    """Return a table of scores as judgments, some of them missing."""
    rng = np.random.default_rng(2)
    rows = [
        (system, item, str((scores.documents or ())[i]), float(np.clip(table[0, i], 0, 100)))
        for system, table in scores.systems.items()
        for i, item in enumerate(scores.items)
        if rng.random() >= gaps
    ]
    columns = {
        "system": [row[0] for row in rows],
        "item": [row[1] for row in rows],
        "document": [row[2] for row in rows],
        "score": [row[3] for row in rows],
    }
    if not documents:
        del columns["document"]
    return dt.Judgments.build(columns)


def texts(**more: Any) -> dt.Corpus:
    rng = np.random.default_rng(3)
    words = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat", "red", "big"]
    lines = [" ".join(rng.choice(words, 12)) for _ in range(60)]
    worse = [" ".join(w if rng.random() < 0.8 else "x" for w in x.split()) for x in lines]
    worst = [" ".join(w if rng.random() < 0.6 else "y" for w in x.split()) for x in lines]
    documents = [f"d{i // 6}" for i in range(60)]
    return dt.Corpus.build(
        {"good": worse, "bad": worst}, lines, **{"documents": documents, **more}
    )


def test_curves_bands_and_fits_have_their_shapes() -> None:
    result = dt.reliability(clustered(12, 4, systems=3), **QUICK)
    assert [curve.system for curve in result.curves] == ["s0", "s1", "s2"]
    curve = result.curves[1]
    assert curve.documents == tuple(range(1, 13))
    assert curve.segments == tuple(range(4, 52, 4))
    assert np.isnan(curve.stdev_document[:4]).all()
    assert np.isfinite(curve.stdev_document[4:]).all()
    for mean, interval, stdev in zip(curve.mean, curve.interval, curve.stdev, strict=True):
        assert interval.high - mean == pytest.approx(1.959964 * stdev * mean)
        assert mean - interval.low == pytest.approx(1.959964 * stdev * mean)
    assert curve.band.documents == curve.documents
    for low, middle, high in zip(
        curve.band.low, curve.band.median, curve.band.high, strict=True
    ):
        assert low <= middle <= high
    # All orders end with the same documents.
    assert curve.band.low[-1] == pytest.approx(curve.band.high[-1])
    assert len(result.fits[0].systems) == 3


def test_the_band_is_of_the_middle_ninety_percent_of_orders() -> None:
    scores = clustered(12, 4)
    measured = gather(scores, None, {}, {}, campaign=None, language=None, progress=silent)
    (source,) = measured.sources
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    ordered = random_orders(source, 100, engine, np.random.default_rng(2))
    (curve, _) = source_curves(
        source,
        measured.measures,
        ordered,
        ReliabilitySettings(method="delta"),
        engine,
        np.random.default_rng(3),
    )
    spread = ordered.sd[0, 0] / ordered.scores[0][:, :, 0]
    for name, level in (("low", 0.05), ("median", 0.5), ("high", 0.95)):
        expected = np.quantile(spread, level, axis=0)
        assert getattr(curve.band, name) == pytest.approx(expected)


def test_scores_of_both_signs_have_no_relative_spread() -> None:
    table = clustered(12, 4)
    small = {name: (values - values.mean()) / 1e4 for name, values in table.systems.items()}
    result = dt.reliability(
        dt.Scores.build(small, documents=table.documents), method="delta", **QUICK
    )
    assert result.fits[0].stdev == "absolute"
    below = {name: -np.abs(values) for name, values in table.systems.items()}
    negative = dt.reliability(
        dt.Scores.build(below, documents=table.documents), method="delta", **QUICK
    )
    assert negative.fits[0].stdev == "relative"
    assert min(negative.curves[0].stdev) > 0.0


def test_the_last_point_of_a_curve_is_the_whole_set() -> None:
    result = dt.reliability(clustered(), method="delta", **QUICK)
    for curve in result.curves:
        assert curve.mean[-1] == pytest.approx(curve.score)
        assert curve.band.median[-1] == pytest.approx(curve.stdev[-1])


@pytest.mark.parametrize("method", ["poisson", "exact"])
def test_drawn_curves_agree_with_the_closed_form(method: Any) -> None:
    scores = clustered(10, 30)
    options = {**QUICK, "n_resamples": 3000}
    drawn = dt.reliability(scores, method=method, **options)
    closed = dt.reliability(scores, method="delta", **options)
    assert (drawn.n_resamples, closed.n_resamples) == (3000, None)
    for one, other in zip(drawn.curves, closed.curves, strict=True):
        # Standard error of a standard deviation of 3,000 draws: 1.3 %; four and a half of them.
        assert one.stdev == pytest.approx(other.stdev, rel=0.058)
        assert one.stdev_document == pytest.approx(other.stdev_document, nan_ok=True)


def test_systems_may_come_in_any_order() -> None:
    scores = clustered(systems=4)
    turned = dt.Scores.build(
        {name: scores.systems[name] for name in ("s2", "s0", "s3", "s1")},
        documents=scores.documents,
    )
    one = dt.reliability(scores, method="delta", **QUICK)
    other = dt.reliability(turned, method="delta", **QUICK)
    assert one.icc == pytest.approx(other.icc)
    assert one.tau["mean"] == tuple(other.tau["mean"])
    assert [row.documents for row in one.documents_for] == [
        row.documents for row in other.documents_for
    ]
    by_name = {curve.system: curve for curve in other.curves}
    for curve in one.curves:
        assert curve.stdev == pytest.approx(by_name[curve.system].stdev)


@pytest.mark.slow
def test_a_seed_repeats_everything_and_processes_change_nothing() -> None:
    scores = clustered()
    one = dt.reliability(scores, **QUICK)
    again = dt.reliability(scores, **{**QUICK, "rng": int(one.signature.seed or 0)})
    split = dt.reliability(scores, **QUICK, n_jobs=2)
    assert one.to_dict() == again.to_dict() == split.to_dict()
    other = dt.reliability(scores, **{**QUICK, "rng": 2})
    assert one.curves[0].stdev != other.curves[0].stdev


def test_texts_scores_and_judgments_together() -> None:
    corpus = texts()
    table = clustered(10, 6, seed=5)
    extra = dt.Scores.build(dict(table.systems), documents=corpus.documents, metric="COMET")
    human = judgments(table)
    result = dt.reliability(
        corpus,
        ("bleu", "chrf"),
        scores={"comet": extra},
        judgments={"adequacy": human, "fluency": judgments(table, gaps=0.3)},
        **QUICK,
    )
    names = ["bleu", "chrf", "comet", "adequacy", "fluency"]
    assert [row["metric"] for row in result.metrics] == names
    assert list(result.icc) == list(result.design_effect) == list(result.tau) == names
    assert [fit.metric for fit in result.fits] == names
    alone = dt.reliability(corpus, ("bleu", "chrf"), **QUICK)
    assert alone.icc == {name: result.icc[name] for name in ("bleu", "chrf")}
    assert [c.stdev for c in alone.curves] == [c.stdev for c in result.curves[:4]]
    # A full table of judgments is the same numbers as a table of scores.
    assert result.icc["adequacy"] == pytest.approx(result.icc["comet"])
    assert result.icc["fluency"] != result.icc["adequacy"]


def test_scores_by_position_take_the_documents_of_the_texts() -> None:
    corpus, table = texts(), clustered(10, 6, seed=5)
    bare = dt.Scores.build(dict(table.systems), metric="COMET")
    result = dt.reliability(corpus, "bleu", scores=bare, **QUICK)
    assert "COMET names no documents: those of the texts, line by line." in result.notes
    placed = dt.Scores.build(dict(table.systems), documents=corpus.documents)
    assert result.icc["COMET"] == dt.reliability(placed, **QUICK).icc["mean"]
    named = dt.Scores.build(dict(table.systems), items=[f"q{i}" for i in range(60)])
    with pytest.raises(InputError, match="the scores: the document of each segment"):
        dt.reliability(corpus, "bleu", scores=named, **QUICK)


def test_one_rater_per_document_is_said() -> None:
    rng = np.random.default_rng(6)
    rows = [(s, i) for s in "AB" for i in range(60)]
    columns: dict[str, Any] = {
        "system": [s for s, _ in rows],
        "item": [i for _, i in rows],
        "document": [f"d{i // 6}" for _, i in rows],
        "score": rng.integers(30, 90, 120).tolist(),
        "rater": [f"{s}{i // 6}" for s, i in rows],
    }
    alone = dt.reliability(judgments=dt.Judgments.build(columns), **QUICK)
    assert any("judged by one rater under human" in note for note in alone.notes)
    columns["rater"] = [f"r{i % 3}" for _, i in rows]
    mixed = dt.reliability(judgments=dt.Judgments.build(columns), **QUICK)
    assert not any("one rater" in note for note in mixed.notes)


def test_judgments_follow_the_order_of_the_texts() -> None:
    corpus = texts()
    backwards = clustered(10, 6, seed=5)
    turned = dt.Scores.build(
        {name: table[:, ::-1] for name, table in backwards.systems.items()},
        documents=[f"d{9 - i // 6}" for i in range(60)],
    )
    result = dt.reliability(corpus, "bleu", judgments=judgments(turned), **QUICK)
    alone = dt.reliability(judgments=judgments(turned), **QUICK)
    first, other = (
        next(c for c in r.curves if c.metric == "human").mean[0] for r in (result, alone)
    )
    d0 = [backwards.systems["s0"][0, i] for i in range(6)]
    assert first == pytest.approx(np.mean(d0), abs=6.0)
    assert first != pytest.approx(other, abs=0.5)


def test_missing_judgments_count_in_neither_sum_nor_size() -> None:
    scores = clustered(10, 6)
    table = {name: values[0].copy() for name, values in scores.systems.items()}
    human = judgments(scores, gaps=0.4)
    result = dt.reliability(judgments=human, method="delta", **QUICK)
    kept = human.cells().table()
    for s, name in enumerate(human.cells().systems):
        curve = next(c for c in result.curves if c.system == name)
        assert curve.score == pytest.approx(np.nanmean(kept[:, s]))
    assert set(table) == {"s0", "s1"}


def test_incomplete_scores_are_cut_as_for_compare() -> None:
    scores = clustered()
    values = {name: table[0].copy() for name, table in scores.systems.items()}
    values["s0"][3] = math.nan
    result = dt.reliability(
        dt.Scores.build(values, documents=scores.documents), method="delta", **QUICK
    )
    assert result.about("mean")["n_segments"] == 99
    assert result.notes[0].startswith("1 item of 100 left out")


def test_the_width_of_the_interval_is_that_of_a_mean_of_documents() -> None:
    scores = clustered(20, 5)
    result = dt.reliability(scores, half_width=2.0, **QUICK)
    row = result.needed("mean", "half-width")
    means = [table.reshape(20, 5).mean(axis=1) for table in scores.systems.values()]
    errors = [m.std(ddof=1) / math.sqrt(20) for m in means]
    assert row is not None
    assert row.now == pytest.approx(t_quantile(0.975, 19) * np.median(errors))
    assert row.documents is not None
    c = float(np.median(errors)) * math.sqrt(20)
    for k, within in ((row.documents, True), (row.documents - 1, False)):
        assert (t_quantile(0.975, k - 1) * c / math.sqrt(k) <= 2.0) is within
    assert row.segments == 5 * row.documents


def test_default_targets_are_two_percent_of_the_score() -> None:
    result = dt.reliability(clustered(), method="delta", **QUICK)
    typical = np.median([curve.score for curve in result.curves])
    assert [row.target for row in result.documents_for] == ["half-width", "effect", "tau"]
    assert result.documents_for[0].value == pytest.approx(0.02 * typical)
    assert result.documents_for[1].value == pytest.approx(0.02 * typical)


def test_one_system_has_no_ranking_and_no_pair() -> None:
    scores = clustered(systems=1)
    result = dt.reliability(scores, method="delta", **QUICK)
    assert result.tau == {}
    assert [row.target for row in result.documents_for] == ["half-width"]
    assert math.isnan(result.clustering[0].difference_design_effect)
    with pytest.raises(
        InputError, match="`effect` is a difference of two systems, and mean is"
    ):
        dt.reliability(scores, effect=1.0, **QUICK)


def test_several_runs_are_averaged() -> None:
    scores = clustered()
    twice = {name: np.concatenate([t, t + 4.0]) for name, t in scores.systems.items()}
    one = dt.reliability(scores, method="delta", **QUICK)
    both = dt.reliability(
        dt.Scores.build(twice, documents=scores.documents), method="delta", **QUICK
    )
    assert both.curves[0].score == pytest.approx(one.curves[0].score + 2.0)
    assert both.icc == pytest.approx(one.icc)
    spread = [s * m for s, m in zip(one.curves[0].stdev, one.curves[0].mean, strict=True)]
    again = [s * m for s, m in zip(both.curves[0].stdev, both.curves[0].mean, strict=True)]
    assert again == pytest.approx(spread)


def test_documents_of_one_segment() -> None:
    scores = clustered(40, 1)
    result = dt.reliability(scores, **QUICK)
    assert any(
        note.startswith("Every document of mean has one segment") for note in result.notes
    )
    assert math.isnan(result.icc["mean"])
    assert result.design_effect["mean"] == pytest.approx(40 / 39)
    assert result.curves[0].stdev[0] == 0.0  # one segment is always drawn
    power = result.fits[0].systems[0].power
    assert power is not None  # from two documents on


def test_two_documents_are_enough_for_an_answer_but_not_for_a_fit() -> None:
    result = dt.reliability(clustered(2, 10), **QUICK)
    assert result.fits[0].systems[0].power is None
    assert math.isnan(result.fits[0].b)
    assert result.fits[0].x_max is None
    assert result.difficult == ()
    assert math.isfinite(result.design_effect["mean"])


def test_a_system_that_does_not_vary_is_named() -> None:
    scores = clustered()
    values = {**scores.systems, "still": np.full(100, 7.0)}
    result = dt.reliability(
        dt.Scores.build(values, documents=scores.documents), method="delta", **QUICK
    )
    assert "mean is the same in all segments of still: no curve is fitted." in result.notes
    still = next(fit for fit in result.fits[0].systems if fit.system == "still")
    assert still.power is None


def test_bleu_about_zero_is_flagged() -> None:
    corpus = texts()
    nothing = ["zzz zz z qqq qq q the a"] * 60
    odd = dt.Corpus.build(
        {"good": list(corpus.output("good")), "none": nothing},
        [list(corpus.references[0])],
        documents=corpus.documents,
    )
    result = dt.reliability(odd, "bleu", **QUICK)
    told = [note for note in result.notes if "about zero" in note]
    assert told == [
        "BLEU of none is about zero, made of smoothing: on few documents its spread by Poisson "
        "weights or the delta method is off by 10 % and more. `method='exact'` is right."
    ]
    assert not any("about zero" in x for x in dt.reliability(corpus, "bleu", **QUICK).notes)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        (
            "method",
            "jackknife",
            "`method` must be one of poisson, exact, delta; got 'jackknife'",
        ),
        ("fit", "cubic", "`fit` must be one of log, nls; got 'cubic'"),
        ("epsilon", 0.0, "`epsilon` must be a finite number above 0; got 0.0"),
        ("orders", 99, "`orders` must be a whole number ≥ 100; got 99"),
        ("n_resamples", 1, "`n_resamples` must be a whole number ≥ 2; got 1"),
        ("alpha", 1.0, "`alpha` must lie strictly between 0 and 1; got 1.0"),
        ("power", 0.0, "`power` must lie strictly between 0 and 1; got 0.0"),
        ("n_jobs", 0, "`n_jobs` must be a whole number ≥ 1; got 0"),
        ("half_width", -1.0, "`half_width` must be a finite number above 0; got -1.0"),
        ("effect", {"bleu": 1.0}, "`effect of metric` must be one of mean; got 'bleu'"),
        ("close_to", 0.0, "`close_to` must be a finite number above 0; got 0.0"),
        ("order", "mixed", "`order` must be one of given, random; got 'mixed'"),
        ("rater_weights", "some", "`rater_weights` must be one of equal, agreement"),
        ("chart_system", ("S9",), "`chart_system` must be one of s0, s1; got 'S9'"),
        ("chart_metric", ("bleu",), "`chart_metric` must be one of mean; got 'bleu'"),
    ],
)
def test_bad_options(option: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.reliability(clustered(), **{option: value})


def test_nothing_to_measure() -> None:
    with pytest.raises(InputError, match="there is nothing to measure"):
        dt.reliability()
    with pytest.raises(InputError, match="`metrics` must be left out where there are no texts"):
        dt.reliability(metrics="bleu", judgments=judgments(clustered()))


def test_documents_are_needed() -> None:
    scores = clustered()
    bare = dt.Scores.build(dict(scores.systems))
    with pytest.raises(
        InputError, match="the scores: the document of each segment is not known"
    ):
        dt.reliability(bare)
    with pytest.raises(InputError, match="the outputs: the document of each segment"):
        dt.reliability(texts(documents=None))
    with pytest.raises(InputError, match="the judgments 'human': the document of each segment"):
        dt.reliability(judgments=judgments(scores, documents=False))


def test_one_document_is_refused() -> None:
    scores = clustered()
    single = dt.Scores.build(dict(scores.systems), documents=["all"] * 100)
    with pytest.raises(
        InputError, match="the scores: there is one document, 'all', which says"
    ):
        dt.reliability(single)
    with pytest.raises(InputError, match="the judgments 'human': there is one document, 'all'"):
        dt.reliability(judgments=judgments(single))


def test_a_constant_measure_is_refused() -> None:
    still = dt.Scores.build(
        {"A": np.full(12, 3.0), "B": np.full(12, 5.0)}, documents=["x", "y", "z"] * 4
    )
    with pytest.raises(DataError, match="mean is the same in all segments of every system"):
        dt.reliability(still)


def test_two_measures_of_one_name_are_refused() -> None:
    scores = clustered()
    with pytest.raises(InputError, match="'mean' names two measures"):
        dt.reliability(scores, scores={"mean": scores})


def test_the_words_say_what_the_numbers_are() -> None:
    result = dt.reliability(clustered(), half_width=2.0, effect=2.0, **QUICK)
    width, effect = result.documents_for[:2]
    said = result.summary()
    assert said.startswith("With 20 documents (100 segments), mean is known to within ± ")
    assert f"± {width.now:.4f} (95% interval)" in said
    assert f" and a paired difference of {effect.now:.4f} is detected with 80% power." in said
    assert f"An interval of ± 2.0000 needs {width.documents} documents." in said
    assert f"A paired difference of 2.0000 needs {effect.documents} documents." in said
    row = result.clustering[0]
    assert (
        f"too narrow by √{row.design_effect:.2f} = {row.too_narrow:.2f}: its 95% interval "
        f"covers about {row.coverage:.0%}."
    ) in clustering_sentence(result, "mean")


def test_the_json_has_what_was_asked_for() -> None:
    told = dt.reliability(clustered(), **QUICK).to_dict()
    assert {"curves", "fits", "documents_for", "icc", "design_effect", "tau"} <= set(told)
    assert told["icc"].keys() == {"mean"}
    assert told["tau"]["mean"][-1]["full"] == 1.0
    assert told["fits"][0]["epsilon"] == 1e-4
    assert told["curves"][0]["stdev_document"][:4] == [None] * 4
    assert told["kind"] == "Reliability"
    assert told["signature"].startswith(
        "reliability|metrics:mean[aggregation:mean]|documents:20"
    )


def test_random_orders_end_where_the_given_order_ends() -> None:
    table = clustered(12, 4, systems=3)
    given = dt.reliability(table, method="delta", **QUICK)
    moved = dt.reliability(table, method="delta", order="random", **QUICK)
    assert given.order == "given"
    assert moved.order == "random"
    assert "order:random" in str(moved.signature)
    assert moved.tau == given.tau  # no draw of the others has changed
    assert moved.documents_for == given.documents_for
    for a, b in zip(given.curves, moved.curves, strict=True):
        assert a.another is None
        assert b.another is not None
        assert a.mean[-1] == pytest.approx(b.mean[-1])
        assert b.another.mean[-1] == pytest.approx(b.mean[-1])
        assert b.another.stdev[-1] == pytest.approx(b.stdev[-1])
        assert a.mean[:-1] != pytest.approx(b.mean[:-1])
        assert b.another.mean[:-1] != pytest.approx(b.mean[:-1])
        assert b.segments[-1] == a.segments[-1]


def test_all_measures_have_the_same_random_order() -> None:
    """Scores and judgments that are equal have equal curves, whatever order their files have."""
    table = clustered(10, 6, seed=5)
    clipped = dt.Scores.build(
        {name: np.clip(values, 0, 100) for name, values in table.systems.items()},
        documents=table.documents,
    )
    found = dt.reliability(
        clipped, judgments=judgments(table), method="delta", order="random", **QUICK
    )
    half = len(found.curves) // 2
    for a, b in zip(found.curves[:half], found.curves[half:], strict=True):
        assert (a.metric, b.metric) == ("mean", "human")
        assert a.mean == pytest.approx(b.mean)
        assert a.another is not None
        assert b.another is not None
        assert a.another.mean == pytest.approx(b.another.mean)


def test_settled_is_where_the_spread_stays_close() -> None:
    found = dt.reliability(clustered(12, 4), method="delta", close_to=0.01, **QUICK)
    for fit, curve in zip(found.fits[0].systems, found.curves, strict=True):
        far = [abs(s - curve.stdev[-1]) > 0.01 for s in curve.stdev]
        assert fit.settled is not None
        assert not any(far[fit.settled - 1 :])
        assert fit.settled == 1 or far[fit.settled - 2]
    values = [fit.settled for fit in found.fits[0].systems if fit.settled is not None]
    assert found.fits[0].settled == pytest.approx(np.median(values))


def test_the_better_curve_explains_more() -> None:
    found = dt.reliability(clustered(12, 4, systems=3), method="delta", **QUICK)
    for fit in found.fits[0].systems:
        assert fit.power is not None
        assert fit.cubic is not None
        assert fit.better == ("cubic" if fit.cubic.r2 > fit.power.r2_lin else "power")
    assert found.fits[0].r2_cubic == pytest.approx(
        np.median([fit.cubic.r2 for fit in found.fits[0].systems if fit.cubic])
    )
    assert replace(found.fits[0].systems[0], cubic=None).better == ""


def test_words_are_those_of_the_reference() -> None:
    assert dt.reliability(texts(), "bleu", **QUICK).words_per_segment == 12.0
    together = dt.Corpus.build({"A": ["漢字" * 20]}, ["漢字" * 20])
    assert words_per_segment(together) is None
    assert dt.reliability(clustered(), **QUICK).words_per_segment is None
