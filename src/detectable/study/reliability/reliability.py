"""How many documents or segments does an evaluation need."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from detectable.core import check
from detectable.core.choices import CurveMethod, DocumentOrder, PowerFit, RaterWeights
from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.options import asked
from detectable.core.result import Signature
from detectable.core.types import Progress, Seed, silent
from detectable.data.directions import keep_direction
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.scores.read_scores import scores_of
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import Metric
from detectable.study.comparison.settings import per_metric
from detectable.study.origins import About, reverse_share, same_seed, without_reverse
from detectable.study.reliability.curves import (
    clustering,
    in_random_order,
    metric_fit,
    random_orders,
    source_curves,
    with_another,
)
from detectable.study.reliability.documents_for import (
    difficult_documents,
    documents_for,
    ranking_stability,
)
from detectable.study.reliability.measures import (
    HUMAN,
    Measure,
    Measured,
    gather,
)
from detectable.study.reliability.result import (
    Curve,
    DocumentsFor,
    MetricFit,
    RankingPoint,
    Reliability,
)
from detectable.study.reverse_share import ReverseShare
from detectable.study.settings import ReliabilitySettings

if TYPE_CHECKING:
    from concurrent.futures import Executor

Table = TypeVar("Table", Scores, Judgments)


def reliability(  # noqa: PLR0913 (the options of one command; they are bundled on the first line)
    data: Corpus | Scores | TableSource | None = None,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    *,
    scores: Scores | Mapping[str, Scores] | None = None,
    judgments: Judgments | Mapping[str, Judgments] | None = None,
    campaign: str | None = None,
    language: str | None = None,
    half_width: float | Mapping[str, float] | None = None,
    effect: float | Mapping[str, float] | None = None,
    method: CurveMethod = "poisson",
    fit: PowerFit = "log",
    epsilon: float = 1e-4,
    close_to: float = 0.005,
    order: DocumentOrder = "given",
    rater_weights: RaterWeights = "equal",
    chart_system: Sequence[str] = (),
    chart_metric: Sequence[str] = (),
    orders: int = 200,
    n_resamples: int = 1_500,
    alpha: float = 0.05,
    power: float = 0.80,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> Reliability:
    """Say what the documents at hand can tell, and how many documents a closer look takes.

    Texts, given scores and human judgments may be given alone or together. All need the document
    of every segment: documents, not segments, are what a larger test set has more of, and segments
    of a document resemble each other.

    The answer to lead with is how many documents an interval of a given width, or a difference of
    two systems, takes. Beside it stand how soon the ranking settles, what clustering costs, which
    documents move metrics apart, and the curves and fits of Estrella et al. (2007).

    Parameters
    ----------
    data : Corpus or Scores, optional
        Outputs and references, or segment scores, as for `compare`.
    metrics : names or Metric objects
        Of `data`. Default: BLEU and chrF for texts; accuracy for 0/1 scores, else the mean.
    scores : Scores, or mapping of name to Scores, optional
        Further segment scores beside `data`.
    judgments : Judgments, or mapping of name to Judgments, optional
        Human scores; several scales (adequacy, fluency) by name. An item that was not judged
        counts in neither sum nor size.
    campaign, language : str, optional
        Which judgments, where there are several evaluations.
    half_width, effect : float or mapping of measure to float, optional
        Targets in points of the measure: half the width of a system's interval, and a difference
        of two systems. By default 2 % of the score.
    method : {'poisson', 'exact', 'delta'}
        How the curves are made: running totals with Poisson weights, multinomial samples, or in
        closed form without a draw.
    fit : {'log', 'nls'}
        Of the power law: a line through logarithms, or nonlinear least squares.
    epsilon : float
        Of `x_max`: the fall of the relative standard deviation, a fraction, per document.
    close_to : float
        A score has settled where its relative standard deviation stays within this of that of all
        documents, a fraction.
    order : {'given', 'random'}
        Of the documents in the curves and what is read off them; random: two orders, drawn by `rng`.
    rater_weights : {'equal', 'agreement'}
        Of three or more judgments of an output: all count alike, or those far from the others
        count less (Huber's weights).
    chart_system, chart_metric : sequence of str
        Of the figures of Estrella et al.: by default five systems from best to worst, and the first
        measure.
    orders : int
        Random orders of the documents, at least 100.
    n_resamples : int
        Bootstrap samples for each number of documents.
    alpha, power : float
        Intervals are at 1 − `alpha`; differences are found by two-sided tests at `alpha` with
        this power.
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.
    n_jobs, executor
        Processes, or any ``concurrent.futures`` executor; the answer is the same.
    progress : callable
        Told how far the work is.

    References
    ----------
    Estrella, Hamon and Popescu-Belis (2007), "How much data is needed for reliable MT evaluation?
    Using bootstrapping to study human and automatic metrics", MT Summit XI.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> documents = [f"d{i // 5}" for i in range(100)]
    >>> shared = np.repeat(rng.normal(0, 10, 20), 5) + rng.normal(0, 5, 100)
    >>> table = {"A": 50 + shared, "B": 52 + shared + rng.normal(0, 5, 100)}
    >>> found = reliability(Scores.build(table, documents=documents), effect=2.0, rng=1)
    >>> found.needed("mean", "effect").documents
    11
    """
    if data is not None and not isinstance(data, Corpus):
        data = scores_of(data, "`data` must be scores, texts")
    given = {**locals(), "rng": None}
    settings = asked(ReliabilitySettings, given)
    measured = gather(
        data,
        metrics,
        _named(scores, _name_of(scores)),
        _named(judgments, HUMAN),
        campaign=campaign,
        language=language,
        rater_weights=rater_weights,
        progress=progress,
    )
    names = tuple(one.name for one in measured.measures)
    half_widths = per_metric(half_width, names, "half_width")
    effects = per_metric(effect, names, "effect")
    _need_pairs(measured, effects)
    systems = tuple(dict.fromkeys(name for one in measured.measures for name in one.systems))
    for name in chart_system:
        check.one_of(name, systems, "chart_system")
    for name in chart_metric:
        check.one_of(name, names, "chart_metric")
    engine = Engine.start(rng, n_jobs=n_jobs, executor=executor, progress=progress)
    curves: dict[str, list[Curve]] = {name: [] for name in names}
    fits: dict[str, MetricFit] = {}
    tau: dict[str, tuple[RankingPoint, ...]] = {}
    rows: dict[str, list[DocumentsFor]] = {}
    generators = _generators(engine.rng, len(measured.sources))
    two = _two_orders(measured, engine.rng) if order == "random" else None
    for source, (for_curves, for_orders) in zip(measured.sources, generators, strict=True):
        measures = measured.of(source)
        ordered = random_orders(source, orders, engine, for_orders)
        if two is None:
            found = source_curves(source, measures, ordered, settings, engine, for_curves)
        else:
            drawn = []
            for documents in two:
                moved = in_random_order(source, documents)
                there = tuple(replace(one, documents=moved) for one in measures)
                drawn.append(source_curves(moved, there, ordered, settings, engine, for_curves))
            found = with_another(*drawn)
        for one in measures:
            own = [curve for curve in found if curve.metric == one.name]
            curves[one.name] = own
            fits[one.name] = metric_fit(one, own, ordered, settings)
            tau[one.name] = ranking_stability(one, ordered, alpha=alpha)
            rows[one.name] = documents_for(one, tau[one.name], half_widths, effects, settings)
    clusters = tuple(clustering(one, level=settings.level) for one in measured.measures)
    found_in_all = Reliability(
        metrics=tuple(_about(one) for one in measured.measures),
        documents_for=tuple(row for name in names for row in rows[name]),
        icc={row.metric: row.icc for row in clusters},
        design_effect={row.metric: row.design_effect for row in clusters},
        clustering=clusters,
        tau={name: tau[name] for name in names if tau[name]},
        difficult=difficult_documents(measured.measures),
        fits=tuple(fits[name] for name in names),
        curves=tuple(curve for name in names for curve in curves[name]),
        method=method,
        fit=fit,
        epsilon=epsilon,
        orders=orders,
        n_resamples=None if method == "delta" else n_resamples,
        alpha=alpha,
        power=power,
        notes=measured.notes,
        order=order,
        close_to=close_to,
        words_per_segment=words_per_segment(data) if isinstance(data, Corpus) else None,
        chart_systems=tuple(chart_system),
        chart_metrics=tuple(chart_metric) or names[:1],
        signature=_signature(measured, settings, engine.seed),
    )
    return replace(found_in_all, reverse=_without_reverse(given, found_in_all))


def _without_reverse(given: Mapping[str, Any], found: Reliability) -> ReverseShare | None:
    """Ask again of what was first written in the source language, where all tables say it."""
    which = {"campaign": given["campaign"], "language": given["language"]}
    judged = {
        name: one_evaluation(table, **which)
        for name, table in _named(given["judgments"], HUMAN).items()
    }
    tables = [*_named(given["scores"], "scores").values(), *judged.values()]
    given_all = [table for table in (given["data"], *tables) if table is not None]
    if any(reverse_share(table) is None for table in given_all):
        return None

    def forward(named: Any) -> Any:
        if isinstance(named, Mapping):
            return {name: keep_direction(table) for name, table in named.items()}
        return None if named is None else keep_direction(named)

    def numbers(result: Reliability) -> dict[About, float]:
        return {(result.label(row.metric), row.target): row.now for row in result.documents_for}

    def again(_: Any) -> tuple[dict[About, str], dict[About, float]]:
        cut = {name: forward(given[name]) for name in ("data", "scores")}
        cut["judgments"] = forward(judged) or None
        fixed = {"rng": same_seed(found.signature.seed), "progress": silent}
        return {}, numbers(reliability(**{**given, **cut, **fixed}))

    return without_reverse(given_all[0], numbers=numbers(found), again=again)


def _named(given: Table | Mapping[str, Table] | None, name: str) -> dict[str, Table]:
    if given is None:
        return {}
    return dict(given) if isinstance(given, Mapping) else {name: given}


def _name_of(scores: Scores | Mapping[str, Scores] | None) -> str:
    return (isinstance(scores, Scores) and scores.metric) or "scores"


def _need_pairs(measured: Measured, effects: Mapping[str, float]) -> None:
    for one in measured.measures:
        if one.name in effects and len(one.systems) < 2:
            raise InputError(
                f"`effect` is a difference of two systems, and {one.label} is of "
                f"{one.systems[0]} alone. Give another system, or `half_width`."
            )


def _generators(
    rng: np.random.Generator, n: int
) -> list[tuple[np.random.Generator, np.random.Generator]]:
    """Return generators for curves and orders of each source."""
    children = rng.spawn(2 * n)
    return list(zip(children[::2], children[1::2], strict=True))


def _two_orders(measured: Measured, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Return two random orders of the documents, the same for all measures."""
    names = list(
        dict.fromkeys(name for one in measured.measures for name in one.documents.names)
    )
    (own,) = rng.spawn(1)
    first, second = ([names[i] for i in own.permutation(len(names))] for _ in range(2))
    return first, second


_LONGEST = 12  # letters of a word on average: beyond, words are not separated by spaces


def words_per_segment(corpus: Corpus) -> float | None:
    """Return the mean number of words in the first reference; None without spaces between words."""
    lines = [line.split() for line in corpus.references[0] if line]
    n_words = sum(map(len, lines))
    letters = sum(len(word) for line in lines for word in line)
    if not n_words or letters > _LONGEST * n_words:
        return None
    return n_words / len(lines)


def _about(one: Measure) -> dict[str, object]:
    return {
        "metric": one.name,
        "label": one.label,
        "higher_is_better": one.higher_is_better,
        "digits": one.digits,
        "signature": one.signature,
        "relative": one.relative,
        "systems": one.systems,
        "n_documents": one.documents.n_documents,
        "n_segments": one.documents.n_segments,
    }


def _signature(measured: Measured, settings: ReliabilitySettings, seed: str) -> Signature:
    resampled: dict[str, str | int | float] = {}
    if settings.method != "delta":
        resampled = {"R": settings.n_resamples}
    return Signature(
        "reliability",
        {
            "metrics": "+".join(f"{one.name}[{one.signature}]" for one in measured.measures),
            "documents": "+".join(
                dict.fromkeys(str(one.documents.n_documents) for one in measured.measures)
            ),
            "method": settings.method,
            **resampled,
            "orders": settings.orders,
            **({"order": "random"} if settings.order == "random" else {}),
            **({"raters": "agreement"} if settings.rater_weights == "agreement" else {}),
            "fit": settings.fit,
            "epsilon": settings.epsilon,
            "alpha": settings.alpha,
            "power": settings.power,
        },
        seed,
    )
