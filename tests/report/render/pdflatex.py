"""Compile LaTeX in a test, where it is installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

_ONE = "\\documentclass[a4paper]{article}\\setlength{\\textwidth}{160mm}"
_TWO = (
    "\\documentclass[a4paper,twocolumn]{article}\\setlength{\\textwidth}{160mm}"
    "\\setlength{\\columnsep}{6mm}"
)
_PACKAGES = "\\usepackage{booktabs,amssymb,longtable}"
_PAGE = "\\setlength{\\oddsidemargin}{0pt}\\setlength{\\textheight}{240mm}"


def needs_pdflatex() -> None:
    """Skip, with the reason, where there is nothing to compile with."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: nothing to compile with")


def compiled(body: str, folder: Path, *, two_columns: bool = False, before: str = "") -> str:
    """Return the log of a document; fail if LaTeX stops."""
    needs_pdflatex()
    start = f"{_TWO if two_columns else _ONE}{_PACKAGES}{_PAGE}{before}"
    # A label of its own would be needed for every table of many results.
    text = re.sub(r"\\label\{[^}]*\}", "", body)
    (folder / "t.tex").write_text(
        f"{start}\n\\begin{{document}}\n{text}\n\\end{{document}}\n", encoding="utf-8"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    log = "have changed"
    while "have changed" in log:  # a long table knows its widths after the first run
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        log = (folder / "t.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, log[-3000:]
    return log


def complaints(log: str) -> list[str]:
    """Return what is too wide, what no font has, and warnings."""
    return re.findall(r"^(?:.*Warning.*|Overfull.*|Missing character.*)$", log, re.MULTILINE)
