"""The bundled campaign: made by its script, whole, and written so that the tool reads it."""

import json
from pathlib import Path
from statistics import fmean

import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.data.example.bundled import (
    ExampleCampaign,
    campaign_files,
    example_campaign,
    write_campaign,
)
from scripts import make_campaign

LOOKS = [f"so-far-{look}.tsv" for look in range(1, 6)]


@pytest.fixture(scope="module")
def campaign() -> ExampleCampaign:
    return example_campaign()


def test_the_bundled_files_are_what_the_script_makes() -> None:
    bundled = campaign_files()
    made = make_campaign.make_files()
    assert {name: bundled[name] for name in made} == made
    assert sorted(bundled) == sorted([*made, *LOOKS])


def test_the_bundled_files_are_small() -> None:
    assert sum(path.stat().st_size for path in make_campaign.HERE.iterdir()) < 100_000


def test_its_size(campaign: ExampleCampaign) -> None:
    corpus, judgments = campaign.corpus, campaign.judgments
    assert list(corpus.systems) == ["aspen", "birch", "cedar", "dogwood", "elm"]
    assert {corpus.n_runs(name) for name in corpus.systems} == {3}
    assert (corpus.n_segments, len(set(corpus.documents or ()))) == (240, 40)
    kinds = {
        kind: int(judgments.is_kind(kind).sum()) for kind in ("system", "degraded", "repeat")
    }
    assert kinds == {"system": 2400, "degraded": 800, "repeat": 160}
    assert judgments.column("rater").n_levels == 16
    assert judgments.column("document").levels == tuple(dict.fromkeys(corpus.documents or ()))
    assert campaign.scores.metric == "gauge"
    assert campaign.scores.n_runs("elm") == 3
    assert campaign.scores.documents == corpus.documents


def test_half_of_the_documents_come_from_the_other_side(campaign: ExampleCampaign) -> None:
    corpus = campaign.corpus
    origins = dict(zip(corpus.documents or (), corpus.original_languages or (), strict=True))
    assert sorted(origins.values()) == ["eng"] * 20 + ["qaa"] * 20
    judged = campaign.judgments
    said = zip(
        judged.column("document").labels(),
        judged.column("original_language").labels(),
        strict=True,
    )
    assert all(origins[document] == origin for document, origin in said)


def test_every_document_has_a_careful_rater_and_every_rater_both_origins(
    campaign: ExampleCampaign,
) -> None:
    judged = campaign.judgments
    who = judged.column("rater").labels()
    raters: dict[str, set[str]] = {}
    origins: dict[str, set[str]] = {}
    for document, origin, rater in zip(
        judged.column("document").labels(),
        judged.column("original_language").labels(),
        who,
        strict=True,
    ):
        raters.setdefault(document, set()).add(rater)
        origins.setdefault(rater, set()).add(origin)
    assert {len(names) for names in raters.values()} == {2}
    assert all(names - set(campaign.truth.careless_raters) for names in raters.values())
    assert all(seen == {"qaa", "eng"} for seen in origins.values())


def test_what_is_planted(campaign: ExampleCampaign) -> None:
    truth = campaign.truth
    assert {name: truth.difference(name) for name in truth.quality} == {
        "aspen": 6.0,
        "dogwood": 1.0,
        "birch": 0.0,
        "cedar": 0.0,
        "elm": -8.0,
    }
    assert truth.difference("elm", "aspen") == -14.0
    assert truth.careless_raters == ("r04", "r10", "r15")
    assert (truth.degraded, truth.reverse, truth.language_pair) == (25.0, 8.0, "qaa-eng")


def test_runs_differ_and_their_mean_is_the_planted_quality(campaign: ExampleCampaign) -> None:
    runs = campaign.corpus.systems["aspen"]
    assert len(set(runs)) == 3
    shifts = [make_campaign.run_points(0.0, run) for run in range(3)]
    assert (fmean(shifts), shifts[0]) == (0.0, 0.0)
    assert min(shifts) < 0.0


def test_no_line_is_empty_and_all_end_alike(campaign: ExampleCampaign) -> None:
    corpus = campaign.corpus
    streams = [corpus.references[0], corpus.sources or (), *corpus.systems["elm"]]
    for line in (line for stream in streams for line in stream):
        assert line is not None
        assert line.endswith(".")
        assert len(line.split()) > 2
        assert line[0].isupper() or line[0].isdigit()


def test_judgments_arrive_in_parts(campaign: ExampleCampaign) -> None:
    sizes = [campaign.arrived(look).n_judgments for look in range(1, 6)]
    assert sizes == [672, 1344, 2016, 2688, 3360]
    assert campaign.arrived(1).document is not None
    assert len(set(campaign.arrived(2).column("document").labels())) == 16
    with pytest.raises(InputError, match=r"`look` must be a whole number ≥ 1; got 0"):
        campaign.arrived(0)
    with pytest.raises(InputError, match=r"`look` must be at most 5; got 6"):
        campaign.arrived(6)


def test_files_read_as_the_campaign_does(campaign: ExampleCampaign, tmp_path: Path) -> None:
    written = write_campaign(tmp_path / "new" / "folder")
    assert sorted(path.name for path in written) == sorted(campaign_files())
    folder = written[0].parent
    assert dt.read_corpus_file(folder / "corpus.tsv").systems == campaign.corpus.systems
    for look in (1, 5):
        read = dt.read_judgments(folder / f"so-far-{look}.tsv")
        assert read.to_columns() == campaign.arrived(look).to_columns()
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["quality"] == campaign.truth.quality


def test_existing_files_stay_unless_allowed(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text("mine")
    with pytest.raises(DataError, match=r"truth\.json exists already"):
        write_campaign(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["truth.json"]
    write_campaign(tmp_path, overwrite=True)
    assert json.loads((tmp_path / "truth.json").read_text())["baseline"] == "birch"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match=r"cannot be made: .*\. Name another folder\."):
        write_campaign(tmp_path / "file")
