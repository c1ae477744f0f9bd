import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import (
    DataError,
    InputError,
    MissingExtraError,
    SuspiciousDataWarning,
)
from detectable.core.types import FloatArray
from detectable.data.texts.corpus import Corpus
from detectable.metrics import meteor as meteor_jar
from detectable.metrics.meteor import (
    LANGUAGES,
    N_STATISTICS,
    Meteor,
    MeteorProcess,
    meteor_process,
    score_request,
    without_whole_chunks,
)
from detectable.metrics.registry import metric
from tests.helpers import golden, reference_data

SYSTEMS = {"baseline": "baseline", "sys1": "system 1"}  # name in the files, name in the gold


def installed() -> tuple[Path, str]:
    """Return the jar and Java, skipping the test where one of them is missing."""
    try:
        return meteor_jar.find_jar(None), meteor_jar.find_java("java")
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def small_jar(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a jar beside one-entry paraphrase tables: it starts at once, in any language."""
    jar, _ = installed()
    folder = tmp_path_factory.mktemp("with space") / "meteor 1.5"
    (folder / "data").mkdir(parents=True)
    shutil.copy(jar, folder)
    for name in ("en", "cz", "de", "es", "fr", "ru"):
        with gzip.open(folder / "data" / f"paraphrase-{name}.gz", "wt") as table:
            table.write("0.5\nbig cat\nlion\n")
    return str(folder / jar.name)


def lines(name: str, n: int | None = None) -> list[str]:
    text = reference_data("data", "multeval", name).read_text(encoding="utf-8")
    return text.split("\n")[:-1][:n]


def multeval(n: int | None = None) -> Corpus:
    return Corpus.build(
        {
            system: [lines(f"hyps.lc.tok.en.{system}.opt{run}", n) for run in range(3)]
            for system in SYSTEMS
        },
        lines("refs.test2010.lc.tok.en.0", n),
    )


def gold(block: str) -> list[float]:
    content = json.loads(reference_data("gold", "multeval.json").read_text())[block]
    return [x for name in SYSTEMS.values() for x in content[name]["METEOR"]["per_run"]]


def segments(rng: np.random.Generator, n: int) -> FloatArray:
    """Return statistics of made-up segments, about half of them matched in full."""
    stages = rng.integers(0, 4, (n, 4, 2, 1)) + np.zeros((1, 1, 1, 2))
    stages[:, 3] = rng.integers(0, 4, (n, 2, 2))  # paraphrases may differ in length
    matched = stages.sum(axis=(1, 2))
    missed = rng.integers(0, 5, (n, 2)) * rng.integers(0, 2, (n, 1))
    missed_function = rng.integers(0, missed + 1)
    chunks = np.minimum(rng.integers(1, 6, n), matched.min(axis=1))
    return np.column_stack(
        [
            matched + missed,
            stages[:, :, 1].sum(axis=1) + missed_function,
            stages.reshape(n, 16),
            chunks,
            matched,
        ]
    )


def line(numbers: FloatArray) -> str:
    return " ".join(map(str, numbers.tolist()))


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("meteor"), ids=lambda c: c["name"])
def test_a_score_of_the_program_is_reproduced_without_it(case: dict[str, object]) -> None:
    found = Meteor(language=str(case["language"])).score(np.array(case["sums"], dtype=float))
    assert found == pytest.approx(case["score"], abs=1e-10)


@pytest.mark.golden
def test_multeval_scores_of_200_segments_of_six_runs_are_reproduced() -> None:
    installed()
    steps: list[tuple[int, int]] = []
    statistics = Meteor().statistics(
        multeval(200), progress=lambda _, done, total: steps.append((done, total or 0))
    )
    assert statistics.shape == (6, 200, N_STATISTICS)
    scores = Meteor().score(statistics.sum(axis=1))
    assert scores == pytest.approx(gold("multeval_200"), abs=1e-6)
    content = json.loads(reference_data("gold", "multeval.json").read_text())
    first = content["meteor_1.5_en_rank"]["first5_segments_baseline.opt0"]
    assert Meteor().score(statistics[0, :5]) / 100 == pytest.approx(first, abs=1e-6)
    assert steps[0][0] == 0
    assert steps[-1][0] == steps[-1][1] < 1200, "equal lines of two runs are aligned once"


@pytest.mark.golden
@pytest.mark.slow
def test_multeval_scores_of_the_full_example_are_reproduced() -> None:
    installed()
    scores = Meteor().score(Meteor().statistics(multeval()).sum(axis=1))
    assert scores == pytest.approx(gold("full_example_2489_segs_3runs"), abs=1e-6)


_EVERY_TIME = (
    "en",
    "ru",
    "fi",
    "other",
)  # with and without paraphrases and stems, other letters


@pytest.fixture(
    params=[
        one if one in _EVERY_TIME else pytest.param(one, marks=pytest.mark.slow)
        for one in LANGUAGES
    ]
)
def program(
    request: pytest.FixtureRequest, small_jar: str
) -> Iterator[tuple[str, MeteorProcess]]:
    jar, language = Path(small_jar), request.param
    table = LANGUAGES[language].paraphrases
    options = ["-l", language]
    if table:
        options += ["-a", str(meteor_jar.find_paraphrases(jar, table))]
    with meteor_process(jar, java="java", memory="1G", options=options) as process:
        yield language, process


def test_scores_of_sums_equal_the_program_in_every_language(
    program: tuple[str, MeteorProcess],
) -> None:
    language, process = program
    rng, ours = np.random.default_rng(1), Meteor(language=language)
    for n in (1, 1, 2, 5, 40, 40):
        raw = segments(rng, n)
        process.send(" ||| ".join(["EVAL", *map(line, raw)]))
        each = [float(process.receive()) for _ in range(n)]
        corpus = float(process.receive())
        cleared = without_whole_chunks(raw)
        assert ours.score(cleared) / 100 == pytest.approx(each, abs=1e-12)
        assert ours.score(cleared.sum(axis=0)) / 100 == pytest.approx(corpus, abs=1e-12)


def test_a_full_match_in_one_piece_has_no_chunk(small_jar: str) -> None:
    references = ["the old lion slept", "he likes dogs", "the cat", "the cat sat", "a b c d"]
    outputs = ["the old big cat slept", "he liked dog", "the cat", "sat the cat", "a b x c d"]
    corpus = Corpus.build({"A": outputs}, references)
    found = Meteor(jar=small_jar).statistics(corpus)[0]
    # paraphrase of another length, stems, equality; then another order, and a word too many
    assert found[:, 20].tolist() == [0, 0, 0, 2, 2]
    assert found[0, :2].tolist() == [5, 4]
    scores = Meteor().score(found)
    assert scores[2] == pytest.approx(100.0)
    assert (scores[[0, 1]] < 100.0).all()


def test_the_best_reference_counts_and_a_missing_one_does_not(small_jar: str) -> None:
    corpus = Corpus.build(
        {"A": ["the cat sat", "the cat sat"]},
        [["nothing of it", None], ["the cat sat", "the cat sat down"]],
    )
    found = Meteor(jar=small_jar).statistics(corpus)[0]
    assert found[:, 1].tolist() == [3, 4]
    assert found[:, 21].tolist() == [3, 3]


def test_empty_text_line_breaks_and_foreign_letters_pass(small_jar: str) -> None:
    references = ["the cat", "", "the\ncat", "naïve Дом 猫 😀", ""]
    outputs = ["", "the cat", "the\r\ncat", "naïve Дом 猫 😀", ""]
    corpus = Corpus.build({"A": outputs}, references)
    found = Meteor(jar=small_jar).statistics(corpus)[0]
    assert found[:, 0].tolist() == [0, 2, 2, 4, 0]
    assert found[:, 1].tolist() == [2, 0, 2, 4, 0]
    assert found[:, 21].tolist() == [0, 0, 2, 4, 0]


def test_an_empty_output_is_not_taken_for_a_reference(small_jar: str) -> None:
    corpus = Corpus.build({"A": [""]}, [["a b c"], ["a b"]])
    assert Meteor(jar=small_jar).statistics(corpus)[0, 0, :2].tolist() == [0, 3]


def test_bars_in_the_text_are_replaced_with_a_warning(small_jar: str) -> None:
    corpus = Corpus.build({"A": ["a ||| b", "a||||b c"]}, ["a ||| b", "a||||b d"])
    with pytest.warns(SuspiciousDataWarning, match=r"4 lines with '\|\|\|'.* read as '\|\|'"):
        found = Meteor(jar=small_jar).statistics(corpus)[0]
    assert found[:, :2].tolist() == [[3, 3], [2, 2]]
    assert found[:, 21].tolist() == [3, 1]


def test_untokenised_text_is_named_unless_it_is_normalized(small_jar: str) -> None:
    corpus = Corpus.build({"A": ["The cat sat."]}, ["the cat sat ."])
    with pytest.warns(SuspiciousDataWarning, match=r"looks untokenised.*`normalize=True`"):
        Meteor(jar=small_jar).statistics(Corpus.build({"A": ["A cat."]}, ["The cat."]))
    found = Meteor(jar=small_jar, normalize=True).statistics(corpus)[0, 0]
    assert found[[0, 1, 21]].tolist() == [4, 4, 4]


@given(st.lists(st.text(max_size=20), min_size=1, max_size=3), st.text(max_size=20))
def test_a_request_is_one_line_with_all_its_fields(references: list[str], output: str) -> None:
    request = score_request(references, output)
    assert "\n" not in request
    assert "\r" not in request
    assert len(request.split("|||")) == len(references) + 2


seeds = st.integers(0, 10_000)


@given(seeds, st.integers(1, 20))
def test_a_score_is_a_percentage_and_does_not_depend_on_scale(seed: int, n: int) -> None:
    sums = without_whole_chunks(segments(np.random.default_rng(seed), n)).sum(axis=0)
    sums[:2] += 1  # a word at least, so that a score exists
    score = Meteor().score(sums)
    assert 0.0 <= score <= 100.0
    assert Meteor().score(7.0 * sums) == pytest.approx(float(score), rel=1e-12)


@given(seeds)
def test_more_chunks_never_help(seed: int) -> None:
    sums = segments(np.random.default_rng(seed), 3).sum(axis=0)
    worse = sums.copy()
    worse[20] += 1
    assert not Meteor().score(worse) > Meteor().score(sums)


@given(seeds)
def test_leading_axes_are_scored_one_by_one(seed: int) -> None:
    table = segments(np.random.default_rng(seed), 6).reshape(2, 3, N_STATISTICS)
    one_by_one = [[Meteor().score(row) for row in rows] for rows in table]
    assert Meteor().score(table) == pytest.approx(np.array(one_by_one), nan_ok=True)


def test_influence_values_are_the_slopes_of_the_score() -> None:
    table = without_whole_chunks(segments(np.random.default_rng(2), 60))
    influence, total = Meteor().influence(table), table.sum(axis=0)
    assert influence.sum() == pytest.approx(0.0, abs=1e-9)
    step = 1e-6
    slopes = [
        (Meteor().score(total + step * row) - Meteor().score(total - step * row)) / (2 * step)
        for row in table
    ]
    assert influence == pytest.approx(np.array(slopes), abs=1e-6)


def test_nothing_matched_scores_zero_and_no_reference_at_all_is_not_a_number() -> None:
    nothing = np.zeros(N_STATISTICS)
    nothing[:2] = 3, 3
    silent = np.zeros(N_STATISTICS)
    silent[1] = 3
    assert Meteor().score(nothing) == 0.0
    assert Meteor().score(silent) == 0.0
    assert np.isnan(Meteor().score(np.zeros(N_STATISTICS)))


def test_it_is_registered_and_says_its_settings() -> None:
    found = metric("meteor", language="fi")
    assert found.higher_is_better
    assert found.signature() == "lang:fi|params:li|norm:no|meteor:1.5"
    assert Meteor(normalize=True).signature() == "lang:en|params:rank|norm:yes|meteor:1.5"


CORPUS = Corpus.build({"A": ["a b"]}, ["a b"])


def test_a_missing_jar_is_named_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(meteor_jar, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r'Run `pip install "detectable\[meteor\]"`'):
        Meteor().statistics(CORPUS)


def test_a_missing_java_is_named_with_a_remedy(tmp_path: Path) -> None:
    jar = tmp_path / "meteor-1.5.jar"
    jar.touch()
    with pytest.raises(MissingExtraError, match=r"no program 'kava' here. Install a Java"):
        Meteor(jar=str(jar), java="kava").statistics(CORPUS)


def test_a_missing_paraphrase_table_is_named(tmp_path: Path) -> None:
    jar = tmp_path / "meteor-1.5.jar"
    jar.touch()
    with pytest.raises(MissingExtraError, match=r"paraphrase-cz\.gz, which is not there"):
        Meteor(jar=str(jar), java=sys.executable, language="cs").statistics(CORPUS)


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(InputError, match=r"`language` must be one of en, cs, .*; got 'xx'"):
        Meteor(language="xx")
    with pytest.raises(InputError, match=r"`memory` must be .*; got 'much'"):
        Meteor(memory="much")
    with pytest.raises(InputError, match=r"`normalize` must be False .*'fi'.*yourself"):
        Meteor(language="fi", normalize=True)
    with pytest.raises(InputError, match=r"`jar` must be the path .*; got 'no.jar', no file"):
        Meteor(jar="no.jar").statistics(CORPUS)


def impostor(folder: Path, body: str) -> Meteor:
    """Return a metric whose Java is a Python script that first writes down its process id."""
    script, jar = folder / "java", folder / "meteor-1.5.jar"
    head = f"#!{sys.executable}\nimport os, sys, time\n"
    script.write_text(
        f"{head}open({str(folder / 'pid')!r}, 'w').write(str(os.getpid()))\n{body}"
    )
    script.chmod(0o755)
    jar.touch()
    return Meteor(language="other", jar=str(jar), java=str(script))


@pytest.mark.skipif(os.name == "nt", reason="a script with #! is no program on Windows")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sys.exit('first\\n\\tat Meteor.main(Unknown)')", r"exit code 1. It said: first$"),
        ("os.close(0); sys.exit('java.lang.OutOfMemoryError')", r"more memory with `memory`"),
        ("sys.exit(3)", r"exit code 3. It said nothing"),
        ("print('Error: what?', flush=True); input()", r"23 numbers; got 'Error: what\?' for"),
        ("print('1 2 3', flush=True); time.sleep(60)", r"23 numbers; got '1 2 3' for"),
        ("time.sleep(60)", r"no answer for 0.5 seconds and was stopped"),
    ],
)
def test_a_program_that_fails_is_ended_and_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str
) -> None:
    monkeypatch.setattr(meteor_jar, "_GOODBYE", 0.1)
    if "no answer" in message:
        monkeypatch.setattr(meteor_jar, "_PATIENCE", 0.5)
    with pytest.raises(DataError, match=message):
        impostor(tmp_path, body).statistics(CORPUS)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.skipif(os.name == "nt", reason="a script with #! is no program on Windows")
def test_a_request_to_a_program_that_is_gone_says_so(tmp_path: Path) -> None:
    gone = impostor(tmp_path, "sys.exit('bye')")
    jar = Path(gone.jar or "")
    with (
        meteor_process(jar, java=gone.java, memory="1G", options=[]) as process,
        pytest.raises(DataError, match=r"exit code 1\. It said: bye"),
    ):
        process.send("x" * 10_000_000)  # more than a pipe holds


def test_text_that_is_no_unicode_is_refused(small_jar: str) -> None:
    with pytest.raises(DataError, match="valid Unicode"):
        Meteor(jar=small_jar).statistics(Corpus.build({"A": ["\ud800"]}, ["a"]))


def test_a_unit_weighs_by_its_reference_length() -> None:
    five_of_six_words = [5, 6, 2, 2, 3, 3, 2, 2, *[0] * 12, 2, 5, 5]
    table = np.array([five_of_six_words, [0, 7, *[0] * 21]], dtype=float)
    assert Meteor().sizes(table).tolist() == [6.0, 7.0]
