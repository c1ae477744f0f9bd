"""Battles: an immutable table of comparisons, two systems each; its languages, and what was left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, factor
from detectable.data.files.place import Problems, missing_names, place

TIE = 0.5
ROLES = ("prompt", "voter")  # what several battles may share


@dataclass(frozen=True, slots=True, kw_only=True)
class Battles:
    """Comparisons of two systems at a time.

    Attributes
    ----------
    systems : tuple of str
        All systems: those of `a` in order of appearance, then the others.
    a, b : array of int
        Place in `systems` of the two, in the order in which they were shown where it is known.
    outcome : array
        1 where the first won, 0 where the second did, ½ for a tie; between where it is a mean of
        several or a probability.
    weight : array or None
        How much a battle counts; None where all count alike.
    prompt, voter : Factor or None
        What was asked, and who voted.
    names : mapping of str to Factor
        Further columns of names: ``item``, ``document``, ``domain``, ``language``,
        ``original_language``.
    covariates : mapping of str to array
        What may sway a voter, as first − second.
    sided : bool
        Whether the first system was shown first (left).
    bad : array of bool or None
        Where the voter found both bad, which counts as a tie; None where nobody did.
    orders : array of shape (battles, 2) or None
        Of a battle that was judged in both orders: what the first system has where it was shown first,
        and where it was shown second; NaN where that is not known.
    counted_by_tool : Battles or None
        The same as the tool that wrote the file counts it, where that differs.
    path, lines
        The file and the line of each battle, for messages.
    rows : array of int or None
        The number of each battle in its file, from 1.
    notes : tuple of str
        One sentence for everything that the reader left out or changed, with its count.
    """

    systems: tuple[str, ...]
    a: IntArray
    b: IntArray
    outcome: FloatArray
    weight: FloatArray | None = None
    prompt: Factor | None = None
    voter: Factor | None = None
    names: Mapping[str, Factor] = field(default_factory=dict)
    covariates: Mapping[str, FloatArray] = field(default_factory=dict)
    sided: bool = False
    bad: NDArray[np.bool_] | None = None
    orders: FloatArray | None = None
    counted_by_tool: "Battles | None" = None
    path: str = ""
    lines: Sequence[int] | None = None
    rows: IntArray | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        known = count(len(self.outcome), "battle"), count(len(self.systems), "system")
        return f"<Battles: {', '.join(known)}>"

    @classmethod
    def build(
        cls,
        a: Any,
        b: Any,
        outcome: Any,
        *,
        path: str = "",
        lines: Sequence[int] | None = None,
        **columns: Any,
    ) -> "Battles":
        """Check columns and freeze them; all problems are named in one message.

        Parameters
        ----------
        a, b : sequence of names, or Factor
            The two systems of each battle.
        outcome : sequence of float
            From 0 to 1; see `outcome` above.
        path, lines
            The file and the line of each battle, for messages.
        **columns
            The other attributes; ``prompt`` and ``voter`` may be plain sequences.

        Examples
        --------
        >>> battles = Battles.build(["x", "y"], ["y", "z"], [1, 0.5])
        >>> battles.systems, battles.a.tolist(), battles.b.tolist()
        (('x', 'y', 'z'), [0, 1], [1, 2])
        """
        problems = Problems(path)
        won = np.asarray(outcome, dtype=np.float64)
        if not won.size:
            raise DataError(f"{path or 'the table'}: there is no battle.")

        def where(row: int) -> str:
            return _place(path, lines, row)

        first, second = (
            _named(side, values, problems, where) for side, values in (("a", a), ("b", b))
        )
        systems, codes = _one_numbering(first, second)
        _refuse_rows(
            problems, codes[0] == codes[1], where,
            lambda row: f"a battle of {systems[codes[0][row]]!r} with itself says nothing",
            "Drop the row.",
        )  # fmt: skip
        _refuse_rows(
            problems, ~((won >= 0.0) & (won <= 1.0)), where,
            lambda row: f"an outcome lies between 0 and 1; found {won[row]:g}",
            "Write 1 where the first won, 0 where the second did, 0.5 for a tie.",
        )  # fmt: skip
        weight = columns.get("weight")
        if weight is not None:
            weight = np.asarray(weight, dtype=np.float64)
            _refuse_rows(
                problems, ~(np.isfinite(weight) & (weight > 0.0)), where,
                lambda row: f"a weight must be a number above 0; found {weight[row]:g}",
                "Leave out battles that are not to count.",
            )  # fmt: skip
        for role in ROLES:
            if columns.get(role) is not None:
                columns[role] = _named(role, columns[role], problems, where)
        problems.stop()
        return cls(
            systems=systems,
            a=_frozen(codes[0]),
            b=_frozen(codes[1]),
            outcome=_frozen(won),
            path=path,
            lines=lines,
            **{**columns, "weight": None if weight is None else _frozen(weight)},
        )

    @property
    def n(self) -> int:
        """The number of battles."""
        return int(self.outcome.size)

    @property
    def both_bad(self) -> int:
        """The number of battles in which the voter found both bad."""
        return 0 if self.bad is None else int(self.bad.sum())

    @property
    def weights(self) -> FloatArray:
        """How much each battle counts."""
        return np.ones(self.n) if self.weight is None else self.weight

    def place(self, row: int) -> str:
        """Return where a battle stands, for messages."""
        return _place(self.path, self.lines, row)

    def take(self, rows: NDArray[Any]) -> "Battles":
        """Return some battles (positions or a mask); systems that are gone are forgotten."""
        kept = np.arange(self.n)[rows]
        used = np.unique(np.concatenate([self.a[kept], self.b[kept]]))
        new = np.full(len(self.systems), -1)
        new[used] = np.arange(used.size)
        return replace(
            self,
            systems=tuple(self.systems[i] for i in used.tolist()),
            a=_frozen(new[self.a[kept]]),
            b=_frozen(new[self.b[kept]]),
            outcome=_frozen(self.outcome[kept]),
            weight=None if self.weight is None else _frozen(self.weight[kept]),
            bad=None if self.bad is None else self.bad[kept],
            orders=None if self.orders is None else self.orders[kept],
            names={name: column.take(kept) for name, column in self.names.items()},
            covariates={name: _frozen(x[kept]) for name, x in self.covariates.items()},
            counted_by_tool=None,
            lines=None if self.lines is None else np.asarray(self.lines)[kept].tolist(),
            rows=None if self.rows is None else self.rows[kept],
            prompt=None if self.prompt is None else self.prompt.take(kept),
            voter=None if self.voter is None else self.voter.take(kept),
        )


def join_battles(parts: Sequence[Battles]) -> Battles:
    """Return the battles of several files as one table.

    What only some of the files say (prompts, voters, covariates, the order) is refused rather
    than half known. A battle of a file that says no language has none.

    Examples
    --------
    >>> one = Battles.build(["x"], ["y"], [1], prompt=["p"])
    >>> two = Battles.build(["z"], ["x"], [0], prompt=["p"])
    >>> both = join_battles([one, two])
    >>> both.n, both.systems, both.prompt.n_levels
    (2, ('x', 'z', 'y'), 1)
    """
    if len(parts) == 1:
        return parts[0]
    for role in (*ROLES, "weight"):
        have = [getattr(part, role) is not None for part in parts]
        if any(have) and not all(have):
            lacking = parts[have.index(False)]
            raise DataError(
                f"{lacking.path or 'a table'} does not say the {role}, which "
                f"{parts[have.index(True)].path or 'another table'} does. Give files of one kind."
            )
    first = parts[0]
    covariates = [name for name in first.covariates if all(name in p.covariates for p in parts)]
    tools = [part.counted_by_tool for part in parts]
    return Battles.build(
        [part.systems[i] for part in parts for i in part.a.tolist()],
        [part.systems[i] for part in parts for i in part.b.tolist()],
        np.concatenate([part.outcome for part in parts]),
        weight=None
        if first.weight is None
        else np.concatenate([part.weights for part in parts]),
        covariates={
            name: np.concatenate([part.covariates[name] for part in parts])
            for name in covariates
        },
        sided=all(part.sided for part in parts),
        bad=np.concatenate(
            [np.zeros(part.n, dtype=bool) if part.bad is None else part.bad for part in parts]
        ),
        orders=None
        if any(part.orders is None for part in parts)
        else np.concatenate([part.orders for part in parts if part.orders is not None]),
        counted_by_tool=join_battles([t for t in tools if t is not None])
        if all(tools)
        else None,
        path=", ".join(part.path for part in parts),
        notes=tuple(f"{part.path}: {note}" for part in parts for note in part.notes),
        prompt=_joined([part.prompt for part in parts], "prompt"),
        voter=_joined([part.voter for part in parts], "voter"),
        names={
            name: column
            for name in ("language", "document", "original_language")
            if (column := _labels(parts, name)) is not None
        },
    )


def _joined(columns: Sequence[Factor | None], role: str) -> Factor | None:
    known = [column for column in columns if column is not None]
    return (
        factor(role, [name for column in known for name in column.labels()]) if known else None
    )


def _labels(parts: Sequence[Battles], name: str) -> Factor | None:
    columns = [part.names.get(name) for part in parts]
    if all(column is None for column in columns):
        return None
    labels = [
        label
        for part, column in zip(parts, columns, strict=True)
        for label in ([""] * part.n if column is None else column.labels())
    ]
    return factor(name, labels)


def _named(role: str, values: Any, problems: Problems, where: Any) -> Factor:
    if isinstance(values, Factor):
        column = values.take(
            np.arange(values.codes.size)
        )  # levels that do not occur are no clusters
    else:
        column = factor(role, values)
    empty = missing_names(column.levels)
    if empty:
        what = "name of a system" if role in ("a", "b") else role
        problems.add_rows(
            np.flatnonzero(np.isin(column.codes, empty)).tolist(),
            where,
            f"the {what} is missing",
            "Fill it in, or drop the row.",
        )
    return column


def _one_numbering(first: Factor, second: Factor) -> tuple[tuple[str, ...], list[IntArray]]:
    """Return the systems of both columns, and each column by their places."""
    if len(first.codes) != len(second.codes):
        raise InputError(
            f"`b` must have as many rows as `a`; got {len(second.codes)} and {len(first.codes)}."
        )
    systems = dict.fromkeys(str(name) for name in (*first.levels, *second.levels))
    places = {name: i for i, name in enumerate(systems)}
    codes = [
        np.array([places[level] for level in side.levels], dtype=np.int64)[side.codes]
        for side in (first, second)
    ]
    return tuple(systems), codes


def _refuse_rows(
    problems: Problems, wrong: NDArray[np.bool_], where: Any, said: Any, remedy: str
) -> None:
    rows = np.flatnonzero(wrong).tolist()
    if rows:
        problems.add_rows(rows, where, said(rows[0]), remedy)


def _place(path: str, lines: Sequence[int] | None, row: int) -> str:
    if path:
        return place(path, None if lines is None else int(lines[row]))
    return f"row {row:,} (from 0)"


def _frozen(values: NDArray[Any]) -> NDArray[Any]:
    copy = np.array(values)
    copy.setflags(write=False)
    return copy


# --- Battles in several languages: those in one of them, or a word that all are pooled ---

OTHERS = "battles in other languages"
_MOST = 8  # languages that a note names


def one_language(battles: Battles, language: str) -> Battles:
    """Return the battles in one language; how many are in others becomes a note.

    Examples
    --------
    >>> from detectable.data.factor import factor
    >>> told = {"language": factor("language", ["de", "fr"])}
    >>> two = Battles.build(["x", "y"], ["y", "x"], [1, 0.5], names=told)
    >>> one_language(two, "fr").outcome.tolist(), one_language(two, "fr").notes
    ([0.5], ('1 battle left out: battles in other languages.',))
    """
    where = battles.path or "the battles"
    column = battles.names.get("language")
    if column is None and "original_language" in battles.names:
        # All battles are of one language pair, which says in which direction each was made.
        whole = Factor(
            name="language", levels=(language,), codes=np.zeros(battles.n, dtype=int)
        )
        return replace(battles, names={**battles.names, "language": whole})
    if column is None:
        raise DataError(
            f"{where}: there is no language to choose by. Say which column names it (--column "
            "language=NAME, columns={'language': …})."
        )
    if not language or language not in column.levels:
        found = sorted(name for name in column.levels if name)
        raise DataError(
            f"{where}: there is no battle in the language {language!r}. Found: "
            f"{listing(found, most=20)}."
        )
    kept = battles.take(column.codes == column.levels.index(language))
    left_out = left_out_notes({OTHERS: battles.n - kept.n})
    return replace(kept, notes=(*kept.notes, *left_out))


def pooled_languages(battles: Battles) -> tuple[str, ...]:
    """Say in which languages the votes are, where they are in several; most votes first.

    Examples
    --------
    >>> from detectable.data.factor import factor
    >>> told = {"language": factor("language", ["de", "fr"])}
    >>> two = Battles.build(["x", "y"], ["y", "x"], [1, 0.5], names=told)
    >>> pooled_languages(two)
    ('Votes in several languages are pooled: de (1), fr (1). `language` keeps one of them.',)
    """
    column = battles.names.get("language")
    if column is None or column.n_levels < 2:
        return ()
    votes = np.bincount(column.codes).tolist()
    ordered = sorted(zip(column.levels, votes, strict=True), key=lambda row: (-row[1], row[0]))
    named = listing([f"{name or 'not named'} ({n:,})" for name, n in ordered], most=_MOST)
    return (f"Votes in several languages are pooled: {named}. `language` keeps one of them.",)


# --- What readers of battles leave out, in words ---

NO_BATTLE = "comparisons without an outcome"
NAMES_SHOWN = "battles in which the names of the models were shown (anony is false)"


def left_out_notes(counted: Mapping[str, int]) -> list[str]:
    """Return a sentence for every reason why battles were left out.

    Examples
    --------
    >>> left_out_notes({NO_BATTLE: 2})
    ['2 battles left out: comparisons without an outcome.']
    """
    return [f"{count(n, 'battle')} left out: {reason}." for reason, n in counted.items() if n]


def refuse_none(path: str, n: int, notes: list[str]) -> None:
    """Refuse a file of which nothing is left."""
    if not n:
        why = f" {' '.join(notes)}" if notes else ""
        raise DataError(f"{path}: there is no battle in the file.{why}")
