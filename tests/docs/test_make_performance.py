"""The performance page is written from what the benchmarks found, and the README agrees with it."""

import re
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.results import Found, code_of, is_current, keep, kept, table
from benchmarks.sections import SECTIONS
from benchmarks.timing import Kind, Row
from scripts.make_performance import PAGE, README, Unfit, main, speed, tables, times, written

WHOLE: Kind = "whole command"
CALL: Kind = "in process"
NEEDED = (
    *("BLEU", "chrF", "TER", "BLEU and chrF, 10 systems", "BLEU, no .pyc file"),
    *("BLEU from files, 10,000,000 segments x 2", "rank, 50,000,000 judgments from Parquet"),
    *("gate, 80,000 answers", "1,000,000 battles, errors by prompt, ranks"),
)


def _against(what: str, peer: float, ours: float, note: str = "") -> Row:
    found = f"{peer:.3f} / {ours:.3f} s"
    return Row(
        what=what,
        kind=WHOLE,
        found=found,
        against="sacreBLEU",
        peer=peer,
        ours=ours,
        note=note,
    )


ROWS = (
    _against("BLEU", 2.8, 0.25, "median of 5; 318 / 84 MB (asked: 8x)"),
    _against("chrF", 4.0, 0.3),
    _against("TER", 60.0, 0.4),
    _against("BLEU and chrF, 10 systems", 15.0, 0.5),
    _against("BLEU, no .pyc file", 3.4, 0.8),
    Row(what="mixed fit", kind=CALL, found="not measured", against="lmer", note="no R here"),
    Row(what="gate, 80,000 answers", kind=WHOLE, found="0.58 s", note="(asked: 1 s)"),
    Row(what="1,000,000 battles, errors by prompt, ranks", kind=CALL, found="1.72 s"),
    Row(what="planner, bleu", kind=CALL, found="12 ms"),
    Row(what="tasks", kind=CALL, found="exponent 1.03", note="100: 1.00 s  200: 2.04 s"),
    Row(
        what="BLEU from files, 10,000,000 segments x 2",
        kind=WHOLE,
        found="1.26 GB, 195 s CPU",
        note="(asked: 3 GB)",
    ),
    Row(what="rank, 50,000,000 judgments from Parquet", kind=WHOLE, found="1.67 GB, 364 s CPU"),
)
FOUND = [
    Found("startup", ROWS[:6], "code", "2026-11-16", 3.4, 2),
    Found("memory", ROWS[6:], "code", "2026-11-17", 12.6, 2),
]


def test_ratios_say_against_what_and_how_they_were_measured() -> None:
    made = tables(FOUND)["ratios"].split("\n")
    assert made[0] == "| what | against | times less CPU | measured as |"
    assert made[2] == "| BLEU | sacreBLEU | 11 | whole command; median of 5; 318 / 84 MB |"
    assert made[6] == "| BLEU, no .pyc file | sacreBLEU | 4.2 | whole command |"
    assert len(made) == 7


def test_every_row_without_a_peer_is_in_one_table() -> None:
    made = tables(FOUND)
    assert made["short"].endswith("| gate, 80,000 answers | 0.58 s | whole command |")
    assert "| tasks | exponent 1.03 | in process; 100: 1.00 s  200: 2.04 s |" in made["growth"]
    names = [row.what for row in ROWS if not row.against]
    together = "".join(made[name] for name in ("short", "memory", "growth", "calls"))
    assert [together.count(f"| {name} |") for name in names] == [1] * len(names)


def test_a_peer_that_was_not_there_is_named() -> None:
    assert tables(FOUND)["missing"].endswith("| mixed fit | lmer | no R here |")
    assert tables([FOUND[1]])["missing"] == "None."


def test_the_machine_is_told_with_its_load() -> None:
    said = tables(FOUND)["machine"]
    assert said.startswith("Measured 2026-11-16 to 2026-11-17 on 2 cores")
    assert "3 to 13 processes wanted a core" in said
    assert "sacrebleu 2.6" in said


def test_the_readme_has_every_figure_and_its_kind() -> None:
    said = speed(FOUND)
    assert "BLEU 11×, chrF 13×, TER 150×; BLEU and chrF of 10 systems 30×; BLEU without" in said
    assert "fresh container, 4.2×" in said
    assert "2 × 10 million segments needs 1.26 GB" in said
    assert "judgments 1.67 GB, a gate of 80,000 answers 0.58 s of CPU. In process: " in said
    assert said.count("hole commands") == 2


@pytest.mark.parametrize("what", NEEDED)
def test_a_figure_of_the_readme_that_was_not_measured_is_missed(what: str) -> None:
    rest = tuple(row for row in ROWS if row.what != what)
    with pytest.raises(Unfit, match=re.escape(what)):
        speed([Found("startup", rest, "code", "2026-11-16", 3.4, 2)])


def test_ratios_are_rounded_to_what_was_measured() -> None:
    assert [times(x) for x in (3.14, 9.94, 9.96, 12.6, 1670.2)] == [
        *("3.1", "9.9", "10", "13", "1,670")
    ]
    with pytest.raises(Unfit):
        times(None)


def test_only_what_is_between_the_markers_is_written() -> None:
    page = "a\n<!-- table x -->\nold\n<!-- end x -->\nb"
    assert written(page, {"x": "new"}) == "a\n<!-- table x -->\n\nnew\n\n<!-- end x -->\nb"
    assert written(page, {"x": "n"}, gap="\n") == "a\n<!-- table x -->\nn\n<!-- end x -->\nb"
    for wrong in ("a", f"{page}{page}", "<!-- end x --><!-- table x -->"):
        with pytest.raises(Unfit, match="once, in this order"):
            written(wrong, {"x": "new"})


def test_nothing_is_written_before_all_was_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    before = PAGE.read_bytes(), README.read_bytes()
    assert main() == 1
    assert "not measured yet: startup, commands" in capsys.readouterr().err
    assert (PAGE.read_bytes(), README.read_bytes()) == before


def test_a_section_is_kept_until_the_code_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path / "bench")
    assert kept("startup") is None
    assert not is_current(None)
    keep("startup", ROWS, [1.0, 3.0], code_of("startup"))
    found = kept("startup")
    assert found is not None
    assert (found.rows, found.load) == (ROWS, 2.0)
    assert is_current(found)
    keep("startup", ROWS, [1.0], "other code")
    assert not is_current(kept("startup"))
    assert code_of("startup") != code_of("memory")


def test_all_rows_are_one_table() -> None:
    lines = table(FOUND).split("\n")
    assert len(lines) == 1 + len(ROWS)
    assert re.fullmatch(r"BLEU +sacreBLEU +whole command +2.800 / 0.250 s +11.2x .*", lines[1])


def test_the_readme_says_what_the_page_says() -> None:
    page, readme = PAGE.read_text("utf-8"), README.read_text("utf-8")
    said = readme.split("<!-- table speed -->")[1].split("<!-- end speed -->")[0]
    for name, row in (
        ("BLEU", "BLEU"),
        ("chrF", "chrF"),
        ("TER", "TER"),
        ("BLEU and chrF of 10 systems", "BLEU and chrF, 10 systems"),
        ("fresh container,", "BLEU, no .pyc file"),
    ):
        ratio = re.search(rf"^\| {re.escape(row)} \| sacreBLEU \| ([\d.,]+) \|", page, re.M)
        assert ratio is not None
        assert f"{name} {ratio[1]}×" in said


def test_every_figure_of_the_page_says_how_it_was_measured() -> None:
    page = PAGE.read_text("utf-8")
    for name in ("ratios", "short", "memory", "growth", "calls"):
        body = page.split(f"<!-- table {name} -->")[1].split(f"<!-- end {name} -->")[0]
        rows = body.strip().split("\n")[2:]
        assert rows
        assert all(re.search(r"\| (whole command|in process)\b", row) for row in rows)


def test_every_benchmark_is_a_section() -> None:
    files = {
        path.stem.removeprefix("bench_")
        for path in (PAGE.parents[1] / "benchmarks").glob("bench_*.py")
    }
    assert files == set(SECTIONS)
    assert len(SECTIONS) == len(files)
