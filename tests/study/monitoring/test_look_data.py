"""What the data of a plan may hold."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from detectable.study.monitoring.look_input import with_controls
from tests.study.monitoring.plan_tables import files, joined, judged, new_plan


def in_parts(role: str, *names: str) -> Any:
    """Return 50 items, and as many again for every further name in another column."""
    shape = np.linspace(-8.0, 12.0, 50)
    tables = [judged(shape, first=50 * k) for k in range(len(names))]
    for name, table in zip(names, tables, strict=True):
        table[role] = [name] * len(table["score"])
    return joined(*tables)


def test_several_language_pairs_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    before = files(tmp_path)
    said = (
        r"^the data: 2 language pairs: en-de, en-fr\. A plan is about one, and scores of different "
        r"ones are not comparable\. Give the judgments of one, and write a plan for each of the "
        r"others\.$"
    )
    with pytest.raises(DataError, match=said):  # no item is in both of them
        look(frozen, in_parts("language", "en-de", "en-fr"))
    assert files(tmp_path) == before


def test_one_language_pair_in_several_campaigns_is_one_plan(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    table = in_parts("campaign", "first", "second")
    table["language"] = ["en-de"] * len(table["score"])
    assert look(frozen, table).pairs[0].n_units == 100


def test_a_language_pair_of_other_systems_does_not_count(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    planned = judged([1.0, 2.0])
    other = judged([1.0], systems=("third", "fourth"))
    planned["language"], other["language"] = ["en-de"] * 4, ["en-fr"] * 2
    found = with_controls(frozen, joined(planned, other))
    assert found.language is not None
    assert found.language.levels == ("en-de",)


def test_judgments_after_the_stop_are_of_one_language_pair_too(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, n_max=50)
    table = in_parts("language", "en-de", "en-fr")
    look(frozen, {name: values[:100] for name, values in table.items()})
    with pytest.raises(DataError, match="2 language pairs: en-de, en-fr"):
        conclude(frozen, table)
