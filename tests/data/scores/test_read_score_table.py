import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.data.scores.read_score_table import read_score_table
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data

NAN = float("nan")


def test_the_wide_sample_is_read_with_runs_and_missing_scores() -> None:
    loaded = read_score_table(SAMPLES / "scores_wide.csv", metric="toy")
    scores = loaded
    assert (scores.items, scores.documents) == (("s1", "s2", "s3"), ("cats", "cats", "night"))
    assert scores.metric == "toy"
    np.testing.assert_array_equal(scores.systems["one"], [[0.5, NAN, 1]])
    np.testing.assert_array_equal(scores.systems["two"], [[0.4, 0.1, 0], [0.6, NAN, 0.25]])
    assert loaded.notes == (
        "system 'one': 1 of 3 items without a score, first 's2'.",
        "system 'two', run 2: 1 of 3 items without a score, first 's2'.",
    )


def test_the_long_sample_is_read_and_absent_items_are_counted() -> None:
    loaded = read_score_table(SAMPLES / "scores_long.csv")
    np.testing.assert_array_equal(loaded.systems["two"], [[0.25, NAN]])
    assert loaded.documents == ("cats", "night")
    assert loaded.notes == ("system 'two': 1 of 2 items without a score, first 's2'.",)


def test_runs_of_a_long_table_are_put_in_order() -> None:
    scores = read_score_table(SAMPLES / "scores_long.jsonl")
    assert scores.systems["one"].tolist() == [[0], [1]]
    assert scores.systems["two"].tolist() == [[1]]


@given(
    st.lists(
        st.tuples(st.floats(-1e100, 1e100) | st.just(float("nan")), st.floats(-1, 1)),
        min_size=1,
        max_size=6,
    )
)
def test_wide_and_long_tables_hold_the_same_numbers(rows: list[tuple[float, float]]) -> None:
    wide = "id,A,B\n" + "".join(f"i{n},{a!r},{b!r}\n" for n, (a, b) in enumerate(rows))
    long = "system\titem\tscore\n" + "".join(
        f"A\ti{n}\t{a!r}\nB\ti{n}\t{b!r}\n" for n, (a, b) in enumerate(rows)
    )
    with tempfile.TemporaryDirectory() as folder:
        paths = write(Path(folder), "w.csv", wide), write(Path(folder), "l.tsv", long)
        if all(np.isnan(a) for a, _ in rows):
            with fails("system 'A' has no score at all. Leave it out"):
                read_score_table(paths[0])
            return
        first, second = (read_score_table(path) for path in paths)
    assert first.notes == second.notes
    assert first.items == second.items
    for name, column in zip("AB", zip(*rows, strict=True), strict=True):
        np.testing.assert_array_equal(first.systems[name], [column])
        np.testing.assert_array_equal(second.systems[name], [column])


def test_segments_counted_within_documents_get_names_of_their_own(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "doc,seg,A,B\nd1,1,0,1\nd1,2,1,1\nd2,1,0,0\n")
    loaded = read_score_table(path)
    assert loaded.items == ("d1:1", "d1:2", "d2:1")
    assert "1 item name (first: '1') occur in several documents" in loaded.notes[0]


def test_rows_without_names_are_numbered_and_columns_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, "x.tsv", "A\tB\tdomain\n1\t2\tnews\n3\t4\tnews\n")
    loaded = read_score_table(path, systems=["B"])
    assert loaded.items == ("1", "2")
    assert loaded.systems["B"].tolist() == [[2, 4]]
    assert loaded.notes == (f"{path}: 2 columns not used: A, domain.",)
    odd = write(tmp_path, "y.csv", "model,q,z,part\nA,1,0.5,d\nB,1,1,d\n")
    roles = {"item": "q", "score": "z", "document": "part"}
    assert read_score_table(odd, columns=roles).documents == ("d",)


def test_a_long_table_with_several_metrics_needs_a_choice(tmp_path: Path) -> None:
    path = write(
        tmp_path, "x.csv", "system,item,metric,score\nA,1,chrF,50\nA,1,COMET,0.5\nA,2,COMET,1\n"
    )
    loaded = read_score_table(path, metric="COMET")
    assert loaded.metric == "COMET"
    assert loaded.systems["A"].tolist() == [[0.5, 1]]
    assert loaded.notes == (f"{path}: 1 row of other metrics left out.",)
    with fails("x.csv: column 'metric' holds 2 metrics: chrF, COMET. Choose one with metric="):
        read_score_table(path)
    with fails("x.csv: column 'metric' holds no metric 'BLEU'. Found: chrF, COMET."):
        read_score_table(path, metric="BLEU")


def test_each_system_may_have_tables_of_its_own(tmp_path: Path) -> None:
    one = write(tmp_path, "1.csv", "item,score,run\na,1,x\nb,0,x\n")
    two = write(tmp_path, "2.csv", "item,score\nb,1\na,0.5\n")
    loaded = read_score_table({"A": [one, two], "B": two}, systems=["B", "A"])
    assert list(loaded.systems) == ["B", "A"]
    assert loaded.items == ("b", "a")
    assert loaded.systems["A"].tolist() == [[0, 1], [1, 0.5]]
    with fails("a table per system cannot be wide", "Give layout='long'"):
        read_score_table({"A": one}, layout="wide")
    other = write(tmp_path, "3.csv", "item,score,metric\na,1,X\n")
    with fails("the tables hold different metrics: no name, X."):
        read_score_table({"A": two, "B": other})


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("item,A,B\n1,0.5,x\n", ("x.csv, line 2, column 'B': expected a score, found 'x'.",
                                 "Write a finite number", "name its column: --column score=NAME")),
        ('item,A\n1,"0,5"\n', ("line 2, column 'A': expected a score, found '0,5'. Write decimals",)),
        ("item,A\n1,inf\n", ("line 2, column 'A': expected a score, found 'inf'",)),
        ("item,A\n1,1_0\n", ("expected a score, found '1_0'",)),
        ("item,A\n1,1e999\n", ("expected a score, found '1e999'",)),
        ("item,A\n1,1\n1,2\n", ("x.csv, line 3: a second score for system 'A', item '1'",
                                "the first is in ", "x.csv, line 2. Keep one, or number")),
        ("item,A\n,1\n", ("x.csv, line 2, column 'item': the cell is empty. Fill it in.",)),
        ("system,item,score\nA,1,1\nA,2,1\nA,1,0\n", ("x.csv, line 4: a second score for",)),
        ("system,item,score,run\nA,1,1,1\nA,1,1,2\nA,1,0,2\n", ("'A', run 2, item '1'",)),
        ("system,item,score\nA,1,one\n", ("x.csv, line 2, column 'score': expected a score",)),
        ("system,item,score\n,1,1\n", ("x.csv, line 2, column 'system': the cell is empty.",)),
        ("system,x,score\nA,1,1\n", ("a long table needs a column for the item. Name it 'item'",
                                     "columns={'item': …}", "Found: system, x, score.")),
        ("system,item,score\nA,1,1\nB,2,1\n", ("no item was scored for all 2 systems: A, B.",)),
        ("item,A,B\n1,,1\n", ("system 'A' has no score at all. Leave it out, or look at its file.",)),
        ("item,doc\n1,d\n", ("there is no column with scores.", "Found: item, doc")),
        ("system,item,score,doc\nA,1,1,d\nA,2,1,\n", ("line 3, column 'doc': the cell is empty",)),
    ],
)  # fmt: skip
def test_a_bad_score_is_named(tmp_path: Path, content: str, parts: tuple[str, ...]) -> None:
    with fails(*parts):
        read_score_table(write(tmp_path, "x.csv", content))


def test_wrong_choices_are_refused() -> None:
    wide, long = SAMPLES / "scores_wide.csv", SAMPLES / "scores_long.csv"
    with pytest.raises(InputError, match=r"`layout` must be one of auto, wide, long; got 'x'"):
        read_score_table(wide, layout="x")  # type: ignore[arg-type]
    with fails("a long table needs a column for the score"):
        read_score_table(wide, layout="long")
    with fails("a wide table has no run column, and columns chooses one."):
        read_score_table(wide, columns={"run": "one"})
    with fails("there is no system 'x'. Found: one, two."):
        read_score_table(wide, systems=["x"])
    with pytest.raises(DataError, match=r"there is no system 'x'\. Found: one, two"):
        read_score_table(long, systems=["x"])


def test_a_system_can_be_left_out_of_a_long_table() -> None:
    loaded = read_score_table(SAMPLES / "scores_long.csv", systems=["one"])
    assert loaded.notes == ("1 system left out as asked: two.",)


@pytest.mark.golden
def test_the_official_segment_scores_of_wmt21_are_read(tmp_path: Path) -> None:
    """Icelandic-English as a long table: the reader gathers what polars pivots."""
    import polars as pl

    frame = pl.read_parquet(reference_data("data", "wmt", "wmt21_22_toen_segscores.parquet"))
    frame = frame.filter(pl.col("campaign") == "wmt21.is-en")
    path = tmp_path / "is-en.parquet"
    frame.write_parquet(path)
    scores = read_score_table(path, columns={"score": "z"})
    wide = frame.pivot(on="system", index="sid", values="z")
    assert scores.items == tuple(map(str, wide["sid"]))
    for name in wide.columns[1:]:
        np.testing.assert_array_equal(
            scores.systems[name][0], wide[name].fill_null(NAN).to_numpy()
        )


def test_epochs_are_samples_and_seeds_are_runs(tmp_path: Path) -> None:
    text = "system,task,question,cluster,epoch,score\n"
    rows = ["A,s,q1,p,1,1", "A,s,q1,p,2,0", "A,t,q1,r,1,1", "B,s,q1,p,1,1", "B,t,q1,r,2,0"]
    scores = read_score_table(write(tmp_path, "e.csv", text + "\n".join(rows) + "\n"))
    assert scores.repeats == "samples"
    assert (scores.items, scores.tasks) == (("p:q1", "r:q1"), ("s", "t"))
    assert scores.documents == ("p", "r")
    assert scores.averaged().systems["A"].tolist() == [[0.5, 1.0]]
    runs = write(tmp_path, "r.csv", "system,item,seed,score\nA,1,7,1\nA,1,8,0\n")
    assert read_score_table(runs).repeats == "runs"
    both = "system,item,seed,epoch,score\nA,1,7,1,1\nA,1,7,2,0\n"
    assert read_score_table(write(tmp_path, "b.csv", both)).repeats == "samples"
    with fails("column 'seed' holds runs, column 'epoch' samples of an item"):
        read_score_table(write(tmp_path, "c.csv", both + "A,1,8,1,0\n"))
    one = write(tmp_path, "d.csv", "item,sample,score\n1,1,0\n1,2,1\n")
    assert read_score_table({"A": one}).repeats == "samples"
    with fails("column 'sample' holds samples, and 'A' has 2 tables, which are runs"):
        read_score_table({"A": [one, one]})


def test_an_item_name_of_several_tasks_is_told_apart(tmp_path: Path) -> None:
    text = "system,task,item,score\nA,s,1,1\nA,t,1,0\n"
    loaded = read_score_table(write(tmp_path, "t.csv", text))
    assert loaded.items == ("s:1", "t:1")
    assert loaded.notes == (
        "1 item name (first: '1') occur in several tasks; items are named task:item.",
    )


def test_languages_and_tasks_are_both_tasks(tmp_path: Path) -> None:
    text = "system,lp,task,item,score\nA,en-de,s,1,1\nA,en-cs,s,2,0\nA,en-cs,t,3,0\n"
    scores = read_score_table(write(tmp_path, "l.csv", text))
    assert scores.tasks == ("en-de:s", "en-cs:s", "en-cs:t")


@pytest.mark.parametrize(("name", "missing"), [("epochs", 0.0), ("epochs_unbalanced", 0.077)])
def test_the_reference_tables_of_epochs(name: str, missing: float) -> None:
    scores = read_score_table(reference_data("data", "evals", f"{name}.csv"))
    assert (scores.n_items, scores.incomplete(), scores.repeats) == (130, (), "samples")
    assert scores.task_names == ("math", "reading", "code")
    assert len(set(scores.documents or ())) == 90
    lost = np.mean([scores.missing_share(system) for system in "AB"])
    assert lost == pytest.approx(missing, abs=0.0005)


def test_eighty_thousand_answers_are_read_without_polars(tmp_path: Path) -> None:
    """Loading polars would take longer than reading them."""
    rows = (
        f"m,t{t},q{i},{k},{(i + k) % 2}"
        for t in range(20)
        for k in range(4)
        for i in range(1000)
    )
    (tmp_path / "big.csv").write_text("\n".join(["system,task,item,sample,score", *rows]))
    program = (
        "import sys; from detectable.data.scores.read_scores import read_scores;"
        f"table = read_scores({str(tmp_path / 'big.csv')!r});"
        "print(table.n_items, table.systems['m'].sum(), 'polars' in sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["20000", "40000.0", "False"]
