"""Whatever is public stays: names, parameters, commands, options, exit codes, addresses, fields.

``kept/public.txt`` lists them. ``--update`` adds what is new, and takes nothing out: a name that goes was
deprecated before (docs/versions.md), and is taken out of the file by hand.
"""

import enum
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import detectable
from detectable import plugins
from detectable.cli import main
from detectable.report.saved.load import SCHEMA
from detectable.study.monitoring.plan import _FORMAT, _FORMATS
from detectable.web.openapi import description
from tests.frozen.run import HERE

LISTED = HERE / "kept" / "public.txt"
METHODS = {"get", "post", "put", "patch", "delete"}


def public() -> set[str]:
    """Return a line for everything that is public."""
    return {*_library(), *_commands("detectable", main), *_server()}


def _library() -> Iterator[str]:
    for name in detectable.__all__:
        yield from _thing(f"dt.{name}", getattr(detectable, name))
    for name in dir(detectable.scenarios):
        yield from _thing(f"dt.scenarios.{name}", getattr(detectable.scenarios, name))
    for name in dir(detectable.results):
        if name in detectable.results.WHERE:
            yield f"dt.results.{name}"
    for name in plugins.__all__:
        yield from _thing(f"detectable.plugins.{name}", getattr(plugins, name))


def _thing(name: str, thing: Any) -> Iterator[str]:
    """Yield a name; with its parameters if it is called, and what hangs on it if it is a class."""
    yield name
    if isinstance(thing, type):
        for inside, value in inspect.getmembers(thing):
            if not inside.startswith("_") and not _inherited(thing, inside):
                yield f"{name}.{inside}"
                if inspect.isroutine(value):
                    yield from _parameters(f"{name}.{inside}", value)
    if callable(thing) and not (isinstance(thing, type) and issubclass(thing, Exception)):
        yield from _parameters(name, thing)


def _inherited(kind: type, name: str) -> bool:
    """Say whether Python brings a name."""
    owner = next(one for one in kind.__mro__ if name in vars(one) or one is object)
    return not owner.__module__.startswith("detectable") or issubclass(kind, enum.Enum)


def _parameters(name: str, called: Any) -> Iterator[str]:
    try:
        found = inspect.signature(called).parameters
    except (TypeError, ValueError):  # a name for annotations, or made of C
        return
    yield from (f"{name}({one}=)" for one in found if not one.startswith("_") and one != "self")


def _commands(title: str, command: click.Command) -> Iterator[str]:
    yield title
    for one in command.params:
        if isinstance(one, click.Option) and not one.hidden:
            yield from (f"{title} {option}" for option in (*one.opts, *one.secondary_opts))
    if isinstance(command, click.Group):
        for name in command.commands:
            yield from _commands(f"{title} {name}", command.commands[name])


def _server() -> Iterator[str]:
    for address, methods in description()["paths"].items():
        yield from (f"{verb.upper()} {address}" for verb in methods if verb in METHODS)
    yield from (f"schema {number} of saved results" for number in range(1, SCHEMA + 1))


def test_what_is_public_stays(request: pytest.FixtureRequest) -> None:
    now = public()
    listed = LISTED.read_text("utf-8").splitlines() if LISTED.exists() else []
    vanished = [line for line in listed if line not in now]
    assert vanished == [], "deprecate it first: docs/versions.md"
    if request.config.getoption("--update"):
        LISTED.write_text("".join(f"{line}\n" for line in sorted(now)), encoding="utf-8")
        return
    new = sorted(now.difference(listed))
    assert new == [], "`pytest tests/frozen/test_public.py --update` adds what is new"


def test_a_name_a_parameter_and_an_option_that_vanish_are_found() -> None:
    """The list would notice each of these: they are on it."""
    listed = {*LISTED.read_text("utf-8").splitlines()}
    assert {
        "dt.compare",
        "dt.compare(baseline=)",
        "dt.Judgments.cells",
        "dt.scenarios.Bleu",
        "dt.results.Comparison",
        "detectable.plugins.TextMetric",
        "detectable gate --margin",
        "detectable plan new --against",
        "GET /api/v1/plan",
        "schema 1 of saved results",
    } <= listed


def test_a_file_of_every_result_that_can_be_saved_is_kept() -> None:
    kept = {path.stem for path in (HERE / "kept").glob("*.json")} - {"openapi"}
    assert kept <= {*detectable.results.WHERE}
    shown = {*detectable.results.WHERE} - kept
    assert all(_is_base(getattr(detectable.results, name)) for name in shown), shown


def test_the_formats_of_files_are_those_of_the_page() -> None:
    page = (HERE.parent.parent / "docs" / "versions.md").read_text("utf-8")
    migrations = Path(detectable.__file__).parent / "data" / "store" / "migrations"
    newest = len(list(migrations.glob("*.sql")))
    earlier = ", ".join(map(str, range(1, newest)))
    assert f"| saved results | {SCHEMA} | |" in page
    assert f"| plans | {_FORMAT} | {', '.join(map(str, _FORMATS[:-1]))} |" in page
    assert f"| stores of campaigns | {newest} | {earlier} |" in page


def _is_base(kind: type) -> bool:
    """Say whether a class of results is only what others are made of."""
    return bool(kind.__subclasses__())
