"""Documents as what is planned: the formula, the pilots of every scenario, and one answer for all."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import detectable as dt
from detectable.cli import main
from detectable.core.types import FloatArray, IntArray
from detectable.inference.standard_errors import Estimate, cluster_mean
from detectable.planning.documents import (
    AssumedDocuments,
    Documents,
    DocumentSpread,
    in_documents,
    upper_variance,
)
from tests.helpers import reference_data

ASK = {"alpha": 0.05, "power": 0.8}


def gold(prefix: str) -> dict[str, Any]:
    text = reference_data("gold", "repairs.json").read_text(encoding="utf-8")
    return {
        name: case
        for name, case in json.loads(text)["cases"].items()
        if name.startswith(prefix)
    }


def clustered(
    seed: int, n_documents: int = 40, size: int = 5, *, between: float = 8.0
) -> tuple[FloatArray, IntArray]:
    """Return differences of items that resemble each other within documents."""
    rng = np.random.default_rng(seed)
    documents = np.repeat(np.arange(n_documents), size)
    own = rng.normal(0.0, between, n_documents)[documents]
    return own + rng.normal(0.0, 8.0 * math.sqrt(2.0 / 3.0), documents.size), documents


@pytest.mark.golden
def test_gold_numbers_of_documents() -> None:
    cases = gold("documents/")
    assert cases
    for name, case in cases.items():
        words = name.partition("/")[2].split()
        effect, variance, cv2 = (float(words[i]) for i in (1, 3, 5))
        if math.isclose(variance, 72.5333):
            variance = 72.5333333333
        found = DocumentSpread(variance=variance, cv2=cv2)
        needed = found.needed(effect, alpha=case["alpha"], power=case["power"])
        assert needed == case["documents"]


@pytest.mark.parametrize("cv2", [0.0, 0.5])
def test_power_is_that_of_a_noncentral_t(cv2: float) -> None:
    spread = DocumentSpread(variance=40.0, cv2=cv2)
    df = 30 / (1.0 + cv2) - 1.0
    wanted = stats.nct.sf(stats.t.isf(0.025, df), df, 3.0 / math.sqrt(40.0 / 30))
    assert spread.power(30, 3.0, alpha=0.05) == pytest.approx(wanted, abs=1e-9)
    assert spread.power(30, -3.0, alpha=0.05) == spread.power(30, 3.0, alpha=0.05)


def test_the_variance_of_a_pilot_is_taken_at_its_upper_limit() -> None:
    values, documents = clustered(1)
    found, seen = cluster_mean(values, documents), DocumentSpread.of_pilot(values, documents)
    limit = found.df / stats.chi2.ppf(0.4, found.df)
    assert seen.variance == pytest.approx(40 * found.standard_error**2 * limit, rel=1e-12)
    assert upper_variance(1.0, 39.0) == pytest.approx(39 / stats.chi2.ppf(0.4, 39), rel=1e-12)
    assert (seen.n_documents, seen.size, seen.cv2) == (40, 5.0, 0.0)
    by_item = values.var(ddof=1) / values.size
    assert seen.design_effect == pytest.approx(found.standard_error**2 / by_item, rel=1e-12)


def test_unequal_documents_cost_degrees_of_freedom() -> None:
    values, documents = clustered(2, 30, 6)
    kept = np.random.default_rng(3).random(values.size) < 0.5
    spread = DocumentSpread.of_pilot(values[kept], documents[kept])
    sizes = np.bincount(documents[kept])
    sizes = sizes[sizes > 0]
    assert spread.cv2 == pytest.approx(sizes.var() / sizes.mean() ** 2, rel=1e-9)
    assert spread.size == pytest.approx(sizes.mean())
    assert spread.estimate(50).df == pytest.approx(50 / (1 + spread.cv2) - 1)


@pytest.mark.parametrize("effect", [0.5, 3.0, 40.0])
def test_the_number_is_the_smallest_that_does(effect: float) -> None:
    spread = DocumentSpread(variance=72.5, cv2=0.3)
    needed = spread.needed(effect, **ASK)
    assert needed is not None
    assert spread.power(needed, effect, alpha=0.05) >= 0.8
    assert needed == 2 or spread.power(needed - 1, effect, alpha=0.05) < 0.8
    least = spread.detectable(needed, **ASK)
    assert spread.power(needed, least, alpha=0.05) == pytest.approx(0.8, abs=1e-6)


def test_raters_who_differ_set_a_limit_that_no_number_of_documents_passes() -> None:
    spread = DocumentSpread(variance=1.0, rater_variance=1.0, n_raters=4)
    assert spread.needed(1.0, **ASK) is None
    assert spread.needed(0.0, **ASK) is None
    many = spread.estimate(10**9)
    assert many.standard_error == pytest.approx(1.0, abs=1e-6)
    assert many.df == pytest.approx(3.0, abs=1e-6)


def test_more_samples_lower_nothing_but_noise() -> None:
    spread = DocumentSpread(variance=2.0, size=5.0, item_variance=6.0, design_effect=5 / 3)
    less = spread.with_noise(4.0, 1.0)
    assert less.variance == pytest.approx(1.4)
    assert less.item_variance == pytest.approx(3.0)
    assert less.design_effect == pytest.approx(1.4 * 5.0 / 3.0)
    # A pilot by chance below its noise: at least what would be left of noise alone.
    assert DocumentSpread(variance=0.1, size=5.0, item_variance=6.0).with_noise(
        4.0, 1.0
    ).variance == pytest.approx(0.025)
    assert spread.with_noise(4.0, 4.0) is spread


# --- Every scenario ---


def write_scores(path: Path, new: FloatArray, old: FloatArray, documents: IntArray) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["system", "item", "document", "score"])
        for name, scores in (("new", new), ("old", old)):
            for i, score in enumerate(scores.tolist()):
                rows.writerow([name, f"i{i}", f"d{documents[i]}", score])
    return path


def run(*words: object) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


def answers(seed: int, k: int = 1) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return shares of right answers of two systems, with an effect of the document on each."""
    rng = np.random.default_rng(seed)
    documents = np.repeat(np.arange(40), 5)

    def right(shift: float) -> FloatArray:
        chance = 1.0 / (1.0 + np.exp(-1.0 - shift - rng.normal(0.0, 1.5, 40)[documents]))
        return rng.binomial(k, chance) / k

    return right(0.3), right(0.0), documents


def test_accuracy_plans_documents_where_the_pilot_names_them(tmp_path: Path) -> None:
    new, old, documents = answers(4)
    names = [f"d{d}" for d in documents]
    plan = dt.scenarios.Accuracy.from_predictions(new, old, documents=names)
    found = dt.sample_size(plan, effect=0.08)
    spread = DocumentSpread.of_pilot(new - old, documents)
    assert found.n_items == spread.needed(0.08, **ASK)
    assert (found.unit, found.details["per_document"]) == ("document", 5.0)
    assert found.details["total_items"] == 5 * (found.n_items or 0)
    alone = dt.sample_size(replace(plan, documents=None), effect=0.06)
    found = dt.sample_size(plan, effect=0.06)
    assert (alone.n_items or 0) < int(found.details["total_items"]) / 1.5

    first, second = tmp_path / "new.csv", tmp_path / "old.csv"
    for file, scores in ((first, new), (second, old)):
        lines = [f"i{i},{names[i]},{score:g}" for i, score in enumerate(scores)]
        file.write_text("\n".join(["item,document,score", *lines]) + "\n", encoding="utf-8")
    asked = ("accuracy", "--system-scores", first, "--baseline-scores", second)
    said = run("sample-size", *asked, "--effect", 0.06, "--json")
    assert said.exit_code == 0, said.output
    assert json.loads(said.stdout)["n_items"] == found.n_items
    items = run("sample-size", *asked, "--effect", 0.06, "--unit", "item", "--json")
    assert json.loads(items.stdout)["n_items"] == alone.n_items
    refused = run("sample-size", *asked, "--effect", 0.0, "--margin", 0.05)
    assert refused.exit_code == 2
    assert "Add --unit item" in refused.stderr


def test_samples_plan_documents_and_know_of_other_numbers_of_samples() -> None:
    rng = np.random.default_rng(5)
    documents = np.repeat(np.arange(40), 5)
    chance = {
        name: 1.0 / (1.0 + np.exp(-1.0 - rng.normal(0.0, 1.5, 40)[documents]))
        for name in ("new", "old")
    }
    tables = {
        name: rng.binomial(1, p, size=(4, 200)).astype(float) for name, p in chance.items()
    }
    scores = dt.Scores.build(tables, documents=[f"d{d}" for d in documents], repeats="samples")
    d = tables["new"].mean(axis=0) - tables["old"].mean(axis=0)
    same = dt.scenarios.Samples.from_scores(scores, "new", "old")
    wanted = DocumentSpread.of_pilot(d, documents).needed(0.08, **ASK)
    assert dt.sample_size(same, effect=0.08).n_items == wanted
    more = dt.scenarios.Samples.from_scores(scores, "new", "old", n_samples=16)
    assert (dt.sample_size(more, effect=0.08).n_items or 0) < (wanted or 0)
    items = dt.scenarios.Samples.from_scores(scores, "new", "old", unit="item")
    assert items.documents is None


def judged(seed: int) -> dict[str, list[Any]]:
    """Return ratings of 3 raters, 200 items in 40 documents, two systems; raters agree."""
    values, documents = clustered(seed)
    rng = np.random.default_rng(seed + 100)
    rows: dict[str, list[Any]] = {
        name: [] for name in ("rater", "item", "document", "system", "score")
    }
    level = rng.normal(0.0, 10.0, values.size)
    for i, d in enumerate(values.tolist()):
        for rater in range(3):
            for system, part in (("old", 0.0), ("new", d)):
                rows["rater"].append(f"r{rater}")
                rows["item"].append(f"i{i}")
                rows["document"].append(f"d{documents[i]}")
                rows["system"].append(system)
                rows["score"].append(50.0 + level[i] + part + float(rng.normal(0.0, 4.0)))
    return rows


def test_likert_and_pilot_judgments_plan_the_same_documents() -> None:
    table = judged(6)
    likert = dt.scenarios.Likert.from_ratings(table)
    pilot = dt.scenarios.Pilot.judgments(table, "new", "old")
    assert isinstance(likert.documents, DocumentSpread)
    assert pilot.documents is not None
    numbers = [dt.sample_size(plan, effect=3.0) for plan in (likert, pilot)]
    assert numbers[0].n_items == numbers[1].n_items
    assert numbers[0].details["n_raters"] == 3
    assert likert.documents.design_effect > 2.0
    plain = {name: column for name, column in table.items() if name != "document"}
    alone = dt.scenarios.Likert.from_ratings(plain)
    assert replace(likert, documents=None) == alone
    items = int(numbers[0].details["total_items"])
    assert (dt.sample_size(alone, effect=3.0).n_items or 0) < items / 2
    assert dt.scenarios.Likert.from_ratings(table, unit="item") == alone
    # With more raters an item has less noise.
    more = dt.scenarios.Likert.from_ratings(table, n_raters=12)
    assert (dt.sample_size(more, effect=3.0).n_items or 0) < (numbers[0].n_items or 0)


def test_bleu_plans_documents_from_the_influence_of_each() -> None:
    from detectable.data.example.bundled import example_corpus

    bundled = example_corpus()
    names = list(bundled.systems)[:2]
    corpus = dt.Corpus.build(
        {name: list(bundled.output(name, 0)) for name in names},
        [list(stream) for stream in bundled.references],
        documents=list(bundled.documents or ()),
    )
    fitted = dt.scenarios.Bleu.fit(corpus, "bleu", system=names[1], baseline=names[0], rng=1)
    assert fitted.documents is not None
    found = dt.sample_size(fitted, effect=2.0)
    compared = dt.compare(
        corpus,
        "bleu",
        baseline=names[0],
        effect=2.0,
        correction="none",
        n_resamples=999,
        rng=1,
    )
    [pair] = [one for one in compared.pairs if one.system == names[1]]
    assert found.n_items == pair.units_needed
    assert found.unit == "document"


def test_the_simulation_of_documents_agrees_with_the_formula() -> None:
    values, documents = clustered(7)
    names = [f"d{d}" for d in documents]
    pilot = dt.scenarios.Pilot.paired(values, np.zeros(values.size), documents=names)
    spread = replace(DocumentSpread.of_pilot(values, documents), cv2=0.4)
    plans: list[Any] = [
        pilot,
        Documents(dt.scenarios.Bleu(), spread),
        Documents(dt.scenarios.Bleu(), replace(spread, rater_variance=0.3, n_raters=8)),
    ]
    for plan in plans:
        closed = dt.power(plan, n_items=60, effect=3.0)
        drawn = dt.power(plan, n_items=60, effect=3.0, simulate=True, n_trials=6000, rng=8)
        assert (closed.method, drawn.method) == ("closed-form", "simulated")
        assert drawn.standard_error is not None
        # The degrees of freedom of unequal documents are a typical number, worth a percent.
        assert drawn.power == pytest.approx(closed.power, abs=4 * drawn.standard_error + 0.012)


def test_pilots_that_are_tilted_draw_documents_too() -> None:
    values, documents = clustered(7)
    names, none = [f"d{d}" for d in documents], np.zeros(values.size)
    tilted = dt.scenarios.Pilot.paired(values, none, documents=names, plant="tilt")
    assert (tilted.unit, tilted.units.size) == ("document", np.unique(documents).size)
    asked: dict[str, Any] = {"n_items": 40, "effect": 3.0, "n_trials": 1000, "rng": 8}
    items = dt.scenarios.Pilot.paired(values, none, plant="tilt")
    # Forty documents show more than forty items, and less than the two hundred that they hold.
    assert dt.power(items, **asked).power + 0.1 < dt.power(tilted, **asked).power
    assert (
        dt.power(tilted, **asked).power + 0.1
        < dt.power(items, **asked | {"n_items": 200}).power
    )


# --- One answer to «how many?» ---


def test_four_commands_say_the_same_number(tmp_path: Path) -> None:
    values, documents = clustered(9)
    old = 50.0 + np.random.default_rng(10).normal(0.0, 4.0, values.size)
    file = write_scores(tmp_path / "pilot.csv", old + values, old, documents)
    wanted = DocumentSpread.of_pilot(values, documents).needed(3.0, **ASK)

    asked = ("--scores", file, "--system", "new", "--baseline", "old", "--effect", 3)
    size = run("sample-size", "pilot", *asked, "--json")
    assert json.loads(size.stdout)["n_items"] == wanted

    compared = run("compare", "--scores", file, "--baseline", "old", "--effect", 3, "--json")
    assert json.loads(compared.stdout)["pairs"][0]["units_needed"] == wanted

    measured = run("reliability", "--scores", file, "--effect", 3, "--json")
    assert measured.exit_code == 0, measured.output
    rows = json.loads(measured.stdout)["documents_for"]
    assert [row["documents"] for row in rows if row["target"] == "effect"] == [wanted]

    plan = tmp_path / "plan.json"
    more = ("--n-max", 400, "--effect", 3, "--power", 0.8)
    frozen = run("plan", "new", plan, "--systems", "new,old", "--pilot", file, *more)
    assert frozen.exit_code == 0, frozen.output
    # A plan with looks asks another question, and says so.
    said = " ".join(frozen.stdout.split())
    assert f"One test without looks finds 3 with 80% power in {wanted} documents" in said
    assert "looks at the data take more" in said


def test_the_sentence_says_documents_items_and_what_they_cost(tmp_path: Path) -> None:
    values, documents = clustered(9)
    file = write_scores(tmp_path / "p.csv", values, np.zeros(values.size), documents)
    asked = ("pilot", "--scores", file, "--system", "new", "--baseline", "old")
    found = run("sample-size", *asked, "--effect", 3)
    text = " ".join(found.stdout.split())
    size = dt.sample_size(
        dt.scenarios.Pilot.paired(
            values, np.zeros(values.size), documents=[f"d{d}" for d in documents]
        ),
        effect=3.0,
    )
    assert f"{size.n_items} documents of 5 items ({5 * (size.n_items or 0)} items)" in text
    assert (
        f"Items of a document resemble each other: design effect "
        f"{size.details['design_effect']:.1f}; {size.details['items_alone']} items would do if "
        "they stood alone."
    ) in text
    assert "resemble each other" in size.summary()


def test_one_document_says_nothing(tmp_path: Path) -> None:
    one = "one document says nothing about how documents differ"
    values = np.array([1.0, 2.0, 4.0])
    with pytest.raises(dt.DataError, match=one):
        DocumentSpread.of_pilot(values, np.zeros(3, dtype=np.int64))
    with pytest.raises(dt.DataError, match=one):
        dt.scenarios.Accuracy.from_predictions(
            [1, 0, 1, 0, 0], [1, 1, 1, 0, 0], documents=["a"] * 5
        )
    with pytest.raises(dt.DataError, match=one):
        dt.scenarios.Likert.from_ratings({**judged(11), "document": ["a"] * 1200})
    scores = dt.Scores.build({"a": values, "b": np.zeros(3)}, documents=["x"] * 3)
    with pytest.raises(dt.DataError, match=one):
        dt.scenarios.Pilot.from_scores(scores, "a", "b")
    file = write_scores(tmp_path / "one.csv", values, np.zeros(3), np.zeros(3, dtype=np.int64))
    more = ("--systems", "new,old", "--n-max", 100)
    refused = run("plan", "new", tmp_path / "plan.json", *more, "--pilot", file)
    assert refused.exit_code == 1
    assert one in " ".join(refused.stderr.split())


# --- Without a pilot ---


def test_documents_that_nobody_has_seen() -> None:
    plan = dt.scenarios.Accuracy(agreement=0.8, documents=AssumedDocuments(5, icc=0.25))
    found = dt.sample_size(plan, effect=0.05)
    variance = (0.2 - 0.05**2) * (1 + 4 * 0.25) / 5
    assert found.n_items == DocumentSpread(variance=variance).needed(0.05, **ASK)
    assert found.details["design_effect"] == 2.0
    assert found.assumed == (
        "Assumes an agreement of 0.8 and documents of 5 items with an intraclass correlation "
        "of 0.25."
    )
    likert = dt.scenarios.Likert(
        n_raters=6, preset="card-low", documents=AssumedDocuments(4, icc=0.0)
    )
    by_item = dt.scenarios.Likert(n_raters=6, preset="card-low")
    spread = in_documents(likert).spread(0.3).estimate(25)  # type: ignore[attr-defined]
    from detectable.planning.likert import true_error

    assert spread.standard_error == pytest.approx(2 * true_error(by_item.spread, 6, 100))


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"per_document": 0.5, "icc": 0.1}, "`per_document` must be 1 or more; got 0.5"),
        ({"per_document": -1, "icc": 0.1}, "`per_document` must be"),
        ({"per_document": 5, "icc": 1.5}, "`icc` must lie between 0"),
        ({"per_document": 5, "icc": -0.1}, "`icc` must lie between 0"),
    ],
)
def test_impossible_documents_are_refused(known: dict[str, float], message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        AssumedDocuments(**known)


def test_typed_documents() -> None:
    known = ("--agreement", 0.8, "--per-document", 5, "--icc", 0.25)
    by_document = run(
        "power", "accuracy", "--documents", 100, "--effect", 0.05, *known, "--json"
    )
    by_item = run("power", "accuracy", "--n", 500, "--effect", 0.05, *known, "--json")
    first, second = json.loads(by_document.stdout), json.loads(by_item.stdout)
    assert first["n_items"] == second["n_items"] == 100
    assert first["power"] == second["power"]
    for words, said in (
        (("--documents", 100), "--documents has no effect where items stand alone"),
        ((), "say how many items there are"),
        (("--n", 500, "--icc", 0.2), "--per-document and --icc go together"),
        (("--n", 500, "--unit", "item"), "--unit has no effect without a pilot"),
        (("--n", 500, "--documents", 9), "Drop one of them"),
    ):
        refused = run("power", "accuracy", "--effect", 0.05, "--agreement", 0.8, *words)
        assert refused.exit_code == 2
        assert said in refused.stderr


@pytest.mark.parametrize(
    ("scenario", "said"),
    [
        (dt.scenarios.Bleu(), "P0 = 0.13 and b0 = 25.8 (the averages of card2020, for BLEU)"),
        (dt.scenarios.Bleu(), "independent segments"),
        (dt.scenarios.Bleu(), "1.2 times as many"),
        (dt.scenarios.Accuracy(agreement=0.9), "an agreement of 0.9 and independent items"),
        (dt.scenarios.Arena(), "design effect 1"),
        (dt.scenarios.Likert(n_raters=5, preset="card-low"), "of card-low"),
        (dt.scenarios.Likert(n_raters=5, preset="card-low"), "independent items"),
        (dt.scenarios.UnpairedAccuracy(0.7), "independent items"),
        (
            dt.scenarios.Samples(question_variance=0.1, sample_variance=0.2),
            "independent questions",
        ),
        (dt.scenarios.Preference(ties=0.2), "independent comparisons"),
        (dt.scenarios.RankSum(levels=5), "independent judgments"),
        (
            dt.scenarios.Pilot.paired([0.1, 0.4, 0.2, 0.9], [0.2, 0.1, 0.5, 0.3]),
            "independent items",
        ),
    ],
)
def test_what_is_assumed_stands_in_the_sentence(scenario: Any, said: str) -> None:
    effect = 20.0 if isinstance(scenario, dt.scenarios.Arena) else 0.05
    found = dt.power(scenario, n_items=500, effect=effect, drawn=0)
    assert said in found.assumed
    assert said in found.summary()


def test_an_estimate_without_spread_is_refused() -> None:
    flat = Estimate(0.0, 0.0, 3.0)
    with pytest.raises(dt.DataError, match="same in all documents"):
        DocumentSpread.of_estimate(flat, np.full(4, 0.25), flat, 8)
