"""Write docs/cli.md from the help of every command: python scripts/make_cli_docs.py."""

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
    for name, command in (("", main), *sorted(main.commands.items())):
        title = f"detectable {name}".strip()
        context = click.Context(
            command, info_name=title, max_content_width=90, terminal_width=90
        )
        parts += [f"## {title}", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
