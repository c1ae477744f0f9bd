"""Paper tables as LaTeX."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.report.blocks import Matrix
from detectable.report.blocks_of import blocks_of
from detectable.report.paper_table import PairNumbers, PaperCell, PaperColumn, PaperTable
from detectable.report.render.latex_paper import (
    _PRINTED,
    COLUMN,
    PAGE,
    SEPARATION,
    SIZES,
    UNPRINTABLE,
    Float,
    columns_points,
    comment,
    cut_to_points,
    escape,
    in_prose,
    is_printable,
    paper_matrix,
    paper_table,
    paper_tables,
    text_points,
)
from tests.report.many_systems import HOSTILE, compared, ranked
from tests.report.render.pdflatex import compiled, complaints, needs_pdflatex

COLUMNS = (PaperColumn("System", "name"), PaperColumn("BLEU ↑", "score"))
ROWS = (
    (PaperCell("a_b", "baseline"), PaperCell("27.8", "1.9")),
    (PaperCell("c"), PaperCell("28.0", "1.8", "⁺", bold=True)),
    (PaperCell("d"), PaperCell("−2.0")),
)


def test_scores_with_half_intervals_and_marks() -> None:
    made = paper_table(PaperTable("scores", "Scores ± half.", COLUMNS, ROWS, (1,)))
    assert made.latex(["signature|x", ""]).splitlines() == [
        "% signature|x",
        r"\begin{table}[t]",
        r"\centering",
        "{%",
        r"\begin{tabular}{lr@{\,}l@{}l}",
        r"\toprule",
        r"System & \multicolumn{3}{c}{BLEU $\uparrow$} \\",
        r"\midrule",
        r"a\_b (baseline) & 27.8 & {\scriptsize$\pm$1.9} &  \\",
        r"\midrule",
        r"c & \textbf{28.0} & {\scriptsize$\pm$1.8} & $^{+}$ \\",
        r"d & $-$2.0 &  &  \\",
        r"\bottomrule",
        r"\end{tabular}}",
        r"\caption{Scores $\pm$ half.}",
        r"\label{tab:scores}",
        r"\end{table}",
    ]


def test_a_shared_heading_stands_over_its_columns_on_a_rule() -> None:
    columns = (
        PaperColumn("System", "name"),
        PaperColumn("mean", "score", "BLEU ↑"),
        PaperColumn("s_sel", "number", "BLEU ↑"),
        PaperColumn("mean", "score", "TER"),
        PaperColumn("n"),
    )
    row = tuple(PaperCell(text) for text in ("a", "1", "2", "3", "4"))
    made = paper_table(PaperTable("t", "T.", columns, (row,)))
    assert made.layout == r"lr@{\,}l@{}lrr@{\,}l@{}lr"
    assert list(made.lines[:3]) == [
        r" & \multicolumn{4}{c}{BLEU $\uparrow$} & \multicolumn{3}{c}{TER} &  \\",
        r"\cmidrule(lr){2-5}\cmidrule(lr){6-8}",
        r"System & \multicolumn{3}{c}{mean} & $s_{\mathrm{sel}}$ & \multicolumn{3}{c}{mean} & n \\",
    ]
    assert made.lines[4] == r"a & 1 &  &  & 2 & 3 &  &  & 4 \\"


def wide(n: int, name: str = "a") -> PaperTable:
    columns = (PaperColumn("System", "name"), *([PaperColumn("x")] * n))
    return PaperTable("t", "T.", columns, ((PaperCell(name), *([PaperCell("12.34")] * n)),))


def test_a_table_takes_the_largest_size_that_fits_a_column_else_the_page() -> None:
    made = [paper_table(wide(n, "a" * (5 + 6 * (n % 4)))) for n in range(1, 12)]
    narrow = [table for table in made if table.points <= COLUMN]
    sizes = ["normalsize", "small", "footnotesize", "scriptsize"]
    assert {table.size for table in narrow} == {"normalsize", "small"}
    # Wider than a column in any readable size: there is room on the page again.
    broad = [
        table.size for n in range(5, 15) if (table := paper_table(wide(n))).points > COLUMN
    ]
    assert broad == sorted(broad, key=sizes.index)
    assert set(broad) == set(sizes)
    for table in made:
        name = "table" if table in narrow else "table*"
        assert rf"\begin{{{name}}}[t]" in table.latex()
        assert rf"\end{{{name}}}" in table.latex()
        assert table.points <= PAGE
    assert r"{\scriptsize%" in paper_table(wide(14)).latex()


def test_columns_move_together_before_a_table_leaves_its_column() -> None:
    made = [paper_table(wide(n, "a" * m)) for n in range(1, 12) for m in range(5, 30)]
    near = [table for table in made if table.separation < SEPARATION]
    assert near
    assert all(r"{\small\setlength{\tabcolsep}{2.5pt}%" in table.latex() for table in near)
    assert all(table.points <= COLUMN for table in near)
    assert {table.separation for table in made if table.points > COLUMN} == {SEPARATION}


def test_a_name_is_cut_where_the_smallest_size_is_too_wide() -> None:
    name = "system-with-a-name-of-forty-characters-A"
    cut = paper_table(wide(11, name))
    assert cut.points <= PAGE
    assert cut.size == "scriptsize"
    assert re.match(r"system.*\\dots\{\}.*-A & ", cut.lines[2])
    assert paper_table(wide(3, name)).lines[2].startswith(f"{name} & ")
    remark = replace(wide(11), rows=((PaperCell(name, "baseline"), *wide(11).rows[0][1:]),))
    shown = paper_table(remark)
    assert shown.points <= PAGE
    assert re.match(r"system.*\\dots\{\}.*A \(baseline\) & ", shown.lines[2])


def matrix(n: int, numbers: PairNumbers | None = None, **cells: str) -> Matrix:
    names = tuple(f"s_{i}" for i in range(n))
    verdicts = [[None if i == j else "undecided" for j in range(n)] for i in range(n)]
    for at, verdict in cells.items():
        i, j = map(int, at[1:].split("_"))
        verdicts[i][j] = verdict
    return Matrix("matrix-bleu", "M", names, tuple(map(tuple, verdicts)), numbers=numbers)


def numbers_of(
    n: int, value: float = 0.25, p: float = 0.0005, **changes: object
) -> PairNumbers:
    pairs = {
        (f"s_{i}", f"s_{j}"): (value * (j - i), p) for i in range(n) for j in range(i + 1, n)
    }
    made = PairNumbers.build(
        [f"s_{i}" for i in range(n)], pairs, digits=2, alpha=0.05, caption="in z (test)."
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # fields of it


def test_the_pairs_above_the_diagonal() -> None:
    numbers = numbers_of(3)
    made = paper_matrix(matrix(3, c0_2="better", c1_2="worse"), numbers)
    assert made.layout == "rlr@{}lr@{}lr@{}l"
    assert list(made.lines) == [
        r" &  & \multicolumn{2}{c}{1} & \multicolumn{2}{c}{2} & \multicolumn{2}{c}{3} \\",
        r"\midrule",
        r"1 & s\_0 & -- &  & .25 &  & \textbf{.50} & $^{\ddagger}$ \\",
        r"2 & s\_1 &  &  & -- &  & \textbf{.25} & $^{\ddagger}$ \\",
        r"3 & s\_2 &  &  &  &  & -- &  \\",
    ]
    assert made.caption == (
        "Differences (row − column) in z (test). Bold: significantly different; ⋆ p ≤ .05, † p ≤ .01, "
        "‡ p ≤ .001; all others: undecided."
    )
    assert "{\\scriptsize\\setlength{\\tabcolsep}{2.5pt}%" in made.latex()
    assert r"\label{tab:matrix-bleu}" in made.latex()


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.25, "$-$.25"), (-0.001, ".00"), (0.0, ".00"), (1.25, "1.25"), (-12.0, "$-$12.00")],
)
def test_differences_are_short(value: float, text: str) -> None:
    lines = paper_matrix(matrix(2), numbers_of(2, value)).lines
    assert lines[2] == rf"1 & s\_0 & -- &  & {text} &  \\"


def test_over_twenty_systems_have_marks_alone() -> None:
    twenty = paper_matrix(matrix(20, c0_1="better"), numbers_of(20, 0.01))
    assert r"\textbf{.01} & $^{\ddagger}$" in twenty.lines[2]
    more = paper_matrix(matrix(21, c0_1="better"), numbers_of(21, 0.01))
    assert more.layout == f"rl{'c' * 21}"
    assert more.lines[2].startswith(r"1 & s\_0 & -- & ${\ddagger}$ & $\cdot$ &" r" $\cdot$")
    assert more.caption == (
        "Pairs (row against column) in z (test). ⋆ p ≤ .05, † p ≤ .01, ‡ p ≤ .001: significantly different; a "
        "dot: undecided."
    )
    turned = paper_matrix(matrix(21, c0_1="worse"), numbers_of(21, -0.01))
    assert turned.lines[2].startswith(r"1 & s\_0 & -- & $-$${\ddagger}$ & ")
    assert (
        "significantly different; −: the row is the worse one; a dot: undecided."
        in turned.caption
    )


def test_numbers_that_do_not_fit_the_page_give_way_to_marks() -> None:
    fits = paper_matrix(matrix(16), numbers_of(16, 0.01))
    assert ".01" in fits.lines[2]
    assert fits.separation == 2.5
    tighter = paper_matrix(matrix(20), numbers_of(20, 1.25))
    assert (tighter.separation, tighter.points <= PAGE) == (1.5, True)
    assert "1.25" in tighter.lines[2]
    wider = paper_matrix(matrix(19), numbers_of(19, 1000.0))
    assert "1000" not in "".join(wider.lines)
    assert wider.points <= PAGE


def test_columns_move_together_before_a_name_is_cut() -> None:
    made = matrix(13)
    longer = replace(made, names=("a-name-of-many-letters", *made.names[1:]))
    numbers = replace(numbers_of(13), differences=((-60.25,) * 13,) * 13)
    found = paper_matrix(longer, numbers)
    assert found.separation == 1.5
    assert found.lines[2].startswith("1 & a-name-of-many-letters & ")
    longest = replace(made, names=("a-name-of-many-letters" * 3, *made.names[1:]))
    cut = paper_matrix(longest, numbers)
    assert r"\dots{}" in cut.lines[2]
    assert "60.25" in cut.lines[2]


def test_equivalence_is_a_mark_of_its_own_where_differences_were_tested() -> None:
    numbers = numbers_of(2, same="equivalent within ±1")
    made = paper_matrix(matrix(2, c0_1="equivalent"), numbers)
    assert made.lines[2] == r"1 & s\_0 & -- &  & .25 & $^{=}$ \\"
    assert "‡ p ≤ .001; ⁼: equivalent within ±1; all others: undecided." in made.caption
    claimed = paper_matrix(matrix(2, c0_1="equivalent"), numbers_of(2, told="shown"))
    assert claimed.lines[2] == r"1 & s\_0 & -- &  & \textbf{.25} & $^{\ddagger}$ \\"
    assert "Bold: shown; ⋆" in claimed.caption
    many = paper_matrix(
        matrix(21, c0_1="equivalent"), numbers_of(21, 0.01, same="equivalent within ±1")
    )
    assert many.lines[2].startswith(r"1 & s\_0 & -- & ${=}$ & $\cdot$ & ")


def test_pairs_that_were_not_compared_are_empty() -> None:
    made = matrix(3)
    made = replace(made, verdicts=((None, None, "better"), (None,) * 3, (None,) * 3))
    assert paper_matrix(made, numbers_of(3)).lines[2] == (
        r"1 & s\_0 & -- &  &  &  & \textbf{.50} & $^{\ddagger}$ \\"
    )


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("s_sel and s_test", r"$s_{\mathrm{sel}}$ and $s_{\mathrm{test}}$"),
        ("s_selx", r"s\_selx"),
        ("Ave. z", r"Ave.\ $z$"),
        ("p ≤ .05, p corr.", r"${p \leq .05}$, $p$ corr."),
        ("two-way t test, t over", r"two-way $t$ test, t over"),
        ("zip, map-z, x'p", "zip, map-z, x'p"),
        ("in z (test)", "in $z$ (test)"),
    ],
)
def test_formulas_in_prose(text: str, prose: str) -> None:
    assert in_prose(text) == prose


def test_a_label_has_no_odd_characters() -> None:
    made = paper_table(PaperTable("matrix-a_b%é", "T.", COLUMNS, ROWS))
    assert r"\label{tab:matrix-a-b-}" in made.latex()


# --- Text for LaTeX: printed as it is, or spelled out where no font has it ---


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50% & more", r"50\% \& more"),
        ("a_b#c$d", r"a\_b\#c\$d"),
        ("{x}", r"\{x\}"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("[1, 2]", "{[}1, 2]"),
        ("*a", "{*}a"),
        ("|z| ≥ 2", r"\textbar{}z\textbar{} $\geq$ 2"),
        ("−1 ± 2 × 3", r"$-$1 $\pm$ 2 $\times$ 3"),
        ("<.0001 > ≤ ∞", r"$<$.0001 $>$ $\leq$ $\infty$"),
        ("▲▼○◆·", r"$\blacktriangle$$\blacktriangledown$$\circ$$\blacklozenge$$\cdot$"),
        ("↑↓", r"$\uparrow$$\downarrow$"),
        ("⁺⁻⁼", "$^{+}$$^{-}$$^{=}$"),
        ("⋆†‡", r"$^{\star}$$^{\dagger}$$^{\ddagger}$"),
        ("1–2…", r"1--2\dots{}"),
        ("αλγρΔσ", r"$\alpha$$\lambda$$\gamma$$\rho$$\Delta$$\sigma$"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("''x,,", "'{}'x,{},"),
        ('"q`', r"\textquotedblright{}q\textquoteleft{}"),
        ("«x»", r"$\ll$x$\gg$"),
        ("two\n\nlines\t.", "two lines ."),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("Größe Łódź", "Größe Łódź"),
        ("e\u0301", "é"),
        ("a日本b", r"a\unprintable{日本}{65E5\,672C}b"),
        ("😀", r"\unprintable{😀}{1F600}"),
        ("ą", r"\unprintable{ą}{0105}"),
    ],
)
def test_characters_are_printed_as_they_are_or_spelled_out(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_what_is_printable() -> None:
    assert all(map(is_printable, "aZ09 %_ß±▲"))
    assert not any(map(is_printable, "日ąΩ😀"))


def test_a_comment_is_one_line() -> None:
    assert comment("a\n\\input{x}") == "% a \\input{x}"


def test_what_is_said_to_be_printed_is(tmp_path: Path) -> None:
    body = "\n\n".join(f"x{character}x" for character in sorted(_PRINTED))
    assert complaints(compiled(body, tmp_path)) == []


def test_hostile_names_are_printed(tmp_path: Path) -> None:
    body = "\n\n".join([UNPRINTABLE, *map(escape, HOSTILE)])
    assert complaints(compiled(body, tmp_path)) == []


def test_whoever_has_the_fonts_says_how_characters_are_printed(tmp_path: Path) -> None:
    body = "\n\n".join([UNPRINTABLE, escape("日本")])
    own = "\\newcommand{\\unprintable}[2]{\\typeout{GIVEN #2}}"
    assert "GIVEN 65E5\\," in compiled(body, tmp_path, before=own)


# --- Widths on paper: what LaTeX sets is no wider than estimated, and not much narrower ---


def widths(boxes: list[str], folder: Path) -> list[float]:
    """Return how wide LaTeX sets some text, in points."""
    lines = [rf"\setbox0\hbox{{{box}}}\typeout{{WIDTH \the\wd0}}" for box in boxes]
    log = compiled("\n".join([UNPRINTABLE, *lines]), folder)
    return [float(found) for found in re.findall(r"^WIDTH ([\d.]+)pt", log, re.MULTILINE)]


def test_texts_are_not_wider_than_estimated(tmp_path: Path) -> None:
    texts = [*HOSTILE, "0123456789.,", "The quick brown fox", "▲ better", "⁺⁻⁼", "⋆†‡", "±1.3"]
    texts += ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    cases = [(text, size) for text in texts for size in SIZES]
    boxes = [rf"\{size} {escape(text)}" for text, size in cases]
    for (text, size), width in zip(cases, widths(boxes, tmp_path), strict=True):
        # Kerning makes a word narrower than its letters.
        assert width <= text_points(text, size), (text, size)
        assert text_points(text, size) <= 1.45 * width, (text, size)


def test_tables_are_not_wider_than_estimated(tmp_path: Path) -> None:
    made: list[Float] = []
    for names in ((), HOSTILE):
        for n in (2, 13, 20, 24):
            shown = (
                compared(n, ("bleu", "chrf", "ter"), names=names, runs=3),
                compared(n, ("bleu", "comet"), names=names, every_pair=True),
                ranked(n, names=names),
            )
            for block in (block for result in shown for block in blocks_of(result)):
                if isinstance(block, PaperTable):
                    made.append(paper_table(block))
                elif isinstance(block, Matrix) and block.numbers is not None:
                    made.append(paper_matrix(block, block.numbers))
    boxes = [
        table.latex().partition("\\centering\n")[2].partition("\n\\caption")[0]
        for table in made
    ]
    assert len(boxes) > 20
    for table, width in zip(made, widths(boxes, tmp_path), strict=True):
        assert width <= table.points <= 1.2 * width, table.id


def test_points() -> None:
    assert text_points("") == 0.0
    assert text_points("10.5") == pytest.approx(17.8)
    assert text_points("10.5", "small") == pytest.approx(0.926 * 17.8)
    assert text_points("日") == text_points("日", "scriptsize") == pytest.approx(16.2)
    assert text_points("😀") == pytest.approx(19.8)
    assert columns_points([10.0, 20.0], 6.0) == 54.0


def test_a_name_is_cut_to_the_width_but_keeps_twelve_characters() -> None:
    name = "system-with-a-name-of-forty-characters-A"
    assert cut_to_points(name, 1000.0, "small") == name
    cut = cut_to_points(name, 80.0, "small")
    assert text_points(cut, "small") <= 80.0
    assert text_points(cut + "a", "small") > 75.0
    assert len(cut_to_points(name, 1.0, "small")) == 12


# --- A small paper: tables, a figure at column width and the methods paragraph, as a stranger pastes them ---

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


def of_rows(n: int, *breaks: int) -> PaperTable:
    rows = tuple((PaperCell(f"s{i}"),) for i in range(n))
    return PaperTable("scores", "Scores.", (PaperColumn("System", "name"),), rows, breaks)


@pytest.mark.parametrize(
    ("table", "sizes"),
    [
        (of_rows(40, 20), [40]),
        (of_rows(72, 24, 48), [24, 24, 24]),  # 48 rows are too many
        (of_rows(60, 10, 20, 30, 50), [30, 30]),
        (of_rows(100, 1), [1, 40, 40, 19]),
        (of_rows(41), [40, 1]),
    ],
)
def test_a_table_longer_than_a_page_comes_in_parts_cut_at_its_rules(
    table: PaperTable, sizes: list[int]
) -> None:
    made = paper_tables(table)
    lines = [line for part in made for line in part.lines if line.startswith("s")]
    assert lines == [rf"s{i} \\" for i in range(len(table.rows))]
    assert [sum(line.startswith("s") for line in part.lines) for part in made] == sizes
    names = ["scores", *(f"scores-{n}" for n in range(2, len(sizes) + 1))]
    assert [part.id for part in made] == names
    told = [f"Scores. Part {n} of {len(sizes)}." for n in range(1, len(sizes) + 1)]
    assert [part.caption for part in made] == (told if len(sizes) > 1 else ["Scores."])
