"""A large table of judgments, read some rows at a time and kept in few bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray, Progress, silent
from detectable.core.wording import from_spreadsheet
from detectable.data.factor import Factor, cross_codes
from detectable.data.files.place import FilePath, Problems
from detectable.data.files.size_limit import refuse_larger
from detectable.data.files.table import Table, with_language
from detectable.data.files.table_scan import TableScan, Unscannable, refuse_to_scan
from detectable.data.human.cells import ORDINARY
from detectable.data.human.columns import KINDS, judgment_scores, kinds_of, names_of
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
from detectable.data.human.judgments import (
    SECOND_REMEDY,
    Judgments,
    first_score,
    no_column,
    no_level,
    second_note,
    second_score,
    second_scores,
    several,
)
from detectable.data.human.scale import SCALE, SCALED_BY, UNBOUNDED, scale_of
from detectable.data.reader import find_judgment_reader as find_reader
from detectable.kernels.means import rater_spread

_MATCHED = 1 << 22  # comparisons of two systems in a block; no answer depends on it


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScannedJudgments:
    """Ordinary judgments, sorted by item. Make them with `scan_judgments`.

    A judgment takes 11 to 20 bytes here; as `Judgments` it takes some 60, and as many again on
    the way to a test.

    Attributes
    ----------
    score, system, rater : arrays
        Of each judgment; `rater` is None where raters are not known.
    starts : array of int
        Those of item i are ``starts[i] … starts[i + 1]``, in the order of the file.
    systems, items, raters : tuple of str
        Names, in the order in which the file first has them.
    document, domain : Factor or None
        Of each item.
    mean, spread : array or None
        Of each rater, to standardise by; the spread is NaN where there is no z.
    """

    score: FloatArray = field(repr=False)
    system: NDArray[np.integer] = field(repr=False)
    rater: NDArray[np.integer] | None = field(repr=False)
    starts: IntArray = field(repr=False)
    systems: tuple[str, ...]
    items: tuple[str, ...] = field(repr=False)
    raters: tuple[str, ...] | None = field(repr=False)
    document: Factor | None = field(repr=False)
    domain: Factor | None = field(repr=False)
    mean: FloatArray | None = field(repr=False)
    spread: FloatArray | None = field(repr=False)
    evaluation: str  # campaign and language pair, empty where neither is known
    scale: tuple[float, float]
    path: str
    notes: tuple[str, ...]

    @property
    def n_judgments(self) -> int:
        """The number of judgments."""
        return int(self.score.size)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def n_raters(self) -> int | None:
        """The number of raters; None where they are not known."""
        return None if self.raters is None else len(self.raters)

    @property
    def is_penalty(self) -> bool:
        """Whether scores are penalties, as in MQM: 0 is the highest, and there is no lowest."""
        return self.scale == (-np.inf, 0.0)

    def blocks(self, *, raters: bool = True) -> Iterator[tuple[int, Judgments]]:
        """Give whole items, some at a time: the number of the first, and their judgments.

        Systems and raters have the same numbers in all blocks, items are numbered from 0 on.

        Parameters
        ----------
        raters : bool
            Whether blocks say who judged.
        """
        rows = 2 * _MATCHED // max(len(self.systems) - 1, 1)
        first = 0
        while first < self.n_items:
            end = int(np.searchsorted(self.starts, self.starts[first] + rows, side="right")) - 1
            end = max(end, first + 1)
            yield first, self._items(first, end, raters=raters)
            first = end

    def _items(self, first: int, end: int, *, raters: bool) -> Judgments:
        rows = slice(int(self.starts[first]), int(self.starts[end]))
        sizes = np.diff(self.starts[first : end + 1])
        rater = None
        if raters and self.rater is not None and self.raters is not None:
            codes = self.rater[rows].astype(np.int64)
            rater = Factor(name="rater", levels=self.raters, codes=codes)
        return Judgments(
            score=self.score[rows],
            system=Factor(
                name="system", levels=self.systems, codes=self.system[rows].astype(np.int64)
            ),
            item=Factor(
                name="item",
                levels=self.items[first:end],
                codes=np.repeat(np.arange(end - first), sizes),
            ),
            kind=np.zeros(rows.stop - rows.start, dtype=np.int64),
            rater=rater,
            scale=self.scale,
            path=self.path,
        )

    def z(self, first: int, block: Judgments) -> FloatArray:
        """Return the standard scores of a block, which begins with the item `first`."""
        if self.rater is None or self.mean is None or self.spread is None:
            raise ValueError("z needs raters")
        start = int(self.starts[first])
        who: Any = self.rater[start : start + block.n_judgments]
        standard: FloatArray = (block.score - self.mean[who]) / self.spread[who]
        return standard

    def without_z(self) -> tuple[tuple[str, ...], int]:
        """Return the raters without a standard score, and the number of their judgments."""
        if self.spread is None or self.rater is None or self.raters is None:
            return (), 0
        fine = np.isfinite(self.spread)
        if fine.all():
            return (), 0
        ending = f":{self.evaluation}" if self.evaluation else ""
        names = (
            name + ending for name, usable in zip(self.raters, fine, strict=True) if not usable
        )
        return tuple(names), int((~fine)[self.rater].sum())


# --- All judgments of a scan, sorted by item: second scores, and the rows of one evaluation ---

OF_ROWS = ("system", "rater", "wave", "task", "language", "campaign")  # beside the item
_ROWS = 1 << 20  # that are looked at together


@dataclass(frozen=True, slots=True)
class HeldJudgments:
    """All rows, sorted by item."""

    path: str
    columns: dict[str, NDArray[Any]]
    levels: dict[str, tuple[str, ...]]
    starts: IntArray

    def second_scores(self, order: IntArray | None, repeated: Repeated, where: Any) -> int:
        """Refuse or count second scores by one rater for one item of a system."""
        if "rater" not in self.columns:
            return 0
        n, worst = 0, None
        for rows in self._parts():
            block = self._judgments(rows)
            again = second_scores(block)
            n += again.size
            if again.size and repeated == "refuse":
                back = np.arange(rows.start, rows.stop) if order is None else order[rows]
                row = int(again[back[again].argmin()])
                if worst is None or back[row] < worst[0]:
                    first = where(int(back[first_score(block, row)]))
                    worst = int(back[row]), second_score(block, row, first)
        if worst is not None:
            problems = Problems(self.path)
            rows_again = range(
                worst[0], worst[0] + n
            )  # only the first and their number are said
            problems.add_rows(rows_again, where, worst[1], SECOND_REMEDY)
            problems.stop()
        return n

    def _parts(self) -> Iterator[slice]:
        """Give whole items, about a million rows at a time."""
        first, n_items = 0, self.starts.size - 1
        while first < n_items:
            end = int(np.searchsorted(self.starts, self.starts[first] + _ROWS, side="right"))
            end = max(end - 1, first + 1)
            yield slice(int(self.starts[first]), int(self.starts[end]))
            first = end

    def _judgments(self, rows: slice) -> Judgments:
        """Return some rows with all that tells a second score from a first."""
        kind = self.columns.get("kind")
        n = rows.stop - rows.start
        factors: dict[str, Any] = {
            role: Factor(
                name=role,
                levels=self.levels[role],
                codes=self.columns[role][rows].astype(np.int64),
            )
            for role in (*OF_ROWS, "item")
            if role in self.columns
        }
        return Judgments(
            score=self.columns["score"][rows],
            kind=np.zeros(n, dtype=np.int64) if kind is None else kind[rows].astype(np.int64),
            path=self.path,
            **factors,
        )

    def cut(
        self,
        counted: NDArray[np.bool_] | None,
        *,
        of_items: dict[str, IntArray],
        spread: tuple[FloatArray | None, FloatArray | None],
        evaluation: str,
        scale: tuple[float, float],
        notes: tuple[str, ...],
    ) -> ScannedJudgments:
        """Return the rows that count, without names that are gone."""
        columns, levels = self.columns, self.levels
        roles = [role for role in ("system", "rater", "item") if role in columns]
        if counted is not None:
            columns = {role: columns[role][counted] for role in (*roles, "score")}
        kept = {role: _present(columns[role], len(levels[role])) for role in roles}
        for role in roles:
            if not kept[role].all():
                position = np.cumsum(kept[role]) - 1
                columns = {**columns, role: position.astype(columns[role].dtype)[columns[role]]}
        items = columns["item"]
        named = {role: _of_levels(levels[role], kept[role]) for role in roles}
        mean, deviation = spread
        if mean is not None and deviation is not None:
            mean, deviation = mean[kept["rater"]], deviation[kept["rater"]]
        factors = {
            role: Factor(name=role, levels=levels[role], codes=of[kept["item"]]).take(
                np.arange(int(kept["item"].sum()))
            )
            for role, of in of_items.items()
        }
        return ScannedJudgments(
            score=columns["score"],
            system=columns["system"],
            rater=columns.get("rater"),
            starts=np.searchsorted(items, np.arange(len(named["item"]) + 1)),
            systems=named["system"],
            items=named["item"],
            raters=named.get("rater"),
            document=factors.get("document"),
            domain=factors.get("domain"),
            mean=mean,
            spread=deviation,
            evaluation=evaluation,
            scale=scale,
            path=self.path,
            notes=notes,
        )


def order_by_item(item: NDArray[np.int32]) -> IntArray | None:
    """Return the rows sorted by item, in the order of the file within one; None if they are."""
    if (item[1:] >= item[:-1]).all():
        return None
    order: IntArray = np.argsort(item, kind="stable")
    return order.astype(np.int32) if item.size < np.iinfo(np.int32).max else order


def _present(codes: NDArray[np.integer], n: int) -> NDArray[np.bool_]:
    found = np.zeros(n, dtype=bool)
    found[codes] = True
    return found


def _of_levels(levels: tuple[str, ...], kept: NDArray[np.bool_]) -> tuple[str, ...]:
    if kept.all():
        return levels
    return tuple(name for name, there in zip(levels, kept, strict=True) if there)


def one_evaluation_of(
    path: str,
    columns: Mapping[str, NDArray[Any]],
    levels: Mapping[str, tuple[str, ...]],
    choice: Mapping[str, str | None],
) -> tuple[NDArray[np.bool_] | None, str]:
    """Return which rows are of the evaluation that was chosen (None: all), and what it is called."""
    counted: NDArray[np.bool_] | None = None
    for role, name in choice.items():
        if name is None:
            continue
        if role not in columns:
            raise no_column(path, role)
        if name not in levels[role]:
            raise no_level(role, name, levels[role])
        mask = columns[role] == levels[role].index(name)
        counted = mask if counted is None else counted & mask
    called: list[str] = []
    for role in choice:
        if role not in columns:
            continue
        codes = columns[role] if counted is None else columns[role][counted]
        left = _of_levels(levels[role], _present(codes, len(levels[role])))
        if len(left) > 1:
            raise DataError(several(path, role, left))
        called += left
    return None if counted is None or counted.all() else counted, ":".join(called)


# --- A large table of judgments, read some rows at a time and kept in few bytes ---

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
    if "sampling_weight" in chosen:
        return None  # equal within an item: who reads the whole table sees it
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
