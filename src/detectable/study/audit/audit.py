"""What could past evaluations detect? One question to archives, benchmarks and surveys."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from detectable.core.choices import (
    AuditKind,
    JudgmentUnit,
    LikertPreset,
    Prior,
    Repeated,
    SourceErrors,
)
from detectable.core.errors import InputError
from detectable.core.options import asked
from detectable.core.types import Progress, silent
from detectable.data.files.content import FileContent
from detectable.data.files.table import Table, is_path, read_table
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.score_histograms import (
    ScoreHistograms,
    is_numpy_archive,
    read_score_histograms,
)
from detectable.data.reader import find_judgment_reader as find_reader
from detectable.study.audit.archive_audit import ArchiveAudit, audit_archive
from detectable.study.audit.past_comparisons import PastComparisons
from detectable.study.audit.survey_audit import AccuracyClaims, claim_table
from detectable.study.audit.tables import (
    Studies,
    comparison_table,
    rows_where,
    study_table,
    tell_kind,
)
from detectable.study.settings import AuditSettings

if TYPE_CHECKING:  # planning is large; an archive does not need it
    from detectable.study.audit.benchmark_audit import BenchmarkAudit
    from detectable.study.audit.survey_audit import SurveyAudit

Audited: TypeAlias = "ArchiveAudit | BenchmarkAudit | SurveyAudit"
_Part: TypeAlias = PastComparisons | AccuracyClaims | Studies

_POWER = 0.8
# What each kind of audit takes beside the level and the target.
_TAKES = {
    "archive": ("by", "only", "unit", "power", "format", "scale", "repeated", "source_errors"),
    "benchmark": (
        *(
            "prior",
            "agreement",
            "power",
            "where",
            "tasks",
            "best",
            "n_items",
            "pairs",
            "pairs_n",
        ),
    ),
    "survey": ("item_sd", "preset", "n_raters", "where", "at_least"),
}


def audit(  # noqa: PLR0913 (what is given, how it is read, and what each kind needs to be said)
    source: Any,
    *,
    kind: AuditKind = "auto",
    by: str | None = None,
    only: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    target_difference: float | None = None,
    alpha: float = 0.05,
    power: float = _POWER,
    unit: JudgmentUnit = "auto",
    prior: Prior | Any = None,
    agreement: float | None = None,
    where: Mapping[str, str] | None = None,
    tasks: Any = None,
    best: Mapping[str, float] | None = None,
    n_items: int | None = None,
    pairs: Any = None,
    pairs_n: int | None = None,
    at_least: float | None = None,
    item_sd: float | None = None,
    preset: LikertPreset | None = None,
    n_raters: int | None = None,
    format: str = "auto",
    scale: tuple[float, float] | None = None,
    repeated: Repeated | None = None,
    source_errors: SourceErrors | None = None,
    progress: Progress = silent,
) -> Audited:
    """Say what past evaluations could detect.

    What is asked follows from what is given:

    - **an archive of comparisons**: judgments of many campaigns, score histograms of them
      (``.npz``), or a table with difference, n and p or standard_error. For each group: how many
      comparisons were significant, the observed detectable difference [1]_, the share that is
      underpowered at a target, and the judgments per system with which half would be decided;
      unpaired as in [1]_, and paired where judgments allow it;
    - **a benchmark**: a table with task, n, and accuracies or improvements. For each task: the
      smallest improvement it can show, and whether those claimed are larger [2]_;
    - **a survey of studies**: a table with n and difference (or effect). Whether size and effect
      go together, and what a significant result of each size exaggerates [2]_.

    Parameters
    ----------
    source : path, Judgments, ScoreHistograms, table in memory, or list of these
        Several are one archive.
    kind : {'auto', 'archive', 'benchmark', 'survey'}
        'auto' tells it by the columns.
    by : str, optional
        Group the comparisons of an archive: ``campaign``, ``language-pair``, any column of a
        table, or ``file`` where there are several.
    only : sequence of str
        Take only these groups of `by`.
    columns : mapping of role to column, optional
        Which column is what, where its name is unusual.
    target_difference : float, optional
        The true difference that should have been seen. By default the median difference of an
        archive, the typical claim of a task, the median effect of a survey: sizes that were
        observed, which chance and selection make too large.
    alpha, power : float
        Level of the tests, and the power that is asked for.
    unit : {'auto', 'item', 'document', 'rater'}
        What is independent in the paired test of judgments, as in `campaign_pairs`.
    prior : {'glue', 'squad', 'lachenbruch'}, file or table, optional
        How often two systems of a benchmark agree: the regression of card2020 on GLUE by default;
        a file or table of pairs (baseline, improvement, agreement) is fitted.
    agreement : float, optional
        The same as one number for all tasks.
    where : mapping of column to value, optional
        Only these rows of a benchmark or survey.
    tasks : file or table, optional
        Of a benchmark: task and n, where the sizes stand in a table of their own.
    best : mapping of task to accuracy, optional
        Of a benchmark: the accuracy to beat next.
    n_items : int, optional
        Of a benchmark: the size of its test set, where no column has it.
    pairs : file or table, optional
        Of a leaderboard in the order of time: how far every pair of its systems is apart, and on
        how many items they disagree, on development data (first, second, difference,
        disagreement). Systems are named as in the column system, or by their number from 0. The
        chain of best systems then makes the claims, and the prior [2]_.
    pairs_n : int, optional
        On how many items pairs were compared, where their table counts items.
    at_least : float, optional
        Of a survey: leave out studies with a smaller effect, as card2020 does with two.
    item_sd : float, optional
        For a survey: standard deviation of the difference that one item shows.
    preset : {'card-high', 'card-low'}, optional
        Instead of it, a setting of card2020 on a scale from 0 to 1; card-high by default.
    n_raters : int, optional
        Of that setting; 3 by default.
    format, scale, repeated, source_errors
        How judgments are read, as in `read_judgments`.

    Returns
    -------
    ArchiveAudit, BenchmarkAudit or SurveyAudit

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation
       of MT", WMT.
    .. [2] Card et al. (2020), "With little power comes great responsibility", EMNLP.

    Examples
    --------
    >>> past = {"pair": ["en-de"] * 3, "difference": [4, 2, 1], "p": [0.001, 0.04, 0.3]}
    >>> found = audit({**past, "n": [300, 250, 400]}, by="pair")
    >>> found.groups[0].observed_mde, found.groups[0].significant
    (2.0, 2)
    """
    asked(AuditSettings, locals())
    sources = list(source) if isinstance(source, list | tuple) else [source]
    if not sources:
        raise InputError("`source` must name at least one file or table; got none.")
    reading: dict[str, Any] = {
        "format": format,
        "scale": scale,
        "repeated": repeated,
        "source_errors": source_errors,
    }
    of_benchmark = {"tasks": tasks, "best": best, "n_items": n_items}
    of_pairs = {"pairs": pairs, "pairs_n": pairs_n}
    kind = _kind(kind, of_benchmark, of_pairs)
    given: dict[str, Any] = {
        **reading,
        **of_benchmark,
        **of_pairs,
        "where": where or None,
        "at_least": at_least,
        "by": by,
        "only": tuple(only) or None,
        "unit": unit,
        "prior": prior,
        "agreement": agreement,
        "item_sd": item_sd,
        "preset": preset,
        "n_raters": n_raters,
        "power": None if power == _POWER else power,
    }
    if pairs is not None:
        _refuse_unused("benchmark", given)
        if len(sources) > 1:
            raise InputError("`pairs` go with one leaderboard.")
        for name, value in (("tasks", tasks), ("best", best or None)):
            if value is not None:
                raise InputError(
                    f"`{name}` has no effect on a leaderboard with `pairs`. Drop it."
                )
        return _leaderboard(
            rows_where(read_table(sources[0]), where or {}),
            read_table(pairs),
            columns,
            sizes=(n_items, pairs_n),
            prior=prior,
            agreement=agreement,
            target_difference=target_difference,
            alpha=alpha,
            power=power,
        )
    parts = [
        _read(
            one,
            kind,
            columns,
            unit=unit,
            progress=progress,
            where=where or {},
            of_benchmark=of_benchmark,
            **reading,
        )
        for one in sources
    ]
    first = parts[0]
    found = [part for part in parts if isinstance(part, PastComparisons)]
    if len(found) == len(parts):
        _refuse_unused("archive", given)
        return audit_archive(
            PastComparisons.join(_by_file(sources, found)),
            by=by,
            only=tuple(only),
            target_difference=target_difference,
            alpha=alpha,
            power=power,
        )
    if len(parts) > 1:
        raise InputError(
            "`source` may name several files only where all are archives of comparisons."
        )
    if isinstance(first, AccuracyClaims):
        from detectable.study.audit.benchmark_audit import audit_benchmark

        _refuse_unused("benchmark", given)
        return audit_benchmark(
            first,
            target_difference=target_difference,
            prior=prior,
            agreement=agreement,
            alpha=alpha,
            power=power,
        )
    from detectable.study.audit.survey_audit import audit_survey

    _refuse_unused("survey", given)
    return audit_survey(
        first,  # type: ignore[arg-type]  # neither of the others
        target_difference=target_difference,
        item_sd=item_sd,
        preset=preset,
        n_raters=n_raters,
        at_least=at_least,
        alpha=alpha,
    )


def _kind(
    kind: AuditKind, of_benchmark: Mapping[str, Any], of_pairs: Mapping[str, Any]
) -> AuditKind:
    """Return the kind that was said, or that options tell which only one kind takes."""
    if of_pairs["pairs"] is None and of_pairs["pairs_n"] is not None:
        raise InputError("`pairs_n` has no effect without `pairs`. Drop it.")
    sized = (of_benchmark["tasks"], of_benchmark["n_items"], of_pairs["pairs"])
    return "benchmark" if kind == "auto" and any(one is not None for one in sized) else kind


def _leaderboard(
    board: Table,
    pairs: Table,
    columns: Mapping[str, str] | None,
    *,
    sizes: tuple[int | None, int | None],
    alpha: float,
    power: float,
    **asked: Any,
) -> "BenchmarkAudit":
    """Audit a leaderboard by the chain of its best systems; `sizes` are of test and development."""
    from detectable.study.audit.benchmark_audit import audit_benchmark
    from detectable.study.audit.leaderboard_pairs import leaderboard_claims

    n_items, pairs_n = sizes
    claims, two_sets, fitted = leaderboard_claims(
        board,
        pairs,
        columns,
        n_items=n_items,
        pairs_n=pairs_n,
        alpha=alpha,
        power=power,
    )
    return audit_benchmark(
        claims, two_sets=two_sets, fitted=fitted, alpha=alpha, power=power, **asked
    )


def _read(
    source: Any,
    kind: AuditKind,
    columns: Mapping[str, str] | None,
    *,
    unit: JudgmentUnit,
    format: str,
    progress: Progress,
    where: Mapping[str, str],
    of_benchmark: Mapping[str, Any],
    **reading: Any,
) -> _Part:
    """Return what a source holds."""
    content = FileContent.of(source) if is_path(source) else source
    told, table = _told(content, kind, columns, format)
    if told == "histograms":
        _refuse_options(
            "score histograms", columns=columns, unit=unit, format=format, **reading
        )
        if not isinstance(content, ScoreHistograms):
            content = read_score_histograms(content)
        return PastComparisons.from_histograms(content)
    if told == "judgments":
        if isinstance(content, Judgments):  # `read_judgments` gives them back as they are
            _refuse_options(
                "judgments that were read before", columns=columns, format=format, **reading
            )
        judgments = read_judgments(
            content, format=format, columns=columns or None, progress=progress, **reading
        )
        return PastComparisons.from_judgments(judgments, unit=unit)
    _refuse_options("a table that holds no judgments", unit=unit, format=format, **reading)
    table = cast("Table", table)  # all that is left was told by the columns of its table
    if told == "archive":
        return comparison_table(table, columns)
    table = rows_where(table, where)
    if told == "benchmark":
        sizes = of_benchmark["tasks"]
        n_items = of_benchmark["n_items"]
        if sizes is not None and n_items is not None:
            raise InputError(
                "`tasks` and `n_items` both say how many items there are. Give one."
            )
        return claim_table(
            table,
            columns,
            tasks=None if sizes is None else read_table(sizes),
            n_items=n_items,
            best=of_benchmark["best"],
        )
    return study_table(table, columns)


def _told(
    content: Any, kind: AuditKind, columns: Mapping[str, str] | None, format: str
) -> tuple[str, Table | None]:
    """Return what a source is, and its table if it had to be read for that.

    What cannot be of the kind that was said is refused.
    """
    told = ""
    if isinstance(content, Judgments) or format != "auto":
        told = "judgments"
    elif isinstance(content, ScoreHistograms):
        told = "histograms"
    elif isinstance(content, FileContent):
        if content.is_folder:
            told = "judgments"
        elif is_numpy_archive(content):
            told = "histograms"
        elif find_reader(content).name != "table":
            told = "judgments"
    if told and kind not in ("auto", "archive"):
        raise InputError(f"`kind` must be archive for {told}; got {kind!r}.")
    if told:
        return told, None
    table = read_table(content, several=True)
    return tell_kind(table, columns, kind), table


def _by_file(sources: Sequence[Any], parts: Sequence[PastComparisons]) -> list[PastComparisons]:
    """Return the parts with the label ``file``, where there are several."""
    if len(parts) == 1:
        return list(parts)
    named = []
    for number, (source, part) in enumerate(zip(sources, parts, strict=True), start=1):
        name = str(source) if is_path(source) else f"source {number}"
        named.append(replace(part, labels={**part.labels, "file": (name,) * len(part)}))
    return named


def _refuse_unused(kind: str, given: Mapping[str, Any]) -> None:
    """Refuse options that have no effect on this kind of audit, rather than ignore them."""
    for name, value in given.items():
        if value not in (None, "auto") and name not in _TAKES[kind]:
            raise InputError(f"`{name}` has no effect on the audit of {_article(kind)}.")


def _refuse_options(what: str, **given: Any) -> None:
    for name, value in given.items():
        if value and value != "auto":
            raise InputError(f"`{name}` has no effect on {what}. Drop it.")


def _article(kind: str) -> str:
    return f"an {kind}" if kind == "archive" else f"a {kind}"
