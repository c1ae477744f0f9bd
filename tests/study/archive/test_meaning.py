"""What a difference meant to people: the shipped table, own archives, gold numbers, messages."""

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main
from detectable.core.errors import DataError, InputError
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.archive_audit import difference_picture, meaning_picture
from detectable.report.shown.comparison_words import meaning_sentence
from detectable.study.archive.agreement_curve import (
    ArchivePairs,
    Fitted,
    extrapolated,
    fit_curve,
    resampled,
)
from detectable.study.archive.meaning import (
    LABELS,
    MeaningCurve,
    PairMeaning,
    curve_of,
    meaning_of_pair,
    shipped_curve,
)
from scripts.make_meaning import shipdata_pairs, wmt_pairs
from tests.helpers import reference_data
from tests.report import results


@cache
def gold() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        reference_data("gold", "meaning.json").read_text("utf-8")
    )
    return found


@cache
def pairs(metric: str) -> ArchivePairs:
    folder = ("data", "choose")
    return shipdata_pairs(
        str(reference_data(*folder, "meaning_shipdata_pairs.parquet")), metric
    )


@cache
def wmt(metric: str) -> ArchivePairs:
    path = reference_data("data", "choose", "meaning_wmt21_systems.parquet")
    return wmt_pairs(str(path), metric, pairs(metric).limit)


# --- Gold ---


@pytest.mark.golden
@pytest.mark.parametrize("metric", LABELS)
def test_curves_are_those_of_the_gold_file(metric: str) -> None:
    known, found = gold()["curves"][metric], pairs(metric)
    assert (found.size.size, found.n_campaigns) == (known["n_pairs"], known["n_campaigns"])
    assert found.limit == pytest.approx(known["limit"], abs=1e-4)
    assert found.agrees.mean() == pytest.approx(known["accuracy"], abs=1e-3)
    fit = fit_curve(found.size, found.agrees)
    assert fit.knots == pytest.approx(known["knots"], abs=1e-3)
    assert fit.at(fit.knots) == pytest.approx(known["agreement_at_knots"], abs=1e-3)
    for size, wanted in known["at"].items():
        assert fit.at(np.array([float(size)]))[0] == pytest.approx(
            wanted["agreement"], abs=1e-3
        )


@pytest.mark.golden
@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_curves_of_wmt21_are_those_of_the_gold_file(metric: str) -> None:
    known, found = gold()["wmt21"][metric], wmt(metric)
    assert (found.size.size, found.n_campaigns) == (known["n"], known["language_pairs"])
    fit = fit_curve(found.size, found.agrees, parts=4)
    for size, wanted in known["at"].items():
        assert fit.at(np.array([float(size)]))[0] == pytest.approx(
            wanted["agreement"], abs=1e-3
        )


@pytest.mark.golden
@pytest.mark.parametrize("metric", LABELS)
def test_the_shipped_table_says_what_the_gold_file_says(metric: str) -> None:
    curve, known = shipped_curve(metric), gold()["curves"][metric]
    assert (curve.n_pairs, curve.n_campaigns) == (known["n_pairs"], known["n_campaigns"])
    for size, wanted in known["at"].items():
        found = curve.at(float(size))
        assert found.agreement == pytest.approx(wanted["agreement"], abs=1e-3)
        assert (found.interval.low, found.interval.high) == pytest.approx(
            (wanted["low"], wanted["high"]), abs=0.02
        )
        least = max(wanted["simex"], wanted["agreement"])  # never below what was observed
        assert found.noise_free == pytest.approx(least, abs=0.02)
    for size, wanted in gold()["wmt21"].get(metric, {"at": {}})["at"].items():
        (other,) = curve.at(float(size)).elsewhere
        assert other.archive == "WMT21"
        assert other.agreement == pytest.approx(wanted["agreement"], abs=1e-3)
        assert (other.interval.low, other.interval.high) == pytest.approx(
            (wanted["low"], wanted["high"]), abs=0.02
        )


@pytest.mark.golden
def test_language_pairs_vary_as_the_gold_file_says() -> None:
    """Its method is not said, ours is maximum likelihood: chrF and TER come to within .024."""
    for size, (low, _, high) in gold()["language_pairs"]["bleu"]["range80"].items():
        found = shipped_curve("bleu").at(float(size)).language_pairs
        assert found == pytest.approx((low, high), abs=0.02)


@pytest.mark.golden
def test_intervals_are_of_campaigns_and_not_of_pairs() -> None:
    """Pairs drawn instead make the interval at 4 BLEU a fifth too short."""
    found, at = pairs("bleu"), np.array([4.0])
    widths = []
    for unit in (None, np.arange(found.size.size)):
        drawn = resampled(found, at, np.random.default_rng(1), n_resamples=400, by=unit)
        low, high = np.quantile(drawn[:, 0], [0.025, 0.975])
        widths.append(high - low)
    assert widths[1] < 0.9 * widths[0]


@pytest.mark.golden
def test_pairs_above_the_limit_would_pull_the_curve_down() -> None:
    path = reference_data("data", "choose", "meaning_shipdata_pairs.parquet")
    table = pl.read_parquet(path)
    every = ArchivePairs.of(
        table["bleu"].to_numpy(),
        table["human_difference"].to_numpy(),
        table["campaign"].to_numpy(),
        limit=math.inf,
    )
    fit = fit_curve(every.size, every.agrees)
    assert fit.at(np.array([5.0]))[0] == pytest.approx(0.865, abs=2e-3)  # .876 without them


@pytest.mark.golden
@pytest.mark.parametrize("metric", LABELS)
def test_campaigns_that_the_fit_has_not_seen(metric: str) -> None:
    """Ten folds of campaigns: the Brier score of the gold file, better than a constant."""
    found, known = pairs(metric), gold()["held_out_campaigns"][metric]
    order = np.random.default_rng(0).permutation(found.n_campaigns)
    fold = (np.argsort(order) % 10)[found.campaign]
    said = np.empty(found.size.size)
    for k in range(10):
        seen = fold != k
        said[~seen] = fit_curve(found.size[seen], found.agrees[seen]).at(found.size[~seen])
    brier = float(((said - found.agrees) ** 2).mean())
    assert brier == pytest.approx(known["piecewise logit (chosen)"]["brier"], abs=0.001)
    assert brier < known["constant"]["brier"] - 0.01


@pytest.mark.golden
@pytest.mark.parametrize("case", ["bleu x0.25", "bleu x1", "chrf x1"])
def test_without_noise_known_truth_comes_back_and_is_not_passed(case: str) -> None:
    """Human differences of ShipData taken for true, noise added: a third to all is taken back."""
    metric, factor = case.split(" x")
    true = pairs(metric)
    at, known = np.array([0.5, 1.0, 2.0, 4.0]), gold()["simex_known_truth"][case]
    assert true.variance is not None
    variance, found = float(factor) * true.variance, []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        noisy = ArchivePairs(
            size=true.size,
            human=true.human + rng.normal(size=true.human.size) * np.sqrt(variance),
            variance=variance,
            campaign=true.campaign,
            language_pair=None,
            limit=true.limit,
        )
        plain = fit_curve(noisy.size, noisy.agrees)
        found.append(extrapolated(noisy, plain, at, rng, rounds=4))
    mean = np.mean(found, axis=0)
    error = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(mean - known["simex"]) <= 0.02 + 2.0 * error).all()
    assert (mean >= np.array(known["observed"]) - 2.0 * error).all()
    assert (mean <= np.array(known["truth"]) + 0.01 + 2.0 * error).all()


# --- The curve ---


def test_the_curve_is_one_half_at_zero_and_never_falls() -> None:
    rng = np.random.default_rng(2)
    size = rng.exponential(2.0, 500)
    agrees = (rng.random(500) < 0.3).astype(
        float
    )  # people disagree: the curve stays at one half
    fit = fit_curve(size, agrees)
    assert fit.at(np.array([0.0, 1.0, 9.0])) == pytest.approx([0.5, 0.5, 0.5], abs=1e-6)
    rising = fit_curve(size, (rng.random(500) < 1.0 / (1.0 + np.exp(-size))).astype(float))
    assert (np.diff(rising.at(np.linspace(0.0, 9.0, 50))) >= 0.0).all()


def test_ties_of_either_are_left_out() -> None:
    found = ArchivePairs.of(
        np.array([1.0, 0.0, -2.0, 3.0]),
        np.array([1.0, 1.0, -1.0, 0.0]),
        np.array([4, 4, 7, 7]),
        limit=9.0,
    )
    assert found.size.tolist() == [1.0, 2.0]
    assert found.agrees.tolist() == [1.0, 1.0]  # both signs agree
    assert found.campaign.tolist() == [0, 1]


def test_knots_are_taken_anew_in_every_resample() -> None:
    rng = np.random.default_rng(3)
    size = np.concatenate([rng.uniform(0, 1, 60), rng.uniform(5, 9, 60)])
    campaign = np.repeat(np.arange(120) // 2, 1)
    human = np.where(rng.random(120) < 0.75, 1.0, -1.0)
    found = ArchivePairs.of(size, human, campaign, limit=99.0)
    drawn = resampled(found, np.array([4.0]), np.random.default_rng(1), n_resamples=50)
    fixed = []
    for block in np.random.default_rng(1).integers(
        0, found.n_campaigns, (50, found.n_campaigns)
    ):
        weight = np.bincount(block, minlength=found.n_campaigns)[found.campaign]
        knots = fit_curve(found.size, found.agrees).knots
        fit = fit_curve(found.size, found.agrees, weight=weight.astype(float), knots=knots)
        fixed.append(fit.at(np.array([4.0]))[0])
    assert drawn.std() != pytest.approx(np.std(fixed), rel=0.02)


def test_a_fitted_curve_is_what_its_formula_says() -> None:
    fit = Fitted(np.array([1.0, 3.0]), np.array([0.4, 0.8]))
    assert fit.logit(np.array([0.5, 1.0, 2.0, 3.0, 9.0])) == pytest.approx(
        [0.2, 0.4, 0.8, 1.2, 1.2]
    )


# --- Look-ups ---


def test_the_size_counts_and_not_the_sign() -> None:
    up, down = dt.meaning("ter", 2.0), dt.meaning("TER", -2.0)
    assert (up.agreement, up.interval) == (down.agreement, down.interval)
    assert down.difference == -2.0
    assert down.summary().startswith("−2.0 TER: people agreed")


def test_half_at_zero_and_known_up_to_the_limit() -> None:
    curve = curve_of("chrF")
    assert curve.at(0.0).agreement == 0.5
    assert curve.at(curve.limit).agreement == pytest.approx(curve.agreement_at_knots[-1])
    with pytest.raises(InputError, match="is not known"):
        curve.at(curve.limit + 0.1)


def test_the_words() -> None:
    said = dt.meaning("bleu", 1.0).summary().splitlines()
    assert said == [
        "+1.0 BLEU: people agreed with a difference of this size in 69% of past comparisons [66, 72].",
        "Without the noise of human evaluation it would be at least about 74%. By language pair it "
        "varies: 59 to 87% in four of five.",
        "At WMT21 it was 58% [53, 66]. From 3,800 pairs of systems, 1,687 campaigns (ShipData, Kocmi "
        "et al. 2021, CC BY-SA 4.0).",
    ]
    curve = curve_of("bleu").summary()
    assert curve.startswith(
        "People agreed in four of five comparisons from a difference of 2.3 BLEU on."
    )
    assert "CC BY-SA 4.0" in curve


def test_the_licence_stands_where_the_table_is_shown_and_with_the_table() -> None:
    for result in (dt.meaning("bleu", 1.0), curve_of("bleu")):
        assert "CC BY-SA 4.0" in result.archive
        assert "CC BY-SA 4.0" in result.summary()
        (chart,) = [one for one in blocks_of(result) if isinstance(one, Chart)]
        assert "CC BY-SA 4.0" in chart.caption
    table = Path(dt.__file__).parent / "study" / "archive" / "meaning.tsv"
    assert "licensed CC BY-SA 4.0" in table.read_text("utf-8")
    assert table.stat().st_size < 5_000


def test_pictures_show_the_difference_and_the_other_archive() -> None:
    (chart,) = difference_picture(dt.meaning("bleu", 1.0))
    (plain,) = meaning_picture(curve_of("ter"))
    assert chart.title == "+1.0 BLEU: people agreed in 69% of comparisons"
    for width in (720, 342):
        marks = [one["mark"] for one in chart.make(width)["layer"]]
        assert any(mark.get("strokeDash") == [5, 3] for mark in marks)
        assert sum(mark.get("size") == 95 for mark in marks) == 1
        assert not any(
            one["mark"].get("strokeDash") == [5, 3] for one in plain.make(width)["layer"]
        )


# --- Own archives ---


def archive(
    campaigns: int = 120, *, seed: int = 1, slope: float = 0.8, errors: bool = True
) -> dict[str, list[Any]]:
    """Return systems of campaigns whose metric says something about people."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[Any]] = {
        name: []
        for name in ("campaign", "system", "human", "comet", "human_se", "language_pair")
    }
    for campaign in range(campaigns):
        for system in range(3):
            metric = rng.normal(0, 3)
            entry = (
                f"c{campaign}",
                f"s{system}",
                round(slope * metric + rng.normal(0, 2), 4),
                round(metric, 4),
                0.8,
                ("de-en", "zh-en")[campaign % 2],
            )
            for name, value in zip(rows, entry, strict=True):
                rows[name].append(value)
    if not errors:
        del rows["human_se"]
    return rows


def test_an_archive_of_ones_own() -> None:
    curve = dt.fit_meaning(archive(), metric="comet", n_resamples=60, rng=1)
    assert (curve.n_campaigns, curve.metric) == (120, "comet")
    found = curve.at(3.0)
    assert 0.75 < found.agreement < 0.95
    assert found.interval.low < found.agreement < found.interval.high
    assert found.noise_free >= found.agreement
    assert found.notes == ()
    assert curve == dt.fit_meaning(archive(), metric="comet", n_resamples=60, rng=1)


def test_a_metric_that_falls_is_turned_once() -> None:
    table = archive()
    turned = {**table, "comet": [-value for value in table["comet"]]}
    plain = dt.fit_meaning(table, metric="comet", n_resamples=20, rng=1)
    other = dt.fit_meaning(
        turned, metric="comet", lower_is_better=["comet"], n_resamples=20, rng=1
    )
    assert other.agreement_at_knots == pytest.approx(plain.agreement_at_knots)


def test_notes_on_few_campaigns_and_on_unknown_errors() -> None:
    curve = dt.fit_meaning(archive(60, errors=False), metric="comet", n_resamples=20, rng=1)
    assert curve.notes == (
        "The agreement without the noise of human evaluation needs human_se; it is left out.",
        "With 60 campaigns, the interval is too short at its upper end.",
    )
    assert math.isnan(curve.at(1.0).noise_free)


def refused(table: Any, **options: Any) -> str:
    with pytest.raises((DataError, InputError)) as caught:
        dt.fit_meaning(table, **{"metric": "comet", "n_resamples": 5, **options})
    return str(caught.value)


def test_messages_word_for_word(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        dt.meaning("bleu", 14.0)
    beyond = "the archive has too few differences above 9.5."
    assert str(caught.value) == f"What +14.0 BLEU means to people is not known: {beyond}"
    with pytest.raises(InputError) as caught:
        dt.meaning("wmt22-comet-da", 0.8)
    own = "Fit your own archive: detectable meaning --archive FILE --metric NAME."
    assert str(caught.value) == (
        f"What +0.8 wmt22-comet-da means to people is not in the shipped table. {own}"
    )
    with pytest.raises(InputError) as caught:
        dt.meaning("chrF++", 1.2)
    assert str(caught.value) == (
        f"What +1.2 chrF++ means to people is not in the shipped table. {own}"
    )
    table = archive()
    without = {name: values for name, values in table.items() if name != "campaign"}
    assert refused(without) == (
        "`archive` needs a column “campaign”: pairs are made within campaigns. Name it with "
        "--column campaign=NAME."
    )
    assert (
        refused(archive(1))
        == "1 campaign with 3 pairs are too few for a curve; 50 and 100 are needed."
    )
    few = refused(archive(24))
    assert few.startswith("24 campaigns with ")
    assert few.endswith(" pairs are too few for a curve; 50 and 100 are needed.")
    same = {**table, "comet": [1.0] * len(table["comet"])}
    assert refused(same) == "`comet` has one value in all rows."
    assert refused({**table, "human": [1.0] * len(table["human"])}) == (
        "`human` has one value in all rows."
    )
    wrong = refused({**table, "comet": [-value for value in table["comet"]]})
    assert wrong.startswith("`comet` disagrees with people in ")
    assert wrong.endswith("% of pairs. Is lower better? Say --lower-is-better comet.")
    path = tmp_path / "ours.csv"
    pl.DataFrame(without).write_csv(path)
    said = CliRunner().invoke(main, ["meaning", "--archive", str(path), "--metric", "comet"])
    assert said.exit_code == 1
    assert said.stderr.startswith("Error: --archive needs a column “campaign”:")


@pytest.mark.parametrize(
    "words",
    [
        ["meaning"],
        ["meaning", "bleu", "1", "--metric", "x"],
        ["meaning", "bleu", "--archive", "x.csv"],
        ["meaning", "--archive", "x.csv"],
    ],
)
def test_options_that_do_not_go_together_are_a_usage_error(words: list[str]) -> None:
    assert CliRunner().invoke(main, words).exit_code == 2


def test_the_command_keeps_a_curve_that_can_be_read_again(tmp_path: Path) -> None:
    path, kept = tmp_path / "ours.csv", tmp_path / "ours.json"
    pl.DataFrame(archive()).write_csv(path)
    words = ["meaning", "--archive", str(path), "--metric", "comet", "--seed", "1"]
    ran = CliRunner().invoke(main, [*words, "--resamples", "20", "--out", str(kept)])
    assert ran.exit_code == 0, ran.output
    assert dt.load(kept) == dt.fit_meaning(path, metric="comet", n_resamples=20, rng=1)


# --- Beside the verdicts of `compare` ---


def compared(difference: float, verdict: Any, **changes: Any) -> Any:
    """Return a comparison made by hand with one pair and what its difference meant."""
    made = results.comparison()
    pair = replace(made.pairs[0], difference=difference, verdict=verdict, measure="bleu")
    about = {"metric": "bleu", "label": "BLEU", "higher_is_better": True, "digits": 2}
    about["sacrebleu"] = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    about |= changes.pop("about", {})
    settings = {"n_segments": 500, "within_margin": verdict == "equivalent"} | changes
    found, reason, limit = meaning_of_pair(about, difference, **settings)
    meant = PairMeaning(
        metric="bleu",
        system=pair.system,
        baseline=pair.baseline,
        meaning=found,
        reason=reason,
        limit=limit,
    )
    return replace(made, metrics=(about,), pairs=(pair,), meanings=(meant,)), pair


SMALL = "people agreed with a difference of this size in 63% of past comparisons [60, 67]"
LARGE = "eople agreed with a difference of this size in 85% of past comparisons [82, 87]"
SENTENCES = [
    ("better", 3.0, f"P{LARGE}."),
    ("worse", -3.0, f"P{LARGE}."),
    ("better", 0.6, f"Real on this test set, and small: {SMALL}; a coin gets 50%."),
    (
        "undecided",
        3.0,
        f"If it is real, it matters: p{LARGE}. This test set is too small to tell.",
    ),
    ("undecided", -0.6, f"Even if it is real, it is small: {SMALL}; a coin gets 50%."),
    ("equivalent", 0.6, ""),
    (
        "better",
        14.0,
        "What +14.0 BLEU means to people is not known: the archive has too few differences above "
        "9.5.",
    ),
]


@pytest.mark.parametrize(("verdict", "difference", "said"), SENTENCES)
def test_the_sentence_of_a_pair_word_for_word(
    verdict: str, difference: float, said: str
) -> None:
    result, pair = compared(difference, verdict)
    assert meaning_sentence(result, pair) == said


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"about": {"sacrebleu": "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no"}}, "metric"),
        ({"about": {"sacrebleu": "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp"}}, "metric"),
        ({"about": {"sacrebleu": "nrefs:1|case:lc|eff:no|tok:13a|smooth:exp"}}, "metric"),
        (
            {"about": {"sacrebleu": "nrefs:1|case:mixed|eff:no|tok:flores200|smooth:exp"}},
            "metric",
        ),
        ({"about": {"sacrebleu": ""}}, "metric"),
        ({"n_segments": 249}, "segments"),
        ({"within_margin": True}, "margin"),
    ],
)
def test_where_nothing_is_said(changes: dict[str, Any], reason: str) -> None:
    result, pair = compared(1.0, "better", **changes)
    assert result.meanings[0].reason == reason
    assert meaning_sentence(result, pair) == ""


def long_texts(folder: Path) -> list[str]:
    """Write the example twice over, 480 segments, and return the words that name it."""
    example = Path(dt.__file__).parent / "data" / "texts" / "example"
    words = []
    for option, name in (
        ("--refs", "reference"),
        ("--system", "baseline.run1"),
        ("--system", "contender.run1"),
    ):
        text = (example / f"{name}.txt").read_text("utf-8")
        (folder / f"{name}.txt").write_text(text + text, "utf-8")
        named = "" if option == "--refs" else f"{name.partition('.')[0]}="
        words += [option, f"{named}{folder / name}.txt"]
    return ["compare", *words, "--baseline", "baseline", "--metric", "bleu", "--seed", "1"]


def test_compare_says_it_after_the_pair_and_in_json(tmp_path: Path) -> None:
    words = long_texts(tmp_path)
    shown = CliRunner().invoke(main, words)
    assert "people agreed with a difference of this size in" in " ".join(
        shown.stdout.casefold().split()
    )
    (pair,) = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)["pairs"]
    assert pair["meaning"]["agreement"] == dt.meaning("bleu", pair["difference"]).agreement
    assert pair["meaning"]["archive"] == "ShipData, Kocmi et al. 2021, CC BY-SA 4.0"
    assert pair["meaning_reason"] == ""
    (pair,) = json.loads(
        CliRunner().invoke(main, [*words, "--meaning", "none", "--json"]).stdout
    )["pairs"]
    assert "meaning" not in pair


def test_compare_takes_a_curve_of_ones_own(tmp_path: Path) -> None:
    curve, scores = tmp_path / "ours.json", tmp_path / "scores.csv"
    dt.save(dt.fit_meaning(archive(), metric="comet", n_resamples=20, rng=1), curve)
    rng = np.random.default_rng(4)
    rows = {"item": range(300), "old": rng.normal(80, 3, 300), "new": rng.normal(81, 3, 300)}
    pl.DataFrame(rows).write_csv(scores)
    words = ["compare", "--scores", str(scores), "--baseline", "old", "--seed", "1", "--json"]
    loaded, kept = dt.read_scores(scores), dt.load(curve)
    assert isinstance(kept, MeaningCurve)
    found = dt.compare(replace(loaded, metric="comet"), baseline="old", meaning=kept, rng=1)
    assert found.meanings[0].meaning is not None
    refused = dt.compare(replace(loaded, metric="wmt22-comet-da"), baseline="old", rng=1)
    assert refused.meanings[0].reason == "metric"
    assert (
        "means to people is not in the shipped table. Fit your own archive:"
        in refused.summary()
    )
    plain = dt.compare(loaded, baseline="old", rng=1)
    assert plain.meanings == ()
    said = CliRunner().invoke(main, [*words, "--meaning", str(scores)])
    assert said.exit_code == 1
