"""The replication of graham2020 runs and matches."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DetectableWarning
from replications.graham2020 import figures, hassan2018
from replications.graham2020.replicate import main
from replications.listed import Number, listed
from tests.helpers import reference_data
from tests.replications.hassan2018_release import FORWARD, REVERSE, write_release
from tests.report.charts.drawn import check_readable


def test_official_clusters_and_the_power_table_are_matched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(hassan2018.VARIABLE, raising=False)
    assert main(reference_data("data", "wmt")) == []
    said = capsys.readouterr().out
    assert "Skipped: the judgments themselves, whose licence forbids passing them on." in said


def expected(part: str = "hassan2018") -> Any:
    return hassan2018.expected()[part]


def test_the_published_means_give_the_published_correlations() -> None:
    checks = hassan2018.of_aggregates(expected())
    assert [round(check.found, 3) for check in checks] == [0.849, 0.783, 0.611]
    assert all(check.fits for check in checks)
    moved = expected()
    moved["z"][0][1] += 0.2
    assert not hassan2018.of_aggregates(moved)[0].fits


def test_preferences_of_laeubli_2018() -> None:
    found = hassan2018.of_preferences(expected("laeubli2018"))
    values = [one.value or 0.0 for one in found.values() if isinstance(one, Number)]
    assert [round(value, 3) for value in values] == [0.029, 0.244, 0.0, 0.003]


def test_the_sizes_of_the_release_are_those_found_by_another_program() -> None:
    """The release may not be passed on; these aggregates of it may."""
    gold = json.loads(reference_data("gold", "graham.json").read_text())["hassan2018"]
    rows = {row["name"]: row for row in listed(hassan2018.LIST)}
    systems = gold["both"]["systems"].values()
    fewest = rows["Hassan et al. 2018, fewest judgments of a system"]
    assert min(one["N"] for one in systems) == fewest["expected"] == fewest["paper"]
    forward = rows["Hassan et al. 2018, distinct forward segments"]
    assert {one["n"] for one in gold["forward"]["systems"].values()} == {forward["expected"]}


def test_a_release_with_planted_effects(tmp_path: Path) -> None:
    origins = reference_data("data", "wmt", hassan2018.ORIGINS)
    made = write_release(tmp_path, origins, seed=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        found = hassan2018.study(made.folder, origins)
    forward, reverse = found.parts
    assert (forward.n_segments, reverse.n_segments) == (FORWARD, REVERSE) == (92, 89)
    assert (forward.n_judgments or 0) + (reverse.n_judgments or 0) == made.n_judgments
    assert 1_500 < made.n_judgments / 9 < 2_100
    raw = {row.system: row for row in found.effects if row.measure == "raw"}
    assert raw.keys() == made.effects.keys()
    for system, effect in made.effects.items():
        row = raw[system]
        assert abs(row.difference - effect) < 3 * row.standard_error
        assert (row.n_forward, row.n_reverse) == (92, 89)
        assert row.standard_error < 3
    # Reverse data favour the system: on the forward half the human translation is ahead.
    pair = next(
        p for p in found.pairs if {p.first, p.second} == {hassan2018.HUMAN, hassan2018.SYSTEM}
    )
    sign = 1 if pair.first == hassan2018.SYSTEM else -1
    assert sign * pair.relative > 0
    # N in place of n makes p smaller, on every half, wherever there is a difference to find.
    for tested in found.replicated:
        assert tested.n < tested.N / 9
        if tested.p_segments < 0.1:
            assert tested.p_judgments < tested.p_segments
    sizes = hassan2018.sizes(made.folder, found)
    assert sizes["Hassan et al. 2018, distinct forward segments"] == Number(92)
    fewest = sizes["Hassan et al. 2018, fewest judgments of a system"]
    assert isinstance(fewest, Number)
    assert 0 < (fewest.value or 0) <= made.n_judgments / 9
    checks = hassan2018.of_release(found, expected())
    assert {check.name.split(",")[0] for check in checks} >= set(made.effects)
    assert all(check.fits for check in checks if check.name.startswith("distinct segments"))
    assert not all(check.fits for check in checks)  # invented scores are not the real ones
    assert {(said.half, said.human) for said in found.parity} == {
        (half, hassan2018.HUMAN) for half in ("forward", "reverse", "both")
    }


def test_the_release_itself(capsys: pytest.CaptureFixture[str]) -> None:
    place = hassan2018.release()
    if place is None:
        pytest.skip(f"{hassan2018.VARIABLE} is not set: the release may not be passed on")
    assert main(reference_data("data", "wmt"), place) == []
    assert "Skipped" not in capsys.readouterr().out


# --- Figures of graham2020: the aggregates, and titles that count what is drawn ---


@pytest.mark.golden
@pytest.mark.parametrize(("measure", "digits"), [("z", 4), ("bleu", 3)])
def test_the_aggregates_are_those_of_the_release(measure: str, digits: int) -> None:
    gold: dict[str, Any] = json.loads(reference_data("gold", "graham.json").read_text())
    known = gold["hassan2018"]
    rows = hassan2018.means(measure)
    for row in rows:
        for half in ("forward", "reverse"):
            if measure == "z":
                value = known[half]["systems"][row.system]["z"]
            else:
                value = known["bleu_vs_ReferenceHT"][row.system][half]
            assert getattr(row, half) == pytest.approx(value, abs=0.5001 * 10.0**-digits)
    n = len(known["forward"]["systems"] if measure == "z" else known["bleu_vs_ReferenceHT"])
    assert len(rows) == n


def test_titles_count_what_is_drawn() -> None:
    human, bleu, changes, agreement = figures.figures()
    assert (
        human.chart.title == "9 of 9 systems score higher on reverse data in human scores (z)"
    )
    assert bleu.chart.title == "5 of 5 systems score higher on reverse data in bleu"
    # Every translation scores higher on reverse data, so no two change in opposite directions.
    pairs = [pair for row in figures.means().rows for pair in row.changes]
    opposite = sum(a * b < 0 for a, b in pairs)
    assert (len(pairs), opposite) == (46, 0)
    assert changes.chart.title.startswith("In 0 of 46 pairs")
    assert "r = 0.849, ρ = 0.783, τ = 0.611" in agreement.chart.alt
    assert [one.chart.id for one in figures.figures()] == [f"figure-{n}" for n in "1234"]


def test_all_can_be_read() -> None:
    for one in figures.figures():
        check_readable(one.chart)
