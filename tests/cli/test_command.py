"""What all commands share, on a toy made by the decorator."""

import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from detectable.cli import command as module
from detectable.cli import main, output_options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.options import as_typed
from detectable.core.errors import DetectableWarning, InputError, SuspiciousDataWarning
from detectable.core.result import Result as Answer
from detectable.report.blocks_of import blocks_of
from detectable.report.render.csv import render_csv
from detectable.report.render.latex import render_latex
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from tests.report import results

SHARED = (
    *("--json", "--all", "--markdown", "--csv", "--latex", "--html", "--interactive"),
    *("--chart", "--width", "--no-title", "--out", "--keep-draws", "--force"),
)


def toy(body: Callable[..., Answer] | None = None, **settings: Any) -> click.Command:
    made = body or (lambda: results.comparison())
    return command("toy", **settings)(made)


def run(*arguments: object, tool: click.Command | None = None, **settings: Any) -> Result:
    group = click.Group("detectable", commands=[tool or toy()])
    return CliRunner().invoke(
        group, ["toy", *map(str, arguments)], prog_name="detectable", **settings
    )


def test_people_see_text_with_notes_and_signature_on_stderr() -> None:
    found = run()
    assert found.exit_code == 0, found.output
    assert found.stdout == render_text(blocks_of(results.comparison())) + "\n"
    assert found.stderr == ("Note: Two runs each.\n# toy|n:3|seed:7|detectable:0.0\n")


def test_json_is_that_of_the_result() -> None:
    found = run("--json")
    assert json.loads(found.stdout) == json.loads(json.dumps(results.comparison().to_dict()))
    assert found.stdout.startswith('{\n  "')
    assert found.stderr == "Note: Two runs each.\n"


def typed(*words: str) -> tuple[Any, ...]:
    return blocks_of(results.comparison(), command=" ".join(["detectable toy", *words]))


@pytest.mark.parametrize(
    ("option", "render"),
    [
        ("--markdown", render_markdown),
        ("--latex", render_latex),
        ("--html", render_page),
        ("--csv", render_csv),
    ],
)
def test_every_form_goes_to_a_file_or_is_printed(
    option: str, render: Callable[..., str], tmp_path: Path
) -> None:
    path = tmp_path / "made"
    found = run(option, path)
    assert found.exit_code == 0, found.output
    assert path.read_bytes().decode() == render(typed(option, str(path)))
    assert found.stdout == render_text(blocks_of(results.comparison())) + "\n"
    printed = run(option, "-")
    assert printed.stdout.replace("\r", "") == render(typed(option, "-")).replace("\r", "")
    assert printed.stderr == "Note: Two runs each.\n"


def test_all_forms_at_once(tmp_path: Path) -> None:
    forms = ("markdown", "csv", "latex", "html")
    options = [part for form in forms for part in (f"--{form}", tmp_path / form)]
    found = run(*options, "--csv", f"systems:{tmp_path / 'second'}", "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["kind"] == "Comparison"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((*forms, "second"))
    assert (tmp_path / "csv").read_text().startswith("metric,system,baseline")
    assert (tmp_path / "second").read_text().startswith("metric,system,score")


@pytest.mark.parametrize(
    "options",
    [
        ("--json", "--csv", "-"),
        ("--markdown", "-", "--html", "-"),
        ("--csv", "-", "--csv", "systems:-"),
        ("--latex", "-", "--json"),
        ("--out", "-", "--json"),
        ("--out", "-", "--html", "-"),
    ],
)
def test_only_one_form_can_be_printed(options: tuple[str, ...]) -> None:
    found = run(*options)
    assert found.exit_code == 2
    assert "only one of --json and the files called - can be printed" in found.stderr
    assert found.stdout == ""


@pytest.mark.parametrize("options", [("--json",), ("--csv", "-"), ("--html", "-")])
def test_all_is_refused_where_nothing_is_left_out(options: tuple[str, ...]) -> None:
    found = run("--all", *options)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "--all has no effect here: nothing is left out" in found.stderr


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_all_is_for_latex_and_markdown_too(form: str) -> None:
    made = results.long_ranking(13)
    tool = toy(lambda: made)
    render = render_latex if form == "latex" else render_markdown
    blocks = blocks_of(made, command="detectable toy")
    found = run("--all", f"--{form}", "-", tool=tool)
    assert found.exit_code == 0
    # The command typed, in Markdown, is not the same; all else is.
    assert found.stdout.splitlines()[:40] == render(blocks, everything=True).splitlines()[:40]
    assert len(found.stdout) > len(run(f"--{form}", "-", tool=tool).stdout)


def busy(calls: list[str]) -> click.Command:
    def work() -> Answer:
        calls.append("worked")
        return results.comparison()

    return toy(work)


@pytest.mark.parametrize("option", ["--markdown", "--latex", "--html", "--csv", "--out"])
def test_an_existing_file_is_refused_before_the_work(option: str, tmp_path: Path) -> None:
    path = tmp_path / "here"
    path.write_text("mine")
    calls: list[str] = []
    found = run(option, path, tool=busy(calls))
    assert (found.exit_code, calls, path.read_text()) == (1, [], "mine")
    assert found.stderr == (
        f"Error: {path} exists already. Choose another name, or add --force.\n"
    )
    assert run(option, path, "--force", tool=busy(calls)).exit_code == 0
    assert calls == ["worked"]
    assert path.read_text() != "mine"


def test_a_file_without_a_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "page.html"
    calls: list[str] = []
    found = run("--html", path, tool=busy(calls))
    assert (found.exit_code, calls) == (1, [])
    assert found.stderr == (
        f"Error: {path} cannot be written: No such file or directory. Make {path.parent}.\n"
    )


def test_a_file_in_the_current_folder_has_a_folder(tmp_path: Path) -> None:
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        assert run("--html", "page.html").exit_code == 0
    finally:
        os.chdir(before)
    assert (tmp_path / "page.html").exists()


def test_two_forms_for_one_file_are_refused_before_the_work(tmp_path: Path) -> None:
    path = tmp_path / "both"
    calls: list[str] = []
    found = run("--html", path, "--csv", f"pairs:{path}", "--force", tool=busy(calls))
    assert (found.exit_code, calls) == (1, [])
    assert found.stderr == f"Error: {path} can hold only one form. Give each its own file.\n"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    found = run("--html", tmp_path, "--force")
    assert found.exit_code == 2
    assert "is a directory" in found.stderr


def test_an_unknown_table_writes_nothing(tmp_path: Path) -> None:
    found = run("--html", tmp_path / "a.html", "--csv", f"rows:{tmp_path / 'a.csv'}")
    assert found.exit_code == 1
    assert (
        "Error: there is no table 'rows' in this result. It has systems, pairs" in found.stderr
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "table", "path"),
    [
        ("pairs:FILE", "pairs", "FILE"),
        ("matrix-bleu:a:b.csv", "matrix-bleu", "a:b.csv"),
        ("pairs:-", "pairs", "-"),
        (r"pairs:C:\x.csv", "pairs", r"C:\x.csv"),
        ("FILE.csv", None, "FILE.csv"),
        ("-", None, "-"),
        (r"C:\x.csv", None, r"C:\x.csv"),
        (r"c:\x.csv", None, r"c:\x.csv"),
        ("/tmp/b:c.csv", None, "/tmp/b:c.csv"),
        ("pairs:", None, "pairs:"),
        ("Pairs:x.csv", None, "Pairs:x.csv"),
        ("my.file:x", None, "my.file:x"),
    ],
)
def test_tables_and_files(text: str, table: str | None, path: str) -> None:
    given = {"as_json": False, "everything": False, "force": True, "csv": (text,), "chart": ()}
    given |= {"interactive": False, "width": None, "no_title": False}
    given |= {"out": None, "keep_draws": False}
    made = Output.take({**given, "markdown": None, "latex": None, "html": None})
    assert made.tables == ((table, path),)


def test_the_shared_options_are_taken_out_of_what_was_typed() -> None:
    given = {"as_json": False, "everything": True, "force": True, "csv": (), "mine": 3}
    rest: dict[str, Any] = {**given, "markdown": None, "latex": "a.tex", "html": None}
    rest |= {"chart": ("differences:b.json",), "interactive": False}
    rest |= {"width": None, "no_title": False}
    rest |= {"out": "c.json", "keep_draws": True}
    made = Output.take(rest)
    assert rest == {"mine": 3}
    assert made.charts == (("differences", "b.json"),)
    assert (made.as_json, made.everything, made.force) == (False, True, True)
    assert made.forms == {"latex": "a.tex"}
    assert made.paths() == [Path("a.tex"), Path("b.json"), Path("c.json")]
    assert (made.out, made.keep_draws) == ("c.json", True)


def test_where_the_result_goes_cannot_be_changed() -> None:
    made = Output(as_json=False, everything=False, force=False, forms={}, tables=())
    with pytest.raises(FrozenInstanceError):
        made.force = True  # type: ignore[misc]


# Notes, warnings, errors


def test_notes_are_said_once_and_in_the_words_of_the_command_line() -> None:
    def body() -> Answer:
        note("Two runs each.", "Drop n_resamples.")
        note("Drop n_resamples.")
        return results.comparison()

    tool = click.option("--resamples", "n_resamples", default=1)(lambda **_: body())
    found = run(tool=toy(tool))
    assert found.stderr.splitlines()[:-1] == [
        "Note: Two runs each.",
        "Note: Drop --resamples.",
    ]


def test_notes_of_a_result_without_a_field_for_them_are_said_too() -> None:
    found = run(tool=toy(lambda: results.power_curve()))
    assert found.stderr.splitlines()[:-1] == [
        "Note: Simulated.",
        "Note: For 500.",
        "Note: For 1500.",
    ]


def test_a_note_outside_of_a_command_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    note("Mind n_resamples.")
    assert capsys.readouterr().err == "Note: Mind n_resamples.\n"


def test_warnings_of_ours_are_said_once_and_others_are_those_of_python() -> None:
    def body(kind: type[Warning]) -> Answer:
        warnings.warn("look here", kind, stacklevel=2)
        return results.comparison()

    for kind in (DetectableWarning, SuspiciousDataWarning):
        found = run(tool=toy(lambda kind=kind: body(kind)))
        assert found.exit_code == 0
        assert found.stderr.count("Note: look here\n") == 1
        told = run("--json", tool=toy(lambda kind=kind: body(kind)))
        assert json.loads(told.stdout)["notes"] == ["Two runs each.", "look here"]
    other = run(tool=toy(lambda: body(UserWarning)))
    assert isinstance(other.exception, UserWarning)


def test_errors_are_one_line_in_the_words_of_the_command_line() -> None:
    @click.option("--resamples", "n_resamples", default=5)
    def body(n_resamples: int) -> Answer:
        raise InputError(f"`n_resamples` must be above 9; got n_resamples={n_resamples}.")

    found = run(tool=toy(body))
    assert found.exit_code == 1
    assert found.stderr == "Error: --resamples must be above 9; got --resamples 5.\n"
    assert found.stdout == ""


def test_bugs_keep_their_trace() -> None:
    def body() -> Answer:
        raise ZeroDivisionError

    assert isinstance(run(tool=toy(body)).exception, ZeroDivisionError)


def test_what_does_not_go_together_is_a_usage_error() -> None:
    def body() -> Answer:
        raise click.UsageError("give one of both.")

    found = run(tool=toy(body))
    assert found.exit_code == 2
    assert "give one of both." in found.stderr


OPTIONS = (
    click.Option(["--resamples", "n_resamples"]),
    click.Option(["--n", "n_items"]),
    click.Option(["--n-raters", "n_items_each"]),
    click.Option(["--unit"]),
    click.Option(["--seed", "rng"]),
    click.Option(["--final"], is_flag=True),
    click.Argument(["judgments"]),
)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("`n_resamples` must be above 9.", "--resamples must be above 9."),
        ("`unit` must be known.", "--unit must be known."),
        ("give unit='document' instead", "give --unit document instead"),
        ('give unit="document" instead', "give --unit document instead"),
        ("`unit='document'` instead", "--unit document instead"),
        ("give n_resamples=99.", "give --resamples 99."),
        ("n_resamples=1e-5, n_items=3", "--resamples 1e-5, --n 3"),
        ("use n_resamples below 9", "use --resamples below 9"),
        ("use n_items_each below 9", "use --n-raters below 9"),
        ("(n_items)", "(--n)"),
        ("the unit is a document", "the unit is a document"),
        ("a.n_items and xn_items and n_items_more", "a.n_items and xn_items and n_items_more"),
        ("my-n_items", "my-n_items"),
        ("--unit=document", "--unit=document"),
        ("`judgments` must be known", "`judgments` must be known"),
        ("a rng of rng", "a rng of rng"),
        ("subunit=3", "subunit=3"),
        ("n_items=[1, 2]", "n_items=[1, 2]"),
        ("`n_items", "`n_items"),
        ("end here with --final (final=True).", "end here with --final."),
        ("--unit document (unit='document')", "--unit document"),
        ("--column a=NAME, columns={'a': 'NAME'}.", "--column a=NAME."),
        ("(--lower-is-better x, lower_is_better=['x']).", "(--lower-is-better x)."),
        ("--unit document (unit='item')", "--unit document (--unit item)"),
    ],
)
def test_names_of_arguments_become_options(message: str, said: str) -> None:
    with click.Context(click.Command("toy", params=list(OPTIONS))):
        assert as_typed(message) == said


def test_without_a_command_a_message_stays_as_it_is() -> None:
    assert as_typed("`unit` is n_items") == "`unit` is n_items"
    with click.Context(click.Command("toy")):
        assert as_typed("`unit` is n_items") == "`unit` is n_items"
    with click.Context(click.Command("toy", params=[OPTIONS[3]])):
        assert as_typed("`unit` is n_items") == "--unit is n_items"


# What is handed over


def test_progress_and_output_are_handed_over_only_if_asked_for() -> None:
    seen: dict[str, Any] = {}

    def with_both(*, progress: Any, output: Output) -> Answer:
        seen.update(progress=progress, output=output)
        progress("step", 1, 2)
        return results.comparison()

    assert run("--force", tool=toy(with_both)).exit_code == 0
    assert callable(seen["progress"])
    assert isinstance(seen["output"], Output)
    assert seen["output"].force is True
    assert run(tool=toy(lambda: results.comparison())).exit_code == 0


def test_all_opens_every_table() -> None:
    made = results.long_ranking(13)
    tool = toy(lambda: made)
    assert "More with --all: pairs (78 rows)" in run(tool=tool).stdout
    whole = run("--all", tool=tool).stdout
    assert whole == render_text(blocks_of(made), everything=True) + "\n"
    assert "system-12  system-13" in whole


def test_an_option_may_open_a_table() -> None:
    def unfold(given: dict[str, Any]) -> tuple[str, ...]:
        return ("pairs",) if given.pop("show_pairs") else ()

    body = click.option("--pairs", "show_pairs", is_flag=True)(lambda: results.long_ranking(13))
    tool = toy(body, unfold=unfold)
    assert "More with --all: pairs (78 rows)" in run(tool=tool).stdout
    opened = run("--pairs", tool=tool).stdout
    assert opened == render_text(blocks_of(results.long_ranking(13)), unfold=["pairs"]) + "\n"


def test_the_report_says_what_was_typed() -> None:
    body = click.argument("words", nargs=-1)(lambda **_: results.comparison())
    found = run("two words", "--markdown", "-", tool=toy(body))
    assert "$ detectable toy 'two words' --markdown -\n" in found.stdout


def test_a_command_has_the_name_of_its_function_unless_told_otherwise() -> None:
    @command()
    def measure() -> Answer:
        """Measure it."""
        return results.comparison()

    assert measure.name == "measure"
    assert measure.help == "Measure it."
    assert command("other")(lambda: results.comparison()).name == "other"


def test_text_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "terminal_width", lambda: 46)
    assert run().stdout == render_text(blocks_of(results.comparison()), width=46) + "\n"


# Options for all commands


def test_a_command_has_the_shared_options_in_order() -> None:
    assert tuple(parameter.opts[0] for parameter in toy().params) == SHARED


def test_an_option_added_in_one_place_appears_on_every_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = click.option("--quiet", is_flag=True, expose_value=False, help="Say little.")
    monkeypatch.setattr(output_options, "OPTIONS", (*output_options.OPTIONS, more))
    made = toy()
    assert tuple(parameter.opts[0] for parameter in made.params) == (*SHARED, "--quiet")
    assert run("--quiet", tool=made).exit_code == 0


def test_files_are_put_whole_and_never_over_others(tmp_path: Path) -> None:
    made = Output(as_json=False, everything=False, force=False, forms={}, tables=())
    path = tmp_path / "new.txt"
    made.put(path, "one\n")
    assert path.read_text() == "one\n"
    with pytest.raises(Exception, match="exists already"):
        made.put(path, "two\n")
    replace(made, force=True).put(path, "two\n")
    assert path.read_text() == "two\n"
    refuse_existing([path], force=True)
    refuse_existing([tmp_path / "other"], force=False)


def test_what_is_printed_ends_with_one_line_break(capsys: pytest.CaptureFixture[str]) -> None:
    made = Output(as_json=False, everything=False, force=False, forms={}, tables=())
    made.put("-", "with\n")
    made.put("-", "without")
    assert capsys.readouterr().out == "with\nwithout\n"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:secret@host/db?password=secret",
        "postgres://me:a#secret@host/db",
        "postgresql://me:a/secret@host/db",
        "postgresql://me:a?secret@host/db",
        "postgresql://me:a@secret@host/db",
        "postgresql://me:a secret@host/db",
        "postgresql://me:[secret@host/db",
        "postgresql+psycopg://me:secret@host/db",
        "PostgreSQL://me:secret@host/db",
        "postgresql://host/db?user=me&password=secret&sslpassword=secret",
        "host=h user=me password='a secret'",
        "password = secret host = h",
    ],
)
def test_passwords_of_addresses_are_neither_kept_nor_shown(
    address: str, tmp_path: Path
) -> None:
    @click.argument("where")
    def body(where: str) -> Answer:
        assert "secret" in where
        return results.comparison()

    kept, page = tmp_path / "kept.json", tmp_path / "page.html"
    assert run(address, "--out", kept, "--html", page, tool=toy(body)).exit_code == 0
    assert "secret" not in kept.read_text() + page.read_text()


@pytest.mark.parametrize("word", ["https://me:x@here.org/a", "password=a.txt", "a://b"])
def test_words_that_are_no_address_of_a_database_are_kept(word: str, tmp_path: Path) -> None:
    @click.argument("where")
    def body(where: str) -> Answer:
        return results.comparison()

    assert run(word, "--out", tmp_path / "kept.json", tool=toy(body)).exit_code == 0
    assert word in json.loads((tmp_path / "kept.json").read_text())["command"]


# --- What is printed in GitHub Actions holds no command to its runner ---

EVIL = (
    "::stop-commands::x",
    "  ::error::y",
    "a\r::warning::z",
    "b\n::debug::w",
    "c ##[error]d",
)


def _orders(printed: str) -> list[str]:
    """Return the lines that the runner would obey; to it a carriage return ends one too."""
    lines = re.split(r"\r\n|\r|\n", printed)
    return [one for one in lines if one.lstrip().startswith("::") or "##[" in one]


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    rows = [
        {"system": name, "item": f"{EVIL[i % 5]} {i}", "score": i % (2 + place)}
        for place, name in enumerate(EVIL)
        for i in range(12)
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


@pytest.mark.parametrize("form", ["--csv", "--markdown", "--latex", "--html", "--json", ""])
@pytest.mark.parametrize("command", ["compare --scores", "rank"])
def test_nothing_printed_is_a_command_to_a_runner(
    form: str, command: str, evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    words = [*command.split(), str(evil), "--seed", "1", *([form] if form else [])]
    words += ["-"] if form not in ("", "--json") else []
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0, found.output
    assert "stop-commands" in found.stdout
    printed = found.stdout_bytes.decode()
    assert _orders(printed) == _orders(found.stderr) == []
    if form == "--json":
        read = repr(json.loads(found.stdout)["systems"])
        assert all(repr(name) in read for name in EVIL)  # to a program nothing changed


def test_a_table_elsewhere_is_as_it_is(
    evil: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["rank", str(evil), "--seed", "1", "--csv"]
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    plain = CliRunner().invoke(main, [*words, "-"]).stdout_bytes.decode()
    assert _orders(plain)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    path = tmp_path / "t.csv"
    assert CliRunner().invoke(main, [*words, str(path)]).exit_code == 0
    assert path.read_bytes().decode() == plain  # a file is no log
    told = CliRunner().invoke(main, [*words, "-"]).stdout_bytes.decode()
    assert told != plain
    assert told.replace("\u200b", "") == plain
    with path.open("w") as file:  # and so is one that a shell writes
        done = subprocess.run(
            [sys.executable, "-m", "detectable", *words, "-"], stdout=file, check=True
        )
    assert done.returncode == 0
    assert path.read_bytes().decode() == plain
