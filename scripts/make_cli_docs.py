"""Write docs/cli.md from the help of every command: python scripts/make_cli_docs.py."""

from collections.abc import Iterator
from pathlib import Path

import click

from detectable.cli import main

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"


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


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
