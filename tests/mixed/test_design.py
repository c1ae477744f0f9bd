"""Coding of systems, choice of slopes, and designs that cannot be analysed."""

import csv
import json
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
import pytest

from detectable.core.choices import MixedUnit
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.data.factor import Factor, cross, factor
from detectable.data.human.judgments import Judgments
from detectable.mixed.design import (
    Design,
    choose_document,
    choose_document_by_system,
    choose_document_slope,
    contrast_coding,
)
from detectable.mixed.fit import fit_mixed
from detectable.mixed.model import prepare, solve
from detectable.mixed.result import system_contrasts
from tests.calibration import mixed_documents
from tests.helpers import reference_data
from tests.mixed.tables import design, direct_deviance, identified, relative_covariance, table


@pytest.mark.parametrize("k", [2, 3, 7])
def test_contrasts_are_orthogonal_and_treat_systems_alike(k: int) -> None:
    coding = contrast_coding(k)
    assert coding @ coding.T == pytest.approx(2.0 * (np.eye(k) - 1.0 / k))
    assert coding.T @ coding == pytest.approx(2.0 * np.eye(k - 1))


def test_all_slopes_where_the_design_allows() -> None:
    made, _ = design(table())
    assert made.slopes == ("rater", "item")
    assert made.notes == ()
    assert [term.name for term in made.terms] == [
        "rater intercept",
        "item intercept",
        "rater slope",
        "item slope",
    ]


def drop(ratings: dict[str, list[Any]], keep: list[bool]) -> dict[str, list[Any]]:
    return {
        name: [v for v, kept in zip(column, keep, strict=True) if kept]
        for name, column in ratings.items()
    }


def test_items_of_one_system_have_no_slopes() -> None:
    ratings = table(items=10)
    own = [
        int(i[1:]) % 2 == int(s[1:])
        for i, s in zip(ratings["item"], ratings["system"], strict=True)
    ]
    made, _ = design(drop(ratings, own))
    assert made.slopes == ("rater",)
    assert made.notes == ("item slopes dropped: each item was rated for one system only.",)
    with pytest.raises(DataError, match="item slopes cannot be estimated: each item was rated"):
        design(drop(ratings, own), slopes=("item",))


def test_mostly_one_system_is_said_with_counts() -> None:
    ratings = table(items=10)
    own = [
        int(i[1:]) < 4 or int(i[1:]) % 2 == int(s[1:])
        for i, s in zip(ratings["item"], ratings["system"], strict=True)
    ]
    made, _ = design(drop(ratings, own))
    assert made.notes == ("item slopes dropped: 6 of 10 items were rated for one system only.",)


def test_one_rater_per_item_leaves_no_item_slope() -> None:
    ratings = table(items=20)
    own = [
        int(i[1:]) % 5 == int(r[1:])
        for i, r in zip(ratings["item"], ratings["rater"], strict=True)
    ]
    made, _ = design(drop(ratings, own))
    assert made.slopes == ("rater",)
    assert "each item has at most one rating for a system" in made.notes[0]


def test_few_repeated_items_are_said_with_counts() -> None:
    ratings = table(items=20)
    own = [
        int(i[1:]) < 4 or int(i[1:]) % 5 == int(r[1:])
        for i, r in zip(ratings["item"], ratings["rater"], strict=True)
    ]
    made, _ = design(drop(ratings, own))
    assert made.notes[0].startswith("item slopes dropped: 16 of 20 items have one rating per")


def test_no_slopes_as_asked() -> None:
    made, _ = design(table(), slopes="none")
    assert made.slopes == ()
    assert made.notes == (
        "no random slopes of raters and items, as asked: p-values are too small if effects vary "
        "by them.",
    )


@pytest.mark.parametrize(
    ("slopes", "message"),
    [
        ("all", "`slopes` must be 'auto', 'none'"),
        (("document",), "got 'document'. Where documents take part"),
    ],
)
def test_unknown_slopes(slopes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        design(table(), slopes=slopes)


def test_one_rater_or_one_item() -> None:
    one = table(raters=1)
    with pytest.raises(
        DataError, match=r"all 40 ratings are of one rater, 'r0'\. A spread needs"
    ):
        design(one)
    with pytest.raises(DataError, match=r"all 10 ratings are of one item, 'i0'\."):
        design(table(items=1))


def test_one_system_names_what_it_is_aliased_with() -> None:
    ratings = table()
    with pytest.raises(
        DataError, match="there is one system only, 's0': its effect is aliased"
    ):
        design(drop(ratings, [s == "s0" for s in ratings["system"]]))


def test_an_item_per_rating_is_the_residual() -> None:
    ratings = table()
    ratings["item"] = list(range(len(ratings["item"])))
    with pytest.raises(DataError, match="item intercept is aliased with the residual"):
        design(ratings)


def test_raters_that_are_systems() -> None:
    ratings = table()
    ratings["rater"] = ratings["system"]
    with pytest.raises(
        DataError, match=r"rater intercept is aliased with the systems: .*\(2\)"
    ):
        design(ratings, repeats="keep")


def test_raters_that_are_items() -> None:
    ratings = table(items=5)
    ratings["rater"] = [f"r{i}" for i in ratings["item"]]
    with pytest.raises(DataError, match="item intercept is aliased with the rater intercept"):
        design(ratings, repeats="keep")


def test_constant_ratings() -> None:
    ratings = table()
    ratings["score"] = [4] * len(ratings["score"])
    with pytest.raises(DataError, match=r"the judgments: all 200 ratings are 4\."):
        design(ratings)


def test_names_cannot_be_numbers() -> None:
    ratings = table()
    with pytest.raises(
        DataError, match=r"row 0 .*: the system must be a number to be used as such; found 's0'"
    ):
        design(ratings, numeric_system=True)
    ratings["system"] = ["1" if name == "s0" else "inf" for name in ratings["system"]]
    with pytest.raises(DataError, match=r"row 1 .*: the system must be .*; found 'inf'"):
        design(ratings, numeric_system=True)


def test_numbers_are_the_regressor() -> None:
    ratings = table()
    ratings["system"] = [2.5 if name == "s0" else -1.0 for name in ratings["system"]]
    made, _ = design(ratings, numeric_system=True)
    assert (made.numeric, made.coding.tolist()) == (True, [[2.5], [-1.0]])


def test_documents_take_part_where_they_are_known() -> None:
    ratings = table(documents=4)
    made, _ = design(ratings)
    assert list(made.factors) == ["rater", "item", "document", "document:system"]
    assert made.groups == {"rater": 5, "item": 20, "document": 4}
    assert (made.factors["document"].levels, made.notes) == (("d0", "d1", "d2", "d3"), ())
    assert [term.name for term in made.terms] == [
        "rater intercept",
        "item intercept",
        "document intercept",
        "document:system",
        "rater slope",
        "item slope",
    ]
    assert list(design(ratings, unit="item")[0].factors) == ["rater", "item"]
    assert list(design(table())[0].factors) == ["rater", "item"]
    with pytest.raises(
        InputError, match=r"`unit` must be one of auto, item, document; got 'd'"
    ):
        design(ratings, unit="d")


def test_the_formula_is_that_of_the_model() -> None:
    assert design(table())[0].formula == (
        "score ~ system + (1 + system || rater) + (1 + system || item)"
    )
    assert design(table(documents=4), slopes=("rater",))[0].formula == (
        "score ~ system + (1 + system || rater) + (1 | item) + (1 | document)"
        " + (1 | document:system)"
    )


@pytest.mark.parametrize("slopes", ["auto", "none", ("item",)])
def test_documents_may_favour_a_system_whatever_the_slopes(slopes: Any) -> None:
    assert "document:system" in design(table(documents=4), slopes=slopes)[0].factors


def numbered(systems: int) -> dict[str, list[Any]]:
    ratings = table(systems=systems, documents=4)
    ratings["system"] = [int(name[1:]) for name in ratings["system"]]
    return ratings


def test_documents_have_a_slope_of_more_than_two_numbers() -> None:
    two, _ = design(numbered(2), numeric_system=True, slopes=("rater",))
    assert (two.slopes, "document:system" in two.factors) == (("rater",), True)
    many, _ = design(numbered(3), numeric_system=True, slopes=("rater",))
    assert (many.slopes, "document:system" in many.factors) == (("rater", "document"), False)
    assert many.formula.endswith("(1 + system || document)")


# --- Whether documents take part, whether they may favour a system, and what that does ---

ITEM = factor("item", list("aabbccdd"))
FACTORS = {"rater": factor("rater", list("xyxyxyxy")), "item": ITEM}
DOCUMENT = factor("document", list("11112222"))


@pytest.mark.parametrize("unit", ["auto", "document"])
def test_known_documents_take_part(unit: MixedUnit) -> None:
    assert choose_document(DOCUMENT, FACTORS, unit) == (DOCUMENT, ())


def test_items_alone_on_request() -> None:
    assert choose_document(DOCUMENT, FACTORS, "item") == (None, ())
    assert choose_document(None, FACTORS, "item") == (None, ())


def test_unknown_documents_are_no_matter_unless_asked_for() -> None:
    assert choose_document(None, FACTORS, "auto") == (None, ())
    with pytest.raises(
        InputError, match=r"`unit='document'` needs to know .*--column document="
    ):
        choose_document(None, FACTORS, "document")


def test_one_document_is_left_out_and_said() -> None:
    one = factor("document", ["talk"] * 8)
    left, notes = choose_document(one, FACTORS, "auto")
    assert (left, len(notes)) == (None, 1)
    assert notes[0].startswith("documents left out: all items are of one, 'talk'. The claims")
    assert choose_document(one, FACTORS, "document") == (one, ())  # refused by the design


def renamed(same: Factor) -> Factor:
    levels = tuple(f"d{n}" for n in same.levels)
    return Factor(name="document", levels=levels, codes=same.codes)


@pytest.mark.parametrize("unit", ["auto", "document"])
def test_documents_that_are_items(unit: MixedUnit) -> None:
    left, notes = choose_document(renamed(ITEM), FACTORS, unit)
    assert left is None
    assert notes == (
        "every document has one item, so that the two are the same: items stand for both, and "
        "what a document thinks of a system is what its item does.",
    )


def test_documents_that_are_raters() -> None:
    named = renamed(FACTORS["rater"])
    assert choose_document(named, FACTORS, "auto") == (
        None,
        (
            "documents left out: every rater has a document of its own, so the spread of raters "
            "is that of documents too.",
        ),
    )
    assert choose_document(named, FACTORS, "document") == (named, ())  # refused by the design


@pytest.mark.parametrize("unit", ["auto", "document"])
def test_a_design_with_one_item_per_document_is_fitted_by_items(unit: MixedUnit) -> None:
    ratings = table(items=6, documents=6)
    made, y = design(ratings, unit=unit)
    assert (list(made.factors), made.slopes) == (["rater", "item"], ("rater", "item"))
    assert made.notes[0].startswith("every document has one item, so that the two are the same")
    bare, _ = design(ratings, unit="item")
    assert solve(prepare(made, y), y, reml=True).criterion == pytest.approx(
        solve(prepare(bare, y), y, reml=True).criterion
    )


def test_a_design_of_one_document() -> None:
    single = table(items=6)
    single["document"] = ["talk"] * len(single["score"])
    assert list(design(single)[0].factors) == ["rater", "item"]
    with pytest.raises(DataError, match=r"all 60 ratings are of one document, 'talk'"):
        design(single, unit="document")


def test_documents_of_one_system_each_are_refused() -> None:
    ratings = table(items=10)
    own = [
        int(i[1:]) % 2 == int(s[1:])
        for i, s in zip(ratings["item"], ratings["system"], strict=True)
    ]
    half = {name: [v for v, k in zip(c, own, strict=True) if k] for name, c in ratings.items()}
    half["document"] = half["system"]
    with pytest.raises(DataError, match="document intercept is aliased with the systems"):
        design(half)


def chosen(*columns: str, slopes: tuple[str, ...] = ()) -> tuple[Factor | None, str]:
    """Return the cells and the note, from the letters of system, rater, item and document."""
    roles = ("system", "rater", "item", "document")
    system, *others = (factor(r, list(c)) for r, c in zip(roles, columns, strict=True))
    factors = dict(zip(roles[1:], others, strict=True))
    rows = np.column_stack([np.ones(system.n_levels), contrast_coding(system.n_levels)])
    cells, notes = choose_document_by_system(system, factors, slopes, rows[system.codes])
    assert (cells is None) == (len(notes) == 1)
    return cells, " ".join(notes)


@pytest.mark.parametrize(
    ("columns", "slopes", "note"),
    [
        pytest.param(
            ("AAAABBBB", "xyxyxyxy", "iijjkkll", "11112222"),
            (),
            "each document was rated for one system only, so the spread of documents is it",
            id="one system per document",
        ),
        pytest.param(
            ("ABABAB", "xyyxxy", "ijkikj", "112233"),
            (),
            "each document has one rating for a system, so the residual is it",
            id="one rating per cell",
        ),
        pytest.param(
            ("AABBAABB", "wwxxyyzz", "ijijklkl", "11112222"),
            (),
            "every rater has a document and system of its own, so the spread of raters is it",
            id="a rater per cell",
        ),
        pytest.param(
            ("AABBAABB", "xyxyxyxy", "iijjkkll", "11112222"),
            (),
            "every item has a document and system of its own, so the spread of items is it",
            id="an item per cell",
        ),
        pytest.param(
            ("AABBCCAABBCC", "xyxyxyxyxyxy", "iijjiikkllkk", "111111222222"),
            ("item",),
            "each document has one item for a system, so the item slope is it",
            id="an item per cell, some of two systems",
        ),
        pytest.param(
            ("AABBAA", "xyxyxy", "ijijkl", "111122"),
            (),
            "so few documents met several systems that it cannot be told from the rest",
            id="one document of two systems",
        ),
    ],
)
def test_cells_that_another_effect_stands_for(
    columns: tuple[str, ...], slopes: tuple[str, ...], note: str
) -> None:
    assert chosen(*columns, slopes=slopes) == (None, f"document:system left out: {note}.")


@pytest.mark.parametrize(
    ("columns", "slopes"),
    [
        pytest.param(
            ("AABBCCAABBCC", "xyxyxyxyxyxy", "iijjiikkllkk", "111111222222"), (), id="no slope"
        ),
        pytest.param(
            ("AABBAABB", "xyxyxyxy", "ijijklkl", "11112222"), ("item",), id="two items"
        ),
        pytest.param(
            ("AABBAAAAAABB", "xyxyxyxyxyxy", "ijijklklmnmn", "111122223333"),
            (),
            id="a document of one system",
        ),
    ],
)
def test_cells_that_say_something_of_their_own(
    columns: tuple[str, ...], slopes: tuple[str, ...]
) -> None:
    cells, _ = chosen(*columns, slopes=slopes)
    assert cells is not None
    assert cells.levels[0] == "1:A"


@pytest.mark.parametrize("met", ["both", "one"])
def test_documents_have_a_slope_where_they_met_several_numbers(met: str) -> None:
    document = np.repeat(np.arange(4), 4)
    x = np.where((np.arange(16) if met == "both" else document) % 2, 1.0, -1.0)
    factors = {
        "rater": factor("rater", list("xxyy" * 4)),
        "item": factor("item", np.arange(16) // 2),
        "document": factor("document", document),
    }
    found = choose_document_slope(factors, (), np.column_stack([np.ones(16), x]))
    note = (
        "document slopes left out: so few documents met several systems that it cannot be told "
        "from the rest.",
    )
    assert found == ((True, ()) if met == "both" else (False, note))


def drop_of_documents(
    ratings: dict[str, list[Any]], *gone: tuple[str, str]
) -> dict[str, list[Any]]:
    """Return the ratings without some documents in some systems."""
    pairs = zip(ratings["document"], ratings["system"], strict=True)
    kept = [pair not in gone for pair in pairs]
    return {name: list(compress(column, kept)) for name, column in ratings.items()}


THIN = {
    "unequal documents": table(4, 14, 3, keep=0.8, documents=4, by_document=1.0),
    "no s1 in d0": drop_of_documents(
        table(4, 12, 3, documents=4, by_document=1.0), ("d0", "s1")
    ),
    "d0 in s0 only": drop_of_documents(
        table(4, 12, 3, documents=4, by_document=1.0), ("d0", "s1"), ("d0", "s2")
    ),
    "d0 and d1 in s0 only, two systems": drop_of_documents(
        table(4, 12, documents=4, by_document=1.0, seed=4), ("d0", "s1"), ("d1", "s1")
    ),
}


@pytest.mark.parametrize("name", THIN)
@pytest.mark.parametrize("reml", [True, False])
def test_thin_designs_against_the_likelihood_written_down(name: str, reml: bool) -> None:
    made, y = design(THIN[name])
    assert "document:system" in made.factors
    found = solve(prepare(made, y), y, reml=reml)
    at_fit = direct_deviance(made, y, found.rho, reml=reml)
    assert found.criterion == pytest.approx(at_fit, abs=1e-7)
    for t in range(found.rho.size):  # and it is the lowest around
        for times in (0.9, 1.1):
            near = found.rho.copy()
            near[t] = near[t] * times if near[t] else 0.01 * times
            assert direct_deviance(made, y, near, reml=reml) > at_fit - 1e-7
    x = made.fixed_rows()[made.system]
    inverse = np.linalg.inv(relative_covariance(made, found.rho))
    covariance = found.sigma2 * np.linalg.inv(x.T @ inverse @ x)
    assert found.covariance == pytest.approx(covariance, rel=1e-6, abs=1e-9)


@pytest.mark.slow
def test_the_cells_are_left_out_only_where_they_must_be() -> None:
    rng = np.random.default_rng(11)
    seen = {True: 0, False: 0}
    for _ in range(300):
        n, k = int(rng.integers(8, 40)), int(rng.integers(2, 4))
        item = rng.integers(rng.integers(4, 9), size=n)
        own = rng.random(n) < rng.choice([0.0, 0.8, 1.0])  # items of one system each
        system = np.where(own, item % k, rng.integers(k, size=n))
        columns = {
            "score": rng.normal(size=n).tolist(),
            "system": [f"s{s}" for s in system],
            "rater": [f"r{r}" for r in rng.integers(3, size=n)],
            "item": [f"i{i}" for i in item],
            "document": [f"d{i // 2}" for i in item],
        }
        try:
            made, _ = design(columns)
        except DataError:
            continue
        if "document" not in made.factors:
            continue
        system_of = Factor(name="system", levels=made.systems, codes=made.system)
        cells = cross("cells", made.factors["document"], system_of)
        present = "document:system" in made.factors
        without = {role: f for role, f in made.factors.items() if role != "document:system"}
        with_cells = replace(made, factors={**without, "document:system": cells})
        told = identified(with_cells)
        if present:  # or else the others are at fault
            assert told or not identified(replace(made, factors=without)), columns
        else:
            assert not told, columns
        seen[present] += 1
    assert min(seen.values()) > 20


def small_samples(systems: str, *, cells: bool) -> tuple[Design, FloatArray]:
    """Return the documents of the page of small samples, which have no raters."""
    path = reference_data("data", "small_samples", "small_samples_documents.csv")
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["system"] in systems]
    system, document, item = (
        factor(name, [row[name] for row in rows]) for name in ("system", "document", "item")
    )
    factors = {"item": item, "document": document}
    if cells:
        factors["document:system"] = cross("document:system", document, system)
    made = Design(
        systems=system.levels,
        coding=contrast_coding(system.n_levels),
        numeric=False,
        system=system.codes,
        factors=factors,
        slopes=(),
    )
    return made, np.array([float(row["score"]) for row in rows])


GOLD = {
    "intercepts": ("ABC", False),
    "document_by_system": ("ABC", True),
    "two_systems_no_slope": ("AB", False),
    # As (1 + x || document) in lme4, which is the same where documents differ more than cells.
    "two_systems_slope": ("AB", True),
}


@pytest.mark.golden
@pytest.mark.parametrize("name", GOLD)
def test_gold_of_small_samples(name: str) -> None:
    gold = json.loads(reference_data("gold", "small_samples.json").read_text())["mixed"][name]
    systems, cells = GOLD[name]
    made, y = small_samples(systems, cells=cells)
    found = solve(prepare(made, y), y, reml=True)
    # lme4's coding adds a constant to the criterion: the determinant of what turns one into the other.
    ours, theirs = made.fixed_rows(), np.eye(len(systems))
    theirs[:, 0] = 1.0
    if len(systems) == 2:
        theirs[:, 1] = (-0.5, 0.5)
    constant = 2.0 * np.log(abs(np.linalg.det(ours) / np.linalg.det(theirs)))
    assert found.criterion - constant == pytest.approx(gold["reml"], abs=1e-6)
    assert found.criterion - constant <= gold["reml"] + 1e-9  # never above lmer's
    for row, wanted in zip(
        system_contrasts(made, found, "A", 0.05), gold["fixed"], strict=True
    ):
        # lmer stops within 1e-6 of the variances, and its numbers show it.
        assert row.estimate == pytest.approx(wanted["estimate"], abs=5e-6)
        assert row.standard_error == pytest.approx(wanted["se"], rel=5e-6)
        assert row.df == pytest.approx(wanted["df"], rel=2e-5)
        assert row.p_value == pytest.approx(wanted["p"], rel=2e-5)
    sds = dict(
        zip((t.name for t in made.terms), np.sqrt(found.rho * found.sigma2), strict=True)
    )
    assert np.sqrt(found.sigma2) == pytest.approx(gold["sd"]["Residual.NA"], rel=1e-5)
    assert sds["item intercept"] == pytest.approx(gold["sd"]["item.(Intercept)"], rel=1e-5)
    if name == "two_systems_slope":
        # Cells of variance v are a slope of 2 v by x = ±½, and add v / 2 to the intercepts.
        cell = sds["document:system"] ** 2
        assert 2.0 * cell == pytest.approx(gold["sd"]["document.x"] ** 2, rel=1e-5)
        whole = sds["document intercept"] ** 2 + cell / 2.0
        assert whole == pytest.approx(gold["sd"]["document.1.(Intercept)"] ** 2, rel=1e-5)
        assert sds["document intercept"] > 1.0  # so the bound is not what makes them equal
    else:
        document = gold["sd"]["document.(Intercept)"]
        assert sds["document intercept"] == pytest.approx(document, rel=1e-5)
    if name == "document_by_system":
        cell = gold["sd"]["document:system.(Intercept)"]
        assert sds["document:system"] == pytest.approx(cell, rel=1e-5)


@pytest.mark.golden
def test_kenward_and_roger_would_say_much_the_same() -> None:
    gold = json.loads(reference_data("gold", "small_samples.json").read_text())["mixed"]
    other = gold["two_systems_slope"]["kenward_roger"]
    made, y = small_samples("AB", cells=True)
    row = system_contrasts(made, solve(prepare(made, y), y, reml=True), "A", 0.05)[0]
    assert row.standard_error == pytest.approx(other["se"], rel=0.005)
    assert row.df == pytest.approx(other["df"], rel=0.03)
    assert row.p_value == pytest.approx(other["p"], abs=1e-4)


@pytest.mark.parametrize("slope", [0.0, 0.6])
def test_a_balanced_design_has_the_p_values_of_its_mean_squares(slope: float) -> None:
    rng = np.random.default_rng(2)
    models = mixed_documents.one_rating_models(4)
    y = np.stack([mixed_documents.draw(models[1].design, slope, rng) for _ in range(8)])
    wanted = mixed_documents.mean_square_p(y, 4, models)
    for ratings, row in zip(y, wanted, strict=True):
        for model, p in zip(models, row, strict=False):
            assert mixed_documents.p_value(model, ratings) == pytest.approx(p, abs=1e-6)


@pytest.mark.parametrize(("n_documents", "noted"), [(3, True), (4, True), (5, False)])
def test_few_documents_are_noted(n_documents: int, noted: bool) -> None:
    rng = np.random.default_rng(n_documents)
    rows = [
        (system, f"{d}-{i}", f"d{d}", f"r{r}", 50.0 + rng.normal(0, 5))
        for d in range(n_documents)
        for i in range(3)
        for r in range(6)
        for system in ("A", "B")
    ]
    columns = dict(
        zip(
            ("system", "item", "document", "rater", "score"),
            zip(*rows, strict=True),
            strict=True,
        )
    )
    notes = fit_mixed(Judgments.build(columns)).notes
    wanted = f"with {n_documents} documents a test at .05 errs in up to 7 % of cases"
    assert any(wanted in note for note in notes) is noted
