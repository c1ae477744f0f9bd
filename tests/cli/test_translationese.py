"""``detectable translationese``: from files to the answer."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

from detectable.cli import Commands, main
from detectable.cli.translationese import translationese
from detectable.data.human.read_judgments import read_judgments
from detectable.study.translationese.translationese import translationese as study
from tests.helpers import reference_data

FEW = ("--language", "zh-en", "--seed", "1", "--resamples", "99")


def run(*arguments: str | Path) -> Result:
    group = Commands("detectable", commands={"translationese": translationese})
    return CliRunner().invoke(group, ["translationese", *map(str, arguments)])


def as_json(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    system, item, rater = (axis.ravel() for axis in np.indices((3, 32, 2)))
    score = np.array([50, 52, 66])[system] + 10 * rater + rng.normal(0, 6, system.size)
    path = tmp_path / "judgments.csv"
    pl.DataFrame(
        {
            "system": np.array(["old", "new", "human"])[system],
            "item": item + 1,
            "rater": np.array(["ann", "bob"])[rater],
            "score": (score + np.where(item < 16, 0, 9)).round(1),
        }
    ).write_csv(path)
    return path


@pytest.fixture
def sidecar(tmp_path: Path) -> Path:
    path = tmp_path / "origlang.tsv"
    rows = [f"{i}\td{(i - 1) // 4}\t{'zho' if i <= 16 else 'eng'}" for i in range(1, 33)]
    path.write_text("\n".join(["line\tdoc\toriglang", *rows]) + "\n")
    return path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    words = [f"w{i}" for i in range(30)]
    references = [" ".join(rng.choice(words, 10)) for _ in range(32)]
    columns: dict[str, list[str]] = {
        "doc": [f"d{i // 4}" for i in range(32)],
        "origlang": ["zh"] * 16 + ["en"] * 16,
        "ref": references,
    }
    for name, share in (("old", 0.5), ("new", 0.6), ("human", 0.7)):
        columns[f"hyp:{name}"] = [
            " ".join(w if rng.random() < share else "x" for w in line.split())
            for line in references
        ]
    path = tmp_path / "texts.tsv"
    pl.DataFrame(columns).write_csv(path, separator="\t")
    return path


def test_judgments_with_a_sidecar(judgments: Path, sidecar: Path) -> None:
    options = ("--judgments", judgments, "--original-languages", sidecar, *FEW)
    found = as_json(*options, "--human", "human", "--margin", "4", "--standardise", "z")
    want = study(
        read_judgments(judgments),
        language_pair="zh-en",
        original_languages=sidecar,
        human="human",
        margin=4.0,
        standardise="z",
        n_resamples=99,
        rng=1,
    )
    assert found["kind"] == "Translationese"
    assert json.loads(json.dumps(want.to_dict())) == found
    assert {
        "parts",
        "effects",
        "pairs",
        "agreement",
        "conclusions",
        "replicated",
        "parity",
    } <= set(found)
    assert "rankings" not in found
    assert [part["n_documents"] for part in found["parts"]] == [4, 4]
    assert found["margin"] == {"z": 4.0}


def test_texts_judgments_and_both(judgments: Path, texts: Path, sidecar: Path) -> None:
    alone = as_json("--corpus", texts, "--metric", "chrf", *FEW)
    assert alone["measures"] == ["chrf"]
    both = as_json("--corpus", texts, "--judgments", judgments, "--metric", "chrf", *FEW)
    assert both["measures"] == ["raw", "z", "chrf"]
    judged = as_json("--judgments", judgments, "--original-languages", sidecar, *FEW)
    assert both["effects"][:6] == judged["effects"]
    lower = as_json(
        "--corpus", texts, "--metric", "bleu", "--lowercase", "--tokenize", "none", *FEW
    )
    assert "bleu[case:lc" in lower["signature"]
    assert "tok:none" in lower["signature"]


def test_plain_text_files(texts: Path, tmp_path: Path) -> None:
    frame = pl.read_csv(texts, separator="\t")
    for name in ("ref", "hyp:old", "hyp:new", "origlang", "doc"):
        (tmp_path / f"{name[-3:]}.txt").write_text("\n".join(frame[name]) + "\n")
    systems = (
        "--system",
        f"old={tmp_path / 'old.txt'}",
        "--system",
        f"new={tmp_path / 'new.txt'}",
    )
    found = as_json(
        *("--refs", tmp_path / "ref.txt", *systems, "--documents", tmp_path / "doc.txt"),
        *("--original-languages", tmp_path / "ang.txt", "--metric", "chrf", *FEW),
    )
    whole = as_json(
        "--corpus", texts, "--system", "old", "--system", "new", "--metric", "chrf", *FEW
    )
    assert found["effects"] == whole["effects"]


def test_what_is_shown(judgments: Path, sidecar: Path) -> None:
    result = run("--judgments", judgments, "--original-languages", sidecar, *FEW, "--pairs")
    assert result.exit_code == 0
    assert result.stdout.startswith("Leave reverse-created data out: 16 of 32 judged segments")
    for title in (
        "What reverse-created data add",
        "What each half alone concludes",
        "Pairs: does",
    ):
        assert title in result.stdout


def test_several_campaigns_need_a_choice(
    judgments: Path, sidecar: Path, tmp_path: Path
) -> None:
    frame = pl.read_csv(judgments)
    path = tmp_path / "two.csv"
    both = [frame.with_columns(campaign=pl.lit(name), lp=pl.lit("zh-en")) for name in "ab"]
    pl.concat(both).write_csv(path)
    options = ("--judgments", path, "--original-languages", sidecar, "--seed", "1")
    assert "choose one with --campaign" in run(*options).output
    chosen = as_json(*options, "--campaign", "a", "--language", "zh-en", "--resamples", "99")
    assert chosen["language_pair"] == "zh-en"
    assert [part["n_judgments"] for part in chosen["parts"]] == [96, 96]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give --judgments or --battles; or texts: --corpus, or --refs and --system."),
        (("--documents", "x"), "--documents has no effect without texts. Drop it."),
        (("--sources", "x"), "--sources has no effect without texts. Drop it."),
        (("--refs", "x"), "give --refs and --system for text files"),
        (
            ("--refs", "x", "--system", "a=y", "--sources", "z"),
            "--sources has no effect on plain",
        ),
    ],
)
def test_what_does_not_fit_together(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_options_without_effect_are_refused(judgments: Path, texts: Path) -> None:
    for options in (("--metric", "bleu"), ("--tokenize", "zh"), ("--lowercase",)):
        result = run("--judgments", judgments, *options)
        assert "have no effect without texts. Drop them." in result.output
    result = run("--corpus", texts, "--scale", "0:1", *FEW)
    assert "--scale has no effect here: there are no judgments." in result.output


def test_messages_name_options(judgments: Path, texts: Path) -> None:
    missing = run("--judgments", judgments, *FEW)
    assert missing.exit_code == 1
    assert "the original language of the items is not known" in missing.output
    assert "--original-languages" in missing.output
    pair = run("--corpus", texts, "--seed", "1")
    assert "--language must say from which language into which" in pair.output
    margin = run("--corpus", texts, "--margin", "2", *FEW)
    assert "Say which system that is: --human" in margin.output


def test_a_real_test_set_that_is_forward_throughout() -> None:
    folder = reference_data("data", "real", "sgm")
    names = ("document-level.6808", "sentence-level.6785")
    systems = [
        f"{n[:4]}={folder / f'newstest2019.Microsoft-WMT19-{n}.en-de.sgm'}" for n in names
    ]
    files = ("--refs", folder / "newstest2019-ende-ref.de.sgm", "--sources")
    texts = (*files, folder / "newstest2019-ende-src.en.sgm", "--system", systems[0])
    whole = (*texts, "--system", systems[1], "--metric", "chrf", "--seed", "1")
    forward = run(*whole, "--language-pair", "en-de")
    assert forward.exit_code == 1
    assert (
        "no segment was first written in de, the target language (found: en)" in forward.output
    )
    assert "Nothing needs to be left out." in forward.output
    reverse = run(*whole, "--language-pair", "de-en")
    assert (
        "no segment was first written in de, the source language (found: en)" in reverse.output
    )
    assert "there is no forward half" in reverse.output


# --- One direction alone, in commands about raters, metrics and labels ---


def _tables(folder: Path, *, keep: str | None) -> dict[str, Path]:
    """Write judgments and scores of 24 forward and 16 reverse items; all, or one part of them."""
    rng = np.random.default_rng(8)
    system, item, rater, copy = (axis.ravel() for axis in np.indices((2, 40, 2, 2)))
    written = np.where(item < 24, "zh", "en")
    people = pl.DataFrame(
        {
            "system": np.array(["A", "B"])[system],
            "item": item,
            "rater": np.array(["ann", "bob"])[rater],
            "type": np.array(["SYSTEM", "BAD_REF"])[copy],
            "score": (60 - 30 * copy + 10 * (item >= 24) + rng.normal(0, 8, item.size)).round(
                1
            ),
            "origlang": written,
        }
    )
    system, item = (axis.ravel() for axis in np.indices((2, 40)))
    scores = pl.DataFrame(
        {
            "system": np.array(["A", "B"])[system],
            "item": item,
            "score": rng.normal(50, 10, item.size).round(2),
            "comet": rng.normal(0, 1, item.size).round(3),
            "origlang": np.where(item < 24, "zh", "en"),
        }
    )
    found = {}
    for name, table in (("people", people), ("scores", scores)):
        found[name] = folder / f"{name}-{keep or 'all'}.csv"
        kept = table if keep is None else table.filter(pl.col("origlang") == keep)
        kept.drop([] if keep is None else ["origlang"]).write_csv(found[name])
    return found


@pytest.mark.parametrize(
    "words",
    [
        "quality {people}",
        "variance {people}",
        "agreement {people}",
        "meta {scores} --human score --metric comet --level segment --seed 1 --resamples 200",
        "select {scores} --n-items 6 --by random --seed 1",
        "labels --half-width 2 --pilot {people} --judge {scores} --system A",
    ],
    ids=lambda words: words.split()[0],
)
@pytest.mark.parametrize(("direction", "code"), [("forward", "zh"), ("reverse", "en")])
def test_a_direction_is_the_table_cut_to_it(
    words: str, direction: str, code: str, tmp_path: Path
) -> None:
    whole, cut = (_tables(tmp_path, keep=keep) for keep in (None, code))
    asked = [*words.format(**whole).split(), "--direction", direction, "--language", "zh-en"]
    found = CliRunner().invoke(main, [*asked, "--json"])
    by_hand = CliRunner().invoke(main, [*words.format(**cut).split(), "--json"])
    assert (found.exit_code, by_hand.exit_code) == (0, 0), found.output + by_hand.output
    assert f"only {direction} ones ({code}) are kept" in found.stderr
    ours, theirs = (json.loads(one.stdout) for one in (found, by_hand))
    # Items are numbered among those at hand, and notes say what was left out.
    assert {k: v for k, v in ours.items() if k not in ("notes", "provenance")} == {
        k: v for k, v in theirs.items() if k not in ("notes", "provenance")
    }


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("quality {people} --direction forward", 1, "Give it: --language zh-en"),
        ("quality {people} --language zh-en", 1, "there is no language"),
        ("quality {people} --direction forward --language de-fr", 1, "none is forward"),
        ("meta {scores} --metric comet --language zh-en", 2, "no effect without --direction"),
        ("select {scores} --n-items 6 --language zh-en", 2, "no effect without --direction"),
        ("labels --half-width 2 --sd 5 --direction forward", 2, "there is no --pilot"),
    ],
)
def test_directions_that_nothing_can_answer(
    words: str, code: int, message: str, tmp_path: Path
) -> None:
    found = CliRunner().invoke(main, words.format(**_tables(tmp_path, keep=None)).split())
    assert (found.exit_code, message in found.output) == (code, True), found.output


def test_a_judge_that_does_not_say_languages_has_one_pool(tmp_path: Path) -> None:
    files = _tables(tmp_path, keep=None)
    plain = tmp_path / "plain.csv"
    pl.read_csv(files["scores"]).drop("origlang").write_csv(plain)
    words = ["labels", "--half-width", "2", "--pilot", str(files["people"]), "--system", "A"]
    asked = [*words, "--judge", str(plain), "--direction", "forward", "--language", "zh-en"]
    found = CliRunner().invoke(main, [*asked, "--json"])
    assert found.exit_code == 0, found.output
    assert "all 40 count as the pool" in found.stderr
    assert json.loads(found.stdout)["n_pool"] == 40
