"""Error span annotation (ESA) as WMT24 and WMT25 publish it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.parquet import parquet_frame
from detectable.data.files.place import is_missing, place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.formats.appraise import document_name
from detectable.data.formats.wmt_da import names_in_segment
from detectable.data.human.columns import elapsed
from detectable.data.human.judgment_table import JudgmentRows
from detectable.data.human.judgments import Judgments
from detectable.data.reader import JudgmentReader

_NO_SCORE = "items without a score"
_PARQUET = frozenset(("lp", "user", "type", "doc", "score"))


def recognise(content: FileContent) -> bool:
    """Tell by the keys of a judgment of WMT24 or a segment of WMT25, or by column names."""
    entry = content.first_object
    wmt24 = "esa_score" in entry and "system" in entry
    wmt25 = "doc_id" in entry and isinstance(entry.get("scores"), dict)
    return wmt24 or wmt25 or content.parquet_columns >= _PARQUET


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read ESA judgments: JSON lines of WMT24 or WMT25, or a Parquet file of Appraise's rows.

    WMT24 has one judgment per line (``langs, line_id, doc_id, domain, esa_score, system,
    annotator``). WMT25 has one segment per line, with ``scores[system]`` of up to two
    annotators, which become waves 1 and 2, or of a list of annotators in its control task;
    ``doc_id`` holds language pair, domain, document and segment.
    The Parquet file has the columns ``lp, wave, user, system, item, type, doc, domain, score``
    and the times ``t0, t1``; documents marked as in `read_appraise` are treated as there.

    Parameters
    ----------
    content : FileContent
        The file.
    scale : (float, float), optional
        0 and 100 by default.
    repeated : {'refuse', 'mark'}
        What to do with second scores by one annotator.
    """
    rows = JudgmentRows(str(content))
    if content.is_parquet:
        _add_appraise(rows, content)
        rows.drop_copies()
    else:
        seen: Counter[str] = Counter()
        not_judged = 0
        for line, entry in read_json_lines(content):
            if isinstance(entry.get("scores"), dict):
                _add_segment(rows, line, entry, seen)
                not_judged += not entry["scores"]
            elif "esa_score" in entry:
                _add_judgment(rows, line, entry)
            else:
                raise DataError(
                    f"{place(content, line)}: expected a judgment with 'esa_score' (WMT24) or a "
                    f"segment with 'scores' (WMT25), found {quote(sorted(entry))}."
                )
        if not_judged:
            rows.notes.append(f"{count(not_judged, 'segment')} without any judgment.")
    return rows.build(scale, repeated)


def _add_judgment(rows: JudgmentRows, line: int, entry: Mapping[str, Any]) -> None:
    if is_missing(entry["esa_score"]):
        rows.leave_out(_NO_SCORE)
        return
    rows.add(
        line,
        system=entry.get("system"),
        item=entry.get("line_id"),
        score=entry["esa_score"],
        rater=entry.get("annotator"),
        document=entry.get("doc_id"),
        domain=entry.get("domain"),
        language=entry.get("langs"),
        wave=entry.get("wave"),
    )


def _add_segment(
    rows: JudgmentRows, line: int, entry: Mapping[str, Any], seen: "Counter[str]"
) -> None:
    """Add the judgments of one segment of WMT25, two waves for every system."""
    name = str(entry.get("doc_id"))
    named = names_in_segment(name)
    item = named.pop("item", None)
    if item is None:  # segments of a document follow each other
        seen[name] += 1
        item = str(seen[name])
    for system, given in entry["scores"].items():
        for part in _waves(rows, line, system, given):
            if is_missing(part.get("score")):
                rows.leave_out(_NO_SCORE)
            else:
                rows.add(line, system=system, item=item, **named, **part)


def _waves(rows: JudgmentRows, line: int, system: str, given: Any) -> Iterator[dict[str, Any]]:
    """Yield what each annotator gave: two waves, or a list in the control task."""
    listed = given if isinstance(given, list) else [given]
    wrong = [one for one in listed if not isinstance(one, Mapping)]
    if wrong:
        raise DataError(
            f"{place(rows.path, line)}: the scores of system {quote(system)} must be objects, "
            f"found {quote(wrong[0])}."
        )
    for one in listed:
        for wave in ("",) if isinstance(given, list) else ("1", "2"):
            times = one.get(f"times{wave}")
            if f"human{wave}" in one:
                yield {
                    "score": one[f"human{wave}"],
                    "rater": one.get(f"annotator{wave}"),
                    "wave": wave or None,
                    "seconds": elapsed(times if isinstance(times, list) else []),
                }


def _add_appraise(rows: JudgmentRows, content: FileContent) -> None:
    frame = parquet_frame(content, content.data)
    missing = [name for name in ("system", "item", "score") if name not in frame.columns]
    if missing:
        raise DataError(f"{content}: there is no column {missing[0]!r}.")
    backwards = 0
    for line, row in enumerate(frame.iter_rows(named=True), start=1):
        kind = str(row.get("type") or "TGT")
        document = row.get("doc")
        reason = None
        if document is not None:
            document, reason = document_name(str(document), kind, str(row["system"]))
        if reason is None and "tutorial" in str(row["system"]).lower():
            reason = "systems of a tutorial"
        if reason is not None:
            rows.leave_out(reason)
            continue
        start, end = row.get("t0"), row.get("t1")
        seconds = None if start is None or end is None else end - start
        backwards += seconds is not None and seconds < 0
        rows.add(
            line,
            system=row["system"],
            item=row["item"],
            score=row["score"],
            rater=row.get("user"),
            document=document,
            domain=row.get("domain"),
            wave=row.get("wave"),
            language=row.get("lp"),
            kind=kind,
            seconds=seconds if seconds is not None and seconds >= 0 else None,
        )
    if backwards:
        rows.notes.append(
            f"{count(backwards, 'time')} left empty: the end lies before the start."
        )


JUDGMENTS = JudgmentReader(
    name="esa",
    about="error span annotation: JSON lines of WMT24 and WMT25",
    recognise=recognise,
    read=read,
    order=50,
)
