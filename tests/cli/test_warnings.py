"""Every warning of the library reaches whoever types a command, once.

The places are found in the sources, so that a new warning without a case here fails.
"""

import ast
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import detectable
from detectable.cli import main
from detectable.cli.command import command
from detectable.core.result import Result as Answer
from tests.planning.test_likert import crossed

SOURCES = Path(detectable.__file__).parent


@cache
def places() -> dict[str, int]:
    """Return every function of the sources that warns, and how often it does."""
    found: dict[str, int] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "warn" not in text:  # spares most files their parsing
            continue
        tree = ast.parse(text)
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                    "warnings.warn",
                    "warn",
                    "warnings.warn_explicit",
                ):
                    name = f"{path.relative_to(SOURCES).as_posix()}:{function.name}"
                    found[name] = found.get(name, 0) + 1
    return found


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


def table(path: Path, columns: dict[str, Any]) -> Path:
    rows = zip(*(list(column) for column in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def half_a_pilot(folder: Path) -> Path:
    """Return ratings in which every item was judged for one system only."""
    columns = crossed(7, 8, 30)
    new = np.asarray(columns["system"]) == "new"
    kept = np.asarray(columns["item"]) % 2 == new
    return table(
        folder / "half.csv", {name: np.asarray(col)[kept] for name, col in columns.items()}
    )


def likert(folder: Path, _: pytest.MonkeyPatch) -> tuple[Any, ...]:
    return (
        "power",
        "likert",
        "--ratings",
        half_a_pilot(folder),
        "--items",
        50,
        "--effect",
        0.5,
    )


def lines(folder: Path, name: str, text: list[str]) -> Path:
    path = folder / name
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def texts(folder: Path, ending: str) -> tuple[Any, ...]:
    """Return the options of two systems and their reference."""
    reference = [f"a small house {i}{ending}" for i in range(12)]
    old = [f"a little house {i}{ending}" for i in range(12)]
    new = [f"small house {i}{ending}" for i in range(12)]
    return (
        *("--refs", lines(folder, "ref.txt", reference)),
        *("--system", f"old={lines(folder, 'old.txt', old)}"),
        *("--system", f"new={lines(folder, 'new.txt', new)}"),
    )


def meteor(ending: str) -> Callable[[Path, pytest.MonkeyPatch], tuple[Any, ...]]:
    def words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
        from detectable.metrics.meteor import N_STATISTICS, Meteor

        # Without Java: what is warned of is the text, before METEOR reads it.
        def aligned(_: Any, requests: Any, *__: Any, **___: Any) -> Any:
            rng = np.random.default_rng(1)
            return rng.integers(1, 5, size=(len(requests), N_STATISTICS)).astype(float)

        monkeypatch.setattr(Meteor, "_ask", aligned)
        return ("compare", *texts(folder, ending), "--baseline", "old", "--metric", "meteor")

    return words


def slow_ter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    monkeypatch.setattr("detectable.metrics.ter.ter.is_native", lambda: False)
    return ("compare", *texts(folder, " ."), "--baseline", "old", "--metric", "ter")


def compat(folder: Path, _: pytest.MonkeyPatch) -> tuple[Any, ...]:
    more = ("--baseline", "old", "--metric", "bleu", "--compat", "sacrebleu", "--seed", 12345)
    return ("compare", *texts(folder, " ."), *more)


def empty_outputs(folder: Path, _: pytest.MonkeyPatch) -> tuple[Any, ...]:
    words = list(texts(folder, " ."))
    lines(folder, "new.txt", [""] * 12)
    return ("compare", *words, "--baseline", "old", "--metric", "chrf")


def judged(folder: Path) -> Path:
    columns = crossed(3, 6, 30)
    return table(folder / "judged.csv", columns)


def ranked(*more: str) -> Callable[[Path, pytest.MonkeyPatch], tuple[Any, ...]]:
    return lambda folder, _: ("rank", judged(folder), "--scale", "-100:100", *more)


def reversed_ranks(folder: Path, _: pytest.MonkeyPatch) -> tuple[Any, ...]:
    # One huge score: the mean of A is above that of B, which wins all other items.
    score = {"A": [*([1.0] * 39), 99.0], "B": [2.0] * 40}
    columns: dict[str, list[Any]] = {"system": [], "item": [], "score": []}
    for system, values in score.items():
        for item, value in enumerate(values):
            columns["system"].append(system)
            columns["item"].append(item)
            columns["score"].append(value + 0.01 * (item % 7))
    file = table(folder / "reversed.csv", columns)
    return ("rank", file, "--test", "signed-rank")


def nominal(folder: Path, _: pytest.MonkeyPatch) -> tuple[Any, ...]:
    columns = crossed(3, 6, 30)
    file = table(folder / "many.csv", columns)
    return ("agreement", file, "--level", "nominal", "--scale", "-100:100")


def only_noise(folder: Path, _: pytest.MonkeyPatch) -> tuple[Any, ...]:
    # Two raters who see the opposite in every translation: a share of quality below 0.
    columns = crossed(3, 2, 30)
    seen = np.random.default_rng(2).normal(0.0, 10.0, 1000)
    columns["score"] = [
        round(50.0 + (1 if rater == 0 else -1) * seen[2 * item + (system == "new")], 3)
        for rater, item, system in zip(
            columns["rater"], columns["item"], columns["system"], strict=True
        )
    ]
    file = table(folder / "noise.csv", columns)
    return ("variance", file)


def edited(folder: Path) -> Path:
    path = folder / "power.json"
    made = run("power", "preference", "--n", 100, "--effect", 0.65, "--out", path)
    assert made.exit_code == 0, made.output
    text = path.read_text(encoding="utf-8")
    assert "0.65" in text
    path.write_text(text.replace("0.65", "0.66"), encoding="utf-8")
    return path


def edited_report(folder: Path, _: pytest.MonkeyPatch) -> tuple[Any, ...]:
    return ("report", edited(folder))


# The function that warns, the command that comes there, and what it must say.
Words = Callable[[Path, pytest.MonkeyPatch], tuple[Any, ...]]
CASES: tuple[tuple[str, Words, str], ...] = (
    ("planning/likert.py:from_ratings", likert, "the spread of the items stands in"),
    ("metrics/meteor.py:_warn_of_odd_text", meteor(" ||| x"), "METEOR's own separator"),
    ("metrics/meteor.py:_warn_of_odd_text", meteor("."), "the text looks untokenised"),
    ("metrics/ter.py:statistics", slow_ter, "some thousand times slower"),
    ("report/several.py:report", edited_report, "was edited after it was written"),
    (
        "study/ranking/rank_systems.py:_notes",
        ranked("--preset", "wmt21"),
        "twice the error rate",
    ),
    ("study/ranking/rank_systems.py:_notes", reversed_ranks, "Rank reversals"),
    (
        "study/precision/rater_agreement.py:_many_categories",
        nominal,
        "interval or ordinal is likely meant",
    ),
    (
        "study/precision/variance_components.py:variance_components",
        only_noise,
        "share of quality by the covariance",
    ),
    ("study/comparison/compare.py:_warn", empty_outputs, "empty"),
    ("study/comparison/compare.py:_warn", compat, "counts a tie as less extreme"),
)
# For programs alone: no command calls these, as what they warn of is returned by what they call.
LIBRARY = {
    "study/gate/baseline.py:tables_of": "commands read suites themselves, and say their notes",
    "data/files/table.py:given": "commands read tables themselves, and say their notes",
    "data/names.py:unwrapped": "a name that goes",
    "report/pytest_plugin.py:_gated": "warnings of a gate, given on to pytest, which lists them",
    "__init__.py:exec_module": "names that moved",
    "report/saved/save.py:save": "commands keep results by `written_result`, whose notes they say",
    "report/saved/load.py:load": "commands read by `read_saved`, whose notes they say",
}


def test_every_place_that_warns_has_a_case() -> None:
    known = [place for place, _, _ in CASES]
    wanted = {place: n for place, n in places().items() if place not in LIBRARY}
    assert {place: known.count(place) for place in known} == wanted
    assert set(LIBRARY) <= set(places())


@pytest.mark.parametrize(
    ("place", "words", "said"), CASES, ids=[f"{c[0]}-{c[2]}" for c in CASES]
)
def test_the_user_of_a_command_reads_each_warning_once(
    place: str,
    words: Words,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typed = words(tmp_path, monkeypatch)
    found = run(*typed)
    assert found.exit_code == 0, found.output
    assert "".join(found.stderr.split()).count("".join(said.split())) == 1


@pytest.mark.parametrize("said", ["stands in for that of the item slope"])
def test_json_and_pages_hold_it_as_a_note(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = likert(tmp_path, monkeypatch)
    page = tmp_path / "page.html"
    found = run(*typed, "--json", "--html", page)
    assert found.exit_code == 0, found.output
    notes = json.loads(found.stdout)["notes"]
    assert sum(said in one for one in notes) == 1
    assert page.read_text(encoding="utf-8").count(said) == 1


def test_a_warning_that_is_among_the_notes_is_not_added_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run(*empty_outputs(tmp_path, monkeypatch), "--json")
    assert found.exit_code == 0, found.output
    notes = json.loads(found.stdout)["notes"]
    assert sum("empty" in one for one in notes) == 1
    assert len(notes) == len(set(notes))


def test_warnings_are_said_before_the_reason_of_a_failure() -> None:
    import warnings

    from detectable.core.errors import DataError, SuspiciousDataWarning

    def body() -> Answer:
        warnings.warn("odd data.", SuspiciousDataWarning, stacklevel=1)
        raise DataError("cannot be.")

    group = click.Group("detectable", commands=[command("toy")(body)])
    found = CliRunner().invoke(group, ["toy"], prog_name="detectable")
    assert (found.exit_code, found.stderr) == (1, "Note: odd data.\nError: cannot be.\n")
