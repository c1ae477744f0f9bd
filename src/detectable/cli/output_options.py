"""The options that all commands share: where a result goes, in which forms, and its charts."""

import os
import re
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from detectable.core.errors import InputError
from detectable.core.wording import plain_digits

if TYPE_CHECKING:
    from detectable.core.result import Result
    from detectable.report.blocks import Block
    from detectable.report.several import Report


class Unrepeated(click.Option):
    """An option that does not change the answer: where it goes, in which form, who computes it.

    `detectable verify` leaves it out when it types a command again.
    """


class Writing(click.Option):
    """An option that makes a command write what others read: it is never typed again."""


class PlainNumbers(click.Command):
    """A command whose options take numbers as everybody writes them: no ``1_000``, no ``١٢``.

    Its help fits a terminal: words that an option takes and that are too many for a line are told
    beside it.
    """

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        for one in self.params:
            if isinstance(one.type, type(click.INT) | type(click.FLOAT)):
                one.type = _plain(one.type)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options, no line wider than the terminal."""
        records = (one.get_help_record(ctx) for one in self.get_params(ctx))
        with formatter.section("Options"):
            formatter.write_dl(
                [_narrow(*record, formatter.width - 4) for record in records if record]
            )


def _narrow(option: str, about: str, width: int) -> tuple[str, str]:
    """Move a long list of words from an option to what is said of it, which is wrapped."""
    found = re.search(r"\[(\S+\|\S+)\]", option)
    if found is None or len(option) <= width:
        return option, about
    head, default, tail = about.partition("  [")
    words = ", ".join(found[1].split("|"))
    return option.replace(found[0], "WORD"), f"{head} One of {words}.{default}{tail}"


def _plain(kind: "click.ParamType[Any]") -> "click.ParamType[Any]":
    """Return a type that reads only plain digits, and is shown in help as it was."""

    def convert(
        value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> Any:
        try:
            plain_digits(str(value))
        except ValueError:
            kind.fail(
                f"{value!r} is not a valid {kind.name}: write it with the digits 0 to 9, and "
                "without underscores.",
                param,
                context,
            )
        return kind.convert(value, param, context)

    made = copy(kind)
    vars(made)["convert"] = convert  # what an instance has comes before its class
    return made


_FILE = click.Path(dir_okay=False, allow_dash=True)

_option = partial(click.option, cls=Unrepeated)
KEEPING = (
    _option(
        "--out",
        type=_FILE,
        metavar="FILE",
        help="Keep the whole result as JSON, for detectable report and dt.load.",
    ),
    click.option(  # changes what is kept, so that a rerun needs it too
        "--keep-draws", is_flag=True, help="Keep more than a million random draws in --out."
    ),
)
JSON = _option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
# Of commands whose JSON is for another program: --json FILE.json writes it.
JSON_FILE = _option(
    "--json",
    "as_json",
    is_flag=False,
    flag_value="-",
    metavar="[FILE.json]",
    help="Print JSON instead of text, or write it to a file.",
)
OPTIONS = (
    JSON,
    _option(
        "--all",
        "everything",
        is_flag=True,
        help="Every table and every row, printed and in --latex and --markdown.",
    ),
    _option("--markdown", type=_FILE, metavar="FILE", help="Write it as Markdown."),
    _option(
        "--csv",
        multiple=True,
        metavar="[TABLE:]FILE",
        help="Write a table as CSV, by default the first (repeatable).",
    ),
    _option("--latex", type=_FILE, metavar="FILE", help="Write the tables as LaTeX."),
    _option(
        "--html",
        type=_FILE,
        metavar="FILE",
        help="Write a page. FILE may be - in all of these.",
    ),
    _option(
        "--interactive",
        is_flag=True,
        help="Let the charts of --html tell their numbers under the pointer (900 kB more).",
    ),
    _option(
        "--chart",
        multiple=True,
        metavar="[CHART:]FILE",
        help="Draw a chart, by default the first: .svg, .png, .pdf or .json (repeatable).",
    ),
    _option(
        "--width",
        metavar="column|text|MM",
        help="Width of --chart in print, with text of a paper's size.",
    ),
    _option("--no-title", is_flag=True, help="Leave title and caption out of --chart."),
    *KEEPING,
    _option("--force", is_flag=True, help="Overwrite files that exist."),
)


def with_shared_options(
    run: Callable[..., None], *, keeps: bool, json_file: bool, charts: Sequence[str] = ()
) -> Callable[..., None]:
    """Add the options of all commands below a command's own, in help as in importance."""

    def shared() -> None: ...

    for option in reversed(OPTIONS):
        if keeps or option not in KEEPING:
            (JSON_FILE if option is JSON and json_file else option)(shared)
    for option in shared.__click_params__:  # type: ignore[attr-defined]
        if option.name == "chart" and len(charts) > 1:
            option.help = option.help.replace("chart", f"chart ({', '.join(charts)})", 1)
    own = getattr(run, "__click_params__", [])
    run.__click_params__ = [*shared.__click_params__, *own]  # type: ignore[attr-defined]
    return run


# --- ``--json``: the text that it prints, and the file that it may be followed by ---

_JSON = "--json"


def json_words(args: list[str]) -> list[str]:
    """Return words in which ``--json`` takes no file unless the next word is called so.

    The next word may be data: ``gate --json scores.csv``.

    Examples
    --------
    >>> json_words(["--json", "new.csv", "--json", "gate.json", "--json"])
    ['--json=-', 'new.csv', '--json', 'gate.json', '--json=-']
    """
    return [
        f"{_JSON}=-" if word == _JSON and not then.endswith(".json") else word
        for word, then in zip(args, [*args[1:], ""], strict=True)
    ]


def printed_or_written(given: object) -> tuple[bool, str | None]:
    """Return whether JSON is printed, and the file that it goes to instead.

    Examples
    --------
    >>> printed_or_written(True), printed_or_written("-"), printed_or_written("gate.json")
    ((True, None), (True, None), (False, 'gate.json'))
    """
    if isinstance(given, str) and given != "-":
        return False, given
    return bool(given), None


def to_json(result: "Result | Report") -> str:
    """Return what ``--json`` prints."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    # JSON escapes the commands to a terminal below U+0020, and not these; nor what a runner obeys.
    text = text.replace("##[", "##\\u005b")
    return re.sub("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]", _escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


# --- Files that charts are drawn into, and what is said where nothing can be drawn ---


def ending_of(file: str) -> str:
    """Return the ending of a file, which says what is drawn into it."""
    return os.path.splitext(file)[1].removeprefix(".").lower()


def drawing_of(given: dict[str, Any]) -> dict[str, Any]:
    """Take out of what was typed how charts are drawn; refuse it where there are none."""
    width, plain = given.pop("width"), given.pop("no_title")
    for name, asked in (("--width", width), ("--no-title", plain)):
        if asked and not given["chart"]:
            raise click.UsageError(f"{name} has no effect without --chart. Drop it.")
    if width is None:
        return {"title": not plain}
    from detectable.report.render.picture import paper_width

    try:
        return {"title": not plain, "paper": paper_width(width)}
    except InputError as error:
        raise click.UsageError(str(error).replace("`width`", "--width")) from error


def refuse_undrawable(file: str) -> None:
    """Stop before the work if a chart is asked in a form that cannot be drawn."""
    from detectable.report.render.picture import ENDINGS, refuse_without_converter

    ending = ending_of(file)
    if ending not in ENDINGS:
        known = ", ".join(f".{known}" for known in ENDINGS)
        raise click.UsageError(f"--chart {file} must end in one of {known}.")
    if ending != "json":
        refuse_without_converter()


def without_pictures(blocks: "Sequence[Block]") -> list[str]:
    """Say how to get pictures, where a page should have some and nothing can draw them."""
    from detectable.report.blocks import Chart, unsectioned
    from detectable.report.render.picture import HOW_TO_GET, can_draw

    if can_draw() or not any(isinstance(block, Chart) for block in unsectioned(blocks)):
        return []
    return [f"The page has no pictures, as drawing needs a package. To get them: {HOW_TO_GET}."]
