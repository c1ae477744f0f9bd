"""One question to all sources: what each is told to be, and options without effect."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.study.audit.archive_audit import ArchiveAudit
from detectable.study.audit.audit import audit
from detectable.study.audit.benchmark_audit import BenchmarkAudit
from detectable.study.audit.survey_audit import SurveyAudit

PAST: dict[str, list[Any]] = {
    "lp": ["a", "a", "b"],
    "diff": [3.0, 2.0, 1.0],
    "n": [100, 200, 300],
    "p": [0.001, 0.01, 0.5],
}
TASKS: dict[str, list[Any]] = {"task": ["x"], "n": [900], "baseline": [90], "accuracy": [92]}
STUDIES: dict[str, list[Any]] = {"n": [50, 100], "effect": [0.3, 0.1]}
JUDGED: dict[str, list[Any]] = {
    "system": ["A", "B"] * 4,
    "item": [1, 1, 2, 2, 3, 3, 4, 4],
    "rater": ["w"] * 8,
    "score": [70, 60, 50, 45, 90, 85, 40, 41],
}


def write(path: Path, columns: dict[str, list[Any]]) -> Path:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def histograms(path: Path) -> Path:
    rng = np.random.default_rng(1)
    np.savez(
        path,
        all=rng.multinomial(200, [0.1] * 10, size=4),
        campaign=[0, 0, 1, 1],
        system=[1, 2, 3, 4],
        language=["en-de", "en-de", "de-en", "de-en"],
    )
    return path


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        (PAST, ArchiveAudit),
        (JUDGED, ArchiveAudit),
        (TASKS, BenchmarkAudit),
        (STUDIES, SurveyAudit),
    ],
)
def test_files_and_tables_in_memory_are_told_alike(
    tmp_path: Path, columns: dict[str, list[Any]], kind: type
) -> None:
    memory = audit(columns)
    assert type(memory) is kind
    found = audit(write(tmp_path / "t.csv", columns))
    assert found.to_dict() == memory.to_dict()


def test_histograms_are_an_archive(tmp_path: Path) -> None:
    path = histograms(tmp_path / "h.npz")
    found = audit(path, by="language-pair")
    assert isinstance(found, ArchiveAudit)
    assert [(group.group, group.total) for group in found.groups] == [
        ("en-de", 1),
        ("de-en", 1),
    ]
    assert found.overall.n == 200.0
    read = dt.read_score_histograms(path)
    assert audit(read, by="language-pair") == found
    assert audit(path, kind="archive", by="language-pair") == found


def test_histograms_say_what_the_judgments_behind_them_say() -> None:
    rng = np.random.default_rng(6)
    scores = rng.integers(0, 4, (3, 40))
    scores[2] = np.minimum(scores[2] + 2, 4)
    rows = [(f"s{s}", i, int(scores[s, i])) for s in range(3) for i in range(40)]
    table = Judgments.build(
        {
            "system": [row[0] for row in rows],
            "item": [f"{row[0]}-{row[1]}" for row in rows],
            "score": [row[2] for row in rows],
            "campaign": ["c"] * len(rows),
        }
    )
    from detectable.data.factor import factor
    from detectable.data.human.score_histograms import ScoreHistograms

    counts = np.array([np.bincount(row, minlength=5) for row in scores])
    made = ScoreHistograms(
        values=np.arange(5.0),
        counts=counts.astype(np.int64),
        campaign=factor("campaign", ["c"] * 3),
        system=factor("system", ["s0", "s1", "s2"]),
    )
    one, other = audit(table), audit(made)
    assert isinstance(one, ArchiveAudit)
    assert isinstance(other, ArchiveAudit)
    for field in ("significant", "total", "observed_mde", "above", "n", "budget"):
        assert getattr(one.overall, field) == getattr(other.overall, field), field
    assert one.overall.significant == 2
    assert one.overall.detectable == pytest.approx(other.overall.detectable)
    assert one.overall.median_difference == pytest.approx(other.overall.median_difference)


def test_several_files_are_one_archive(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", JUDGED)
    second = write(tmp_path / "b.csv", {**JUDGED, "score": [1, 9, 2, 8, 3, 7, 4, 6]})
    found = audit([first, second], by="file")
    assert isinstance(found, ArchiveAudit)
    assert [group.group for group in found.groups] == [str(first), str(second)]
    alone = [audit(path) for path in (first, second)]
    for group, one in zip(found.groups, alone, strict=True):
        assert isinstance(one, ArchiveAudit)
        assert group.median_difference == one.overall.median_difference
        assert group.paired is not None
        assert one.overall.paired is not None
        assert group.paired.significant == one.overall.paired.significant
    assert found.n_judgments == 16
    mixed = audit([first, PAST])
    assert isinstance(mixed, ArchiveAudit)
    assert mixed.overall.total == 4
    assert mixed.overall.paired is None
    assert mixed.n_judgments is None
    assert audit((first,)) == audit(first)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (TASKS, {"by": "task"}, "`by` has no effect on the audit of a benchmark"),
        (STUDIES, {"by": "n"}, "`by` has no effect on the audit of a survey"),
        (STUDIES, {"power": 0.9}, "`power` has no effect on the audit of a survey"),
        (STUDIES, {"prior": "glue"}, "`prior` has no effect on the audit of a survey"),
        (PAST, {"prior": "glue"}, "`prior` has no effect on the audit of an archive"),
        (PAST, {"item_sd": 1.0}, "`item_sd` has no effect on the audit of an archive"),
        (TASKS, {"n_raters": 3}, "`n_raters` has no effect on the audit of a benchmark"),
        (PAST, {"unit": "rater"}, "`unit` has no effect on a table that holds no judgments"),
        (PAST, {"scale": (0, 1)}, "`scale` has no effect on a table that holds no judgments"),
        (
            PAST,
            {"source_errors": "count"},
            "`source_errors` has no effect on a table that holds no judgments",
        ),
        (JUDGED, {"source_errors": "ignore"}, "`source_errors` does not apply to the format"),
        (PAST, {"kind": "odd"}, "`kind` must be one of auto, archive, benchmark, survey"),
    ],
)
def test_options_without_effect_are_refused(
    columns: dict[str, list[Any]], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        audit(columns, **options)


def test_histograms_take_no_options_of_judgments(tmp_path: Path) -> None:
    path = histograms(tmp_path / "h.npz")
    given: list[dict[str, Any]] = [{"columns": {"n": "a"}}, {"unit": "item"}]
    for options in (*given, {"repeated": "mark"}, {"source_errors": "ignore"}):
        with pytest.raises(InputError, match="has no effect on score histograms"):
            audit(path, **options)
    with pytest.raises(InputError, match="`kind` must be archive for histograms; got 'survey'"):
        audit(path, kind="survey")


@pytest.mark.parametrize(
    "options",
    [
        {"columns": {"item": "a"}},
        {"format": "table"},
        {"scale": (0, 9)},
        {"repeated": "mark"},
        {"source_errors": "ignore"},
    ],
)
def test_judgments_that_are_read_take_no_options_of_reading(options: dict[str, Any]) -> None:
    judgments = read_judgments(JUDGED)
    assert audit(judgments, unit="item") == audit(JUDGED, unit="item")
    with pytest.raises(InputError, match="has no effect on judgments that were read before"):
        audit(judgments, **options)


def test_errors_of_the_source_may_cost_nothing() -> None:
    path = Path(__file__).parents[2] / "data/samples/judgments/mqm_newstest2020_ende.tsv"
    counted, said, free = (
        audit(path, source_errors=rule) for rule in (None, "count", "ignore")
    )
    assert isinstance(counted, ArchiveAudit)
    assert isinstance(free, ArchiveAudit)
    assert said == counted
    # Penalties of A are 5.1, 0, 1; of B 25, 5, 5, of which one 5 is an error of the source.
    assert counted.overall.median_difference == pytest.approx((35 - 6.1) / 3)
    assert free.overall.median_difference == pytest.approx((30 - 6.1) / 3)


def test_judgments_are_read_as_said(tmp_path: Path) -> None:
    odd = {"who": JUDGED["system"], **{k: v for k, v in JUDGED.items() if k != "system"}}
    path = write(tmp_path / "j.csv", odd)
    with pytest.raises(DataError, match="the columns do not say what this is"):
        audit(path)
    found = audit(path, columns={"system": "who"})
    assert found == audit(JUDGED)
    with pytest.raises(DataError, match="outside the scale 0 to 50"):
        audit(JUDGED, scale=(0, 50))
    by_rater = audit(JUDGED, unit="item")
    assert by_rater == found
    with pytest.raises(InputError, match="`unit` must be known"):
        audit({k: v for k, v in JUDGED.items() if k != "rater"}, unit="rater")


@pytest.mark.parametrize("alpha", [0.0, 1.0, math.nan])
@pytest.mark.parametrize("columns", [PAST, TASKS, STUDIES])
def test_alpha_is_a_probability(columns: dict[str, list[Any]], alpha: float) -> None:
    with pytest.raises(InputError, match="`alpha` must lie strictly between 0 and 1"):
        audit(columns, alpha=alpha)


def test_empty_tables(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no row"):
        audit({"diff": [], "n": [], "p": []})
    path = tmp_path / "e.csv"
    path.write_text("diff,n,p\n")
    with pytest.raises(DataError, match="a header and no row"):
        audit(path)
    path.write_text("")
    with pytest.raises(DataError, match="empty"):
        audit(path)
    with pytest.raises(InputError, match="`source` must name at least one file"):
        audit([])
    with pytest.raises(InputError, match="several files only where all are archives"):
        audit([TASKS, TASKS])
