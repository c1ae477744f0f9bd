"""The original language of what was judged, from a sidecar or from the test set itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from detectable.core.errors import DataError
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray
from detectable.core.wording import listing
from detectable.data.factor import Factor, factor
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import NAMES, Judgments
from detectable.data.texts.languages import OriginalLanguages


def with_origins(judgments: Judgments, origins: OriginalLanguages) -> Judgments:
    """Return judgments that know in which language each item was first written.

    Documents are matched by name where the judgments know theirs and the sidecar has all of
    them. Else items are matched by line: the name of an item must then be the number of its line
    in the test set, counted from 1. Judgments without documents get those of the lines.

    Line numbers cannot be checked. In the files of WMT's Direct Assessment the number ``sid`` is
    *not* the line: it counts the segments after sorting documents by name. Match documents there.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "item": [1, 2], "score": [60, 70]}
    >>> origins = OriginalLanguages(languages=("zh", "en"), documents=("x", "y"), lines=("1", "2"))
    >>> found = with_origins(Judgments.build(table), origins)
    >>> found.original_language.levels, found.document.levels
    (('zh', 'en'), ('x', 'y'))
    """
    documents = {} if origins.documents is None else origins.by_document()
    own = judgments.document
    if own is not None and documents and set(own.levels) <= documents.keys():
        return replace(
            judgments, original_language=_of(own, [documents[name] for name in own.levels])
        )
    place = origins.by_line()
    items = judgments.item
    lacking = [name for name in items.levels if name not in place]
    if lacking:
        raise DataError(_no_partner(judgments, origins, documents, lacking))
    rows = [place[name] for name in items.levels]
    found = replace(
        judgments, original_language=_of(items, [origins.languages[row] for row in rows])
    )
    if own is not None or origins.documents is None:
        return found
    named = [origins.documents[row] for row in rows]
    return replace(found, document=_of(items, named, "document"))


def _of(keys: Factor, values: list[str], name: str = "original_language") -> Factor:
    """Return a column that follows from another: one value for each of its levels."""
    levels = factor(name, values)
    return Factor(name=name, levels=levels.levels, codes=levels.codes[keys.codes])


def _no_partner(
    judgments: Judgments,
    origins: OriginalLanguages,
    documents: dict[str, str],
    lacking: list[str],
) -> str:
    where = origins.subject
    if judgments.document is not None and documents:
        gone = [name for name in judgments.document.levels if name not in documents]
        return (
            f"{where}: it does not say in which language {listing(gone)} was written, which was "
            "judged. Add the documents, under the names that the judgments have."
        )
    return (
        f"{where}: there is no line {listing(lacking)}, which was judged. Name the items of the "
        "judgments by the line of the test set (from 1), or give documents to both."
    )


# --- What a table of judgments holds, in numbers ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSpread:
    """Where the scores of one kind lie.

    Attributes
    ----------
    quartiles : (float, float, float, float, float)
        Lowest, lower quartile, median, upper quartile, highest.
    at_ends : float
        Share that is the lowest or the highest possible score; nan where the scale has no ends.
    """

    kind: str
    n: int
    quartiles: tuple[float, float, float, float, float]
    at_ends: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentDescription(Result):
    """How many judgments of what, and where they were written.

    Attributes
    ----------
    output : str
        The file that was written; empty if none was.
    kinds : mapping of kind to int
        Ordinary items, repeats, degraded copies and references.
    levels : mapping of role to int
        How many systems, items, raters and so on.
    scale : (float, float)
        Lowest and highest possible score; infinite where there is no bound.
    scores : tuple of ScoreSpread
        Of every kind that there is; not in `to_dict`.
    """

    output: str = field(metadata={"path": True})
    judgments: int
    kinds: Mapping[str, int]
    levels: Mapping[str, int]
    scale: tuple[float, float]
    notes: tuple[str, ...] = ()
    scores: tuple[ScoreSpread, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )


def describe_judgments(judgments: Judgments, output: str = "") -> JudgmentDescription:
    """Return the counts of a table.

    Examples
    --------
    >>> table = Judgments.build({"system": ["A", "B"], "item": [1, 1], "score": [70, 80]})
    >>> describe_judgments(table).levels
    {'system': 2, 'item': 1}
    """
    columns = {role: getattr(judgments, role) for role in ("system", "item", *NAMES)}
    return JudgmentDescription(
        output=output,
        judgments=judgments.n_judgments,
        kinds={kind: int(judgments.is_kind(kind).sum()) for kind in KINDS},
        levels={role: c.n_levels for role, c in columns.items() if c is not None},
        scale=judgments.scale,
        notes=judgments.notes,
        scores=tuple(
            _spread(kind, judgments.score[judgments.is_kind(kind)], judgments.scale)
            for kind in KINDS
            if judgments.is_kind(kind).any()
        ),
        signature=Signature("judgments", {"n": judgments.n_judgments}),
    )


def _spread(kind: str, scores: FloatArray, scale: tuple[float, float]) -> ScoreSpread:
    least, low, middle, high, most = np.quantile(scores, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
    known = [end for end in scale if math.isfinite(end)]
    return ScoreSpread(
        kind=kind,
        n=int(scores.size),
        quartiles=(least, low, middle, high, most),
        at_ends=float(np.isin(scores, known).mean()) if known else math.nan,
    )
