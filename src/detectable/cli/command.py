"""What all commands share: how a result is shown and kept, progress, notes and error messages.

A command parses, calls the library and returns the result. The decorator `command` does the
rest, so an option for all commands is one entry here.
"""

import contextlib
import functools
import inspect
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from detectable.cli.at_once import remember
from detectable.cli.options import as_typed
from detectable.cli.output_options import (
    PlainNumbers,
    drawing_of,
    ending_of,
    json_words,
    printed_or_written,
    refuse_undrawable,
    to_json,
    with_shared_options,
    without_pictures,
)
from detectable.cli.terminal import Bars, obeyed, shows_colours, terminal_width
from detectable.core.errors import DataError, DetectableError, DetectableWarning, SlowWarning
from detectable.core.wording import for_runner, for_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from detectable.core.checkpoint_file import CheckpointFile
    from detectable.core.result import Result
    from detectable.core.scheduler import Cluster
    from detectable.data.files.inputs import InputFile
    from detectable.report.blocks import Block
    from detectable.report.several import Report

_STANDARD = "-"
_NONE = "No such file or directory"
_REMEDY = "Choose another name, or add --force."
_NOTES = "detectable.notes"
_TYPED = "detectable.typed"
# Up to the end of the word: a password may hold anything.
_ADDRESS = re.compile(r"postgres\w*(?:\+\w+)?://.*", re.DOTALL | re.IGNORECASE)
_LIST = re.compile(
    r"(?=.*\b(?:host|hostaddr|dbname|user|service) *=)(.*password) *=.*", re.DOTALL
)
_FORMS = ("markdown", "latex", "html")
_show_warning = warnings.showwarning


class _Unsaid(click.ClickException):
    """Something was not said that only people know; in one line, without how a command is used."""

    exit_code = 2


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Output:
    """Where the result goes besides the terminal."""

    as_json: bool
    everything: bool
    force: bool
    forms: dict[str, str]  # form to file
    tables: tuple[tuple[str | None, str], ...]  # table and file, for CSV
    charts: tuple[tuple[str | None, str], ...] = ()  # chart and file
    out: str | None = None  # where the result itself is kept
    keep_draws: bool = False
    interactive: bool = False  # the page
    drawing: dict[str, Any] = field(default_factory=dict)  # of charts

    @classmethod
    def take(cls, given: dict[str, Any]) -> "Output":
        """Take the shared options out of what was typed, and refuse what does not go together."""
        forms = {name: given.pop(name) for name in _FORMS}
        as_json, forms["json"] = printed_or_written(given.pop("as_json"))
        made = cls(
            drawing=drawing_of(given),
            as_json=as_json,
            everything=given.pop("everything"),
            force=given.pop("force"),
            forms={name: path for name, path in forms.items() if path is not None},
            tables=tuple(_named(text) for text in given.pop("csv")),
            charts=tuple(_named(text) for text in given.pop("chart")),
            out=given.pop("out", None),
            keep_draws=given.pop("keep_draws", False),
            interactive=given.pop("interactive"),
        )
        if made.interactive:
            made.refuse_still()
        if made.keep_draws and made.out is None:
            raise click.UsageError("--keep-draws has no effect without --out. Drop it.")
        if made.n_printed + made.as_json > 1:
            raise click.UsageError("only one of --json and the files called - can be printed.")
        if made.everything and made.shows_no_less:
            raise click.UsageError("--all has no effect here: nothing is left out. Drop it.")
        refuse_existing(made.paths(), force=made.force)
        made.refuse_impossible()
        return made

    def refuse_still(self) -> None:
        """Stop before the work if there is no page to be interactive, or nothing to draw it."""
        if "html" not in self.forms:
            raise click.UsageError("--interactive has no effect without --html. Drop it.")
        from detectable.report.render.picture import refuse_without_converter

        refuse_without_converter()

    @property
    def n_printed(self) -> int:
        """How many forms go to standard output."""
        return self._files().count(_STANDARD)

    @property
    def shows_no_less(self) -> bool:
        """Whether nothing that is made would leave anything out."""
        prints_text = not (self.as_json or self.n_printed)
        return not prints_text and not {"latex", "markdown"} & set(self.forms)

    def paths(self) -> "list[Path]":
        """Return the files that will be written."""
        files = [file for file in self._files() if file != _STANDARD]
        if not files:
            return []
        from pathlib import Path

        return [Path(file) for file in files]

    def _files(self) -> list[str]:
        kept = [] if self.out is None else [self.out]
        return [
            *self.forms.values(),
            *(path for _, path in (*self.tables, *self.charts)),
            *kept,
        ]

    def noting(self) -> "AbstractContextManager[dict[str, InputFile]]":
        """Note the files that are read, if the result is kept: what nobody asks for is not hashed."""
        if self.out is None:
            return nullcontext({})
        from detectable.data.files.inputs import noted_inputs

        return noted_inputs()

    def refuse_impossible(self) -> None:
        """Stop before the work if a file has no folder, or cannot hold what it is for."""
        for _, file in self.charts:
            refuse_undrawable(file)
        paths = self.paths()
        refuse_twice(paths)
        for path in paths:
            folder = path.absolute().parent
            if not os.path.isdir(folder):
                there = os.path.exists(folder)
                why = (
                    f"{path.parent} is no folder." if there else f"{_NONE}. Make {path.parent}."
                )
                raise DataError(f"{path} cannot be written: {why}")

    def show(
        self,
        result: "Result | Report",
        *,
        unfold: Iterable[str],
        inputs: "Mapping[str, InputFile] | None" = None,
    ) -> None:
        """Write and print the result; nothing is written before all forms are made."""
        notes = getattr(result, "notes", None)
        if self.as_json and not self._files() and isinstance(notes, tuple):
            note(*notes)  # as below, without making a report that nobody sees
            click.echo(to_json(result))
            return
        shown = _shown(result)
        note(*shown.notes())
        made: list[tuple[str, str | bytes]] = [
            (path, self._form(shown, form)) for form, path in self.forms.items()
        ]
        made += [(path, shown.csv(name)) for name, path in self.tables]
        made += [
            (path, shown.picture(name, ending_of(path), **self.drawing))
            for name, path in self.charts
        ]
        if "html" in self.forms:
            note(*without_pictures(shown.blocks))
        if self.out is not None:
            made.append((self.out, self._kept(shown.results[0], inputs or {})))
        for path, text in made:
            self.put(path, text)
            if path != _STANDARD:
                remember(f"{path} is written.")
        if self.as_json:
            click.echo(to_json(result))
        elif not self.n_printed:
            # What another program reads is printed as it wants it, and nothing else.
            program = getattr(result, "printed", None)
            text = self._text(shown, unfold) if program is None else program
            click.echo(for_runner(text))
            for one in shown.results:
                click.echo(f"# {for_terminal(str(one.signature))}", err=True)

    def _text(self, shown: "Report", unfold: Iterable[str]) -> str:
        from detectable.report.render.text_table import painted

        return shown.text(
            width=terminal_width(),
            everything=self.everything,
            unfold=unfold,
            colour=painted if shows_colours() else str,
        )

    def _form(self, shown: "Report", form: str) -> str:
        if form == "html":
            return shown.page(interactive=self.interactive)
        if form == "json":
            return f"{to_json(shown)}\n"
        made = shown.markdown if form == "markdown" else shown.latex
        return made(everything=self.everything)

    def _kept(self, result: "Result", inputs: "Mapping[str, InputFile]") -> str:
        from detectable.report.saved.save import written_result

        kept = written_result(
            result, command=_typed(), inputs=inputs.values(), keep_draws=self.keep_draws
        )
        note(*kept.notes)
        return kept.text

    def put(self, path: "str | Path", text: str | bytes, *, private: bool = False) -> None:
        """Write a file whole or not at all, or print it; an existing one only with --force.

        One that is `private` can be read by its owner alone.
        """
        if path == _STANDARD:
            # A table for a program stays as it is, but where a runner would obey a name in it.
            text = for_runner(text) if isinstance(text, str) and obeyed() else text
            click.echo(text, nl=isinstance(text, str) and not text.endswith("\n"))
        else:
            from detectable.core.write import write_whole

            write_whole(path, text, new=not self.force, private=private, remedy=_REMEDY)


class _Command(PlainNumbers):
    """A command that remembers what was typed, for the report."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Keep the words before they are parsed."""
        if any(one.opts == ["--json"] and not one.is_flag for one in self.params):  # type: ignore[attr-defined]
            args = json_words(args)
        typed = list(args)
        context = super().make_context(info_name, args, parent, **extra)
        context.meta[_TYPED] = typed
        return context


def command(
    name: str | None = None,
    *,
    unfold: Callable[[dict[str, Any]], Iterable[str]] | None = None,
    keeps: bool = True,
    json_file: bool = False,
    charts: Sequence[str] = (),
) -> Callable[[Callable[..., "Result | Report"]], click.Command]:
    """Make a command of a function that returns a result.

    A parameter called `progress` gets the bars, one called `output` where the result will go.

    Parameters
    ----------
    name : str, optional
        What the user types; by default the name of the function.
    unfold : callable, optional
        Takes out of the settings what asks for a table, and returns the tables to show whole.
    keeps : bool
        Whether there is a new result to keep.
    json_file : bool
        Whether ``--json`` may name a file.
    charts : sequence of str
        The names of all charts that its results may have, for help; a test compares them.
    """

    def decorate(function: Callable[..., "Result | Report"]) -> click.Command:
        wanted = inspect.signature(function).parameters

        @functools.wraps(function)
        def run(*arguments: Any, **given: Any) -> None:
            try:
                output = Output.take(given)
                shown = () if unfold is None else tuple(unfold(given))
                extra: dict[str, Any] = {"output": output} if "output" in wanted else {}
                heard: list[str] = []
                with (
                    long_work(given, output.paths()) as said,
                    Bars() as progress,
                    output.noting() as inputs,
                    warnings.catch_warnings(),
                ):
                    warnings.simplefilter("always", DetectableWarning)
                    warnings.showwarning = _listener(heard)
                    if "progress" in wanted:
                        extra["progress"] = progress
                    result = _with_warnings(
                        _run(function, heard, arguments, given | extra), heard
                    )
                note(*said)
                output.show(result, unfold=shown, inputs=inputs)
                click.get_current_context().exit(getattr(result, "exit_code", 0))
            except DetectableError as error:
                # One line on stderr and exit status 1; bugs keep their trace.
                ending = (
                    _Unsaid if error.exit_code == _Unsaid.exit_code else click.ClickException
                )
                raise ending(for_terminal(as_typed(str(error)))) from error
            except MemoryError as error:
                raise click.ClickException(
                    "there is not enough memory for this. Give fewer data or smaller settings."
                ) from error
            except KeyboardInterrupt as error:
                raise click.ClickException(
                    "interrupted. What was not finished was not written."
                ) from error

        with_all = with_shared_options(run, keeps=keeps, json_file=json_file, charts=charts)
        return click.command(name, cls=_Command)(with_all)

    return decorate


def note(*texts: str) -> None:
    """Say something on stderr, once per run: readers and results often say the same."""
    context = click.get_current_context(silent=True)
    said = context.meta.setdefault(_NOTES, []) if context is not None else []
    for text in texts:
        if text not in said:
            said.append(text)
            click.echo(f"Note: {for_terminal(as_typed(text))}", err=True)


def _listener(heard: list[str]) -> Callable[..., None]:
    """Return what hears warnings: ours are kept, but why one waits is said while one waits."""

    def listen(message: Warning | str, *place: Any, **more: Any) -> None:
        if isinstance(message, SlowWarning):
            note(str(message))
        elif isinstance(message, DetectableWarning):
            heard.append(str(message))
        else:
            _show_warning(message, *place, **more)

    return listen


def _run(
    function: Callable[..., "Result | Report"],
    heard: list[str],
    arguments: tuple[Any, ...],
    given: dict[str, Any],
) -> "Result | Report":
    """Run a command; where it fails, its warnings are said before the reason."""
    try:
        return function(*arguments, **given)
    except DetectableError:
        note(*heard)
        raise


def _with_warnings(result: "Result | Report", heard: Sequence[str]) -> "Result | Report":
    """Return a result whose notes say every warning once; a result without notes has them said.

    Most warnings are among the notes of the result already: a report must not lose them.
    """
    if not heard:
        return result
    notes = getattr(result, "notes", None)
    if not isinstance(notes, tuple):
        note(*heard)
        return result
    said = [*notes, *_shown(result).notes()]
    new = [
        text
        for text in dict.fromkeys(heard)
        if not any(text in one or as_typed(text) in one for one in said)
    ]
    return replace(result, notes=(*notes, *new)) if new else result  # type: ignore[call-arg]


def refuse_twice(paths: "Sequence[Path]") -> None:
    """Stop before the work if two forms would go into one file."""
    for path in paths:
        if paths.count(path) > 1:
            raise DataError(f"{path} can hold only one form. Give each its own file.")


def refuse_existing(paths: "Iterable[Path]", *, force: bool) -> None:
    """Stop before hours of work, rather than after them, if a file would be overwritten."""
    for path in paths:
        from detectable.core import write  # most commands write no file

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


def _shown(result: "Result | Report") -> "Report":
    """Return a report: of one result with the words that were typed, or as it is."""
    import shlex

    from detectable.report.several import Report, alone

    if isinstance(result, Report):
        return result
    made = alone(result, shlex.join(_typed()))
    return replace(made, listed=tuple(_in_typed_words(block) for block in made.listed))


def _in_typed_words(block: "Block") -> "Block":
    """Return a block whose notes speak of options, not of the library's arguments."""
    from detectable.report.blocks import Text

    if not isinstance(block, Text) or block.role != "note":
        return block
    return block._replace(points=tuple((mark, as_typed(text)) for mark, text in block.points))


def _typed() -> list[str]:
    """Return the words of the command, as they were typed; passwords of addresses are left out."""
    context = click.get_current_context()
    return [*context.command_path.split(), *map(_without_secrets, context.meta[_TYPED])]


def _without_secrets(word: str) -> str:
    """Return a word that may be kept and shown."""
    word = _LIST.sub(r"\1=…", word)  # host=… password=…
    if not _ADDRESS.search(word):
        return word
    from detectable.data.store.postgres_store import without_password

    return _ADDRESS.sub(lambda found: without_password(found[0]), word)


# --- Work that takes long: finished blocks are kept in a file, and many machines share it ---


@contextlib.contextmanager
def long_work(given: dict[str, Any], outputs: Iterable[Any]) -> Iterator[list[str]]:
    """Take ``--scheduler`` and ``--checkpoint`` out of what was typed, and open what they name.

    A command that has ``--scheduler`` gets an `executor`. Yields what is to be said in the end;
    empty until then.
    """
    said: list[str] = []
    path = given.pop("checkpoint", None)
    with contextlib.ExitStack() as stack:
        if path is not None:
            stack.enter_context(_keeping(path, outputs, said))
        if "scheduler" in given:
            address = given.pop("scheduler")
            given["executor"] = (
                None if address is None else stack.enter_context(_sent(address, said))
            )
        yield said


@contextlib.contextmanager
def _keeping(path: str, outputs: Iterable[Any], said: list[str]) -> Iterator[None]:
    if any(os.path.realpath(path) == os.path.realpath(other) for other in outputs):
        raise DataError(f"{path} can hold only one form. Give each its own file.")
    from detectable.core.checkpoint import checkpoint

    with checkpoint(path) as kept:
        try:
            yield
        except BaseException:
            if kept.taken + kept.done:
                click.echo(f"Note: {for_terminal(_left(kept))}", err=True)
            raise
        said.append(_finished(kept))


@contextlib.contextmanager
def _sent(address: str, said: list[str]) -> "Iterator[Cluster]":
    context = click.get_current_context()
    if context.get_parameter_source("n_jobs") is not ParameterSource.DEFAULT:
        raise click.UsageError("--scheduler takes the place of --jobs. Drop one of them.")
    from detectable.core.scheduler import scheduler

    with scheduler(address) as cluster:
        yield cluster
        if not cluster.done:
            said.append("Nothing was computed in blocks, so the cluster had nothing to do.")


def _left(kept: "CheckpointFile") -> str:
    from detectable.core.wording import count

    return (
        f"{kept.path} holds {count(kept.taken + kept.done, 'finished block')}. The same command "
        "goes on from there."
    )


def _finished(kept: "CheckpointFile") -> str:
    from detectable.core.wording import count

    if not kept.taken + kept.done:
        return f"Nothing was computed in blocks, so {kept.path} has nothing to keep."
    whole = kept.taken + kept.done
    if not kept.taken:
        return (
            f"{kept.path} holds {count(whole, 'finished block')}. Delete it when you are done."
        )
    return f"{kept.taken:,} of {count(whole, 'block')} were taken from {kept.path}."
