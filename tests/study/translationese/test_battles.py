"""Preferences by original language."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.battles.read_battles import read_battles
from detectable.data.directions import keep_direction
from detectable.inference.standard_errors import cluster_mean
from detectable.study.arena.arena import arena
from detectable.study.translationese.campaigns import translationese_battles
from tests.helpers import reference_data


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
