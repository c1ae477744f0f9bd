"""Forward against reverse data over several campaigns."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.battles.read_battles import read_battles
from detectable.data.directions import keep_direction
from detectable.data.human.judgments import Judgments
from detectable.data.texts.corpus import Corpus
from detectable.inference.standard_errors import cluster_mean
from detectable.study.arena.arena import arena
from detectable.study.translationese.campaigns import (
    translationese_battles,
    translationese_campaigns,
)
from detectable.study.translationese.translationese import translationese
from tests.helpers import reference_data


def judged(pair: str, *, gains: tuple[float, ...], seed: int, halves: bool = True) -> Judgments:
    """Return judgments of three systems, with what reverse data add to each."""
    source, target = pair.split("-")
    rng = np.random.default_rng(seed)
    rows: dict[str, list[object]] = {
        name: []
        for name in ("system", "item", "document", "score", "original_language", "language")
    }
    for document in range(20):
        written = target if halves and document % 2 else source
        base = rng.normal(60, 6)
        for system, gain in zip("abc", gains, strict=True):
            for item in range(3):
                score = base + gain * (written == target) + rng.normal(0, 4)
                values = (system, f"{document}.{item}", f"d{document}", score, written, pair)
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
    return Judgments.build(rows, scale=(-50.0, 150.0))


def test_each_campaign_is_what_it_is_alone() -> None:
    one, two = (
        judged("zh-en", gains=(9.0, 6.0, 1.0), seed=1),
        judged("en-zh", gains=(5.0, -5.0, 0.0), seed=2),
    )
    found = translationese_campaigns({"zh-en": one, "en-zh": two}, n_resamples=200, rng=3)
    assert [(row.campaign, row.measure) for row in found.rows] == [
        ("zh-en", "raw"),
        ("en-zh", "raw"),
    ]
    for row, data in zip(found.rows, (one, two), strict=True):
        alone = translationese(data, n_resamples=200, rng=1)
        assert row.effects == alone.effects
        assert [pair.opposite for pair in row.pairs] == [pair.opposite for pair in alone.pairs]
        # Correlations do not depend on chance, their intervals do.
        assert row.correlation("kendall") == alone.agreement[2].value
    assert (found.rows[0].n_forward, found.rows[0].n_reverse) == (30, 30)
    # a is raised and b lowered, which is planted.
    [pair] = [p for p in found.rows[1].pairs if {p.first, p.second} == {"a", "b"}]
    assert pair.opposite


def test_one_table_is_split_and_campaigns_without_halves_are_named() -> None:
    tables = [
        judged("zh-en", gains=(9.0, 6.0, 1.0), seed=1),
        judged("de-en", gains=(0.0, 0.0, 0.0), seed=2, halves=False),
    ]
    columns = {
        name: [value for table in tables for value in table.to_columns()[name]]
        for name in ("system", "document", "score", "original_language", "language")
    }
    columns["item"] = [*range(len(columns["system"]))]
    both = Judgments.build(columns, scale=(-50.0, 150.0))
    found = translationese_campaigns(both, n_resamples=200, rng=1)
    assert [row.campaign for row in found.rows] == ["zh-en"]
    assert "there is no reverse half" in found.left_out["de-en"]
    with pytest.raises(DataError, match="no campaign has a forward and a reverse half"):
        translationese_campaigns({"de-en": tables[1]}, rng=1)
    single = Judgments.build({"system": ["a"], "item": [1], "score": [3]})
    with pytest.raises(InputError, match="there is one campaign: no column names"):
        translationese_campaigns(single, rng=1)


def test_texts_too() -> None:
    rng = np.random.default_rng(4)
    lines = [" ".join(rng.choice(list("abcdefgh"), 9)) for _ in range(40)]
    corpus = Corpus.build(
        {"A": [f"{line} x" for line in lines], "B": [line[:-2] for line in lines]},
        lines,
        documents=[f"d{i // 4}" for i in range(40)],
        original_languages=["zh" if i // 4 % 2 else "en" for i in range(40)],
    )
    found = translationese_campaigns(
        {"news": corpus}, "bleu", language_pairs={"news": "zh-en"}, n_resamples=200, rng=1
    )
    assert found.rows[0].language_pair == "zh-en"
    assert found.measures == ("bleu",)
    with pytest.raises(DataError, match="must say from which language"):
        translationese_campaigns({"news": corpus}, "bleu", n_resamples=200, rng=1)


# --- Preferences by original language ---


@pytest.mark.golden
def test_human_parity_of_toral_2018() -> None:
    """README of data/parity: ht wins 54.5 %, p = .0028, of Chinese sources; undecided, p = .66, of English."""
    path = reference_data("data", "parity", "toral2018_battles.csv")
    found = translationese_battles(path, language_pair="zh-en", rng=1)
    rows = {(row.half, row.first, row.second): row for row in found.preferences}
    forward, reverse = rows["forward", "ht", "c6"], rows["reverse", "ht", "c6"]
    assert forward.share == pytest.approx(0.545, abs=5e-4)
    assert forward.p_adjusted == pytest.approx(0.0028, abs=5e-5)
    assert forward.verdict == "better"
    assert 1.0 - reverse.share == pytest.approx(0.515, abs=5e-4)
    assert reverse.p_adjusted == pytest.approx(0.66, abs=5e-3)
    assert reverse.verdict == "undecided"
    assert (forward.n_documents, reverse.n_documents) == (41, 8)


def table(n: int = 30) -> dict[str, list[object]]:
    rng = np.random.default_rng(1)
    rows: dict[str, list[object]] = {
        name: [] for name in ("a", "b", "winner", "document", "origlang")
    }
    for document in range(n):
        written = ("zh", "en", "de")[document % 3]
        for _ in range(8):
            won = rng.uniform() < {"zh": 0.75, "en": 0.4, "de": 0.5}[written]
            values = ("x", "y", "a" if won else "b", f"d{document}", written)
            for name, value in zip(rows, values, strict=True):
                rows[name].append(value)
    return rows


def test_each_half_is_an_arena_of_its_own() -> None:
    found = translationese_battles(table(), language_pair="zh-en", rng=5)
    data = read_battles(table())
    for half in ("forward", "reverse"):
        alone = arena(keep_direction(data, half, language_pair="zh-en"), rng=5).pairs[0]
        [row] = found.of(half)
        turned = alone.better != row.first
        assert row.share == pytest.approx(1.0 - alone.chance if turned else alone.chance)
        assert row.p_adjusted == alone.p_adjusted
        low, high = row.interval.low, row.interval.high
        assert low < row.share < high
    assert found.notes[0] == "80 battles of other original languages in neither half."


def test_a_shift_is_the_difference_of_shares_with_documents_as_clusters() -> None:
    found = translationese_battles(table(), language_pair="zh-en", rng=5)
    columns = table()
    won = np.array([one == "a" for one in columns["winner"]], dtype=float)
    written, document = (np.array(columns[name]) for name in ("origlang", "document"))
    parts = {}
    for language in ("zh", "en"):
        rows = written == language
        codes = np.unique(document[rows], return_inverse=True)[1]
        parts[language] = cluster_mean(won[rows], codes)
    [shift] = found.shifts
    sign = 1.0 if shift.first == "x" else -1.0
    assert shift.shift == pytest.approx(sign * (parts["en"].value - parts["zh"].value))
    error = (parts["en"].standard_error ** 2 + parts["zh"].standard_error ** 2) ** 0.5
    assert shift.interval.high - shift.shift == pytest.approx(2.1 * error, rel=0.05)


def test_what_is_missing_is_said() -> None:
    plain = {name: values for name, values in table().items() if name != "origlang"}
    with pytest.raises(InputError, match="do not say in which language battles were first"):
        translationese_battles(plain, language_pair="zh-en")
    with pytest.raises(InputError, match="must say from which language"):
        translationese_battles(table())
    with pytest.raises(DataError, match="none is reverse, first written in fr"):
        translationese_battles(table(), language_pair="zh-fr")
