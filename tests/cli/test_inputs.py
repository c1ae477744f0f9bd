"""Where the data of a comparison come from: which options go together, and what they read."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.cli.inputs import (
    Inputs,
    corpus_or_scores,
    number_lists,
    numbers,
    parse_metrics,
    weights,
)
from detectable.cli.options import column_names
from detectable.core.errors import InputError
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import Chrf
from detectable.metrics.gtm import Gtm
from detectable.metrics.ter import Ter

NOTHING = Inputs(
    references=(),
    systems=(),
    sources=None,
    documents=None,
    corpus=None,
    language_pair=None,
    scores=(),
    metric=None,
    format="auto",
    filter=None,
    errors=None,
    pool=False,
    direction="all",
    columns={},
)
SAMPLES = Path(__file__).parent.parent / "data" / "samples"


@pytest.fixture
def lines(tmp_path: Path) -> dict[str, str]:
    """Write small text files and return their paths."""
    texts = {
        "ref": "one two\nthree four\n",
        "ref2": "eins zwei\ndrei vier\n",
        "a": "one too\nthree four\n",
        "a2": "one\nthree\n",
        "b": "two one\nfour three\n",
        "src": "uno due\ntre quattro\n",
        "docs": "d1\nd2\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    return {name: str(tmp_path / f"{name}.txt") for name in texts}


# Options that do not go together


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give --refs and --system for text files, or --corpus, or --scores."),
        ({"references": ("r",)}, "give --refs and --system for text files"),
        ({"systems": ("A=a",)}, "give --refs and --system for text files"),
        ({"corpus": "c", "scores": ("s",)}, "give --corpus or --scores, not both."),
        (
            {"scores": ("s",), "references": ("r",)},
            "--refs has no effect on --scores. Drop it.",
        ),
        ({"scores": ("s",), "sources": "q"}, "--sources has no effect on --scores. Drop it."),
        ({"corpus": "c", "metric": "x"}, "--score-name has no effect on texts. Drop it."),
        ({"corpus": "c", "filter": "x"}, "--score-filter has no effect on texts."),
        ({"corpus": "c", "sources": "q"}, "--sources has no effect on --corpus. Drop it."),
        ({"corpus": "c", "documents": "d"}, "--documents has no effect on --corpus. Drop it."),
        (
            {"references": ("r",), "systems": ("A=a",), "metric": "x"},
            "--score-name has no effect on texts. Drop it.",
        ),
        (
            {"references": ("r",), "systems": ("A=a",), "language_pair": "en-de"},
            "--language has no effect on text files. Drop it.",
        ),
        ({"references": ("r",), "systems": ("a",)}, "--system takes name=value; got 'a'."),
        ({"references": ("r",), "systems": ("=a",)}, "--system takes name=value; got '=a'."),
        ({"references": ("r",), "systems": ("A=",)}, "--system takes name=value; got 'A='."),
        (
            {"references": ("r.sgm",), "systems": ("A=a",), "documents": "d"},
            "--documents has no effect on SGM files, which name their documents. Drop it.",
        ),
        ({"scores": ("A=a", "b")}, "--scores takes name=value; got 'b'."),
    ],
    ids=str,
)
def test_options_that_would_be_ignored_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(click.UsageError, match=re.escape(message)):
        NOTHING._replace(**given).load()


# What is read


def test_text_files_with_runs_sources_and_documents(lines: dict[str, str]) -> None:
    given = NOTHING._replace(
        references=(lines["ref"], lines["ref2"]),
        systems=(f"A={lines['a']},{lines['a2']}", f"B={lines['b']}"),
        sources=lines["src"],
        documents=lines["docs"],
    )
    corpus = given.load()
    assert isinstance(corpus, Corpus)
    assert corpus.systems == {
        "A": (("one too", "three four"), ("one", "three")),
        "B": (("two one", "four three"),),
    }
    assert corpus.references == (("one two", "three four"), ("eins zwei", "drei vier"))
    assert corpus.sources == ("uno due", "tre quattro")
    assert corpus.documents == ("d1", "d2")


@pytest.mark.parametrize("suffix", [".sgm", ".sgml"])
def test_sgm_files_are_known_by_their_name(tmp_path: Path, suffix: str) -> None:
    reference = tmp_path / f"ref{suffix}"
    reference.write_text((SAMPLES / "ref.sgm").read_text())
    given = NOTHING._replace(
        references=(str(reference),), systems=(f"A={SAMPLES / 'one.sgm'}",)
    )
    corpus = given.load()
    assert isinstance(corpus, Corpus)
    assert corpus.documents is not None


def test_a_table_of_texts_gives_the_systems_and_references_that_were_named() -> None:
    whole = NOTHING._replace(corpus=str(SAMPLES / "texts.tsv")).load()
    assert isinstance(whole, Corpus)
    first = next(iter(whole.systems))
    chosen = NOTHING._replace(corpus=str(SAMPLES / "texts.tsv"), systems=(first,)).load()
    assert isinstance(chosen, Corpus)
    assert len(whole.systems) > 1
    assert list(chosen.systems) == [first]


def test_one_file_of_scores_holds_all_systems() -> None:
    given = NOTHING._replace(scores=(str(SAMPLES / "scores_wide.csv"),))
    table = given.load()
    assert isinstance(table, Scores)
    assert len(table.systems) > 1


def test_files_of_scores_by_name_and_run(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"{ord(name)}\n2\n3\n")
    given = NOTHING._replace(
        scores=(f"A={tmp_path / 'a.txt'},{tmp_path / 'b.txt'}", f"C={tmp_path / 'c.txt'}"),
    )
    table = given.load()
    assert isinstance(table, Scores)
    assert {name: rows[:, 0].tolist() for name, rows in table.systems.items()} == {
        "A": [97.0, 98.0],
        "C": [99.0],
    }


def test_one_named_file_of_scores_is_not_taken_for_a_path(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    table = NOTHING._replace(scores=(f"A={tmp_path / 'a.txt'}",)).load()
    assert isinstance(table, Scores)
    assert list(table.systems) == ["A"]


def test_the_options_are_handed_over_as_one() -> None:
    seen: list[Any] = []

    @click.command()
    @corpus_or_scores
    @click.option("--seed", type=int)
    def command(inputs: Inputs, seed: int) -> None:
        seen.extend((inputs, seed))

    arguments = ["--refs", "r1", "--refs", "r2", "--system", "A=a", "--seed", "7"]
    assert CliRunner().invoke(command, arguments).exit_code == 0
    assert seen == [NOTHING._replace(references=("r1", "r2"), systems=("A=a",)), 7]


def test_the_options_stand_in_the_order_in_which_people_read_them() -> None:
    @click.command()
    @corpus_or_scores
    def command(inputs: Inputs) -> None:
        raise AssertionError

    names = [parameter.opts[0] for parameter in command.params]
    assert names == [
        "--refs",
        "--system",
        "--sources",
        "--documents",
        "--corpus",
        "--language",
        "--scores",
        "--score-name",
        "--score-format",
        "--score-filter",
        "--errors",
        "--pool",
        "--direction",
        "--column",
    ]


# Numbers


def _read(reader: Any, *texts: str) -> Any:
    option = click.Option(["--margin"])
    return reader(click.Context(click.Command("x")), option, texts)


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ((), None),
        (("0.5",), 0.5),
        (("-1e3",), -1000.0),
        (("bleu=0.5",), {"bleu": 0.5}),
        (("bleu=0.5", "chrf=2"), {"bleu": 0.5, "chrf": 2.0}),
    ],
    ids=str,
)
def test_a_number_or_one_for_each_metric(texts: tuple[str, ...], found: Any) -> None:
    assert _read(numbers, *texts) == found


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("half",), "--margin takes a number; got 'half'."),
        (("bleu=x",), "--margin takes a number; got 'x'."),
        (("0.5", "0.7"), "--margin takes name=value; got '0.5'."),
        (("bleu=1", "2"), "--margin takes name=value; got '2'."),
        (("=1",), "--margin takes name=value; got '=1'."),
    ],
    ids=str,
)
def test_what_is_no_number_is_refused(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(click.UsageError, match=re.escape(message)):
        _read(numbers, *texts)


def test_lists_of_numbers_by_name() -> None:
    assert _read(number_lists, "A=1.5,2.5", "B=3") == {"A": [1.5, 2.5], "B": [3.0]}
    assert _read(number_lists) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [("1,2", "takes name=value; got '1,2'"), ("A=1,,2", "takes a number; got ''")],
)
def test_lists_without_a_name_or_with_gaps_are_refused(text: str, message: str) -> None:
    with pytest.raises(click.UsageError, match=re.escape(message)):
        _read(number_lists, text)


# Columns


def test_columns_by_role() -> None:
    reader = column_names(("rater", "item"))
    assert _read(reader, "rater=who", "item=a=b") == {"rater": "who", "item": "a=b"}
    assert _read(reader) == {}


@pytest.mark.parametrize("text", ["rater", "rater=", "score=x", "=x"])
def test_columns_of_no_known_role_are_refused(text: str) -> None:
    with pytest.raises(
        click.BadParameter, match="takes role=name, with role one of rater, item"
    ):
        _read(column_names(("rater", "item")), text)


def test_scores_of_the_library_are_what_was_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("A,B\n0.25,1\n0.5,\n")
    table = NOTHING._replace(scores=(str(path),)).load()
    assert isinstance(table, Scores)
    assert table.systems["A"].tolist() == [[0.25, 0.5]]
    np.testing.assert_array_equal(table.systems["B"], [[1.0, np.nan]])


# Documents, patterns and scores beside texts


def test_documents_of_scores_by_system(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("1\n2\n3\n")
    (tmp_path / "docs.txt").write_text("d1\nd1\nd2\n")
    files = tuple(f"{name}={tmp_path / name}.txt" for name in "ab")
    table = NOTHING._replace(scores=files, documents=str(tmp_path / "docs.txt")).load()
    assert table.documents == ("d1", "d1", "d2")


def test_a_pattern_stands_for_runs(tmp_path: Path) -> None:
    for seed in (1, 2, 10):
        (tmp_path / f"seed{seed}.en").write_text(f"one {seed}\ntwo\n")
    (tmp_path / "ref").write_text("one 1\ntwo\n")
    given = NOTHING._replace(
        references=(str(tmp_path / "ref"),), systems=(f"A={tmp_path}/seed*.en",)
    )
    corpus = given.load()
    assert isinstance(corpus, Corpus)
    assert [run[0] for run in corpus.systems["A"]] == ["one 1", "one 2", "one 10"]
    scores = tuple(f"A={tmp_path}/s*.txt" for _ in range(1))
    for run in (1, 2):
        (tmp_path / f"s{run}.txt").write_text("1\n2\n")
    assert NOTHING._replace(scores=scores).load().n_runs("A") == 2


def test_scores_beside_texts_are_named_after_what_they_measure(
    lines: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "c.csv").write_text("item,a,b\n1,0.5,0.25\n2,0.75,0.5\n")
    given = NOTHING._replace(
        references=(lines["ref"],),
        systems=(f"a={lines['a']}", f"b={lines['b']}"),
        scores=(f"comet={tmp_path / 'c.csv'}",),
    )
    assert given.beside
    loaded, [beside] = given.load_with_beside()
    assert isinstance(loaded, Corpus)
    with pytest.raises(click.UsageError, match="--refs has no effect on --scores"):
        given.load()  # a command that would not read the scores
    assert beside.metric == "comet"
    assert list(beside.systems) == ["a", "b"]
    assert not NOTHING.beside
    with pytest.raises(
        click.UsageError, match=r"--scores beside texts takes name=value; got 'c\.csv'"
    ):
        given._replace(scores=("c.csv",)).load_with_beside()
    with pytest.raises(click.UsageError, match="two --scores are called 'comet'"):
        given._replace(scores=given.scores * 2).load_with_beside()


def test_weights_are_a_word_or_a_number_for_each_task() -> None:
    option = click.Option(["--weights"])
    context = click.Context(click.Command("x"))
    assert weights(context, option, "items") == "items"
    assert weights(context, option, "math=2,code=.5") == {"math": 2.0, "code": 0.5}
    with pytest.raises(click.UsageError, match="--weights takes name=value; got 'size'"):
        weights(context, option, "size")
    with pytest.raises(click.UsageError, match="--weights takes a number; got 'x'"):
        weights(context, option, "math=x")


# --- ``--metric bleu:tokenize=intl,lowercase=yes``: names and settings as people type them ---


def _parse(*texts: str, tokenize: str | None = None, lowercase: bool = False) -> Any:
    return parse_metrics(texts, tokenize=tokenize, lowercase=lowercase)


def test_no_choice_is_left_to_the_library() -> None:
    assert _parse() is None


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("bleu", Bleu()),
        ("bleu:", Bleu()),
        ("bleu:tokenize=char", Bleu(tokenize="char")),
        ("bleu:max_order=2", Bleu(max_order=2)),
        ("bleu:smooth=floor,smooth_value=0.2", Bleu(smooth="floor", smooth_value=0.2)),
        ("bleu:effective_order=yes,", Bleu(effective_order=True)),
        ("chrf:beta=3,whitespace=on", Chrf(beta=3, whitespace=True)),
        ("gtm:exponent=2", Gtm(exponent=2.0)),
    ],
    ids=str,
)
def test_settings_become_what_the_metric_holds(text: str, metric: Any) -> None:
    assert _parse(text) == (metric,)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("yes", True),
        ("true", True),
        ("on", True),
        ("YES", True),
        ("no", False),
        ("false", False),
        ("off", False),
        ("Off", False),
    ],
)
def test_words_for_yes_and_no(word: str, value: bool) -> None:
    [found] = _parse(f"bleu:lowercase={word}")
    assert found.lowercase is value


def test_a_fraction_stays_one() -> None:
    [found] = _parse("bleu:smooth=floor,smooth_value=1")
    assert (found.smooth_value, type(found.smooth_value)) == (1.0, float)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "bleu:tokenize",
            "--metric bleu:tokenize: write settings as key=value, not 'tokenize'.",
        ),
        ("bleu:lowercase=maybe", "--metric bleu:lowercase=maybe: 'maybe' must be yes or no."),
        ("bleu:max_order=two", "--metric bleu:max_order=two: 'two' must be a number."),
        ("bleu:max_order=2.5", "'2.5' must be a number."),
        ("gtm:exponent=x", "'x' must be a number."),
    ],
    ids=str,
)
def test_settings_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(click.UsageError, match=re.escape(message)):
        _parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bleu:beta=2", "metric 'bleu' has no setting 'beta'; it has tokenize"),
        ("blue", "no metric named 'blue'. Did you mean 'bleu'"),
        ("bleu:tokenize=13b", "13b"),
    ],
    ids=str,
)
def test_settings_that_do_not_exist(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        _parse(text)


# Settings for all metrics


def test_a_shared_setting_alone_asks_for_the_usual_metrics() -> None:
    assert _parse(tokenize="char") == (Bleu(tokenize="char"), Chrf())
    assert _parse(lowercase=True) == (Bleu(lowercase=True), Chrf(lowercase=True))


def test_a_shared_setting_reaches_the_metrics_that_have_it() -> None:
    found = _parse("chrf", "bleu:max_order=2", tokenize="char", lowercase=True)
    assert found == (Chrf(lowercase=True), Bleu(tokenize="char", lowercase=True, max_order=2))


def test_a_metrics_own_setting_goes_first() -> None:
    found = _parse("bleu:tokenize=intl,lowercase=no", "ter", tokenize="char", lowercase=True)
    assert found[0] == Bleu(tokenize="intl", lowercase=False)
    assert isinstance(found[1], Ter)


def test_a_shared_setting_that_no_metric_has_is_refused() -> None:
    wanted = "--tokenize has no effect: none of the metrics has that setting."
    with pytest.raises(click.UsageError, match=re.escape(wanted)):
        _parse("chrf", tokenize="char")


def test_one_metric_with_the_setting_is_enough() -> None:
    assert _parse("chrf", "bleu", tokenize="char")[1] == Bleu(tokenize="char")


# --- Every file that a command is given is opened once: plans, judgments, scores ---

DATA = Path(__file__).parents[1] / "frozen" / "data"
FEW = "--budgets 120,240 --step 20 --repeats 2 --looks 6 --seed 1"
_seen: list[Counter[str]] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    # Python tells of every file that it opens, by whatever function; hooks cannot be taken off.
    if event == "open" and _seen and isinstance(arguments[0], str | bytes | Path):
        _seen[-1][str(arguments[0])] += 1


sys.addaudithook(_hook)


@contextmanager
def opened() -> Iterator[Counter[str]]:
    """Count how often each file is opened."""
    _seen.append(Counter())
    try:
        yield _seen[-1]
    finally:
        _seen.pop()


def run(line: str) -> Counter[str]:
    with opened() as files:
        result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 0, result.output
    return files


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "ship.json"
    run(f"plan new {path} --systems new,old --n-max 60 --unit item")
    return path


def test_the_counter_counts(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with opened() as files:
        path.write_text("a")
        path.read_bytes()
        with open(path) as again:
            again.read()
    assert files[str(path)] == 3


def test_a_look_reads_its_plan_once(plan: Path) -> None:
    assert run(f"look {plan} {DATA}/ragged.csv --final")[str(plan)] == 1


def test_a_conclusion_reads_its_plan_once(plan: Path) -> None:
    run(f"look {plan} {DATA}/ragged.csv --final")
    assert run(f"conclude {plan}")[str(plan)] == 1
    assert run(f"conclude {plan} {DATA}/ragged.csv --force")[str(plan)] == 1


@pytest.mark.parametrize(
    "line",
    [
        "rank {data}",
        "quality {data}",
        "variance {data}",
        "agreement {data}",
        "control-variates {data} {metric}",
        f"savings {{data}} {FEW}",
        "look {plan} {data}",
        "conclude {plan} {data}",
    ],
    ids=lambda line: line.split()[0],
)
def test_judgments_are_read_once(line: str, plan: Path) -> None:
    data, metric = DATA / "controls.csv", DATA / "metric.csv"
    if line.startswith("conclude"):
        run(f"look {plan} {data} --final")
    files = run(line.format(data=data, metric=metric, plan=plan))
    assert files[str(data)] == 1
