"""What a plan shows, against one made by hand."""

import pytest

from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import AdmissionRow, PlanHistory
from tests.report import results
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.plan()) == [
        *("Verdict", "chart boundaries", "Text", "looks", "Text", "Methods", "Repeat"),
    ]


def test_verdict() -> None:
    assert block_of(results.plan(), "Verdict") == Verdict(
        status="info",
        headline="Planned: 1,001 items at most, 2 looks.",
        detail=(
            "Asked: Ship?",
            "new against old, better or worse, by paired-mean, up to 1,001 items, error rate 0.05.",
            "Frozen in ship.json; looks will be kept in ship.ledger.jsonl.",
        ),
    )


def test_limits_say_what_it_can_find_and_what_it_takes() -> None:
    assert texts(results.plan(), "limits").text == (
        "If the standard deviation of the difference of an item is 20 (assumed: a fifth of the "
        "scale), 1,001 items show a difference of 2.15 or more with 90% power. At most 2,002 "
        "judgments; about 1,973 expected without a difference, 1,412 with one of 2.15. Smaller "
        "differences than 2.15 are usually missed: undecided is not equal."
    )


def texts(plan: Plan, role: str) -> Text:
    return next(b for b in blocks_of(plan) if isinstance(b, Text) and b.role == role)


def test_checks_name_the_fingerprint_and_whom_it_is_about() -> None:
    said = [
        text for _, text in texts(results.plan(fingerprint="0123456789abcdef"), "checks").points
    ]
    assert said == [
        "Frozen on 2026-01-02 03:04 UTC; its fingerprint: 0123456789ab. A plan that was changed "
        "afterwards is refused.",
        "The claims will be about the raters who judge; with raters as units, or the mixed model, "
        "they are about raters like them.",
    ]
    advised = results.watched().plan
    assert any("may be overruled" in text for _, text in texts(advised, "checks").points)


def test_the_picture_shows_the_planned_boundaries() -> None:
    made = block_of(results.watched().plan, "chart boundaries")
    assert isinstance(made, Chart)
    z = results.watched().plan.design_at(0.05).z
    assert made.key
    assert made.title == (
        f"Stops early only at strong evidence: |z| ≥ {z[0]:.2f} after 120 items, {z[-1]:.2f} after 600"
    )
    assert made.alt.endswith(f"Look 5 at 600: |z| ≥ {z[-1]:.2f}.")
    assert made.caption == (
        "z is the difference in standard errors. Blue: better; orange: worse. Grey: giving up is "
        "advised. α: error rate spent up to each look."
    )
    one = block_of(
        results.plan(design={"family": "fixed", "futility": "none"}), "chart boundaries"
    )
    assert isinstance(one, Chart)
    assert one.title == "Stops at |z| ≥ 1.96 after 1,001 items"
    assert "Grey" not in one.caption
    side = results.plan(design={"family": "pocock", "looks": 2, "futility": "none", "sided": 1})
    made = block_of(side, "chart boundaries")
    assert isinstance(made, Chart)
    assert made.title.startswith("Stops early only at strong evidence: z ≥ ")
    assert "orange" not in made.caption
    assert columns(table_of(side, "looks"))[3] == "z: stop at z / z ≥, number"


def test_a_margin_has_no_boundaries_of_z_to_draw() -> None:
    made = results.plan(claim="non-inferior", margin=1.0)
    assert not any(name.startswith("chart") for name in shown(made))
    found = block_of(made, "Methods")
    assert isinstance(found, Methods)
    assert (
        "to test whether new is not worse than old by more than 1 by the mean"
        in found.paragraph
    )


def test_the_paragraph_for_a_paper() -> None:
    made = block_of(results.plan(fingerprint="0123456789abcdef"), "Methods")
    assert isinstance(made, Methods)
    assert made.paragraph == (
        "Before any judgment was seen, a plan was frozen (SHA-256 0123456789ab…): to test whether new "
        "is better or worse than old by the mean difference within items, on up to 1,001 items. It "
        "allowed for 2 looks (planned at 50%, 100% of the maximum) with Pocock boundaries, two-sided, "
        "with an error rate of 0.05 over all looks."
    )
    assert made.cite == ("jennison-turnbull-2000", "pocock-1977")


def test_the_table_of_looks() -> None:
    table = table_of(results.plan(), "looks")
    assert (table.title, table.breaks, table.folded) == ("Planned looks (Pocock)", (), False)
    assert columns(table) == [
        "look: look, count",
        "share: share, share",
        "items: items, count",
        "z: stop at |z| / |z| ≥, number",
        "alpha_spent: α spent, p",
    ]
    assert rows(table) == [
        "1 | 50% | 500 | 2.178 | .0294",
        "2 | 100% | 1,001 | 2.178 | .0500",
    ]
    header, *lines = csv_lines(table)
    assert header == "look,share,items,z,alpha_spent"
    z = 2.178272088727437  # the last digit is another one on another processor
    wanted = [[1, 0.5, 500, z, 0.029385785866272832], [2, 1.0, 1001, z, 0.05]]
    assert [[float(cell) for cell in line.split(",")] for line in lines] == [
        pytest.approx(row, rel=1e-12) for row in wanted
    ]


def test_repeat() -> None:
    assert block_of(results.plan(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_the_boundaries_of_several_pairs_are_those_of_the_first_decision() -> None:
    made = results.plan(systems=("new", "third", "old"))
    assert table_of(made, "looks").note == (
        "Boundaries of the first decision among 2 pairs; each decision lowers them for the others."
    )
    chart = block_of(made, "chart boundaries")
    assert isinstance(chart, Chart)
    assert chart.caption.endswith(
        "Boundaries for 2 pairs together; each decision lowers them for the others."
    )
    half = made.design_at(0.025).z[0]
    assert table_of(made, "looks").column("z") == (half, half)
    assert half > table_of(results.plan(), "looks").column("z")[0]


def test_a_plan_without_an_end_has_no_looks_to_show() -> None:
    for changes in ({"test": "e-process"}, {"test": "e-process", "n_max": None}):
        made = results.plan(systems=("new", "third", "old"), design={}, **changes)
        assert shown(made) == ["Verdict", "Text", "Text", "Methods", "Repeat"]
        found = block_of(made, "Verdict")
        assert isinstance(found, Verdict)
        end = "1,001 items at most" if "n_max" not in changes else "no end"
        assert found.headline == f"Planned: {end}, and a look at any time."
        assert ("At most 3,003 judgments" in texts(made, "limits").text) == (
            "n_max" not in changes
        )


def test_bounds_that_cannot_be_reached_are_dashes() -> None:
    design = {"family": "ld-obf", "looks": 10, "futility": "predictive-power"}
    table = table_of(results.plan(design=design, alpha=1e-6, n_max=1000), "looks")
    assert table.texts()[0] == ("1", "10%", "100", "–", "–", "<.0001")
    assert table.column("items") == tuple(range(100, 1001, 100))
    assert table.column("futility")[5] is not None


# --- What a plan history shows, against one made by hand ---


def test_blocks_in_order_of_plan_history() -> None:
    assert shown(results.watched()) == [
        *("Verdict", "chart path", "Text", "looks", "ledger", "Text", "Methods", "Repeat"),
    ]


def test_verdict_of_plan_history() -> None:
    assert block_of(results.plan_history(), "Verdict") == Verdict(
        status="undecided",
        headline="2 looks so far; the last said «continue». At this trend it ends around look 3.",
        detail=(
            "Asked: Ship?",
            "Planned: new against old, better or worse, by paired-mean, up to 1,001 items, error rate 0.05.",
        ),
    )


@pytest.mark.parametrize(
    ("history", "status", "headline"),
    [
        (
            results.watched(),
            "better",
            "Stopped at look 4: better.",
        ),
        (
            results.watched((-2.0, -3.5), "stop: worse"),
            "worse",
            "Stopped at look 2: worse.",
        ),
        (
            results.watched((1.4, 2.0), "continue"),
            "undecided",
            "2 looks so far; the last said «continue». At this trend it ends around look 4.",
        ),
        (
            results.watched((1.0, 0.5, 0.2), "stop: futile"),
            "undecided",
            "Stopped at look 3: a decision has become unlikely.",
        ),
        (
            results.watched((1.0,) * 5, "stop: undecided"),
            "undecided",
            "Stopped at look 5: undecided at the end.",
        ),
        (results.bet_on(), "better", "Stopped at look 3: better."),
        (
            results.watched(last="stop", systems=("a", "b", "c"), baseline="c"),
            "info",
            "Stopped at look 4: every pair is settled.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_headline_says_how_it_stands(
    history: PlanHistory, status: str, headline: str
) -> None:
    found = block_of(history, "Verdict")
    assert isinstance(found, Verdict)
    assert (found.status, found.headline) == (status, headline)


def test_the_table_of_looks_of_plan_history() -> None:
    table = table_of(results.plan_history(), "looks")
    assert (table.title, table.breaks, table.folded) == ("Looks", (), False)
    assert columns(table) == [
        "look: look, count",
        "system: system, name",
        "baseline: against, name",
        "n_units: n, count, keep 2",
        "judgments: judgments, count, keep 9",
        "information: information, number, keep 9",
        "estimate: difference / diff., signed number",
        "interval: repeated interval, signed interval, keep 3",
        "evidence: evidence, text",
        "needed: needed, text, keep 2",
        "z: z, number, keep 9",
        "z_bound: z bound, number, keep 9",
        "futility_bound: futility bound, number, keep 9",
        "alpha_spent: alpha spent, number, keep 9",
        "e_value: e value, number, keep 9",
        "e_needed: e needed, number, keep 9",
        "decision: decision, text",
        "time: time, text, keep 9",
    ]
    assert rows(table) == [
        "1 | new | old | 60 | 1,240 | 0.4062 | +1.234 | [−0.25, +2.75] | z −1.500 | 2.750 | −1.50 | 2.75 | 0.12 | 0.01 | – | – | continue | 2026-01-02T03:04:05Z",
        "2 | new | old | 120 | 1,240 | 0.4062 | +1.234 | [−0.25, +2.75] | z −1.500 | – | −1.50 | ∞ | 0.12 | 0.01 | – | – | continue | 2026-01-03T03:04:05Z",
    ]
    assert csv_lines(table) == [
        "look,system,baseline,n_units,judgments,information,estimate,interval_low,interval_high,evidence,needed,z,z_bound,futility_bound,alpha_spent,e_value,e_needed,decision,time",
        "1,new,old,60,1240,0.40625,1.2345,-0.25,2.75,z −1.500,2.750,-1.5,2.75,0.125,0.006,,,continue,2026-01-02T03:04:05Z",
        "2,new,old,120,1240,0.40625,1.2345,-0.25,2.75,z −1.500,–,-1.5,inf,0.125,0.006,,,continue,2026-01-03T03:04:05Z",
    ]


def test_repeat_of_plan_history() -> None:
    assert block_of(results.plan_history(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_a_plan_that_was_not_looked_at_has_no_table() -> None:
    made = results.plan_history(looks=(), n_looks=0, decision=None)
    assert shown(made) == [
        *("Verdict", "chart boundaries", "Text", "looks", "Text", "Methods", "Repeat"),
    ]
    found = block_of(made, "Verdict")
    assert isinstance(found, Verdict)
    assert found.headline == "Planned: 1,001 items at most, 2 looks; not looked at yet."


def test_admissions_are_listed_before_the_look_that_saw_them() -> None:
    rows = (
        AdmissionRow(
            look=1, rater="ann", outcome="admitted", n_pairs=4, n_judgments=40, p_value=0.01
        ),
        AdmissionRow(
            look=2, rater="cho", outcome="waiting", n_pairs=1, n_judgments=10, p_value=None
        ),
    )
    made = results.plan_history(admissions=rows)
    assert csv_lines(table_of(made, "admissions")) == [
        "look,rater,outcome,n_judgments,n_pairs,p_value",
        "1,ann,admitted,40,4,0.01",
        "2,cho,waiting,10,1,",
    ]
    assert "admissions" not in shown(results.plan_history())
