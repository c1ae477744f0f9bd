"""A workbook as small as one can be: zipped XML with texts and numbers in the cells."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_xlsx(path: Path, sheets: Mapping[str, Sequence[Sequence[object]]]) -> None:
    """Write sheets by name, each a list of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = range(1, len(sheets) + 1)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", _content_types(numbers))
        target = f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"'
        archive.writestr("_rels/.rels", _relationships([f'Id="rId1" {target}']))
        archive.writestr("xl/workbook.xml", _workbook(list(sheets)))
        links = [
            f'Id="rId{i}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"'
            for i in numbers
        ]
        archive.writestr("xl/_rels/workbook.xml.rels", _relationships(links))
        for number, rows in zip(numbers, sheets.values(), strict=True):
            archive.writestr(f"xl/worksheets/sheet{number}.xml", _sheet(rows))


def _content_types(numbers: range) -> str:
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for i in numbers
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f"{parts}</Types>"
    )


def _relationships(links: Sequence[str]) -> str:
    listed = "".join(f"<Relationship {link}/>" for link in links)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _workbook(names: Sequence[str]) -> str:
    listed = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(names, 1)
    )
    return f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'


def _sheet(rows: Sequence[Sequence[object]]) -> str:
    lines = "".join(
        f'<row r="{number}">{"".join(_cell(v, i, number) for i, v in enumerate(row))}</row>'
        for number, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(value: object, column: int, row: int) -> str:
    where = f'r="{chr(ord("A") + column)}{row}"'
    if isinstance(value, bool):
        return f'<c {where} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c {where}><v>{value}</v></c>"
    return f'<c {where} t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'
