"""What the pages ask people to type: sessions, programs and commands, in order.

A command or a program that the tests cannot run says so where people read it, with a comment
``# not run: REASON``. Whatever has no such comment is run.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent.parent
NOT_RUN = re.compile(r"#\s*not run: (?P<reason>.+)")
_OURS = ("detectable", "sacrebleu")
_COMMAND = re.compile(rf"(?:\$ )?(?:{'|'.join(_OURS)}) ")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to type: a Python session, a program, or a command with what it prints."""

    kind: str  # session | program | command
    text: str
    line: int
    expected: str = ""
    reason: str = ""  # why it cannot be run

    @property
    def words(self) -> list[str]:
        """The words of a command, as a shell cuts them."""
        return shlex.split(self.text, comments=True)


def pages() -> list[Path]:
    """Return the pages that people read; that of all commands is made from their help."""
    found = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    skipped = {"_build", "api", "extensions"}
    return sorted(
        path
        for path in found
        if path.name != "cli.md" and not skipped & set(path.relative_to(ROOT).parts)
    )


def steps(text: str) -> Iterator[Step]:
    """Yield all steps of a page, in the order in which a reader comes to them."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type not in ("fence", "code_block") or token.map is None:
            continue
        line = token.map[0] + (2 if token.type == "fence" else 1)
        language, content = token.info.strip(), token.content
        if ">>> " in content:
            yield Step("session", content, line)
        elif language == "python" or content.startswith("import detectable"):
            marked = NOT_RUN.search(content)
            yield Step("program", content, line, reason=marked["reason"] if marked else "")
        elif language != "text" and any(map(_COMMAND.match, content.splitlines())):
            yield from _commands(content, line)


def _commands(content: str, line: int) -> Iterator[Step]:
    """Yield the commands of a block. Lines after a command with ``$`` are what it prints."""
    rows = content.splitlines()
    place = 0
    while place < len(rows):
        first, row = place, rows[place]
        place += 1
        if not _COMMAND.match(row):
            continue
        while row.endswith("\\"):
            row = row[:-1].rstrip() + " " + rows[place].strip()
            place += 1
        printed: list[str] = []
        if row.startswith("$ "):
            while place < len(rows) and not rows[place].startswith("$ "):
                printed.append(rows[place])
                place += 1
        marked = NOT_RUN.search(row)
        yield Step(
            "command",
            row.removeprefix("$ "),
            line + first,
            "\n".join(printed).strip(),
            marked["reason"] if marked else "",
        )
