"""Print the tables of docs/calibration.md: ``python -m tests.calibration``.

Needs the reference data (DETECTABLE_REFERENCE_DATA). ``--trials 200`` gives a first impression
in some minutes.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace

import click
import numpy as np

from detectable.cli.terminal import Bars
from tests.calibration import (
    coverage,
    mixed_documents,
    power,
    random_runs,
    rates,
    samples,
    shares,
)
from tests.calibration.effort import Effort, Rates

Tables = Iterator[str]


def two_systems(effort: Effort) -> Tables:
    yield table(rates.two_systems(replace(effort, trials=2 * effort.trials)))


def several_systems(effort: Effort) -> Tables:
    yield table(rates.several_systems(replace(effort, trials=2 * effort.trials)))
    yield table(rates.verdicts(effort))


def documents(effort: Effort) -> Tables:
    yield table(rates.documents(effort))


def documents_in_mixed_models(effort: Effort) -> Tables:
    yield table(mixed_documents.by_mean_squares(effort))
    yield table(mixed_documents.false_alarms(replace(effort, trials=effort.trials // 25)))


def fixed_runs(effort: Effort) -> Tables:
    yield table(rates.runs_systems(effort))
    yield table(rates.runs_optimizer(effort))
    yield table(rates.runs_copied(effort))


def runs_as_random(effort: Effort) -> Tables:
    fewer = replace(effort, trials=2 * effort.trials // 5)
    drawn = [random_runs.draw_runs(fewer, pool) for pool in random_runs.pools()]
    yield table(random_runs.false_alarms(drawn))
    yield table(random_runs.remainder_alarms(drawn))
    yield table(random_runs.detections(drawn))
    yield table(random_runs.false_equivalence(drawn))
    scores = random_runs.score_intervals(replace(effort, trials=effort.trials // 5))
    yield table(scores.rates)
    yield numbers(scores.width)


def sampled_answers(effort: Effort) -> Tables:
    yield table(samples.false_alarms(replace(effort, trials=2 * effort.trials // 5)))


def intervals(effort: Effort) -> Tables:
    yield table(coverage.segments(effort, n_units=300))
    yield table(coverage.segments(effort, n_units=1002))
    yield table(coverage.documents(effort, n_units=60))


def detectable(effort: Effort) -> Tables:
    found = power.at_detectable(effort)
    yield table(found.rates)
    yield numbers(found.stated)
    yield f"Pairs behind the columns: {', '.join(map(str, found.n_pairs))}."


def all_pairs(effort: Effort) -> Tables:
    for n_units in (300, 1002):
        # Each sample serves 190 pairs, so a fifth of the samples will do.
        fewer = replace(effort, trials=effort.trials // 5)
        drawn = power.all_pairs(fewer, n_units=n_units)
        yield bins(power.power_by_prediction(drawn), with_expected=True)
        yield bins(power.equivalence_by_margin(drawn), with_expected=False)


def zero_one(effort: Effort) -> Tables:
    yield exact_shares()
    fewer = replace(effort, trials=2 * effort.trials // 5)
    yield table(shares.clusters(fewer))
    yield numbers(shares.cluster_power(fewer))
    yield table(shares.looks(effort))


SECTIONS: dict[str, Callable[[Effort], Tables]] = {
    "two-systems": two_systems,
    "several-systems": several_systems,
    "documents": documents,
    "mixed-documents": documents_in_mixed_models,
    "fixed-runs": fixed_runs,
    "random-runs": runs_as_random,
    "samples": sampled_answers,
    "intervals": intervals,
    "detectable": detectable,
    "all-pairs": all_pairs,
    "zero-one": zero_one,
}


def table(found: Rates) -> str:
    """Return a Markdown table; bold: more than two standard errors from what it should be."""
    far = np.abs(found.shares - found.nominal) > 2.0 * found.error
    cells = [
        [
            "–" if np.isnan(share) else f"**{share:.3f}**" if bold else f"{share:.3f}"
            for share, bold in zip(*row, strict=True)
        ]
        for row in zip(found.shares, far, strict=True)
    ]
    facts = (
        f"{found.title}. {found.trials:,} data sets, nominal {found.nominal:.2f}, "
        f"standard error {found.error:.4f}."
    )
    return f"{facts}\n\n{markdown(found.columns, found.rows, cells)}"


def numbers(found: Rates) -> str:
    """Return a Markdown table of numbers that are no rates."""
    cells = [[f"{value:.2f}" for value in row] for row in found.shares]
    facts = f"{found.title}. {found.trials:,} data sets."
    return f"{facts}\n\n{markdown(found.columns, found.rows, cells)}"


def bins(found: power.Binned, *, with_expected: bool) -> str:
    """Return a Markdown table with one row per bin."""

    def cell(i: int, m: int) -> str:
        if found.n_pairs[i, m] == 0:
            return "no pairs"
        measured = f"{found.measured[i, m]:.3f} ± {found.errors[i, m]:.3f}"
        expected = f"predicted {found.expected[i, m]:.3f}, " if with_expected else ""
        return f"{measured} ({expected}{found.n_pairs[i, m]:.0f} pairs)"

    cells = [[cell(i, m) for m in range(len(found.metrics))] for i in range(len(found.labels))]
    facts = f"{found.title}. {found.trials:,} samples."
    return f"{facts}\n\n{markdown(found.metrics, found.labels, cells)}"


def exact_shares() -> str:
    """Return a Markdown table of what is counted over all tables of 0/1 scores."""
    columns = (
        *("not worse: Wald", "not worse: Tango", "equivalent: Wald", "equivalent: Tango"),
        *("95 % covers: Wald", "95 % covers: Tango"),
    )
    cells = [
        [f"{value:.3f}" for value in astuple(shares.counted(*cell))] for cell in shares.SHOWN
    ]
    rows = tuple(shares.cell_name(cell) for cell in shares.SHOWN)
    facts = "0/1 scores, true loss at the margin: claims and coverage, counted over all tables."
    return f"{facts}\n\n{markdown(columns, rows, cells)}"


def markdown(columns: tuple[str, ...], rows: tuple[str, ...], cells: list[list[str]]) -> str:
    lines = [["", *columns], ["---"] + ["---:"] * len(columns)]
    lines += [[row, *values] for row, values in zip(rows, cells, strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@click.command()
@click.argument("sections", nargs=-1, type=click.Choice(list(SECTIONS)))
@click.option("--trials", default=5000, show_default=True, help="Data sets per table.")
@click.option("--seed", default=2021, show_default=True, help="Repeats the tables.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Processes.")
def main(sections: tuple[str, ...], trials: int, seed: int, jobs: int) -> None:
    """Measure error rates, coverage and power; print them as Markdown."""
    if not os.environ.get("DETECTABLE_REFERENCE_DATA"):
        raise click.ClickException("DETECTABLE_REFERENCE_DATA must name the reference data.")
    for name in sections or SECTIONS:
        started = time.monotonic()
        with Bars() as bars:
            for text in SECTIONS[name](Effort(trials, seed, jobs, bars)):
                click.echo(f"{text}\n")
        click.echo(f"{name}: {time.monotonic() - started:.0f} s", err=True)


if __name__ == "__main__":
    main()
