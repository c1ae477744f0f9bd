"""``detectable campaign``: texts from elsewhere, protocols, and forms of the export."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.data.human.read_judgments import read_judgments
from detectable.data.store.open_store import open_store
from detectable.study.campaign.settings import CampaignSettings
from tests.study.campaign.judged import conclude, judged


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
