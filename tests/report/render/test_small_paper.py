"""A small paper: tables, a figure at column width and the methods paragraph, as a stranger pastes them."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from detectable.cli import main
from tests.report.render.pdflatex import compiled, complaints, needs_pdflatex

DATA = Path(__file__).parents[2] / "frozen" / "data"
COMPARE = f"compare --scores {DATA}/metric.csv --baseline old --resamples 200"
TEXTS = "compare --corpus {corpus} --baseline old --metric bleu --metric chrf --resamples 200"
MIXED = f"mixed {DATA}/complete.csv"
META = f"meta {DATA}/outputs.csv --human mqm --metric good --metric ter --resamples 200"
SEED = " --seed 1"


def run(command: str) -> str:
    done = CliRunner().invoke(main, command.split())
    assert done.exit_code == 0, done.output
    return done.output


def corpus(folder: Path) -> Path:
    """Write a table of texts with two references."""
    words = [
        "the",
        "old",
        "bridge",
        "over",
        "a",
        "river",
        "opens",
        "again",
        "in",
        "spring",
        "after",
        "long",
        "repairs",
    ]
    lines = ["line\tref\tref:2\thyp:old\thyp:new"]
    for i in range(12):
        text = words[i:] + words[:i]
        other = [*text[:-1], "works"]
        cells = [text, other, text[::-1][:4] + text[4:], [*text[:5], *text[6:]]]
        lines.append("\t".join([str(i), *(" ".join(cell) + "." for cell in cells)]))
    path = folder / "corpus.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Write the tables and the figure of four results."""
    texts = TEXTS.format(corpus=corpus(tmp_path))
    run(f"{texts}{SEED} --latex {tmp_path}/texts.tex")
    figure = f"--chart {tmp_path}/fig.pdf --width column --no-title"
    run(f"{COMPARE}{SEED} --latex {tmp_path}/compare.tex {figure}")
    run(f"{MIXED} --latex {tmp_path}/mixed.tex")
    run(f"{META}{SEED} --latex {tmp_path}/meta.tex")
    return tmp_path


FILES = ("texts", "compare", "mixed", "meta")


def paragraph(path: Path) -> str:
    """Return the methods paragraph, which stands below the tables as a comment."""
    [found] = re.findall(r"^% For your paper: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return str(found)


def test_tables_figure_and_methods_make_a_paper_in_two_columns(written: Path) -> None:
    needs_pdflatex()
    methods = "\n\n".join(paragraph(written / f"{name}.tex") for name in FILES)
    tables = "\n".join((written / f"{name}.tex").read_text("utf-8") for name in FILES)
    body = "\n".join(
        [
            r"\section{Evaluation}",
            methods,
            r"\begin{figure}[t]\centering\includegraphics{fig.pdf}",
            r"\caption{Differences.}\end{figure}",
            tables,
        ]
    )
    log = compiled(body, written, two_columns=True, before=r"\usepackage{graphicx}")
    wide = [line for line in complaints(log) if not line.startswith("Underfull")]
    assert wide == []


def test_a_table_is_as_wide_as_a_page_only_where_no_column_holds_it(written: Path) -> None:
    for name in FILES:
        assert "table*" not in (written / f"{name}.tex").read_text("utf-8"), name


def test_every_caption_says_test_level_and_number(written: Path) -> None:
    said = {name: (written / f"{name}.tex").read_text("utf-8") for name in FILES}
    level = r"$\alpha$ = .05"
    assert level in said["compare"]
    for name, n in (("mixed", "ratings"), ("meta", "segments")):
        captions = re.findall(r"^\\caption\{(.*)\}$", said[name], re.MULTILINE)
        assert len(captions) > 1
        assert all(n in caption for caption in captions)
        assert level in " ".join(captions)


def test_the_methods_give_the_signature_of_sacrebleu(written: Path) -> None:
    told = paragraph(written / "texts.tex").replace(r"\textbar{}\allowbreak{}", "|")
    assert "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 for BLEU" in told
