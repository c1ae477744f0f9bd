"""What all commands share: how a result is shown and kept, progress, notes and error messages.

A command parses, calls the library and returns the result. The decorator `command` does the
rest, so an option for all commands is one entry here.
"""

import functools
import inspect
import os
import re
import shlex
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli.progress import Bars
from detectable.cli.terminal import shows_colours, terminal_width
from detectable.core import write
from detectable.core.errors import DataError, DetectableError, DetectableWarning
from detectable.core.harmless import for_terminal

if TYPE_CHECKING:
    from detectable.core.result import Result
    from detectable.report.blocks import Block

_STANDARD = "-"
_REMEDY = "Choose another name, or add --force."
_NOTES = "detectable.notes"
_TYPED = "detectable.typed"
_FILE = click.Path(dir_okay=False, allow_dash=True)
_FORMS = ("markdown", "latex", "html")
_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
    click.option(
        "--all",
        "everything",
        is_flag=True,
        help="Every table and every row, printed and in --latex and --markdown.",
    ),
    click.option("--markdown", type=_FILE, metavar="FILE", help="Write it as Markdown."),
    click.option(
        "--csv",
        multiple=True,
        metavar="[TABLE:]FILE",
        help="Write a table as CSV, by default the first (repeatable).",
    ),
    click.option("--latex", type=_FILE, metavar="FILE", help="Write the tables as LaTeX."),
    click.option(
        "--html",
        type=_FILE,
        metavar="FILE",
        help="Write a page. FILE may be - in all of these.",
    ),
    click.option(
        "--chart",
        multiple=True,
        metavar="[CHART:]FILE",
        help="Draw a chart, by default the first: .svg, .png, .pdf or .json (repeatable).",
    ),
    click.option("--force", is_flag=True, help="Overwrite files that exist."),
)


@dataclass(frozen=True, slots=True)
class Output:
    """Where the result goes besides the terminal."""

    as_json: bool
    everything: bool
    force: bool
    forms: dict[str, str]  # form to file
    tables: tuple[tuple[str | None, str], ...]  # table and file, for CSV
    charts: tuple[tuple[str | None, str], ...] = ()  # chart and file

    @classmethod
    def take(cls, given: dict[str, Any]) -> "Output":
        """Take the shared options out of what was typed, and refuse what does not go together."""
        forms = {name: given.pop(name) for name in _FORMS}
        made = cls(
            as_json=given.pop("as_json"),
            everything=given.pop("everything"),
            force=given.pop("force"),
            forms={name: path for name, path in forms.items() if path is not None},
            tables=tuple(_named(text) for text in given.pop("csv")),
            charts=tuple(_named(text) for text in given.pop("chart")),
        )
        if made.n_printed + made.as_json > 1:
            raise click.UsageError("only one of --json and the files called - can be printed.")
        if made.everything and made.shows_no_less:
            raise click.UsageError("--all has no effect here: nothing is left out. Drop it.")
        refuse_existing(made.paths(), force=made.force)
        made.refuse_impossible()
        return made

    @property
    def n_printed(self) -> int:
        """How many forms go to standard output."""
        files = [*self.forms.values(), *(path for _, path in self.tables)]
        return files.count(_STANDARD)

    @property
    def shows_no_less(self) -> bool:
        """Whether nothing that is made would leave anything out."""
        prints_text = not (self.as_json or self.n_printed)
        return not prints_text and not {"latex", "markdown"} & set(self.forms)

    def paths(self) -> list[Path]:
        """Return the files that will be written."""
        named = (*self.tables, *self.charts)
        files = [*self.forms.values(), *(path for _, path in named)]
        return [Path(file) for file in files if file != _STANDARD]

    def refuse_impossible(self) -> None:
        """Stop before the work if a file has no folder, or cannot hold what it is for."""
        for _, file in self.charts:
            refuse_undrawable(file)
        paths = self.paths()
        for path in paths:
            if paths.count(path) > 1:
                raise DataError(f"{path} can hold only one form. Give each its own file.")
            if not os.path.isdir(path.absolute().parent):
                raise DataError(
                    f"{path} cannot be written: No such file or directory. Make {path.parent}."
                )

    def show(self, result: "Result", *, unfold: Iterable[str]) -> None:
        """Write and print the result; nothing is written before all forms are made."""
        blocks = _blocks(result)
        note(*_notes(blocks))
        made: list[tuple[str, str | bytes]] = [
            (path, _RENDER[form](blocks, self.everything)) for form, path in self.forms.items()
        ]
        made += [(path, _csv(blocks, name)) for name, path in self.tables]
        made += [(path, _picture(blocks, name, path)) for name, path in self.charts]
        if "html" in self.forms:
            _say_without_pictures(blocks)
        for path, text in made:
            self.put(path, text)
        if self.as_json:
            click.echo(to_json(result))
        elif not self.n_printed:
            click.echo(_text(blocks, everything=self.everything, unfold=unfold))
            click.echo(f"# {for_terminal(str(result.signature))}", err=True)

    def put(self, path: str | Path, text: str | bytes) -> None:
        """Write a file whole or not at all, or print it; an existing one only with --force."""
        if path == _STANDARD:
            click.echo(text, nl=isinstance(text, str) and not text.endswith("\n"))
        else:
            write.write_whole(path, text, new=not self.force, remedy=_REMEDY)


class _Command(click.Command):
    """A command that remembers what was typed, for the report."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Keep the words before they are parsed."""
        typed = list(args)
        context = super().make_context(info_name, args, parent, **extra)
        context.meta[_TYPED] = typed
        return context


def command(
    name: str | None = None, *, unfold: Callable[[dict[str, Any]], Iterable[str]] | None = None
) -> Callable[[Callable[..., "Result"]], click.Command]:
    """Make a command of a function that returns a result.

    A parameter called `progress` gets the bars, one called `output` where the result will go.

    Parameters
    ----------
    name : str, optional
        What the user types; by default the name of the function.
    unfold : callable, optional
        Takes out of the settings what asks for a table, and returns the tables to show whole.
    """

    def decorate(function: Callable[..., "Result"]) -> click.Command:
        wanted = inspect.signature(function).parameters

        @functools.wraps(function)
        def run(*arguments: Any, **given: Any) -> None:
            try:
                output = Output.take(given)
                shown = () if unfold is None else tuple(unfold(given))
                extra: dict[str, Any] = {"output": output} if "output" in wanted else {}
                with Bars() as progress, warnings.catch_warnings():
                    # The notes of a result say what its warnings say.
                    warnings.simplefilter("ignore", DetectableWarning)
                    if "progress" in wanted:
                        extra["progress"] = progress
                    result = function(*arguments, **given, **extra)
                output.show(result, unfold=shown)
            except DetectableError as error:
                # One line on stderr and exit status 1; bugs keep their trace.
                raise click.ClickException(for_terminal(as_typed(str(error)))) from error
            except MemoryError as error:
                raise click.ClickException(
                    "there is not enough memory for this. Give fewer data or smaller settings."
                ) from error
            except KeyboardInterrupt as error:
                raise click.ClickException(
                    "interrupted. What was not finished was not written."
                ) from error

        return click.command(name, cls=_Command)(_with_shared_options(run))

    return decorate


def _with_shared_options(run: Callable[..., None]) -> Callable[..., None]:
    """Add the options of all commands below a command's own, in help as in importance."""

    def shared() -> None: ...

    for option in reversed(_OPTIONS):
        option(shared)
    own = getattr(run, "__click_params__", [])
    run.__click_params__ = [*shared.__click_params__, *own]  # type: ignore[attr-defined]
    return run


def note(*texts: str) -> None:
    """Say something on stderr, once per run: readers and results often say the same."""
    context = click.get_current_context(silent=True)
    said = context.meta.setdefault(_NOTES, []) if context is not None else []
    for text in texts:
        if text not in said:
            said.append(text)
            click.echo(f"Note: {for_terminal(as_typed(text))}", err=True)


def to_json(result: "Result") -> str:
    """Return what ``--json`` prints."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    # JSON escapes the commands to a terminal below U+0020, and not these.
    return re.sub("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]", _escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def as_typed(message: str) -> str:
    """Return a message of the library in the words of the command line.

    The library names its arguments, `n_resamples` or ``n_resamples=99``; people on the command
    line typed ``--resamples 99``.
    """
    context = click.get_current_context(silent=True)
    parameters = [] if context is None else context.command.params
    names = {
        parameter.name: parameter.opts[0]
        for parameter in parameters
        if isinstance(parameter, click.Option) and parameter.name
    }
    if not names:
        return message
    known = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    with_value = re.compile(rf"`?(?<![\w-])({known})=(?:'([^']*)'|\"([^\"]*)\"|([\w.+-]+|…))`?")

    def typed(found: re.Match[str]) -> str:
        value = next(part for part in found.groups()[1:] if part is not None)
        return f"{names[found[1]]} {value}"

    message = with_value.sub(typed, message)
    message = re.sub(rf"`({known})`", lambda found: names[found[1]], message)
    long = "|".join(sorted((name for name in names if "_" in name), key=len, reverse=True))
    if not long:
        return message
    return re.sub(rf"(?<![\w`=.-])({long})(?![\w`=])", lambda found: names[found[1]], message)


def refuse_existing(paths: Iterable[Path], *, force: bool) -> None:
    """Stop before hours of work, rather than after them, if a file would be overwritten."""
    for path in paths:
        if force:
            write.refuse_special(path)
        else:
            write.refuse_existing(path, remedy=_REMEDY)


def _named(text: str) -> tuple[str | None, str]:
    """Read ``pairs:FILE`` or ``FILE``; what stands before the colon must look like a table."""
    table, colon, path = text.partition(":")
    if colon and path and re.fullmatch(r"[a-z][a-z-]+", table):
        return table, path
    return None, text


def _blocks(result: "Result") -> "tuple[Block, ...]":
    from detectable.report.blocks_of import blocks_of

    context = click.get_current_context()
    typed = [*context.command_path.split(), *context.meta[_TYPED]]
    blocks = blocks_of(result, command=shlex.join(typed))
    return tuple(_in_typed_words(block) for block in blocks)


def _in_typed_words(block: "Block") -> "Block":
    """Return a block whose notes speak of options, not of the library's arguments."""
    from detectable.report.blocks import Text

    if not isinstance(block, Text) or block.role != "note":
        return block
    return replace(block, points=tuple((mark, as_typed(text)) for mark, text in block.points))


def _notes(blocks: "tuple[Block, ...]") -> list[str]:
    """Return the notes of a result: a text for a terminal leaves them to stderr."""
    from detectable.report.blocks import Text

    texts = [block for block in blocks if isinstance(block, Text) and block.role == "note"]
    return [point for text in texts for _, point in text.points]


def _text(blocks: "tuple[Block, ...]", *, everything: bool, unfold: Iterable[str]) -> str:
    from detectable.report.render.colour import painted
    from detectable.report.render.text import render_text

    return render_text(
        blocks,
        width=terminal_width(),
        everything=everything,
        unfold=unfold,
        colour=painted if shows_colours() else str,
    )


def _csv(blocks: "tuple[Block, ...]", name: str | None) -> str:
    from detectable.report.render.csv import render_csv

    return render_csv(blocks, name)


def refuse_undrawable(file: str) -> None:
    """Stop before the work if a chart is asked in a form that cannot be drawn."""
    from detectable.report.render.picture import ENDINGS, refuse_without_converter

    ending = Path(file).suffix.removeprefix(".").lower()
    if ending not in ENDINGS:
        known = ", ".join(f".{known}" for known in ENDINGS)
        raise click.UsageError(f"--chart {file} must end in one of {known}.")
    if ending != "json":
        refuse_without_converter()


def _picture(blocks: "tuple[Block, ...]", name: str | None, path: str) -> "str | bytes":
    from detectable.report.render.picture import chosen_chart, render_picture

    ending = Path(path).suffix.removeprefix(".").lower()
    return render_picture(chosen_chart(blocks, name), ending)


def _say_without_pictures(blocks: "tuple[Block, ...]") -> None:
    from detectable.report.blocks import Chart
    from detectable.report.render.picture import HOW_TO_GET, can_draw

    if not can_draw() and any(isinstance(block, Chart) for block in blocks):
        note(
            f"The page has no pictures, as drawing needs a package. To get them: {HOW_TO_GET}."
        )


def _markdown(blocks: "tuple[Block, ...]", everything: bool) -> str:  # noqa: FBT001 (see _RENDER)
    from detectable.report.render.markdown import render_markdown

    return render_markdown(blocks, everything=everything)


def _latex(blocks: "tuple[Block, ...]", everything: bool) -> str:  # noqa: FBT001
    from detectable.report.render.latex import render_latex

    return render_latex(blocks, everything=everything)


def _html(blocks: "tuple[Block, ...]", everything: bool) -> str:  # noqa: ARG001, FBT001
    from detectable.report.render.page import render_page

    return render_page(blocks)


_RENDER: dict[str, Callable[[Any, bool], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
}
