"""How far raters agree: Krippendorff's alpha, correlations of every two raters, and marked errors."""

import math
import warnings
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from detectable.core.choices import AgreementLevel
from detectable.core.errors import DataError, SuspiciousDataWarning
from detectable.core.interval import Interval
from detectable.core.options import asked
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json_lines
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.inference.agreement import (
    Marked,
    alpha_sums,
    alpha_without_raters,
    disorder,
    marked_letters,
)
from detectable.kernels.distributions import normal_quantile
from detectable.study.precision.variance_components import (
    FEWEST,
    THESE_TWO,
    share_interval,
    too_few,
)
from detectable.study.precision.variance_sums import RaterCells, rater_cells, unit_codes
from detectable.study.settings import AgreementSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """Two raters and how their scores go together."""

    rater: str
    other: str
    n_translations: int  # judged by both
    pearson: float  # NaN where one of them gave a single score throughout
    spearman: float
    mean_difference: float  # rater - other: who is the milder


def pair_correlations(
    cells: RaterCells, names: tuple[str, ...], min_overlap: int
) -> tuple[tuple[RaterPair, ...], int]:
    """Return pairs of raters with enough translations in common, and how many have too few."""
    found, below = [], 0
    for first, second in cells.pairs():
        # Cells of a translation are sorted by rater, so a pair always has the same order.
        key = cells.rater[first] * len(names) + cells.rater[second]
        pair, group = np.unique(key, return_inverse=True)
        size = np.bincount(group)
        enough = size >= min_overlap
        below += int((~enough).sum())
        if not enough.any():
            continue
        rows = enough[group]
        group = (np.cumsum(enough) - 1)[group[rows]]
        x, y = cells.score[first[rows]], cells.score[second[rows]]
        n = size[enough]
        pearson = grouped_correlation(x, y, group, n)
        spearman = grouped_correlation(_ranks(x, group), _ranks(y, group), group, n)
        milder = np.bincount(group, x - y) / n
        found.append((pair[enough], n, pearson, spearman, milder))
    if not found:
        return (), below
    columns = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    order = np.lexsort((columns[0], -columns[1]))
    return tuple(
        RaterPair(
            rater=names[key // len(names)],
            other=names[key % len(names)],
            n_translations=n,
            pearson=pearson,
            spearman=spearman,
            mean_difference=milder,
        )
        for key, n, pearson, spearman, milder in zip(
            *(column[order].tolist() for column in columns), strict=True
        )
    ), below


def grouped_correlation(
    x: FloatArray, y: FloatArray, group: IntArray, size: IntArray
) -> FloatArray:
    """Return Pearson's correlation within each group; NaN where one side does not vary."""
    dx = x - (np.bincount(group, x) / size)[group]
    dy = y - (np.bincount(group, y) / size)[group]
    xx, yy, xy = (np.bincount(group, part) for part in (dx * dx, dy * dy, dx * dy))
    spread = np.sqrt(xx * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.where(spread > 0.0, xy / spread, np.nan)
    return np.clip(found, -1.0, 1.0)


def _ranks(values: FloatArray, group: IntArray) -> FloatArray:
    """Return mid-ranks within each group, up to a constant of the group."""
    order = np.lexsort((values, group))
    v, g = values[order], group[order]
    new = np.ones(v.size, dtype=bool)
    new[1:] = (v[1:] != v[:-1]) | (g[1:] != g[:-1])
    run = np.cumsum(new) - 1
    start = np.flatnonzero(new)
    middle = start + (np.diff(start, append=v.size) - 1) / 2.0
    ranks = np.empty(v.size)
    ranks[order] = middle[run]
    return ranks


# --- How far raters agree on the errors that they mark ---

_CHANCE = 20_000  # texts that are paired with others to know what chance gives, about


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanPair:
    """Two raters and the errors that they marked in the same texts."""

    rater: str
    other: str
    n_texts: int  # judged by both
    n_marks: int  # of both
    f1: float
    gamma: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanAgreement:
    """Agreement on errors in texts that two raters judged; sums over texts and pairs of raters.

    Attributes
    ----------
    f1 : float
        Of letters: twice those that both marked, by those that either did.
    f1_severity : float
        The same, where a letter that both marked as differently bad counts half.
    gamma : float
        1 − observed disorder / that of chance: 1 where all marks are the same, 0 where a rater's
        marks fit those of the other rater no better than marks in other texts do.
    f1_interval, gamma_interval : Interval or None
        By leaving out documents (or items).
    n_texts : int
        Texts by pairs of raters.
    n_missing : int
        Marks that something is missing, which have no place and do not count.
    """

    f1: float
    f1_interval: Interval | None
    f1_severity: float
    gamma: float
    gamma_interval: Interval | None
    n_texts: int
    n_marks: int
    n_missing: int
    pairs: tuple[SpanPair, ...]


class _SpanSums:
    """Sums over texts of one pair of raters, or of all, in all and by cluster."""

    _NAMES = ("one", "other", "both", "same", "cost", "units", "chance", "chance_units")

    def __init__(self, n_clusters: int) -> None:
        self.of = {name: np.zeros(n_clusters) for name in self._NAMES}
        self.crossed = {name: np.zeros(n_clusters) for name in ("chance", "chance_units")}

    def add(self, texts: "list[tuple[list[Marked], list[Marked], int]]", shifts: int) -> None:
        """Add the texts of two raters, each as it is and with those that stand some places on."""
        n = len(texts)
        for one, other, cluster in texts:
            found = (*marked_letters(one, other), disorder(one, other))
            for name, value in zip(self._NAMES, found, strict=False):
                self.of[name][cluster] += value
            self.of["units"][cluster] += (len(one) + len(other)) / 2.0
        for k in range(1, shifts + 1):
            step = 1 + (k - 1) * (n - 1) // shifts
            for i, (one, _, cluster) in enumerate(texts):
                _, other, away = texts[(i + step) % n]
                values = (disorder(one, other), (len(one) + len(other)) / 2.0)
                for name, value in zip(self.crossed, values, strict=True):
                    self.of[name][cluster] += value
                    if away != cluster:
                        self.crossed[name][away] += value

    def f1(self, *, without_each: bool = False, severity: bool = False) -> Any:
        """Return F1, in all or without each cluster."""
        kept = {
            name: self._kept(name, without_each) for name in ("one", "other", "both", "same")
        }
        hits = (kept["both"] + kept["same"]) / 2.0 if severity else kept["both"]
        with np.errstate(invalid="ignore", divide="ignore"):
            return 2.0 * hits / (kept["one"] + kept["other"])

    def gamma(self, *, without_each: bool = False) -> Any:
        """Return γ, in all or without each cluster."""
        kept = {name: self._kept(name, without_each) for name in self._NAMES[4:]}
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = kept["cost"] / kept["units"]
            return 1.0 - observed / (kept["chance"] / kept["chance_units"])

    def _kept(self, name: str, without_each: bool) -> Any:  # noqa: FBT001 (of two methods)
        whole = self.of[name].sum()
        if not without_each:
            return whole
        # A pairing by chance belongs to both of its texts.
        return whole - self.of[name] - self.crossed.get(name, 0.0)


def span_agreement(
    judgments: Judgments, spans: FilePath, *, alpha: float = 0.05
) -> SpanAgreement:
    """Measure how far raters mark the same errors, from the table of errors of a campaign.

    Parameters
    ----------
    judgments : Judgments
        Who judged what: a text without a line in `spans` has no error.
    spans : path
        JSON lines with ``rater``, ``system``, ``item``, ``start``, ``end`` and ``severity``, as
        ``campaign export`` writes beside its judgments.
    """
    rows = np.flatnonzero(judgments.is_kind("system"))
    names = {role: judgments.column(role).labels() for role in ("system", "item", "rater")}
    keys = list(zip(names["system"], names["item"], names["rater"], strict=True))
    _, cluster = unit_codes(judgments, "auto")
    marks, missing = _read_spans(spans, {keys[row] for row in rows.tolist()})
    by_text: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows.tolist():
        system, item, rater = keys[row]
        by_text.setdefault((system, item), {}).setdefault(rater, row)
    by_pair: dict[tuple[str, str], list[tuple[list[Marked], list[Marked], int]]] = {}
    for (system, item), raters in by_text.items():
        for one, other in combinations(sorted(raters), 2):
            pair = (marks.get((system, item, one), []), marks.get((system, item, other), []))
            by_pair.setdefault((one, other), []).append((*pair, int(cluster[raters[one]])))
    if not by_pair:
        raise DataError(
            f"{spans}: no text was judged by two raters, so their marks cannot be compared. Have "
            "some judged twice, and export a campaign with --everything."
        )
    n_texts = sum(map(len, by_pair.values()))
    n_clusters = int(cluster.max()) + 1
    whole, found = _SpanSums(n_clusters), []
    for (one, other), texts in sorted(by_pair.items()):
        shifts = min(len(texts) - 1, max(1, _CHANCE // n_texts))
        sums = _SpanSums(n_clusters)
        for each in (sums, whole):
            each.add(texts, shifts)
        n = sum(len(first) + len(second) for first, second, _ in texts)
        pair_found = (float(sums.f1()), float(sums.gamma()))
        found.append(
            SpanPair(
                rater=one,
                other=other,
                n_texts=len(texts),
                n_marks=n,
                f1=pair_found[0],
                gamma=pair_found[1],
            )
        )
    used = np.unique([group for texts in by_pair.values() for _, _, group in texts])
    level = 1.0 - alpha
    enough = used.size >= FEWEST

    def known(value: float, left_out: Any) -> Interval | None:
        fits = enough and value < 1.0 and bool(np.isfinite(left_out[used]).all())
        return share_interval(value, [left_out[used]], level) if fits else None

    f1, gamma = float(whole.f1()), float(whole.gamma())
    return SpanAgreement(
        f1=f1,
        f1_interval=known(f1, whole.f1(without_each=True)),
        f1_severity=float(whole.f1(severity=True)),
        gamma=gamma,
        gamma_interval=known(gamma, whole.gamma(without_each=True)),
        n_texts=n_texts,
        n_marks=sum(pair.n_marks for pair in found),
        n_missing=missing,
        pairs=tuple(sorted(found, key=lambda pair: (-pair.n_texts, pair.rater, pair.other))),
    )


def _read_spans(
    path: FilePath, judged: set[tuple[str, str, str]]
) -> tuple[dict[tuple[str, str, str], list[Marked]], int]:
    """Return the marks of every judgment, and how many of them have no place."""
    found: dict[tuple[str, str, str], list[Marked]] = {}
    n = missing = 0
    for number, entry in read_json_lines(path):
        try:
            key = (str(entry["system"]), str(entry["item"]), str(entry["rater"]))
            start, end, severity = entry["start"], entry["end"], str(entry["severity"])
        except KeyError as error:
            raise DataError(
                f"{path}, line {number}: an error must say its {error}. Give the spans.jsonl that "
                "campaign export writes."
            ) from None
        if entry.get("kind", "system") != "system" or key not in judged:
            continue
        n += 1
        if start is None and end is None:
            missing += 1
            continue
        whole = isinstance(start, int) and isinstance(end, int)
        if not whole or isinstance(start, bool) or not 0 <= start < end:
            raise DataError(
                f"{path}, line {number}: start and end must be whole numbers in order; got "
                f"{start!r} and {end!r}."
            )
        found.setdefault(key, []).append((start, end, severity))
    if n == 0:
        raise DataError(
            f"{path}: no error of it belongs to a judgment of a system in the table. Give the files "
            "of one export."
        )
    return found, missing


# --- How far raters agree: Krippendorff's alpha, and correlations of pairs of raters ---

# Krippendorff's own marks: above .8 reliable, down to .667 for tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667
_MANY = 200  # categories beyond which “nominal” is hardly meant


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement(Result):
    """Agreement of raters on the translations that several of them judged.

    Attributes
    ----------
    krippendorff : float
        Krippendorff's: 1 for perfect agreement, 0 for what chance would give.
    interval : Interval or None
        By leaving out documents (or items) and, with three raters or more, raters. None with fewer
        than four documents or items.
    pearson, spearman : float
        Mean correlation of two raters on the translations that both judged, weighted by their
        number, over the pairs of raters with enough of them. NaN without such pairs.
    pairs : tuple of RaterPair
        Those pairs, the most translations first.
    n_pairs_below : int
        Pairs of raters with too few translations in common.
    spans : SpanAgreement or None
        On the errors that they marked, where these were given.
    """

    level: AgreementLevel
    krippendorff: float
    interval: Interval | None
    pearson: float
    spearman: float
    pairs: tuple[RaterPair, ...]
    n_pairs_below: int
    min_overlap: int
    n_translations: int  # with two raters or more
    n_judgments: int  # of them, one per rater
    n_raters: int
    unit: str
    n_clusters: int
    alpha: float
    notes: tuple[str, ...]
    spans: SpanAgreement | None = None

    def by_chance(self, pair: RaterPair) -> Interval | None:
        r"""Return where the correlation of a pair would lie if all pairs agreed alike.

        :math:`\tanh(\operatorname{artanh} \bar r \pm z / \sqrt{n - 3})`, Fisher's range around the
        mean correlation, with translations as independent. None with three translations.
        """
        if pair.n_translations <= 3 or not abs(self.pearson) < 1.0:
            return None
        return _by_chance(self.pearson, pair.n_translations, self.alpha)


@lru_cache(maxsize=1_024)
def _by_chance(pearson: float, n: int, alpha: float) -> Interval:
    """Return the range of `RaterAgreement.by_chance`: one for all pairs with as many in common."""
    middle = math.atanh(pearson)
    half = normal_quantile(1.0 - alpha / 2.0) / math.sqrt(n - 3)
    return Interval(math.tanh(middle - half), math.tanh(middle + half), 1.0 - alpha)


def agreement(
    judgments: Judgments | TableSource,
    *,
    level: AgreementLevel = "interval",
    min_overlap: int = 10,
    spans: FilePath | None = None,
    alpha: float = 0.05,
) -> RaterAgreement:
    """Measure how far raters agree, with whatever each of them did not judge left open.

    Where a rater judged a translation again, the first score counts. Only systems' own output
    and its repeats count. Intervals leave out documents where they are known, else items, one at a
    time and, with three raters or more, raters: on −ln(1 − alpha), by t (`jackknife_interval`). With
    two raters they hold for these two; with fewer than four documents or items there are none.

    Parameters
    ----------
    judgments : Judgments
        With raters.
    level : {'interval', 'ordinal', 'nominal'}
        How scores are compared: by squared difference, by rank, or as same and not same.
    min_overlap : int
        Translations that two raters must share for a correlation.
    spans : path, optional
        The errors that raters marked; see `SpanAgreement`.
    alpha : float
        Intervals are at 1 − `alpha`.

    References
    ----------
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability". Of marked errors: γ by Mathet,
    Widlöcher and Métivier (2015), see `dissimilarity`.

    Examples
    --------
    >>> table = Judgments.build({
    ...     "system": ["A"] * 8, "item": [1, 1, 2, 2, 3, 3, 4, 4], "rater": ["v", "w"] * 4,
    ...     "score": [50, 60, 80, 70, 20, 30, 90, 90],
    ... })
    >>> found = agreement(table, min_overlap=4)
    >>> round(found.krippendorff, 3), round(found.pairs[0].pearson, 3)
    (0.946, 0.97)
    """
    judgments = judgments_of(judgments)
    chosen = asked(AgreementSettings, locals())
    level_of_interval = 1.0 - chosen.alpha
    first = judgments.cells(repeats="first")
    kept, notes = first.judgments, first.notes
    cells = rater_cells(first)
    again = kept.n_judgments - cells.score.size
    if again:
        notes = (*notes, f"{count(again, 'repeat')} by the same rater left out of agreement.")
    several = cells.size > 1
    if not several.any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no translation was judged by two raters, so "
            "their agreement cannot be measured. Have some items judged twice."
        )
    left_out_by, cluster = unit_codes(kept, "auto")
    of_cell = cluster[cells.row]
    n_clusters = int(np.unique(of_cell[np.repeat(several, cells.size)]).size)
    notes = (*notes, *_many_categories(cells.score, level))
    whole = alpha_sums(cells.score, cells.translation, level=level)
    value = whole.alpha()
    if math.isnan(value):
        raise DataError(
            "all scores of translations with two raters are the same, so alpha has no value."
        )
    left_out = []
    n_raters = int(np.unique(cells.rater[np.repeat(several, cells.size)]).size)
    if n_clusters < FEWEST:
        notes = (*notes, too_few(n_clusters, left_out_by))
    else:
        sums = alpha_sums(cells.score, cells.translation, level=level, cluster=of_cell)
        left_out.append(sums.without_each())
        if n_raters < 3:
            notes = (*notes, THESE_TWO)
        else:
            left_out.append(
                alpha_without_raters(cells.score, cells.translation, cells.rater, level=level)
            )
    names = kept.column("rater").levels
    pairs, below = pair_correlations(cells, names, chosen.min_overlap)
    settings: dict[str, str | int | float]
    settings = {"level": level, "unit": left_out_by}
    return RaterAgreement(
        level=level,
        krippendorff=value,
        interval=share_interval(value, left_out, level_of_interval),
        pearson=_mean([pair.pearson for pair in pairs], pairs),
        spearman=_mean([pair.spearman for pair in pairs], pairs),
        pairs=pairs,
        n_pairs_below=below,
        min_overlap=chosen.min_overlap,
        n_translations=int(several.sum()),
        n_judgments=int(cells.size[several].sum()),
        n_raters=len(names),
        unit=left_out_by,
        n_clusters=n_clusters,
        alpha=alpha,
        notes=(*judgments.notes, *judgments.weights_not_used(), *notes),
        spans=None if spans is None else span_agreement(kept, spans, alpha=chosen.alpha),
        signature=Signature("rater-agreement", settings),
    )


def _many_categories(scores: FloatArray, level: AgreementLevel) -> tuple[str, ...]:
    different = np.unique(scores).size if level == "nominal" else 0
    if different <= _MANY:
        return ()
    sentence = (
        f"Nominal agreement of {different:,} different scores counts every small difference as "
        "none at all; interval or ordinal is likely meant."
    )
    warnings.warn(sentence, SuspiciousDataWarning, stacklevel=3)
    return (sentence,)


def _mean(values: list[float], pairs: tuple[RaterPair, ...]) -> float:
    known = [(v, p.n_translations) for v, p in zip(values, pairs, strict=True) if v == v]
    weight = sum(n for _, n in known)
    return sum(v * n for v, n in known) / weight if weight else math.nan
