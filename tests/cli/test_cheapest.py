import json

import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["cheapest", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_says_what_the_function_says() -> None:
    code, out, _ = run(
        *("likert", "--preset", "card-low", "--effect", ".3", "--max-raters", "4"),
        *("--judgment-cost", ".1", "--rater-cost", "5", "--json"),
    )
    found = dt.cheapest(
        dt.scenarios.Likert(n_raters=2, preset="card-low"),
        effect=0.3,
        costs=dt.Costs(judgment=0.1, rater=5.0),
        max_raters=4,
    )
    assert code == 0
    assert found.best is not None
    assert json.loads(out)["best"]["n_items"] == found.best.n_items
    assert json.loads(out)["best"]["cost"] == pytest.approx(found.best.cost)


def test_people_read_the_verdict_first_and_then_the_designs() -> None:
    code, out, _ = run(
        *("ratings", "--mean", "80", "--sd", "20", "--correlation", ".5", "--effect", "2"),
        *("--method", "closed-form", "--judgment-cost", ".1", "--item-cost", ".5"),
    )
    assert code == 0
    first, *rest = out.splitlines()
    assert first.startswith("1 rater and 729 items (1,458 judgments, paired-mean) cost 510.3")
    assert any("two-means" in line for line in rest)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("--preset", "card-low", "--effect", ".2", "--item-cost", "0"),
            1,
            "at least one cost must be above 0",
        ),
        (("--preset", "card-low", "--judgment-cost", "1"), 2, "Missing option '--effect'"),
        (("--effect", ".2", "--judgment-cost", "-1"), 1, "must be a cost of 0 or more"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], code: int, message: str) -> None:
    found, _, error = run("likert", *arguments)
    assert (found, message in error) == (code, True)


def test_what_is_searched_for_is_no_option() -> None:
    code, _, error = run("likert", "--raters", "3", "--effect", ".2")
    assert code == 2
    assert "--raters" in error


def test_without_prices_it_says_which_it_takes() -> None:
    options = ("--preset", "card-low", "--effect", ".3", "--max-raters", "4", "--json")
    code, out, error = run("likert", *options)
    assert code == 0, error
    found = json.loads(out)
    best = found["best"]
    assert best["cost"] == pytest.approx(0.25 * best["n_judgments"] + 5.0 * best["n_raters"])
    assert found["notes"][0].startswith("Priced at 0.25 a judgment and 5 a rater, as no costs")


def test_one_price_leaves_the_others_at_nothing() -> None:
    code, out, _ = run(
        *("likert", "--preset", "card-low", "--effect", ".3", "--judgment-cost", "1"),
        *("--max-raters", "4", "--json"),
    )
    best = json.loads(out)["best"]
    assert (code, best["cost"]) == (0, best["n_judgments"])


def test_ratings_without_prices_have_raters_of_100_judgments() -> None:
    code, out, _ = run(
        *("ratings", "--mean", "80", "--sd", "20", "--correlation", ".5", "--effect", "3"),
        *("--method", "closed-form", "--json"),
    )
    found = json.loads(out)
    best = found["best"]
    assert code == 0
    assert best["n_raters"] == -(-best["n_judgments"] // 100)
    assert "5 a rater of 100 judgments" in found["notes"][0]
