"""A selection that is handed out: as tasks, as blind sheets, and as a campaign whose looks weigh."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main
from detectable.core.errors import InputError
from detectable.data.store.open_store import open_store
from detectable.data.texts.corpus import Corpus
from detectable.inference.standard_errors import cluster_mean
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.close import conclude_campaign
from detectable.study.campaign.looks import look_now
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.outcome import campaign_outcome
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import CampaignWork, campaign_judgments
from detectable.study.selection.selection import Selection
from tests.study.campaign.simulated import Truth, begin, in_memory, judge

LINES = [f"this is line {i} of the whole long text that people read" for i in range(60)]
DOCUMENTS = [f"d{i // 3}" for i in range(60)]


def corpus(**more: Any) -> Corpus:
    options = {"sources": LINES, "documents": DOCUMENTS, **more}
    return Corpus.build({"new": LINES, "old": LINES}, LINES, **options)


def chosen(by: Any = "metric", **more: Any) -> Selection:
    rng = np.random.default_rng(4)
    scores = dt.Scores.build(
        {name: rng.exponential(size=60) for name in ("new", "old")},
        items=[str(i + 1) for i in range(60)],
        documents=DOCUMENTS,
        metric="comet",
    )
    return dt.select(scores, n_items=30, by=by, **more)


def test_tasks_show_the_lines_that_were_drawn_with_their_weights() -> None:
    selection = chosen()
    tasks = dt.make_tasks(corpus(), selection=selection, overlap=0.2, raters=2, rng=1)
    assert {row.item for row in tasks.rows} == set(selection.items)
    weight = dict(zip(selection.items, selection.drawn_weight.tolist(), strict=True))
    # Controls and second ratings carry the weight of their item, and none of their own.
    assert all(row.sampling_weight == weight[row.item] for row in tasks.rows)
    assert (
        f"{len(selection.items)} of 60 lines are shown, as the selection drew them."
        in tasks.notes
    )
    sheet = dt.tasks_csv(tasks)
    assert "sampling_weight" in sheet.splitlines()[0]
    assert "sampling_weight" not in dt.tasks_csv(dt.make_tasks(corpus(), rng=1)).splitlines()[0]


def test_the_second_batch_is_shown_alone() -> None:
    first = replace(chosen(), steps=2)
    units = np.flatnonzero(first.batch_of == 0)[:3]
    batch_of = first.batch_of.copy()
    batch_of[units] = 2
    second = replace(first, batch=2, batch_of=batch_of)
    tasks = dt.make_tasks(corpus(), selection=second, rng=1)
    assert {row.document for row in tasks.rows} == {f"d{unit}" for unit in units}


def test_filled_blind_sheets_bear_the_weights(tmp_path: Path) -> None:
    selection = chosen()
    tasks = dt.make_tasks(corpus(), selection=selection, raters=2, rng=1)
    for name, text in dt.blind_sheets(tasks).items():
        head, *rows = text.splitlines()
        if name != "key.csv":
            assert "sampling_weight" not in head
            rows = [row[: row.rindex(",,")] + ",55," for row in rows]
        (tmp_path / name).write_text("\n".join([head, *rows]) + "\n")
    judgments = dt.read_judgments(tmp_path)
    assert judgments.sampling_weight is not None
    weight = dict(zip(selection.items, selection.drawn_weight.tolist(), strict=True))
    names = [item.rpartition(":")[2] for item in judgments.item.labels()]
    assert judgments.sampling_weight.tolist() == [weight[name] for name in names]


def test_what_does_not_fit_the_texts_is_refused() -> None:
    with pytest.raises(InputError, match="`n_items` has no effect beside `selection`"):
        dt.make_tasks(corpus(), selection=chosen(), n_items=3)
    short = Corpus.build({"new": LINES[:9], "old": LINES[:9]}, LINES[:9])
    with pytest.raises(InputError, match="`selection` must be of these 9 lines; 10, 11"):
        dt.make_tasks(short, selection=chosen())
    moved = corpus(documents=[*DOCUMENTS[1:], "x"])
    with pytest.raises(
        InputError, match=r"`selection` says that line .* is of document 'd\d+', and"
    ):
        dt.make_tasks(moved, selection=chosen())


def test_items_with_names_are_matched_by_their_order() -> None:
    selection = chosen()
    named = replace(selection, pool_items=tuple(f"x{i}" for i in range(60)))
    tasks = dt.make_tasks(corpus(), selection=named, rng=1)
    assert {row.item for row in tasks.rows} == set(selection.items)


def test_a_campaign_shows_them_and_its_judgments_weigh(tmp_path: Path) -> None:
    selection = chosen()
    made, notes = make_campaign(
        corpus(), "ship", CampaignSettings(overlap=0.0), selection=selection, rng=1
    )
    shown = {segment.item for part in made.parts for segment in part.segments}
    assert shown == set(selection.items)
    assert f"{len(selection.items)} of 60 lines are shown, as the selection drew them." in notes
    weight = dict(zip(selection.items, selection.drawn_weight.tolist(), strict=True))
    assert made.settings["sampling_weights"] == weight
    assert CampaignSettings.from_json(made.settings).sampling_weights == weight
    store = open_store(tmp_path / "store", new=True)
    store.create(made)
    store.close()


def test_looks_at_a_campaign_use_the_weights(tmp_path: Path) -> None:
    selection = chosen()
    named = replace(
        selection,
        pool_documents=tuple(f"doc-{i // 3}" for i in range(60)),
    )
    store = in_memory()
    truth = Truth(effects={"new": 6.0, "old": 0.0})
    begin(
        store,
        tmp_path / "ship.json",
        truth,
        n_items=60,
        lines_per_document=3,
        settings={"selection": named, "controls": 0.0, "overlap": 0.0},
        test="paired-mean",
        n_max=len(selection.items),
        looks=2,
        scale=(0, 100),
    )
    judge(store, truth, seed=1, after_block=lambda: True)
    made = look_now(store, "ship", final=True)
    work = CampaignWork.read(store, "ship", (0.0, 100.0))
    judgments = campaign_judgments(work.finished, work.scale, name="ship", weights=work.weights)
    units = judgments.cells().matched([("new", "old")]).units("document")
    assert units.weight is not None
    expected = cluster_mean(units.d, units.cluster, units.weight)
    assert made.n_units == units.d.size
    conclusion = conclude_campaign(store, "ship")
    plain = cluster_mean(units.d, units.cluster)
    [pair] = conclusion.pairs
    assert pair.naive_estimate == pytest.approx(expected.value)
    assert pair.naive_estimate != pytest.approx(plain.value)
    found = {one.system: one.mean for one in campaign_outcome(store, "ship").scores}
    for name in ("new", "old"):
        own = judgments.where(system=name)
        assert found[name] == pytest.approx(np.average(own.score, weights=own.sampling_weight))
    weight = dict(zip(selection.items, selection.drawn_weight.tolist(), strict=True))
    assert work.weights == weight


def test_a_random_selection_needs_no_weights() -> None:
    made, _ = make_campaign(
        corpus(), "ship", CampaignSettings(), selection=chosen("random"), rng=1
    )
    assert "sampling_weights" not in made.settings
    with pytest.raises(InputError, match="`n_items` has no effect beside `selection`"):
        make_campaign(corpus(), "a", CampaignSettings(), selection=chosen(), n_items=3)


def test_a_plan_that_knows_no_weights_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    dt.plan(path, systems=["new", "old"], test="e-process", n_max=10, scale=(0, 100))
    store = open_store(tmp_path / "store", new=True)
    with pytest.raises(InputError, match="a plan by e-process knows no sampling weights; use"):
        begin_campaign(store, corpus(), "ship", plan_path=path, selection=chosen(), rng=1)
    store.close()


def test_the_commands_take_the_record(tmp_path: Path) -> None:
    dt.write_selection(chosen(), tmp_path / "selection.json")
    for name, lines in (("text.txt", LINES), ("documents.txt", DOCUMENTS)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    text, record = str(tmp_path / "text.txt"), str(tmp_path / "selection.json")
    texts = ["--refs", text, "--sources", text, "--documents", str(tmp_path / "documents.txt")]
    texts += ["--system", f"new={text}", "--system", f"old={text}", "--selection", record]
    made = CliRunner().invoke(
        main, ["tasks", *texts, "--output", str(tmp_path / "tasks"), "--seed", "1"]
    )
    assert made.exit_code == 0, made.output
    assert "sampling_weight" in (tmp_path / "tasks" / "tasks.csv").read_text().splitlines()[0]
    new = CliRunner().invoke(
        main, ["campaign", "new", "ship", "--store", str(tmp_path / "judging"), *texts]
    )
    assert new.exit_code == 0, new.output
    assert "lines are shown, as the selection drew them." in new.stderr
