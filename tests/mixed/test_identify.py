"""Which spreads a design can tell apart, against their matrices written down."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.factor import Factor, factor
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.mixed.design import Design, contrast_coding
from detectable.mixed.fit import fit_mixed
from detectable.mixed.identify import ANY_SCALE, read_for_model, told_apart, usable_judgments
from tests.mixed.tables import identified, table

ROLES = ("rater", "item", "document")


def drawn(rng: np.random.Generator) -> Design:
    """Return a small random design, often too small."""
    n, k = int(rng.integers(8, 30)), int(rng.integers(2, 4))
    codes = {role: rng.integers(rng.integers(2, 5), size=n) for role in ROLES}
    if rng.random() < 0.3:  # a factor that is another one by other names
        codes["document"] = codes["item"]
    some = tuple(role for role in ROLES if rng.random() < 0.3)
    system = factor("system", np.append(np.arange(k), rng.integers(k, size=n - k)))
    return Design(
        systems=system.levels,
        coding=contrast_coding(k),
        numeric=False,
        system=system.codes,
        factors={role: factor(role, values) for role, values in codes.items()},
        slopes=some,
    )


def asked(made: Design) -> bool:
    rows = made.fixed_rows()[made.system]
    return told_apart(
        rows, [(made.factors[term.factor], term.kind == "slope") for term in made.terms]
    )


def test_as_the_matrices_themselves_say() -> None:
    rng = np.random.default_rng(3)
    found = []
    for _ in range(200):
        made = drawn(rng)
        found.append(asked(made))
        assert found[-1] == identified(made), made
    assert 30 < sum(found) < 170  # both answers are tried


def test_the_scale_of_the_regressors_does_not_matter() -> None:
    made = drawn(np.random.default_rng(8))
    assert asked(made)
    assert asked(replace(made, coding=1e4 * made.coding))


@pytest.mark.filterwarnings("error")
def test_what_the_fixed_effects_explain_has_no_spread() -> None:
    rows = np.array([[1.0, -1.0], [1.0, 1.0]] * 4)
    system = Factor(name="rater", levels=("a", "b"), codes=np.array([0, 1] * 4))
    item = factor("item", [0, 0, 1, 1, 2, 2, 3, 3])
    assert told_apart(rows, [(item, False)])
    assert not told_apart(rows, [(item, False), (system, False)])


# --- What a mixed model is fitted to: how it is read, what is left out, and what is averaged ---


def small(**changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "score": [1, 2.5, -3, 400],
        "system": ["a", "b", "a", "b"],
        "rater": ["x", "x", "y", "y"],
        "item": [1, 1, 2, 2],
    }
    return {**columns, **changes}


def judged(**columns: Any) -> Judgments:
    return Judgments.build(small(**columns), scale=ANY_SCALE, repeated="mark")


class TestReading:
    def test_a_mapping_a_frame_and_files_say_the_same(self, tmp_path: Path) -> None:
        frame = pl.DataFrame(small(), strict=False)
        frame.write_csv(tmp_path / "r.csv")
        frame.write_parquet(tmp_path / "r.parquet")
        frame.write_ndjson(tmp_path / "r.jsonl")
        frame.write_csv(tmp_path / "r.tsv", separator="\t")
        files = [tmp_path / f"r.{end}" for end in ("csv", "parquet", "jsonl", "tsv")]
        for source in (small(), frame, *files):
            found, notes = read_for_model(source)
            assert found.score.tolist() == [1.0, 2.5, -3.0, 400.0]
            assert (found.system.levels, found.item.levels) == (("a", "b"), ("1", "2"))
            assert (found.scale, notes) == ((-math.inf, math.inf), ())

    def test_z_scores_that_happen_to_lie_between_0_and_1(self) -> None:
        z = [0.2, 0.5, 0.3, -1.0, 1.7, 0.4]
        rater = ["x"] * 3 + ["y"] * 3
        table = {"score": z, "system": ["a", "b", "c"] * 2, "rater": rater, "item": [1] * 6}
        assert read_for_model(table)[0].score.tolist() == z
        found, notes = read_for_model(
            {**table, "score": [0.2, 0.5, 0.3, 1, 7, 4]}, scale=(0, 100)
        )
        assert found.scale == (0.0, 100.0)
        assert any("('x') lie between 0 and 1" in note for note in (*found.notes, *notes))

    def test_a_scale_that_was_given_is_held(self) -> None:
        with pytest.raises(DataError, match=r"score 400 lies outside the scale -5 to 7"):
            read_for_model(small(), scale=(-5, 7))

    def test_columns_by_role(self) -> None:
        named = small()
        named["resp"], named["who"] = named.pop("score"), named.pop("rater")
        found, _ = read_for_model(named, columns={"score": "resp", "rater": "who"})
        assert found.column("rater").levels == ("x", "y")

    def test_second_scores_are_refused_unless_they_are_kept_or_marked(self) -> None:
        twice = small(item=[1, 1, 1, 1], rater=["x"] * 4)
        with pytest.raises(DataError, match=r"row 2 .*: a second score by rater 'x' .*mark"):
            read_for_model(twice)
        for found, notes in (
            read_for_model(twice, repeats="keep"),
            read_for_model(twice, repeated="mark"),
        ):
            assert found.is_kind("repeat").tolist() == [False, False, True, True]
            assert notes == found.notes
            assert "counted as repeats" in notes[0]
        with pytest.raises(DataError, match="a second score"):
            read_for_model(twice, repeated="refuse", repeats="keep")

    def test_what_was_read_already_is_taken_as_it_is(self) -> None:
        read = judged(item=[1, 1, 1, 1], rater=["x"] * 4)
        assert read.notes
        assert read_for_model(read) == (read, ())
        assert read_for_model(read, repeats="keep") == (read, ())
        for more in ({"columns": {"score": "z"}}, {"scale": (0, 1)}, {"repeated": "mark"}):
            with pytest.raises(InputError, match=rf"`{next(iter(more))}` must be given to"):
                read_for_model(read, **more)

    @pytest.mark.parametrize("hole", [None, "", float("nan"), "NA"])
    def test_a_missing_score_has_a_place(self, hole: Any, tmp_path: Path) -> None:
        with pytest.raises(
            DataError, match=r"row 2 \(from 0\), column 'score': the score must"
        ):
            fit_mixed(small(score=[1, 2, hole, 4]))
        path = tmp_path / "r.csv"
        shown = "" if hole is None else hole
        path.write_text(f"stars,system,rater,item\n1,a,x,1\n{shown},b,x,1\n{shown},b,y,1\n")
        wanted = r"r\.csv, line 3, column 'stars': the score must be a number.*2 rows in all"
        with pytest.raises(DataError, match=wanted):
            fit_mixed(path, columns={"score": "stars"})

    @pytest.mark.parametrize("role", ["system", "rater", "item"])
    def test_a_missing_name_has_a_place(self, role: str) -> None:
        columns = small()
        columns[role] = [*columns[role][:2], None, columns[role][3]]
        wanted = rf"row 2 \(from 0\), column '{role}': the {role} is missing"
        with pytest.raises(DataError, match=wanted):
            fit_mixed(columns)

    def test_raters_must_be_known(self) -> None:
        columns = small()
        del columns["rater"]
        with pytest.raises(InputError, match=r"there is no rater\. .*--column rater=NAME"):
            fit_mixed(columns)


class TestUsing:
    def test_controls_are_left_out_and_counted(self) -> None:
        kinds = ["TGT", "BAD", "REF", "REPEAT"]
        found, notes = usable_judgments(judged(kind=kinds))
        assert found.score.tolist() == [1.0, 400.0]
        assert notes == (
            "2 judgments left out, not of systems' own output: 1 degraded, 1 reference.",
        )
        assert usable_judgments(judged())[1] == ()

    def test_what_is_left_out_does_not_order_the_rest(self) -> None:
        kept, _ = usable_judgments(judged(kind=["BAD", "TGT", "TGT", "TGT"]))
        alone, _ = usable_judgments(judged().take(np.array([1, 2, 3])))
        for found in (kept, alone):
            assert found.system.levels == ("b", "a")
            assert found.system.codes.tolist() == [0, 1, 0]
            assert found.column("rater").levels == ("x", "y")
        order = judged(kind=["BAD", "TGT", "TGT", "TGT"], document=["q", "p", "q", "q"])
        documents = usable_judgments(order)[0].document
        assert documents is not None
        assert documents.levels == ("p", "q")

    def test_several_evaluations_need_a_choice(self) -> None:
        both = judged(language=["de", "de", "fr", "fr"], campaign=["c", "d", "c", "d"])
        with pytest.raises(
            DataError, match=r"2 campaigns: c, d\. .*choose one with --campaign"
        ):
            usable_judgments(both)
        with pytest.raises(DataError, match=r"2 language pairs: de, fr\. .*--language"):
            usable_judgments(both, campaign="c")
        found, _ = usable_judgments(both, campaign="d", language="fr")
        assert found.score.tolist() == [400.0]

    def test_repeats_are_averaged_or_kept(self) -> None:
        read = judged(system=["a", "b", "a", "a"], rater=["x"] * 4, item=[1, 1, 1, 1])
        found, notes = usable_judgments(read)
        assert found.score.tolist() == [pytest.approx((1 - 3 + 400) / 3), 2.5]
        assert found.system.labels() == ["a", "b"]
        wanted = "2 ratings repeat an earlier one of the same rater, item and system, and were "
        assert notes == (wanted + "averaged with it.",)
        kept, notes = usable_judgments(read, repeats="keep")
        assert kept.score.tolist() == read.score.tolist()
        assert notes == (wanted + "kept as independent ratings.",)
        with pytest.raises(
            InputError, match="`repeats` must be one of mean, keep; got 'refuse'"
        ):
            usable_judgments(read, repeats="refuse")  # type: ignore[arg-type]

    def test_an_item_of_two_documents_is_two_items(self) -> None:
        read = judged(item=[1, 1, 1, 1], rater=["x"] * 4, document=["d", "d", "e", "e"])
        found, notes = usable_judgments(read)
        assert (found.item.levels, notes) == (("d:1", "e:1"), ())


def test_the_mean_of_repeats_is_fitted() -> None:
    ratings = table(4, 8)
    twice = {name: [*column, *column[:3]] for name, column in ratings.items()}
    twice["score"][-3:] = [score + 1.0 for score in ratings["score"][:3]]
    averaged = {
        **ratings,
        "score": [s + 0.5 for s in ratings["score"][:3]] + ratings["score"][3:],
    }
    found = fit_mixed(read_judgments(twice, scale=ANY_SCALE, repeated="mark"))
    wanted = fit_mixed(averaged)
    assert found.n_ratings == wanted.n_ratings == 64
    assert found.estimate == pytest.approx(wanted.estimate, rel=1e-12)
    assert found.criterion == pytest.approx(wanted.criterion, rel=1e-12)
    assert fit_mixed(twice, repeats="keep").n_ratings == 67
