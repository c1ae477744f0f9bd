"""Every result that a command returns is shown by a function of the table."""

import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib import import_module

import pytest

import detectable
from detectable.core.errors import InputError
from detectable.core.result import Result
from detectable.report.blocks import Block, Repeat, Table, Text, Verdict
from detectable.report.blocks_of import BASES, KINDS, blocks_of, check_order
from detectable.report.render.csv import render_csv
from detectable.report.render.latex import render_latex
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from tests.report import results
from tests.report.results import RESULTS, SIGNATURE

NAMES = sorted(RESULTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(Result):
    def summary(self) -> str:
        return "Nobody shows this."


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(Unknown):
    n: int
    mean: float
    each: tuple[int, ...]
    name: str


def _classes() -> Iterator[type[Result]]:
    for found in pkgutil.walk_packages(detectable.__path__, "detectable."):
        if not found.name.startswith(("detectable.cli", "detectable.__main__")):
            import_module(found.name)
    waiting = [Result]
    while waiting:
        kinds = waiting.pop().__subclasses__()
        waiting += kinds
        yield from (kind for kind in kinds if kind.__module__.startswith("detectable."))


SHOWN = {name for name, kind in (KINDS | BASES).items() if kind.shown} | {"Result"}

# Results of the library alone: no command returns them.
LIBRARY_ONLY = {
    *("PairedPermutation", "Randomization", "SwapCalibration", "MarginTest"),
    "Planned",  # the base of Plan, which is shown
}


def shown_as(kind: type) -> str:
    """Return the first row of the table that a class falls under."""
    return next(base.__name__ for base in kind.__mro__ if base.__name__ in SHOWN)


def test_every_result_has_a_row_or_belongs_to_the_library_alone() -> None:
    without = {kind.__name__ for kind in _classes() if shown_as(kind) == "Result"}
    assert without == LIBRARY_ONLY


def test_every_row_names_a_class_and_has_a_result_made_by_hand() -> None:
    assert {kind.__name__ for kind in _classes()} | {"Result"} >= SHOWN
    by_library = {"CampaignPairs", "SwapFit"}  # in tests/frozen/variants.py
    made = {shown_as(type(result)) for result in RESULTS.values()}
    assert made == SHOWN - by_library


@pytest.mark.parametrize("name", NAMES)
def test_verdict_first_and_repeat_last(name: str) -> None:
    made = blocks_of(RESULTS[name])
    assert isinstance(made[0], Verdict)
    assert made[0].headline.strip()
    assert made[-1] == Repeat(str(RESULTS[name].signature))
    assert sum(isinstance(block, Verdict) for block in made) == 1
    assert sum(isinstance(block, Repeat) for block in made) == 1


@pytest.mark.parametrize("name", NAMES)
def test_notes_of_a_result_are_a_block(name: str) -> None:
    result = RESULTS[name]
    if "notes" not in {field.name for field in fields(result)}:
        return
    said = [block for block in blocks_of(result) if isinstance(block, Text)]
    points = [point for block in said if block.role == "note" for _, point in block.points]
    assert points == list(result.notes)  # type: ignore[attr-defined]
    assert points


@pytest.mark.parametrize("name", NAMES)
def test_every_form_of_every_result_can_be_made(name: str) -> None:
    made = blocks_of(RESULTS[name], command="detectable it")
    headline = made[0].headline  # type: ignore[union-attr]
    assert headline.split()[0] in render_text(made)
    signature = str(RESULTS[name].signature)
    for render in (render_latex, render_markdown, render_page):
        assert signature in render(made)
    for block in made:
        if isinstance(block, Table):
            assert render_csv(made, block.id).startswith(block.columns[0].key)


@pytest.mark.parametrize("name", NAMES)
def test_tables_of_a_result_have_names_and_columns_of_their_own(name: str) -> None:
    tables = [block for block in blocks_of(RESULTS[name]) if isinstance(block, Table)]
    ids = [table.id for table in tables]
    assert len(set(ids)) == len(ids)
    for table in tables:
        keys = [column.key for column in table.columns]
        assert len(set(keys)) == len(keys)
        assert table.columns[0].keep == 1


def test_a_kind_of_answer_is_shown_by_the_row_of_its_base() -> None:
    for answer in (results.detectable_effect(), results.sample_size()):
        assert isinstance(blocks_of(answer)[1], Table)


def test_the_command_goes_into_the_last_block() -> None:
    plain = results.cheapest_design(nearby=())  # without a chart: two of them are never equal
    made = blocks_of(plain, command="detectable plan new")
    assert made[-1] == Repeat(str(SIGNATURE), "detectable plan new")
    assert made[:-1] == blocks_of(plain)[:-1]


def test_a_result_without_a_row_shows_its_summary_and_its_plain_values() -> None:
    made = blocks_of(Unknown(signature=SIGNATURE), command="it")
    assert made == (Verdict("info", "Nobody shows this."), Repeat(str(SIGNATURE), "it"))
    counted = blocks_of(Counted(n=3, mean=0.5, each=(1, 2), name="x", signature=SIGNATURE))
    assert isinstance(counted[1], Table)
    assert counted[1].texts() == [("n", "3"), ("mean", "0.5"), ("name", "x")]


VERDICT, REPEAT, TEXT = Verdict("info", "A."), Repeat("x"), Text("note", "Notes")


@pytest.mark.parametrize(
    "blocks",
    [
        (),
        (VERDICT,),
        (REPEAT,),
        (TEXT, VERDICT, REPEAT),
        (VERDICT, REPEAT, TEXT),
        (VERDICT, VERDICT, REPEAT),
        (VERDICT, REPEAT, REPEAT),
        (REPEAT, VERDICT),
    ],
)
def test_another_order_is_refused(blocks: tuple[Block, ...]) -> None:
    names = ", ".join(type(block).__name__ for block in blocks)
    with pytest.raises(InputError, match="Toy must show one verdict first") as error:
        check_order(blocks, "Toy")
    assert str(error.value).endswith(f"got {names}.")


def test_the_right_order_is_accepted() -> None:
    check_order((VERDICT, REPEAT), "Toy")
    check_order((VERDICT, TEXT, REPEAT), "Toy")
