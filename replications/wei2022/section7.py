"""Section 7: what interim tests save, and what our default saves on the same comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from detectable.core.types import Progress, silent
from detectable.kernels.pairing import moments, rank_sum_z
from detectable.sequential.design import design
from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.archive.procedure_savings import ProcedureSavings, Saving
from detectable.study.archive.procedures import Procedure, simulate_procedures
from replications.listed import Number
from replications.wei2022.archive import CRITICAL, load, paired, without_noise

STEP = 50
LOOKS = 24
# Dense where paired tests reach the power of the fixed Mann-Whitney test.
BUDGETS = (*range(150, 1200, 150), *range(1200, 5401, 300))
SHOWN = (600, 1200, 3600, 5400)
NULL_BUDGETS = (600, 1200, 3600)
SEED = 2022

FIXED, INTERIM, FUTILITY = (
    Procedure.fixed(),
    Procedure.interim(),
    Procedure.interim(futility=True),
)
HSD = Procedure.from_design(design("hsd", looks=LOOKS, futility="none"), name="hsd")
DEFAULT = Procedure.from_design(design("hsd", looks=LOOKS), name="hsd, futility")
ALL = (FIXED, INTERIM, FUTILITY, HSD, DEFAULT, Procedure.uncorrected())


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to simulate, and who hears of it. The answer does not depend on processes."""

    n_repeats: int
    n_jobs: int = 1
    progress: Progress = silent


def numbers(folder: Path, *, n_repeats: int, progress: Progress = silent) -> dict[str, Number]:
    """Return every number of the section, ours beside the paper's."""
    return simulated(folder, Effort(n_repeats, progress=progress))


def simulated(folder: Path, effort: Effort) -> dict[str, Number]:
    """Simulate the procedures on ranks and paired, as observed and with shrunk differences."""
    data = load(folder)
    scores, differences = data.scores(), paired(folder, data)
    found = _shares(scores, differences) | _pocock()
    factors = without_noise(differences)
    ranks = _simulate(scores, BUDGETS, effort)
    for prefix, rank, pairs in (
        ("", scores, differences),
        ("shrunk ", scores.shrunk(factors), differences.shrunk(factors)),
    ):
        theirs = _simulate(rank, BUDGETS, effort) if prefix else ranks
        ours = _simulate(pairs, BUDGETS, effort)
        shown = ("fixed",) if prefix else theirs.procedures
        found |= _powers(f"{prefix}rank", theirs, shown) | _powers(
            f"{prefix}paired", ours, shown
        )
        found |= _savings(f"{prefix}rank", theirs) | _against(f"{prefix}paired", ours, theirs)
        if not prefix:
            found |= _by_size(theirs)
    for kind, archive in (("rank", scores), ("paired", differences)):
        found |= _false_alarms(kind, archive, effort)
    return found


def _pocock() -> dict[str, Number]:
    """Return the level of each of three looks, which the paper takes from a table."""
    level = design("pocock", looks=3, futility="none").nominal_p[0]
    return {"section 7.2, Pocock's level for three looks": Number(level)}


def _shares(scores: ComparisonArchive, differences: ComparisonArchive) -> dict[str, Number]:
    """Return how many of the real comparisons are significant, to hold the powers against."""
    mean, variance = moments(differences.first, differences.values)
    n = differences.first.sum(axis=1)
    limit = stdtrit(n - 1.0, 0.975) * np.sqrt(variance / n)
    z = rank_sum_z(scores.first, np.asarray(scores.second))
    return {
        "section 7, rank, significant in fact": Number(float((np.abs(z) > CRITICAL).mean())),
        "section 7, paired, significant in fact": Number(float((np.abs(mean) > limit).mean())),
    }


def _simulate(
    archive: ComparisonArchive, budgets: Sequence[int], effort: Effort
) -> ProcedureSavings:
    return simulate_procedures(
        archive,
        ALL,
        budgets,
        n_repeats=effort.n_repeats,
        step=STEP,
        rng=SEED,
        n_jobs=effort.n_jobs,
        progress=effort.progress,
    )


def _powers(
    kind: str, result: ProcedureSavings, procedures: Sequence[str]
) -> dict[str, Number]:
    found = {}
    for procedure in procedures:
        for budget in SHOWN:
            row = result.row(procedure, budget)
            name = f"section 7, {kind}, {procedure}, {budget}"
            found[f"{name}, power"] = Number(row.power, row.power_error)
            if procedure != "fixed":
                found[f"{name}, spent"] = Number(row.judgments, row.judgments_error)
    return found


def _savings(
    kind: str, result: ProcedureSavings, *, budgets: Sequence[int] = (1200, 3600)
) -> dict[str, Number]:
    found: dict[str, Number] = {}
    for budget in budgets:
        for procedure in result.procedures:
            if procedure not in result.unfair() and procedure != result.reference:
                name = f"section 7, {kind}, {procedure}, {budget}"
                found |= _saving(name, result.saving(procedure, budget))
    return found


def _saving(name: str, saving: Saving) -> dict[str, Number]:
    return {
        f"{name}, needs": Number(saving.judgments, saving.judgments_error or 0.0),
        f"{name}, saving": Number(saving.saving, saving.saving_error or 0.0),
    }


def _against(kind: str, ours: ProcedureSavings, theirs: ProcedureSavings) -> dict[str, Number]:
    """Return what paired tests need for the power of the fixed Mann-Whitney test."""
    found: dict[str, Number] = {}
    for budget in (1200, 3600):
        target = theirs.row("fixed", budget)
        for procedure in ours.procedures:
            if procedure not in ours.unfair():
                name = f"section 7, {kind}, {procedure}, {budget}"
                found |= _saving(name, ours.needed(procedure, target))
    return found


def _by_size(result: ProcedureSavings) -> dict[str, Number]:
    found: dict[str, Number] = {}
    parts = {
        "3 points or more": result.subset(at_least=3.0),
        "below 3": result.subset(below=3.0),
    }
    for size, part in parts.items():
        row = part.row("fixed", 1200)
        found |= _savings(f"rank, {size}", part, budgets=(1200,))
        found[f"section 7, rank, {size}, fixed, 1200, power"] = Number(
            row.power, row.power_error
        )
        found[f"section 7, rank, {size}, comparisons"] = Number(part.n_comparisons)
    return found


def _false_alarms(kind: str, archive: ComparisonArchive, effort: Effort) -> dict[str, Number]:
    """Return error rates where the systems do not differ.

    Every fifth comparison stands for all; its first system is compared with itself, or the
    systems are swapped at random within pairs.
    """
    chosen = np.arange(0, len(archive), 5)
    part = ComparisonArchive(
        values=archive.values,
        first=archive.first[chosen],
        second=None if archive.second is None else archive.second[chosen],
    )
    twice = replace(effort, n_repeats=2 * effort.n_repeats)
    result = _simulate(part.null(), NULL_BUDGETS, twice)
    return {
        f"section 7, {kind}, {row.procedure}, {row.budget}, false alarms": Number(
            row.power, row.power_error
        )
        for row in result.rows
    } | {
        f"section 7, {kind}, {row.procedure}, {row.budget}, spent on nothing": Number(
            row.judgments, row.judgments_error
        )
        for row in result.rows
        if row.budget == 1200 and row.procedure != "fixed"
    }
