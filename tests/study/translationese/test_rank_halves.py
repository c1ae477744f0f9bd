"""Rankings of the halves: which judgments they hold, and whose z."""

import warnings
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.study.ranking.rank_systems import rank_prepared
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.conclusions import RankedHalves, rank_halves
from detectable.study.translationese.halves import human_scores
from tests.study.translationese.planted import ZH_EN

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
