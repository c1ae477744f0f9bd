"""Formats of a table: in their order, and as what they must be."""

import json
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from detectable.core.errors import DetectableError, InputError
from detectable.data.formats.comet import read_comet
from detectable.data.formats.inspect import read_inspect
from detectable.data.formats.lm_eval import read_lm_eval
from detectable.data.formats.sacrebleu import read_sacrebleu
from detectable.data.formats.score_lines import read_score_lines, read_seg_score
from detectable.data.human.read_judgments import read_judgments
from detectable.data.reader import SCORES as BUILT_IN
from detectable.data.reader import FormatRegistry, ScoreReader, judgment_readers, score_readers
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.scores.read_scores import read_scores
from detectable.data.texts.text_table import read_text_table
from detectable.data.texts.wmt_test_sets import read_sgm, read_wmt_xml
from tests.data.sample_files import SAMPLES as SAMPLES_of_sample_files
from tests.data.sample_files import write


def registry() -> FormatRegistry[ScoreReader]:
    return FormatRegistry("scores", BUILT_IN, ScoreReader)


def _gone() -> Any:
    raise ImportError("gone")


def test_rows_are_named_and_asked_in_their_order() -> None:
    found = registry().in_order()
    assert {"comet-text", "helm", "lines", "lm-eval", "table"} <= {one.name for one in found}
    assert [(one.order, one.name) for one in found] == sorted(
        (one.order, one.name) for one in found
    )
    assert found[-1].name == "table"  # takes what nobody else recognises


@pytest.mark.parametrize(
    ("load", "said"),
    [
        (object, "the format of scores 'odd' must be a ScoreReader of that name; got <object"),
        (
            lambda: registry().get("helm"),
            "the format of scores 'odd' must be a ScoreReader of that name; got ScoreReader",
        ),
        (_gone, r"the format of scores 'odd' cannot be loaded \(gone\)\. Repair or remove"),
    ],
    ids=["another thing", "another name", "broken"],
)
def test_a_package_that_adds_something_else(load: Callable[[], Any], said: str) -> None:
    made = registry()
    made.register("odd", load)
    with pytest.raises(InputError, match=said):
        made.in_order()


# --- A format that was named wrongly: every reader on every sample answers, or says what is wrong ---

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file())


def refusal(read: Callable[[], object]) -> DetectableError | None:
    """Return why nothing was read; any other error is a fault, and fails the test."""
    try:
        read()
    except DetectableError as error:
        return error
    return None


@pytest.mark.parametrize("format", judgment_readers().names())
def test_judgments(format: str) -> None:
    said = {path: refusal(partial(read_judgments, path, format=format)) for path in FILES}
    for path, error in said.items():
        assert error is None or isinstance(error, InputError) or path.name in str(error)
    # Folders and spreadsheets, which their own tests make.
    assert format in ("shipdata", "blind-sheets") or None in said.values()


@pytest.mark.parametrize("format", score_readers().names())
def test_scores(format: str) -> None:
    for path in FILES:
        error = refusal(partial(read_scores, path, format=format))
        assert error is None or len(str(error)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("format", score_readers().names())
def test_scores_of_two_systems(format: str) -> None:
    for path in FILES:
        error = refusal(partial(read_scores, {"A": path, "B": path}, format=format))
        assert error is None or len(str(error)) > 20


# --- Whatever a file holds, a reader returns a table or raises one of our own errors ---

LM_EVAL = next((SAMPLES_of_sample_files / "lm_eval" / "model-b").iterdir())
READERS: dict[str, tuple[Callable[[Path], object], Path]] = {
    "comet-score": (read_comet, SAMPLES_of_sample_files / "comet_score.json"),
    "comet-compare": (read_comet, SAMPLES_of_sample_files / "comet_compare.json"),
    "inspect": (
        lambda path: read_inspect(path, metric="match"),
        SAMPLES_of_sample_files / "inspect.json",
    ),
    "lm-eval": (read_lm_eval, LM_EVAL),
    "lines": (read_score_lines, SAMPLES_of_sample_files / "lines_A.txt"),
    "sacrebleu": (read_sacrebleu, SAMPLES_of_sample_files / "sacrebleu_A.txt"),
    "wide": (read_score_table, SAMPLES_of_sample_files / "scores_wide.csv"),
    "long": (read_score_table, SAMPLES_of_sample_files / "scores_long.csv"),
    "long-json": (read_score_table, SAMPLES_of_sample_files / "scores_long.jsonl"),
    "seg-score": (
        read_seg_score,
        SAMPLES_of_sample_files / "mtme" / "human-scores" / "en-de.mqm.seg.score",
    ),
    "texts": (read_text_table, SAMPLES_of_sample_files / "texts.tsv"),
    "xml": (read_wmt_xml, SAMPLES_of_sample_files / "wmt.xml"),
    "sgm": (
        lambda path: read_sgm({"A": path}, [SAMPLES_of_sample_files / "ref.sgm"]),
        SAMPLES_of_sample_files / "one.sgm",
    ),
    "any": (read_scores, SAMPLES_of_sample_files / "comet_score.json"),
}
JUDGMENTS = {
    "table.csv": "table",
    "table.jsonl": "table",
    "ad-csen-good-stnd.csv": "wmt-da",
    "crowdalone.csv": "wmt-da",
    "appraise_9.csv": "appraise",
    "appraise_11.csv": "appraise",
    "appraise_places.csv": "appraise",
    "wmt24.jsonl": "esa",
    "wmt25.jsonl": "esa",
    "mqm_newstest2020_ende.tsv": "mqm",
    "pearmut.jsonl": "pearmut",
    "label_studio.json": "label-studio",
}


def _judgments(format: str) -> Callable[[Path], object]:
    return lambda path: read_judgments(path, format=format)


READERS |= {
    name: (_judgments(format), SAMPLES_of_sample_files / "judgments" / name)
    for name, format in JUDGMENTS.items()
}
READERS["any-judgments"] = (read_judgments, SAMPLES_of_sample_files / "judgments" / "table.csv")
JSON_LINES = (
    "lm-eval",
    "long-json",
    "table.jsonl",
    "wmt24.jsonl",
    "wmt25.jsonl",
    "pearmut.jsonl",
)
JSON_SAMPLES = ("comet-score", "comet-compare", "inspect", "label_studio.json", *JSON_LINES)
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
patient = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def attempt(name: str, content: bytes) -> str:
    """Return what a reader says of a file that it refuses."""
    reader, sample = READERS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), sample.name, content)
        try:
            reader(path)
        except DetectableError as error:
            assert str(error)  # noqa: PT017  # either outcome is right
            return str(error)
    return ""


@pytest.mark.parametrize("name", READERS)
@patient
@given(
    content=st.binary(max_size=40)
    | st.text(max_size=40).map(lambda t: t.encode("utf-8", "surrogatepass"))
)
def test_any_bytes(name: str, content: bytes) -> None:
    attempt(name, content)


@pytest.mark.parametrize("name", READERS)
@patient
@given(data=st.data())
def test_a_damaged_sample(name: str, data: st.DataObject) -> None:
    content = READERS[name][1].read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 30)))
    attempt(name, content[:start] + data.draw(st.binary(max_size=4)) + content[end:])


@pytest.mark.parametrize("name", JSON_SAMPLES)
@patient
@given(data=st.data())
def test_json_with_anything_in_one_place(name: str, data: st.DataObject) -> None:
    text = READERS[name][1].read_text()
    rows = text.splitlines() if name in JSON_LINES else [text]
    index = data.draw(st.integers(0, len(rows) - 1))
    rows[index] = json.dumps(_replace(json.loads(rows[index]), data))
    attempt(name, "\n".join(rows).encode("utf-8", "surrogatepass"))


def _replace(value: Any, data: st.DataObject) -> Any:
    """Put a random value in the place of one random node."""
    if isinstance(value, dict | list) and value and data.draw(st.integers(0, 4)):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = data.draw(st.sampled_from(keys))
        value[key] = _replace(value[key], data)
        return value
    return data.draw(junk)


# What Python and its modules say, or what only a program can type.
_NOT_OURS = re.compile(
    r"universal-newline|new-line character|codec|Errno|quoted=|expected after|unexpected end of data"
    r"|field larger|NoneType|has no attribute|invalid literal|could not convert|[a-z]Error\b"
)
_SAME = {
    "old Mac": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r"),
    "Windows": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "mark": lambda data: b"\xef\xbb\xbf" + data,
}


@pytest.mark.parametrize("how", _SAME)
@pytest.mark.parametrize("name", READERS)
def test_line_ends_and_marks_change_nothing(name: str, how: str, tmp_path: Path) -> None:
    reader, sample = READERS[name]
    found = []
    for change in (bytes, _SAME[how]):
        path = write(tmp_path, sample.name, change(sample.read_bytes()))
        found.append(repr(reader(path)))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", READERS)
@patient
@given(data=st.data())
def test_stray_marks_and_line_ends_are_said_in_our_words(
    name: str, data: st.DataObject
) -> None:
    content = READERS[name][1].read_bytes()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        stray = data.draw(st.sampled_from([b"\r", b"\0", b'"', b'""', b"'", b'"\r', b"\r\n"]))
        content = content[:at] + stray + content[at:]
    said = attempt(name, content)
    assert not _NOT_OURS.search(said), said


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "name", [name for name in READERS if name != "xml"]
)  # which names its own
def test_utf_16_is_named(name: str, encoding: str) -> None:
    text = READERS[name][1].read_text(encoding="utf-8")
    assert "the file is UTF-16. Convert it to UTF-8" in attempt(name, text.encode(encoding))
