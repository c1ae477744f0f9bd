"""What real commands print is read at one look: counted lines, no line too wide, no cell broken."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.report.render.text_table import text_width
from tests.helpers import spread

WORDS = [
    f"{a}{b}" for a in ("ka", "mo", "ti", "su", "re") for b in ("ba", "no", "li", "tu", "pe")
]
PLAIN = "system-{:02d}"
LONG = "a-system-with-a-name-of-forty-letters-{:02d}"
JAPANESE = "機械翻訳システム第{:02d}号"
LINES, PER_DOCUMENT = 60, 5


def write(path: Path, lines: Sequence[str]) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def texts(folder: Path, n: int, *, runs: int = 1, name: str = PLAIN) -> list[str]:
    """Write references and outputs, each system somewhat worse; return the options."""
    rng = np.random.default_rng(7)
    references = [" ".join(rng.choice(WORDS, size=12)) for _ in range(LINES)]
    options = ["--refs", write(folder / "ref", references)]
    documents = [f"document-{i // PER_DOCUMENT}" for i in range(LINES)]
    options += ["--documents", write(folder / "documents", documents)]
    for system in range(n):
        files = []
        for run in range(runs):
            spoiled = [_spoiled(line, 0.02 * (system + 1), rng) for line in references]
            files.append(write(folder / f"{system}.{run}", spoiled))
        options += ["--system", f"{name.format(system + 1)}={','.join(files)}"]
    return options


def _spoiled(line: str, share: float, rng: np.random.Generator) -> str:
    return " ".join(
        str(rng.choice(WORDS)) if rng.random() < share else word for word in line.split()
    )


def judgments(folder: Path, n: int, name: str = PLAIN) -> str:
    rng = np.random.default_rng(8)
    rows = [
        f"{name.format(k + 1)},{item},doc-{item // 2},{'ann' if item % 2 else 'bob'},"
        f"{60 - k + rng.normal(0, 6):.1f}"
        for item in range(40)
        for k in range(n)
    ]
    return write(folder / "judgments.csv", ["system,item,document,rater,score", *rows])


def printed(*words: str) -> list[str]:
    result = CliRunner().invoke(main, [*words, "--seed", "1"])
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def whole_or_cut(lines: Sequence[str], n: int, name: str) -> None:
    """Check that names stand whole in a line, or cut in the middle with both ends."""
    for line in lines:
        for found in re.findall(r"\S*…\S*", line):
            head, _, tail = found.strip("().,").partition("…")
            wanted = [name.format(i + 1) for i in range(n)]
            assert any(w.startswith(head) and w.endswith(tail) for w in wanted), line


@pytest.mark.parametrize("name", [PLAIN, LONG, JAPANESE])
def test_four_systems_three_runs_three_metrics_in_under_sixty_lines(
    name: str, tmp_path: Path
) -> None:
    options = texts(tmp_path, 4, runs=3, name=name)
    metrics = ("--metric", "bleu", "--metric", "chrf", "--metric", "ter")
    lines = printed("compare", *options, "--baseline", name.format(1), *metrics)
    assert len(lines) < 60
    assert max(map(text_width, lines)) <= 80
    whole_or_cut(lines, 4, name)
    # Nine verdicts in the differences, as words or as symbols, and three rows of three above.
    assert sum(bool(re.search("[▲▼○]", line)) for line in lines) == 12
    assert lines[-1].endswith("NAME:FILE.")


@pytest.mark.parametrize("name", spread([JAPANESE, PLAIN, LONG]))
def test_all_pairs_of_twenty_four_systems_in_under_forty_lines(
    name: str, tmp_path: Path
) -> None:
    lines = printed("compare", *texts(tmp_path, 24, name=name))
    assert len(lines) < 40
    assert max(map(text_width, lines)) <= 80
    whole_or_cut(lines, 24, name)
    assert [line[:2] for line in lines if "▼ ▼" in line][-1] == "24"
    ends = " ".join(lines[-3:])
    assert "systems (48 rows), pairs (552 rows), matrix-chrf" in ends


@pytest.mark.parametrize("name", spread([LONG, PLAIN, JAPANESE]))
def test_a_ranking_of_twenty_four_systems_in_under_forty_lines(
    name: str, tmp_path: Path
) -> None:
    lines = printed("rank", judgments(tmp_path, 24, name))
    assert len(lines) < 40
    assert max(map(text_width, lines)) <= 80
    whole_or_cut(lines, 24, name)
    head = next(i for i, line in enumerate(lines) if "ranks" in line and "system" in line)
    body = lines[head + 1 : head + 25]
    assert [int(line[:2]) for line in body] == list(range(1, 25))
    assert all(re.match(r"\s*\d+ .*\d+\.\d\d ", line) for line in body)
    assert "pairs (276 rows)" in " ".join(lines[-2:])


def test_a_matrix_shows_the_top_twenty_four(tmp_path: Path) -> None:
    lines = printed("rank", judgments(tmp_path, 26))
    assert "(the first 24 of 26 systems)" in lines
    assert len(lines) <= 40
    assert not any(line.startswith("25 ") for line in lines)


def test_more_than_twenty_rows_are_cut_and_said(tmp_path: Path) -> None:
    options = (*texts(tmp_path, 25), "--baseline", "system-01", "--metric", "bleu")
    lines = printed("compare", *options)
    assert "(4 more rows: --all, or --csv pairs:FILE)" in lines
    whole = printed("compare", *options, "--all")
    assert not any("more rows" in line for line in whole)
    assert (
        sum(bool(re.match(r"system-\d\d .*(worse|undecided)$", line)) for line in whole) == 24
    )


def on_a_terminal(words: Sequence[str], **settings: str) -> str:
    """Return what a command prints on a terminal."""
    reader, terminal = pty.openpty()
    known = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    command = [sys.executable, "-m", "detectable", *words]
    with subprocess.Popen(
        command, stdout=terminal, stderr=subprocess.DEVNULL, env={**known, **settings}
    ) as process:
        os.close(terminal)
        made = b""
        while True:
            try:
                block = os.read(reader, 65536)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            made += block
    os.close(reader)
    assert process.returncode == 0
    # Colorama, which sacreBLEU imports, resets every terminal when Python ends.
    return made.decode("utf-8").replace("\r\n", "\n").removesuffix("\x1b[0m")


def test_colours_are_for_terminals_and_for_the_verdict_only(tmp_path: Path) -> None:
    options = texts(tmp_path, 3)
    words = ["compare", *options, "--baseline", "system-01", "--seed", "1", "--resamples", "99"]
    shown = on_a_terminal(words, TERM="xterm", COLUMNS="80")
    painted = re.findall("\x1b\\[[0-9]+m([^\x1b]*)\x1b\\[0m", shown)
    assert painted
    assert set(painted) <= {"▲ better", "▼ worse"}
    plain = on_a_terminal(words, TERM="xterm", COLUMNS="80", NO_COLOR="1")
    assert "\x1b" not in plain
    assert re.sub("\x1b\\[[0-9]+m", "", shown) == plain
    piped = subprocess.run(
        [sys.executable, "-m", "detectable", *words], capture_output=True, check=True
    )
    assert piped.stdout.decode("utf-8") == plain
