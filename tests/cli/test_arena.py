"""``detectable arena``: the whole way from files to ranks."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from tests.data.sample_files import write
from tests.frozen.run import PLACES
from tests.helpers import reference_data

BATTLES = Path(PLACES["data"]) / "battles.csv"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["arena", *map(str, arguments)])


def as_json(*arguments: object) -> dict[str, Any]:
    found = run(*arguments, "--json")
    assert found.exit_code == 0, found.output
    read: dict[str, Any] = json.loads(found.stdout)
    return read


@pytest.mark.golden
def test_keys_that_stay() -> None:
    found = as_json(
        reference_data("data", "evals", "battles.csv"), "--seed", 1, "--cluster", "prompt"
    )
    assert found["systems"][0].keys() >= {
        *("system", "strength", "standard_error", "interval", "rank_low", "rank_high"),
    }
    ant = found["systems"][0]
    assert (ant["system"], ant["rank_low"], ant["rank_high"]) == ("ant", 1, 3)
    assert ant["strength"] == pytest.approx(0.442942, abs=1e-6)
    assert len(found["pairs"]) == 15
    assert found["pairs"][0]["verdict"] == "undecided"


def test_options_reach_the_library() -> None:
    found = as_json(
        BATTLES, "--ties", "drop", "--cluster", "vote", "--covariate", "length", "--seed", 1
    )
    assert (found["ties"], found["cluster"]) == ("drop", "vote")
    assert [effect["name"] for effect in found["effects"]] == ["side", "length"]
    assert as_json(BATTLES, "--side", "none", "--seed", 1)["effects"] == []
    found = as_json(
        BATTLES, "--between", "cod, ant", "--weights", "pairs", "--effect", 40, "--seed", 1
    )
    assert found["next_pair"]["between"] == ["cod", "ant"]
    assert (found["weights"], found["effect"]) == ("pairs", 40.0)
    assert "bootstrap:120" in as_json(BATTLES, "--bootstrap", 120, "--seed", 1)["signature"]
    assert "penalty:firth" in as_json(BATTLES, "--penalty", "firth", "--seed", 1)["signature"]
    assert as_json(BATTLES, BATTLES, "--cluster", "vote", "--seed", 1)["n_votes"] == 1200


def test_the_text_fits_a_terminal() -> None:
    found = run(BATTLES, "--seed", 1, "--pairs")
    assert found.exit_code == 0
    assert "may be first" in found.stdout or "is on top" in found.stdout
    assert "Pairs\n" in found.stdout
    assert max(len(line) for line in found.stdout.splitlines()) <= 80


def test_every_form(tmp_path: Path) -> None:
    names = {
        "--html": "a.html",
        "--markdown": "a.md",
        "--latex": "a.tex",
        "--csv": "a.csv",
        "--out": "a.json",
    }
    words = [word for option, name in names.items() for word in (option, tmp_path / name)]
    found = run(BATTLES, "--seed", 1, *words)
    assert found.exit_code == 0, found.output
    for name in names.values():
        assert "owl" in (tmp_path / name).read_text(encoding="utf-8"), name
    again = CliRunner().invoke(main, ["report", str(tmp_path / "a.json")])
    assert again.exit_code == 0, again.output
    assert again.stdout == run(BATTLES, "--seed", 1).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "model_a,model_b,winner\nA,A,tie\n",
            "line 2: a battle of 'A' with itself says nothing",
        ),
        ("model_a,model_b,winner\nA,B,left\n", "line 2, column 'winner': expected model_a"),
        ("model_a,model_b,winner\nA,B,tie\nC,D,tie\n", "every battle is a tie"),
        ("model_a,model_b,winner\nA,B,tie\nC,D,model_a\n", "parts that never met"),
        ("model_a,model_b\nA,B\n", "there is no column for winner"),
    ],
)
def test_bad_input_is_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    found = run(write(tmp_path, "b.csv", text))
    assert found.exit_code == 1
    assert said in found.stderr
    assert "Traceback" not in found.stderr


def test_what_is_typed_wrongly() -> None:
    found = run(BATTLES, "--between", "owl")
    assert found.exit_code == 2
    assert "takes two systems, A,B; got 'owl'" in found.stderr
    found = run(BATTLES, "--bootstrap", 7)
    assert found.exit_code == 1
    assert "--bootstrap must be 0 or at least 100 draws; got 7" in found.stderr
    assert run().exit_code == 2


def test_one_language_is_chosen_recorded_and_repeated(tmp_path: Path) -> None:
    votes = [f"{a},{b},model_{w}" for a, b in ("AB", "BA") for w in "aaab"]
    text = "\n".join(f"{row},{tongue}" for tongue in ("de", "de", "fr") for row in votes)
    path = write(tmp_path, "b.csv", f"model_a,model_b,winner,tongue\n{text}\n")
    words = (path, "--column", "language=tongue", "--seed", 1)
    pooled = as_json(*words)
    assert "pooled: de (16), fr (8). `language` keeps" in pooled["notes"][0]
    kept = as_json(*words, "--language", "fr")
    assert (kept["n_votes"], pooled["n_votes"]) == (8, 24)
    assert "|language:fr|" in kept["signature"]
    unnamed = run(path, "--language", "fr")
    assert unnamed.exit_code == 1
    assert "Say which column names it (--column language=NAME, " in unnamed.stderr
    wrong = run(*words, "--language", "en")
    assert wrong.exit_code == 1
    assert "there is no battle in the language 'en'. Found: de, fr." in wrong.stderr
    out = tmp_path / "fr.json"
    assert run(*words, "--language", "fr", "--out", out).exit_code == 0
    again = CliRunner().invoke(main, ["verify", str(out), "--folder", str(tmp_path)])
    assert again.exit_code == 0, again.output
    assert "--language fr" in again.output
