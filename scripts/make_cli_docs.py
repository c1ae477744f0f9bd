"""Write docs/cli.md and docs/llms.txt from what the commands say: python scripts/make_cli_docs.py.

With ``--man FOLDER`` it writes a manual page of section 1 for every command there instead.
"""

import argparse
import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from detectable.cli import main
from detectable.cli.agents import skill_page
from detectable.core.version import VERSION

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
LLMS = PAGE.with_name("llms.txt")


def llms() -> str:
    """Return the page for programs that read the site: that of `detectable skill`, and where more is."""
    more = [
        f"- [{path.stem}](docs/{path.stem}.html)" for path in sorted(PAGE.parent.glob("*.md"))
    ]
    return "\n".join([skill_page(), "## Pages of this site", "", *more, ""])


def manual(title: str, command: click.Command) -> str:
    """Return the manual page of a command, in the format of man(7)."""
    context = click.Context(command, info_name=title)
    head = [
        f'.TH "{title.replace(" ", "-").upper()}" 1 "" "detectable {VERSION}"',
        ".SH NAME",
        f"{title.replace(' ', '-')} \\- {_roff(command.get_short_help_str(1000))}",
        ".SH SYNOPSIS",
        _roff(" ".join([title, *command.collect_usage_pieces(context)])),
        ".SH DESCRIPTION",
    ]
    for part in inspect.cleandoc(command.help or "").split("\n\n"):
        shown, text = part.startswith("\b"), _roff(part.removeprefix("\b").strip("\n"))
        head += [".PP", *([".nf", text, ".fi"] if shown else [text])]
    records = [
        record
        for one in command.get_params(context)
        if (record := one.get_help_record(context))
    ]
    options = [line for names, said in records for line in (".TP", _roff(names), _roff(said))]
    if isinstance(command, click.Group):
        below = ", ".join(f"{title.replace(' ', '-')}-{name}(1)" for name in command.commands)
        options += [".SH SEE ALSO", _roff(below)]
    return "\n".join([*head, *([".SH OPTIONS"] if records else []), *options, ""])


def _roff(text: str) -> str:
    """Return text of which man takes nothing for a command."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(
        f"\\&{line}" if line[:1] in (".", "'") else line for line in plain.split("\n")
    )


def page() -> str:
    """Return the page: the help of the group and of every command, 90 columns wide."""
    parts = [
        "# All commands",
        "",
        "Made from the help texts by `python scripts/make_cli_docs.py`.",
        "",
        "Exit codes: 0 done, 1 the data or a setting cannot be used (one line says why), 2 the command was typed wrongly.",
        "",
    ]
    for title, command in _commands("detectable", main):
        # A command keeps the help option of its first context, whichever that was: forget it, so
        # that this page does not depend on what ran before.
        command._help_option = None
        context = click.Context(
            command,
            info_name=title,
            max_content_width=90,
            terminal_width=90,
            help_option_names=list(main.context_settings["help_option_names"]),
        )
        parts += [f"## {title}", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(parts)


def _commands(title: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and all below it, in the order of their names."""
    yield title, command
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _commands(f"{title} {name}", command.commands[name])


def write(folder: Path | None) -> None:
    """Write the pages, or the manual into a folder."""
    if folder is None:
        PAGE.write_text(page(), encoding="utf-8")
        LLMS.write_text(llms(), encoding="utf-8")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for title, command in _commands("detectable", main):
        path = folder / f"{title.replace(' ', '-')}.1"
        path.write_text(manual(title, command), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--man", type=Path, metavar="FOLDER", help="Write the manual there.")
    write(parser.parse_args().man)
