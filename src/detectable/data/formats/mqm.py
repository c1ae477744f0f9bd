"""MQM judgments of Google: one error per row, what each costs, one score per rater and segment."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from detectable.core.choices import MqmPreset, Repeated, SourceErrors
from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.table import Table, read_table
from detectable.data.formats.wmt_da import names_from_file
from detectable.data.human.judgment_table import PENALTY_SCALE, check_scale
from detectable.data.human.judgments import Judgments
from detectable.data.reader import JudgmentReader

if TYPE_CHECKING:
    import polars as pl

_FREE_CATEGORIES = ("no-error", "no error", "reinterpretation", "creative reinterp")
_FREE_SEVERITIES = (
    *("neutral", "no-error", "no error", "no_error", "hotw", "reinterpretation"),
    "undecided",
)
MAJOR, MINOR, PUNCTUATION, NON_TRANSLATION = 5.0, 1.0, 0.1, 25.0

Noted = Literal["source", "undecided", "critical"]


def error_weight(
    category: str | None, severity: str | None, *, source_errors: SourceErrors = "count"
) -> float | None:
    """Return what one error costs, or None if its severity is not known.

    A major error costs 5, a minor one 1, a minor one of punctuation 0.1, and a segment that is
    no translation at all 25. Neutral remarks, and errors whose severity was left undecided, cost
    nothing. The paper has no critical errors; where a campaign has, they cost as much as major
    ones. “Source error” costs what its severity says, as in the averages that Google publishes
    with the data; with ``source_errors="ignore"`` it costs nothing.

    Examples
    --------
    >>> error_weight("Fluency/Punctuation", "Minor"), error_weight("Style/Awkward", "Major")
    (0.1, 5.0)
    """
    kind = (category or "").strip().lower().replace("_", " ")
    grade = (severity or "").strip().lower()
    if grade.startswith(_FREE_SEVERITIES) or kind.startswith(_FREE_CATEGORIES):
        return 0.0
    if kind.startswith("source") and source_errors == "ignore":
        return 0.0
    if is_non_translation(kind):
        return NON_TRANSLATION
    if grade in ("major", "critical"):
        return MAJOR
    if grade == "minor":
        return PUNCTUATION if "punctuation" in kind else MINOR
    # An error of the source that has no severity is a remark.
    return 0.0 if kind.startswith("source") and not grade else None


def noted(category: str | None, severity: str | None) -> Noted | None:
    """Return what a reader has to tell about an error, if anything.

    Examples
    --------
    >>> noted("Source error", "Minor"), noted("Style/Awkward", "Undecided"), noted("Other", "Major")
    ('source', 'undecided', None)
    """
    grade = (severity or "").strip().lower()
    if grade.startswith("undecided"):
        return "undecided"
    if (category or "").strip().lower().startswith("source") and grade in (
        "major",
        "minor",
        "critical",
    ):
        return "source"
    return "critical" if grade == "critical" else None


def weight_notes(seen: "Counter[Noted]", source_errors: SourceErrors) -> list[str]:
    """Say what was counted how, where that can be seen differently."""
    notes = []
    if seen["critical"]:
        notes.append(f"{count(seen['critical'], 'critical error')} counted as major.")
    if seen["undecided"]:
        notes.append(f"{count(seen['undecided'], 'error')} of undecided severity counted 0.")
    if seen["source"]:
        how = (
            "counted by severity, as in the published averages (source_errors='ignore' makes "
            "it 0)"
            if source_errors == "count"
            else "counted 0 as asked, unlike in the published averages"
        )
        notes.append(f"{count(seen['source'], 'error')} of the source {how}.")
    return notes


def score_of_spans(
    spans: Iterable[Any], seen: "Counter[Noted]", source_errors: SourceErrors = "count"
) -> float | str:
    """Return minus the weights of error spans, or the severity that is not known.

    What the reader has to tell is counted in `seen`.
    """
    total = 0.0
    for span in spans:
        named: Mapping[str, Any] = span if isinstance(span, Mapping) else {}
        category = _text(named.get("error_type") or named.get("category"))
        severity = _text(named.get("severity"))
        weight = error_weight(category, severity, source_errors=source_errors)
        if weight is None:
            return repr(named.get("severity"))
        about = noted(category, severity)
        if about is not None:
            seen[about] += 1
        total -= weight
    return total


# --- What errors cost in a campaign of one's own ---

MQM_SEVERITIES = ("neutral", "minor", "major", "critical")
_CRITICAL = 10.0  # wmt
_COSTING = MQM_SEVERITIES[1:]


@dataclass(frozen=True, slots=True)
class MqmWeights:
    """What errors cost: a preset, and weights of one's own that come before it.

    ``google`` is `error_weight` (Freitag et al. 2021): major 5, minor 1, minor punctuation 0.1, and
    no critical errors. ``wmt`` has the four severities and weights of the English–Russian MQM of
    WMT 2021: minor 1, major 5, critical 10, whatever the category; the share of words that they are
    divided by there is left out, so that both have the same unit. Unlike there, a segment that is no
    translation at all costs 25 in both. Neutral remarks cost nothing.

    Attributes
    ----------
    own : mapping
        From a severity, a category, or both (``"minor style"``) to points. The more exact name
        goes first; a category without its second part stands for all below it.

    References
    ----------
    Freitag, Foster, Grangier, Ratnakar, Tan and Macherey (2021), "Experts, errors, and context",
    TACL 9, 1460–1474. Freitag et al. (2021), "Results of the WMT21 metrics shared task", WMT 2021.

    Examples
    --------
    >>> MqmWeights("wmt").of("accuracy/omission", "critical"), MqmWeights().of("style", "major")
    (10.0, 5.0)
    >>> own = MqmWeights.read(["critical=25", "minor style=0.5"], preset="wmt")
    >>> own.of("style/awkward", "minor"), own.of("other", "critical"), own.of("other", "neutral")
    (0.5, 25.0, 0.0)
    """

    preset: MqmPreset = "google"
    own: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, given: Iterable[str], *, preset: MqmPreset = "google") -> "MqmWeights":
        """Read weights as they are typed: ``critical=25``, ``style=2``, ``minor style/awkward=.5``."""
        own: dict[str, float] = {}
        for one in given:
            name, equals, points = one.rpartition("=")
            key = name.strip().casefold()
            try:
                cost = float(points)
            except ValueError:
                cost = math.nan
            if not (equals and key and 0.0 <= cost <= _MOST_POINTS):
                raise InputError(
                    "`weight` must be NAME=POINTS, such as critical=25 or style=2, with "
                    f"0 to {_MOST_POINTS:g} points; got {one!r}."
                )
            if key.partition(" ")[0] == MQM_SEVERITIES[0]:
                raise InputError(
                    f"`weight` must not give neutral remarks points; got {one!r}. Use minor."
                )
            if key in own:
                raise InputError(f"`weight` must name each weight once; got {key!r} twice.")
            own[key] = cost
        return cls(preset, own)

    @property
    def severities(self) -> tuple[str, ...]:
        """The severities that raters choose from."""
        named = {name.partition(" ")[0] for name in self.own}
        critical = self.preset == "wmt" or "critical" in named
        return MQM_SEVERITIES if critical else MQM_SEVERITIES[:-1]

    @property
    def is_google(self) -> bool:
        """Whether readers of other tools' files compute the same scores."""
        return self.preset == "google" and not self.own

    @property
    def heaviest(self) -> float:
        """The most that one error costs."""
        return max(NON_TRANSLATION, *self.own.values(), 0.0)

    def unknown(self, categories: Iterable[str]) -> str | None:
        """Return a name in `own` that is neither a severity nor one of these categories."""
        known = {part for one in categories for part in _levels(one.casefold())}
        for name in self.own:
            first, _, rest = name.partition(" ")
            kind = rest if first in _COSTING else name
            if kind and kind not in known and name not in known:
                return name
        return None

    def of(self, category: str, severity: str) -> float:
        """Return what one error costs."""
        if severity == MQM_SEVERITIES[0]:
            return 0.0
        kinds = _levels(category.casefold())
        names = (*(f"{severity} {kind}" for kind in kinds), *kinds, severity)
        for name in names:
            if name in self.own:
                return self.own[name]
        if self.preset == "wmt" and not is_non_translation(category):
            return {"minor": MINOR, "major": MAJOR, "critical": _CRITICAL}[severity]
        return error_weight(category, severity) or 0.0

    def score(self, spans: Iterable[Mapping[str, Any]]) -> float:
        """Return minus the weights of error spans."""
        return 0.0 - sum(self.of(one["category"], one["severity"]) for one in spans)


_MOST_POINTS = 1_000.0


def is_non_translation(category: str) -> bool:
    """Say whether a category is for text that is no translation at all."""
    return category.lower().startswith(("non-translation", "non translation"))


def _levels(category: str) -> tuple[str, ...]:
    """Return a category and those above it, the nearest first."""
    parts = category.split("/")
    return tuple("/".join(parts[:n]) for n in range(len(parts), 0, -1))


def _text(value: Any) -> str | None:
    """Return a category as text; Appraise has a list of category and subcategory."""
    if isinstance(value, list):
        return "/".join(map(str, value))
    return None if value is None else str(value)


# --- MQM judgments of Google: one error per row, one score per rater and segment ---

_NAMES = {
    "system": ("system",),
    "item": ("seg_id", "globalsegid", "global_seg_id", "docsegid"),
    "rater": ("rater",),
    "document": ("doc", "doc_name"),
    "category": ("category",),
    "severity": ("severity",),
}
_COLUMNS = frozenset(("system", "rater", "category", "severity"))
_REQUIRED = ("system", "item", "rater", "category", "severity")


def recognise(content: FileContent) -> bool:
    """Tell by the columns of an error."""
    header = {word.strip().lower() for word in content.first_line.replace(",", " ").split()}
    return header >= _COLUMNS or content.parquet_columns >= _COLUMNS


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
    source_errors: SourceErrors = "count",
) -> Judgments:
    r"""Read MQM errors and add them up to one score per system, segment and rater.

    .. math:: s = -\sum_{e} w_e

    with the weights of `error_weight` (Freitag et al. 2021). No error is 0, and worse is
    lower. Raters are kept apart: a segment that three raters annotated has three rows.

    Parameters
    ----------
    content : FileContent
        A TSV file with the columns ``system, doc, seg_id, rater, category, severity``.
    scale : (float, float), optional
        By default no lower bound, and 0 as the highest.
    repeated : {'refuse', 'mark'}
        For second annotations by one rater, which this format cannot distinguish.
    source_errors : {'count', 'ignore'}
        Whether the category “Source error” costs what its severity says, or nothing.
    """
    import polars as pl

    table = read_table(content, several=True)
    frame = _frame(table)
    keys = [name for name in ("system", "item", "rater", "document") if name in frame.columns]
    frame = frame.with_columns(-_weights(table, frame, source_errors))
    segments = frame.group_by(keys, maintain_order=True).agg(
        score=pl.col("weight").sum(), row=pl.col("row").first(), errors=pl.len()
    )
    found, notes = names_from_file(content)
    columns = {name: segments[name] for name in (*keys, "score")}
    columns |= {role: pl.Series([name] * segments.height) for role, name in found.items()}
    notes = [*notes, *weight_notes(_seen(frame), source_errors)]
    rows = segments["row"].to_list()
    lines = rows if table.lines is None else [table.lines[row] for row in rows]
    return Judgments.build(
        columns,
        scale=PENALTY_SCALE if scale is None else check_scale(scale),
        repeated=repeated,
        path=table.path,
        lines=lines,
        notes=[
            f"{count(frame.height, 'row')} of errors added up per rater and segment.",
            *notes,
        ],
    )


def _frame(table: Table) -> "pl.DataFrame":
    import polars as pl

    found = {role: table.find(names) for role, names in _NAMES.items()}
    missing = [role for role in _REQUIRED if not found[role]]
    if missing:
        raise table.missing(f"the {' and the '.join(missing)} of MQM")
    frame = pl.DataFrame(
        {
            role: pl.Series(table.columns[names[0]], strict=False).cast(pl.String).fill_null("")
            for role, names in found.items()
            if names
        }
    )
    return frame.with_row_index("row")


def _seen(frame: "pl.DataFrame") -> "Counter[Noted]":
    seen: Counter[Noted] = Counter()
    for category, severity, n in frame.group_by("category", "severity").len().iter_rows():
        about = noted(category, severity)
        if about is not None:
            seen[about] += n
    return seen


def _weights(table: Table, frame: "pl.DataFrame", source_errors: SourceErrors) -> "pl.Series":
    """Return the cost of every error; there are few different ones."""
    import polars as pl

    kinds = frame.select("category", "severity").unique(maintain_order=True)
    weights = [
        error_weight(category, severity, source_errors=source_errors)
        for category, severity in kinds.iter_rows()
    ]
    both = pl.concat_str("category", "severity", separator="\t")  # no cell of a TSV holds a tab
    joined = frame.with_columns(
        weight=both.replace_strict(
            kinds.select(both).to_series(), pl.Series(weights, dtype=pl.Float64)
        )
    )
    unknown = joined.filter(pl.col("weight").is_null())
    if unknown.height:
        names = [repr(name) for name in unknown["severity"].unique(maintain_order=True)]
        raise DataError(
            f"{table.place(unknown['row'][0], 'severity')}: unknown severity "
            f"{listing(names)} ({count(unknown.height, 'row')} in all). Known are Major, Minor, "
            "Critical, Neutral, Undecided and No-error."
        )
    return joined["weight"]


JUDGMENTS = JudgmentReader(
    name="mqm",
    about="MQM of Google: TSV with one error per row",
    recognise=recognise,
    read=read,
    order=60,
    takes=("source_errors",),
)
