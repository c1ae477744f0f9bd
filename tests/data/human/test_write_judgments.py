"""What is written is read again as it was."""

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.data.files.content import FileContent
from detectable.data.files.place import is_missing
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import NAMES, Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.write_judgments import (
    ENDINGS,
    RaterCodes,
    judgments_csv,
    recoded,
    recoded_table,
    write_judgments,
)
from tests.data.sample_files import SAMPLES, fails

FOLDER = SAMPLES / "judgments"
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5).filter(
    lambda name: not is_missing(name) and not set(name) & set("\n\r\t")
)
patient = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


def same(one: Judgments, other: Judgments) -> None:
    np.testing.assert_equal(one.to_columns(), other.to_columns())
    assert one.scale == other.scale


def back(judgments: Judgments, ending: str) -> Judgments:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"j{ending}"
        write_judgments(judgments, path)
        return read_judgments(path)


@st.composite
def tables(draw: st.DrawFn) -> Judgments:
    scale = draw(st.sampled_from([(0.0, 100.0), (-np.inf, 0.0), (-np.inf, np.inf), (1.0, 7.0)]))
    n = draw(st.integers(1, 6))
    low, high = max(scale[0], -1e6), min(scale[1], 1e6)
    columns: dict[str, Any] = {
        "score": draw(
            st.lists(
                st.floats(low, high) | st.integers(int(low), int(high)), min_size=n, max_size=n
            )
        )
    }
    roles = draw(st.sets(st.sampled_from(NAMES)))
    for role in ("system", "item", *sorted(roles)):
        columns[role] = draw(st.lists(names, min_size=n, max_size=n))
    if draw(st.booleans()):
        columns["kind"] = draw(st.lists(st.sampled_from(KINDS), min_size=n, max_size=n))
    if draw(st.booleans()):
        times = st.floats(0, 1e6) | st.just(float("nan"))
        columns["seconds"] = draw(st.lists(times, min_size=n, max_size=n))
    try:
        return Judgments.build(columns, scale=scale, repeated="mark")
    except DataError:  # by chance, mixed scales
        return Judgments.build({**columns, "score": [low] * n}, scale=scale, repeated="mark")


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize("ending", ENDINGS)
@patient
@given(judgments=tables())
def test_any_table_comes_back(ending: str, judgments: Judgments) -> None:
    same(back(judgments, ending), judgments)


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_every_sample_comes_back(name: str, ending: str) -> None:
    judgments = read_judgments(FOLDER / name)
    same(back(judgments, ending), judgments)


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize(
    "scores", [[0.0, 1.0] * 20, [1.0, 2.0, 3.0, 4.0, 5.0] * 8, [*[1.0, 3.0, 5.0] * 14, 55.0]]
)
def test_a_scale_that_the_scores_do_not_show_comes_back(scores: list[float]) -> None:
    n = len(scores)
    columns = {"system": ["A"] * n, "item": [str(i) for i in range(n)], "score": scores}
    for ending in ENDINGS:
        made = Judgments.build(columns, scale=(0.0, 100.0))
        same(back(made, ending), made)


@pytest.mark.usefixtures("sound_parquet")
def test_line_breaks_need_a_format_that_holds_them(tmp_path: Path) -> None:
    judgments = Judgments.build({"system": ["A\nB"], "item": ["a\tb"], "score": [1]})
    for ending in (".csv", ".tsv"):
        with fails("the system 'A\\nB' holds a line break", "Write .jsonl or .parquet"):
            write_judgments(judgments, tmp_path / f"j{ending}")
    for ending in (".jsonl", ".parquet"):
        same(back(judgments, ending), judgments)


@pytest.mark.usefixtures("sound_parquet")
def test_nothing_is_overwritten_unless_allowed(tmp_path: Path) -> None:
    judgments = read_judgments(FOLDER / "table.csv")
    path = tmp_path / "j.csv"
    path.write_text("precious")
    with fails("exists already"):
        write_judgments(judgments, path)
    assert path.read_text() == "precious"
    write_judgments(judgments, path, overwrite=True)
    same(read_judgments(path), judgments)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("sound_parquet")
def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    judgments = read_judgments(FOLDER / "table.csv")
    with pytest.raises(InputError, match=r"must end in \.csv, \.tsv, \.jsonl, \.parquet; got"):
        write_judgments(judgments, tmp_path / "j.xlsx")
    with fails("cannot be written: No such file or directory"):
        write_judgments(judgments, tmp_path / "absent" / "j.csv")


@pytest.mark.usefixtures("sound_parquet")
def test_a_scale_that_differs_between_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    text = "system,item,score,scale_low,scale_high\nA,1,2,0,{}\nB,1,2,0,7\n"
    path.write_text(text.format(5))
    with fails("column 'scale_high': all rows must have one number", "found 5, 7"):
        read_judgments(path)
    path.write_text(text.format("0_7"))
    with fails("column 'scale_high': all rows must have one number", "found 0_7, 7"):
        read_judgments(path)
    path.write_text(text.format("wide"))
    with fails("column 'scale_high': all rows must have one number", "found 7, wide"):
        read_judgments(path)
    assert read_judgments(path, scale=(0, 9)).scale == (0.0, 9.0)


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "scale", [(0.0, 100.0), (-25.0, 0.0), (0.0, 1.0), (-np.inf, 0.0), (1.0, np.inf)]
)
def test_the_scale_is_kept(ending: str, scale: tuple[float, float], tmp_path: Path) -> None:
    score = max(scale[0], -1.0) if scale[1] <= 0 else min(scale[1], 1.0)
    columns = {"system": ["A", "B"], "item": [1, 1], "score": [score, score]}
    judgments = Judgments.build(columns, scale=scale)
    same(back(judgments, ending), judgments)
    write_judgments(judgments, tmp_path / "j.csv")
    header = (tmp_path / "j.csv").read_text().splitlines()[0]
    assert header.endswith(",scale_low,scale_high") == (scale != (0.0, 100.0))


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_size_of_blocks_does_not_show(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Judgments.build(
        {
            "system": ["A", "=B", 'C "c", d'] * 3,
            "item": [1, 1, 1, 2, 2, 2, 3, 3, 3],
            "rater": ["r"] * 9,
            "score": [
                1.0,
                2.0,
                3.0,
                4.0,
                5.0,
                6.0,
                7.0,
                8.0,
                0.5,
            ],  # the last one makes it real
            "seconds": [1.0, 2.0, None, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        },
        scale=(0.0, 10.0),
    )
    write_judgments(table, tmp_path / f"a{ending}")
    monkeypatch.setattr("detectable.data.human.write_judgments._BLOCK", 2)
    write_judgments(table, tmp_path / f"b{ending}")
    assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


@pytest.mark.usefixtures("sound_parquet")
def test_the_text_is_that_of_the_csv_file(tmp_path: Path) -> None:
    judgments = read_judgments(FOLDER / "mqm_newstest2020_ende.tsv")
    write_judgments(judgments, tmp_path / "j.csv")
    assert judgments_csv(judgments).encode() == (tmp_path / "j.csv").read_bytes()


HARMFUL = ["=cmd|' /C calc'!A0", "@SUM(A1)", "+more", "-less", "'=quoted", "'tis", "-1", "＝1"]


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("documents", [False, True])
def test_names_that_look_like_formulas_come_back(
    tmp_path: Path, ending: str, documents: bool
) -> None:
    rows = [(system, item) for system in HARMFUL for item in HARMFUL]
    table: dict[str, list[object]] = {
        "system": [system for system, _ in rows],
        "item": [item for _, item in rows],
        "rater": ["=me"] * len(rows),
        "score": list(range(len(rows))),
    }
    if documents:
        table["document"] = [f"={n % 2}" for n in range(len(rows))]
    kept = Judgments.build(table)
    path = tmp_path / f"a{ending}"
    write_judgments(kept, path)
    found = read_judgments(path)
    for role in ("system", "item", "rater", *(["document"] if documents else [])):
        assert found.column(role).labels() == kept.column(role).labels()
    assert found.score.tolist() == kept.score.tolist()
    if ending in (".csv", ".tsv"):
        cells = path.read_text("utf-8").replace("\n", ",").replace("\t", ",").split(",")
        bad = [cell for cell in cells if cell.strip('"')[:1] in ("=", "+", "@", "＝")]
        assert bad == []
        assert "-1" in cells  # a number is none


@pytest.mark.usefixtures("sound_parquet")
def test_large_tables_with_such_names_are_read_whole(tmp_path: Path) -> None:
    from detectable.core.errors import DataError
    from detectable.data.human.scanned_judgments import scan_judgments

    plain = {"system": ["a", "b"], "item": [1, 1], "score": [1, 2]}
    for systems, whole in ((["a", "b"], False), (["=a", "b"], True)):
        write_judgments(
            Judgments.build({**plain, "system": systems}), tmp_path / f"{whole}.csv"
        )
        if whole:
            with pytest.raises(DataError):
                scan_judgments(tmp_path / f"{whole}.csv")
        else:
            assert scan_judgments(tmp_path / f"{whole}.csv").systems == ("a", "b")


# --- Codes in place of the names of raters, in every form of a table ---

ROWS = {"system": ["A", "B"], "rater": ["ada", "ben"], "item": ["1", "1"], "score": ["7", "8"]}
CSV = "system,rater,item,score\nA,ada,1,7\nB,ben,1,8\n"


def again(path: Path, data: bytes, **columns: str) -> bytes:
    path.write_bytes(data)
    made = recoded_table(FileContent(path), RaterCodes(), columns)
    assert made is not None
    return made


def test_all_forms_of_a_table_are_recoded(tmp_path: Path) -> None:
    wanted = CSV.replace("ada", "R001").replace("ben", "R002")
    assert again(tmp_path / "a.csv", CSV.encode()).decode() == wanted
    tabs = CSV.replace(",", "\t").encode()
    assert again(tmp_path / "a.tsv", tabs).decode() == wanted.replace(",", "\t")
    packed = again(tmp_path / "a.csv.gz", gzip.compress(CSV.encode()))
    assert gzip.decompress(packed).decode() == wanted
    quoted = again(tmp_path / "q.csv", b'rater,item,note\nada,1,"x, y"\n')
    assert quoted == b'rater,item,note\nR001,1,"x, y"\n'
    rows = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    found = again(tmp_path / "a.jsonl", lines).decode().splitlines()
    assert [json.loads(line)["rater"] for line in found] == ["R001", "R002"]
    listed = json.loads(again(tmp_path / "a.json", json.dumps(rows).encode()))
    assert [row["score"] for row in listed] == ["7", "8"]
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    made = again(tmp_path / "a.parquet", (tmp_path / "a.parquet").read_bytes())
    (tmp_path / "b.parquet").write_bytes(made)
    assert pl.read_parquet(tmp_path / "b.parquet")["rater"].to_list() == ["R001", "R002"]


def test_the_column_may_be_chosen_and_codes_are_shared(tmp_path: Path) -> None:
    codes = RaterCodes()
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text(CSV.replace("rater", "who"))
    second.write_text(CSV.replace("ada", "cy"))
    assert recoded_table(FileContent(first), codes, {}) is None
    assert b"R002" in (recoded_table(FileContent(first), codes, {"rater": "who"}) or b"")
    assert b"R003" in (recoded_table(FileContent(second), codes, {}) or b"")
    assert codes.n == 3


def test_a_missing_rater_stays_missing(tmp_path: Path) -> None:
    assert again(tmp_path / "a.csv", b"rater,item\n,1\nada,2\n") == b"rater,item\n,1\nR001,2\n"


def test_what_is_no_table_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("A small house.\nrater\n")
    assert recoded_table(FileContent(tmp_path / "out.txt"), RaterCodes(), {}) is None


def test_judgments_without_raters_are_refused() -> None:
    table = {"system": ["A", "B"], "item": [1, 1], "score": [70, 80]}
    with pytest.raises(DataError, match="there are no raters to recode"):
        recoded(read_judgments(table))
