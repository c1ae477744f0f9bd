"""All of a result as LaTeX: which tables, what is said above them, and that it compiles."""

import re
from pathlib import Path

import pytest

from detectable.core.result import Result
from detectable.report.blocks import Column, Matrix, Repeat, Section, Table, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.paper_table import PaperCell, PaperColumn, PaperTable
from detectable.report.render.latex import render_latex, table_latex
from detectable.report.render.latex_paper import PAGE, text_points
from tests.report.many_systems import HOSTILE, compared, ranked
from tests.report.render.pdflatex import compiled, complaints
from tests.report.results import RESULTS

COLUMN = Column("size", "size")
SHORT = Table("short", "Short", (COLUMN,), ((1.0,), (2.0,)))
LONG = Table("long", "Long", (COLUMN,), tuple((float(i),) for i in range(41)))
FOLDED = Table("folded", "Folded", (COLUMN,), ((1.0,),), folded=True)
PAPER = PaperTable("paper", "Paper.", (PaperColumn("System", "name"),), ((PaperCell("a"),),))
REPEAT = Repeat("sig\n|x")


def captions(text: str) -> list[str]:
    return re.findall(r"\\caption\{([^}]*)\}", text)


def test_verdict_above_all_and_signature_above_each() -> None:
    text = render_latex((Verdict("info", "One.\nTwo."), SHORT, SHORT, REPEAT))
    assert text.splitlines()[:2] == ["% One. Two.", "% sig |x"]
    assert text.count("% sig |x\n\\begin{table}") == 2
    assert text.endswith("\\end{table}\n")
    assert not text.endswith("\n\n")


def test_what_is_long_comes_only_with_everything() -> None:
    blocks = (Verdict("info", "One."), SHORT, LONG, FOLDED, REPEAT)
    text = render_latex(blocks)
    assert captions(text) == ["Short."]
    assert "% Only with --all: Long (41 rows), Folded (1 row)." in text
    whole = render_latex(blocks, everything=True)
    assert captions(whole) == ["Short.", "Long.", "Folded."]
    assert "--all" not in whole
    assert whole.count(r"\begin{longtable}") == 1


def test_a_result_with_tables_for_papers_shows_these() -> None:
    matrix = Matrix("m", "M", ("a", "b"), ((None, "better"), ("worse", None)))
    blocks = (Verdict("info", "One."), PAPER, SHORT, matrix, REPEAT)
    text = render_latex(blocks)
    assert captions(text) == ["Paper."]
    assert "% Only with --all: Short (2 rows)." in text
    assert captions(render_latex(blocks, everything=True)) == ["Paper.", "Short."]


def test_a_matrix_with_numbers_is_a_table_for_papers() -> None:
    text = render_latex(blocks_of(ranked(5)))
    assert [caption.split(" ")[0] for caption in captions(text)] == ["Systems", "Differences"]
    assert r"\label{tab:ranking}" in text
    assert r"\label{tab:matrix}" in text


def test_a_command_for_what_no_font_has_only_where_it_is_needed() -> None:
    assert r"\providecommand{\unprintable}" in render_latex(
        blocks_of(ranked(3, names=("日本",)))
    )
    assert "unprintable" not in render_latex(blocks_of(ranked(3)))


def test_several_results_have_labels_of_their_own() -> None:
    inside = (Verdict("info", "One."), PAPER, REPEAT)
    text = render_latex((Section("First_one", inside), Section("Second", inside)))
    assert re.findall(r"\\label\{(.*)\}", text) == ["tab:first-one-paper", "tab:second-paper"]
    assert text.index("% First_one") < text.index("first-one-paper") < text.index("% Second")


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_row_has_as_many_cells_as_the_layout(name: str) -> None:
    text = render_latex(blocks_of(RESULTS[name]), everything=True)
    pattern = r"\\begin\{(?:tabular|longtable)\}\{([^\n]+)\}\n(.*?)\\end\{"
    found = re.findall(pattern, text, flags=re.S)
    assert text.count(r"\begin{tab") >= 1 or not found
    for layout, body in found:
        width = len(re.sub(r"@\{.*?\}", "", layout))
        for line in body.splitlines():
            if not line.endswith(r"\\") or line.startswith(r"\caption"):
                continue
            spans = [int(n) for n in re.findall(r"\\multicolumn\{(\d+)\}", line)]
            assert line.count(" & ") + 1 + sum(spans) - len(spans) == width, line


METRICS = ("bleu", "chrf", "ter")


@pytest.mark.parametrize(
    ("names", "two_columns"),
    [
        pytest.param((), False, id="plain"),
        pytest.param(HOSTILE, True, id="hostile, two columns"),
        pytest.param((), True, id="plain, two columns", marks=pytest.mark.slow),
        pytest.param(HOSTILE, False, id="hostile", marks=pytest.mark.slow),
    ],
)
def test_paper_tables_compile_and_fit(
    names: tuple[str, ...], two_columns: bool, tmp_path: Path
) -> None:
    made: list[Result] = []
    for n in (2, 7, 13, 20, 24):
        for k in (1, 2, 3):
            made += [compared(n, METRICS[:k], names=names, runs=runs) for runs in (1, 3)]
        made.append(compared(n, METRICS, names=names, every_pair=True))
        made.append(compared(n, ("comet",), names=names, every_pair=True))
        made.append(ranked(n, names=names))
    body = "\n\\clearpage\n".join(render_latex(blocks_of(result)) for result in made)
    assert complaints(compiled(body, tmp_path, two_columns=two_columns)) == []


def test_everything_of_every_result_compiles_and_fits(tmp_path: Path) -> None:
    made: list[Result] = [
        *RESULTS.values(),
        compared(24, METRICS, names=HOSTILE, every_pair=True),
    ]
    made.append(ranked(24, names=HOSTILE))
    body = "\n\\clearpage\n".join(
        render_latex(blocks_of(result), everything=everything)
        for result in made
        for everything in (False, True)
    )
    assert complaints(compiled(body, tmp_path)) == []


def test_a_fault_would_be_found(tmp_path: Path) -> None:
    wide = r"\begin{tabular}{l}" + "x" * 200 + r"\end{tabular}"
    found = complaints(compiled(wide, tmp_path))
    assert len(found) == 1
    assert found[0].startswith("Overfull")


# --- Tables of any result as LaTeX ---

COLUMNS = (
    Column("name", "name", "name"),
    Column("size", "95% interval", short="95%"),
    Column("third", "third", keep=3),
    Column("fourth", "fourth", keep=4),
    Column("data", "data", keep=9),
    Column("verdict", "verdict", "verdict"),
)


def rows(n: int) -> tuple[tuple[object, ...], ...]:
    return tuple((f"s_{i}", 1.5 * i, -1.0, 3.0, 9.0, "better") for i in range(n))


def test_a_short_table() -> None:
    table = Table("t", "Sizes %", COLUMNS, rows(2), note="Mind\nthis.")
    assert table_latex(table, ["sig"]).splitlines() == [
        "% sig",
        r"\begin{table}[t]",
        r"\centering",
        r"{\small%",
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r"name & 95\% & third & verdict \\",
        r"\midrule",
        r"s\_0 & 0.00 & $-$1.00 & $\blacktriangle$ better \\",
        r"s\_1 & 1.50 & $-$1.00 & $\blacktriangle$ better \\",
        r"\bottomrule",
        r"\end{tabular}}",
        r"\caption{Sizes \%. Mind this.}",
        r"\label{tab:t}",
        r"\end{table}",
    ]
    assert table_latex(table).endswith("\n")


def test_everything_has_every_column_but_those_for_spreadsheets() -> None:
    table = Table("t", "T", COLUMNS, rows(2))
    assert r"name & 95\% & third & fourth & verdict \\" in table_latex(table, everything=True)


def test_a_caption_stands_in_place_of_the_title() -> None:
    table = Table("t", "T", COLUMNS, rows(1), note="Note.", caption="What it is.")
    assert r"\caption{What it is. Note.}" in table_latex(table)


def test_breaks_are_rules() -> None:
    lines = table_latex(Table("t", "T", COLUMNS, rows(3), (1, 2))).splitlines()
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert [line.split(" ")[0] for line in body] == [
        *(r"\multicolumn{3}{l}{\emph{s\_0}}", "0.00", r"\midrule"),
        *(r"\multicolumn{3}{l}{\emph{s\_1}}", "1.50", r"\midrule"),
        *(r"\multicolumn{3}{l}{\emph{s\_2}}", "3.00"),
    ]
    apart = Table("t", "T", COLUMNS[1:], tuple(row[1:] for row in rows(3)), (2,))
    lines = table_latex(apart).splitlines()
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert [line.split(" ")[0] for line in body] == ["0.00", "1.50", r"\midrule", "3.00"]


def test_more_than_forty_rows_go_over_pages() -> None:
    assert r"\begin{tabular}" in table_latex(Table("t", "T", COLUMNS, rows(40)))
    made = Table("t", "All %", COLUMNS, rows(41), note="Mind.")
    lines = table_latex(made, ["sig"]).splitlines()
    assert lines[:11] == [
        "% sig",
        "% A longtable needs one column: \\onecolumn in a paper of two.",
        r"{\small\begin{longtable}{lrrl}",
        r"\caption{All \%. Mind.}\\",
        r"\toprule",
        r"name & 95\% & third & verdict \\",
        r"\midrule\endfirsthead",
        r"\toprule",
        r"name & 95\% & third & verdict \\",
        r"\midrule\endhead",
        r"\bottomrule\endlastfoot",
    ]
    assert lines[-1] == r"\end{longtable}}"
    assert len(lines) == 11 + 41 + 1


def test_a_wide_table_gives_way_as_in_a_terminal() -> None:
    def table(n: int, name: str = "a") -> Table:
        columns = [Column("name", "name", "name")]
        columns += [Column(f"c{i}", f"heading-{i}", keep=1 + i % 3) for i in range(n)]
        return Table("t", "T", tuple(columns), ((name, *range(n)), ("b", *range(n))))

    sizes = [re.search(r"\{\\(\w+)%", table_latex(table(n))) for n in range(2, 9)]
    found = [size[1] for size in sizes if size]
    order = ["small", "footnotesize", "scriptsize"]
    assert found[:2] == ["small", "small"]
    assert found == sorted(found, key=order.index)
    fewer = table_latex(table(12))
    assert "heading-2 " not in fewer
    assert "heading-1 " in fewer
    name = "system-with-a-name-of-forty-characters-A" * 3
    cut = table_latex(table(6, name))
    shown = re.search(r"^(system.*?) & ", cut, re.MULTILINE)
    assert shown is not None
    assert r"\dots{}" in shown[1]
    assert text_points(name) > PAGE


def test_rows_cannot_be_taken_for_lengths() -> None:
    column = Column("name", "name", "name")
    table = Table("t", "T", (column,), (("[x]",), ("*y",), ("[z]",)))
    lines = table_latex(table).splitlines()
    assert not [line for line in lines if line.startswith(("[", "*"))]
