"""What was drawn from which pool, with which probabilities, and the file that holds it."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.write import write_whole
from detectable.data.files.ledger_file import fingerprint, fits
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.study.selection.guard import VarianceRatio

MARK = "detectable_selection"
_FORMAT = 1
_KEPT = "It is never overwritten: it says with which probabilities the sheet was drawn."


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenGroup:
    """The items of a pool with one score; a share of them is labelled."""

    score: float
    n_pool: int
    n_drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(Result):
    """Which items people are to judge, and with which probabilities they were drawn.

    Units are whole documents where these are known, else items.

    Attributes
    ----------
    items, documents : tuple of str
        What was drawn so far, in the order of the pool; no documents where items are the units.
    asked, by : {'auto', 'metric', 'random'} and {'metric', 'random', 'groups'}
        How it was asked for, and how the last batch was drawn.
    guard : VarianceRatio or None
        What judgments said about choosing by the metric.
    batch, steps : int
        The last batch, and how many there are to be.
    cost : float
        What was drawn costs this share of the pool.
    budget : float
        The share that was asked for.
    groups : tuple of TakenGroup
        Of ``take``; empty otherwise.
    probability, weight : array of shape (units,)
        With which each unit is drawn in the batch that it is in or could be in, and what it stands
        for if it is drawn.
    size, unit_cost : array of shape (units,)
        The size measure, and what a unit costs, in items of mean length.
    batch_of : array of int of shape (units,)
        In which batch a unit was drawn; 0 for none.
    first_metric : array of shape (systems, items of the first batch)
        What the guard needs to know of the metric, higher is better.
    continues : str
        The fingerprint of the record of the first batch.
    earlier : int
        Other draws from the same pool that the folder of the record holds.
    """

    items: tuple[str, ...]
    documents: tuple[str, ...]
    asked: str
    by: str
    unit: str
    n_items: int | None
    n_pool: int
    n_units: int
    n_drawn: int
    n_units_drawn: int
    metric: str
    guard: VarianceRatio | None
    batch: int
    steps: int
    cost: float
    cost_by: str
    budget: float
    floor: float
    is_flat: bool
    groups: tuple[TakenGroup, ...]
    seed_by_hand: bool
    earlier: int
    continues: str
    notes: tuple[str, ...]
    metric_sha256: str = field(repr=False)
    systems: tuple[str, ...] = field(repr=False)
    pool_items: tuple[str, ...] = field(repr=False, metadata={"bulk": "rows"})
    pool_documents: tuple[str, ...] = field(repr=False, metadata={"bulk": "rows"})
    unit_of: IntArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    unit_cost: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    size: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    probability: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    weight: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    batch_of: IntArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    first_metric: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})

    @property
    def drawn(self) -> IntArray:
        """The places of all drawn items in the pool."""
        found: IntArray = np.flatnonzero(self.batch_of[self.unit_of] > 0)
        return found

    @property
    def drawn_weight(self) -> FloatArray:
        """What each drawn item stands for, in the order of `items`."""
        found: FloatArray = self.weight[self.unit_of[self.drawn]]
        return found

    @property
    def is_unequal(self) -> bool:
        """Whether some drawn items stand for more of the pool than others."""
        weights = self.weight[self.batch_of > 0]
        return bool(np.ptp(weights) > 1e-9 * weights.max())

    @property
    def waits(self) -> bool:
        """Whether another batch is to be drawn once this one was judged."""
        return self.batch < self.steps

    @property
    def documents_of_pool(self) -> tuple[str, ...] | None:
        """The document of each item of the pool; None where they are not known."""
        return self.pool_documents or None

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the whole record."""
        return fingerprint(_content(self))

    @property
    def pool_fingerprint(self) -> str:
        """The SHA-256 of the pool, whatever was asked of it."""
        return pool_fingerprint(self.pool_items, self.pool_documents)

    @property
    def seed(self) -> int:
        """The seed of all batches."""
        return int(str(self.signature.seed))


def pool_fingerprint(items: tuple[str, ...], documents: tuple[str, ...]) -> str:
    """Return the SHA-256 of the items of a pool and their documents."""
    return fingerprint({"items": list(items), "documents": list(documents)})


# --- The record: a file that is written once ---

_ARRAYS = ("unit_of", "unit_cost", "size", "probability", "weight", "batch_of")
_PLAIN = (
    *(
        "asked",
        "by",
        "unit",
        "n_items",
        "metric",
        "batch",
        "steps",
        "cost",
        "cost_by",
        "budget",
    ),
    *("floor", "is_flat", "seed_by_hand", "earlier", "continues", "metric_sha256"),
)
_LISTS = ("systems", "pool_items", "pool_documents", "notes")


def _content(selection: Selection) -> dict[str, Any]:
    """Return all of a record but its fingerprint."""
    guard = selection.guard
    return {
        MARK: _FORMAT,
        "version": selection.signature.version,
        "method": selection.signature.method,
        "settings": dict(selection.signature.settings),
        "seed": selection.signature.seed,
        **{name: getattr(selection, name) for name in _PLAIN},
        **{name: list(getattr(selection, name)) for name in _LISTS},
        **{name: getattr(selection, name).tolist() for name in _ARRAYS},
        "groups": [[one.score, one.n_pool, one.n_drawn] for one in selection.groups],
        "guard": None if guard is None else [guard.ratio, guard.standard_error],
        "first_metric": selection.first_metric.tolist(),
    }


def write_selection(selection: Selection, path: FilePath) -> None:
    """Write the record of a selection: pool, probabilities, settings, what was drawn, and a SHA-256.

    A file that exists is never replaced.

    Parameters
    ----------
    selection : Selection
        From `select` or `select_more`.
    path : path
        The file, for example ``selection.json``.
    """
    content = _content(selection)
    text = json.dumps({**content, "sha256": fingerprint(content)}, ensure_ascii=False)
    write_whole(path, text + "\n", new=True, remedy=_KEPT)


def read_selection(path: FilePath) -> Selection:
    """Read the record of a selection, refusing one that was changed.

    Examples
    --------
    >>> import detectable as dt
    >>> from tempfile import TemporaryDirectory
    >>> chosen = dt.select({"A": {str(i): i / 10 for i in range(20)}}, n_items=6, by="random")
    >>> with TemporaryDirectory() as folder:
    ...     dt.write_selection(chosen, f"{folder}/selection.json")
    ...     dt.read_selection(f"{folder}/selection.json").items == chosen.items
    True
    """
    content = read_json(path)
    if not isinstance(content, dict) or MARK not in content:
        raise DataError(f"{path}: this is no record of a selection. `select` writes one.")
    stamp = content.pop("sha256", None)
    if not fits(content, stamp):
        raise DataError(
            f"{path}: the record was changed after it was written: its content does not fit its "
            f"fingerprint {str(stamp)[:12]}…. Put back the file as it was made."
        )
    if content[MARK] != _FORMAT:
        raise DataError(
            f"{path}: a record of format {content[MARK]}; this version reads {_FORMAT}. Use the "
            f"version that made it ({content.get('version')})."
        )
    try:
        return _selection(content)
    except (KeyError, TypeError, ValueError, IndexError) as error:  # made by hand
        raise DataError(f"{path}: this is no whole record ({error}).") from error


def _selection(content: dict[str, Any]) -> Selection:
    plain: dict[str, Any] = {name: content[name] for name in _PLAIN}
    plain |= {name: tuple(content[name]) for name in _LISTS}
    arrays: dict[str, Any] = {
        name: np.array(
            content[name], dtype=np.int64 if name in ("unit_of", "batch_of") else np.float64
        )
        for name in _ARRAYS
    }
    unit_of, batch_of = arrays["unit_of"], arrays["batch_of"]
    items, documents = tuple(content["pool_items"]), tuple(content["pool_documents"])
    guard = content["guard"]
    return Selection(
        **plain,
        **arrays,
        **drawn_names(content["unit"], items, documents, unit_of, batch_of),
        groups=tuple(
            TakenGroup(score=score, n_pool=pool, n_drawn=drawn)
            for score, pool, drawn in content["groups"]
        ),
        guard=None if guard is None else VarianceRatio(ratio=guard[0], standard_error=guard[1]),
        first_metric=np.array(content["first_metric"], dtype=np.float64),
        signature=Signature(
            content["method"], content["settings"], content["seed"], content["version"]
        ),
    )


def drawn_names(
    unit: str,
    items: tuple[str, ...],
    documents: tuple[str, ...],
    unit_of: IntArray,
    batch_of: IntArray,
) -> dict[str, Any]:
    """Return the names and numbers of what was drawn, as `Selection` has them."""
    drawn = np.flatnonzero(batch_of[unit_of] > 0)
    whole = unit == "document"
    return {
        "items": tuple(items[i] for i in drawn),
        "documents": tuple(dict.fromkeys(documents[i] for i in drawn)) if whole else (),
        "n_pool": len(items),
        "n_units": int(batch_of.size),
        "n_drawn": int(drawn.size),
        "n_units_drawn": int((batch_of > 0).sum()),
    }


def records_in(folder: Path) -> dict[Path, Selection]:
    """Return the records of a folder by their files; what cannot be read is no record of ours."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            with open(path, encoding="utf-8") as opened:
                is_record = f'"{MARK}"' in opened.read(64)
        except (OSError, UnicodeDecodeError):
            continue
        if is_record:
            found[path] = read_selection(path)
    return found


def count_earlier(selection: Selection, folder: Path) -> int:
    """Return how many other draws from the same pool a folder holds; its own first batch is none."""
    others = records_in(folder).values()
    pool = selection.pool_fingerprint
    return sum(
        other.pool_fingerprint == pool
        and not other.continues  # a second batch belongs to its first
        and other.fingerprint not in (selection.fingerprint, selection.continues)
        for other in others
    )


def require_waiting(selection: Selection) -> None:
    """Stop where there is no batch left to draw."""
    if not selection.waits:
        raise InputError(
            "`chosen` must wait for its second batch (steps=2); all of it is drawn already."
        )
