"""Direct Assessment as WMT publishes it: a HIT of one hundred items, and what names of files tell."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.delimited import plain_columns
from detectable.data.files.numbers import number_in
from detectable.data.files.parquet import parquet_frame
from detectable.data.files.place import FilePath, is_missing, place
from detectable.data.files.table import Table
from detectable.data.human.judgment_table import build_judgments
from detectable.data.human.judgments import Judgments
from detectable.data.human.scale import UNBOUNDED
from detectable.data.reader import JudgmentReader

if TYPE_CHECKING:
    import polars as pl

_PAIR = re.compile(r"(?:^|[._-])([a-z]{2,3})-?([a-z]{2,3})(?=[._-]|$)")
_CAMPAIGN = re.compile(r"(?:^|[._-])((?:wmt|newstest|generalmt|ted)\d{2,4})(?=[._-]|$)")
_DOMAIN = re.compile(r"test-[a-z]{2,3}-([a-z]+)_.+")  # of WMT24: test-en-news_guardian.7
SEPARATOR = "_#_"  # of the parts of a WMT25 name
# Words of file names that look like two languages.
_WORDS = frozenset(
    ("test", "news", "data", "good", "stnd", "redup", "mqm", "avg", "seg", "wave")
)


def names_from_file(path: FilePath) -> tuple[dict[str, str], list[str]]:
    """Return ``language`` and ``campaign`` as the name of a file has them, and a note.

    Examples
    --------
    >>> names_from_file("data/wmt21_ruen_da.parquet")[0]
    {'language': 'ru-en', 'campaign': 'wmt21'}
    >>> names_from_file("judgments.csv")
    ({}, [])
    """
    stem = PurePath(path).name.split(".")[0].lower()
    found = {}
    pairs = [m for m in _PAIR.finditer(stem) if m.group().strip("._-") not in _WORDS]
    pairs = [m for m in pairs if len(m.group(1)) == len(m.group(2))]
    if len(pairs) == 1:
        found["language"] = f"{pairs[0].group(1)}-{pairs[0].group(2)}"
    campaign = _CAMPAIGN.search(stem)
    if campaign:
        found["campaign"] = campaign.group(1)
    listed = " and ".join(f"{role} {name!r}" for role, name in found.items())
    return found, [f"From the name of the file: {listed}."] if found else []


def domain_in_document(name: str) -> str | None:
    """Return the domain that WMT24 writes into the names of documents.

    Examples
    --------
    >>> domain_in_document("test-en-news_guardian.12"), domain_in_document("guardian.12")
    ('news', None)
    """
    found = _DOMAIN.fullmatch(name)
    return None if found is None else found.group(1)


def names_in_segment(name: str) -> dict[str, str]:
    """Return what a WMT25 name of a document or segment holds.

    Examples
    --------
    >>> names_in_segment("en-cs_#_news_#_article.7_#_3")
    {'language': 'en-cs', 'domain': 'news', 'document': 'article.7', 'item': '3'}
    """
    parts = name.split(SEPARATOR)
    if len(parts) in (3, 4):
        return dict(zip(("language", "domain", "document", "item"), parts, strict=False))
    return {"document": name}


# --- Direct Assessment as WMT publishes it: a HIT of one hundred items, four kinds of items ---

# The system with its index comes first: official tables name systems so ("Facebook-AI.7").
_COLUMNS = {
    "task": ("hit", "hitid"),
    "rater": ("worker", "workerid"),
    "system": ("system_id", "sys_id", "system"),
    "item": ("sid",),
    "kind": ("type",),
    "score": ("raw", "score", "z"),
    "document": ("doc",),
}
_HEADER = frozenset(("hitid", "workerid", "sys_id", "sid"))
_PARQUET = (
    frozenset(("system_score", "bad_ref_score")),
    frozenset(("system_id", "worker", "sid", "type")),
)
_HOLDS_Z = "Column 'score' holds z-scores."
_CELL = re.compile(rb'"[^"]*"|[^\s"]+')
_TIMES = ("hit_seconds", "time")


def recognise(content: FileContent) -> bool:
    """Tell by column names that only these files have."""
    header = {word.strip().lower() for word in content.first_line.replace(",", " ").split()}
    return header >= _HEADER or any(content.parquet_columns >= own for own in _PARQUET)


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read Direct Assessment judgments of WMT.

    Three layouts are known: ``ad-*-good-stnd.csv`` and ``ad-*-good-raw.csv`` (header and rows
    separated by tabs or spaces; z-scores or raw scores, in a column ``score`` either way, which
    the name of the file or else the scores tell), the csv of crowd-alone (raw scores), and Parquet files with the columns
    ``hit, worker, system_id, type, sid, raw, z, hit_seconds, doc``, or with the pairs
    ``system_score, bad_ref_score`` of one item, which become two rows.

    The item is ``sid``. It is not the line of the test set: WMT counts it after sorting the
    documents by name. The system keeps its index (``Facebook-AI.7``), as in official tables.
    The document is ``doc``, or the block ``rid`` where every item has just one. A time is that
    of the whole HIT, so it is divided evenly over the judgments of the HIT.

    Parameters
    ----------
    content : FileContent
        The file.
    scale : (float, float), optional
        0 and 100 by default; z-scores have no bounds.
    repeated : {'refuse', 'mark'}
        What to do with second scores by one worker in one HIT.
    """
    if content.is_parquet:
        table, notes = _parquet(content, parquet_frame(content, content.data))
    else:
        table, notes = _text(content), []
    chosen = {
        role: found[0] for role, names in _COLUMNS.items() if (found := _filled(table, names))
    }
    missing = [role for role in ("system", "item", "score", "rater") if role not in chosen]
    if missing:
        raise table.missing(f"the {missing[0]} of a WMT Direct Assessment")
    chosen |= {role: role for role in ("language", "campaign") if role in table.columns}
    derived, more = _derived(table, chosen)
    table = Table(path=table.path, columns={**table.columns, **derived}, lines=table.lines)
    chosen |= {role: role for role in derived}
    if scale is None and chosen["score"].casefold() == "score" and _is_z(content, table):
        scale = UNBOUNDED
        notes = [*notes, _HOLDS_Z]
    return build_judgments(table, chosen, scale=scale, repeated=repeated, notes=[*notes, *more])


def _parquet(content: FileContent, frame: "pl.DataFrame") -> tuple[Table, list[str]]:
    import polars as pl

    notes: list[str] = []
    lines: Any = range(1, frame.height + 1)
    if {"system_score", "bad_ref_score"} <= set(frame.columns):
        frame = frame.with_row_index("_row", offset=1)
        kinds = {"system_score": "system", "bad_ref_score": "degraded"}
        frame = pl.concat(
            frame.drop(kinds.keys() - {column})
            .rename({column: "score"})
            .with_columns(type=pl.lit(k))
            for column, k in kinds.items()
        ).sort("_row", maintain_order=True)
        lines = frame["_row"].to_list()
        notes.append(
            f"{frame.height // 2:,} pairs of an item and its degraded copy became two rows each."
        )
    if "src" in frame.columns:
        target = pl.col("trg" if "trg" in frame.columns else "_en").cast(pl.String)
        frame = frame.with_columns(_en=pl.lit("en"))
        frame = frame.with_columns(language=pl.col("src").cast(pl.String) + "-" + target)
    else:
        found, more = names_from_file(content)
        frame = frame.with_columns(**{role: pl.lit(name) for role, name in found.items()})
        notes += more
    columns = {name: frame[name] for name in frame.columns}
    return Table(path=str(content), columns=columns, lines=lines), notes


def _text(content: FileContent) -> Table:
    import polars as pl

    body = content.text.replace("\r\n", "\n").rstrip("\n").encode()
    header, _, rows = body.partition(b"\n")
    if not rows:
        raise DataError(f"{content}: there is a header and no row. Give at least one judgment.")
    names = header.replace(b",", b" ").decode().split()
    rows, delimiter = _one_delimiter(content, rows, len(names))
    plain = plain_columns(content, names, rows, delimiter)
    columns = {name: pl.Series(name, values) for name, values in plain.items()}
    n = len(next(iter(columns.values())))
    found = {name.casefold(): name for name in columns}
    for source, target in (("src", "trg"), ("input.src", "input.trg")):
        if {source, target} <= found.keys():
            columns["language"] = columns[found[source]] + "-" + columns[found[target]]
    return Table(path=str(content), columns=columns, lines=range(2, n + 2))


def _one_delimiter(content: FileContent, rows: bytes, n: int) -> tuple[bytes, str]:
    """Return rows that one delimiter cuts; some files mix tabs and spaces, and quote names."""
    first = rows.split(b"\n", 1)[0]
    delimiter = "\t" if b"\t" in first else ","
    if first.count(delimiter.encode()) == n - 1 and b'"' not in first:
        return rows, delimiter
    if b"," in first and b"\t" not in first:
        return rows, ","
    cut = []
    for number, line in enumerate(rows.split(b"\n"), start=2):
        cells = [cell.strip(b'"') for cell in _CELL.findall(line)]
        if len(cells) != n:
            raise DataError(
                f"{place(content, number)}: the header has {n} columns, this row has "
                f"{len(cells)}, cut at tabs and spaces. Write one tab between columns."
            )
        cut.append(b"\t".join(cells))
    return b"\n".join(cut), "\t"


def _filled(table: Table, names: Sequence[str]) -> list[str]:
    """Return the columns of these names, those first that are not empty throughout."""
    return sorted(table.find(names), key=lambda name: all(map(is_missing, table.cells(name))))


def _is_z(content: FileContent, table: Table) -> bool:
    """Tell z-scores from raw ones, which are whole numbers from 0 to 100."""
    name = PurePath(content).name.lower()
    if "stnd" in name or "raw" in name:
        return "stnd" in name
    scores = [_number(cell) for cell in table.cells(table.find(("score",))[0])]
    known = [score for score in scores if score is not None]
    if any(score < 0.0 for score in known):
        return True
    if all(score.is_integer() for score in known) or max(known) > 20.0:
        return False
    raise DataError(
        f"{content}, column 'score': neither the name of the file (stnd, raw) nor the scores tell "
        "whether they are z-scores. Say the scale: --scale 0:100, or --scale : for z-scores."
    )


def _number(cell: Any) -> float | None:
    return number_in(cell)  # what is none is refused with its place later


def _derived(table: Table, chosen: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the document and the seconds, where they can be told."""
    import polars as pl

    derived, notes = {}, []
    block = table.find(("rid",))
    if "document" not in chosen and block and not is_missing(table.cells(block[0])[0]):
        keys = [table.columns[chosen[r]].rename(r) for r in ("item", "language") if r in chosen]
        frame = pl.DataFrame([*keys, table.columns[block[0]].rename("rid")])
        if frame.n_unique([s.name for s in keys]) == frame.n_unique():
            derived["document"] = frame["rid"]
    times = table.find(_TIMES)
    if times and "task" in chosen:
        who = ["task", "rater"]
        frame = pl.DataFrame([table.columns[chosen[role]].rename(role) for role in who])
        given = table.columns[times[0]]
        frame = frame.with_columns(given.cast(pl.Float64, strict=False).alias("time"))
        if frame["time"].null_count() > given.null_count():
            derived["seconds"] = given  # not numbers: refused with their place
        elif frame.n_unique(who) == frame.n_unique():
            each = frame.select(pl.col("time") / pl.len().over(who))["time"]
            derived["seconds"] = each
            notes.append(
                f"Column {times[0]!r} holds the time of a whole HIT; it was divided evenly over "
                "its judgments."
            )
        else:
            derived["seconds"] = frame["time"]
    return derived, notes


# --- z-scores back to points, by the mean and spread of each rater that WMT publishes beside them ---

_TOLD = re.compile(r'\[1\]\s+(?:"([^"]*)"|(\S+))')  # how R prints a text and a number
_STANDARDISED = re.compile(r"-good-stnd(?:-redup)?\.csv(?:\.gz)?$")
_SPREADS = "-trk-mean-sd.txt"
_WHOLE = 1e-3  # scores that all lie so near to whole numbers were whole


def read_rater_spreads(path: FilePath) -> dict[str, tuple[float, float]]:
    """Read the mean and standard deviation of each rater's scores: ``ad-de-en-trk-mean-sd.txt``."""
    content = FileContent.of(path)
    found = [text or number for text, number in _TOLD.findall(content.text)]
    values = [number_in(cell) for cell in found]
    spreads = {
        name: (mean, sd)
        for name, mean, sd in zip(found[::3], values[1::3], values[2::3], strict=False)
        if mean is not None and sd is not None
    }
    if not spreads or len(found) % 3:  # a rater with one judgment has no spread: NA
        raise DataError(
            f"{content}: expected a rater, a mean and a standard deviation in turn, as R prints "
            'them: [1] "M0427", [1] 85.99, [1] 19.21.'
        )
    return spreads


def raw_scores(judgments: Judgments) -> Judgments:
    """Return the points behind published z-scores; judgments in points remain as they are.

    WMT publishes :math:`z = (x - m_r) / s_r` in ``ad-…-good-stnd.csv``, and the mean and standard
    deviation of each rater in ``ad-…-trk-mean-sd.txt``, which is looked for beside it.
    """
    if judgments.scale != UNBOUNDED:
        return judgments
    name = PurePath(judgments.path).name
    if not _STANDARDISED.search(name):
        raise DataError(
            f"{judgments.path or 'the judgments'}: points can be had back from the z-scores of WMT, "
            "ad-…-good-stnd.csv, alone."
        )
    beside = str(PurePath(judgments.path).with_name(_STANDARDISED.sub(_SPREADS, name)))
    spreads = read_rater_spreads(beside)
    rater = judgments.column("rater")
    unknown = [level for level in rater.levels if level not in spreads]
    if unknown:
        raise DataError(f"{beside}: there is no mean of rater {unknown[0]!r}.")
    mean, sd = np.array([spreads[level] for level in rater.levels]).T
    points = judgments.score * sd[rater.codes] + mean[rater.codes]
    if np.abs(points - np.rint(points)).max() < _WHOLE:
        points = np.rint(points)
    columns: dict[str, Any] = {**judgments.to_columns(), "score": points}
    note = f"z-scores turned back to points by {PurePath(beside).name}."
    return Judgments.build(
        columns,
        repeated="mark",
        path=judgments.path,
        lines=judgments.lines,
        notes=(*(n for n in judgments.notes if n != _HOLDS_Z), note),
    )


JUDGMENTS = JudgmentReader(
    name="wmt-da",
    about="Direct Assessment of WMT: ad-*-good-stnd.csv and -raw.csv, crowd-alone csv, Parquet",
    recognise=recognise,
    read=read,
    order=20,
)
