"""Tables of a mixed model."""

import csv
import io

from detectable.mixed.fit import fit_mixed
from detectable.mixed.predictions import predict_effects
from detectable.report.mixed import (
    components_table,
    contrasts_table,
    effects_csv,
    means_table,
)
from tests.mixed.tables import table


def test_tables_have_a_row_for_everything() -> None:
    fit = fit_mixed(table(5, 10, 3))
    contrasts = contrasts_table(fit)
    assert [row[:2] for row in contrasts.rows] == [("s1", "s0"), ("s2", "s0"), ("s2", "s1")]
    assert contrasts.columns[-1].title == "p corr."
    assert [row[0] for row in means_table(fit).rows] == ["s0", "s1", "s2"]
    assert components_table(fit).rows[-1][0] == "residual"
    assert {len(row) for row in contrasts.rows} == {len(contrasts.columns)}


def test_one_contrast_needs_no_correction() -> None:
    shown = contrasts_table(fit_mixed(table(5, 10)))
    assert [column.title for column in shown.columns][-1] == "p"


def test_effects_as_csv() -> None:
    fit = fit_mixed(table(5, 10))
    text = effects_csv([predict_effects(fit, factor="rater")])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 5 * 3  # each rater, and what comes on top for each of two systems
    assert [row["system"] for row in rows[:3]] == ["", "s0", "s1"]
    assert float(rows[0]["effect"]) == fit.solution.effects["rater"][0, 0]
