"""What a plan shows, against one made by hand."""

from detectable.report.blocks import Repeat, Verdict
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.plan()) == ["Verdict", "looks", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.plan(), "Verdict") == Verdict(
        status="info",
        headline="Planned: new against old, better or worse, by paired-mean, up to 1,001 items, error rate 0.05.",
        detail=(
            "The claims will be about the raters who judge; unit='rater' or test='mixed' is about raters like them.",
            "If the standard deviation of the difference of an item is 20 (assumed: a fifth of the scale), 1,001 items show a difference of 2.15 or more with 90% power.",
            "At most 2,002 judgments; about 1,973 expected without a difference, 1,412 with one of 2.15.",
            "Frozen in ship.json; looks will be kept in ship.ledger.jsonl.",
        ),
    )


def test_the_table_of_looks() -> None:
    table = table_of(results.plan(), "looks")
    assert (table.title, table.breaks, table.folded) == ("Planned looks (Pocock)", (), False)
    assert columns(table) == [
        "look: look, count",
        "share: share, share",
        "items: items, count",
        "z: stop at |z| / |z| ≥, number",
        "futility: give up below / futile <, number",
        "alpha_spent: α spent, p",
    ]
    assert rows(table) == [
        "1 | 50% | 501 | 2.178 | – | .0294",
        "2 | 100% | 1,001 | 2.178 | – | .0500",
    ]
    assert csv_lines(table) == [
        "look,share,items,z,futility,alpha_spent",
        "1,0.5,501,2.178272088727437,,0.029385785866272832",
        "2,1.0,1001,2.178272088727437,,0.05000000000000006",
    ]


def test_repeat() -> None:
    assert block_of(results.plan(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_the_boundaries_of_several_pairs_are_those_of_the_first_decision() -> None:
    made = results.plan(systems=("new", "third", "old"))
    found = block_of(made, "Verdict")
    assert isinstance(found, Verdict)
    assert found.detail[-2:] == (
        "Frozen in ship.json; looks will be kept in ship.ledger.jsonl.",
        "Boundaries of the first decision among 2 pairs; each decision lowers them for the "
        "others.",
    )
    half = made.design_at(0.025).z[0]
    assert table_of(made, "looks").column("z") == (half, half)
    assert half > table_of(results.plan(), "looks").column("z")[0]


def test_a_plan_without_an_end_has_no_looks_to_show() -> None:
    for changes in ({"test": "e-process"}, {"test": "e-process", "n_max": None}):
        made = results.plan(systems=("new", "third", "old"), design={}, **changes)
        assert shown(made) == ["Verdict", "Repeat"]
        found = block_of(made, "Verdict")
        assert isinstance(found, Verdict)
        # About whom, why no power, where, and how many judgments at most if there is an end.
        assert len(found.detail) == 3 + ("n_max" not in changes)


def test_bounds_that_cannot_be_reached_are_dashes() -> None:
    design = {"family": "ld-obf", "looks": 10, "futility": "predictive-power"}
    table = table_of(results.plan(design=design, alpha=1e-6, n_max=1000), "looks")
    assert table.texts()[0] == ("1", "10%", "100", "–", "–", "<.0001")
    assert table.column("items") == tuple(range(100, 1001, 100))
    assert table.column("futility")[5] is not None
