"""Where the data of a comparison come from, and its metrics, as options shared by commands."""

import dataclasses
import functools
import math
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from detectable.cli import options
from detectable.cli.options import Chosen, column_option, format_option
from detectable.core.choices import JudgmentRole, LogErrors, ScoreRole, TaskWeights, words
from detectable.core.wording import plain_digits

if TYPE_CHECKING:
    from detectable.core.choices import KeptDirection
    from detectable.data.scores.scores import Scores
    from detectable.data.texts.corpus import Corpus
    from detectable.metrics.base import Metric

T = TypeVar("T")


score_format = format_option(
    "--score-format",
    "format",
    of="detectable.data.reader:score_readers",
    help="Of the scores; see docs/data.md.",
)


def _one_or_several(
    _: click.Context, _parameter: click.Parameter, names: tuple[str, ...]
) -> str | tuple[str, ...] | None:
    """Return one name as itself, several as they are, and none as none."""
    return names if len(names) > 1 else next(iter(names), None)


errors_of_logs = click.option(
    "--errors",
    type=click.Choice(words(LogErrors)),
    help="Samples that a log marks as failed: no score (default), or 0.",
)
pool_of_logs = click.option(
    "--pool",
    is_flag=True,
    help="Take all logs of a task in a folder as samples (default: the newest).",
)
_OPTIONS = (
    click.option(
        "--refs",
        "references",
        multiple=True,
        help="Reference file; with --corpus the name of a reference (repeatable).",
    ),
    click.option(
        "--system",
        "systems",
        multiple=True,
        help="name=output, name=run1,run2,… or name=run*; else a system to take (repeatable).",
    ),
    click.option("--sources", help="Source text, for the segments to read."),
    click.option("--documents", help="Document of each line: name, or domain TAB name."),
    click.option("--corpus", help="Table, WMT XML or mt-metrics-eval folder with everything."),
    options.language("language_pair"),
    click.option(
        "--scores",
        multiple=True,
        help="File or folder of scores, or name=file for each system; beside texts metric=file.",
    ),
    click.option(
        "--score-name",
        "metric",
        multiple=True,
        callback=_one_or_several,
        metavar="[TASK=]METRIC",
        help="Which score to take, where a file holds several (repeatable: one for each task).",
    ),
    score_format,
    click.option(
        "--score-filter", "filter", help="Which filter of an lm-evaluation-harness log."
    ),
    errors_of_logs,
    pool_of_logs,
    options.direction,
)


def _column(roles: tuple[str, ...], of: str) -> Callable[[Any], Any]:
    return column_option(roles, "item=id", help=f"Which column of a table of {of} is what")


pool_of_logs = click.option(
    "--pool",
    is_flag=True,
    help="Take all logs of a task in a folder as samples (default: the newest).",
)

# Of a command that takes texts alone.
_NO_SCORES: dict[str, Any] = {
    "scores": (),
    "metric": None,
    "format": "auto",
    "filter": None,
    "errors": None,
    "pool": False,
    "direction": "all",
    "columns": {},
}


class Inputs(NamedTuple):
    """What the user pointed at; read it with `load`."""

    references: tuple[str, ...]
    systems: tuple[str, ...]
    sources: str | None
    documents: str | None
    corpus: str | None
    language_pair: str | None
    scores: tuple[str, ...]
    metric: str | tuple[str, ...] | None
    format: str
    filter: str | None
    errors: str | None
    pool: bool
    direction: "KeptDirection"
    columns: Chosen
    outputs_alone: bool = False  # texts may have no reference

    @property
    def given(self) -> bool:
        """Whether the user pointed at anything."""
        return bool(self.references or self.systems or self.corpus or self.scores)

    def load_texts(self) -> "Corpus":
        """Read texts, where the command takes nothing else."""
        loaded: Corpus = self.load()  # type: ignore[assignment]  # there are no scores
        return loaded

    def load(self) -> "Corpus | Scores":
        """Read texts or scores, and keep the direction that is asked for."""
        return self._kept(self._load(beside=False))

    def load_several(self) -> "tuple[Corpus | Scores, list[Scores]]":
        """Read texts or scores, and further scores of the same lines or items."""
        if not isinstance(self.metric, tuple) or self.beside or not self.scores:
            return self.load_with_beside()
        self.unused("--scores", references="--refs", sources="--sources")
        first, *others = (self._kept(one) for one in self._load_metrics())
        return first, others  # type: ignore[return-value]  # they are scores

    def load_outputs(self) -> "Corpus":
        """Read texts that may have no reference, where the command takes nothing else."""
        if self.scores:
            raise click.UsageError(
                "a campaign needs texts: give --system, --corpus, or --from."
            )
        own = self._replace(outputs_alone=True)
        return own._kept(own._load(beside=False))  # type: ignore[return-value]  # no scores

    def load_with_beside(self) -> "tuple[Corpus | Scores, list[Scores]]":
        """Read texts or scores, and the scores beside texts, of the same lines."""
        loaded, beside = self._load(beside=True), self._load_beside()
        if self.direction != "all" and beside:
            from detectable.data.directions import rows_of_direction, same_lines

            rows = rows_of_direction(loaded, self.direction)
            beside = [same_lines(scores, loaded, rows) for scores in beside]  # type: ignore[arg-type]  # they are beside texts
        return self._kept(loaded), beside

    def _kept(self, loaded: "Corpus | Scores") -> "Corpus | Scores":
        if self.direction == "all":
            return loaded
        from detectable.data.directions import keep_direction

        return keep_direction(loaded, self.direction)  # type: ignore[type-var]  # it is one of the two

    def _load(self, *, beside: bool) -> "Corpus | Scores":
        """Read texts or scores, after checking that the options belong together.

        `beside` says that the command takes scores beside texts, which it reads by `_load_beside`.
        """
        if self.corpus is not None and self.scores and not beside:
            raise click.UsageError("give --corpus or --scores, not both.")
        if self.scores and not (beside and self.beside):
            self.unused("--scores", references="--refs", sources="--sources")
            return self._load_scores()
        for text in self.scores:
            name_and_value(text, "--scores beside texts")
        if not self.scores:
            self.unused(
                "texts",
                metric="--score-name",
                filter="--score-filter",
                errors="--errors",
                pool="--pool",
                columns="--column",
            )
        if self.corpus is not None:
            self.unused("--corpus", sources="--sources", documents="--documents")
            return self._load_corpus(self.corpus)
        if not self._sgm:  # which may say “any” of the source
            self.unused("text files", language_pair="--language")
        if not self.systems or not (self.references or self.outputs_alone):
            raise click.UsageError(
                "give --refs and --system for text files, or --corpus, or --scores."
            )
        return self._load_texts()

    @property
    def _sgm(self) -> bool:
        return bool(self.references) and self.references[0].endswith((".sgm", ".sgml"))

    @property
    def beside(self) -> bool:
        """Whether scores are given beside texts, each under the name of what they measure."""
        return bool(self.scores and (self.corpus is not None or self.references))

    def _load_beside(self) -> "list[Scores]":
        """Read scores that are given beside texts: ``--scores comet=FILE``, of all systems."""
        if not self.beside:
            return []
        from detectable.data.scores.read_scores import read_scores

        loaded: list[Scores] = []
        for text in self.scores:
            name, path = name_and_value(text, "--scores")
            if any(name == other.metric for other in loaded):
                raise click.UsageError(f"two --scores are called {name!r}. Name them apart.")
            found = read_scores(
                path,
                format=self.format,
                metric=self.metric,
                filter=self.filter,
                errors=self.errors,  # type: ignore[arg-type]  # click has checked it
                pool=self.pool,
                columns=self.columns or None,
            )
            loaded.append(replace(found, metric=name))
        return loaded

    def unused(self, given: str, **options: str) -> None:
        """Refuse options that would be ignored."""
        for field, option in options.items():
            if getattr(self, field):
                raise click.UsageError(f"{option} has no effect on {given}. Drop it.")

    def _load_corpus(self, path: str) -> "Corpus":
        from detectable.data.texts.read_corpus_file import read_corpus_file

        return read_corpus_file(
            path,
            systems=self.systems or None,
            references=self.references or None,
            language_pair=self.language_pair,
            need_references=not self.outputs_alone,
        )

    def _load_texts(self) -> "Corpus":
        from detectable.data.texts.read_corpus import read_corpus

        named = [name_and_value(text, "--system") for text in self.systems]
        systems = [(name, _files(files)) for name, files in named]
        if self._sgm:
            from detectable.data.texts.wmt_test_sets import read_sgm

            self.unused("SGM files, which name their documents", documents="--documents")
            return read_sgm(
                systems,
                self.references,
                sources=self.sources,
                language_pair=self.language_pair,
            )
        return read_corpus(
            systems,
            self.references,
            sources=self.sources,
            documents=self.documents,
            need_references=not self.outputs_alone,
        )

    def _load_scores(self) -> "Scores":
        from detectable.data.scores.read_scores import read_scores

        loaded = read_scores(self._named_scores(), metric=self.metric, **self._reading())
        return self._with_documents(loaded)

    def _load_metrics(self) -> "list[Scores]":
        """Read several metrics: tables of the same tasks, or one of them all."""
        from detectable.data.scores.suite import read_metrics

        found = read_metrics(self._named_scores(), self.metric or (), **self._reading())
        return [self._with_documents(one) for one in found]

    def _named_scores(self) -> Any:
        if len(self.scores) == 1 and "=" not in self.scores[0]:
            return self.scores[0]
        files = [name_and_value(text, "--scores") for text in self.scores]
        return {name: _files(paths) for name, paths in files}

    def _reading(self) -> dict[str, Any]:
        """Return how files of scores are read, all metrics alike."""
        return {
            "format": self.format,
            "systems": self.systems or None,
            "filter": self.filter,
            "errors": self.errors,
            "pool": self.pool,
            "columns": self.columns or None,
            "language_pair": self.language_pair,
        }

    def _with_documents(self, loaded: "Scores") -> "Scores":
        if self.documents is None:
            return loaded
        from detectable.data.scores.score_folder import with_documents

        return with_documents(loaded, self.documents)


def corpus_or_scores(command: Callable[..., T]) -> Callable[..., T]:
    """Add the input options to a command and hand them over as one `Inputs`."""
    return _gathered(command, _column(words(ScoreRole), "scores"))


def corpus_scores_or_judgments(command: Callable[..., T]) -> Callable[..., T]:
    """Do the same where judgments may come too: ``--column`` serves both tables."""
    both = tuple(dict.fromkeys((*words(ScoreRole), *words(JudgmentRole))))
    return _gathered(command, _column(both, "scores or judgments"))


def _gathered(command: Callable[..., T], columns: Callable[[Any], Any]) -> Callable[..., T]:
    @functools.wraps(command)
    def gathered(**options: Any) -> T:
        return command(
            Inputs(**{name: options.pop(name) for name in Inputs._fields if name in options}),
            **options,
        )

    for option in reversed((*_OPTIONS, columns)):
        gathered = option(gathered)
    return gathered


_TEXTS = ("references", "systems", "sources", "documents", "corpus")


def texts(command: Callable[..., T]) -> Callable[..., T]:
    """Add the options for texts alone, and hand them over as `Inputs` without scores."""

    @functools.wraps(command)
    def gathered(**options: Any) -> T:
        given = {name: options.pop(name) for name in _TEXTS}
        return command(Inputs(**given, **_NO_SCORES, language_pair=None), **options)

    for option in reversed(_OPTIONS[: len(_TEXTS)]):
        gathered = option(gathered)
    return gathered


def _files(text: str) -> list[str]:
    """Return the files of a list with commas, each of which may be a pattern (seed*.en)."""
    from detectable.data.files.inputs import expand

    return [path for part in text.split(",") for path in expand(part)]


def name_and_value(text: str, option: str) -> tuple[str, str]:
    """Take ``name=value`` apart."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise click.UsageError(f"{option} takes name=value; got {text!r}.")
    return name, value


def numbers(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> float | dict[str, float] | None:
    """Read ``0.5``, or any number of ``bleu=0.5``."""
    option = parameter.opts[0]
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return one_number(texts[0], option)
    pairs = [name_and_value(text, option) for text in texts]
    return {name: one_number(value, option) for name, value in pairs}


def scales(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, float] | dict[str, tuple[float, float]] | None:
    """Read ``0:10``, or any number of ``judge=0:10``."""
    if not texts:
        return None
    from detectable.cli.judgment_options import read_scale

    option = parameter.opts[0]

    def ends(text: str) -> tuple[float, float]:
        found = read_scale(context, parameter, text)
        if found is None or not all(math.isfinite(end) for end in found):
            raise click.UsageError(f"{option} takes LOW:HIGH, for example 0:10; got {text!r}.")
        return found

    if len(texts) == 1 and "=" not in texts[0]:
        return ends(texts[0])
    pairs = [name_and_value(text, option) for text in texts]
    return {name: ends(value) for name, value in pairs}


scale_of_margin = click.option(
    "--scale",
    multiple=True,
    callback=scales,
    metavar="[METRIC=]LOW:HIGH",
    help="Least and largest possible score, for --margin (default: as known, or as seen).",
)
largest_loss = click.option(
    "--largest-loss",
    multiple=True,
    callback=numbers,
    metavar="[METRIC=]X",
    help="What one item can lose at most, for --margin where most do not change.",
)


def weights(_: click.Context, parameter: click.Parameter, text: str) -> str | dict[str, float]:
    """Read a word for all tasks, or ``math=2,code=1``."""
    option = parameter.opts[0]
    if text in words(TaskWeights):
        return text
    pairs = [name_and_value(part, option) for part in text.split(",")]
    return {name: one_number(value, option) for name, value in pairs}


def number_lists(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, list[float]] | None:
    """Read any number of ``name=1.5,2.5``, or ``name=FILE`` with numbers in it."""
    option = parameter.opts[0]
    found: dict[str, list[float]] = {}
    for name, values in (name_and_value(text, option) for text in texts):
        if name in found:
            raise click.UsageError(f"two {option} are of {name!r}. Give one of them.")
        found[name] = [one_number(value, option) for value in _listed(values)]
    return found or None


def _listed(values: str) -> list[str]:
    """Return numbers that stand in a list with commas, or in a file, a line each."""
    if not os.path.isfile(values):  # pathlib would cost every start
        return values.split(",")
    from detectable.data.files.content import read_text

    return read_text(values).replace(",", " ").split()


def whole_numbers(_: click.Context, parameter: click.Parameter, text: str) -> tuple[int, ...]:
    """Read ``1,3,5``; nothing of nothing."""
    try:
        return tuple(int(plain_digits(part)) for part in text.split(",")) if text else ()
    except ValueError:
        raise click.UsageError(
            f"{parameter.opts[0]} takes whole numbers, such as 1,3,5; got {text!r}."
        ) from None


def one_number(text: str, option: str) -> float:
    """Read a number."""
    try:
        return float(plain_digits(text))
    except ValueError:
        raise click.UsageError(f"{option} takes a number; got {text!r}.") from None


# --- ``--metric bleu:tokenize=intl,lowercase=yes``: names and settings of metrics as people type them ---

_METRIC_OPTIONS = (
    click.option(
        "--metric",
        "metrics",
        multiple=True,
        help="Metric, or metric:setting=value,… (repeatable).",
    ),
    click.option(
        "--tokenize", help="Tokeniser of all metrics that tokenise: 13a, intl, zh, none, …"
    ),
    click.option("--lowercase", is_flag=True, help="Ignore case in all metrics that can."),
)
_TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def metric_options(command: Callable[..., T]) -> Callable[..., T]:
    """Add ``metrics``, ``tokenize`` and ``lowercase`` to a command, for `parse_metrics`."""
    for option in reversed(_METRIC_OPTIONS):
        command = option(command)
    return command


def parse_metrics(
    specifications: tuple[str, ...], *, tokenize: str | None, lowercase: bool
) -> "tuple[Metric, ...] | None":
    """Return metric objects, or None where the user left the choice to us.

    `tokenize` and `lowercase` hold for every metric that has such a setting, unless the
    metric's own specification says otherwise.
    """
    shared: dict[str, Any] = {} if tokenize is None else {"tokenize": tokenize}
    shared |= {"lowercase": True} if lowercase else {}
    if not specifications and not shared:
        return None
    from detectable.metrics.registry import USUAL

    used: set[str] = set()
    metrics = tuple(_metric(text, shared, used) for text in specifications or USUAL)
    for name in shared:
        if name not in used:
            raise click.UsageError(
                f"--{name} has no effect: none of the metrics has that setting."
            )
    return metrics


def _metric(text: str, shared: dict[str, Any], used: set[str]) -> "Metric":
    from detectable.metrics.registry import METRICS, metric, settings_in

    name, _, rest = text.partition(":")
    name, own = settings_in(name)
    kinds = {f.name: f.type for f in dataclasses.fields(METRICS.get(name))}  # type: ignore[arg-type]
    settings = {key: value for key, value in shared.items() if key in kinds}
    used.update(settings)
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise click.UsageError(
                f"--metric {text}: write settings as key=value, not {part!r}."
            )
        settings[key] = _value(text, str(kinds.get(key, "")), value)
    for key in own:
        if key in settings:
            raise click.UsageError(
                f"--metric {text}: the name says {key} already. Drop {key}=…."
            )
    return metric(name, **settings, **own)


def _value(text: str, kind: str, value: str) -> Any:
    """Turn the typed text into what the setting holds, going by its annotation."""
    if "bool" in kind:
        if value.lower() not in _TRUTH:
            raise click.UsageError(f"--metric {text}: {value!r} must be yes or no.")
        return _TRUTH[value.lower()]
    for word, convert in (("int", int), ("float", float)):
        if word in kind:
            try:
                return convert(plain_digits(value))
            except ValueError:
                raise click.UsageError(
                    f"--metric {text}: {value!r} must be a number."
                ) from None
    return value
