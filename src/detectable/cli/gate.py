"""``detectable gate``: where its scores come from, and what it leaves behind for a pipeline."""

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from detectable.cli import inputs, options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.inputs import score_format
from detectable.cli.options import Chosen, as_typed, column_option
from detectable.cli.output_options import Unrepeated, Writing
from detectable.cli.terminal import in_actions
from detectable.core.choices import ScoreRole, words
from detectable.core.errors import DataError, DetectableError
from detectable.study.settings import GateSettings

if TYPE_CHECKING:
    from detectable.core.choices import KeptDirection
    from detectable.data.scores.scores import Scores
    from detectable.study.gate.baseline import AcceptedBaseline, Baseline
    from detectable.study.gate.result import Gate

T = TypeVar("T")
_NAME = re.compile(r"(?!.*--)[A-Za-z0-9._-]+")  # of a comment
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
        metavar="[TASK=]METRIC",
        help="Which scores to gate (repeatable; default: those that --margin, --watch or the "
        "baseline name).",
    ),
    score_format,
    click.option(
        "--score-filter", "filter", help="Which filter of an lm-evaluation-harness log."
    ),
    options.language("language_pair"),
    inputs.errors_of_logs,
    inputs.pool_of_logs,
    click.option(
        "--by",
        metavar="KEY",
        help="Also show each value of this key of the metadata, or column: lang.",
    ),
    options.direction,
    column_option(words(ScoreRole), "item=id"),
    click.option(
        "--lower-is-better",
        multiple=True,
        metavar="METRIC",
        help="Scores where lower is better (default: as known names tell; repeatable).",
    ),
    click.option(
        "--higher-is-better",
        multiple=True,
        metavar="METRIC",
        help="Scores where higher is better, if their name does not tell (repeatable).",
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
    errors: str | None
    pool: bool
    by: str | None
    direction: "KeptDirection"
    columns: Chosen
    lower_is_better: tuple[str, ...]
    higher_is_better: tuple[str, ...]

    def directions(self) -> dict[str, tuple[str, ...]]:
        """Return which way scores go, as was typed."""
        return {
            "lower_is_better": self.lower_is_better,
            "higher_is_better": self.higher_is_better,
        }

    def load_new(self, named: Sequence[str], tasks: Sequence[str] = ()) -> "list[Scores]":
        """Read the new scores, by every metric that was named, or by the only one of each task."""
        chosen = list(dict.fromkeys(self.metrics or named))
        alone = len(self.new) == 1 and not _is_named(self.new[0])
        source: Any = self.new[0]
        if not alone:
            source = {}
            for text in self.new:
                name, path = text.split("=", 1) if _is_named(text) else (_NEW, text)
                source.setdefault(name, []).append(path)
        return self._read(source, chosen, tasks)

    def load_old(
        self, new: "Sequence[Scores]", named: Sequence[str], tasks: Sequence[str] = ()
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
        return self._read(self.baseline, chosen, tasks)

    def baseline_file(self) -> "Baseline | None":
        """Read the baseline if it is a baseline file."""
        from detectable.study.gate.baseline import is_baseline_file, read_baseline

        if not os.path.exists(self.baseline) or not is_baseline_file(self.baseline):
            return None
        if self.baseline_system is not None:
            raise click.UsageError(
                "--baseline-system has no effect on a baseline file. Drop it."
            )
        return read_baseline(self.baseline)

    def _read(
        self, source: Any, metrics: Sequence[str], tasks: Sequence[str]
    ) -> "list[Scores]":
        from detectable.data.directions import keep_direction
        from detectable.data.scores.suite import read_suite

        columns = {**self.columns, "slice": self.by} if self.by else self.columns
        found = read_suite(
            source,
            metrics,
            tasks=tasks or None,
            format=self.format,
            filter=self.filter,
            columns=columns or None,
            language_pair=self.language_pair,
            errors=self.errors,
            pool=self.pool,
        )
        return [keep_direction(one, self.direction) for one in found]


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


# --- What a gate leaves behind for a pipeline: summary, JUnit, annotations, outputs of the step ---


@dataclass(frozen=True, slots=True)
class GateOutputs:
    """Where the outcome goes besides the terminal.

    Attributes
    ----------
    summary : str or None
        A file to append Markdown to, such as ``$GITHUB_STEP_SUMMARY``.
    junit : str or None
        A file for JUnit XML.
    comment : str or None
        A file for the text of a comment on a pull request.
    comment_name : str
        By which the comment is found again.
    github : bool or None
        Whether to write annotations and outputs; None: if GitHub Actions runs this.
    """

    summary: str | None
    junit: str | None
    comment: str | None
    comment_name: str
    github: bool | None
    output: Output

    @contextmanager
    def told(self) -> Iterator[None]:
        """Refuse files that exist; and if the gate cannot be run, say so in all of them."""
        files = [Path(one) for one in (self.junit, self.comment) if one is not None]
        refuse_existing(files, force=self.output.force)
        try:
            yield
        except DetectableError as error:
            self._write_error(as_typed(str(error)), error.exit_code)
            raise

    def write(self, gate: "Gate") -> None:
        """Write the outcome wherever it was asked for."""
        from detectable.report.shown.gate_words import (
            gate_annotations,
            gate_comment,
            step_outputs,
        )

        if self.comment is not None:
            self.output.put(self.comment, gate_comment(gate, self.comment_name))
        if self.junit is not None:
            self.output.put(self.junit, gate.to_junit())
        if self.summary is not None:
            _append(self.summary, gate.to_markdown())
        if self._in_actions:
            self._annotate(gate_annotations(gate), step_outputs(gate.outcome, gate.exit_code))

    def _write_error(self, message: str, exit_code: int) -> None:
        from detectable.report.render.markdown import escape
        from detectable.report.shown.gate_words import (
            annotation,
            comment_marker,
            error_junit,
            step_outputs,
            unlinked,
        )

        said = f"### detectable gate: could not run\n{escape(message)}\n"
        if self.comment is not None:
            self.output.put(self.comment, comment_marker(self.comment_name) + unlinked(said))
        if self.junit is not None:
            self.output.put(self.junit, error_junit(message))
        if self.summary is not None:
            _append(self.summary, said)
        if self._in_actions:
            self._annotate([annotation("error", message)], step_outputs("error", exit_code))

    @property
    def _in_actions(self) -> bool:
        return in_actions() if self.github is None else self.github

    def _annotate(self, lines: list[str], outputs: str) -> None:
        for line in lines:
            click.echo(line, err=True)  # the runner reads both streams; JSON stays whole
        path = os.environ.get("GITHUB_OUTPUT")
        if path:
            _append(path, outputs)


def _append(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror}.") from error


# --- ``detectable gate``: the new system in place of the one in use, or not ---


def _margins(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> float | str | dict[str, float | str] | None:
    """Read ``0.5`` or ``10%``, or any number of ``bleu=0.5``."""
    option = parameter.opts[0]

    def one(text: str) -> float | str:
        return text if text.endswith("%") else inputs.one_number(text, option)

    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return one(texts[0])
    return {
        name: one(value)
        for name, value in (inputs.name_and_value(text, option) for text in texts)
    }


def _renames(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str]:
    """Read any number of ``old=new``."""
    return dict(inputs.name_and_value(text, parameter.opts[0]) for text in texts)


def _comment_name(_: click.Context, parameter: click.Parameter, name: str) -> str:
    """Check that a name cannot end the first line of a comment before its time."""
    if not _NAME.fullmatch(name):
        raise click.BadParameter(
            f"takes letters, digits, '.', '_' and '-', and no '--'; got {name!r}.",
            param=parameter,
        )
    return name


# What has no effect where a baseline is accepted.
_OF_A_TEST = (
    *("rule", "margin", "scale", "largest_loss", "watch", "watch_tasks", "inconclusive"),
    *("tasks", "rename", "metric", "by", "overall", "decide", "allow_early_stop"),
    *("allow_different_items", "attempt", "count_attempts", "self_test", "alpha", "power"),
    *("summary", "junit", "comment", "comment_name", "github", "baseline_system"),
)
_OF_A_SELF_TEST = ("n_resamples", "rng")
_FILE = click.Path(dir_okay=False)


@command(json_file=True, charts=("differences",))
@gate_inputs
@options.of(GateSettings, "rule")
@click.option(
    "--margin",
    multiple=True,
    callback=_margins,
    metavar="[METRIC=]X",
    help="The loss that you would mind: 0.05, match=0.05, or latency=10% of the old (repeatable).",
)
@inputs.scale_of_margin
@inputs.largest_loss
@options.of(GateSettings, "watch", "tasks")
@click.option(
    "--rename",
    multiple=True,
    callback=_renames,
    metavar="OLD=NEW",
    help="A task of the baseline that has a new name (repeatable).",
)
@options.of(GateSettings, "metric", "attempt")
@click.option(
    "--count-attempts",
    cls=Writing,
    is_flag=True,
    help="Count the tries of this system in the baseline file, which is written.",
)
@click.option(
    "--accept", cls=Writing, is_flag=True, help="Write NEW as the baseline, whatever it scored."
)
@click.option("--commit", metavar="TEXT", help="With --accept: the commit that NEW belongs to.")
@options.of(GateSettings, "self_test", "n_resamples")
@click.option(
    "--summary",
    cls=Unrepeated,
    type=_FILE,
    metavar="FILE",
    help="Append Markdown there: $GITHUB_STEP_SUMMARY.",
)
@click.option("--junit", cls=Unrepeated, type=_FILE, metavar="FILE", help="Write JUnit XML.")
@click.option(
    "--comment",
    cls=Unrepeated,
    type=_FILE,
    metavar="FILE",
    help="Write Markdown for a comment on a pull request, without mentions.",
)
@click.option(
    "--comment-name",
    cls=Unrepeated,
    default="gate",
    show_default=True,
    callback=_comment_name,
    help="Name in the first line of the comment, by which it is found again.",
)
@click.option(
    "--github/--no-github",
    cls=Unrepeated,
    default=None,
    help="Annotations and outputs of the step (default: if GitHub Actions runs this).",
)
@options.of(GateSettings, "alpha", "power")
@options.seed
def gate(
    given: GateInputs,
    *,
    accept: bool,
    commit: str | None,
    output: Output,
    **settings: Any,
) -> "Gate | AcceptedBaseline":
    """Pass, fail or inconclusive, for CI.

    Say whether NEW may take the place of the baseline: pass, fail or inconclusive.

    NEW is any file or folder of item scores that `compare --scores` reads. The exit code is 0 for
    a pass, 3 for a fail, 4 where there are too few questions to decide; 1 if the data cannot be used, 2 if
    something was typed wrongly.

    \b
    Examples:
        detectable gate logs/new --baseline evals/baseline.json \\
            --margin accuracy=0.05
        detectable gate scores.csv --baseline old --system new --margin 0.02 \\
            --self-test
        detectable gate logs/main --baseline evals/baseline.json --accept
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    if accept:
        _refuse((*_OF_A_TEST, *_OF_A_SELF_TEST), "--accept")
        return _accepted(given, commit, overwrite=output.force)
    if commit is not None:
        raise click.UsageError("--commit has no effect without --accept. Drop it.")
    if not settings["self_test"]:
        _refuse(_OF_A_SELF_TEST, "a gate without --self-test")
    if settings["comment"] is None:
        _refuse(("comment_name",), "a gate without --comment")
    named = ("summary", "junit", "comment", "comment_name", "github")
    outputs = GateOutputs(**{name: settings.pop(name) for name in named}, output=output)
    with outputs.told():
        result = _gated(given, **settings)
        outputs.write(result)
    return result


def _gated(
    given: GateInputs,
    *,
    count_attempts: bool,
    **settings: Any,
) -> "Gate":
    from detectable.data.files.inputs import noted_inputs
    from detectable.study.gate.chosen import refuse_shared, shared_files
    from detectable.study.gate.gate import gate as run

    file = given.baseline_file()
    named = _named(settings, given, None if file is None else file.metrics)
    tasks, rename = settings["tasks"], settings["rename"]
    before = {new: old for old, new in rename.items()}
    with noted_inputs() as read, _one_margin(settings["margin"]):
        tables = given.load_new(named, tasks)
    note(*dict.fromkeys(said for one in tables for said in one.notes))
    with noted_inputs() as known, _one_margin(settings["margin"]):
        old = (
            given.load_old(tables, named, [before.get(task, task) for task in tasks])
            if file is None
            else file
        )
    if isinstance(old, list):
        refuse_shared(
            shared_files(read, known),
            list(tables[0].systems),
            given.system,
            given.baseline_system,
        )
    common: dict[str, Any] = {
        "system": given.system,
        "baseline_system": given.baseline_system,
        "by": given.by,
        **given.directions(),
    }
    if not count_attempts:
        result = run(tables, old, **common, **settings)
        _keep_kinds(given, file, result)
        return result
    return _counted(given, tables, file, **common, **settings)


@contextmanager
def _one_margin(margin: Any) -> Iterator[None]:
    """Refuse one number for tasks that are scored by several metrics, with what to type."""
    from detectable.data.scores.suite import SeveralScorers

    try:
        yield
    except SeveralScorers as error:
        if margin is None or isinstance(margin, dict):
            raise
        each = " ".join(f"--margin {name}={margin}" for name in error.likely)
        raise DataError(
            f"--margin {margin} is one number, and the tasks are scored by several metrics "
            f"({error.held}). Give each its own: {each}"
        ) from error


def _keep_kinds(given: GateInputs, file: "Baseline | None", result: "Gate") -> None:
    """Write the kinds of scores into the baseline file that did not know them yet."""
    if file is None:
        return
    from detectable.study.gate.baseline import rewrite_baseline, with_kinds

    known = with_kinds(file, result.rows)
    if known is file:
        return
    kinds = sorted({row.kind for row in result.rows})
    try:
        rewrite_baseline(given.baseline, known)
    except DetectableError as error:
        note(f"The kind of scores ({', '.join(kinds)}) could not be kept: {error}")
    else:
        note(
            f"{given.baseline}: the kind of scores ({', '.join(kinds)}) is kept there, for later "
            "gates."
        )


def _counted(given: GateInputs, tables: Any, file: Any, **settings: Any) -> "Gate":
    """Gate a try that is counted in the baseline file."""
    from detectable.study.gate.baseline import counted, rewrite_baseline, with_kinds
    from detectable.study.gate.gate import gate as run
    from detectable.study.gate.gate import new_scores

    if settings.pop("attempt") is not None:
        raise click.UsageError("--attempt and --count-attempts both say which try it is.")
    if file is None:
        raise click.UsageError(
            "--count-attempts needs a baseline file. Make one with --accept."
        )
    new = new_scores(tables, settings.pop("system"), file, **given.directions())
    tries = counted(file.attempts, new.system, new.sha256)
    result = run(new, file, attempt=tries.number, **settings)
    known = with_kinds(file, result.rows)
    if tries.tried != dict(file.attempts):
        rewrite_baseline(given.baseline, replace(known, attempts=tries.tried))
        note(f"{given.baseline}: attempt {tries.number} of {new.system} is counted.")
    return result


def _named(
    settings: Mapping[str, Any], given: GateInputs, known: "tuple[str, ...] | None"
) -> tuple[str, ...]:
    """Return the metrics to read: those of margins and watched ones, or those of the baseline."""
    margin, watch = settings["margin"], settings["watch"]
    if isinstance(margin, dict):
        made = {"overall", settings["metric"]}  # of other scores, after reading
        named = tuple(name for name in margin if name not in made)
        return (*named, *watch) if named else watch
    if known:
        return (*known, *watch)
    if watch and not given.metrics:
        raise click.UsageError(
            "--watch needs to know what decides: give --margin METRIC=X, or --score-name."
        )
    return ()


def _accepted(given: GateInputs, commit: str | None, *, overwrite: bool) -> "AcceptedBaseline":
    from detectable.study.gate.baseline import accept_baseline

    loaded = given.load_new(())
    note(*(said for one in loaded for said in one.notes))
    return accept_baseline(
        loaded,
        given.baseline,
        system=given.system,
        commit=commit or (os.environ.get("GITHUB_SHA", "") if in_actions() else ""),
        **given.directions(),
        overwrite=overwrite,
    )


def _refuse(names: tuple[str, ...], where: str) -> None:
    """Refuse options that would be ignored."""
    context = click.get_current_context()
    flags = {option.name: option.opts[0] for option in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{flags[name]} has no effect on {where}. Drop it.")
