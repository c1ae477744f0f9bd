"""What outputs with their references hold and can answer."""

import shlex
from collections.abc import Iterator, Sequence

from detectable.core.errors import DetectableError
from detectable.core.types import Progress
from detectable.core.wording import count, listing
from detectable.data.texts.corpus import Corpus
from detectable.metrics.registry import metric
from detectable.study.comparison.compare import compare
from detectable.study.comparison.remarks import suspicions
from detectable.study.doctor.examination import Asking, Examined, Fact, Question
from detectable.study.doctor.of_scores import SEED, of_comparison, quietly
from detectable.study.origins import reverse_share
from detectable.study.reverse_share import ReverseShare

BETTER = "Is one system better than another?"
RUNS = "Would other runs of these systems say the same?"
MORE = "How many documents would show a smaller difference?"
TRANSLATED = "Is the test set translated text, and does that matter?"
JUDGE = "Can people be asked?"


def of_texts(data: str, loaded: Corpus, words: Sequence[str], progress: Progress) -> Examined:
    """Examine texts; `words` are the options that name them on the command line."""
    corpus, asking = loaded, Asking(data)
    said = suspicions(corpus, (metric("bleu"),)) if corpus.systems else []
    return Examined(
        facts=tuple(_facts(corpus, asking)),
        questions=tuple(_questions(corpus, asking, words, progress)),
        suspicions=(*loaded.notes, *said, *_twice(corpus)),
    )


def _facts(corpus: Corpus, asking: Asking) -> Iterator[Fact]:
    names = list(corpus.systems)
    yield asking.fact("systems", f"{len(names)}: {listing(names, most=6)}")
    yield asking.fact("segments", f"{corpus.n_segments:,}")
    yield asking.fact("references", len(corpus.references))
    yield asking.fact("source", "there" if corpus.sources is not None else "not there")
    if corpus.documents is not None:
        yield asking.fact("documents", f"{len(set(corpus.documents)):,}")


def _questions(
    corpus: Corpus, asking: Asking, words: Sequence[str], progress: Progress
) -> Iterator[Question]:
    yield _better(corpus, asking, words, progress)
    single = [name for name in corpus.systems if corpus.n_runs(name) < 2]
    if len(corpus.systems) > 1:
        yield (
            asking.cannot(RUNS, f"There is one run of {listing(single)}.")
            if single
            else (asking.can(RUNS, "Every system has several runs.", ["compare", *words]))
        )
    n = len(set(corpus.documents or ()))
    if n > 2:
        why = f"{count(n, 'document')} are named."
        yield asking.can(MORE, why, ["reliability", *words, "--metric", "bleu"])
    elif n:
        yield asking.cannot(MORE, f"It takes three documents or more; found: {n}.")
    else:
        yield asking.cannot(MORE, "Documents are not named; --documents names them.")
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


def _better(
    corpus: Corpus, asking: Asking, words: Sequence[str], progress: Progress
) -> Question:
    if len(corpus.systems) < 2:
        return asking.cannot(BETTER, "There is one system. Give the output of another.")
    try:
        with quietly():
            found = compare(corpus, ["bleu", "chrf"], rng=SEED, n_examples=0, progress=progress)
    except DetectableError as error:
        return asking.cannot(BETTER, str(error))
    why = f"Paired on {count(found.n_units, found.unit)}."
    return asking.can(BETTER, why, ["compare", *words], of_comparison(found))


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
