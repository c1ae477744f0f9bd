"""The table of the README counts what the lists hold."""

import pytest

from replications.listed import KINDS, Kind, Total
from replications.totals import HERE, LISTS, added, lines, totals

README = (HERE / "README.md").read_text(encoding="utf-8").splitlines()
STATED: dict[str, tuple[Total, Total, Total]] = {
    "wei2022": (Total(46, 57), Total(0, 0), Total(0, 0)),
    "estrella2007": (Total(0, 0), Total(0, 0), Total(0, 0)),
    "clark2011": (Total(0, 0), Total(0, 0), Total(52, 52)),
    "graham2020": (Total(5, 5), Total(0, 0), Total(342, 342)),
    "card2020": (Total(36, 45), Total(8, 8), Total(0, 0)),
}


@pytest.mark.parametrize(("paper", "counts"), totals().items())
def test_the_readme_states_the_counts(paper: str, counts: dict[Kind, Total]) -> None:
    assert tuple(counts.values()) == STATED[paper]
    line = next(line for line in README if line.startswith(f"| [{paper}]("))
    assert line.endswith(f" | {' | '.join(str(counts[kind]) for kind in KINDS)} |")


def test_the_columns_are_named_and_added_up() -> None:
    whole = added(totals().values())
    assert f"| paper | {' | '.join(KINDS.values())} |" in README
    assert f"| all five | {' | '.join(str(whole[kind]) for kind in KINDS)} |" in README
    text = (HERE.parent / "README.md").read_text(encoding="utf-8")
    said = f"[{whole['paper']}](replications/README.md) come out, of their authors' code and data {whole['authors']}, of other published results {whole['others']}."
    assert said in " ".join(text.split())


def test_the_folder_of_a_paper_states_its_count() -> None:
    for paper, counts in totals().items():
        text = (HERE / paper / "README.md").read_text(encoding="utf-8")
        said = [str(total) for total in counts.values() if total.stated]
        assert all(one in text for one in said), paper


def test_every_folder_and_every_list_is_counted() -> None:
    folders = {path.parent.name for path in HERE.glob("*/replicate.py")}
    assert set(totals()) == folders
    lists = {(path.parent.name, path.name) for path in HERE.glob("*/*.toml")}
    assert lists == {(paper, name) for paper, names in LISTS.items() for name in names}


def test_they_are_printed_side_by_side() -> None:
    head, *rows, last = lines()
    assert head.split("  ")[-1] == "other published results"
    assert [row.split()[0] for row in rows] == list(totals())
    assert "87 of 107" in last
