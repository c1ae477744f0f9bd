"""Results of any number of systems, for tables that must fit a page or a terminal."""

from collections.abc import Sequence

from detectable.core.interval import Interval
from detectable.study.comparison.result import Comparison, PairComparison, SystemScore
from detectable.study.ranking.ranking import Ranking
from tests.report import results

HOSTILE = (
    *("100% sure", "a_b_c", "x & y", "#1", "back\\slash", "{brace}", "~tilde^", "$cash$"),
    *(
        "日本語システム",
        "Größe-Łódź",
        "Đorđe ąę",
        "emoji 😀",
        "[bracket]",
        "*star",
        "\"quote`s'",
    ),
    *("--dash---", "<tag>", "|pipe|", "Ωμέγα", "русский", "e\u0301galite\u0301", "a\tb\nc"),
    *("system-with-a-name-of-forty-characters-A", "W" * 40),
)


def names_of(n: int, names: Sequence[str] = ()) -> list[str]:
    """Return as many names as asked for: those given first, then plain ones."""
    return [*names[:n], *(f"system-{i:02d}" for i in range(len(names), n))]


def compared(
    n: int,
    metrics: Sequence[str] = ("bleu",),
    *,
    names: Sequence[str] = (),
    runs: int = 1,
    every_pair: bool = False,
) -> Comparison:
    """Return `n` systems under some metrics; the better the earlier, the last far below."""
    called = names_of(n, names)
    pairs: list[PairComparison] = []
    scores: list[SystemScore] = []
    for metric in metrics:
        scores += [_score(name, metric, i, runs) for i, name in enumerate(called)]
        pairs += [
            _pair(called[i], called[j], metric, j - i, flip=not every_pair)
            for i in range(n if every_pair else 1)
            for j in range(i + 1, n)
        ]
    return results.comparison(
        metrics=tuple(_about(metric) for metric in metrics),
        systems=tuple(scores),
        pairs=tuple(pairs),
        groups={m: (tuple(called[:-1]), (called[-1],)) for m in metrics} if every_pair else {},
        agreement=(),
        contrasts=(),
        influential=(),
        n_runs=dict.fromkeys(called, runs),
        runs="fixed" if runs == 1 else "random",
        correction="max-t" if runs == 1 else "holm",
        family="systems",
        margin={},
        effect={},
        notes=(),
    )


def _about(metric: str) -> dict[str, object]:
    printed = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}
    return results.metric(metric, printed.get(metric, metric), 4 if metric == "comet" else 2)


def _score(name: str, metric: str, place: int, runs: int) -> SystemScore:
    unit = 0.01 if metric == "comet" else 1.0
    value = (30.0 - place * (1.0 if metric != "ter" else -1.0)) * unit
    return results.score(
        name,
        metric,
        score=value,
        interval=Interval(value - 1.3 * unit, value + 1.3 * unit, 0.95),
        runs=tuple(value + 0.1 * unit * run for run in range(runs)),
        s_test=0.05 * unit,
        s_sel=0.65 * unit,
    )


def _pair(first: str, second: str, metric: str, apart: int, *, flip: bool) -> PairComparison:
    """Return the first against the second, or with `flip` the second against the first."""
    p = (1.0, 0.3, 0.04, 0.008)[apart] if apart < 4 else 0.0002
    told = p <= 0.05
    higher = metric != "ter"
    difference = (1.0 if higher else -1.0) * apart * (0.01 if metric == "comet" else 1.0)
    system, baseline = (second, first) if flip else (first, second)
    return results.pair(
        system,
        metric,
        baseline=baseline,
        difference=-difference if flip else difference,
        p_adjusted=p,
        verdict=("worse" if flip else "better") if told else "undecided",
    )


def ranked(n: int, *, names: Sequence[str] = (), z: bool = True) -> Ranking:
    """Return a ranking of `n` systems in two clusters; one pair is reversed."""
    called = names_of(n, names)
    made = results.long_ranking(n)
    pairs = []
    for i, first in enumerate(called):
        for j in range(i + 1, n):
            below = j == n - 1
            pairs.append(
                results.ranked_pair(
                    first,
                    called[j],
                    difference=0.512 if below else 0.031 * (j - i) - 0.05,
                    p_adjusted=0.0004 if below else 0.2,
                    verdict="better" if below else "undecided",
                )
            )
    return results.ranking(
        systems=tuple(
            results.ranked(
                name,
                score=0.5 - 0.1 * i,
                mean_raw=80.0 - i,
                mean_z=0.5 - 0.1 * i,
                cluster=row.cluster,
                rank_low=row.rank_low,
                rank_high=row.rank_high,
            )
            for i, (name, row) in enumerate(zip(called, made.systems, strict=True))
        ),
        clusters=(tuple(called[:-1]), (called[-1],)),
        pairs=tuple(pairs),
        scale="z" if z else "points",
        notes=(),
    )
