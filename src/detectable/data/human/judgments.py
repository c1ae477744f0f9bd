"""Human judgments: who gave which item of which system what, and what kind of item it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import JudgmentRole, Repeated, words
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, cross, repeated_rows
from detectable.data.files.place import Problems, place
from detectable.data.human.columns import (
    KINDS,
    Kind,
    judgment_scores,
    judgment_seconds,
    kinds_of,
    names_of,
    sampling_weights,
)
from detectable.data.human.scale import SCALE, scale_of

if TYPE_CHECKING:
    from detectable.data.human.cells import Cells

ROLES = words(JudgmentRole)
REQUIRED = ("system", "item", "score")
NAMES = tuple(
    role for role in ROLES if role not in (*REQUIRED, "kind", "seconds", "sampling_weight")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgments:
    """One row per judgment. Build it with `Judgments.build`, which checks it, or with a reader.

    Attributes
    ----------
    score : array
        What was given.
    system, item : Factor
        What was judged. Where an item name occurs in several documents, document and name
        together name the item.
    kind : array of int
        Position in `KINDS`: an ordinary item, a repeat of one, a degraded copy made to catch
        careless raters, or a reference translation shown as if it were a system's.
    rater, document, domain, wave, task, language, original_language, campaign : Factor or None
        Who judged; where the item comes from; the round of collection; the HIT or batch; the
        language pair; the language in which the item was first written (``unknown`` where a row
        does not say); the evaluation. None where the data do not say.
    seconds : array or None
        Time spent on the judgment, NaN where it is not known. Readers of times of whole tasks
        divide them over their judgments.
    sampling_weight : array or None
        How many items of the pool each judged item stands for, where items were drawn with unequal
        probabilities (`select`): one over the probability. Equal in all rows of an item.
    scale : (float, float)
        Lowest and highest possible score.
    path, lines
        The file and the line of each row, for messages.
    of_documents : Judgments or None
        Ratings of whole documents, which stand beside those of their segments: their items are the
        documents.
    notes : tuple of str
        One sentence for everything that the reader left out or changed, with its count.
    """

    score: FloatArray
    system: Factor
    item: Factor
    kind: IntArray
    rater: Factor | None = None
    document: Factor | None = None
    domain: Factor | None = None
    wave: Factor | None = None
    task: Factor | None = None
    language: Factor | None = None
    original_language: Factor | None = None
    campaign: Factor | None = None
    seconds: FloatArray | None = None
    sampling_weight: FloatArray | None = None
    scale: tuple[float, float] = SCALE
    path: str = ""
    lines: Sequence[int] | None = None
    of_documents: "Judgments | None" = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        known = [count(self.n_judgments, "judgment"), count(self.system.n_levels, "system")]
        known.append(count(self.item.n_levels, "item"))
        known += [] if self.n_raters is None else [count(self.n_raters, "rater")]
        return f"<Judgments: {', '.join(known)}>"

    @classmethod
    def build(
        cls,
        columns: Mapping[str, Any],
        *,
        scale: tuple[float, float] | None = None,
        repeated: Repeated = "refuse",
        path: str = "",
        lines: Sequence[int] | None = None,
        notes: Sequence[str] = (),
        headers: Mapping[str, str] | None = None,
    ) -> "Judgments":
        """Check columns and freeze them; all problems are named in one message.

        Parameters
        ----------
        columns : mapping of role to sequence, array, polars series or Factor
            ``system``, ``item``, ``score`` and any of ``rater``, ``document``, ``domain``,
            ``wave``, ``task``, ``language``, ``original_language``, ``campaign``, ``kind``,
            ``seconds``, ``sampling_weight``.
        scale : (float, float), optional
            Scores outside it are refused. By default it is taken from the scores (`scale`), 0 to
            100 at most. Without it, raters whose scores all lie within 0 and 1 among others up to
            100 are refused, and so is a score that lies far off all others. A scale that was given
            is believed, and a note names them.
        repeated : {'refuse', 'mark'}
            A second score by one rater for one item of a system in one task and wave is an
            error, or is marked as a repeat and counted in the notes.
        path, lines, headers
            The file, the line of each row and the name of the column of each role, for
            messages.
        notes : sequence of str
            What the reader left out or changed.

        Examples
        --------
        >>> judgments = Judgments.build(
        ...     {"system": ["A", "B"], "item": [1, 1], "rater": ["w", "w"], "score": [70, 80]}
        ... )
        >>> judgments.n_judgments, judgments.system.levels
        (2, ('A', 'B'))
        """
        check.literal(repeated, Repeated, "repeated")
        n = _same_length(columns)
        problems = Problems(path)

        def where(row: int, column: str | None = None) -> str:
            return _place(path, lines, row, (headers or {}).get(column or "", column))

        names = {
            role: names_of(role, columns[role], problems, where)
            for role in ("system", "item", *NAMES)
            if role in columns
        }
        kind = kinds_of(columns.get("kind"), n, problems, where)
        named = not problems.sentences
        bounds = SCALE if scale is None else scale
        score = judgment_scores(columns["score"], bounds, problems, where)
        seconds = columns.get("seconds")
        if seconds is not None:
            seconds = _frozen(judgment_seconds(seconds, problems, where))
        item = _items_in_documents(names["item"], names.get("document"))
        weight = columns.get("sampling_weight")
        if weight is not None:
            weight = _frozen(sampling_weights(weight, item, kind, problems, where))
        scale, scales = scale_of(score, scale, names, problems, where)
        built = cls(
            score=_frozen(score),
            system=names["system"],
            item=item,
            kind=kind,
            **{role: names.get(role) for role in NAMES},  # type: ignore[arg-type]  # all are names
            seconds=seconds,
            sampling_weight=weight,
            scale=scale,
            path=path,
            lines=lines,
            notes=(*notes, *scales),
        )
        # Rows without a name, or of an unknown kind, would look like second scores.
        built = _without_second_scores(built, repeated, problems) if named else built
        problems.stop()
        return built

    @classmethod
    def join(cls, parts: Sequence["Judgments"]) -> "Judgments":
        """Return the judgments of several files as one table.

        Columns remain that all have. Where campaign and language do not distinguish the files, the
        file becomes the campaign: their items are not the same.

        Examples
        --------
        >>> one = Judgments.build({"system": ["A"], "item": [1], "score": [60]}, path="one.csv")
        >>> two = Judgments.build({"system": ["A"], "item": [1], "score": [70]}, path="two.csv")
        >>> Judgments.join([one, two]).campaign.levels
        ('one.csv', 'two.csv')
        """
        if not parts:
            raise InputError("`parts` must hold at least one table; got none.")
        if len(parts) == 1:
            return parts[0]
        weighted = [part.sampling_weight is not None for part in parts]
        if any(weighted) and not all(weighted):
            without = parts[weighted.index(False)].path or "one of the tables"
            raise InputError(
                f"{without}: there is no sampling weight, and other files have one. All have weights, "
                "or none has: an item that was drawn by chance stands for others, too."
            )
        columns = [part.to_columns() for part in parts]
        shared = [role for role in ROLES if all(role in own for own in columns)]
        made = {role: [value for own in columns for value in own[role]] for role in shared}
        seen: set[str] = set()
        apart = True
        for part in parts:
            evaluation = part.by_campaign()
            here = {""} if evaluation is None else set(evaluation.levels)
            apart = apart and "" not in here and not here & seen
            seen |= here
        if not (apart and {"campaign", "language"} & set(shared)):
            made["campaign"] = [
                part.path or f"table {number}"
                for number, part in enumerate(parts, start=1)
                for _ in range(part.n_judgments)
            ]
        low, high = zip(*(part.scale for part in parts), strict=True)
        return cls.build(
            made,
            scale=(min(low), max(high)),
            repeated="mark",
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        )

    @property
    def n_judgments(self) -> int:
        """The number of rows."""
        return int(self.score.size)

    @property
    def n_raters(self) -> int | None:
        """The number of raters; None where they are not known."""
        return None if self.rater is None else self.rater.n_levels

    @property
    def is_penalty(self) -> bool:
        """Whether scores are penalties, as in MQM: 0 is the highest, and there is no lowest."""
        return self.scale == (-np.inf, 0.0)

    @property
    def weighs_unequally(self) -> bool:
        """Whether some judged items stand for more of the pool than others."""
        weight = self.sampling_weight
        return weight is not None and bool(np.ptp(weight) > 0.0)

    def refuse_weights(self, who: str, instead: str) -> None:
        """Stop an analysis that has no meaning where items weigh unequally."""
        if self.weighs_unequally:
            raise InputError(
                f"{self.path or 'the judgments'}: items were drawn with unequal probabilities, and "
                f"{who} knows no sampling weights; use {instead}."
            )

    def weights_not_used(self) -> tuple[str, ...]:
        """Say of an analysis of raters that it does not use sampling weights."""
        if not self.weighs_unequally:
            return ()
        return ("Sampling weights are not used: this is about raters, not about the pool.",)

    def place(self, row: int, column: str | None = None) -> str:
        """Return where a judgment stands, for messages."""
        return _place(self.path, self.lines, row, column)

    def is_kind(self, *kinds: Kind) -> NDArray[np.bool_]:
        """Return which rows are of one of the kinds."""
        mask: NDArray[np.bool_] = np.isin(self.kind, [KINDS.index(kind) for kind in kinds])
        return mask

    def take(self, rows: NDArray[Any]) -> "Judgments":
        """Return the table cut to `rows` (positions or a mask)."""
        kept: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, Factor):
                kept[part.name] = value.take(rows)
            elif isinstance(value, np.ndarray):
                kept[part.name] = value[rows]
        if self.lines is not None:
            kept["lines"] = np.asarray(self.lines)[rows].tolist()
        return replace(self, **kept)

    def where(self, **names: str) -> "Judgments":
        """Return the rows with these names: ``judgments.where(language="cs-en")``."""
        mask = np.ones(self.n_judgments, dtype=bool)
        for role, name in names.items():
            column = self.column(role)
            if name not in column.levels:
                raise no_level(role, name, column.levels)
            mask &= column.codes == column.levels.index(name)
        whole = self.of_documents
        if whole is not None:
            own = {
                role: name for role, name in names.items() if getattr(whole, role) is not None
            }
            known = all(name in whole.column(role).levels for role, name in own.items())
            whole = whole.where(**own) if known else None
        return replace(self.take(mask), of_documents=whole)

    def column(self, role: str) -> Factor:
        """Return a column of names, or say that the data have none."""
        check.one_of(role, ("system", "item", *NAMES), "role")
        column: Factor | None = getattr(self, role)
        if column is None:
            raise no_column(self.path, role)
        return column

    def by_campaign(self) -> "Factor | None":
        """Return the evaluation of each row: campaign and language pair, where either is known.

        Scores of different evaluations are not comparable, and their items are not the same.
        """
        parts = [part for part in (self.campaign, self.language) if part is not None]
        return cross("campaign", *parts) if parts else None

    def cells(self, **options: Any) -> "Cells":
        """Return what each rater gave each item of each system: the start of every test.

        Ordinary kinds only. `data.human.cells.cells` has the options and says what they do.
        """
        from detectable.data.human.cells import cells

        return cells(self, **options)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return plain columns by role, in the order of `ROLES`; absent ones are left out."""
        columns: dict[str, list[Any]] = {}
        for role in ROLES:
            value = getattr(self, role)
            if role == "kind":
                columns[role] = [KINDS[code] for code in value.tolist()]
            elif isinstance(value, Factor):
                columns[role] = value.labels()
            elif value is not None:
                columns[role] = value.tolist()
        return columns


def no_column(path: str, role: str) -> InputError:
    """Return the error that the data do not say what is asked for."""
    return InputError(
        f"{path or 'the judgments'}: there is no {role}. Say which column names it "
        f"(--column {role}=NAME, columns={{{role!r}: …}})."
    )


def no_level(role: str, name: str, levels: tuple[str, ...]) -> InputError:
    """Return the error that a column does not hold the name that is asked for."""
    return InputError(
        f"`{role}` must be one of {listing(list(levels), most=10)}; got {name!r}."
    )


def _same_length(columns: Mapping[str, Any]) -> int:
    missing = [role for role in REQUIRED if role not in columns]
    if missing:
        raise InputError(
            f"`columns` must hold {', '.join(REQUIRED)}; {', '.join(missing)} is missing."
        )
    unknown = [role for role in columns if role not in ROLES]
    if unknown:
        raise InputError(f"`columns` must be among {', '.join(ROLES)}; got {unknown[0]!r}.")
    sizes = {
        role: len(values.codes if isinstance(values, Factor) else values)
        for role, values in columns.items()
    }
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{role} has {count(n, 'row')}" for role, n in sizes.items())
        raise InputError(f"`columns` must have one length: {listed}.")
    if sizes["score"] == 0:
        raise InputError("`columns` must hold at least one judgment; got none.")
    return sizes["score"]


def _place(path: str, lines: Sequence[int] | None, row: int, column: str | None) -> str:
    if path:
        return place(path, None if lines is None else int(lines[row]), column)
    where = f"row {row:,} (from 0)"
    return where if column is None else f"{where}, column {column!r}"


def _items_in_documents(item: Factor, document: Factor | None) -> Factor:
    if document is None:
        return item
    combined = cross(item.name, document, item)
    return item if combined.n_levels == item.n_levels else combined


def _without_second_scores(
    judgments: Judgments, repeated: Repeated, problems: Problems
) -> Judgments:
    """Refuse or mark second scores by one rater; without raters they cannot be told.

    Only ordinary items are looked at: a rater may see several repeats or degraded copies.
    """
    again = second_scores(judgments)
    if not again.size:
        return judgments
    if repeated == "refuse":
        row = int(again[0])
        said = second_score(judgments, row, judgments.place(first_score(judgments, row)))
        problems.add_rows(again.tolist(), judgments.place, said, SECOND_REMEDY)
        return judgments
    codes_now = judgments.kind.copy()
    codes_now[again] = KINDS.index("repeat")
    notes = (*judgments.notes, second_note(int(again.size)))
    return replace(judgments, kind=codes_now, notes=notes)


SECOND_REMEDY = (
    "Keep one, number the waves, mark it as kind “repeat”, or have all such scores "
    'marked (repeated="mark").'
)


def _judged_once(judgments: Judgments) -> tuple[Factor, ...]:
    """Return the columns of which a rater should have one score, all together."""
    kind = Factor(name="kind", levels=KINDS, codes=judgments.kind)
    roles = ("system", "item", "rater", "campaign", "language", "wave", "task")
    given = [getattr(judgments, role) for role in roles]
    return (*(column for column in given if column is not None), kind)


def second_scores(judgments: Judgments) -> IntArray:
    """Return the rows of ordinary items that their rater has scored before; none without raters."""
    if judgments.rater is None:
        return np.zeros(0, dtype=np.int64)
    rows = repeated_rows(*_judged_once(judgments))
    return rows[judgments.is_kind("system")[rows]]


def first_score(judgments: Judgments, row: int) -> int:
    """Return the row in which the rater of this one scored the same thing first."""
    alike = [column.codes == column.codes[row] for column in _judged_once(judgments)]
    return int(np.flatnonzero(np.logical_and.reduce(alike))[0])


def second_score(judgments: Judgments, row: int, first: str) -> str:
    """Say what is wrong with a second score, and where the first is."""
    return (
        f"a second score by rater {judgments.column('rater').label(row)!r} for system "
        f"{judgments.system.label(row)!r}, item {judgments.item.label(row)!r}; the first is "
        f"in {first}"
    )


def second_note(n: int) -> str:
    """Say how many scores were marked as repeats."""
    return (
        f"{count(n, 'second score')} by one rater for one item of a system counted as repeats."
    )


def _frozen(values: FloatArray) -> FloatArray:
    copy = np.array(values, dtype=np.float64)
    copy.setflags(write=False)
    return copy


# --- Judgments of one evaluation: one campaign in one language pair ---


def one_evaluation(
    judgments: Judgments, *, campaign: str | None = None, language: str | None = None
) -> Judgments:
    """Return the judgments of one campaign in one language pair; several need a choice.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "item": [1, 1], "score": [60, 70], "language": ["de", "fr"]}
    >>> one_evaluation(Judgments.build(table), language="fr").score.tolist()
    [70.0]
    """
    wanted = {"campaign": campaign, "language": language}
    chosen = {role: name for role, name in wanted.items() if name is not None}
    if language and judgments.language is None and judgments.original_language is not None:
        # All are of one language pair, which says in which direction each was made.
        codes = np.zeros(judgments.n_judgments, dtype=np.int64)
        whole = Factor(name="language", levels=(language,), codes=codes)
        judgments = replace(judgments, language=whole)
    kept = judgments.where(**chosen) if chosen else judgments
    for role in wanted:
        column: Factor | None = getattr(kept, role)
        if column is not None and column.n_levels > 1:
            raise DataError(several(judgments.path, role, column.levels))
    return kept


def rated_documents(judgments: Judgments) -> Judgments:
    """Return the ratings of whole documents, or say that there are none."""
    if judgments.of_documents is None:
        raise DataError(
            f"{judgments.path or 'the judgments'}: there is no rating of a whole document, so `level` "
            "cannot be document. Exports of Appraise hold some where they were asked for; in a table "
            "they are rows of kind “document”."
        )
    return judgments.of_documents


def several(path: str, role: str, levels: tuple[str, ...]) -> str:
    """Say that scores of different evaluations cannot be analysed together."""
    plural = {"campaign": "campaigns", "language": "language pairs"}[role]
    return (
        f"{path or 'the data'}: {len(levels)} {plural}: {listing(list(levels), most=20)}. Scores of "
        f"different ones are not comparable; choose one with --{role} ({role}=…)."
    )
