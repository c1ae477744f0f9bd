"""Gold of small-samples.md from one end to the other: what `dt.compare` itself says."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, SuspiciousDataWarning
from detectable.core.types import FloatArray
from detectable.data.files import lines as long_lines
from detectable.data.files.lines import LongLines
from detectable.data.texts import inspect_corpus
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.inference.few_units import smallest_p
from detectable.inference.standard_errors import median_unbiased
from detectable.metrics import base
from detectable.metrics import encode as in_blocks
from detectable.study.comparison import segments as contrasts
from detectable.study.comparison.compare import compare
from tests.helpers import reference_data

QUICK: dict[str, Any] = {"rng": 1, "n_examples": 0}


def _gold(name: str) -> Any:
    path = reference_data("gold", "small_samples.json")
    return json.loads(path.read_text(encoding="utf-8"))[name]


def _family(size: int = 3) -> tuple[Any, dict[str, Any]]:
    """Return 8 documents of equal size and 4 systems, with what R says of all 6 pairs."""
    gold = _gold("family")
    means = np.array(gold["scores"])
    noise = np.random.default_rng(1).normal(size=(8, size, 4))
    table = (means[:, None] + noise - noise.mean(axis=1, keepdims=True)).reshape(-1, 4)
    documents = [f"d{g}" for g in range(8) for _ in range(size)]
    scores = dt.Scores.build({str(s + 1): table[:, s] for s in range(4)}, documents=documents)
    return scores, gold


@pytest.mark.golden
def test_a_family_of_six_pairs() -> None:
    scores, gold = _family()
    result = dt.compare(scores, "mean", **QUICK)
    assert (result.test, result.exact, result.correction) == ("swap", True, "max-t")
    found = {(pair.baseline, pair.system): pair for pair in result.pairs}
    for i, (first, second) in enumerate(gold["pairs"]):
        pair = found[str(first), str(second)]  # theirs is first − second
        assert -pair.difference == pytest.approx(gold["difference"][i], abs=1e-9)
        assert pair.standard_error == pytest.approx(gold["se"][i], rel=1e-9)
        assert pair.p_value == gold["p"][i]
        assert pair.p_adjusted == gold["p_max_t"][i]
        low, high = gold["max_t_low"][i], gold["max_t_high"][i]
        assert pair.interval.to_json() == pytest.approx([-high, -low], rel=1e-8)
        assert (pair.verdict == "undecided") is (low <= 0.0 <= high)


@pytest.mark.golden
def test_a_family_of_six_pairs_by_holm_and_by_t() -> None:
    scores, gold = _family()
    by_holm = dt.compare(scores, "mean", correction="holm", **QUICK)
    by_t = dt.compare(scores, "mean", test="t", **QUICK)
    order = [f"{b}{a}" for a, b in gold["pairs"]]
    for result in (by_holm, by_t):
        assert {f"{p.system}{p.baseline}" for p in result.pairs} == set(order)
    for pair, t_pair in zip(by_holm.pairs, by_t.pairs, strict=True):
        i = order.index(f"{pair.system}{pair.baseline}")
        assert pair.p_adjusted == pytest.approx(gold["p_holm"][i])
        assert t_pair.p_value == pytest.approx(gold["t_p"][i], rel=1e-7)
        low, high = gold["bonferroni_low"][i], gold["bonferroni_high"][i]
        assert t_pair.interval.to_json() == pytest.approx([-high, -low], rel=1e-7)


@pytest.mark.golden
@pytest.mark.parametrize("row", range(11))
def test_swaps_of_few_units(row: int) -> None:
    gold = _gold("sign_flip")["rows"][row]
    d = np.array(gold["D"], dtype=float)
    scores = dt.Scores.build({"A": np.zeros(d.size), "B": d})
    [pair] = dt.compare(scores, "mean", test="randomization", **QUICK).pairs
    assert (pair.p_value, smallest_p(d.size)) == (gold["p"], gold["min_p"])
    assert pair.attainable_p == smallest_p(int(np.count_nonzero(d)))  # ties cannot be swapped


@pytest.mark.golden
@pytest.mark.parametrize("row", range(7))
def test_half_sample_intervals(row: int) -> None:
    gold = _gold("half_sample_interval")["rows"][row]
    sums, sizes = np.array(gold["D"], dtype=float), np.array(gold["n"])
    values = np.concatenate(
        [np.full(n, total / n) for total, n in zip(sums, sizes, strict=True)]
    )
    documents = [f"d{g}" for g, n in enumerate(sizes) for _ in range(n)]
    scores = dt.Scores.build({"A": np.zeros(values.size), "B": values}, documents=documents)
    [pair] = dt.compare(
        scores, "mean", test="randomization", alpha=gold["alpha"], **QUICK
    ).pairs
    assert pair.interval.to_json() == pytest.approx(gold["interval"], abs=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize("row", range(5))
def test_documents_of_any_size_by_t(row: int) -> None:
    gold = _gold("cluster_robust")["rows"][row]
    sizes, y = gold["sizes"], np.array(gold["y"])
    documents = [f"d{g}" for g, n in enumerate(sizes) for _ in range(n)]
    scores = dt.Scores.build({"A": np.zeros(y.size), "B": y}, documents=documents)
    [pair] = dt.compare(scores, "mean", test="t", **QUICK).pairs
    assert pair.difference == pytest.approx(gold["mean"], abs=1e-12)
    assert pair.standard_error == pytest.approx(gold["se_CR2"], rel=1e-8)
    assert pair.df == pytest.approx(gold["df_BM"], rel=1e-9)
    assert pair.p_value == pytest.approx(gold["p_CR2"], rel=1e-6)


@pytest.mark.golden
def test_what_few_documents_can_find() -> None:
    """The promised difference in standard deviations of a unit, against quadrature in R."""
    used = 0
    for row in _gold("attainable")["rows"]:
        n, m = row["G"], row["m"]
        if m not in (1, 3, 6, 10) or n < 3:
            continue
        systems = {1: 2, 3: 3, 6: 4, 10: 5}[m]
        rng = np.random.default_rng(n)
        tables = {str(s): rng.normal(size=n) for s in range(systems)}
        result = dt.compare(
            dt.Scores.build(tables), "mean", test="randomization", correction="holm", **QUICK
        )
        for pair in result.pairs:
            assert (pair.attainable_p <= 0.05) is row["possible"]
            if row["possible"]:
                # Gold takes the spread as known; what is stated takes its median-unbiased estimate.
                sd = median_unbiased(pair.standard_error, n - 1.0) * n**0.5
                assert pair.mde / sd == pytest.approx(row["mde_by_formula"], rel=1e-5)
                assert pair.units_needed is None
            else:
                assert np.isnan(pair.mde)
                assert pair.units_needed == row["documents_needed"]
        used += 1
    assert used >= 10


def _runs() -> tuple[Any, dict[str, Any]]:
    path = reference_data("data", "small_samples", "small_samples_runs.csv")
    cells: dict[str, dict[tuple[int, int], float]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            place = int(row["run"]), int(row["item"])
            cells.setdefault(row["system"], {})[place] = float(row["y"])
    tables: dict[str, FloatArray] = {}
    for name, known in cells.items():
        runs, items = max(known)
        tables[name] = np.array(
            [[known[r, i] for i in range(1, items + 1)] for r in range(1, runs + 1)]
        )
    return dt.Scores.build(tables), _gold("runs")


@pytest.mark.golden
def test_runs_as_a_sample() -> None:
    """The runs at hand exactly; new runs as lmerTest has them (see tests/inference/test_runs.py)."""
    scores, gold = _runs()
    by_t = dt.compare(scores, "mean", baseline="A", test="t", runs="fixed", **QUICK)
    [fixed] = by_t.pairs
    assert fixed.these_runs is not None
    assert abs(fixed.difference) == pytest.approx(gold["difference"], rel=1e-10)
    assert fixed.standard_error == pytest.approx(gold["fixed"]["se"], rel=1e-9)
    assert fixed.p_value == pytest.approx(gold["fixed"]["p"], rel=1e-8)
    result = dt.compare(scores, "mean", baseline="A", **QUICK)
    [pair] = result.pairs
    assert result.runs == "random"
    assert (pair.verdict, fixed.verdict != "undecided") == ("undecided", True)
    assert pair.standard_error == pytest.approx(gold["lmerTest"]["se"], rel=0.002)
    assert pair.p_value == pytest.approx(gold["own"]["p"], abs=0.01)
    assert pair.df == pytest.approx(gold["own"]["df"], rel=0.06)


# --- Large files, read and scored block by block, give the answers of small ones ---

N = 130
WORDS = ["the", "Cat", "sat", "on", "a", "mat", ",", "and", "then", "it", "did", "not", "."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write references, sources, documents, and two systems with two runs each."""
    place = tmp_path_factory.mktemp("texts")
    rng = random.Random(5)
    lines = [rng.choices(WORDS, k=rng.randint(1, 14)) for _ in range(N)]
    shares = {"ref": 0.0, "src": 0.9, "a1": 0.3, "a2": 0.35, "b1": 0.4, "b2": 0.38, "ref2": 0.2}
    for name, share in shares.items():
        changed = [
            [w if rng.random() >= share else rng.choice(WORDS) for w in x] for x in lines
        ]
        (place / name).write_text("".join(" ".join(x) + "\n" for x in changed))
    # One document goes on after others: what is cut by blocks is joined.
    documents = [f"news\td{0 if i > 120 else i // 5}" for i in range(N)]
    (place / "docs").write_text("\n".join(documents) + "\n")
    return place


def corpus(folder: Path, **more: Any) -> Corpus:
    return read_corpus(
        {"A": [folder / "a1", folder / "a2"], "B": [folder / "b1", folder / "b2"]},
        [folder / "ref", folder / "ref2"],
        sources=folder / "src",
        **more,
    )


def make_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lines, "LARGE", 0)
    monkeypatch.setattr(long_lines, "_STEP", 16)
    monkeypatch.setattr(inspect_corpus, "_BLOCK", 11)
    monkeypatch.setattr(in_blocks, "LARGE", 20)
    monkeypatch.setattr(in_blocks, "_BLOCK_LINES", 80)
    monkeypatch.setattr(in_blocks, "_FEWEST", 3)
    monkeypatch.setattr(base, "_ROWS", 32)
    monkeypatch.setattr(contrasts, "_SWAPS", 32)


def answers(data: Corpus, **options: Any) -> dict[str, Any]:
    with pytest.warns(SuspiciousDataWarning) as said:
        found = compare(data, ("bleu", "chrf", "ter", "nist"), rng=3, **options).to_dict()
    # Each once, as a terminal shows them: without kernels every part says that TER is slow.
    return {**found, "warnings": list(dict.fromkeys(str(one.message) for one in said))}


@pytest.mark.parametrize(
    "options",
    [
        {"n_resamples": 1_200},
        {"n_resamples": 1_200, "unit": "segment", "runs": "fixed"},
        {"n_resamples": 300, "test": "bootstrap"},
        {"n_resamples": 300, "compat": "multeval"},
    ],
    ids=["runs", "segments", "bootstrap", "multeval"],
)
@pytest.mark.parametrize("documents", [False, True])
@pytest.mark.filterwarnings("ignore::detectable.core.errors.CompatibilityWarning")
def test_large_files_give_the_same_answers(
    folder: Path,
    options: dict[str, Any],
    documents: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = {"documents": folder / "docs"} if documents else {}
    held = answers(corpus(folder, **more), **options)
    make_large(monkeypatch)
    data = corpus(folder, **more)
    assert isinstance(data.references[0], LongLines)
    assert all(isinstance(run, LongLines) for runs in data.systems.values() for run in runs)
    _same(answers(data, **options), held)


def _same(found: Any, expected: Any, path: str = "") -> None:
    """Words, scores and p-values to the bit; what comes from standard errors to 1e-12."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            _same(found[key], value, f"{path}.{key}")
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected), path
        for one, other in zip(found, expected, strict=True):
            _same(one, other, path)
    elif isinstance(expected, float) and not _exact(path):
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-13, nan_ok=True), path
    else:
        assert found == expected or (found != found and expected != expected), path


def _exact(path: str) -> bool:
    return path.endswith((".score", ".difference", ".p_value", ".p_adjusted", ".contribution"))


def test_whole_numbers_are_tested_as_such(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_large(monkeypatch)
    from detectable.core.types import silent
    from detectable.metrics.registry import metric
    from detectable.study.comparison.measure import measure

    data = corpus(folder)
    kinds = {
        compact: measure(data, (metric("bleu"),), unit="auto", progress=silent, compact=compact)
        .segments[0]
        .statistics.dtype
        for compact in (True, False)
    }
    assert kinds == {True: np.int16, False: np.float64}


def test_lines_that_were_lost_are_named_alike(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = tmp_path / "short"
    short.write_text("".join((folder / "a1").read_text().splitlines(keepends=True)[:100]))

    def message() -> str:
        with pytest.raises(DataError) as raised:
            read_corpus({"A": folder / "a1", "B": short}, [folder / "ref"])
        return str(raised.value)

    held = message()
    assert "has 100 lines" in held
    assert "Line 101 of" in held
    make_large(monkeypatch)
    assert message() == held


def test_cutting_and_choosing_segments_agree(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = corpus(folder, documents=folder / "docs")
    make_large(monkeypatch)
    large = corpus(folder, documents=folder / "docs")
    assert large.part(30, 47) == held.part(30, 47) == held.select(range(30, 47))
    assert large.select([99, 3, 3]) == held.select([99, 3, 3])
    assert large.n_segments == N
    flat = Corpus.build({"A": large.output("A")}, large.output("B"))
    assert flat.output("A") == held.output("A")
