"""False alarms of mixed models where documents may favour one of two equal systems.

As in the table of the page on small samples: documents of six segments, both systems on each, a
residual of SD .7, and a difference between the systems that varies by document.
"""

from dataclasses import dataclass, replace

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.factor import Factor, cross, factor
from detectable.mixed.design import DOCUMENT_BY_SYSTEM, Design, contrast_coding
from detectable.mixed.model import Model, prepare, solve
from tests.calibration.effort import ALPHA, Effort, Rates
from tests.mixed.tables import design

SEGMENTS = 6
RATERS = 8  # of whom each segment has two
RESIDUAL, ITEM, DOCUMENT, RATER = 0.7, 0.5, 1.0, 0.4  # SDs
SLOPES = (0.6, 0.3, 0.0)  # SDs over documents of the difference between the systems
DOCUMENTS = (3, 5, 10, 20)
_BATCH = 500  # data sets at once

COLUMNS = (
    "without document:system",
    "with it",
    "t over documents",
    "two raters each: without",
    "two raters each: with it",
)


@dataclass(frozen=True, slots=True)
class _Models:
    """The models of one row: one rating per cell, and two of several raters."""

    slope: float
    plain: tuple[Model, Model]  # without and with document:system
    rated: tuple[Model, Model]


def row_of(slope: float, documents: int) -> str:
    return f"slope SD {slope:g}, {documents} documents"


def false_alarms(
    effort: Effort,
    *,
    slopes: tuple[float, ...] = SLOPES,
    documents: tuple[int, ...] = DOCUMENTS,
) -> Rates:
    """Two equal systems: how often each model finds a difference."""
    rows, shares = [], []
    for slope in slopes:
        for n in documents:
            models = _Models(slope, one_rating_models(n), _pair(_two_raters(n)))
            rows.append(row_of(slope, n))
            shares.append(effort.repeat(_alarms, models, rows[-1]).mean(axis=0))
    title = "Mixed models of two equal systems that documents may favour (six segments each)"
    return Rates(title, tuple(rows), COLUMNS, np.array(shares), effort.trials)


def by_mean_squares(
    effort: Effort,
    *,
    slopes: tuple[float, ...] = SLOPES,
    documents: tuple[int, ...] = DOCUMENTS,
) -> Rates:
    """As the first three columns of `false_alarms`, from mean squares: fast, for many data sets."""
    rows, shares = [], []
    for slope in slopes:
        for n in documents:
            rows.append(row_of(slope, n))
            model = one_rating_models(n)
            rng = np.random.default_rng([effort.seed, *rows[-1].encode()])
            found = np.zeros(3)
            for _ in range(effort.trials // _BATCH):
                y = np.stack([draw(model[1].design, slope, rng) for _ in range(_BATCH)])
                found += (mean_square_p(y, n, model) <= ALPHA).sum(axis=0)
            shares.append(found / (effort.trials // _BATCH * _BATCH))
    title = "Mixed models of two equal systems that documents may favour (one rating each)"
    return Rates(title, tuple(rows), COLUMNS[:3], np.array(shares), effort.trials)


def mean_square_p(y: FloatArray, documents: int, models: tuple[Model, Model]) -> FloatArray:
    r"""Return p-values without document:system, with it, and of a t test over documents.

    Differences and sums of a segment are independent, and so are their deviations within and
    between documents: four strata. With `e` the residual variance, `c` that of
    document:system and `S` segments, the mean squares of differences are `e` within and
    :math:`e + Sc` between documents, that of sums within them is :math:`e + 2b`. Restricted
    likelihood takes them as they are, and pools those below `e` with it, smallest first. Where
    the spread of documents would be below zero, the model itself is fitted.
    """
    from scipy.special import stdtr

    table = y.reshape(len(y), documents, SEGMENTS, 2)
    u = (table[..., 1] - table[..., 0]) / np.sqrt(2.0)
    v = (table[..., 1] + table[..., 0]) / np.sqrt(2.0)
    inner, outer = documents * (SEGMENTS - 1.0), documents - 1.0
    (within, between), (sums, far) = _squares(u), _squares(v)
    mean = u.mean(axis=(1, 2)) * np.sqrt(documents * SEGMENTS)
    p = np.empty((len(y), 3))
    p[:, 2] = 2.0 * stdtr(outer, -np.abs(mean) / np.sqrt(between / outer))
    for column, own in enumerate((False, True)):
        # Squares and degrees of freedom of the residual; without a term of their own the
        # differences between documents are part of it, as if they had been pooled.
        squared = within if own else within + between
        df = np.full(len(y), inner if own else inner + outer)
        effect = between / outer if own else np.full(len(y), np.inf)
        items = sums / inner
        for _ in range(2):  # what was pooled is infinite, and stays out
            low_items = (items <= effect) & (items < squared / df)
            low_effect = (effect < items) & (effect < squared / df)
            squared = squared + low_items * sums + low_effect * between
            df = df + low_items * inner + low_effect * outer
            items = np.where(low_items, np.inf, items)
            effect = np.where(low_effect, np.inf, effect)
        e, free = squared / df, np.isfinite(effect)
        spread = np.where(free, effect, e)
        t = np.abs(mean) / np.sqrt(spread)
        p[:, column] = 2.0 * stdtr(np.where(free, outer, df), -t)
        least = np.where(np.isfinite(items), items, e) + spread - e
        for row in np.flatnonzero(far / outer < least):
            p[row, column] = p_value(models[column], y[row])
    return p


def _squares(half: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of squares within and between documents."""
    means = half.mean(axis=2, keepdims=True)
    within = ((half - means) ** 2).sum(axis=(1, 2))
    between = SEGMENTS * ((means - half.mean(axis=(1, 2), keepdims=True)) ** 2).sum(axis=(1, 2))
    return within, between


def _alarms(models: _Models, rng: np.random.Generator) -> FloatArray:
    from scipy.special import stdtr

    once = draw(models.plain[1].design, models.slope, rng)
    rated = draw(models.rated[1].design, models.slope, rng)
    made = models.plain[1].design
    signed = np.where(made.system == 1, once, -once)
    d = np.bincount(made.factors["document"].codes, signed)  # all documents are of one size
    t = abs(d.mean()) / (d.std(ddof=1) / np.sqrt(d.size))
    found = [
        *(p_value(model, once) for model in models.plain),
        2.0 * float(stdtr(d.size - 1, -t)),
        *(p_value(model, rated) for model in models.rated),
    ]
    return (np.array(found) <= ALPHA).astype(np.float64)


def p_value(model: Model, y: FloatArray) -> float:
    from scipy.special import stdtr

    found = solve(model, y, reml=True)
    contrast = np.array([0.0, 1.0])
    t = abs(found.coefficients[1]) / np.sqrt(found.covariance[1, 1])
    return 2.0 * float(stdtr(found.satterthwaite(contrast), -t))


def draw(made: Design, slope: float, rng: np.random.Generator) -> FloatArray:
    """Return ratings of two equal systems whose difference varies by `slope` over documents."""
    document = made.factors["document"].codes
    y: FloatArray = rng.normal(0.0, RESIDUAL, made.n)
    for role, sd in (("item", ITEM), ("document", DOCUMENT), ("rater", RATER)):
        if role in made.factors:
            y += rng.normal(0.0, sd, made.groups[role])[made.factors[role].codes]
    y += (made.system - 0.5) * rng.normal(0.0, slope, made.groups["document"])[document]
    return y


def one_rating_models(documents: int) -> tuple[Model, Model]:
    """Return the models of one rating per segment and system, without and with the term."""
    return _pair(_one_rating(documents))


def _pair(made: Design) -> tuple[Model, Model]:
    others = {role: f for role, f in made.factors.items() if role != DOCUMENT_BY_SYSTEM}
    without = replace(made, factors=others)
    return prepare(without, np.zeros(made.n)), prepare(made, np.zeros(made.n))


def _one_rating(documents: int) -> Design:
    """Return a design without raters, as on the page; the library itself asks for raters."""
    item, system = (a.ravel() for a in np.indices((documents * SEGMENTS, 2)))
    of_document = factor("document", item // SEGMENTS)
    by_system = Factor(name="system", levels=("0", "1"), codes=system)
    return Design(
        systems=("0", "1"),
        coding=contrast_coding(2),
        numeric=False,
        system=system,
        factors={
            "item": factor("item", item),
            "document": of_document,
            DOCUMENT_BY_SYSTEM: cross(DOCUMENT_BY_SYSTEM, of_document, by_system),
        },
        slopes=(),
    )


def _two_raters(documents: int) -> Design:
    """Return the design that the library makes of two ratings of every segment and system."""
    item, system, nth = (a.ravel() for a in np.indices((documents * SEGMENTS, 2, 2)))
    ratings = {
        "score": np.arange(item.size, dtype=float).tolist(),
        "system": system.tolist(),
        "rater": ((item + nth * (1 + item % 3)) % RATERS).tolist(),
        "item": item.tolist(),
        "document": (item // SEGMENTS).tolist(),
    }
    made, _ = design(ratings)
    return made
