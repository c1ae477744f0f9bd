"""Looks of a campaign, computed again from its store and from what was exported of it."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from detectable.cli.rerun import verify, verify_stored
from detectable.core.errors import DataError
from detectable.data.files.ledger_file import append_entry
from detectable.data.store.open_store import AnyStore, open_store
from detectable.study.campaign.close import conclude_campaign, unblind
from detectable.study.campaign.export import export_campaign
from detectable.study.campaign.looks import campaign_looks, look_now
from detectable.study.campaign.replay_campaign import replay_export, replay_store
from detectable.study.campaign.withdraw import erase_rater, void_rater
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.plan import read_plan
from tests.study.campaign.simulated import Truth, begin, judge
from tests.study.campaign.test_withdraw import WHY, looked

pytestmark = pytest.mark.usefixtures("sound_parquet")

RULE = {"rule": "degraded-paired-t", "pairs": 8}
DENSE = {"controls": 0.5, "block": 6, "overlap": 0.1}
TRUTH = Truth(effects={"new": 3.0, "old": 0.0}, careless=frozenset({"r-03"}))


def run(store: AnyStore, path: Path, truth: Truth = TRUTH, **planned: Any) -> int:
    """Run a campaign to its end, and return how many looks it took."""
    options: dict[str, Any] = {"n_max": 60, "looks": 3, "futility": "none", **planned}
    documents = options.pop("lines_per_document", None)
    begin(
        store, path, truth, n_items=100, **options, settings=DENSE,
        lines_per_document=documents,
    )  # fmt: skip
    clock = judge(store, truth, seed=4)
    n = len(campaign_looks(store, "ship"))
    assert n >= 2
    conclude_campaign(store, "ship", at_once=True, now=clock)
    return n


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return the folder of an export of a whole campaign, for who only reads it, and its looks."""
    folder = tmp_path_factory.mktemp("ended")
    with contextlib.closing(open_store(folder / "c.sqlite", new=True)) as store:
        n = run(store, folder / "ship.json", admission=RULE)
        export_campaign(store, "ship", folder / "ship.csv")
    return folder, n


def states(checks: Any) -> list[str]:
    return [one.state for one in checks]


@pytest.mark.parametrize(
    "planned",
    [
        {},
        {"admission": RULE},
        {"admission": {"rule": "symmetric", "pairs": 8}, "test": "sign-flip"},
        {"admission": RULE, "lines_per_document": 2},
    ],
    ids=["all-work", "admitted", "sign-flip", "documents"],
)
def test_every_look_comes_out_again(
    sqlite: AnyStore, tmp_path: Path, planned: dict[str, Any]
) -> None:
    n = run(sqlite, tmp_path / "ship.json", **planned)
    before = {one.name: one.read_bytes() for one in tmp_path.glob("ship*")}
    assert states(replay_store(sqlite, "ship")) == ["same"] * n
    assert {one.name: one.read_bytes() for one in tmp_path.glob("ship*")} == before
    for ending in ("csv", "parquet"):
        export_campaign(sqlite, "ship", tmp_path / f"out-{ending}.{ending}")
        _, found = replay_export(
            tmp_path / f"out-{ending}.campaign.json", tmp_path / f"out-{ending}.{ending}"
        )
        assert states(found) == ["same"] * n


def test_on_a_server_too(either: AnyStore, tmp_path: Path) -> None:
    n = run(either, tmp_path / "ship.json", admission=RULE)
    made = verify_stored(either, "ship")
    assert (made.outcome, made.exit_code, len(made.looks)) == ("same", 0, n)
    assert made.summary().splitlines()[0] == f"The same: {n} looks computed again, to the bit."


def test_leaderboards_come_out_again(sqlite: AnyStore, tmp_path: Path) -> None:
    truth = Truth(effects={"old": 0.0, "bad": -25.0, "near": 1.0})
    n = run(sqlite, tmp_path / "ship.json", truth, baseline="old", admission=RULE)
    assert states(replay_store(sqlite, "ship")) == ["same"] * n


def test_bets_come_out_again(sqlite: AnyStore, tmp_path: Path) -> None:
    planned: dict[str, Any] = {"n_max": None, "test": "e-process"}
    begin(sqlite, tmp_path / "ship.json", TRUTH, n_items=140, **planned, settings=DENSE)
    with pytest.raises(DataError, match="ship: no work is finished yet"):
        look_now(sqlite, "ship")
    for seed in (1, 2):
        judge(sqlite, TRUTH, seed=seed, after_block=lambda: True, most_pages=200)
        look_now(sqlite, "ship")
    assert states(replay_store(sqlite, "ship")) == ["same", "same"]


def test_a_ledger_that_says_something_else_is_found(
    ended: tuple[Path, int], tmp_path: Path
) -> None:
    folder, n = ended
    path = tmp_path / "ship.campaign.json"
    content = json.loads((folder / "ship.campaign.json").read_text("utf-8"))
    forged: list[dict[str, Any]] = []
    for line in content["ledger"]:
        kept = {
            key: value for key, value in line.items() if key not in ("previous", "fingerprint")
        }
        if line["event"] == "look" and line["look"] == 2:
            kept["pairs"][0]["z"] += 0.5
        forged.append(
            append_entry(tmp_path / "x.jsonl", kept, forged)
        )  # with a chain that holds
    path.write_text(json.dumps({**content, "ledger": forged}), "utf-8")
    made = verify(path, folder / "ship.csv")
    assert (made.outcome, made.exit_code) == ("different", 3)
    assert made.reason == "look 2 comes out otherwise (pairs)."
    assert states(made.looks) == ["same", "different", "same"][:n]
    content["ledger"][-1]["time"] = "1970-01-01"
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(DataError, match="this entry was changed"):
        verify(path, folder / "ship.csv")


def test_judgments_that_were_changed_are_found(ended: tuple[Path, int], tmp_path: Path) -> None:
    folder, _ = ended
    lines = (folder / "ship.csv").read_text("utf-8").splitlines()
    place = next(n for n, line in enumerate(lines) if ",system," in line)
    cells = lines[place].split(",")
    score = lines[0].split(",").index("score")
    cells[score] = str((int(cells[score]) + 1) % 100)
    lines[place] = ",".join(cells)
    (tmp_path / "other.csv").write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(DataError, match="1 judgment changed"):
        replay_export(folder / "ship.campaign.json", tmp_path / "other.csv")


def test_before_the_end_the_file_is_blind(sqlite: AnyStore, tmp_path: Path) -> None:
    path = tmp_path / "ship.json"
    looked(sqlite, path, 1)
    export_campaign(sqlite, "ship", tmp_path / "a.csv")
    text = (tmp_path / "a.campaign.json").read_text("utf-8")
    content = json.loads(text)
    assert (content["ledger"], content["key"]) == (None, None)
    assert content["plan"]["fingerprint"] == read_plan(path).fingerprint
    assert [one["decision"] for one in content["looks"]] == ["continue"]
    assert sqlite.campaign("ship").salt not in text
    entry = LedgerState.read(read_plan(path)).entries[0]["pairs"][0]
    assert not any(str(entry[part]) in text for part in ("estimate", "z", "standard_error"))
    assert str(tmp_path) not in text
    with pytest.raises(DataError, match="not concluded when it was exported"):
        replay_export(tmp_path / "a.campaign.json", tmp_path / "a.csv")
    assert states(replay_store(sqlite, "ship")) == ["same"]  # which tells no number
    unblind(sqlite, "ship", who="ann", reason="a press date")
    export_campaign(sqlite, "ship", tmp_path / "b.csv", unblind="it is known", who="ann")
    assert states(replay_export(tmp_path / "b.campaign.json", tmp_path / "b.csv")[1]) == [
        "same"
    ]


@pytest.mark.parametrize("content", [{"detectable_campaign": 99}, {"name": "ship"}, [1]])
def test_what_is_no_campaign_is_refused(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "a.campaign.json"
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(DataError, match="no campaign that this version can read"):
        replay_export(path)


def test_without_data_looks_are_listed(ended: tuple[Path, int]) -> None:
    folder, n = ended
    made = verify(folder / "ship.campaign.json")
    assert (made.outcome, made.exit_code, len(made.looks)) == ("not repeated", 4, n)
    assert "the looks need DATA" in made.reason


def test_looks_that_saw_deleted_judgments_are_not_repeated(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    looked(sqlite, tmp_path / "ship.json", 1)
    erase_rater(sqlite, "ship", "r-02", who="ann")
    clock = judge(sqlite, Truth(effects={"new": 0.0, "old": 0.0}), seed=5, absent=("r-02",))
    first, *later = replay_store(sqlite, "ship")
    assert (first.state, first.differs) == ("not repeated", ("judgments were deleted",))
    assert states(later) == ["same"] * len(later) == ["same", "same"]
    conclude_campaign(sqlite, "ship", at_once=True, now=clock)
    made = verify_stored(sqlite, "ship")
    assert (made.outcome, made.exit_code) == ("not repeated", 4)
    assert "deleted cannot be repeated" in made.reason


def test_rows_of_other_systems_do_no_harm(ended: tuple[Path, int], tmp_path: Path) -> None:
    folder, n = ended
    lines = (folder / "ship.csv").read_text("utf-8").splitlines()
    cells = lines[1].split(",")
    cells[lines[0].split(",").index("system")] = "other"
    text = "\n".join([lines[0], ",".join(cells), *lines[1:]]) + "\n"
    (tmp_path / "more.csv").write_text(text, "utf-8")
    _, found = replay_export(folder / "ship.campaign.json", tmp_path / "more.csv")
    assert states(found) == ["same"] * n


def test_looks_beside_voided_work_come_out_again(sqlite: AnyStore, tmp_path: Path) -> None:
    looked(sqlite, tmp_path / "ship.json", 1)
    void_rater(sqlite, "ship", "r-02", **WHY)
    judge(sqlite, Truth(effects={"new": 0.0, "old": 0.0}), seed=5, absent=("r-02",))
    assert states(replay_store(sqlite, "ship")) == ["same"] * 3


def test_a_campaign_without_a_plan_has_no_looks(sqlite: AnyStore, tmp_path: Path) -> None:
    from tests.study.campaign.judged import conclude, judged

    store = judged(tmp_path / "d.sqlite", "da")
    conclude(store)
    export_campaign(store, "c", tmp_path / "c.csv")
    content = json.loads((tmp_path / "c.campaign.json").read_text("utf-8"))
    assert (content["plan"], content["ledger"], content["looks"]) == (None, None, [])
    assert content["settings"]["protocol"] == "da"
    with pytest.raises(DataError, match="the campaign has no plan"):
        verify(tmp_path / "c.campaign.json")
    store.close()


def test_a_plan_that_was_moved_is_said_and_the_rest_is_written(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    run(sqlite, tmp_path / "ship.json")
    (tmp_path / "ship.json").rename(tmp_path / "moved.json")
    said: list[str] = []
    export_campaign(sqlite, "ship", tmp_path / "out.csv", said=lambda *more: said.extend(more))
    assert any(one.startswith("The plan is not in the file: the plan of ship") for one in said)
    assert json.loads((tmp_path / "out.campaign.json").read_text("utf-8"))["plan"] is None
