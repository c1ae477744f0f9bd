"""``detectable design``."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.cli.design import design


def run(line: str) -> Any:
    return CliRunner().invoke(design, line.split(), catch_exceptions=True)


def answer(line: str) -> dict[str, Any]:
    out = run(f"{line} --json")
    assert out.exit_code == 0, out.output
    content: dict[str, Any] = json.loads(out.stdout)
    return content


@pytest.mark.golden
def test_pocock_with_three_looks() -> None:
    found = answer("--family pocock --looks 3 --alpha .05 --power .9")
    assert found["z"] == pytest.approx([2.289478] * 3, abs=1e-6)
    assert found["nominal_p"] == pytest.approx([0.0220516] * 3, abs=1e-7)
    assert found["alpha_spent"][-1] == pytest.approx(0.05, abs=1e-9)
    assert found["inflation"] == pytest.approx(1.15064, abs=1e-5)
    samples = found["expected_n"]
    assert samples["full"] * found["inflation"] == pytest.approx(0.72103, abs=1e-5)


@pytest.mark.golden
def test_spending_at_unequal_looks() -> None:
    found = answer("--family hsd --gamma -4 --at .2,.5,.6,1")
    assert found["z"] == pytest.approx([3.252668, 2.801736, 2.729627, 1.993873], abs=1e-6)


@pytest.mark.golden
def test_the_preset_at_drifts() -> None:
    found = answer("--preset paper --drift 2.8016,3.2415 --drift 4")
    obeyed = [point["with_futility"] for point in found["characteristics"]]
    assert [point["power"] for point in obeyed] == pytest.approx(
        [0.673, 0.796, 0.926], abs=1e-3
    )
    assert found["overall_alpha"]["futility_obeyed"] == pytest.approx(0.0458, abs=5e-5)


def test_options_on_futility_reach_the_rule() -> None:
    found = answer("--futility conditional-power --futility-threshold .2 --futility-from .5")
    assert found["futility_rule"].startswith("conditional power at the current trend below 0.2")
    assert found["futility"][:4] == [None] * 4
    found = answer("--beta-family ld-pocock --sided 1 --looks 3 --family ld-pocock")
    assert found["futility"][:2] == pytest.approx(
        answer(
            "--beta-family ld-pocock --futility beta-spending --sided 1 --looks 3 --family ld-pocock"
        )["futility"][:2]
    )
    assert answer("--futility p-above-half --looks 2")["futility_rule"] == "nominal p above .5"


def test_people_read_a_sentence_and_tables() -> None:
    out = run("--looks 4 --n-max 1200 --binding --power .9")
    assert out.exit_code == 0, out.output
    lines = out.stdout.splitlines()
    assert lines[0].startswith("4 looks cost at most 3% more and save 25% on average")
    assert "Hwang-Shih-DeCani (γ = −4)" in out.stdout
    assert "1,200" in out.stdout
    assert "binding." in out.stdout
    assert "raises the false alarms" in out.stderr
    assert max(len(line) for line in lines[1:]) <= 100


def test_a_boundary_that_cannot_be_crossed_is_said_so() -> None:
    assert "A dash: no boundary can be reached" in run("--family ld-obf --at .05,.95,1").stdout
    assert answer("--family ld-obf --at .05,.95,1")["z"][0] is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--at .5,.4,1", "must increase from look to look"),
        ("--at .5,1.2", "at most 1; got 1.2"),
        ("--alpha 2", "--alpha must lie strictly between 0 and 1"),
        ("--sided 3", "--sided must be 1 or 2"),
        ("--looks 3 --at 1", "must not both be given"),
    ],
)
def test_bad_input(line: str, message: str) -> None:
    out = run(line)
    assert out.exit_code == 1
    assert message in out.stderr


def test_misuse_is_a_usage_error() -> None:
    assert run("--family bayes").exit_code == 2
    assert run("--at a,b").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--family", "pocock", "--gamma", "-2"), 1, "--gamma belongs to the family hsd"),
        (("--rho", "3"), 1, "--rho belongs to the family kim-demets; got it with hsd"),
        (
            ("--preset", "paper", "--delta", ".1"),
            1,
            "--delta belongs to the family wang-tsiatis",
        ),
        (("--futility", "none", "--binding"), 1, "--binding needs stops for futility"),
        (("--futility", "none", "--futility-threshold", ".2"), 2, "do not apply to 'none'"),
        (
            ("--futility", "predictive-power", "--beta-family", "hsd"),
            2,
            "--beta-family does not",
        ),
    ],
)
def test_no_option_is_ignored(arguments: tuple[str, ...], code: int, message: str) -> None:
    result = CliRunner().invoke(main, ["design", *arguments])
    assert (result.exit_code, message in result.stderr) == (code, True)
