"""Tables of any result as LaTeX."""

import re

from detectable.report.blocks import Column, Table
from detectable.report.render.latex import table_latex
from detectable.report.render.latex_paper import PAGE, text_points

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
