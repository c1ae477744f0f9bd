"""``detectable campaign``: texts from elsewhere, protocols, and forms of the export."""

import contextlib
import json
import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.cli.campaign_new import new
from detectable.core.options import declared
from detectable.data.human.read_judgments import read_judgments
from detectable.data.store.open_store import open_store
from detectable.study.campaign.settings import CampaignSettings
from tests.study.campaign.judged import conclude, judged
from tests.study.campaign.simulated import Truth, begin, judge


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["campaign", *words])


def pearmut(folder: Path, **more: Any) -> str:
    path = folder / "pearmut.json"
    data = [
        [
            {
                "item_id": f"s{i}",
                "src": f"Quelle {i}",
                "tgt": {"A": f"the <b>first</b> text {i}", "B": f"the second text {i}"},
            }
        ]
        for i in range(8)
    ]
    rule = {"validation": {"A": {"score": [70, 80], "warning": "Fine."}}}
    check = {"item_id": "check", "src": "q", "tgt": {"A": "a check"}, **rule}
    path.write_text(json.dumps({"data": [*data, [check]], "info": {"protocol": "ESA"}, **more}))
    return str(path)


def settings(store: str) -> CampaignSettings:
    opened = open_store(store)
    found = CampaignSettings.from_json(opened.campaign("ship").settings)
    opened.close()
    return found


def test_a_campaign_of_pearmut(tmp_path: Path) -> None:
    store = str(tmp_path / "s")
    made = run(
        "new", "ship", "--from", pearmut(tmp_path), "--store", store, "--protocol", "esa"
    )
    assert made.exit_code == 0, made.stderr
    assert "The file asks for the protocol ESA" in made.stderr
    assert "1 text of the tutorial and of attention checks" in made.stderr
    assert "8 texts with markup such as <b>" in made.stderr
    found = settings(store)
    assert [(one.text, one.low, one.high, one.hint) for one in found.training] == [
        ("a check", 70, 80, "Fine.")
    ]
    opened = open_store(store)
    assert sorted(part.segments[0].item for part in opened.parts("ship")) == [
        f"s{i}" for i in range(8)
    ]
    opened.close()


def test_protocols_have_their_own_options(tmp_path: Path) -> None:
    file = pearmut(tmp_path)
    (tmp_path / "pay.txt").write_text("12 an hour\n")
    (tmp_path / "tried.csv").write_text("text\nTry me.\n")
    words = ["--protocol", "likert", "--criterion", "adequacy", "--criterion", "fluency"]
    words += ["--primary", "fluency", "--steps", "7", "--pay", str(tmp_path / "pay.txt")]
    words += ["--training", str(tmp_path / "tried.csv"), "--document-score"]
    store = str(tmp_path / "s")
    made = run("new", "ship", "--from", file, "--store", store, *words)
    assert made.exit_code == 0, made.stderr
    found = settings(store)
    assert (found.criteria, found.primary, found.steps) == (
        ("adequacy", "fluency"),
        "fluency",
        7,
    )
    assert (found.pay, found.document_score) == ("12 an hour", True)
    assert [one.text for one in found.training] == ["Try me."]
    pairs = run(
        "new", "ship", "--from", file, "--store", str(tmp_path / "p"), "--protocol", "pairwise"
    )
    assert pairs.exit_code == 0, pairs.stderr
    assert "pairs have none" in pairs.stderr


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["--refs", "x"], 2, "give --from, or texts by other options, not both"),
        (["--sources", "x"], 2, "give --from, or texts by other options, not both"),
        (["--steps", "5"], 1, "--steps must be left out with the protocol da"),
        (["--protocol", "likert"], 1, "must name what is rated"),
        (["--mode", "reference"], 1, "for texts without references"),
        (["--system", "C"], 1, "there is no text of 'C'"),
        (["--pay", "none.txt"], 1, "none.txt cannot be read"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    tmp_path: Path, words: list[str], code: int, why: str
) -> None:
    store = str(tmp_path / "s")
    made = run("new", "ship", "--from", pearmut(tmp_path), "--store", store, *words)
    assert (made.exit_code, why in made.stderr) == (code, True), made.stderr
    assert "Traceback" not in made.stderr


@pytest.mark.parametrize(
    ("form", "name"), [("table", "a.csv"), ("pearmut", "a.jsonl"), ("appraise", "a.csv")]
)
def test_an_export_is_read_back(tmp_path: Path, form: str, name: str) -> None:
    store = judged(tmp_path / "s.sqlite", "esa")
    conclude(store)
    store.close()
    path, address = tmp_path / name, str(tmp_path / "s.sqlite")
    said = run("export", "c", str(path), "--store", address, "--format", form)
    assert said.exit_code == 0, said.stderr
    assert f"Written: {tmp_path / 'a.spans.jsonl'}" in said.stderr
    assert read_judgments(path).n_judgments > 10
    again = run("export", "c", str(path), "--store", address, "--format", form)
    assert (again.exit_code, "exists" in again.stderr) == (1, True)
    forced = run("export", "c", str(path), "--store", address, "--format", form, "--force")
    assert forced.exit_code == 0


def test_links_are_for_the_owner_of_the_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = str(tmp_path / "s")
    assert run("new", "ship", "--from", pearmut(tmp_path), "--store", store).exit_code == 0
    made: list[int] = []
    opened = os.open

    def making(file: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        if flags & os.O_CREAT and Path(os.fsdecode(file)).parent == tmp_path:
            made.append(mode)
        return opened(file, flags, mode, **more)

    monkeypatch.setattr(os, "open", making)
    path = tmp_path / "links.csv"
    words = ("links", "ship", "--store", store, "--output", str(path))
    assert run(*words, "--raters", "2").exit_code == 0
    assert (made, stat.S_IMODE(path.stat().st_mode)) == ([0o600], 0o600)
    assert len(path.read_text("utf-8").splitlines()) == 3
    path.chmod(0o644)
    assert run(*words, "--renew", "r-02").exit_code == 1  # it is kept
    assert run(*words, "--renew", "r-02", "--force").exit_code == 0
    assert (made, stat.S_IMODE(path.stat().st_mode)) == ([0o600] * 2, 0o600)


# --- ``detectable campaign look`` and ``conclude``: what an organiser may see, and when ---

PLANTED = Truth(
    effects={"sentinel-new": 12.0, "sentinel-old": 0.0}, careless=frozenset({"r-02"})
)
RULE = {"rule": "degraded-paired-t", "pairs": 8}
DENSE = {"controls": 0.5, "block": 6, "overlap": 0.0}


def run_of_campaign_looks(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a campaign that has collected, and not looked."""
    return collected(tmp_path, n_max=60, looks=2, admission=RULE, futility="none")


def collected(folder: Path, most_pages: int = 400, **planned: Any) -> Path:
    store = open_store(folder / "campaigns.sqlite", new=True)
    begin(store, folder / "ship.json", PLANTED, n_items=120, settings=DENSE, **planned)
    judge(store, PLANTED, seed=2, after_block=lambda: True, most_pages=most_pages)
    store.close()
    return folder


def test_a_look_says_the_decision_and_no_score(folder: Path) -> None:
    found = run_of_campaign_looks("campaign", "look", "ship", "--store", folder)
    assert found.exit_code == 0, found.output
    assert "Look 1: " in found.output
    assert "Next look at" in found.output or "has stopped" in found.output
    text = json.loads(
        run_of_campaign_looks("campaign", "status", "ship", "--store", folder, "--json").stdout
    )
    (line,) = text["campaigns"]
    assert line["progress"]["admitted"] > 0
    assert line["progress"]["refused"] > 0
    assert {one["rater"]: one["check"] for one in text["raters"]}["r-02"] == "does not pass"
    assert [one["n_units"] for one in text["looks"]] == [30, 60][: len(text["looks"])]
    assert not {"score", "estimate", "z", "interval", "p_value"} & set(_keys(text))
    shown = run_of_campaign_looks("plan", "show", folder / "ship.json")
    assert shown.exit_code == 0, shown.output
    assert "Work admitted by control items" in shown.output
    assert (
        json.loads(
            run_of_campaign_looks("plan", "show", folder / "ship.json", "--json").stdout
        )["looks"]
        == []
    )


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for one in value.values() for key in _keys(one))]
    return [key for one in value for key in _keys(one)] if isinstance(value, list) else []


def test_a_campaign_ends_with_its_verdict(folder: Path) -> None:
    early = run_of_campaign_looks("campaign", "conclude", "ship", "--store", folder)
    assert early.exit_code == 1
    assert "no look has said stop" in early.output
    last = run_of_campaign_looks("campaign", "look", "ship", "--store", folder, "--final")
    assert last.exit_code == 0, last.output
    assert "ship has stopped" in last.output
    again = run_of_campaign_looks("campaign", "look", "ship", "--store", folder, "--now")
    assert again.exit_code == 1
    assert "ship is stopped: look 1 was the last. Conclude it" in " ".join(again.output.split())
    waits = run_of_campaign_looks("campaign", "conclude", "ship", "--store", folder)
    assert waits.exit_code == 1
    assert "may still be finished" in waits.output
    done = run_of_campaign_looks(
        "campaign", "conclude", "ship", "--store", folder, "--at-once", "--json"
    )
    assert done.exit_code == 0, done.output
    (pair,) = json.loads(done.stdout)["pairs"]
    assert (pair["system"], pair["verdict"]) == ("sentinel-new", "better")
    shown = run_of_campaign_looks("plan", "show", folder / "ship.json")
    assert "What happened besides looks" in shown.output
    (look,) = json.loads(
        run_of_campaign_looks("plan", "show", folder / "ship.json", "--json").stdout
    )["looks"]
    assert look["estimate"] > 0.0
    verified = run_of_campaign_looks("verify", folder / "ship.json")
    assert "plan and ledger are whole" in " ".join(verified.output.split())


def test_only_the_advice_to_give_up_can_be_overruled(folder: Path) -> None:
    found = run_of_campaign_looks(
        "campaign", "look", "ship", "--store", folder, "--go-on", "we must"
    )
    assert found.exit_code == 1
    assert "did not advise to give up" in found.output


def test_a_plan_that_was_moved_is_found_by_its_option(folder: Path) -> None:
    there = folder / "there"
    there.mkdir()
    for one in list(folder.glob("ship.*")):
        one.rename(there / one.name)
    status = run_of_campaign_looks("campaign", "status", "ship", "--store", folder)
    assert status.exit_code == 0, status.output
    assert "is not where it was" in " ".join(status.output.split())
    refused = run_of_campaign_looks("campaign", "look", "ship", "--store", folder)
    assert refused.exit_code == 1
    found = run_of_campaign_looks(
        "campaign", "look", "ship", "--store", folder, "--plan", there / "ship.json"
    )
    assert found.exit_code == 0, found.output
    assert "Look 1: " in found.output


def test_payments_hold_no_score_and_no_verdict_on_raters(folder: Path) -> None:
    path = folder / "payments.csv"
    made = run_of_campaign_looks(
        "campaign", "export", "ship", path, "--store", folder, "--payments"
    )
    assert made.exit_code == 0, made.output
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == "rater,blocks,judgments,minutes,amount"
    assert len(lines) == 7
    twice = run_of_campaign_looks(
        "campaign", "export", "ship", path, "--store", folder, "--payments"
    )
    assert twice.exit_code == 1
    wrong = run_of_campaign_looks(
        "campaign", "export", "ship", path, "--store", folder, "--payments", "--everything"
    )
    assert wrong.exit_code == 2
    unknown = run_of_campaign_looks(
        "campaign", "export", "no", folder / "b.csv", "--store", folder, "--payments"
    )
    assert unknown.exit_code == 1
    assert "there is no campaign 'no'" in unknown.output


def test_pauses_and_unblinding_say_who(folder: Path) -> None:
    for word in ("pause", "open"):
        assert run_of_campaign_looks("campaign", word, "ship", "--store", folder).exit_code == 0
    path = folder / "a.csv"
    made = run_of_campaign_looks(
        "campaign", "export", "ship", path, "--store", folder, "--unblind", "a press date"
    )
    assert made.exit_code == 0, made.output
    assert "sentinel-new" in path.read_text("utf-8")
    ledger = (folder / "ship.ledger.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in ledger]
    assert [one["event"] for one in events] == [
        "plan",
        "campaign",
        "pause",
        "resume",
        "unblinding",
    ]
    assert events[-1]["detail"]["reason"] == "a press date"
    assert set(events[-1]["detail"]) == {"who", "reason"}


def test_work_is_voided_and_judgments_are_deleted(folder: Path) -> None:
    words = ("campaign", "void", "ship", "--store", folder, "--rater", "r-01")
    made = run_of_campaign_looks(
        *words, "--reason", "a script", "--evidence", "the log of the proxy"
    )
    assert made.exit_code == 0, made.output
    refused = run_of_campaign_looks(
        "campaign", "erase", "ship", "--store", folder, "--rater", "r-02"
    )
    assert refused.exit_code == 2
    assert "nothing brings them back: add --sure" in refused.output
    made = run_of_campaign_looks(
        "campaign", "erase", "ship", "--store", folder, "--rater", "r-02", "--sure"
    )
    assert made.exit_code == 0, made.output
    assert "of r-02 deleted" in made.output
    ledger = (folder / "ship.ledger.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in ledger if '"void"' in line or '"erasure"' in line]
    assert events[0]["detail"]["evidence"] == "the log of the proxy"
    assert run_of_campaign_looks(*words, "--reason", "x").exit_code == 2
    assert run_of_campaign_looks(*words, "--reason", "x", "--evidence", "y").exit_code == 1


def test_looks_are_verified_from_the_store_and_from_the_export(folder: Path) -> None:
    assert run_of_campaign_looks("campaign", "look", "ship", "--store", folder).exit_code == 0
    stored = run_of_campaign_looks("campaign", "verify", "ship", "--store", folder)
    assert stored.exit_code == 0, stored.output
    assert "computed again, to the bit" in stored.output
    assert not any(word in stored.output for word in ("estimate", "interval", "z ="))
    final = run_of_campaign_looks("campaign", "look", "ship", "--store", folder, "--final")
    assert final.exit_code in (0, 1)  # where the first look has stopped it there is none
    ended = run_of_campaign_looks(
        "campaign", "conclude", "ship", "--store", folder, "--at-once"
    )
    assert ended.exit_code == 0, ended.output
    table, about = folder / "out.csv", folder / "out.campaign.json"
    assert (
        run_of_campaign_looks("campaign", "export", "ship", table, "--store", folder).exit_code
        == 0
    )
    found = run_of_campaign_looks("verify", about, table)
    assert found.exit_code == 0, found.output
    assert "computed again, to the bit" in found.output
    listed = run_of_campaign_looks("verify", about)
    assert listed.exit_code == 4
    assert "the looks need DATA" in listed.output.replace("\n", " ")
    refused = run_of_campaign_looks("verify", about, table, "--scale", "0:100")
    assert refused.exit_code == 2
    assert "a campaign's own table needs none" in refused.output


def test_a_campaign_from_outputs_alone(tmp_path: Path) -> None:
    for name in ("new", "old"):
        said = "".join(f"This is line {i} of a text by {name}.\n" for i in range(12))
        (tmp_path / f"{name}.txt").write_text(said)
    systems = [f"--system={name}={tmp_path / name}.txt" for name in ("new", "old")]
    asked = ("campaign", "new", "c", "--store", tmp_path / "s", *systems)
    made = run_of_campaign_looks(*asked, "--mode", "alone", "--raters", "2")
    assert made.exit_code == 0, made.output
    assert "14 pieces" in made.output
    nothing = run_of_campaign_looks("campaign", "new", "d", "--store", tmp_path / "s")
    assert (nothing.exit_code, "a campaign needs texts" in nothing.output) == (2, True)


@pytest.mark.parametrize("words", [("status",), ("status", "c"), ("verify", "c")])
def test_status_and_verify_open_a_store_for_reading(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """Whoever opens a store of an older version to change it brings it up to date."""
    path = tmp_path / "s.sqlite"
    judged(path, "da").close()

    def version() -> int:
        with contextlib.closing(sqlite3.connect(path)) as found:
            return int(found.execute("SELECT MAX(version) FROM schema_version").fetchone()[0])

    with contextlib.closing(sqlite3.connect(path)) as made:
        made.execute("DELETE FROM schema_version WHERE version > 1")
        made.commit()
    refused = run(*words, "--store", str(path))
    assert refused.exit_code == 1
    assert "was written by an older version" in refused.stderr
    assert version() == 1


def test_every_setting_of_a_campaign_has_an_option() -> None:
    options = {one.name for one in new.params}
    assert {one.name for one in declared(CampaignSettings)} <= options


def test_options_reach_the_campaign(tmp_path: Path) -> None:
    given = [
        *("--protocol", "mqm", "--weights", "wmt", "--weight", "critical=25"),
        *("--guide", "instead", "--completion-code", "C7", "--return-url", "https://p.org/x"),
        *("--ask", "Age", "--ask", "Kind: a | b", "--comments"),
    ]
    store = str(tmp_path / "s")
    made = run("new", "ship", "--from", pearmut(tmp_path), "--store", store, *given)
    assert made.exit_code == 0, made.stderr
    found = settings(store)
    assert (found.weights, found.weight, found.guide) == ("wmt", ("critical=25",), "instead")
    assert (found.completion_code, found.return_url) == ("C7", "https://p.org/x")
    assert (found.questionnaire, found.comments) == (("Age", "Kind: a | b"), True)


def test_an_open_link_and_who_came_by_it(tmp_path: Path) -> None:
    store = str(tmp_path / "s")
    panel = ("--panel", "prolific", "--completion-code", "C7", "--most-blocks", "2")
    made = run("new", "ship", "--from", pearmut(tmp_path), "--store", store, *panel)
    assert made.exit_code == 0, made.stderr
    link = tmp_path / "open.txt"
    asked = ("links", "ship", "--store", store)
    for wrong in (
        ("--open",),
        ("--open", "--raters", "2", "--output", str(link)),
        ("--most", "3", "--raters", "2", "--output", str(link)),
        ("--close", "--output", str(link)),
    ):
        assert run(*asked, *wrong).exit_code == 2
    url = ("--url", "https://eval.example.org/")
    assert run(*asked, "--open", "--most", "3", *url, "--output", str(link)).exit_code == 0
    assert stat.S_IMODE(link.stat().st_mode) == 0o600
    address = link.read_text()
    assert address.startswith("https://eval.example.org/join/")
    assert "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID=" in address
    opened = open_store(store)
    opened.turn("ship", "open")
    opened.join(address.partition("/join/")[2].partition("?")[0], "=pid")
    opened.close()
    people = tmp_path / "people.csv"
    given = ("export", "ship", str(people), "--store", store, "--participants")
    assert run(*given, "--payments").exit_code == 2
    assert run(*given).exit_code == 0
    assert stat.S_IMODE(people.stat().st_mode) == 0o600
    assert people.read_text().splitlines()[1].startswith("r-01,'=pid,,,20")
    assert run(*asked, "--close").exit_code == 0
    opened = open_store(store)
    assert opened.joined("ship") == (False, None, 1)
    opened.close()
