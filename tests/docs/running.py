"""Run what a page asks people to type, in a folder with the files it speaks of."""

import contextlib
import doctest
import importlib.util
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from detectable.cli import main
from tests.docs.blocks import Step, steps
from tests.helpers import require

_EXIT_CODE = re.compile(r"#\s*exit code (\d+)")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run(page: Path, folder: Path, names: dict[str, Any]) -> list[str]:
    """Run the steps of a page in order; return what went wrong, one entry for each step."""
    wrong = []
    with contextlib.chdir(folder):
        for step in steps(page.read_text(encoding="utf-8")):
            if not step.reason:
                said = _RUN[step.kind](step, names)
                wrong += [f"{page.name}:{step.line}: {step.text.strip()}\n{said}"] * bool(said)
    return wrong


def _session(step: Step, names: dict[str, Any]) -> str:
    test = doctest.DocTestParser().get_doctest(step.text, names, "page", None, step.line - 1)
    out = io.StringIO()
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=out.write, clear_globs=False)
    names.update(test.globs)
    return out.getvalue()


def _program(step: Step, names: dict[str, Any]) -> str:
    if "inspect_ai" in step.text:
        return _apart(step.text)
    exec(compile(step.text, f"line {step.line}", "exec"), names)
    return ""


def _apart(program: str) -> str:
    """Run a program that starts Inspect in a process of its own: it leaves streams open."""
    if importlib.util.find_spec("inspect_ai") is None:
        require("inspect", "inspect_ai is not installed: the page cannot be run")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False
    )
    return done.stderr if done.returncode else ""


def _command(step: Step, _names: dict[str, Any]) -> str:
    program, *words = step.words
    if program == "sacrebleu":
        said, code = _sacrebleu(words)
    else:
        found = CliRunner().invoke(main, words)
        said, code = found.stdout, found.exit_code
        # A gate says its outcome by its exit code, and the page beside it which one.
        promised = _EXIT_CODE.search(step.text)
        if code != (int(promised[1]) if promised else 0):
            return f"exit code {code}: {found.output} {found.exception!r}"
        code = 0
    if code:
        return f"exit code {code}"
    return _difference(step.expected, said)


def _sacrebleu(words: list[str]) -> tuple[str, int]:
    """Run sacreBLEU itself; it opens the standard streams anew, so not in this process."""
    done = subprocess.run(
        [sys.executable, "-m", "sacrebleu", *words],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout, done.returncode


def _difference(expected: str, said: str) -> str:
    """Return how the output differs from the page, where the page shows it; … stands for more."""
    wanted = expected.replace("…", "...")
    same = not wanted or doctest.OutputChecker().check_output(wanted + "\n", said, FLAGS)
    return "" if same else f"the page shows\n{expected}\nit prints\n{said}"


_RUN = {"session": _session, "program": _program, "command": _command}
