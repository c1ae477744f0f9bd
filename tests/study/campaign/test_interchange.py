"""A campaign that is exported and read back gives the same judgments, in every form."""

import csv
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from detectable.core.choices import CampaignFormat
from detectable.core.errors import DataError, InputError
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import Answer, JudgmentRow
from detectable.study.campaign.close import conclude_campaign
from detectable.study.campaign.export import export_campaign
from detectable.study.campaign.looks import look_now
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import campaign_judgments
from detectable.study.ranking.rank_systems import rank_systems
from tests.study.campaign.judged import SETTINGS, answer, conclude, judged
from tests.study.campaign.simulated import Truth, begin, in_memory, judge

pytestmark = pytest.mark.usefixtures("sound_parquet")

ALL = sorted(SETTINGS)


@pytest.fixture
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyStore]:
    store = judged(tmp_path / "store.sqlite", request.param)
    conclude(store)
    yield store
    store.close()


def own(store: AnyStore) -> Judgments:
    settings = CampaignSettings.from_json(store.campaign("c").settings)
    return campaign_judgments(store.rows("c"), settings.scale)


def as_rows(judgments: Judgments, *roles: str) -> Counter[tuple[Any, ...]]:
    """Return judgments as rows, whatever their order; times to the millisecond."""
    columns: list[list[Any]] = [
        [round(score, 9) for score in judgments.score.tolist()],
        [KINDS[kind] for kind in judgments.kind.tolist()],
    ]
    for role in roles:
        column = getattr(judgments, role)
        if role == "seconds":
            columns.append([round(value, 3) for value in column.tolist()])
        else:
            columns.append([column.levels[code] for code in column.codes.tolist()])
    return Counter(zip(*columns, strict=True))


ROLES = ("system", "item", "rater", "seconds")


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".tsv"])
@pytest.mark.parametrize("made", ALL, indirect=True)
def test_our_own_table(made: AnyStore, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"ship{ending}"
    export_campaign(made, "c", path)
    found, expected = read_judgments(path), own(made)
    assert found.scale == expected.scale
    roles = (*ROLES, "document", "task")
    assert as_rows(found, *roles) == as_rows(expected, *roles)


@pytest.mark.parametrize("made", ALL, indirect=True)
def test_the_log_of_pearmut(made: AnyStore, tmp_path: Path) -> None:
    path = tmp_path / "ship.jsonl"
    said: list[str] = []
    export_campaign(made, "c", path, form="pearmut", said=lambda *notes: said.extend(notes))
    expected = own(made)
    scale = None if expected.scale[0] < 0 else expected.scale
    found = read_judgments(path, scale=scale)
    assert found.scale == expected.scale
    # Degraded copies and references are attention checks there, and left out.
    kept = {"system", "repeat"}
    ours = Counter({row: n for row, n in as_rows(expected, *ROLES).items() if row[1] in kept})
    assert as_rows(found, *ROLES) == ours
    assert {kind for _, kind, *_ in ours} == kept
    assert any("attention checks" in note for note in found.notes)
    assert any("--scale" in note for note in said) == (
        expected.scale not in ((0.0, 100.0), (-float("inf"), 0.0))
    )


@pytest.mark.parametrize("made", ALL, indirect=True)
def test_the_export_of_appraise(made: AnyStore, tmp_path: Path) -> None:
    path = tmp_path / "ship.csv"
    export_campaign(made, "c", path, form="appraise")
    expected = own(made)
    scale = None if expected.scale[0] < 0 else expected.scale
    found = read_judgments(path, scale=scale)
    assert found.scale == expected.scale
    roles = (*ROLES, "document")
    assert as_rows(found, *roles) == as_rows(expected, *roles)
    assert {kind for _, kind, *_ in as_rows(found)} == set(KINDS)


@pytest.mark.parametrize("form", ["table", "appraise"])
def test_systems_named_like_formulas_are_read_back(tmp_path: Path, form: Any) -> None:
    store = judged(tmp_path / "s.sqlite", "da", systems=("=new()", "@old"))
    conclude(store)
    path = tmp_path / "ship.csv"
    export_campaign(store, "c", path, form=form)
    assert not any(
        cell.startswith(("=", "@"))
        for line in path.read_text("utf-8").splitlines()
        for cell in line.split(",")
    )
    found, expected = read_judgments(path), own(store)
    assert set(found.system.levels) == {"=new()", "@old"}
    assert as_rows(found, *ROLES) == as_rows(expected, *ROLES)
    store.close()


@pytest.mark.parametrize("baseline", ["", "old"])
def test_choices_between_three_systems_are_read_back(tmp_path: Path, baseline: str) -> None:
    names = ("new", "old", "other")
    store = judged(
        tmp_path / "s.sqlite", "pairwise", systems=names, baseline=baseline,
        # A repeat whose original nobody could judge is no repeat to who reads Pearmut's log.
        answers=lambda protocol, n: answer(protocol, n if n % 9 != 8 else 0),
    )  # fmt: skip
    conclude(store)
    expected = own(store)
    kept = {"system", "repeat"}
    n_pairs = 2 if baseline else 3
    rows = [row for row in store.rows("c") if row.kind == "system"]
    assert len(rows) == 8 * n_pairs * 2
    for form, ending in (("table", "csv"), ("pearmut", "jsonl"), ("appraise", "csv")):
        path = tmp_path / f"{form}.{ending}"
        export_campaign(store, "c", path, form=form)  # type: ignore[arg-type]
        found = read_judgments(path, scale=None if form == "table" else expected.scale)
        ours = as_rows(expected, *ROLES)
        if form == "pearmut":
            ours = Counter({row: n for row, n in ours.items() if row[1] in kept})
        assert as_rows(found, *ROLES) == ours, form
    extra = lines(tmp_path / "table.extra.jsonl")
    assert {one["item"] for one in extra} == {row.item for row in store.rows("c")}
    logged = lines(tmp_path / "pearmut.jsonl")
    texts = {text for one in logged for item in one["item"] for text in item["tgt"].values()}
    assert any(text.endswith("of other") for text in texts)
    store.close()


@pytest.mark.parametrize(("protocol", "width"), [("da", 9), ("esa", 12)])
def test_appraise_without_documents(tmp_path: Path, protocol: str, width: int) -> None:
    store = judged(tmp_path / "s.sqlite", protocol, documents=False)
    conclude(store)
    path = tmp_path / "ship.csv"
    export_campaign(store, "c", path, form="appraise")
    with path.open(newline="") as lines:
        assert {len(cells) for cells in csv.reader(lines)} == {width}
    assert as_rows(read_judgments(path), *ROLES) == as_rows(own(store), *ROLES)
    store.close()


@pytest.mark.parametrize("form", ["pearmut", "appraise"])
def test_weights_of_ones_own_are_read_back(tmp_path: Path, form: Any) -> None:
    store = judged(tmp_path / "s.sqlite", "mqm", weights="wmt", weight=("accuracy=3",))
    conclude(store)
    path = tmp_path / ("a.jsonl" if form == "pearmut" else "a.csv")
    said: list[str] = []
    export_campaign(store, "c", path, form=form, said=lambda *notes: said.extend(notes))
    assert any("read it with --scale :0." in note for note in said)
    found, expected = read_judgments(path, scale=(-math.inf, 0.0)), own(store)
    assert {-3.0, -6.0} <= set(expected.score.tolist())
    kept = {"system", "repeat"} if form == "pearmut" else set(KINDS)
    ours = Counter({row: n for row, n in as_rows(expected, *ROLES).items() if row[1] in kept})
    assert as_rows(found, *ROLES) == ours
    store.close()


@pytest.mark.parametrize("form", ["pearmut", "appraise"])
def test_mqm_without_any_error_is_read_back(tmp_path: Path, form: Any) -> None:
    def nothing(protocol: str, n: int) -> dict[str, Any]:
        return {"spans": []}

    store = judged(tmp_path / "s.sqlite", "mqm", answers=nothing)
    conclude(store)
    path = tmp_path / ("a.jsonl" if form == "pearmut" else "a.csv")
    export_campaign(store, "c", path, form=form)
    assert set(read_judgments(path).score.tolist()) == {0.0}
    store.close()


def test_changed_answers_stand_beside_the_judgments(tmp_path: Path) -> None:
    store = judged(tmp_path / "s.sqlite", "esa", controls=0.0)
    page = store.one("SELECT token FROM page ORDER BY block DESC, ord DESC LIMIT 1")[0]
    before = store.given_page("c/r-01", page)
    assert before.answers is not None
    others = [Answer(score=1.0, extra={"spans": []}) for _ in before.lines]
    store.save("c/r-01", page, key="other", answers=others, replaces=before.key)
    export_campaign(store, "c", tmp_path / "ship.csv")
    (found,) = lines(tmp_path / "ship.changes.jsonl")
    assert (found["rater"], found["page"], found["n"]) == ("r-01", 1, 1)
    assert [one["score"] for one in found["answers"]] == [one.score for one in before.answers]
    assert not {"new", "old", page} & set(str(found).split("'"))
    store.close()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("made", ["esa", "mqm"], indirect=True)
def test_errors_stand_beside_the_judgments(made: AnyStore, tmp_path: Path) -> None:
    said: list[str] = []
    path = tmp_path / "ship.csv"
    export_campaign(made, "c", path, said=lambda *notes: said.extend(notes))
    spans = lines(tmp_path / "ship.spans.jsonl")
    rows = [row for row in made.rows("c") if row.score is not None]
    expected = [
        (number, span.get("start"), span.get("end"), span["severity"], span.get("category"))
        for number, row in enumerate(rows, 1)
        for span in (row.extra or {})["spans"]
    ]
    names = ("judgment", "start", "end", "severity", "category")
    assert [tuple(one[name] for name in names) for one in spans] == expected
    assert f"Written: {tmp_path / 'ship.spans.jsonl'}" in said
    with path.open(newline="") as table:
        written = list(csv.DictReader(table))
    outputs = {one.item: one.outputs for part in made.parts("c") for one in part.segments}
    for span in spans:
        row = written[span["judgment"] - 1]
        assert (row["system"], row["item"], row["kind"]) == (
            span["system"],
            span["item"],
            span["kind"],
        )
        judged_row = rows[span["judgment"] - 1]
        text = judged_row.text or outputs[span["item"]][span["system"]]
        assert span["text_hash"] == hashlib.sha256(text.encode()).hexdigest()[:16]
        if span["kind"] in ("degraded", "reference"):
            assert judged_row.text is not None


@pytest.mark.parametrize("made", ["likert", "pairwise"], indirect=True)
def test_further_answers_stand_beside_the_judgments(made: AnyStore, tmp_path: Path) -> None:
    export_campaign(made, "c", tmp_path / "ship.csv")
    assert not (tmp_path / "ship.spans.jsonl").exists()
    extra = lines(tmp_path / "ship.extra.jsonl")
    rows = made.rows("c")
    assert len(extra) == len(rows)
    number = 0
    for one, row in zip(extra, rows, strict=True):
        number += row.score is not None
        assert one["judgment"] == (number if row.score is not None else None)
        more = {k: v for k, v in one.items() if k in (row.extra or {})}
        assert more == row.extra
        assert (one["rater"], one["system"], one["item"]) == (row.rater, row.system, row.item)


def test_scores_of_documents_have_their_own_table(tmp_path: Path) -> None:
    store = judged(tmp_path / "s.sqlite", "da", document_score=True)
    store_rows = store.document_scores("c")
    conclude(store)
    export_campaign(store, "c", tmp_path / "ship.csv")
    with (tmp_path / "ship.documents.csv").open(newline="") as table:
        found = list(csv.DictReader(table))
    assert len(found) == len(store_rows) > 8
    assert {row["document"] for row in found} == {f"d{i}" for i in range(4)}
    assert Counter(row["kind"] for row in found)["system"] == 8
    assert sorted(float(row["score"]) for row in found) == sorted(s.score for s in store_rows)
    assert len({row["score"] for row in found}) == len(found)
    store.close()


@pytest.mark.parametrize("form", ["table", "pearmut"])
def test_nothing_names_a_system_before_the_end(tmp_path: Path, form: Any) -> None:
    store = judged(tmp_path / "s.sqlite", "esa", document_score=True)
    export_campaign(store, "c", tmp_path / "ship.jsonl", form=form)
    written = "".join(
        path.read_text() for path in tmp_path.glob("ship*") if ".campaign." not in path.name
    )
    for word in ("new", "old", "quick", "hash", "Quelle"):
        assert word not in written
    assert not (tmp_path / "ship.documents.csv").exists()
    export_campaign(store, "c", tmp_path / "open.jsonl", form=form, unblind="a check")
    assert "new" in (tmp_path / "open.jsonl").read_text()
    assert (tmp_path / "open.documents.csv").exists()
    store.close()


@pytest.mark.parametrize("made", ["esa"], indirect=True)
def test_files_that_exist_are_kept(made: AnyStore, tmp_path: Path) -> None:
    (tmp_path / "ship.spans.jsonl").write_text("mine")
    with pytest.raises(DataError, match=r"ship\.spans\.jsonl"):
        export_campaign(made, "c", tmp_path / "ship.csv")
    assert not (tmp_path / "ship.csv").exists()
    export_campaign(made, "c", tmp_path / "ship.csv", force=True)
    assert (tmp_path / "ship.spans.jsonl").read_text() != "mine"
    with pytest.raises(InputError, match=r"`path` must end in \.jsonl for pearmut"):
        export_campaign(made, "c", tmp_path / "other.csv", form="pearmut")


def test_names_that_appraise_takes_for_something_else(tmp_path: Path) -> None:
    from dataclasses import replace

    from detectable.study.campaign.export import appraise_table, refuse_marks

    store = judged(tmp_path / "s.sqlite", "da")
    rows = store.rows("c")
    store.close()

    def named(**change: Any) -> list[JudgmentRow]:
        return [replace(row, **change) for row in rows]

    def write(given: list[JudgmentRow]) -> str:
        refuse_marks(
            {row.system for row in given}, {row.document for row in given if row.document}
        )
        return "".join(
            appraise_table(
                given, ("de", "en"), documents=True, spans=False, score_of_spans=False
            )
        )

    with pytest.raises(DataError, match="tutorial"):
        write(named(system="my-Tutorial"))
    with pytest.raises(DataError, match="shared output"):
        write([*named(system="a+b"), *named(system="a"), *named(system="b")])
    with pytest.raises(DataError, match="marks copies"):
        write(named(document="d#1"))
    write([*named(system="a+b"), *named(system="a")])
    assert write(named(system="=1+1")).splitlines()[0].split(",")[1] == "'=1+1"


def test_places_and_times_are_theirs(tmp_path: Path) -> None:
    store = judged(tmp_path / "s.sqlite", "mqm", rng=1)
    conclude(store)
    export_campaign(store, "c", tmp_path / "a.csv", form="appraise")
    export_campaign(store, "c", tmp_path / "a.jsonl", form="pearmut", force=True)
    scored = [row for row in store.rows("c") if row.score is not None]
    store.close()
    # The first page that is no control; so it is the first of the log.
    page = next(row.page for row in scored if row.kind == "system")
    places = [n for n, row in enumerate(scored) if row.page == page]
    rows = [scored[n] for n in places]
    with (tmp_path / "a.csv").open(newline="") as table:
        written = list(csv.reader(table))
    first, second = (written[n] for n in places)
    # Eight seconds for two texts, one after the other; the end is that of the save.
    saved = rows[0].saved
    times = [float(cell) - saved for cell in (*first[-2:], *second[-2:])]
    assert times == pytest.approx([-8.0, -4.0, -4.0, 0.0], abs=1e-5)
    (line,) = [one for one in lines(tmp_path / "a.jsonl") if one["item_i"] == 0]
    assert [action["time"] - saved for action in line["actions"]] == pytest.approx([-8.0, 0.0])
    assert [one["action"] for one in line["actions"]] == ["load", "submit"]
    logged = [
        span
        for one in line["annotation"]
        for values in one.values()
        for span in values["error_spans"]
    ]
    kept = [span for row in rows for span in (row.extra or {})["spans"]]
    assert kept
    for span, theirs in zip(kept, logged, strict=True):
        assert theirs["severity"] == span["severity"]
        assert theirs["category"] == span["category"]
        # Their last letter belongs to the error.
        assert theirs["start_i"] == span.get("start", "missing")
        assert theirs["end_i"] == (span["end"] - 1 if "end" in span else "missing")
    found = [span for cells in (first, second) for span in json.loads(cells[9])]
    for span, theirs in zip(kept, found, strict=True):
        assert (theirs["error_type"], theirs["severity"]) == (
            span["category"],
            span["severity"],
        )
        assert theirs["end_i"] == (span["end"] - 1 if "end" in span else "missing")


def test_every_answer_of_the_circle_differs() -> None:
    for protocol in ALL:
        assert len({json.dumps(answer(protocol, n)) for n in range(9)}) >= 4


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("form", ["table", "appraise", "pearmut"])
def test_an_export_is_a_stream_whose_blocks_do_not_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: CampaignFormat
) -> None:
    store = judged(tmp_path / "s.sqlite", "esa", document_score=True)
    conclude(store)
    ending = "jsonl" if form == "pearmut" else "csv"
    made = []
    for size in (1_000, 3):
        for name in ("sqlite_store.BLOCK", "postgres_store.BLOCK"):
            monkeypatch.setattr(f"detectable.data.store.{name}", size)
        monkeypatch.setattr("detectable.data.human.write_judgments._BLOCK", size)
        monkeypatch.setattr("detectable.study.campaign.export._PARTS_KEPT", 1)
        monkeypatch.setattr("detectable.study.campaign.work._KEPT", 1)
        # Nothing may hold all judgments.
        monkeypatch.delattr("detectable.data.store.store.Store.rows")
        folder = tmp_path / str(size)
        folder.mkdir()
        export_campaign(store, "c", folder / f"c.{ending}", form=form)
        monkeypatch.undo()
        made.append(files(folder))
    store.close()
    assert made[0] == made[1]
    assert len(made[0]) == 5
    assert min(map(len, made[0].values())) > 0


def test_an_export_sees_one_moment(either: AnyStore, tmp_path: Path) -> None:
    often = Truth(effects={"new": 0.0, "old": 0.0}, skips=0.5)
    begin(either, tmp_path / "ship.json", often, n_max=120)
    judge(either, often, seed=1, most_pages=60)
    address = getattr(either, "_address", either.where)
    notes: list[str] = []
    others: list[AnyStore] = []

    def said(*given: str) -> None:
        notes.extend(given)
        if any("could not judge" in one for one in given):  # after the first reading
            others.append(open_store(address))
            judge(others[-1], often, seed=2, most_pages=40)

    export_campaign(either, "ship", tmp_path / "e.csv", everything=True, said=said)
    for other in others:  # not before: who closes waits for who reads
        other.close()
    lines = (tmp_path / "e.extra.jsonl").read_text().splitlines()
    (told,) = [note for note in notes if "could not judge" in note]
    assert int(told.split()[0]) == len(lines) > 0
    after = sum(row.score is None for row in either.rows("ship"))
    assert after > len(lines)  # others went on meanwhile


@pytest.mark.parametrize("form", ["pearmut", "appraise"])
def test_documents_come_back_and_with_them_the_intervals(
    form: CampaignFormat, tmp_path: Path
) -> None:
    """What is read back says as much as our own table: lines of a document are not independent."""
    store = in_memory()
    truth = Truth(effects={"new": 3.0, "old": 0.0})
    begin(
        store, tmp_path / "ship.json", truth, n_items=60, n_max=60, looks=1,
        lines_per_document=5,
        settings={"controls": 0.3, "source_language": "de", "target_language": "en"},
    )  # fmt: skip
    judge(store, truth, seed=1)
    if store.campaign("ship").state != "stopped":
        look_now(store, "ship", final=True, now=1e5)
    conclude_campaign(store, "ship", at_once=True, now=2e5)
    own, other = (
        tmp_path / "own.csv",
        tmp_path / f"o{'.jsonl' if form == 'pearmut' else '.csv'}",
    )
    export_campaign(store, "ship", own)
    export_campaign(store, "ship", other, form=form)
    first, second = (rank_systems(read_judgments(path), rng=1) for path in (own, other))
    assert second.unit == "document"
    assert [(one.difference, one.interval) for one in second.pairs] == [
        (one.difference, one.interval) for one in first.pairs
    ]
