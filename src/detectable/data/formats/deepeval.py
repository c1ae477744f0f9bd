"""Test runs of DeepEval."""

from typing import Any

from detectable.core.choices import LogErrors
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import read_json
from detectable.data.names import file_stem, value_name
from detectable.data.reader import ScoreReader
from detectable.data.scores import sample_log


def recognise(content: FileContent) -> bool:
    """Tell by test cases with data of metrics."""
    cases = content.first_object.get("testCases")
    first = cases[0] if isinstance(cases, list) and cases else None
    return isinstance(first, dict) and "metricsData" in first


def _read(
    path: FilePath, metric: str | None, errors: LogErrors = "missing"
) -> sample_log.ReadLog:
    """Read the score of every test case from a test run of DeepEval, one file per system.

    An item is the input of a test case; its name, ``test_case_3``, is only a place. The score is
    that of the metric, not whether it passed its threshold. A case that failed has none.
    """
    content = read_json(path)
    cases = content.get("testCases") if isinstance(content, dict) else None
    if not isinstance(cases, list) or not cases:
        raise DataError(f"{path}: the file holds no test cases of DeepEval.")
    scored = [_scores(path, number, case) for number, case in enumerate(cases, start=1)]
    name = sample_log.choose(
        str(path), "metric", list(dict.fromkeys(n for of in scored for n in of)), metric
    )
    rows: list[tuple[str, float, int | None]] = []
    failed = 0
    for number, (case, of) in enumerate(zip(cases, scored, strict=True), start=1):
        data = of.get(name, {})
        failed += bool(data.get("error"))
        where = f"{path}, test case {number}, metric {name!r}"
        score = parse_score(data.get("score"), where, truth=False)
        if errors == "zero" and data.get("error"):
            score = 0.0
        rows.append((value_name(case.get("input")), score, None))
    settings = content.get("hyperparameters")
    model = settings.get("model") if isinstance(settings, dict) else None
    zero = f" and {'count' if failed > 1 else 'counts'} 0" if errors == "zero" else ""
    note = f"{path}: {count(failed, 'test case')} ended in an error{zero}."
    log = sample_log.SampleLog(path, "deepeval", sample_log.number_samples(rows))
    return sample_log.ReadLog(
        name, {str(model or file_stem(path)): log}, [note] if failed else []
    )


def _scores(path: FilePath, number: int, case: Any) -> dict[str, dict[str, Any]]:
    data = case.get("metricsData") if isinstance(case, dict) else None
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        raise DataError(f"{path}: test case {number} has no metricsData: {quote(case)}.")
    return {str(one.get("name")): one for one in data}


SCORES = ScoreReader(
    name="deepeval",
    about="test runs of DeepEval, one file per system",
    recognise=recognise,
    read=sample_log.reads(_read),
    order=31,
    takes=("errors",),
)
