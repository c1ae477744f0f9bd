"""Figures 2, 3, 5 and 6 of Wei, Kocmi and Federmann (2022), from ShipData."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from detectable.data.human.score_histograms import read_score_histograms
from detectable.kernels.distributions import normal_quantile
from detectable.kernels.pairing import moments
from detectable.planning.rating_model import GammaScores, superiority
from detectable.study.archive.procedure_savings import ProcedureSavings
from detectable.study.audit.archive_audit import ArchiveAudit
from replications.drawing import Axis, Panel, Series
from replications.page import Drawing
from replications.wei2022.archive import CRITICAL, SCORES
from replications.wei2022.table1 import LANGUAGES

DIFFERENCES = tuple(1.0 + 0.25 * i for i in range(13))
BUDGET = 1200  # judgments of a comparison, as the paper has them
POWER = 0.95  # of Figure 3
THRESHOLD = 3.0  # points; the paper names none
SHOWN = {"fixed": "fixed", "interim": "interim", "interim-futility": "with futility"}


def drawings(folder: Path, audit: ArchiveAudit, found: ProcedureSavings) -> Iterator[Drawing]:
    """Yield the figures; `found` are the simulated procedures on ranks."""
    yield observed(audit)
    yield needed(folder)
    yield spent(found)
    yield power(found)


def observed(audit: ArchiveAudit) -> Drawing:
    """Draw Figure 2: all comparisons of ten language pairs by their difference."""
    seen, languages = audit.past.tested, np.array(audit.past.labels["language"])
    groups = {group.group: group for group in audit.groups}
    dots: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    ticks: list[Series] = []
    notes = []
    for row, name in enumerate(reversed(LANGUAGES), start=1):
        chosen = languages == name
        for difference, p in zip(
            np.abs(seen.difference[chosen]), seen.p_value[chosen], strict=True
        ):
            found = bool(p < audit.alpha)
            dots[found].append((float(difference), row + (0.16 if found else -0.16)))
        mde = groups[name].observed_mde
        if mde is not None:
            line = ((mde, row - 0.38), (mde, row + 0.38))
            ticks.append(Series(f"{name}, observed MDE", line, 4, quiet=True))
            notes.append((mde, row + 0.42, f"{mde:.1f} on {groups[name].above}"))
    most = max(difference for own in dots.values() for difference, _ in own)
    few = sum(groups[name].above <= 3 for name in LANGUAGES)
    title = (
        f"{len(dots[True]):,} of {len(dots[True]) + len(dots[False]):,} comparisons are significant; the "
        f"observed detectable difference rests on three comparisons or fewer in {few} of ten "
        "language pairs"
    )
    x = Axis(
        "difference of mean scores (square-root scale)",
        (0.0, most * 1.02),
        (0, 0.5, 1, 2, 4, 8, 16),
        "~g",
        "sqrt",
    )
    ends = tuple(range(1, len(LANGUAGES) + 1))
    y = Axis("", (0.4, len(LANGUAGES) + 0.75), ends, labels=tuple(reversed(LANGUAGES)))
    series = (
        Series("significant", tuple(dots[True]), 0, dots=True, size=18),
        Series("not significant", tuple(dots[False]), 1, dots=True, hollow=True, size=18),
        *ticks,
    )
    return Drawing(
        number="2",
        title=title,
        showed="The paper's Figure 2 has a point for each comparison of ENU → FRA, and the line of its observed detectable difference (Table 1).",
        data="Here all comparisons of ShipData in these pairs: filled above, significant (Mann-Whitney); rings below, not. Line: the smallest difference above which 95 % are significant, and on how many comparisons it rests.",
        told=f"{title}.",
        panels=(Panel("", x, y, series, notes=tuple(notes)),),
        height=470,
        names=("verdict", "difference", "row"),
    )


def score_moments(folder: Path) -> dict[str, tuple[float, float]]:
    """Return mean and standard deviation of scores per language pair, averaged over systems."""
    stored = read_score_histograms(folder / "shipdata_hist.npz")
    mean, variance = moments(stored.counts, SCORES)
    languages = np.array([] if stored.language is None else stored.language.labels())
    return {
        name: (
            float(mean[languages == name].mean()),
            float(np.sqrt(variance[languages == name].mean())),
        )
        for name in LANGUAGES
    }


def judgments(mean: float, sd: float, difference: float) -> float:
    r"""Return the judgments, of both systems together, that the Gamma model asks for.

    :math:`N = (z_{1-α/2} + z_{.95})^2 / (3 (p - ½)^2)` with the chance :math:`p` that a judgment of
    the better system is above one of the worse [1]_.

    References
    ----------
    .. [1] Noether (1987), "Sample size determination for some common nonparametric tests",
       Journal of the American Statistical Association 82(398), 645–647.
    """
    better = GammaScores.of(mean, sd)
    p = superiority(better, better.lowered(difference, "same-variance"))
    return float((CRITICAL + normal_quantile(POWER)) ** 2 / (3.0 * (p - 0.5) ** 2))


def needed(folder: Path) -> Drawing:
    """Draw Figure 3: judgments by the difference to be found, from the Gamma model."""
    series = tuple(
        Series(name, tuple((d, judgments(mean, sd, d)) for d in DIFFERENCES), look)
        for look, (name, (mean, sd)) in enumerate(score_moments(folder).items())
    )
    first = {one.name: one.points[0][1] for one in series}
    enough = sum(n <= BUDGET for n in first.values())
    title = (
        f"One point with 95 % power takes {min(first.values()):,.0f} to {max(first.values()):,.0f} "
        f"judgments; {BUDGET:,} suffice for {enough or 'none'} of ten language pairs"
    )
    x = Axis("difference of mean scores to be found", (1.0, 4.0), (1, 1.5, 2, 2.5, 3, 3.5, 4))
    y = Axis(
        "judgments of both systems (logarithmic)",
        (100, 20_000),
        (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000),
        ",d",
        "log",
    )
    return Drawing(
        number="3",
        title=title,
        showed="The paper's Figure 3 is the number of judgments that a simulation with Gamma-distributed scores asks for, by language pair; its values are not in the text.",
        data="Here the same model by Noether's formula, with mean and variance of ShipData's scores. The second system is taken to have the same variance: the paper does not say, and the rule decides the answer. Dotted: 1,200.",
        told=f"{title}.",
        panels=(Panel("", x, y, series, ((BUDGET, ""),)),),
        height=360,
        names=("language pair", "difference", "judgments"),
    )


def _rows(found: ProcedureSavings, procedure: str) -> list[tuple[float, float, float]]:
    """Return budget, judgments spent and power."""
    return [
        (float(row.budget), row.judgments, row.power)
        for row in found.rows
        if row.procedure == procedure
    ]


def spent(found: ProcedureSavings) -> Drawing:
    """Draw Figure 5: judgments spent by judgments planned."""
    series = tuple(
        Series(label, tuple((planned, used) for planned, used, _ in _rows(found, name)), look)
        for look, (name, label) in enumerate(SHOWN.items())
    )
    at = [found.row(name, BUDGET).judgments for name in ("interim", "interim-futility")]
    title = (
        f"Of {BUDGET:,} planned judgments three looks spend {at[0]:,.0f} on average, with futility "
        f"{at[1]:,.0f}"
    )
    x = Axis("judgments planned", (0, 5400), (0, 1200, 2400, 3600, 4800), ",d")
    y = Axis("judgments spent on average", (0, 5400), (0, 1200, 2400, 3600, 4800), ",d")
    return Drawing(
        number="5",
        title=title,
        showed="The paper's Figure 5 is about the judgments that interim tests spend of those planned.",
        data=f"Here ShipData, {found.n_comparisons:,} comparisons, {found.n_repeats:,} repetitions of each, Mann-Whitney.",
        told=f"{title}.",
        panels=(Panel("", x, y, series),),
        height=300,
        names=("procedure", "planned", "spent"),
    )


def power(found: ProcedureSavings) -> Drawing:
    """Draw Figure 6: power by judgments spent, for all comparisons, large and small differences."""
    parts = {
        f"All {found.n_comparisons:,} comparisons": found,
        f"{THRESHOLD:g} points or more": found.subset(at_least=THRESHOLD),
        f"Below {THRESHOLD:g} points": found.subset(below=THRESHOLD),
    }
    x = Axis("judgments spent on average", (0, 3600), (0, 1200, 2400, 3600), ",d")
    y = Axis("power", (0.0, 1.0), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), "share")
    panels = tuple(
        Panel(
            title,
            x,
            y,
            tuple(
                Series(
                    label,
                    tuple((used, p) for _, used, p in _rows(part, name) if used <= x.domain[1]),
                    look,
                )
                for look, (name, label) in enumerate(SHOWN.items())
            ),
        )
        for title, part in parts.items()
    )
    saved = {
        title: [part.saving(name, BUDGET).saving or 0.0 for name in list(SHOWN)[1:]]
        for title, part in parts.items()
    }
    every, large, small = saved.values()
    title = (
        f"At the power of {BUDGET:,} judgments futility saves {100 * every[1]:.0f} %; plain interim "
        f"tests save {100 * large[0]:.0f} % where differences are large and "
        f"{'save' if small[0] > 0 else 'cost'} {100 * abs(small[0]):.0f} % where they are small"
    )
    return Drawing(
        number="6",
        title=title,
        showed="The paper's Figure 6 is power by judgments spent for all, large and small differences; its text and its caption swap the last two, and name no threshold.",
        data=f"Here ShipData, {found.n_repeats:,} repetitions, Mann-Whitney; higher at the same number of judgments is better.",
        told=f"{title}.",
        panels=panels,
        columns=3,
        once=True,
        names=("procedure", "spent", "power"),
    )
