"""The options that all commands share: where a result goes, and in which forms."""

from collections.abc import Callable

import click


class Unrepeated(click.Option):
    """An option that does not change the answer: where it goes, in which form, who computes it.

    `detectable verify` leaves it out when it types a command again.
    """


class Writing(click.Option):
    """An option that makes a command write what others read: it is never typed again."""


_FILE = click.Path(dir_okay=False, allow_dash=True)
KEEPING = (
    click.option(
        "--out",
        cls=Unrepeated,
        type=_FILE,
        metavar="FILE",
        help="Keep the whole result as JSON, for detectable report and dt.load.",
    ),
    click.option(
        "--keep-draws", is_flag=True, help="Keep more than a million random draws in --out."
    ),
)
JSON = click.option(
    "--json", "as_json", cls=Unrepeated, is_flag=True, help="Print JSON instead of text."
)
# Of commands whose JSON is for another program: --json FILE.json writes it.
JSON_FILE = click.option(
    "--json",
    "as_json",
    cls=Unrepeated,
    is_flag=False,
    flag_value="-",
    metavar="[FILE.json]",
    help="Print JSON instead of text, or write it to a file.",
)
OPTIONS = (
    JSON,
    click.option(
        "--all",
        "everything",
        cls=Unrepeated,
        is_flag=True,
        help="Every table and every row, printed and in --latex and --markdown.",
    ),
    click.option(
        "--markdown", cls=Unrepeated, type=_FILE, metavar="FILE", help="Write it as Markdown."
    ),
    click.option(
        "--csv",
        cls=Unrepeated,
        multiple=True,
        metavar="[TABLE:]FILE",
        help="Write a table as CSV, by default the first (repeatable).",
    ),
    click.option(
        "--latex", cls=Unrepeated, type=_FILE, metavar="FILE", help="Write the tables as LaTeX."
    ),
    click.option(
        "--html",
        cls=Unrepeated,
        type=_FILE,
        metavar="FILE",
        help="Write a page. FILE may be - in all of these.",
    ),
    click.option(
        "--interactive",
        cls=Unrepeated,
        is_flag=True,
        help="Let the charts of --html tell their numbers under the pointer (900 kB more).",
    ),
    click.option(
        "--chart",
        cls=Unrepeated,
        multiple=True,
        metavar="[CHART:]FILE",
        help="Draw a chart, by default the first: .svg, .png, .pdf or .json (repeatable).",
    ),
    *KEEPING,
    click.option("--force", cls=Unrepeated, is_flag=True, help="Overwrite files that exist."),
)


def with_shared_options(
    run: Callable[..., None], *, keeps: bool, json_file: bool
) -> Callable[..., None]:
    """Add the options of all commands below a command's own, in help as in importance."""

    def shared() -> None: ...

    for option in reversed(OPTIONS):
        if keeps or option not in KEEPING:
            (JSON_FILE if option is JSON and json_file else option)(shared)
    own = getattr(run, "__click_params__", [])
    run.__click_params__ = [*shared.__click_params__, *own]  # type: ignore[attr-defined]
    return run
