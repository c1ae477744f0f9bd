""""""

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.data.files import delimited
from detectable.data.files.content import FileContent
from detectable.data.files.table import (
    Table,
    find_column,
    is_spaced,
    one_language,
    read_spaced,
    read_table,
    with_language,
)
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.texts.text_table import read_text_table
from detectable.study.ranking.item_scores import read_segment_scores
from detectable.study.ranking.rank_systems import rank_systems
from tests.data.sample_files import fails, write


def cells_of(table: Table) -> dict[str, list[Any]]:
    return {name: table.cells(name) for name in table.columns}


plain = st.text(st.characters(codec="utf-8", exclude_characters='\r\n,"'), max_size=8)
cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
def test_any_text_survives_a_quoted_csv(rows: list[tuple[str, str]]) -> None:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b"), *rows])
    with tempfile.TemporaryDirectory() as folder:
        table = read_table(write(Path(folder), "x.csv", content.getvalue()))
    assert cells_of(table) == {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
    assert list(table.lines or ()) == list(range(2, len(rows) + 2))


def test_quotes_are_plain_in_tsv_and_marks_in_csv(tmp_path: Path) -> None:
    tsv = write(tmp_path, "x.tsv", 'a\tb\n5" disk\t"x"\n')
    assert cells_of(read_table(tsv)) == {"a": ['5" disk'], "b": ['"x"']}
    text = write(tmp_path, "x.csv", 'a,b\n"1,5","two\nlines"\n2,3\n')
    table = read_table(text)
    assert cells_of(table) == {"a": ["1,5", "2"], "b": ["two\nlines", "3"]}
    assert list(table.lines or ()) == [2, 4]
    assert table.place(1, "b").endswith("x.csv, line 4, column 'b'")
    quoted = write(tmp_path, "y.tsv", 'a\tb\n"1\t5"\t2\n')
    assert cells_of(read_table(quoted, quoted=True)) == {"a": ["1\t5"], "b": ["2"]}


def test_the_header_tells_the_delimiter(tmp_path: Path) -> None:
    for name, content in (
        ("x.csv", "a;b\n1;2\n"),
        ("x.txt", "a,b\n1,2\n"),
        ("x.tsv", "a;b\n1;2"),
    ):
        assert list(read_table(write(tmp_path, name, content)).columns) == ["a", "b"]
    assert list(read_table(write(tmp_path, "one.csv", "a\n1\n\n")).columns["a"]) == ["1", ""]


def test_json_lines_may_lack_keys_and_have_blank_lines(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "x.jsonl", '{"a": 1}\n\n{"b": "x", "a": null}\n'))
    assert cells_of(table) == {"a": [1, None], "b": [None, "x"]}
    assert list(table.lines or ()) == [1, 3]


def test_parquet_rows_are_counted_as_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": ["x", None], "b": [1, 2]}).write_parquet(path)
    table = read_table(path)
    assert cells_of(table) == {"a": ["x", None], "b": [1, 2]}
    assert table.place(1, "a").endswith("x.parquet, row 2, column 'a'")


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("x.csv", "a,b\n1,2\n1\n", ("x.csv, line 3: the header has 2 columns, this row has 1.",
                                    "Look for a comma too many or too few.")),
        ("x.tsv", "a\tb\n1\t2\t3\n", ("x.tsv, line 2: the header has 2 columns", "Look for a tab")),
        ("x.csv", "a,b\n1,2\n\n3,4\n", ("x.csv, line 3: the header has 2 columns",)),
        ("x.csv", "a,b,a\n1,2,3\n", ("line 1: the column name 'a' appears twice, as column 1 and 3",
                                     "Rename one.")),
        ("x.csv", 'a,b\n1,2\n3,"4\n5,6\n', ("x.csv, line 3: a quotation mark opens a cell",
                                            "none closes it", "separate columns by tabs")),
        ("x.csv", 'a,b\n1,"2" or 3\n', ("x.csv, line 2: the quotation marks of this row enclose no",
                                        'Write "" for a mark')),
        ("x.csv", "a,b\r1,2\n3,4\n", ("x.csv, line 1: the line ends of this table are mixed",
                                      "mac2unix")),
        ("x.csv", "a,b\n", ("x.csv: the table has a header and no row.",)),
        ("x.jsonl", '{"a": 1}\n[1]\n', ("x.jsonl, line 2: expected one JSON object per line",)),
        ("x.jsonl", '{"a": 1}\n{"a": \n', ("x.jsonl, line 2, position 7: this is not JSON",)),
        ("x.parquet", b"PAR1 broken", ("x.parquet: the Parquet file cannot be read", "Copy it")),
    ],
)  # fmt: skip
def test_a_broken_table_is_named_with_its_line(
    tmp_path: Path, name: str, content: str | bytes, parts: tuple[str, ...]
) -> None:
    with fails(*parts):
        read_table(write(tmp_path, name, content))


def test_blank_lines_below_a_table_are_no_rows(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "x.csv", "a,b\n1,2\n\n\n")).n_rows == 1


def test_quoted_is_refused_where_it_means_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "x.jsonl", '{"a": 1}\n')
    with pytest.raises(InputError, match=r"`quoted` applies to CSV and TSV only; .*x\.jsonl"):
        read_table(path, quoted=True)


def test_an_empty_file_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\.csv: the file is empty"):
        read_table(write(tmp_path, "x.csv", ""))


@pytest.mark.parametrize("large", [0, 1 << 20])
@given(st.lists(st.tuples(plain, plain, plain), min_size=1, max_size=5))
def test_plain_text_is_cut_at_its_delimiters_and_nowhere_else(
    large: int, rows: list[tuple[str, str, str]]
) -> None:
    text = "\n".join(["a,b,c", *(",".join(row) for row in rows)]) + "\n"
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(delimited, "_LARGE", large)
        table = read_table(write(Path(folder), "x.csv", text))
    assert cells_of(table) == {n: [row[i] for row in rows] for i, n in enumerate("abc")}
    assert list(table.lines or ()) == list(range(2, len(rows) + 2))


@pytest.mark.parametrize("large", [0, 1 << 20])
def test_large_files_are_refused_as_small_ones(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "_LARGE", large)
    for text, message in (
        (
            "a,b\n1,2\n1\n1,2,3\n",
            "line 3: the header has 2 columns, this row has 1 (2 rows in all)",
        ),
        (
            "a,b\n1;2\n",
            "line 2: the whole line is one column, '1;2', while the header has 2 columns",
        ),
        ("a,b,a\n1,2,3\n", "the column name 'a' appears twice, as column 1 and 3"),
    ):
        with fails(message):
            read_table(write(tmp_path, "x.csv", text))


def test_columns_without_name_and_content_are_dropped(tmp_path: Path) -> None:
    for text in ("a,b,,,\n1,2,,,\n", 'a,b,,,\n1,"2",,,\n'):
        assert list(read_table(write(tmp_path, "x.csv", text)).columns) == ["a", "b", ""]
        with fails("line 1: column 4 has cells and no name"):
            read_table(
                write(tmp_path, "x.csv", text.replace("2,,", "2,,3").replace('"2",,', '"2",,3'))
            )
    assert cells_of(read_table(write(tmp_path, "y.csv", ",b\n1,2\n"))) == {
        "": ["1"],
        "b": ["2"],
    }


def test_one_column_is_a_table_unless_several_are_expected(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "a|b\n1|2\n")
    assert cells_of(read_table(path)) == {"a|b": ["1|2"]}
    with fails(
        "x.csv, line 1: the whole line is one column, 'a|b'", "seems to use vertical bars"
    ):
        read_table(path, several=True)
    quoted = write(tmp_path, "y.csv", '"a, b"\n1\n')
    assert cells_of(read_table(quoted)) == {"a, b": ["1"]}


def test_a_list_of_json_objects(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "x.json", '[{"a": 1},\n {"b": 2}]'))
    assert cells_of(table) == {"a": [1, None], "b": [None, 2]}
    assert table.place(1) == f"{tmp_path / 'x.json'}, line 2"
    with fails("x.json: the table has a header and no row."):
        read_table(write(tmp_path, "x.json", "[]"))


def test_tables_in_memory_count_rows_from_0() -> None:
    table = read_table({"a": [1, 2], "b": np.array(["x", "y"]), "c": pl.Series([None, 3])})
    assert cells_of(table) == {"a": [1, 2], "b": ["x", "y"], "c": [None, 3]}
    assert (table.n_rows, table.place(1, "b")) == (2, "row 1 (from 0), column 'b'")
    assert find_column(table, "rater", ("b",), {}) == "b"
    assert find_column(table, "rater", ("x",), {}) is None
    with fails("the table: there is no column 'z' for the rater. Found: a, b, c."):
        find_column(table, "rater", ("b",), {"rater": "z"})
    with fails("the table has no row. Give at least one row."):
        read_table({"a": []})


def test_a_content_serves_as_a_path(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "a,b\n1,2\n")
    content = FileContent(path)
    assert cells_of(read_table(content)) == {"a": ["1"], "b": ["2"]}
    path.unlink()
    assert read_table(content).place(0) == f"{path}, line 2"


# --- Rows of several language pairs are kept apart or refused, in every table ---

LONG = "system,item,score,source_lang,target_lang\n" + "".join(
    f"{system},{item},{score + (50 if lang == 'de' else 0)},en,{lang}\n"
    for lang in ("cs", "de")
    for system, scores in (("A", (1, 2, 3)), ("B", (2, 4, 4)))
    for item, score in enumerate(scores, start=10 if lang == "cs" else 20)
)


def test_two_target_languages_are_not_ranked_as_one(tmp_path: Path) -> None:
    judgments = read_judgments(write(tmp_path, "j.csv", LONG))
    assert judgments.column("language").levels == ("en-cs", "en-de")
    with fails("j.csv: 2 language pairs: en-cs, en-de", "--language (language=…)"):
        rank_systems(judgments)
    chosen = rank_systems(judgments, language="en-de", rng=1)
    assert {row.n for row in chosen.systems} == {3}
    assert {row.mean_raw for row in chosen.systems} == {52.0, 50 + 10 / 3}


def test_segment_scores_of_two_languages(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", LONG)
    with fails("s.csv: 2 language pairs: en-cs, en-de"):
        read_segment_scores(path)
    assert read_segment_scores(path, language="en-cs").items == ("10", "11", "12")


def test_long_scores_of_two_languages(tmp_path: Path) -> None:
    path = write(tmp_path, "scores.csv", LONG)
    both = read_score_table(path)  # each is a task
    assert both.task_names == ("en-cs", "en-de")
    assert both.of_task("en-de").systems["B"].tolist() == [[52.0, 54.0, 54.0]]
    loaded = read_score_table(path, language_pair="en-de")
    assert loaded.items == ("20", "21", "22")
    assert loaded.systems["B"].tolist() == [[52.0, 54.0, 54.0]]
    assert loaded.notes == (f"{path}: 6 rows of other language pairs left out as asked.",)
    with fails("holds no language pair 'en-fr'. Found: en-cs, en-de"):
        read_score_table(path, language_pair="en-fr")


def test_an_error_below_the_chosen_rows_names_its_line_in_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", LONG.replace("A,20,51", "A,20,much"))
    with fails("s.csv, line 8, column 'score': expected a score, found 'much'"):
        read_score_table(path, language_pair="en-de")


def test_wide_scores_and_texts_of_two_languages(tmp_path: Path) -> None:
    wide = write(tmp_path, "w.csv", "item,lp,A,B\n1,en-cs,1,2\n2,en-de,3,4\n")
    with fails("w.csv, column 'lp': 2 language pairs"):
        read_score_table(wide)
    assert read_score_table(wide, language_pair="en-de").systems["A"].tolist() == [[3.0]]
    texts = write(tmp_path, "t.tsv", "lp\tref\tA\nen-cs\tano\tano\nen-de\tja\tjein\n")
    with fails("t.tsv, column 'lp': 2 language pairs"):
        read_text_table(texts)
    corpus = read_text_table(texts, language_pair="en-de")
    assert list(corpus.systems) == ["A"]  # the language is no system
    assert corpus.n_segments == 1


def test_two_campaigns_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "c.csv", "system,item,score,campaign\nA,1,2,x\nA,2,2,y\n")
    with fails("c.csv, column 'campaign': 2 campaigns: x, y", "Give a table of one of them"):
        read_score_table(path)


def test_a_language_pair_that_the_table_does_not_name(tmp_path: Path) -> None:
    path = write(tmp_path, "c.csv", "system,item,score\nA,1,2\n")
    with pytest.raises(InputError, match=r"`language_pair` must be left out: .* has no column"):
        read_score_table(path, language_pair="en-de")


def _table(**columns: list[str]) -> Table:
    rows = len(next(iter(columns.values())))
    return Table(path="t.csv", columns=dict(columns), lines=list(range(2, rows + 2)))


@pytest.mark.parametrize(
    "name", ["language", "language_pair", "lp", "langs", "lang_pair", "langpair"]
)
def test_names_of_the_language_pair(name: str) -> None:
    assert one_language(_table(**{name: ["a", "b"]}), "b")[0].cells(name) == ["b"]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("source_lang", "target_lang"),
        ("src_lang", "tgt_lang"),
        ("source_language", "target_language"),
        ("sourcelang", "targetlang"),
        ("srclang", "tgtlang"),
        ("srclang", "trglang"),
        ("srclang", "trg_lang"),
    ],
)
def test_names_of_its_halves(source: str, target: str) -> None:
    table = with_language(_table(**{source: ["en ", "en"], target: ["cs", "de"]}))
    assert table.cells("language") == ["en-cs", "en-de"]
    alone = with_language(_table(**{target: ["cs"]}))
    assert alone.cells("language") == ["cs"]


@pytest.mark.parametrize("name", ["campaign", "campaign_id", "test_set", "testset", "set_id"])
def test_names_of_the_campaign(name: str) -> None:
    with pytest.raises(DataError, match=f"t.csv, column '{name}': 2 campaigns: x, y"):
        one_language(_table(**{name: ["x", "y"]}), None)


def test_one_language_and_one_campaign_are_taken_without_a_word() -> None:
    table = _table(lp=["en-de", " en-de"], campaign=["c", "c "])
    for wanted in (None, "en-de"):
        kept, notes = one_language(table, wanted)
        assert kept.columns == table.columns
        assert notes == ()
    # A column of its own says more than two halves.
    both = with_language(_table(lp=["en-de"], source_lang=["x"]))
    assert set(both.columns) == {"lp", "source_lang"}


# --- Tables cut at white space ---


@pytest.mark.parametrize(
    ("header", "spaced"),
    [
        ("SYS SID RAW.SCR", True),
        ("SYS SID Z.SCR N", True),
        ("system\tmqm_avg_score seg_id", True),
        ("system mqm_avg_score", False),
        ("SYS SID RAW.SCR,N", False),
        ("SYS SID", False),
        ("system seg_id", False),
    ],
)
def test_only_known_headers(tmp_path: Path, header: str, spaced: bool) -> None:
    assert is_spaced(FileContent(write(tmp_path, "s.csv", f"{header}\nA 1 2\n"))) is spaced


def test_rows_and_their_lines(tmp_path: Path) -> None:
    text = "SYS  SID RAW.SCR \nA 1 55.5\n\n  \nB\t1 7\n"
    table = read_spaced(FileContent(write(tmp_path, "s.csv", text)))
    assert table.columns == {"SYS": ["A", "B"], "SID": ["1", "1"], "RAW.SCR": ["55.5", "7"]}
    assert table.lines == [2, 5]
    assert table.path == str(tmp_path / "s.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SYS SID RAW.SCR\nA 1 2\nB 1\n", "line 3: the header has 3 columns, this row has 2"),
        ("SYS SID RAW.SCR\nA 1 2 3\n", "line 2: the header has 3 columns, this row has 4"),
        ("SYS SID RAW.SCR\n\n", "the table has a header and no row"),
        ("SYS SID RAW.SCR SID\nA 1 2 3\n", "line 1: the column name 'SID' appears twice"),
    ],
)
def test_what_is_no_table(tmp_path: Path, text: str, said: str) -> None:
    with fails(said):
        read_spaced(FileContent(write(tmp_path, "s.csv", text)))
