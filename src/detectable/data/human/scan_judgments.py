"""A large table of judgments, read some rows at a time and kept in few bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import Repeated
from detectable.core.types import FloatArray, IntArray, Progress, silent
from detectable.core.wording import from_spreadsheet
from detectable.data.factor import Factor, cross_codes
from detectable.data.files.place import FilePath, Problems
from detectable.data.files.size_limit import refuse_larger
from detectable.data.files.table import Table, with_language
from detectable.data.files.table_scan import TableScan, Unscannable, refuse_to_scan
from detectable.data.human.cells import ORDINARY
from detectable.data.human.columns import (
    KINDS,
    judgment_scores,
    kinds_of,
    names_of,
)
from detectable.data.human.judgment_table import (
    SCALE_COLUMNS,
    TASK_SHEET,
    check_scale,
    choose_columns,
    direction_note,
    name_cells,
    number_cells,
    scale_in,
)
from detectable.data.human.judgments import second_note
from detectable.data.human.scale import SCALE, SCALED_BY, UNBOUNDED, scale_of
from detectable.data.human.scanned_judgments import (
    OF_ROWS,
    HeldJudgments,
    ScannedJudgments,
    one_evaluation_of,
    order_by_item,
)
from detectable.data.reader import find_judgment_reader as find_reader
from detectable.kernels.means import rater_spread

_NAMES = (
    "system",
    "item",
    "rater",
    "document",
    "domain",
    "wave",
    "task",
    "language",
    "campaign",
)
_BYTES = 20  # that a judgment takes, at most, while it is held


def scan_judgments(
    path: FilePath,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "refuse",
    campaign: str | None = None,
    language: str | None = None,
    progress: Progress = silent,
) -> ScannedJudgments:
    """Read a table of millions of judgments without ever holding it as a table.

    For `rank_systems`, which gives the same answer, to the bit, as for `read_judgments`. A judgment
    takes up to 20 bytes, an item some 300, and two systems on an item 8.

    Parameters
    ----------
    path : path
        Parquet, or CSV or TSV without quotation marks, one judgment per row, all of systems' own
        output (or repeats of it).
    columns, scale, repeated
        As in `read_judgments`.
    campaign, language : str, optional
        Which one, where the file holds several.
    progress : callable
        Told how many rows were read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "judgments.csv"
    ...     rows = [f"{s},{i},{50 + i + 5 * (s == 'B')}" for i in range(9) for s in "AB"]
    ...     _ = path.write_text("system,item,score" + chr(10) + chr(10).join(rows) + chr(10))
    ...     judgments = scan_judgments(path)
    >>> judgments.n_judgments, judgments.systems
    (18, ('A', 'B'))
    """
    scan = TableScan.of(path, small=True)
    found = None
    if scan is not None:
        found = scanned(
            scan,
            columns=columns,
            scale=scale,
            repeated=repeated,
            campaign=campaign,
            language=language,
            progress=progress,
        )
    if found is None:
        raise refuse_to_scan(path)
    return found


def scanned(
    scan: TableScan,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated | None = None,
    campaign: str | None = None,
    language: str | None = None,
    progress: Progress = silent,
) -> ScannedJudgments | None:
    """Return the judgments of a scan; None where the table must be read as a whole."""
    check.literal(repeated or "refuse", Repeated, "repeated")
    head = Table(path=str(scan.path), columns=dict.fromkeys(scan.names, ()), lines=())
    if not columns and find_reader(scan.head).name != "table":
        return None
    if set(scan.names) >= TASK_SHEET or with_language(head) is not head:
        return None
    chosen, notes = choose_columns(head, columns)
    notes += direction_note(chosen["score"])
    reading = _Reading(chosen, None if scale is None else check_scale(scale))
    wanted = [*chosen.values(), *(name for name in SCALE_COLUMNS if name in scan.names)]
    try:
        for table in scan.batches(list(dict.fromkeys(wanted))):
            reading.add(table)
            refuse_larger(reading.n_rows * _BYTES, scan.path)
            progress("reading", reading.n_rows, None)
    except Unscannable:
        return None
    progress("reading", reading.n_rows, reading.n_rows)
    if not reading.n_rows:
        return None
    choice = {"campaign": campaign, "language": language}
    return reading.finish(str(scan.path), notes, repeated or "refuse", choice)


@dataclass(slots=True)
class _Reading:
    """What was read so far, in the order of the file."""

    chosen: Mapping[str, str]
    scale: tuple[float, float] | None
    first_line: int = 0
    n_rows: int = 0
    told: bool = False  # whether the file says the scale, in every row
    names: dict[str, dict[Any, int]] = field(default_factory=dict)
    pieces: dict[str, list[NDArray[Any]]] = field(default_factory=dict)
    of_item: dict[str, list[int]] = field(default_factory=dict)

    def add(self, table: Table) -> None:
        """Check some rows as `Judgments.build` does, and keep them."""
        problems = Problems(table.path)
        chosen = self.chosen

        def where(row: int, role: str | None = None) -> str:
            return table.place(row, chosen.get(role or "", role))

        if self.scale is None or self.told:
            self._take_scale(table)
        columns = {role: table.columns[name] for role, name in chosen.items()}
        if not self.n_rows:
            self.first_line = int((table.lines or [1])[0])
        factors = {
            role: names_of(role, _plain_names(columns[role]), problems, where)
            for role in _NAMES
            if role in columns
        }
        if any(from_spreadsheet(one) != one for f in factors.values() for one in f.levels):
            raise Unscannable  # marked names of CSV are for the reader of whole tables
        kind = kinds_of(columns.get("kind"), table.n_rows, problems, where)
        score = judgment_scores(
            number_cells(columns["score"]), self.scale or SCALE, problems, where
        )
        problems.stop()
        self._keep_kinds(kind)
        self._keep("score", score)
        for role in OF_ROWS:
            if role in factors:
                self._keep(role, self._codes(role, factors[role]))
        self._keep_items(factors)
        self.n_rows += table.n_rows

    def _take_scale(self, table: Table) -> None:
        """Take the scale from the first rows, and see that all others say the same."""
        if self.n_rows:
            if self.told and scale_in(table) != self.scale:
                raise Unscannable
            return
        says = scale_in(table)
        self.told = says is not None
        if says is None and self.chosen["score"].casefold() == "z":
            says = UNBOUNDED
        self.scale = None if says is None else check_scale(says)

    def _keep_kinds(self, kind: IntArray) -> None:
        """Keep kinds where a row is a repeat; other kinds are not for blocks of items."""
        if not np.isin(kind, [KINDS.index(word) for word in ORDINARY]).all():
            raise Unscannable
        if kind.any():
            self.pieces.setdefault("kind", [np.zeros(self.n_rows, dtype=np.int8)])
        if "kind" in self.pieces:
            self._keep("kind", kind.astype(np.int8))

    def _keep(self, role: str, values: NDArray[Any]) -> None:
        self.pieces.setdefault(role, []).append(values)

    def _codes(self, role: str, column: Factor) -> NDArray[np.integer]:
        """Return the numbers of names in the whole file, in the order of first appearance."""
        place = self.names.setdefault(role, {})
        here = np.array([place.setdefault(level, len(place)) for level in column.levels])
        codes: NDArray[np.integer] = here.astype(_smallest(len(place)))[column.codes]
        return codes

    def _keep_items(self, factors: Mapping[str, Factor]) -> None:
        """Keep items; where names occur in several documents, both together name an item."""
        item, document = factors["item"], factors.get("document")
        codes = item.codes
        names = self.names.setdefault("item", {})
        keys: Sequence[Any] = [names.setdefault(level, len(names)) for level in item.levels]
        if document is not None:
            places = self.names.setdefault("document", {})
            of = [places.setdefault(level, len(places)) for level in document.levels]
            codes, rows = cross_codes(document, item)
            pairs = zip(document.codes[rows].tolist(), item.codes[rows].tolist(), strict=True)
            keys = [(of[d] << 32) | keys[i] for d, i in pairs]
            combined = self.names.setdefault("both", {})
            keys = [combined.setdefault(key, len(combined)) for key in keys]
        here = np.array(keys, dtype=np.int32)[codes]
        self._keep("item", here)
        if "domain" in factors:
            self._keep_domains(here, factors["domain"])

    def _keep_domains(self, item: NDArray[np.int32], domain: Factor) -> None:
        """Note the domain of each item; an item has one."""
        place = self.names.setdefault("domain", {})
        here = np.array([place.setdefault(level, len(place)) for level in domain.levels])
        _, rows = cross_codes(
            Factor(
                name="item", levels=("",) * (int(item.max()) + 1), codes=item.astype(np.int64)
            ),
            domain,
        )
        found = self.of_item.setdefault("domain", [])
        for row in rows.tolist():
            number, code = int(item[row]), int(here[domain.codes[row]])
            if number == len(found):
                found.append(code)
            elif found[number] != code:
                raise Unscannable  # who reads it as a whole says which item that is

    def finish(
        self,
        path: str,
        notes: Sequence[str],
        repeated: Repeated,
        choice: Mapping[str, str | None],
    ) -> ScannedJudgments:
        """Check what only the whole shows, sort by item, and cut to one evaluation."""
        held = {role: self._whole(role) for role in list(self.pieces)}
        levels = {role: tuple(names) for role, names in self.names.items() if role != "both"}
        problems = Problems(path)

        def where(row: int, role: str | None = None) -> str:
            lines = range(self.first_line, self.first_line + self.n_rows)
            found = Table(path=path, columns={}, lines=lines)
            return found.place(row, self.chosen.get(role or "", role))

        named = {
            role: Factor(name=role, levels=levels[role], codes=held[role])
            for role in SCALED_BY
            if role in held
        }
        scale, scales = scale_of(held["score"], self.scale, named, problems, where)
        problems.stop()
        counted, evaluation = one_evaluation_of(path, held, levels, choice)
        spread: tuple[FloatArray | None, FloatArray | None] = (None, None)
        if "rater" in held:
            spread = rater_spread(held["rater"], held["score"], len(levels["rater"]), counted)
        order = order_by_item(held["item"])
        if order is not None:
            for role in held:
                held[role] = held[role][order]
        n_items = int(held["item"].max()) + 1
        starts = np.searchsorted(held["item"], np.arange(n_items + 1))
        documents = self._documents() if "document" in levels else None
        items = levels["item"]
        if documents is not None and n_items > len(items):
            names = levels["document"]
            items = tuple(
                f"{names[key >> 32]}:{items[key & 0xFFFFFFFF]}" for key in self.names["both"]
            )
        whole = HeldJudgments(path, held, {**levels, "item": items}, starts)
        again = whole.second_scores(order, repeated, where)
        of_items = {"document": documents, "domain": self.of_item.get("domain")}
        return whole.cut(
            counted if counted is None or order is None else counted[order],
            of_items={role: np.array(of) for role, of in of_items.items() if of is not None},
            spread=spread,
            evaluation=evaluation,
            scale=scale,
            notes=(*notes, *scales, *([second_note(again)] if again else [])),
        )

    def _whole(self, role: str) -> NDArray[Any]:
        """Return a column, and let go of its pieces."""
        return np.concatenate(self.pieces.pop(role))

    def _documents(self) -> list[int]:
        """Return the document of each item."""
        return [key >> 32 for key in self.names["both"]]


def _plain_names(values: Any) -> Any:
    """Return a column of names; of floats, only the whole column shows whether all are whole."""
    names = name_cells(values)
    if getattr(values, "dtype", None) != getattr(names, "dtype", None):
        raise Unscannable
    return names


def _smallest(n: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type that holds so many numbers."""
    kinds = (np.int8, np.int16, np.int32)
    return next((kind for kind in kinds if n <= np.iinfo(kind).max), np.int64)
