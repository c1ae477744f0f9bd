"""Plans: frozen, readable, hashed, and refused where their parts do not go together."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError, DetectableError, InputError
from detectable.data.files.ledger_file import fingerprint, read_entries
from detectable.report.shown.plan_words import planned
from detectable.sequential.futility import Futility
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import plan, read_plan
from detectable.study.monitoring.plan_history import plan_history
from tests.study.monitoring.plan_tables import differences_with, files, judged, new_plan


def test_a_plan_says_everything_in_plain_json(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path, question="Ship it?", seed=7, looks=5, gamma=-2.0)
    content = json.loads((tmp_path / "ship.json").read_text())
    assert content["question"] == "Ship it?"
    assert content["systems"] == ["new", "old"]
    assert content["design"] == {  # defaults written out: they may change, the plan must not
        "family": "hsd",
        "looks": 5,
        "gamma": -2.0,
        "sided": 2,
        "futility": "predictive-power",
        "power": 0.8,
    }
    assert (content["seed"], content["alpha"], content["n_max"]) == (7, 0.05, 100)
    assert content["fingerprint"] == frozen.fingerprint
    assert read_plan(frozen.path) == frozen
    assert frozen.pairs == (("new", "old"),)
    assert plan_history(frozen).summary().endswith("Not looked at yet.")


def test_pairs_of_a_leaderboard(tmp_path: Path) -> None:
    made = plan(tmp_path / "a.json", systems=["A", "B", "C"], n_max=100)
    assert made.pairs == (("B", "A"), ("C", "A"), ("C", "B"))
    made = plan(tmp_path / "b.json", systems=["A", "B", "C"], baseline="B", n_max=100)
    assert made.pairs == (("A", "B"), ("C", "B"))


def test_numbers_of_numpy_can_be_frozen(tmp_path: Path) -> None:
    made = new_plan(tmp_path, at=np.array([0.5, 1.0]), claim="equivalent", margin=np.float64(2))
    assert made.design["at"] == [0.5, 1.0]
    assert made.margin == 2.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1.0}, "`alpha` must"),
        ({"alpha": 0.0}, "`alpha` must"),
        ({"at": [0.5, 0.4, 1.0]}, "`at` must increase"),
        ({"at": [0.5, 1.2]}, "at most 1"),
        ({"at": [0.5]}, "must end with 1"),
        ({"n_max": None}, "`n_max` must say where"),
        ({"n_max": 1}, "`n_max` must"),
        ({"systems": ["A"]}, "`systems` must be two or more different names"),
        ({"systems": ["A", "A"]}, "two or more different names"),
        ({"systems": "AB"}, "got the one text 'AB'"),
        ({"baseline": "C"}, "`baseline` must be one of new, old"),
        ({"scale": (5.0, 5.0)}, "`scale` must go from low to high"),
        ({"scale": (-math.inf, math.inf)}, "`scale` must go from low to high"),
        ({"scale": (-math.inf, 0.0), "test": "e-process"}, "`scale` must have two ends"),
        ({"margin": 2.0}, "`margin` goes with `claim`"),
        ({"claim": "equivalent"}, "`margin` goes with `claim`"),
        ({"claim": "equivalent", "margin": -1.0}, "`margin` must"),
        ({"claim": "equivalent", "margin": 1.0, "test": "rank-sum"}, "in points of the scale"),
        ({"test": "mwu"}, "`test` must"),
        ({"test": "e-process", "looks": 3}, "`looks` does not apply to 'e-process'"),
        (
            {"test": "signed-rank", "unit": "document"},
            "`unit` document goes with the tests paired-mean, sign-flip, e-process; got",
        ),
        (
            {"test": "e-process", "unit": "rater"},
            "`unit` rater goes with the tests paired-mean, sign-flip; got",
        ),
        ({"test": "proportions", "scale": (0.0, 100.0)}, "must be 0 to 1"),
        ({"test": "preference", "systems": ["A", "B", "C"]}, "must be two for the test"),
        ({"seed": -1}, "`seed` must"),
        ({"nonsense": 1}, "`design` takes"),
        ({"futility": Futility("p>.5")}, "`futility` must be the name of a rule"),
        ({"futility": "beta-spending"}, "beta-spending"),
        ({"family": "fixed", "looks": 3}, "fixed must have one look"),
    ],
)
def test_what_cannot_be_planned(tmp_path: Path, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        new_plan(tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_scale_may_have_one_end(tmp_path: Path) -> None:
    made = new_plan(tmp_path, scale=(-math.inf, 0.0), looks=2)
    kept = json.loads(Path(made.path).read_text())
    assert kept["scale"] == [None, 0.0]
    assert read_plan(made.path).scale == (-math.inf, 0.0)
    assert made.outlook().sd == 5.0  # a fifth of 25
    assert "assumed: a fifth of 25, the heaviest error of MQM" in made.summary()
    rows = judged(differences_with((50, -1.0), (100, -3.0)))
    rows["score"] = [score - 200.0 for score in rows["score"]]  # far below 25
    halves: Any = {name: column[:100] for name, column in rows.items()}
    with pytest.raises(DataError, match="lies outside the scale, which ends at 0"):
        look(made, {**halves, "score": [score + 400.0 for score in halves["score"]]})
    assert look(made, halves).pairs[0].n_units == 50
    expected = np.mean(differences_with((50, -1.0), (100, -3.0)))
    assert look(made, rows).pairs[0].estimate == pytest.approx(expected)


def test_a_plan_is_never_overwritten(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    before = files(tmp_path)
    with pytest.raises(DataError, match="exists already"):
        new_plan(tmp_path)
    assert files(tmp_path) == before
    look(frozen, judged(differences_with((50, 1.9))))
    Path(frozen.path).unlink()
    with pytest.raises(DataError, match="a plan of this name has been looked at"):
        new_plan(tmp_path)
    frozen.ledger_path.unlink()  # to throw away what was seen and start again
    with pytest.raises(DataError, match="a plan of this name has been looked at"):
        new_plan(tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"alpha": 0.05', '"alpha": 0.1'), ('"n_max": 100', '"n_max": 200'), ("hsd", "ld-pocock")],
)
def test_a_plan_that_was_edited_is_refused(tmp_path: Path, old: str, new: str) -> None:
    frozen = new_plan(tmp_path)
    look(frozen, judged(differences_with((50, 1.9))))
    path = Path(frozen.path)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    before = files(tmp_path)
    for act in (
        read_plan,
        plan_history,
        lambda p: look(p, judged(differences_with((60, 2.0)))),
    ):
        with pytest.raises(DataError, match="the plan was changed after it was frozen"):
            act(frozen.path)
    # also through the object that was read before
    with pytest.raises(DataError, match="the plan was changed after it was frozen"):
        look(frozen, judged(differences_with((60, 2.0))))
    assert files(tmp_path) == before


def test_a_ledger_belongs_to_one_plan(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    look(frozen, judged(differences_with((50, 1.9))))
    other = plan(tmp_path / "other.json", systems=["new", "old"], n_max=500)
    Path(frozen.path).write_bytes(Path(other.path).read_bytes())
    with pytest.raises(DataError, match="line 1: this entry belongs to another plan"):
        look(frozen.path, judged(differences_with((60, 2.0))))


@pytest.mark.parametrize(
    ("text", "message"),
    [("{}", "this is no plan"), ("[1]", "this is no plan"), ("{", "ship.json")],
)
def test_files_that_are_no_plans(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ship.json"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_plan(path)


OLD_WORDS = {
    "difference": ("better", None, "better or worse"),
    "non-inferiority": ("non-inferior", 3.0, "not worse by more than 3"),
    "equivalence": ("equivalent", 0.25, "equivalent within ±0.25"),
}


@pytest.mark.parametrize("old", OLD_WORDS)
def test_a_plan_of_format_1_is_read_and_looked_at(tmp_path: Path, old: str) -> None:
    claim, margin, aim = OLD_WORDS[old]
    path = Path(new_plan(tmp_path, claim=claim, margin=margin).path)
    content = json.loads(path.read_text())
    assert (content["detectable_plan"], content["claim"]) == (3, claim)
    for name in (
        "ship.ledger.jsonl",
        "ship.ledger.jsonl.lock",
    ):  # begun by the first look, then
        (tmp_path / name).unlink()
    del content["fingerprint"]
    content |= {"detectable_plan": 1, "claim": old}
    stamp = fingerprint(content)  # of the words that were frozen
    path.write_text(json.dumps({**content, "fingerprint": stamp}))
    frozen = read_plan(path)
    assert (frozen.claim, frozen.margin, frozen.fingerprint) == (claim, margin, stamp)
    assert f", {aim}, by paired-mean" in frozen.summary()
    look(path, judged(differences_with((60, 4.0))))
    assert conclude(path).claim == claim


def test_a_plan_of_a_later_format_is_refused(tmp_path: Path) -> None:
    path = Path(new_plan(tmp_path).path)
    content = json.loads(path.read_text())
    del content["fingerprint"]
    content["detectable_plan"] = 4
    path.write_text(json.dumps({**content, "fingerprint": fingerprint(content)}))
    with pytest.raises(DataError, match="a plan of format 4; this version reads 1, 2, 3"):
        read_plan(path)


def test_a_one_sided_plan_says_so(tmp_path: Path) -> None:
    assert "new against old, better, by" in new_plan(tmp_path, sided=1).summary()


def test_a_plan_says_about_which_raters_its_claims_will_be(tmp_path: Path) -> None:
    these = new_plan(tmp_path).summary().splitlines()
    assert these[1].startswith(
        "The claims will be about the raters who judge; with raters as units"
    )
    choices: tuple[dict[str, Any], ...] = ({"unit": "rater"}, {"test": "mixed"})
    for i, more in enumerate(choices):
        folder = tmp_path / str(i)
        folder.mkdir()
        others = new_plan(folder, **more).summary().splitlines()
        assert others[1] == "The claims will be about raters like those who judge."


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({}, None),
        ({"test": "sign-flip", "unit": "document"}, None),
        ({"test": "e-process"}, None),
        ({"test": "mixed", "unit": "item"}, None),
        ({"unit": "item"}, "Items count as independent, also those of one document."),
        ({"test": "preference"}, "Items count as independent, also those of one document."),
        (
            {"test": "signed-rank"},
            "Items count as independent; where they come from documents, plan paired-mean, "
            "sign-flip or e-process.",
        ),
    ],
)
def test_a_plan_says_when_items_count_one_by_one(
    tmp_path: Path, options: Any, line: str | None
) -> None:
    said = planned(new_plan(tmp_path, **options)).splitlines()
    assert said[2:] == ([] if line is None else [line])


# A plan and its ledger belong together


def test_a_plan_is_born_with_its_ledger(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    (birth,) = read_entries(frozen.ledger_path)
    assert (birth["event"], birth["plan"], birth["file"], birth["time"]) == (
        *("plan", frozen.fingerprint, "ship.json"),
        frozen.created,
    )


def test_a_plan_behind_a_link_has_the_ledger_of_the_plan(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    look(frozen, judged(differences_with((30, 1.0))))
    (tmp_path / "far").mkdir()
    link = tmp_path / "far" / "other.json"
    link.symlink_to(frozen.path)
    with pytest.raises(DataError, match="no judgment is new since look 1"):
        look(link, judged(differences_with((30, 1.0))))
    look(link, judged(differences_with((30, 1.0), (60, 4.0))))
    conclude(link)
    assert [path.name for path in link.parent.iterdir()] == ["other.json"]
    assert (tmp_path / "ship.conclusion.json").exists()


@pytest.mark.parametrize("looked", [False, True])
def test_a_copy_without_its_ledger_is_refused(tmp_path: Path, looked: bool) -> None:
    frozen = new_plan(tmp_path)
    table = judged(differences_with((30, 1.0)))
    if looked:
        look(frozen, table)
    copy = tmp_path / "copy.json"
    copy.write_bytes(Path(frozen.path).read_bytes())
    for ask in (lambda: look(copy, table), lambda: plan_history(copy), lambda: conclude(copy)):
        with pytest.raises(
            DataError, match=r"its ledger .*copy\.ledger\.jsonl is not here.*move"
        ):
            ask()
    copy.with_suffix(".ledger.jsonl").write_bytes(frozen.ledger_path.read_bytes())
    assert plan_history(copy).n_looks == looked  # together they can be moved


def test_a_ledger_that_was_thrown_away_with_its_lock_is_missed(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    look(frozen, judged(differences_with((30, 1.0))))
    frozen.ledger_path.unlink()
    frozen.ledger_path.with_name("ship.ledger.jsonl.lock").unlink()
    with pytest.raises(DataError, match="is not here, and with it the looks so far"):
        look(frozen, judged(differences_with((30, 1.0))))


def test_two_plans_cannot_share_a_ledger(tmp_path: Path) -> None:
    frozen = new_plan(tmp_path)
    before = frozen.ledger_path.read_bytes()
    with pytest.raises(
        DataError, match=r"ship\.ledger\.jsonl belongs to .*ship\.json\. Choose"
    ):
        plan(tmp_path / "ship.plan", systems=["a", "b"], n_max=50)
    assert frozen.ledger_path.read_bytes() == before
    look(frozen, judged(differences_with((30, 1.0))))
    Path(frozen.path).unlink()
    with pytest.raises(DataError, match="a plan of this name has been looked at already"):
        new_plan(tmp_path)
    frozen.ledger_path.unlink()  # the lock still knows
    with pytest.raises(DataError, match="a plan of this name has been looked at already"):
        new_plan(tmp_path)


def test_a_ledger_without_a_plan_and_without_looks_gives_its_name_free(tmp_path: Path) -> None:
    first = new_plan(tmp_path)
    Path(first.path).unlink()  # as if `plan new` had been killed before its last step
    second = new_plan(tmp_path, n_max=50)
    (birth,) = read_entries(second.ledger_path)
    assert birth["plan"] == second.fingerprint != first.fingerprint


def test_a_plan_that_cannot_be_written_leaves_no_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import detectable.study.monitoring.plan as module

    def full(*_: object, **__: object) -> None:
        raise DataError("no space")

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_whole", full)
        with pytest.raises(DataError, match="no space"):
            new_plan(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["ship.ledger.jsonl.lock"]
    new_plan(tmp_path)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "9" * 5000])
def test_a_number_that_no_plan_holds(tmp_path: Path, value: str) -> None:
    path = Path(new_plan(tmp_path).path)
    path.write_text(path.read_text().replace('"alpha": 0.05', f'"alpha": {value}'))
    with pytest.raises(DataError, match=r"was changed after it was frozen|cannot be used"):
        read_plan(path)


@pytest.mark.parametrize(
    "change", [{"systems": 5}, {"scale": None}, {"design": 1}, {"n_max": "x"}]
)
def test_a_plan_made_by_hand_with_its_fingerprint(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    path = Path(new_plan(tmp_path).path)
    content = json.loads(path.read_text())
    del content["fingerprint"]
    content |= change
    path.write_text(json.dumps({**content, "fingerprint": fingerprint(content)}))
    with pytest.raises(DetectableError):
        read_plan(path)


def test_every_byte_of_a_plan_counts(tmp_path: Path) -> None:
    path = Path(new_plan(tmp_path).path)
    whole, frozen = path.read_bytes(), read_plan(path)
    for place in range(len(whole)):
        for flip in (0x01, 0x20, 0x80):
            changed = bytearray(whole)
            changed[place] ^= flip
            path.write_bytes(changed)
            try:
                found = read_plan(path)
            except DataError:
                continue
            assert found == frozen, (place, flip)  # white space alone says nothing


def test_the_preset_of_the_paper(tmp_path: Path) -> None:
    """Wei et al. (2022), section 7.2: .0221 at each of three looks, and p > .5 gives up."""
    made = plan(tmp_path / "p.json", systems=["a", "b"], n_max=600, preset="paper")
    assert (made.test, made.design["family"], made.design["looks"]) == ("rank-sum", "pocock", 3)
    design = made.design_at(0.05)
    assert design.nominal_p[0] == pytest.approx(0.0221, abs=0.00005)
    assert design.futility[0] == pytest.approx(0.67449, abs=1e-5)
    paired = plan(
        tmp_path / "q.json", systems=["a", "b"], n_max=60, preset="paper", test="paired-mean"
    )
    assert paired.test == "paired-mean"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"looks": 4}, "`preset` fixes family, looks and futility; got `looks` as well"),
        ({"test": "e-process"}, "`preset` has planned looks, and the test 'e-process' allows"),
        ({"preset": "other"}, "`preset` must be one of paper; got 'other'"),
    ],
)
def test_a_preset_leaves_nothing_open(
    tmp_path: Path, more: dict[str, Any], message: str
) -> None:
    options: dict[str, Any] = {"preset": "paper", **more}
    with pytest.raises(InputError, match=message):
        plan(tmp_path / "p.json", systems=["a", "b"], n_max=600, **options)


def test_a_rank_sum_plan_speaks_on_the_scale_of_its_looks(tmp_path: Path) -> None:
    made = plan(tmp_path / "p.json", systems=["a", "b"], n_max=600, preset="paper", sd=30.0)
    found = made.outlook()
    assert found.mde is not None
    assert found.mde_better is not None
    # For normal scores a difference δ is P(better) = Φ(δ / sd); to first order in δ the same.
    assert found.mde_better == pytest.approx(stats.norm.cdf(found.mde / 30.0) - 0.5, rel=0.01)
    assert made.to_dict()["mde_better"] == found.mde_better
    other = plan(tmp_path / "q.json", systems=["a", "b"], n_max=600, preset="paper", sd=10.0)
    assert other.outlook().mde_better == found.mde_better  # ranks know no sd
    means = plan(tmp_path / "r.json", systems=["a", "b"], n_max=600, test="two-means")
    assert means.outlook().mde_better is None
    assert "P(better) − ½ of 0.054 or more, the scale of looks" in made.summary()
