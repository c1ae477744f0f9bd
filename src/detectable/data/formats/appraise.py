"""Scores that Appraise exports: rows without a header, and what their names of documents hold."""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any, NamedTuple

from detectable.core.choices import Repeated, SourceErrors
from detectable.core.errors import DataError
from detectable.core.wording import count, from_spreadsheet
from detectable.data.files.content import FileContent
from detectable.data.files.delimited import csv_rows
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.numbers import number_in
from detectable.data.files.place import FilePath, Problems, place, quote
from detectable.data.formats.mqm import Noted, score_of_spans, weight_notes
from detectable.data.formats.wmt_da import domain_in_document
from detectable.data.human.columns import elapsed
from detectable.data.human.judgment_table import PENALTY_SCALE, JudgmentRows, apart_note
from detectable.data.human.judgments import Judgments
from detectable.data.reader import JudgmentReader

_MARK = re.compile(r"(bad|dup|duplicate|incomplete)\d*")
_DROPPED = {
    "dup": "copies of documents (#dup)",
    "duplicate": "copies of documents (#duplicate)",
    "incomplete": "incomplete documents (#incomplete)",
}


def document_name(name: str, kind: str, system: str = "") -> tuple[str, str | None]:
    """Return the bare name of a document, and why its judgments are left out, if they are.

    A task is filled up with copies of documents (``#dup``, ``#duplicate``) and parts of them
    (``#incomplete``), and holds degraded copies (``#bad``); the marks may be numbered. Degraded
    items get the bare name, so that they can be compared with the originals; other items of
    a degraded copy are left out, as WMT does. Some campaigns add the system, which goes too;
    an excerpt (``name#1-10``) keeps its name.

    Examples
    --------
    >>> document_name("news.12#bad", "BAD"), document_name("news.12#dup", "TGT")
    (('news.12', None), ('news.12', 'copies of documents (#dup)'))
    >>> document_name("news.12#Online-A#bad3", "BAD", "wmt23.Online-A")
    ('news.12', None)
    """
    bare, *parts = name.split("#")
    marks = [found.group(1) for part in parts if (found := _MARK.fullmatch(part))]
    kept = "#".join(
        [bare, *(p for p in parts if not _MARK.fullmatch(p) and not _names(system, p))]
    )
    reason = next((_DROPPED[mark] for mark in marks if mark in _DROPPED), None)
    if reason is None and marks and kind.strip().lower() not in ("bad", "bad_ref", "degraded"):
        reason = "unchanged items of degraded documents (#bad)"
    return kept, reason


def copy_mark(name: str) -> str:
    """Return the marks behind the name of a document that make it a copy; else nothing.

    Examples
    --------
    >>> copy_mark("news.12#Online-A#bad3"), copy_mark("news.12#Online-A")
    ('bad3', '')
    """
    return "#".join(part for part in name.split("#")[1:] if _MARK.fullmatch(part))


def _names(system: str, part: str) -> bool:
    return bool(part) and (system == part or system.endswith(f".{part}"))


# --- Which segment of its document an item of Appraise is, where items are numbered by place ---

# Appraise counts tasks, and with them the users, in hexadecimal digits at the end of the name.
_USER = re.compile(r"(.*?)([0-9a-f]+)")


class Shown(NamedTuple):
    """Who judged which system's translation of which document."""

    user: str
    system: str
    document: str  # its bare name
    mark: str = ""  # of a copy; empty for the document itself


class Segments(NamedTuple):
    """What the items of Appraise are called, and the showings of which that cannot be told."""

    names: Mapping[tuple[Shown, str], str]
    unplaced: frozenset[Shown]


class _Run(NamedTuple):
    """The places in the task from the first to the last item of a document."""

    first: int
    length: int


def segments_in_documents(
    items: Iterable[tuple[Shown, str]],
) -> Segments | None:
    """Return the segment of each item, if items are numbered by their place in a task.

    Some campaigns number items by line of the test set, others by place in the task. In the
    latter case a number means nothing beyond the task: the same document has other numbers
    for every user and system. This distinguishes them, and segments are then counted
    within each document, from the place of its first item.

    Where a document does not fit into what is left of a task, Appraise continues it in the next
    one. So a document that is shorter than elsewhere is a part. Two parts are put together if
    they are of one system, as long as the whole when taken together, and of two users whose
    names follow each other; a degraded copy that is as long as a part in its own task is a copy
    of that part. The place of any other part in its document cannot be told. Its items are named
    by user and place, so that they are paired with nothing but degraded copies of themselves.

    Parameters
    ----------
    items : iterable of (shown, item)
        Where each item was shown, and its number. All items of a document are needed, also
        those that are not used later.

    Returns
    -------
    Segments or None
        None if the numbers are good as they are.
    """
    shown: dict[Shown, set[str]] = defaultdict(set)
    for where, item in items:
        if not item.isdecimal():
            return None
        shown[where].add(item)
    documents: dict[str, list[set[str]]] = defaultdict(list)
    for where, numbers in shown.items():
        documents[where.document].append(numbers)
    if not _by_place(documents.values()):
        return None
    runs = {where: _run(numbers) for where, numbers in shown.items()}
    before = _segments_before(runs)
    names = {
        (where, item): _name(where, int(item) - runs[where].first, runs, before[where])
        for where, numbers in shown.items()
        for item in numbers
    }
    return Segments(names, frozenset(w for w, n in before.items() if n is None))


def _by_place(documents: Iterable[Sequence[set[str]]]) -> bool:
    """Return whether most showings of a document have no number in common with its first."""
    same = different = 0
    for first, *others in documents:
        for other in others:
            different += first.isdisjoint(other)
            same += not first.isdisjoint(other)
    return different > same


def _run(numbers: Iterable[str]) -> _Run:
    places = [int(number) for number in numbers]
    return _Run(min(places), max(places) - min(places) + 1)


def _name(where: Shown, place: int, runs: Mapping[Shown, _Run], before: int | None) -> str:
    if before is not None:
        return str(before + place + 1)
    original = where._replace(mark="")
    if original in runs and runs[original].length == runs[where].length:
        return f"{where.user}#{runs[original].first + place}"
    return f"{where.user}#{runs[where].first + place}"


def _segments_before(runs: Mapping[Shown, _Run]) -> dict[Shown, int | None]:
    """Return how many segments of its document lie before each showing, None if unknown."""
    whole: dict[str, int] = defaultdict(int)
    for where, run in runs.items():
        whole[where.document] = max(whole[where.document], run.length)
    before: dict[Shown, int | None] = {
        where: 0 if run.length == whole[where.document] else None for where, run in runs.items()
    }
    parts: dict[tuple[str, str], list[Shown]] = defaultdict(list)
    for where in runs:
        if before[where] is None and not where.mark:
            parts[where.system, where.document].append(where)
    for (_, document), group in parts.items():
        halves = [
            (left, right)
            for left, right in permutations(group, 2)
            if _follows(left.user, right.user)
            and runs[left].length + runs[right].length == whole[document]
        ]
        fits = Counter(part for pair in halves for part in pair)
        for left, right in halves:
            if fits[left] == fits[right] == 1:  # else it could go with either
                before[left], before[right] = 0, runs[left].length
    for where in runs:
        original = where._replace(mark="")
        if where.mark and original in runs and runs[original].length == runs[where].length:
            before[where] = before[original]
    return before


def _follows(user: str, other: str) -> bool:
    mine, theirs = _USER.fullmatch(user), _USER.fullmatch(other)
    if mine is None or theirs is None or mine[1] != theirs[1]:
        return False
    return int(theirs[2], 16) - int(mine[2], 16) == 1


# --- Scores that Appraise exports: rows without a header ---

_WIDTHS = (9, 11, 12)
_ITEM_TYPES = frozenset(("TGT", "BAD", "REF", "CHK"))


class _Row(NamedTuple):
    user: str
    system: str
    item: str
    kind: str
    source: str
    target: str
    score: str
    document: str | None
    is_document: bool
    spans: str | None
    start: str
    end: str


class _Kept(NamedTuple):
    line: int
    row: _Row
    document: str | None


def recognise(content: FileContent) -> bool:
    """Tell by the number of columns of the first row, and by the type of its item."""
    line = content.first_line
    try:
        cells = next(csv.reader([line], delimiter=_delimiter(line)), [])
    except csv.Error:
        return False
    return len(cells) in _WIDTHS and cells[3].strip() in _ITEM_TYPES


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
    source_errors: SourceErrors = "count",
) -> Judgments:
    """Read an export of Appraise: Direct Assessment (with or without documents), ESA or MQM.

    The number of columns tells the campaign. Nine: user, system, item, type, source and target
    language, score, start, end. Eleven: with document and “is a document score” before the
    times. Twelve: with the error spans after these. Where all scores of a campaign with spans
    are 0 and errors have a category, it is MQM, and the score of an item is minus the weights of
    its errors. Errors of ESA have none.

    Where items are numbered by their place in a task, segments are counted within documents
    (see `segments_in_documents`), and a note says so. A document that is split over two tasks
    is put together where it can be told how; other parts of documents are paired with nothing.

    The domain is taken from the names of documents where all have WMT24's form
    (``test-en-news_guardian.7``).

    Scores of whole documents are kept apart (``of_documents``).

    Left out and counted: systems of a tutorial, copies and parts of documents
    that fill up a task, exact copies of rows. A system ``A+B``, whose output two systems
    share, becomes a row for each, if both also occur alone.

    Parameters
    ----------
    content : FileContent
        The csv file.
    scale : (float, float), optional
        0 and 100 by default; for MQM 0 is the highest, and there is no lowest.
    repeated : {'refuse', 'mark'}
        What to do with second scores by one user.
    source_errors : {'count', 'ignore'}
        In MQM, whether errors of the source cost what their severity says, or nothing.
    """
    rows = [(line, _row(cells)) for line, cells in _cells(content)]
    gathered, whole = JudgmentRows(str(content)), JudgmentRows(str(content))
    kept = []
    for line, row in rows:
        reason, document = _left_out(row)
        if row.is_document and reason is None:
            _add_document(whole, line, row, str(document))
        elif reason is None:
            kept.append(_Kept(line, row, document))
        else:
            gathered.leave_out(reason)
    is_mqm = _is_mqm([row for _, row in rows])
    segments = _segments([row for _, row in rows], kept)
    _gather(gathered, kept, segments, source_errors if is_mqm else None)
    gathered.drop_copies()
    if segments is not None:
        gathered.notes.append(
            "Items are numbered by their place in a task: segments were counted within each "
            "document."
        )
        gathered.notes += _parts(kept, segments)
    backwards = sum(_backwards(row) for _, row in rows)
    if backwards:
        gathered.notes.append(
            f"{count(backwards, 'time')} left empty: the end lies before the start."
        )
    if is_mqm:
        gathered.notes.append(
            "All scores are 0: they were computed from the error spans (MQM)."
        )
    elif _only_zeros(row for _, row in rows):
        gathered.notes.append(
            "All scores are 0 although errors are marked. They have no category, so this is ESA, and "
            "the scores stay as they are."
        )
    if whole.rows and not is_mqm:
        gathered.notes.append(apart_note(len(whole.rows)))
    found = gathered.build(scale, repeated, usual_scale=PENALTY_SCALE if is_mqm else None)
    if not whole.rows or is_mqm:  # MQM has no scores of documents: the column is 0
        return found
    return replace(found, of_documents=whole.build(scale, "mark"))


def _add_document(whole: JudgmentRows, line: int, row: _Row, document: str) -> None:
    """Add the rating of a whole document, an item of its own."""
    for system in row.system.split("+"):
        whole.add(
            line,
            system=system,
            item=document,
            score=row.score,
            rater=row.user,
            language=f"{row.source}-{row.target}",
            kind=row.kind,
            seconds=_seconds(row),
        )


def _gather(
    gathered: JudgmentRows,
    kept: Sequence[_Kept],
    segments: Segments | None,
    mqm: SourceErrors | None,
) -> None:
    """Add the judgments that are kept; an output that two systems share counts for each.

    In MQM the score is that of the error spans, by the rule given as `mqm`.
    """
    alone = {row.system for _, row, _ in kept}
    domains = _domains(kept)
    problems = Problems(gathered.path)
    seen: Counter[Noted] = Counter()
    shared = 0
    for line, row, document in kept:
        item = row.item if segments is None else segments.names[_shown(row)]
        score: float | str = row.score
        if mqm is not None:
            score = _penalty(row, gathered.path, line, problems, seen, mqm)
        parts = row.system.split("+")
        systems = parts if len(parts) > 1 and alone.issuperset(parts) else [row.system]
        shared += len(systems) - 1
        for system in systems:
            gathered.add(
                line,
                system=system,
                item=item,
                score=score,
                rater=row.user,
                document=document,
                domain=domains.get(document),
                language=f"{row.source}-{row.target}",
                kind=row.kind,
                seconds=_seconds(row),
            )
    problems.stop()
    if mqm is not None:
        gathered.notes += weight_notes(seen, mqm)
    if shared:
        gathered.notes.append(
            f"{count(shared, 'row')} added: outputs that systems share (A+B) count for each."
        )


def _domains(kept: Sequence[_Kept]) -> dict[str | None, str]:
    """Return the domain of every document, if the names of all hold one, as in WMT24."""
    found = {d: domain_in_document(d or "") for _, _, d in kept}
    known = {document: domain for document, domain in found.items() if domain is not None}
    return known if len(known) == len(found) else {}


def _delimiter(line: str) -> str:
    return "\t" if "\t" in line and "," not in line else ","


def _cells(content: FileContent) -> Iterator[tuple[int, list[str]]]:
    lines, path = content.lines, content.path
    delimiter = _delimiter(lines[0])
    width = 0
    for line, cells in zip(*csv_rows(path, lines, delimiter), strict=True):
        if not any(cell.strip() for cell in cells):
            continue
        width = width or len(cells)
        _check_width(path, line, cells, width)
        if len(cells) > 6 and cells[6].strip().lower() == "score":
            continue  # a header that somebody added
        yield line, cells


def _check_width(path: FilePath, line: int, cells: Sequence[str], width: int) -> None:
    if width not in _WIDTHS:
        whole = f" The whole line is one column, {quote(cells[0])}." if width == 1 else ""
        raise DataError(
            f"{place(path, line)}: an export of Appraise has 9, 11 or 12 columns separated by "
            f"commas; this row has {width}.{whole}"
        )
    if len(cells) != width:
        raise DataError(
            f"{place(path, line)}: this row has {count(len(cells), 'column')}, the first row "
            f"has {width}. Is the file cut short, or two exports in one?"
        )


def _row(cells: Sequence[str]) -> _Row:
    values = [from_spreadsheet(cell.strip()) for cell in cells]
    has_document, has_spans = len(values) > 9, len(values) > 11
    return _Row(
        user=values[0],
        system=values[1],
        item=values[2],
        kind=values[3],
        source=values[4],
        target=values[5],
        score=values[6],
        document=values[7] if has_document else None,
        is_document=has_document and values[8].lower() in ("true", "1"),
        spans=values[9] if has_spans else None,
        start=values[-2],
        end=values[-1],
    )


def _left_out(row: _Row) -> tuple[str | None, str | None]:
    """Return why a row is left out, if it is, and the document otherwise."""
    if "tutorial" in row.system.lower():
        return "systems of a tutorial", None
    if row.document is None:
        return None, None
    document, reason = document_name(row.document, row.kind, row.system)
    return reason, document


def _segments(rows: Sequence[_Row], kept: Sequence[_Kept]) -> Segments | None:
    """Return what items are called, if they are numbered by their place in a task.

    The rows that are left out count: the unchanged items of a degraded document have their place.
    """
    if any(document is None for _, _, document in kept):
        return None
    return segments_in_documents(
        _shown(row) for row in rows if row.document is not None and not row.is_document
    )


def _parts(kept: Sequence[_Kept], segments: Segments) -> list[str]:
    """Say how many parts of documents were put together, and how many could not be."""
    shown = [_shown(row) for _, row, _ in kept]
    unplaced = sum(where in segments.unplaced for where, _ in shown)
    later = {where for where, _ in shown if not where.mark} - segments.unplaced
    later -= {where for where, item in shown if segments.names[where, item] == "1"}
    notes = []
    if later:
        joined = count(len(later), "document")
        notes.append(f"{joined} of one system split over two tasks put together.")
    if unplaced:
        notes.append(
            f"{count(unplaced, 'judgment')} of parts of documents (split over tasks, or not "
            "finished) whose place in the document cannot be told: they are paired with nothing."
        )
    return notes


def _shown(row: _Row) -> tuple[Shown, str]:
    written = row.document or ""
    document, _ = document_name(written, row.kind, row.system)
    return Shown(row.user, row.system, document, copy_mark(written)), row.item


def _only_zeros(rows: Iterable[_Row]) -> bool:
    """Say whether errors are marked and all scores of segments are 0."""
    segments = [row for row in rows if not row.is_document]
    if any(row.spans is None or number_in(row.score) != 0.0 for row in segments):
        return False
    return any(row.spans not in ("", "[]") for row in segments)


def _is_mqm(rows: Sequence[_Row]) -> bool:
    segments = [row for row in rows if not row.is_document]
    if not _only_zeros(segments):
        return False
    return any(_has_category(row.spans or "[]") for row in segments)


def _has_category(spans: str) -> bool:
    """Say whether an error has a category, which MQM asks for and ESA never has."""
    try:
        found: Any = json_value(spans)
    except NotJson:
        return True  # no export of ESA either: reading the spans says what is wrong
    if not isinstance(found, list):
        return True
    return any(isinstance(span, dict) and span.get("error_type") for span in found)


def _penalty(
    row: _Row,
    path: FilePath,
    line: int,
    problems: Problems,
    seen: "Counter[Noted]",
    source_errors: SourceErrors,
) -> float:
    try:
        spans: Any = json_value(row.spans or "[]")
    except NotJson:
        spans = None
    if not isinstance(spans, list):
        problems.add(
            f"{place(path, line)}: the error spans are no JSON list: {quote(row.spans)}."
        )
        return 0.0
    score = score_of_spans(spans, seen, source_errors)
    if isinstance(score, str):
        problems.add(
            f"{place(path, line)}: unknown severity {score}. Known are minor, major, critical, "
            "neutral and undecided."
        )
        return 0.0
    return score


def _seconds(row: _Row) -> float | None:
    return elapsed((row.start, row.end))


def _backwards(row: _Row) -> bool:
    start, end = number_in(row.start), number_in(row.end)
    return start is not None and end is not None and end < start


JUDGMENTS = JudgmentReader(
    name="appraise",
    about="export of Appraise: csv without header, 9, 11 or 12 columns",
    recognise=recognise,
    read=read,
    order=70,
    takes=("source_errors",),
)
