"""Human scores as WMT25's shared task on evaluation publishes them: one TSV of all languages."""

from dataclasses import replace

from detectable.core.choices import Repeated
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.languages import with_language
from detectable.data.files.missing import is_missing
from detectable.data.files.table import Table, read_table
from detectable.data.human.judgment_reader import JudgmentReader
from detectable.data.human.judgment_roles import UNBOUNDED, build_judgments
from detectable.data.human.judgments import Judgments

_OWN = frozenset(("doc_id", "segment_id", "source_lang", "target_lang", "system_id", "overall"))
_COLUMNS = {
    "system": "system_id",
    "item": "segment_id",
    "score": "overall",
    "document": "doc_id",
    "language": "language",
}


def recognise(content: FileContent) -> bool:
    """Tell by the header, which names languages, system and the overall score."""
    header = {word.strip().casefold() for word in content.first_line.split("\t")}
    return header >= _OWN or content.parquet_columns >= _OWN


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read segment scores of WMT25: ``doc_id segment_id source_lang target_lang … overall``.

    The language pair is ``source_lang-target_lang``: scores of different pairs are not
    comparable, so that a ranking asks for one. The campaign is ``set_id``, with the method
    (``esa``, ``mqm``) behind it where the file holds several. Segments are counted anew in every
    document. A score ``NaN`` was not given, and is left out and counted.

    Parameters
    ----------
    content : FileContent
        The TSV or Parquet file.
    scale : (float, float), optional
        0 and 100 by default, and no bounds where another method than ESA was used.
    repeated : {'refuse', 'mark'}
        For raters, which this format does not name.
    """
    table = with_language(read_table(content, several=True))
    for name in sorted(_OWN):
        if not table.find((name,)):
            raise table.missing(f"{name}, which scores of WMT25 have")
    table, notes = _judged(table)
    chosen = {role: table.find((name,))[0] for role, name in _COLUMNS.items()}
    domain = table.find(("domain_name", "domain"))
    if domain:
        chosen["domain"] = domain[0]
    campaign = _campaign(table)
    if campaign is not None:
        table = replace(table, columns={**table.columns, "campaign": campaign})
        chosen["campaign"] = "campaign"
    if scale is None and _methods(table) - {"esa", "da", "da+sqm"}:
        scale = UNBOUNDED
    return build_judgments(table, chosen, scale=scale, repeated=repeated, notes=notes)


def _judged(table: Table) -> tuple[Table, list[str]]:
    scores = table.cells(table.find(("overall",))[0])
    rows = [row for row, score in enumerate(scores) if not is_missing(score)]
    if len(rows) == len(scores) or not rows:
        return table, []  # without any score, the message about the first is the clearest
    left_out = count(len(scores) - len(rows), "judgment")
    note = f"{left_out} left out: segments without a score (NaN)."
    return table.take(rows), [note]


def _methods(table: Table) -> set[str]:
    column = table.find(("method",))
    return (
        {str(cell).strip().casefold() for cell in table.cells(column[0])} if column else set()
    )


def _campaign(table: Table) -> list[str] | None:
    names = [*table.find(("set_id",))]
    if len(_methods(table)) > 1:
        names += table.find(("method",))
    if not names:
        return None
    return [".".join(map(str, row)) for row in zip(*map(table.cells, names), strict=True)]


READER = JudgmentReader(
    name="wmt-mteval",
    about="segment scores of WMT25's evaluation task: TSV with source_lang, target_lang, overall",
    recognise=recognise,
    read=read,
    order=55,
)
