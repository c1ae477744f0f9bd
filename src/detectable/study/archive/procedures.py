"""Stopping procedures, and an archive of comparisons replayed under them."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from detectable.core import check
from detectable.core.choices import Stopping
from detectable.core.errors import InputError
from detectable.core.execute import run_blocks
from detectable.core.result import Signature
from detectable.core.rng import Block, blocks, resolve
from detectable.core.types import FloatArray, IntArray, Progress, Seed, silent
from detectable.kernels import paths
from detectable.kernels.paths import Plans, Wanted
from detectable.kernels.resample import seed_words
from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.archive.procedure_savings import ProcedureSavings, Tallies, evaluate

if TYPE_CHECKING:
    from concurrent.futures import Executor

PAPER_NOMINAL_P = 0.0221  # wei2022: Pocock (1977), three looks, two-sided .05; exactly .022052
PAPER_FUTILITY_P = 0.5
PAPER_ALPHA = 0.05


class LooksAndBounds(Protocol):
    """What `Procedure.from_design` reads: any design with looks, bounds and futility bounds."""

    @property
    def information(self) -> Sequence[float]:
        """Shares of the budget at which to look; the last is 1."""

    @property
    def z(self) -> Sequence[float | None]:
        """Bounds of the size of z at which to stop and reject."""

    @property
    def futility(self) -> Sequence[float | None] | None:
        """Bounds of the size of z below which to stop without a result."""


@dataclass(frozen=True, slots=True)
class Procedure:
    r"""A two-sided test that may stop early.

    After each share :math:`t_k` of the budget it looks at the statistic and stops with a finding
    if :math:`|z_k| \ge u_k`, without one if :math:`|z_k| < a_k`, and at the last look anyway.

    Parameters
    ----------
    name : str
        How results call it.
    information : tuple of float
        Shares of the budget, ascending; the last is 1.
    z : tuple of float
        The bounds :math:`u_k`; infinite where a look cannot reject.
    futility : tuple of float
        The bounds :math:`a_k`; 0 where a look does not give up. Empty means none at all.

    Examples
    --------
    >>> Procedure("O'Brien-Fleming", (1 / 3, 2 / 3, 1), (3.4711, 2.4544, 2.0040)).futility
    (0.0, 0.0, 0.0)
    >>> [round(z, 4) for z in Procedure.interim(futility=True).z]
    [2.2886, 2.2886, 2.2886]
    """

    name: str
    information: tuple[float, ...]
    z: tuple[float, ...]
    futility: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        looks = len(self.information)
        if not self.futility:
            object.__setattr__(self, "futility", (0.0,) * looks)
        if not looks or not (len(self.z) == len(self.futility) == looks):
            raise InputError(
                "`information`, `z` and `futility` must have one entry per look; got "
                f"{looks}, {len(self.z)} and {len(self.futility)}."
            )
        shares = (0.0, *self.information)
        rising = all(a < b for a, b in itertools.pairwise(shares))
        if not rising or not math.isclose(self.information[-1], 1.0):
            raise InputError(
                "`information` must ascend from above 0 to 1, the whole budget; "
                f"got {self.information}."
            )
        if not all(bound > 0.0 for bound in self.z):
            raise InputError(f"`z` must hold bounds above 0; got {self.z}.")
        if not all(bound >= 0.0 for bound in self.futility):
            raise InputError(f"`futility` must hold bounds ≥ 0; got {self.futility}.")

    @property
    def looks(self) -> int:
        """How often it looks, the last time included."""
        return len(self.information)

    def type_one_error(self) -> float:
        """Return the chance to find a difference where there is none.

        By integration over normal statistics with the looks as planned. Futility is left out: it
        is not binding, so that nobody errs more often who goes on all the same.

        Examples
        --------
        >>> round(Procedure.uncorrected(3).type_one_error(), 4)
        0.1073
        """
        from detectable.sequential.boundaries import symmetric_stops, type_one_error

        return type_one_error(symmetric_stops(self.information, self.z, sided=2))

    @classmethod
    def fixed(cls, alpha: float = 0.05, *, name: str = "fixed") -> "Procedure":
        """Look once, at the end."""
        return cls.equal_looks(1, nominal_p=alpha, name=name)

    @classmethod
    def equal_looks(
        cls, looks: int, *, nominal_p: float, futility_p: float | None = None, name: str
    ) -> "Procedure":
        """Look after equal steps, rejecting at the same nominal two-sided p each time.

        With `futility_p`, every look but the last gives up where p is above it.
        """
        from scipy.special import ndtri

        looks = check.positive_int(looks, "looks")
        bound = -float(ndtri(0.5 * check.probability(nominal_p, "nominal_p")))
        give_up = 0.0
        if futility_p is not None:
            give_up = -float(ndtri(0.5 * check.probability(futility_p, "futility_p")))
        return cls(
            name,
            tuple((k + 1) / looks for k in range(looks)),
            (bound,) * looks,
            (give_up,) * (looks - 1) + (0.0,),
        )

    @classmethod
    def interim(
        cls, *, futility: bool = False, alpha: float = 0.05, name: str | None = None
    ) -> "Procedure":
        """Return the interim tests of Wei, Kocmi and Federmann (2022), section 7.

        Three looks at p < .0221, Pocock's constant at a level of .05; with `futility` the first two
        give up where p > .5.
        """
        from detectable.sequential.design import design

        nominal = PAPER_NOMINAL_P  # as printed
        if alpha != PAPER_ALPHA:
            pocock = design("pocock", looks=3, alpha=alpha, futility="none")
            nominal = float(pocock.nominal_p[0] or alpha)
        return cls.equal_looks(
            3,
            nominal_p=nominal,
            futility_p=PAPER_FUTILITY_P if futility else None,
            name=name or ("interim-futility" if futility else "interim"),
        )

    @classmethod
    def uncorrected(cls, looks: int = 3, alpha: float = 0.05) -> "Procedure":
        """Return what not to do: test at the full level at every look. For warnings only."""
        return cls.equal_looks(looks, nominal_p=alpha, name=f"{looks} uncorrected looks")

    @classmethod
    def from_design(cls, design: LooksAndBounds, *, name: str) -> "Procedure":
        """Take looks and bounds from a group-sequential design.

        A bound of None (no value) means that the look cannot reject; a futility bound of None, not
        a number or below 0 means that it never gives up.
        """
        if getattr(design, "sided", 2) != 2:
            raise InputError(
                "`design` must be two-sided, because differences of both signs are looked for; "
                "got a one-sided one."
            )
        given = design.futility
        looks = len(design.information)
        bounds = [None] * looks if given is None else list(given)
        return cls(
            name,
            tuple(float(t) for t in design.information),
            tuple(math.inf if u is None else float(u) for u in design.z),
            tuple(_futility(a) for a in bounds[:looks]) + (0.0,) * (looks - len(bounds)),
        )


def stopping_procedure(name: Stopping, *, alpha: float = 0.05, looks: int = 12) -> Procedure:
    """Return a procedure by the word that the command line has for it.

    Parameters
    ----------
    name : {'fixed', 'pocock', 'default', 'uncorrected', 'interim', 'interim-futility'}
        One look at the end; Pocock's bounds at three looks; our default design; looks at the full
        level, for warnings only; the tests of Wei, Kocmi and Federmann (2022), whose three looks
        may end for futility.
    alpha : float
        Chance of a false alarm.
    looks : int
        Of ``default`` and ``uncorrected``.

    Examples
    --------
    >>> stopping_procedure("interim-futility").looks
    3
    """
    from detectable.sequential.design import design

    check.literal(name, Stopping, "name")
    alpha = check.probability(alpha, "alpha")
    if name == "fixed":
        return Procedure.fixed(alpha)
    if name in ("interim", "interim-futility"):
        return Procedure.interim(futility=name == "interim-futility", alpha=alpha, name=name)
    if name == "pocock":
        plan = design("pocock", looks=3, alpha=alpha, futility="none")
        return Procedure.from_design(plan, name="Pocock 3")
    looks = check.positive_int(looks, "looks", minimum=2)
    if name == "uncorrected":
        return Procedure.uncorrected(looks, alpha)
    return Procedure.from_design(
        design(looks=looks, alpha=alpha), name=f"default, {looks} looks"
    )


def _futility(bound: float | None) -> float:
    return float(bound) if bound is not None and bound > 0.0 else 0.0


# --- Replay an archive of comparisons under several stopping procedures ---

BATCHES = 20  # blocks of repetitions; part of every answer. Standard errors come from them
_ROUNDING = 1e-9  # a third of 3600 is 1200 and not 1200.0000001


@dataclass(frozen=True, slots=True)
class _Work:
    """What every block needs."""

    values: FloatArray
    first: IntArray
    second: IntArray | None
    step: int  # judgments per system
    wanted: Wanted
    plans: Plans


def simulate_procedures(  # noqa: PLR0913 (the options of a long simulation, all by name)
    tables: ComparisonArchive,
    procedures: Sequence[Procedure],
    budgets: Sequence[int],
    *,
    n_repeats: int = 1000,
    step: int = 100,
    large: float | None = None,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> ProcedureSavings:
    r"""Ask what stopping procedures would have found and cost on past comparisons.

    Every comparison is evaluated anew `n_repeats` times: judgments are drawn with replacement
    from its own histograms, equally many for both systems, up to the largest budget. After
    every `step` judgments the statistic is taken. All procedures at all budgets read the same
    paths [1]_.

    The statistic is Mann-Whitney's z with the correction for ties and continuity, as in [1]_. On
    paired differences it is the paired t test, brought to the scale of z at every look,
    :math:`z = \Phi^{-1}(F_{n-1}(t))`. On a path only :math:`T = \sum d / \sqrt{\sum d^2}` is
    computed. It rises with t, so that the bounds :math:`u_k` can be moved once instead,

    .. math:: |z| \ge u \iff |T| \ge t_u \sqrt{\frac{n}{n - 1 + t_u^2}}, \qquad
              t_u = F_{n-1}^{-1}(\Phi(u)).

    T itself as z (the sign-flip test's normal score) would be conservative in small samples.

    Parameters
    ----------
    tables : ComparisonArchive
        The comparisons.
    procedures : sequence of Procedure
        With different names. The first that looks only once is the fixed test with which the
        others are compared.
    budgets : sequence of int
        Largest numbers of judgments, of both systems together: multiples of `step`. What equals
        the fixed test is interpolated between them.
    n_repeats : int
        Repetitions of each comparison.
    step : int
        Judgments of both systems between two looks at most; an even number. A look that falls
        between two steps is taken at the later one; of looks at the same step the last counts.
    large : float, optional
        From which difference on one is large, in the table and picture by size; by default the
        median difference.
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.
    n_jobs, executor, progress
        Where to run, and whom to tell. The answer does not depend on them.

    Notes
    -----
    Power is the share of significant evaluations of either sign, as in [1]_. Drawing from the
    observed histograms takes each observed difference for the true one; see `summary`.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human
       evaluation of MT", WMT 2022, section 7.

    Examples
    --------
    >>> archive = ComparisonArchive.from_histograms(
    ...     [0, 1, 2], [[20, 30, 50], [25, 35, 40]], [[30, 30, 40], [25, 35, 40]])
    >>> both = [Procedure.fixed(), Procedure.interim(futility=True)]
    >>> found = simulate_procedures(archive, both, [300, 600, 900], n_repeats=200, rng=1)
    >>> found.row("interim-futility", 600).judgments < 600
    True
    """
    step, grid = _check_budgets(budgets, step, paired=tables.paired)
    names = _check_names(procedures)
    n_repeats = check.repetitions(n_repeats, "n_repeats", minimum=2)
    generator, seed = resolve(rng)

    plans, notes = _plans(procedures, grid, step, paired=tables.paired)
    wanted = np.zeros(grid[-1] // step, np.bool_)
    wanted[plans.look] = True
    todo = list(blocks(n_repeats, generator, size=-(-n_repeats // BATCHES)))
    parts = run_blocks(
        _block,
        _Work(tables.values, tables.first, tables.second, step // 2, wanted, plans),
        todo,
        n_jobs=n_jobs,
        executor=executor,
        progress=progress,
        step="replaying the comparisons",
    )
    tallies = Tallies(
        hits=np.stack([hits for hits, _ in parts]),
        steps=np.stack([steps for _, steps in parts]),
        repeats=np.array([block.rows for block in todo]),
        differences=tables.differences,
    )
    reference = next((one.name for one in procedures if one.looks == 1), None)
    if reference is None:
        notes.append("No procedure looks only once, so there is no fixed test to compare with.")
    rows, savings = evaluate(tallies, names, grid, step, reference)
    settings = {"pairs": len(tables), "repeats": n_repeats, "step": step, "max": grid[-1]}
    return ProcedureSavings(
        rows=rows,
        savings=savings,
        procedures=names,
        type_one_errors=tuple(one.type_one_error() for one in procedures),
        budgets=grid,
        reference=reference,
        n_comparisons=len(tables),
        n_repeats=n_repeats,
        step=step,
        paired=tables.paired,
        notes=(*tables.notes, *notes),
        tallies=tallies,
        signature=Signature(
            "procedures-paired-t" if tables.paired else "procedures-mann-whitney",
            settings,
            seed,
        ),
    ).by_size(large)


def _block(work: _Work, block: Block) -> tuple[IntArray, IntArray]:
    """Return rejections and steps of the block's repetitions, in 32 bits where they fit."""
    state = seed_words(block.rng)
    if work.second is None:
        hits, steps = paths.mean_tallies(
            work.first, work.values, block.rows, work.wanted.size, work.step, work.plans, state
        )
    else:
        hits, steps = paths.rank_tallies(
            work.first, work.second, block.rows, work.wanted, work.step, work.plans, state
        )
    small = work.wanted.size * block.rows < 1 << 31
    kind = np.int32 if small else np.int64
    return hits.astype(kind), steps.astype(kind)


def _check_budgets(
    budgets: Sequence[int], step: int, *, paired: bool
) -> tuple[int, tuple[int, ...]]:
    smallest = 4 if paired else 2  # one difference has no variance
    step = check.positive_int(step, "step", minimum=smallest)
    if step % 2:
        raise InputError(f"`step` must be even, half for each system; got {step}.")
    grid = tuple(sorted({check.positive_int(budget, "budgets") for budget in budgets}))
    if not grid or any(budget % step for budget in grid) or grid[-1] > 2 * paths.LARGEST:
        raise InputError(
            f"`budgets` must be multiples of the step, {step}, up to {2 * paths.LARGEST:,}; "
            f"got {list(budgets)}. Change the budgets or the step."
        )
    return step, grid


def _check_names(procedures: Sequence[Procedure]) -> tuple[str, ...]:
    names = tuple(one.name for one in procedures)
    if not names or len(set(names)) < len(names):
        raise InputError(
            f"`procedures` must have different names; got {list(names)}. Rename one."
        )
    return names


def _plans(
    procedures: Sequence[Procedure], budgets: tuple[int, ...], step: int, *, paired: bool
) -> tuple[Plans, list[str]]:
    """Place the looks of every procedure at every budget, and say where looks fall together."""
    start, look, bound, futility = [0], [], [], []
    merged: dict[str, list[int]] = {}
    for one, budget in itertools.product(procedures, budgets):
        steps = np.ceil(np.array(one.information) * (budget // step) - _ROUNDING).astype(
            np.int64
        )
        steps[-1] = budget // step
        kept = np.append(np.diff(steps) > 0, np.True_)
        if not kept.all():
            merged.setdefault(one.name, []).append(budget)
        limits = np.array([one.z, one.futility])[:, kept]
        if paired:
            limits = _student_limits(limits, steps[kept] * (step // 2))
        look.append(steps[kept] - 1)
        bound.append(limits[0])
        futility.append(limits[1])
        start.append(start[-1] + look[-1].size)
    notes = [
        f"Looks of {name!r} that fall into the same step of {step} judgments were merged at "
        f"budgets of {', '.join(map(str, at))}."
        for name, at in merged.items()
    ]
    flat = (np.concatenate(parts) for parts in (look, bound, futility))
    return Plans(np.array(start), *flat), notes


def _student_limits(z: FloatArray, n: IntArray) -> FloatArray:
    r"""Return the bounds of :math:`\sum d / \sqrt{\sum d^2}` that equal bounds of z by Student's t."""
    from scipy.special import ndtr, stdtrit

    t = -stdtrit(n - 1.0, ndtr(-z))
    with np.errstate(invalid="ignore"):
        limits = t * np.sqrt(n / (n - 1.0 + t * t))
    # Beyond any t: equal differences reach √n, and must not reject where nothing should.
    return np.where(np.isfinite(t), limits, np.inf)
