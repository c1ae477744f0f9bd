"""Published means of the two halves: gains, changes and correlations, and tables that do not fit."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main
from detectable.core.errors import DataError
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable

HASSAN = Path(__file__).parents[3] / "replications" / "graham2020" / "hassan2018.csv"
TABLE: dict[str, list[Any]] = {
    "lp": ["tr-en"] * 4 + ["zh-en"] * 2,
    "system": ["A", "B", "C", "D", "A", "B"],
    "forward": [70.0, 65.0, 62.0, 60.0, 80.0, 79.0],
    "reverse": [74.0, 70.0, 61.0, 66.0, 82.0, 83.0],
}


def test_every_system_every_pair_and_the_correlations() -> None:
    found = dt.translationese_means(TABLE)
    turkish, chinese = found.rows
    assert (turkish.campaign, turkish.measure, turkish.gains) == (
        "tr-en",
        "score",
        (4.0, 5.0, -1.0, 6.0),
    )
    assert len(turkish.changes) == 6
    assert sum(a * b < 0 for a, b in turkish.changes) == 3  # C falls, the others rise
    # Ranks 4 3 2 1 against 4 3 1 2: one of six pairs is the other way round.
    assert turkish.correlation("kendall") == pytest.approx(4 / 6)
    assert turkish.correlation("spearman") == pytest.approx(0.8)
    assert math.isnan(chinese.correlation("pearson"))  # two systems always lie on a line
    assert chinese.changes == ((2.0, 4.0),)


@pytest.mark.golden
def test_the_means_of_hassan_2018_give_the_correlations_of_its_segments() -> None:
    """Mean z of nine systems on each half, found by another program: r, ρ and τ over them."""
    known = json.loads(reference_data("gold", "graham.json").read_text())["hassan2018"]
    forward, reverse = (known[half]["systems"] for half in ("forward", "reverse"))
    [row] = dt.translationese_means(
        {
            "system": list(forward),
            "forward": [one["z"] for one in forward.values()],
            "reverse": [reverse[name]["z"] for name in forward],
        }
    ).rows
    found = [row.correlation(name) for name in ("pearson", "spearman", "kendall")]
    assert [round(value, 3) for value in found] == [0.849, 0.783, 0.611]
    [ours] = dt.translationese_means(HASSAN).of("z")
    assert ours.gains == pytest.approx(
        [reverse[e.system]["z"] - forward[e.system]["z"] for e in ours.effects], abs=1.01e-4
    )


def test_the_four_figures_can_be_read() -> None:
    charts = [
        one for one in blocks_of(dt.translationese_means(HASSAN)) if isinstance(one, Chart)
    ]
    assert [one.id for one in charts] == [
        *("gains-z", "gains-bleu", "changes", "agreement-z", "agreement-bleu"),
    ]
    for chart in charts:
        check_readable(chart)


def test_it_says_that_nothing_is_tested_and_what_was_left_out() -> None:
    some = {**TABLE, "reverse": [*TABLE["reverse"][:5], None]}
    found = dt.translationese_means(some)
    assert [len(row.effects) for row in found.rows] == [4, 1]
    assert found.rows[1].changes == ()
    assert found.notes[0].startswith("Published means say nothing of their errors")
    assert found.notes[1] == "1 row without a mean on both halves left out."


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"system": ["A"], "forward": [1.0]}, "no column for reverse, its mean on data first"),
        ({**TABLE, "lp": ["tr-en"] * 6}, "A, B stands twice in tr-en|A and B stand"),
        ({**TABLE, "forward": ["high"] * 6}, "expected a mean score, found 'high'"),
        ({**TABLE, "forward": [None] * 6}, "no row has a mean on both halves"),
    ],
)
def test_tables_that_do_not_fit(table: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        dt.translationese_means(table)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seed", "1"), "--seed has no effect on --means"),
        (("--alpha", ".1"), "--alpha has no effect on --means"),
        (("--human", "x"), "--human has no effect on --means"),
        (("--scale", "0:1"), "--scale has no effect here"),
        (("--metric", "bleu"), "--means goes alone"),
        (("--by", "language-pair"), "--means goes alone"),
    ],
)
def test_options_without_effect_on_means(words: tuple[str, ...], message: str) -> None:
    found = CliRunner().invoke(main, ["translationese", "--means", str(HASSAN), *words])
    assert (found.exit_code, message in found.output) == (2, True), found.output


def test_the_command_says_and_keeps_it(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    words = ["translationese", "--means", str(HASSAN), "--out", str(kept)]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0, found.output
    assert "9 of 9 systems in 1 campaign score higher on it" in found.stdout
    assert "The halves agree at r = 0.849 (human scores (z))" in found.stdout
    again = dt.load(kept)
    assert again.summary() == dt.translationese_means(HASSAN).summary()
