"""The table of ``detectable tasks``: outputs that were to be judged in sheets."""

from collections.abc import Sequence

from detectable.core.wording import count
from detectable.data.campaign_files.campaign_texts import CampaignTexts, Gathered
from detectable.data.files.content import FileContent
from detectable.data.files.missing import is_missing
from detectable.data.files.table import read_table

_NEEDED = ("system", "item", "kind", "text")


def is_task_table(content: FileContent) -> bool:
    """Tell by the columns of a task."""
    header = {cell.strip('" \r') for cell in content.first_line.split(",")}
    return header >= {*_NEEDED, "of_position"}


def read_task_table(
    content: FileContent, *, systems: Sequence[str] | None = None
) -> CampaignTexts:
    """Read the outputs of ``tasks.csv``; controls are made anew, so those of the table are left out."""
    table = read_table(content)
    for name in _NEEDED:
        if name not in table.columns:
            raise table.missing(f"a column {name!r}")
    cells = {
        name: table.cells(name) if name in table.columns else [None] * table.n_rows
        for name in (*_NEEDED, "document", "source", "reference")
    }
    gathered = Gathered(str(content))
    controls = 0
    for row in range(table.n_rows):
        one = {name: None if is_missing(v[row]) else str(v[row]) for name, v in cells.items()}
        if one["kind"] != "system":
            controls += 1
            continue
        item, system = one["item"] or "", one["system"] or ""
        if gathered.has(item, system):
            gathered.again()
        gathered.add(
            item,
            system,
            one["text"] or "",
            document=one["document"],
            source=one["source"],
            reference=one["reference"],
        )
    said = (f"{count(controls, 'control')} left out: new ones are made.",) if controls else ()
    return CampaignTexts(
        corpus=gathered.corpus(systems), items=gathered.items, notes=(*gathered.notes(), *said)
    )
