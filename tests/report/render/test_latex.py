"""LaTeX tables: booktabs, every character escaped, long ones over pages."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from detectable.report.blocks import Column, Matrix, Repeat, Table, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.render.latex import escape, render_latex, table_latex
from tests.report import results
from tests.report.results import RESULTS

COLUMNS = (
    Column("name", "name", "name"),
    Column("size", "95% interval"),
    Column("third", "third", keep=3),
    Column("fourth", "fourth", keep=4),
    Column("verdict", "verdict", "verdict"),
)


def rows(n: int) -> tuple[tuple[object, ...], ...]:
    return tuple((f"s_{i}", 1.5 * i, -1.0, 3.0, "better") for i in range(n))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50% & more", r"50\% \& more"),
        ("a_b#c$d", r"a\_b\#c\$d"),
        ("{x}", r"\{x\}"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("[1, 2]", "{[}1, 2]"),
        ("|z| ≥ 2", r"\textbar{}z\textbar{} $\geq$ 2"),
        ("−1 ± 2 × 3", r"$-$1 $\pm$ 2 $\times$ 3"),
        ("<.0001 > ≤ ∞", r"$<$.0001 $>$ $\leq$ $\infty$"),
        ("▲▼○◆·", r"$\blacktriangle$$\blacktriangledown$$\circ$$\blacklozenge$$\cdot$"),
        ("1–2…", r"1--2\dots{}"),
        ("αλγρΔσ", r"$\alpha$$\lambda$$\gamma$$\rho$$\Delta$$\sigma$"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("two\n\nlines\t.", "two lines ."),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
    ],
)
def test_characters_are_printed_as_they_are(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_a_short_table() -> None:
    table = Table("t", "Sizes %", COLUMNS, rows(2), note="Mind\nthis.")
    assert table_latex(table).splitlines() == [
        "% Sizes %",
        "% Mind this.",
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r"name & 95\% interval & third & verdict \\",
        r"\midrule",
        r"s\_0 & 0.00 & $-$1.00 & $\blacktriangle$ better \\",
        r"s\_1 & 1.50 & $-$1.00 & $\blacktriangle$ better \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert table_latex(table).endswith("\n")


def test_breaks_are_rules() -> None:
    lines = table_latex(Table("t", "T", COLUMNS, rows(3), (1, 2))).splitlines()
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert [line.split(" ")[0] for line in body] == [
        *(r"s\_0", r"\midrule", r"s\_1", r"\midrule", r"s\_2"),
    ]


def test_more_than_forty_rows_go_over_pages() -> None:
    assert r"\begin{tabular}" in table_latex(Table("t", "T", COLUMNS, rows(40)))
    lines = table_latex(Table("t", "All %", COLUMNS, rows(41), (40,), "Mind.")).splitlines()
    assert lines[:8] == [
        r"{\small\begin{longtable}{lrrl}",
        r"\caption{All \%. Mind.}\\",
        r"\toprule",
        r"name & 95\% interval & third & verdict \\",
        r"\midrule\endfirsthead",
        r"\toprule",
        r"name & 95\% interval & third & verdict \\",
        r"\midrule\endhead",
    ]
    assert lines[8] == r"\bottomrule\endlastfoot"
    assert lines[-3] == r"\midrule"
    assert lines[-1] == r"\end{longtable}}"
    assert len(lines) == 9 + 41 + 2
    assert r"\caption{All}" in table_latex(Table("t", "All", COLUMNS, rows(41)))


def test_a_matrix() -> None:
    verdicts = (
        (None, "better", "undecided"),
        ("worse", None, None),
        ("undecided", "lower", None),
    )
    made = Matrix("m", "All pairs", ("a", "b_c", "d"), verdicts, "As of\ntoday.")
    lines = render_latex((made,)).splitlines()
    assert lines == [
        "% All pairs",
        "% ▲ row better than column, ▼ worse, ◆ equivalent, · undecided.",
        "% As of today.",
        r"{\scriptsize\setlength{\tabcolsep}{2.5pt}",
        r"\begin{tabular}{rlccc}",
        r"\toprule",
        r" &  & 1 & 2 & 3 \\",
        r"\midrule",
        r"1 & a &  & $\blacktriangle$ & $\cdot$ \\",
        r"2 & b\_c & $\blacktriangledown$ &  &  \\",
        r"3 & d & $\cdot$ & $\blacktriangledown$ &  \\",
        r"\bottomrule",
        r"\end{tabular}}",
    ]


def test_signature_and_verdict_are_comments_in_one_line() -> None:
    blocks = (
        Verdict("info", "One.\nTwo."),
        Table("t", "T\n\\input{x}", COLUMNS, rows(1)),
        Repeat("sig\n|x"),
    )
    text = render_latex(blocks)
    assert text.splitlines()[:3] == ["% sig |x", "% One. Two.", r"% T \input{x}"]
    assert text.endswith("\\end{tabular}\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_row_has_as_many_cells_as_the_layout(name: str) -> None:
    text = render_latex(blocks_of(RESULTS[name]))
    for layout, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end", text, flags=re.S):
        found = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert found
        assert {line.count(" & ") for line in found} == {len(layout) - 1}


def test_rows_cannot_be_taken_for_lengths() -> None:
    column = Column("name", "name", "name")
    lines = table_latex(Table("t", "T", (column,), (("[x]",), ("[y]",)), (1,))).splitlines()
    assert not [line for line in lines if line.startswith("[")]


def test_it_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: nothing to compile with")
    made = [RESULTS["comparison"], RESULTS["design"], results.long_ranking(13)]
    odd = Table("t", "T", (Column("n", "n", "name"),), (("[a] & 50% _#$~^\\{}|<>",), ("[b]",)))
    body = "\n\n".join([*(render_latex(blocks_of(one)) for one in made), table_latex(odd)])
    packages = "\\usepackage{booktabs,amssymb,longtable}"
    (tmp_path / "t.tex").write_text(
        f"\\documentclass{{article}}\n{packages}\n\\begin{{document}}\n{body}\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
