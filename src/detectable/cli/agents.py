"""``detectable skill`` and ``mcp``: how programs that act by themselves use the commands.

The tools of ``mcp`` type commands in processes of their own, with their folder as the working
directory, without the options that write. A word that leaves the folder is refused before anything runs.
"""

import glob
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click

from detectable.cli.output_options import PlainNumbers, Unrepeated, Writing
from detectable.core.errors import DataError, DetectableError, InputError, MissingExtraError
from detectable.core.version import VERSION
from detectable.core.wording import for_terminal

Value: TypeAlias = str | bool | int | float | list[str | int | float]

_SKILL = Path(__file__).with_name("skill.md")
_ANSWERS = (0, 3, 4)  # exit codes of a command that has answered
_PARTS = re.compile("[=,:]")  # NAME=FILE, METRIC:NAME=FILE, A,B
_ERROR = re.compile(r"Error: (.*)", re.DOTALL)
_KEEP = "keep_draws"  # without --out it has no effect


@click.command(cls=PlainNumbers)
def skill() -> None:
    """One page of usage for agents and pipelines.

    Print which command answers which question, the keys of its JSON, exit codes, and what never
    to claim.
    """
    click.echo(skill_page(), nl=False)


def skill_page() -> str:
    """Return the page."""
    return _SKILL.read_text(encoding="utf-8")


@click.command(cls=PlainNumbers)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def mcp(folder: Path) -> None:
    """Serve tools for agents on one folder.

    Serve doctor, compare, gate, rank, power and verify by the Model Context Protocol, over
    standard input and output, on files below FOLDER only.

    Nothing is written. It needs detectable[mcp].

    \b
    Example:
        detectable mcp evaluations
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    try:
        server(folder).run("stdio")
    except DetectableError as error:
        raise click.ClickException(for_terminal(str(error))) from error


# --- Words that stay below a folder ---


class Folder:
    """The one folder whose files may be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     Folder(place).check("../secret.csv")
    Traceback (most recent call last):
    detectable.core.errors.InputError: '../secret.csv' leaves the folder of this server. Name a file below it.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = os.path.realpath(root)

    def check(self, word: str, *, start: str = "") -> None:
        """Refuse a word that names anything outside, also behind a link, or that is no plain word."""
        if "\0" in word or "://" in word:
            raise InputError(f"{word!r} is no name of a file or a system here.")
        for part in {word, *_PARTS.split(word)}:
            self._check_part(part, word, os.path.join(self.root, start))

    def _check_part(self, part: str, word: str, start: str) -> None:
        found = [part]
        if glob.has_magic(part):
            found += glob.glob(part, root_dir=start, recursive=True, include_hidden=True)
        for name in found:
            path = os.path.join(start, name)
            if name.startswith("~") or not self._holds(path):
                raise _leaves(word)
            if any(not self._holds(link) for link in _links(path)):
                raise _leaves(word)

    def _holds(self, path: str) -> bool:
        real = os.path.realpath(path)
        return real == self.root or real.startswith(self.root.rstrip(os.sep) + os.sep)


def _leaves(word: str) -> InputError:
    return InputError(f"{word!r} leaves the folder of this server. Name a file below it.")


def _links(path: str) -> Iterator[str]:
    """Go through the links that reading a file or folder may follow: in it, or beside it by its name."""
    if os.path.isdir(path):
        for folder, folders, files in os.walk(path):
            places = (os.path.join(folder, name) for name in (*folders, *files))
            yield from filter(os.path.islink, places)
        return
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    if stem and os.path.lexists(path):  # a plan has a ledger beside it, and a lock
        with os.scandir(folder) as beside:
            yield from (
                one.path for one in beside if one.is_symlink() and one.name.startswith(stem)
            )


def check_kept(folder: Folder, file: str) -> None:
    """Refuse a kept result whose command names files outside the folder: `verify` types it again."""
    path = Path(folder.root, file)
    inside = path / "result.json" if path.is_dir() else path
    try:
        held = json.loads(inside.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise DataError(f"{file} is no result that was kept as JSON, and no plan.") from None
    start = file if path.is_dir() else ""
    for word in _texts(held.get("command") if isinstance(held, dict) else None):
        # Of an option its value: ``--refs=FILE``, and ``-oFILE``.
        folder.check(word[2:] if word.startswith("-") else word, start=start)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


# --- The tools ---


def _command(*names: str) -> click.Command:
    from detectable.cli import main

    found: click.Command = main
    for name in names:
        held = found.commands if isinstance(found, click.Group) else {}
        if name not in held:
            raise InputError(f"there is no {name!r}; known are {', '.join(held)}.")
        found = held[name]
    return found


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options that change an answer, by name without dashes; none of them writes."""
    return {
        name.lstrip("-"): one
        for one in command.params
        if isinstance(one, click.Option)
        and not isinstance(one, Unrepeated | Writing)
        and one.nargs == 1
        and one.name != _KEEP
        for name in one.opts
    }


def words_of(
    folder: Folder, names: Sequence[str], files: Iterable[str], options: dict[str, Value]
) -> list[str]:
    """Return what to type for a call of a tool, or refuse it."""
    known, words = _options(_command(*names)), [*names, "--json"]
    for name, value in options.items():
        option = known.get(name.lstrip("-").replace("_", "-"))
        if option is None:
            raise InputError(f"{' '.join(names)} takes no option {name!r} here.")
        typed = option.opts[-1]
        if option.is_flag:
            if not isinstance(value, bool):
                raise InputError(f"{typed} is true or false; got {value!r}.")
            words += [typed] * value
            continue
        for one in value if isinstance(value, list) else [value]:
            text = str(one)
            if isinstance(one, str):
                folder.check(text)
            words.append(f"{typed}={text}")
    for file in files:
        if file.startswith("-"):
            raise InputError(f"{file!r} is no name of a file here.")
        folder.check(file)
        words.append(file)
    return words


def answer(folder: Folder, words: Sequence[str]) -> dict[str, Any]:
    """Type a command in the folder, and return its JSON with its exit code and notes."""
    done = subprocess.run(
        # -P: a file of the folder is never imported.
        [sys.executable, "-P", "-m", "detectable", *words],
        cwd=folder.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "GITHUB_ACTIONS": ""},
        check=False,
    )
    heard = done.stderr.replace(folder.root, ".")  # a client learns no place of this machine
    if done.returncode not in _ANSWERS:
        found = _ERROR.search(heard)
        raise DataError(found[1] if found else f"the command ended with {done.returncode}.")
    said = [line for line in heard.splitlines() if line and not line.startswith("# ")]
    return {"answer": json.loads(done.stdout), "exit_code": done.returncode, "notes": said}


class Tools:
    """What an agent may call; every method is a tool."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def doctor(self, files: list[str]) -> dict[str, Any]:
        """Say what files hold, which questions they can answer, and what to type next."""
        return self._type(("doctor",), files)

    def compare(self, options: dict[str, Value]) -> dict[str, Any]:
        """Compare systems."""
        return self._type(("compare",), [], options)

    def gate(self, files: list[str], options: dict[str, Value]) -> dict[str, Any]:
        """Decide whether the new system may replace the old one."""
        return self._type(("gate",), files, options)

    def rank(self, file: str, options: dict[str, Value] | None = None) -> dict[str, Any]:
        """Rank systems from human judgments."""
        return self._type(("rank",), [file], options)

    def power(self, scenario: str, options: dict[str, Value]) -> dict[str, Any]:
        """Say how likely an effect would be shown."""
        return self._type(("power", scenario), [], options)

    def verify(self, file: str, data: str | None = None) -> dict[str, Any]:
        """Compute a kept result again, and compare."""
        return self._type(("verify",), [file] if data is None else [file, data])

    def _type(
        self,
        names: Sequence[str],
        files: list[str],
        options: dict[str, Value] | None = None,
    ) -> dict[str, Any]:
        from mcp.server.mcpserver.exceptions import ToolError

        try:
            words = words_of(self._folder, names, files, options or {})
            if names == ("verify",):
                check_kept(self._folder, files[0])
            return answer(self._folder, words)
        except DetectableError as error:
            raise ToolError(for_terminal(str(error))) from error


TOOLS = ("doctor", "compare", "gate", "rank", "power", "verify")


def server(place: str | os.PathLike[str]) -> Any:
    """Return the server of the tools, which read files below a folder.

    Parameters
    ----------
    place : path
        The folder. Whatever is outside is refused, also behind links.
    """
    try:
        from mcp.server import MCPServer
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f'the tools need {error.name}: pip install "detectable[mcp]".'
        ) from error
    tools = Tools(Folder(place))
    made = MCPServer(
        "detectable", instructions=skill_page(), version=VERSION, log_level="WARNING"
    )
    for name in TOOLS:
        made.add_tool(getattr(tools, name), description=_description(name))
    return made


def _description(name: str) -> str:
    """Say what a tool answers, and which options it takes."""
    command = _command(name)
    said = [" ".join(str(command.help).partition("\b")[0].split())]
    said.append("Files are named as seen from the folder of this server.")
    if isinstance(command, click.Group):
        for scenario, below in command.commands.items():
            taken = ", ".join(_options(below))  # with their other names
            said.append(
                f"Scenario {scenario}: {below.get_short_help_str(200)} Options: {taken}."
            )
    elif name not in ("doctor", "verify"):
        said.append("Options, by name without dashes; lists for those that may be repeated:")
        context = click.Context(command, info_name=name)
        for option in dict.fromkeys(_options(command).values()):
            record = option.get_help_record(context)
            said += [f"{record[0]}  {record[1]}"] if record else []
    return "\n".join(said)
