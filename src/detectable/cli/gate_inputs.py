"""Where a gate takes its scores from: new ones, and those of the system in use."""

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from detectable.cli.column_option import Chosen, column_option
from detectable.cli.inputs import score_format
from detectable.core.choices import ScoreRole, words
from detectable.core.errors import DataError

if TYPE_CHECKING:
    from detectable.data.loaded import Loaded
    from detectable.data.scores.scores import Scores
    from detectable.study.gate.baseline import Baseline

T = TypeVar("T")
_NEW = "new"  # what a system is called whose files do not name it

_OPTIONS = (
    click.argument("new", nargs=-1, required=True, metavar="NEW…"),
    click.option(
        "--baseline",
        required=True,
        metavar="FILE",
        help="Baseline file, scores of the system in use, or the name of a system in NEW.",
    ),
    click.option("--system", help="The new system, where NEW holds several."),
    click.option("--baseline-system", help="The system in use, where its scores hold several."),
    click.option(
        "--score-name",
        "metrics",
        multiple=True,
        metavar="METRIC",
        help="Which scores to gate (repeatable; default: those that --margin, --watch or the "
        "baseline name).",
    ),
    score_format,
    click.option(
        "--score-filter", "filter", help="Which filter of an lm-evaluation-harness log."
    ),
    click.option("--language-pair", help="Which one, where the data hold several: en-de."),
    column_option(words(ScoreRole), "item=id"),
    click.option(
        "--lower-is-better",
        multiple=True,
        metavar="METRIC",
        help="Scores where lower is better (default: as known names tell; repeatable).",
    ),
)


@dataclass(frozen=True, slots=True)
class GateInputs:
    """What the user pointed at."""

    new: tuple[str, ...]
    baseline: str
    system: str | None
    baseline_system: str | None
    metrics: tuple[str, ...]
    format: str
    filter: str | None
    language_pair: str | None
    columns: Chosen
    lower_is_better: tuple[str, ...]

    def load_new(self, named: Sequence[str]) -> "list[Loaded[Scores]]":
        """Read the new scores, by every metric that was named, or by the only one."""
        chosen = list(dict.fromkeys(self.metrics or named))
        alone = len(self.new) == 1 and not _is_named(self.new[0])
        source: Any = self.new[0]
        if not alone:
            source = {}
            for text in self.new:
                name, path = text.split("=", 1) if _is_named(text) else (_NEW, text)
                source.setdefault(name, []).append(path)
        return self._read(source, chosen)

    def load_old(
        self, new: "Sequence[Scores]", named: Sequence[str]
    ) -> "Baseline | list[Scores] | str":
        """Read the baseline: its file, other scores, or the name of a system in the new ones."""
        if not os.path.exists(self.baseline):
            if self.baseline in new[0].systems:
                return self.baseline
            raise DataError(
                f"--baseline {self.baseline}: there is no such file, and no such system among "
                f"the new scores ({', '.join(new[0].systems)}). Make a baseline with --accept."
            )
        known = self.baseline_file()
        if known is not None:
            return known
        chosen = list(dict.fromkeys(self.metrics or named))
        return [one.table for one in self._read(self.baseline, chosen)]

    def baseline_file(self) -> "Baseline | None":
        """Read the baseline if it is a baseline file."""
        from detectable.study.gate.baseline_file import is_baseline_file, read_baseline

        if not os.path.exists(self.baseline) or not is_baseline_file(self.baseline):
            return None
        if self.baseline_system is not None:
            raise click.UsageError(
                "--baseline-system has no effect on a baseline file. Drop it."
            )
        return read_baseline(self.baseline)

    def _read(self, source: Any, metrics: Sequence[str]) -> "list[Loaded[Scores]]":
        from detectable.data.scores.read_scores import read_scores

        return [
            read_scores(
                source,
                format=self.format,
                metric=metric,
                filter=self.filter,
                columns=self.columns or None,
                language_pair=self.language_pair,
            )
            for metric in metrics or (None,)
        ]


def gate_inputs(command: Callable[..., T]) -> Callable[..., T]:
    """Add the input options of a gate, and hand them over as one `GateInputs`."""

    @functools.wraps(command)
    def gathered(**options: Any) -> T:
        return command(
            GateInputs(**{field.name: options.pop(field.name) for field in fields(GateInputs)}),
            **options,
        )

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def _is_named(text: str) -> bool:
    """Say whether this is ``name=file``; a file that is really called so is meant by it."""
    name, equals, file = text.partition("=")
    return bool(equals and name and file) and not os.path.exists(text)
