"""What scores, texts and judgments of systems hold, and which questions they can answer."""

import math
import shlex
import statistics
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from detectable.core.errors import DetectableError, DetectableWarning
from detectable.core.types import Progress
from detectable.core.wording import count, listing
from detectable.data.battles.battles import Battles, pooled_languages
from detectable.data.files.table import read_table
from detectable.data.human.description import describe_judgments
from detectable.data.human.judgments import Judgments
from detectable.data.scores.direction import direction_of
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.registry import metric
from detectable.study.archive.agreement_curve import FEWEST_CAMPAIGNS, FEWEST_PAIRS
from detectable.study.arena.arena import arena
from detectable.study.arena.result import Arena
from detectable.study.comparison.compare import compare
from detectable.study.comparison.given_scores import default_metric, name_of
from detectable.study.comparison.remarks import suspicions
from detectable.study.comparison.result import Comparison
from detectable.study.doctor.examination import Asking, Detectable, Examined, Fact, Question
from detectable.study.doctor.recognise import metric_columns, metrics_of_campaigns
from detectable.study.gate.gate import gate
from detectable.study.origins import reverse_share
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking
from detectable.study.reverse_share import ReverseShare

ALONE = "What does it score, and how sure is that?"
BETTER = "Is one system better than another?"
KEEPS = "May the new system replace the old one, if a small loss does not matter?"
RUNS = "Would other runs of these systems say the same?"
MORE = "How many documents would show a smaller difference?"
_HOPELESS = "No loss of any size could be ruled out with so few units."


def of_scores(data: str, loaded: Scores, words: Sequence[str], progress: Progress) -> Examined:
    """Examine scores.

    Parameters
    ----------
    data : str
        What to call them.
    loaded : Scores
        The scores, and what their reader said.
    words : sequence of str
        The options that name them on the command line.
    """
    scores, asking = loaded, Asking(data)
    return Examined(
        facts=tuple(_facts(scores, asking)),
        questions=tuple(_questions(scores, asking, words, progress)),
        suspicions=(
            *loaded.notes,
            *suspicions(scores, ()),
            *_direction(scores),
        ),
    )


def _facts(scores: Scores, asking: Asking) -> Iterator[Fact]:
    yield asking.fact("score", f"{name_of(scores)} ({_way(scores)})")
    yield asking.fact("systems", _named(list(scores.systems)))
    yield asking.fact("items", f"{scores.n_items:,}")
    counts = Counter(n for name in scores.systems for n in scores.n_samples(name).tolist())
    if scores.repeats == "samples":
        shown = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else f"{max(counts)}"
        yield asking.fact("samples of an item", shown)
    else:
        runs = sorted({scores.n_runs(name) for name in scores.systems})
        yield asking.fact("runs of a system", " to ".join(map(str, (runs[0], *runs[1:][-1:]))))
    for what, labels in (("tasks", scores.tasks), ("documents", scores.documents)):
        if labels is not None:
            yield asking.fact(what, _named(list(dict.fromkeys(labels)), most=4))
    missing = len(scores.incomplete())
    if missing:
        yield asking.fact("items without a score of some system", f"{missing:,}")


def _questions(
    scores: Scores, asking: Asking, words: Sequence[str], progress: Progress
) -> Iterator[Question]:
    if len(scores.systems) < 2:
        only = next(iter(scores.systems))
        yield asking.can(
            ALONE, f"Of {count(scores.n_items, 'item')}, one system.", _of_score(words)
        )
        yield asking.cannot(BETTER, f"There is one system, {only}. Give the scores of another.")
        return
    progress("what could be seen", 0, None)
    try:
        with quietly():
            found = compare(scores, rng=SEED, n_examples=0)
    except DetectableError as error:
        yield asking.cannot(BETTER, str(error))
        return
    units = count(found.n_units, found.unit_word)
    if found.n_units < scores.n_items:
        units += f" of {count(scores.n_items, 'item')}"
    yield asking.can(BETTER, f"Paired on {units}.", ["compare", *words], of_comparison(found))
    yield _keeps(scores, found, asking, words)
    yield _runs(scores, asking, words)
    if scores.documents is not None:
        yield _more(scores, asking, words)


def _more(scores: Scores, asking: Asking, words: Sequence[str]) -> Question:
    n, tasks = len(set(scores.documents or ())), len(scores.task_names)
    if n < 3:
        return asking.cannot(MORE, f"It takes three documents or more; found: {n}.")
    if tasks > 1:
        return asking.cannot(MORE, f"There are {count(tasks, 'task')}; it takes one alone.")
    return asking.can(MORE, f"{count(n, 'document')} are named.", ["reliability", *words])


def _keeps(scores: Scores, found: Comparison, asking: Asking, words: Sequence[str]) -> Question:
    """State the margin that a gate could pass, the first system being the old one."""
    old, new, *_ = scores.systems
    spread = [one.largest for one in of_comparison(found) if not math.isnan(one.median)]
    if not spread:
        return asking.cannot(KEEPS, _HOPELESS)
    whole = scores.complete()
    unnamed = scores.metric is None and default_metric(scores) == "accuracy"
    # The margin is the same either way; whoever types the command sees that it must be said.
    told = [name_of(scores)] if direction_of(scores) == "unknown" and not unnamed else []
    try:
        with quietly():
            tried = gate(
                whole,
                whole,
                system=new,
                baseline_system=old,
                margin=spread[0],
                higher_is_better=told,
            )
    except DetectableError as error:
        return asking.cannot(KEEPS, str(error))
    margin = max(row.margin_passable for row in tried.rows)
    if not margin < math.inf or (found.metrics[0]["metric"] == "accuracy" and margin >= 1.0):
        return asking.cannot(KEEPS, _HOPELESS)
    shown = _rounded_up(margin)
    tasks = f" in each of {count(len(tried.rows), 'task')}" if len(tried.rows) > 1 else ""
    why = (
        f"Losses of {shown}{tasks} could be ruled out 4 times in 5 if nothing changed (one-sided, "
        f"α = {tried.alpha:g}). Choose the margin by what matters, before you look."
    )
    said = [word for name in told for word in ("--higher-is-better", name)]
    named = _of_gate(words, old, new)
    scorers = [word for before, word in pairwise(named) if before == "--score-name"]
    if len(scorers) > 1:  # each has a margin of its own, which names it
        named = named[: named.index("--score-name")]
        margins = [word for name in scorers for word in ("--margin", f"{name}={shown}")]
    else:
        margins = ["--margin", shown]
    return asking.can(KEEPS, why, ["gate", *named, *said, *margins])


def _of_score(words: Sequence[str]) -> list[str]:
    """Return how `score` names what `compare` takes as ``--scores``, with all its metrics."""
    pairs = zip(words[::2], words[1::2], strict=True)
    return ["score", *(value.split("=", 1)[-1] for name, value in pairs if name == "--scores")]


def _of_gate(words: Sequence[str], old: str, new: str) -> list[str]:
    """Return how a gate names scores that `compare` takes as ``--scores``."""
    pairs = list(zip(words[::2], words[1::2], strict=True))  # options with a value each
    files = [value for option, value in pairs if option == "--scores"]
    others = [word for pair in pairs if pair[0] != "--scores" for word in pair]
    if len(files) == 1:
        return [*files, "--system", new, "--baseline", old, *others]
    by_name = dict(file.split("=", 1) for file in files)
    return [f"{new}={by_name[new]}", "--baseline", by_name[old], *others]


def _rounded_up(value: float) -> str:
    """Return two digits that are not below the value, as they are typed."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / step - 1e-9) * step:.12g}"


def _runs(scores: Scores, asking: Asking, words: Sequence[str]) -> Question:
    if scores.repeats == "samples":
        return asking.cannot(
            RUNS, "Samples of an item are no runs: they share the system that gave them."
        )
    single = [name for name in scores.systems if scores.n_runs(name) < 2]
    if single:
        return asking.cannot(RUNS, f"There is one run of {listing(single)}.")
    return asking.can(RUNS, "Every system has several runs.", ["compare", *words])


def _way(scores: Scores) -> str:
    if default_metric(scores) == "accuracy":
        return "right or wrong: higher is better"
    return {"lower": "lower is better", "higher": "higher is better"}.get(
        direction_of(scores), "direction not known: taken as higher is better"
    )


def _direction(scores: Scores) -> Iterator[str]:
    if direction_of(scores) == "unknown" and default_metric(scores) != "accuracy":
        yield (
            f"Whether higher {name_of(scores)} is better, its name does not tell. If not, add "
            f"--lower-is-better {name_of(scores)}."
        )


def _named(names: list[str], *, most: int = 6) -> str:
    return f"{len(names):,}: {listing(names, most=most)}"


# --- What outputs with scores by several metrics hold and can answer ---

AGREES = "Which metric agrees with people?"
# Columns that hold what people said.
_HUMAN = ("human", "mqm", "esa", "da", "adequacy", "z", "raw", "rating", "judgment")


def of_metrics(data: str, path: str, progress: Progress) -> Examined:
    """Examine a table with a row per output and a column per metric."""
    asking = Asking(data)
    names = metric_columns(read_table(path))
    human = [name for name in names if name.casefold() in _HUMAN]
    others = [name for name in names if name not in human]
    loaded = read_scores(path, columns={"score": (others or human)[0]})
    scores = loaded
    facts = (
        asking.fact("scores", f"{len(names)}: {listing(names, most=8)}"),
        asking.fact(
            "systems", f"{len(scores.systems)}: {listing(list(scores.systems), most=6)}"
        ),
        asking.fact("items", f"{scores.n_items:,}"),
    )
    questions = (
        _agrees(asking, path, human, others),
        *_better(asking, path, [*human, *others], progress),
    )
    return Examined(facts=facts, questions=questions, suspicions=loaded.notes)


MEANS = "Would people notice a difference of some size?"


def of_archive(data: str, path: str) -> Examined:
    """Examine a table with a row per system of a campaign: what people said, and metrics."""
    asking, table = Asking(data), read_table(path)
    names = metrics_of_campaigns(table)
    campaigns = len(set(table.cells(table.find(["campaign"])[0])))
    facts = (
        asking.fact("systems", f"{table.n_rows:,}"),
        asking.fact("campaigns", f"{campaigns:,}"),
        asking.fact("metrics", listing(names, most=8)),
    )
    why = f"{count(campaigns, 'campaign')}; it takes {FEWEST_CAMPAIGNS} with {FEWEST_PAIRS} pairs."
    words = ["meaning", "--archive", path, "--metric", names[0]]
    able = campaigns >= FEWEST_CAMPAIGNS
    question = asking.can(MEANS, why, words) if able else asking.cannot(MEANS, why)
    return Examined(facts=facts, questions=(question,))


def _agrees(asking: Asking, path: str, human: Sequence[str], others: Sequence[str]) -> Question:
    if len(human) != 1 or not others:
        named = f"{listing(list(human))} could be it" if human else "none is"
        why = (
            f"Which column is what people said? By their names, {named}. Say it: detectable meta "
            "FILE --human COLUMN --metric COLUMN …."
        )
        return asking.cannot(AGREES, why)
    words = ["meta", path, "--human", human[0]]
    words += [word for name in others for word in ("--metric", name)]
    why = f"{human[0]} is taken for what people said; {count(len(others), 'metric')} beside it."
    return asking.can(AGREES, why, words)


def _better(
    asking: Asking, path: str, names: Sequence[str], progress: Progress
) -> Iterator[Question]:
    """Ask about the systems by the first score; the others are asked alike."""
    progress("what could be seen", 0, None)
    name = names[0]
    try:
        scores = read_scores(path, columns={"score": name})
        with quietly():
            found = compare(scores, rng=SEED, n_examples=0)
    except DetectableError as error:
        yield asking.cannot(BETTER, str(error))
        return
    words = ["compare", "--scores", path, "--column", f"score={name}"]
    others = (
        f" By the others likewise: {listing(list(names[1:]), most=8)}." if names[1:] else ""
    )
    why = f"By {name}, on {count(found.n_units, found.unit_word)}.{others}"
    yield asking.can(BETTER, why, words, of_comparison(found))


# --- What the tests of this package would find in some data, without saying who is ahead ---

SEED = 0  # of the tests behind it; the differences that they would find hardly depend on it


def quietly() -> warnings.catch_warnings:
    """Return a context in which no warnings come: what they say, the suspicions say."""
    return warnings.catch_warnings(action="ignore", category=DetectableWarning)


def of_comparison(found: Comparison) -> tuple[Detectable, ...]:
    """Return what a comparison could have detected, metric by metric."""
    made = []
    for about in found.metrics:
        name = about["metric"]
        most = 1.0 if name == "accuracy" else math.inf  # shares differ by less than 1
        values = [pair.mde for pair in found.pairs if pair.metric == name]
        values = [value if value < most else math.nan for value in values]
        made.append(
            Detectable(
                metric=found.label(name),
                **_spread(values),
                n_pairs=len(values),
                unit=found.unit_word,
                n_units=found.n_units,
                test=found.test,
                correction=found.correction,
                alpha=found.alpha,
                power=found.power,
            )
        )
    return tuple(made)


def of_ranking(found: Ranking) -> tuple[Detectable, ...]:
    """Return what a ranking could have detected."""
    values = [pair.mde for pair in found.pairs]
    return (
        Detectable(
            metric=f"{found.scale} score",
            **_spread(values),
            n_pairs=len(values),
            unit=found.unit,
            n_units=found.n_units,
            test=found.test,
            correction=found.correction,
            alpha=found.alpha,
            power=found.power,
        ),
    )


def of_arena(found: Arena) -> tuple[Detectable, ...]:
    """Return what the battles of an arena could have detected, in points of Elo."""
    values = [pair.mde_elo for pair in found.pairs]
    unit, n_units = min(found.clusters.items(), key=lambda one: one[1], default=("vote", 0))
    return (
        Detectable(
            metric="points of Elo",
            **_spread(values),
            n_pairs=len(values),
            unit=unit,
            n_units=n_units or found.n_votes,
            test=found.test,
            correction="max-t" if found.test == "max-t" else "none",
            alpha=found.alpha,
            power=found.power,
        ),
    )


def _spread(values: Sequence[float]) -> dict[str, float]:
    known = [value for value in values if not math.isnan(value)]
    nothing = float("nan")
    if len(known) * 2 <= len(values):  # for most pairs nothing could be found
        return {"smallest": min(known, default=nothing), "median": nothing, "largest": nothing}
    return {
        "smallest": min(known),
        "median": statistics.median(known),
        "largest": max(known),
    }


# --- What outputs with their references hold and can answer ---

BETTER_TEXTS = "Is one system better than another?"
RUNS_OF_TEXTS = "Would other runs of these systems say the same?"
MORE_TEXTS = "How many documents would show a smaller difference?"
TRANSLATED = "Is the test set translated text, and does that matter?"
JUDGE = "Can people be asked?"


def of_texts(data: str, loaded: Corpus, words: Sequence[str], progress: Progress) -> Examined:
    """Examine texts; `words` are the options that name them on the command line."""
    corpus, asking = loaded, Asking(data)
    said = suspicions(corpus, (metric("bleu"),)) if corpus.systems else []
    return Examined(
        facts=tuple(_facts_of_texts(corpus, asking)),
        questions=tuple(_questions_of_texts(corpus, asking, words, progress)),
        suspicions=(*loaded.notes, *said, *_twice(corpus)),
    )


def _facts_of_texts(corpus: Corpus, asking: Asking) -> Iterator[Fact]:
    names = list(corpus.systems)
    yield asking.fact("systems", f"{len(names)}: {listing(names, most=6)}")
    yield asking.fact("segments", f"{corpus.n_segments:,}")
    yield asking.fact("references", len(corpus.references))
    yield asking.fact("source", "there" if corpus.sources is not None else "not there")
    if corpus.documents is not None:
        yield asking.fact("documents", f"{len(set(corpus.documents)):,}")


def _questions_of_texts(
    corpus: Corpus, asking: Asking, words: Sequence[str], progress: Progress
) -> Iterator[Question]:
    yield _better_of_texts(corpus, asking, words, progress)
    single = [name for name in corpus.systems if corpus.n_runs(name) < 2]
    if len(corpus.systems) > 1:
        yield (
            asking.cannot(RUNS_OF_TEXTS, f"There is one run of {listing(single)}.")
            if single
            else (
                asking.can(RUNS_OF_TEXTS, "Every system has several runs.", ["compare", *words])
            )
        )
    n = len(set(corpus.documents or ()))
    if n > 2:
        why = f"{count(n, 'document')} are named."
        yield asking.can(MORE_TEXTS, why, ["reliability", *words, "--metric", "bleu"])
    elif n:
        yield asking.cannot(MORE_TEXTS, f"It takes three documents or more; found: {n}.")
    else:
        yield asking.cannot(MORE_TEXTS, "Documents are not named; --documents names them.")
    if corpus.original_languages is None:
        yield asking.cannot(TRANSLATED, "Original languages are not named.")
    else:
        yield from of_origins(reverse_share(corpus), asking, ["translationese", *words])
    yield asking.can(JUDGE, "Tasks with controls are made from the texts.", ["tasks", *words])


def of_origins(
    share: ReverseShare | None, asking: Asking, words: Sequence[str]
) -> Iterator[Question]:
    """Say whether forward can be told from reverse data; `words` is what to type then."""
    if share is None:
        yield asking.cannot(TRANSLATED, "All was first written in one language.")
        return
    written = listing([f"{name} ({n:,})" for name, n in share.languages.items()], most=6)
    if share.language_pair is None:
        yield asking.cannot(
            TRANSLATED,
            f"First written in {written}. The file does not say what is translated into what: "
            f"{shlex.join(['detectable', *words])} --language PAIR.",
        )
    elif share.is_mixed:
        half = f"{share.n_reverse / share.n:.0%}"
        why = f"First written in {written}, translated {share.language_pair}: {half} reverse-created."
        yield asking.can(TRANSLATED, why, words)
    else:
        which = "reverse-created" if share.n_reverse else "forward"
        yield asking.cannot(
            TRANSLATED,
            f"First written in {written}, translated {share.language_pair}: all of it is {which}.",
        )


def _better_of_texts(
    corpus: Corpus, asking: Asking, words: Sequence[str], progress: Progress
) -> Question:
    if len(corpus.systems) < 2:
        return asking.cannot(BETTER_TEXTS, "There is one system. Give the output of another.")
    try:
        with quietly():
            found = compare(corpus, ["bleu", "chrf"], rng=SEED, n_examples=0, progress=progress)
    except DetectableError as error:
        return asking.cannot(BETTER_TEXTS, str(error))
    why = f"Paired on {count(found.n_units, found.unit)}."
    return asking.can(BETTER_TEXTS, why, ["compare", *words], of_comparison(found))


def _twice(corpus: Corpus) -> Iterator[str]:
    """Say how many sources come again: they count as further evidence, and are not."""
    if corpus.sources is None:
        return
    again = corpus.n_segments - len(set(corpus.sources))
    if again > 0.01 * corpus.n_segments:
        yield (
            f"{count(again, 'source')} of {corpus.n_segments:,} come again: their outputs say "
            "little new."
        )


# --- What judgments and battles hold and can answer ---

RANK = "How do the systems rank?"
RATERS = "Can the raters be trusted?"
NOISE = "How much of the spread is noise between raters, and do they agree?"
OTHER_RATERS = "Would other raters and texts say the same?"
REPEAT = "Would a repeat of this evaluation keep its claims?"
MORE_PEOPLE = "How many documents would show a smaller difference?"


def of_judgments(
    data: str, judgments: Judgments, words: Sequence[str], progress: Progress
) -> Examined:
    """Examine judgments; `words` names them on the command line."""
    asking = Asking(data)
    return Examined(
        facts=tuple(_facts_of_people(judgments, asking)),
        questions=tuple(_questions_of_people(judgments, asking, words, progress)),
        suspicions=judgments.notes,
    )


def _facts_of_people(judgments: Judgments, asking: Asking) -> Iterator[Fact]:
    found = describe_judgments(judgments)
    yield asking.fact("judgments", f"{found.judgments:,}")
    for role, n in found.levels.items():
        yield asking.fact(f"{role}s", f"{n:,}")
    kinds = [f"{n:,} {kind}" for kind, n in found.kinds.items() if n]
    yield asking.fact("kinds", ", ".join(kinds))
    low, high = found.scale
    yield asking.fact("scale", f"{low:g} to {high:g}")
    if judgments.rater is not None:
        yield asking.fact("outputs with two raters", f"{_overlap(judgments):,}")


def _questions_of_people(
    judgments: Judgments, asking: Asking, words: Sequence[str], progress: Progress
) -> Iterator[Question]:
    yield _rank(judgments, asking, words, progress)
    if judgments.is_kind("degraded").any() and judgments.rater is not None:
        copies = int(judgments.is_kind("degraded").sum())
        why = f"{count(copies, 'degraded copy', 'degraded copies')} to be told from originals."
        yield asking.can(RATERS, why, ["quality", *words])
    else:
        unnamed = judgments.rater is None
        why = "Raters are not named." if unnamed else "There are no degraded copies."
        yield asking.cannot(RATERS, why)
    yield from _of_raters(judgments, asking, words)
    yield _repeat(judgments, asking, words)
    if judgments.document is not None:
        n = judgments.document.n_levels
        needs = ["reliability", "--judgments", *words]
        yield (
            asking.can(MORE_PEOPLE, f"{count(n, 'document')} are named.", needs)
            if n > 2
            else (asking.cannot(MORE_PEOPLE, f"It takes three documents or more; found: {n}."))
        )
    if judgments.original_language is not None:
        typed = ["translationese", "--judgments", *words]
        yield from of_origins(reverse_share(judgments), asking, typed)


def _rank(
    judgments: Judgments, asking: Asking, words: Sequence[str], progress: Progress
) -> Question:
    if judgments.system.n_levels < 2:
        return asking.cannot(RANK, "There is one system. Add the judgments of another.")
    progress("what could be seen", 0, None)
    try:
        with quietly():
            found = rank_systems(judgments, rng=SEED)
    except DetectableError as error:
        return asking.cannot(RANK, str(error))
    why = f"{count(found.n_units, found.unit)}, matched by {found.matching}."
    return asking.can(RANK, why, ["rank", *words], of_ranking(found))


def _of_raters(
    judgments: Judgments, asking: Asking, words: Sequence[str]
) -> Iterator[Question]:
    if judgments.rater is None:
        yield asking.cannot(NOISE, "Raters are not named.")
        yield asking.cannot(OTHER_RATERS, "Raters are not named.")
        return
    shared = _overlap(judgments)
    if shared:
        were = "was" if shared == 1 else "were"
        why = f"{count(shared, 'output')} {were} judged by two raters or more."
        yield asking.can(NOISE, why, ["variance", *words])
    else:
        yield asking.cannot(NOISE, "No output was judged by two raters. Plan an overlap.")
    n = judgments.rater.n_levels
    if n > 2:
        why = f"{count(n, 'rater')}, taken as a sample of raters."
        yield asking.can(OTHER_RATERS, why, ["mixed", *words])
    else:
        yield asking.cannot(OTHER_RATERS, f"{count(n, 'rater')} cannot stand for others.")


def _repeat(judgments: Judgments, asking: Asking, words: Sequence[str]) -> Question:
    if judgments.rater is None:
        return asking.cannot(REPEAT, "Raters are not named.")
    if judgments.system.n_levels < 2:
        return asking.cannot(REPEAT, "There is one system. Add the judgments of another.")
    texts = judgments.item if judgments.document is None else judgments.document
    unit = "item" if judgments.document is None else "document"
    pairs = np.unique(np.stack([texts.codes, judgments.rater.codes]), axis=1)
    shared = int((np.unique(pairs[0], return_counts=True)[1] > 1).sum())
    why = f"{count(shared, unit)} of {texts.n_levels:,} have two raters or more."
    if not shared:
        why = f"One rater for each {unit}: other raters are not told from other {unit}s."
    return asking.can(REPEAT, why, ["rank", *words, "--repeat", "both"])


def _overlap(judgments: Judgments) -> int:
    """Return how many outputs were judged by two raters or more."""
    if judgments.rater is None:
        return 0
    rows = judgments.is_kind("system")
    cells = np.stack(
        [judgments.system.codes[rows], judgments.item.codes[rows], judgments.rater.codes[rows]]
    )
    distinct = np.unique(cells, axis=1)
    _, raters = np.unique(distinct[:2], axis=1, return_counts=True)
    return int((raters > 1).sum())


# --- What battles hold and can answer ---

ORDER = "Which systems are preferred?"
NEXT = "How many more votes would separate two systems?"
STOP = "May we stop voting now?"


def of_battles(
    data: str, battles: Battles, paths: Sequence[str], progress: Progress
) -> Examined:
    """Examine battles; `paths` name them on the command line."""
    asking = Asking(data)
    return Examined(
        facts=tuple(_battle_facts(battles, asking)),
        questions=tuple(_battle_questions(battles, asking, paths, progress)),
        suspicions=(*battles.notes, *pooled_languages(battles)),
    )


def _battle_facts(battles: Battles, asking: Asking) -> Iterator[Fact]:
    names = list(battles.systems)
    yield asking.fact("systems", f"{len(names)}: {listing(names, most=6)}")
    yield asking.fact("battles", f"{battles.n:,}")
    yield asking.fact("ties", f"{int((battles.outcome == 0.5).sum()):,}")
    for what, factor in (("prompts", battles.prompt), ("voters", battles.voter)):
        yield asking.fact(what, "not named" if factor is None else f"{factor.n_levels:,}")
    if "language" in battles.names:
        languages = [name for name in battles.names["language"].levels if name]
        yield asking.fact("languages", f"{len(languages)}: {listing(languages, most=6)}")
    yield asking.fact("order of the two", "known" if battles.sided else "not known")


def _battle_questions(
    battles: Battles, asking: Asking, paths: Sequence[str], progress: Progress
) -> Iterator[Question]:
    progress("what could be seen", 0, None)
    try:
        with quietly():
            found = arena(battles, rng=SEED)
    except DetectableError as error:
        yield asking.cannot(ORDER, str(error))
        return
    kinds = [count(n, kind) for kind, n in found.clusters.items()]
    why = f"Independent: {listing(kinds)}." if kinds else "Votes are taken as independent."
    yield asking.can(ORDER, why, ["arena", *paths], of_arena(found))
    yield asking.can(NEXT, "For 10 points of Elo, say.", ["arena", *paths, "--effect", "10"])
    yield asking.cannot(STOP, "A plan is made before the votes: detectable plan new.")
