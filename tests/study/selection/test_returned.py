"""What came back of what was drawn: the record beside a sheet, the page's third example, what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.study.selection.returned import how_drawn
from detectable.study.selection.selection import Selection
from tests.gold_select import gold, wmt23
from tests.study.selection.test_select import toy


def sheet(
    folder: Path, chosen: Selection, *, keep: Any = None, record: str = "selection.json"
) -> Judgments:
    """Write record and judgments into a folder, and read the judgments."""
    if record:
        dt.write_selection(chosen, folder / record)
    place = {item: k for k, item in enumerate(chosen.items)}
    kept = [item for item in chosen.items if keep is None or keep(item)]
    rng = np.random.default_rng(2)
    score = rng.uniform(0, 100, (len(chosen.systems), len(chosen.items)))
    rows = [(s, name, item) for s, name in enumerate(chosen.systems) for item in kept]
    of = dict(zip(chosen.pool_items, chosen.pool_documents, strict=True))
    made = Judgments.build(
        {
            "system": [name for _, name, _ in rows],
            "item": [item for _, _, item in rows],
            "document": [of[item] for _, _, item in rows],
            "score": [float(score[s, place[item]]) for s, _, item in rows],
            "sampling_weight": [float(chosen.drawn_weight[place[item]]) for _, _, item in rows],
        }
    )
    dt.write_judgments(made, folder / "sheet.csv")
    return dt.read_judgments(folder / "sheet.csv")


@pytest.mark.golden
def test_the_analysis_of_the_page(tmp_path: Path) -> None:
    data, case = wmt23("en-de"), gold()["story"]["en-de metricx23qe"]
    first = dt.select(data.scores(), n_items=138, lengths=data.length, steps=2, rng=1)
    dt.write_selection(first, tmp_path / "selection.json")
    more = dt.select_more(first, data.judgments(first.drawn))
    dt.write_selection(more, tmp_path / "selection-2.json")
    weights = more.weight[more.unit_of]
    dt.write_judgments(data.judgments(more.drawn, weights), tmp_path / "sheet.csv")
    judgments = dt.read_judgments(tmp_path / "sheet.csv")
    found = dt.control_variates(judgments, data.scores())
    apart = sum(pair.verdict != "undecided" for pair in found.pairs)
    assert (apart, len(found.pairs)) == (case["told_apart"], case["pairs"])
    error = np.sqrt(np.mean([pair.standard_error**2 for pair in found.pairs]))
    plain = np.sqrt(np.mean([pair.plain_standard_error**2 for pair in found.pairs]))
    assert error == pytest.approx(case["mean_se"], abs=1e-8)
    assert plain == pytest.approx(case["mean_se_without"], abs=1e-8)
    assert f"{found.saved:.0%}" == "24%"
    pair = found.pairs[0]
    expected = case["first_pair"]
    assert (pair.system, pair.baseline) == (expected["a"], expected["b"])
    assert pair.estimate == pytest.approx(expected["difference"], abs=1e-8)
    assert pair.standard_error == pytest.approx(expected["standard_error"], abs=1e-8)
    assert pair.df == pytest.approx(case["df"], abs=1e-8)
    means = sorted(found.systems, key=lambda row: -row.mean)
    assert [row.system for row in means[:3]] == case["top"]
    assert [row.mean for row in means[:3]] == pytest.approx(case["top_means"], abs=1e-8)
    assert found.weighting is not None
    assert found.weighting.saved is not None
    assert found.weighting.saved.ratio == pytest.approx(case["after"]["ratio"], abs=1e-8)
    said = (
        "Documents were drawn with unequal probabilities (selection-2.json); weights are used, and 57 "
        "of 57 documents are here."
    )
    assert said in found.notes
    assert (
        "Choosing them took 3% less than a random draw would have (ratio 0.97, standard error 0.04)."
        in found.summary()
    )
    # The first batch alone belongs to the first record.
    dt.write_judgments(data.judgments(first.drawn, weights), tmp_path / "first.csv")
    notes = how_drawn(dt.read_judgments(tmp_path / "first.csv")).notes
    assert notes == (
        "Documents were drawn at random (selection.json); all weigh alike, and 19 of 19 documents "
        "are here.",
    )


def test_what_did_not_come_back_is_counted(tmp_path: Path) -> None:
    chosen = dt.select(toy(), n_items=40, by="metric")
    gone = chosen.documents[0]
    of = dict(zip(chosen.pool_items, chosen.pool_documents, strict=True))
    judgments = sheet(tmp_path, chosen, keep=lambda item: of[item] != gone)
    n = chosen.n_units_drawn
    [said] = how_drawn(judgments).notes
    assert said.endswith(f"weights are used, and {n - 1} of {n} documents are here.")


def test_missing_documents_that_are_harder_are_said(tmp_path: Path) -> None:
    chosen = dt.select(toy(documents=120), n_items=110, by="metric")
    size = dict(zip(dict.fromkeys(chosen.pool_documents), chosen.size.tolist(), strict=True))
    drawn = sorted(chosen.documents, key=lambda name: -size[name])
    hardest = set(drawn[: len(drawn) // 5])
    of = dict(zip(chosen.pool_items, chosen.pool_documents, strict=True))
    judgments = sheet(tmp_path, chosen, keep=lambda item: of[item] not in hardest)
    _, warned = how_drawn(judgments).notes
    assert f"The {len(hardest)} documents that did not come back are harder" in warned
    assert warned in dt.rank_systems(judgments, rng=1).notes
    (tmp_path / "easy").mkdir()
    easiest = set(drawn[-len(hardest) :])
    other = sheet(tmp_path / "easy", chosen, keep=lambda item: of[item] not in easiest)
    assert "are easier than the others" in how_drawn(other).notes[1]
    (tmp_path / "chance").mkdir()
    some = set(chosen.documents[:: len(chosen.documents) // len(hardest)])
    alike = sheet(tmp_path / "chance", chosen, keep=lambda item: of[item] not in some)
    assert len(how_drawn(alike).notes) == 1


def test_items_that_nobody_drew_are_refused(tmp_path: Path) -> None:
    chosen = dt.select(toy(), n_items=40, by="metric")
    judgments = sheet(tmp_path, chosen)
    columns = judgments.to_columns()
    other = next(item for item in chosen.pool_items if item not in chosen.items)
    of = dict(zip(chosen.pool_items, chosen.pool_documents, strict=True))
    for role, values in columns.items():
        values.append({"item": other, "document": of[other]}.get(role, values[0]))
    dt.write_judgments(Judgments.build(columns), tmp_path / "more.csv")
    added = dt.read_judgments(tmp_path / "more.csv")
    with pytest.raises(DataError, match=rf"1 item was not drawn by selection\.json: {other}"):
        dt.rank_systems(added, rng=1)


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    chosen = dt.select(toy(), n_items=40, by="metric")
    columns = sheet(tmp_path, chosen).to_columns()
    first = columns["item"][0]
    columns["sampling_weight"] = [
        2 * weight if item == first else weight
        for item, weight in zip(columns["item"], columns["sampling_weight"], strict=True)
    ]
    dt.write_judgments(Judgments.build(columns), tmp_path / "changed.csv")
    changed = dt.read_judgments(tmp_path / "changed.csv")
    with pytest.raises(
        DataError, match=r"changed\.csv, line 2, .*: the weight is .*selection\.json"
    ):
        dt.control_variates(changed, toy())


def test_earlier_draws_are_said_in_every_report(tmp_path: Path) -> None:
    from dataclasses import replace

    chosen = replace(dt.select(toy(), n_items=40, by="metric"), earlier=2)
    judgments = sheet(tmp_path, chosen)
    said = "Before this draw there were 2 others from the same pool"
    assert any(note.startswith(said) for note in dt.rank_systems(judgments, rng=1).notes)


def test_other_records_and_folders_do_not_matter(tmp_path: Path) -> None:
    chosen = dt.select(toy(), n_items=40, by="metric")
    other = dt.select({"A": {f"z{i}": i / 9 for i in range(30)}}, n_items=9, by="random")
    dt.write_selection(other, tmp_path / "other.json")
    judgments = sheet(tmp_path, chosen, record="")
    said = ("Documents were drawn with unequal probabilities; weights are used.",)
    assert how_drawn(judgments).notes == said
    assert how_drawn(Judgments.build(judgments.to_columns())).notes == said
