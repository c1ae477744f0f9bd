"""The texts that scores were computed from, where a score file holds them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.place import quote
from detectable.data.texts.corpus import Corpus

Lines: TypeAlias = Sequence[str | None]


class ScoredText(NamedTuple):
    """What one run of a system was scored on, item by item; None where the file does not say.

    Attributes
    ----------
    path : str
        The file, for messages.
    outputs, references, sources : sequence of str or None
        An entry per item, or none at all.
    """

    path: str
    outputs: Lines = ()
    references: Lines = ()
    sources: Lines = ()

    def take(self, positions: Sequence[int]) -> "ScoredText":
        """Return the text of these items only, in this order."""

        def cut(lines: Lines) -> Lines:
            return tuple(lines[i] for i in positions) if lines else ()

        return ScoredText(self.path, cut(self.outputs), cut(self.references), cut(self.sources))


ScoredTexts: TypeAlias = Mapping[str, tuple[ScoredText, ...]]


def text_of(value: Any) -> str | None:
    """Return a value if it is a text, as score files hold them."""
    return value if isinstance(value, str) else None


def check_scored_texts(texts: ScoredTexts, corpus: Corpus, name: str) -> None:
    """Refuse scores of other texts than those of the corpus, with the first line that differs.

    White space does not count. A reference may be any of those of its segment.

    Parameters
    ----------
    texts : mapping of system to its runs
        What was scored; as many lines as the corpus has segments, or none.
    corpus : Corpus
        The texts that the scores stand beside.
    name : str
        What the scores are called.
    """
    for system in corpus.systems:
        for run, scored in enumerate(texts.get(system, ())):
            lines = corpus.output(system, run)
            wrong = _differing(scored.outputs, (lines,))
            if wrong:
                raise _of_others(name, scored, corpus, (system, run), wrong)
            for what, mine, theirs in (
                ("reference", scored.references, corpus.references),
                ("source", scored.sources, () if corpus.sources is None else (corpus.sources,)),
            ):
                wrong = _differing(mine, theirs)
                if wrong:
                    raise _refusal(
                        name, scored, f"the {what}", mine[wrong[0]], theirs[0], wrong
                    )


def _differing(scored: Lines, streams: Sequence[Lines]) -> list[int]:
    """Return the items, from 0, whose text is in none of the streams."""
    if not scored or not streams:
        return []
    rows = zip(scored, *streams, strict=True)
    return [
        row
        for row, (mine, *theirs) in enumerate(rows)
        if mine is not None
        and mine not in theirs
        and mine.split() not in [(text or "").split() for text in theirs]
    ]


def _of_others(
    name: str,
    scored: ScoredText,
    corpus: Corpus,
    output: tuple[str, int],
    wrong: Sequence[int],
) -> DataError:
    """Say whose outputs were scored instead, if they are those of another system."""
    others = [one for one in corpus.outputs if one != output]
    instead = next(
        (one for one in others if not _differing(scored.outputs, (corpus.output(*one),))), None
    )
    whose = "" if instead is None else f" They are the outputs of system {instead[0]!r}."
    what = f"the output of system {output[0]!r}"
    return _refusal(
        name, scored, what, scored.outputs[wrong[0]], corpus.output(*output), wrong, whose
    )


def _refusal(
    name: str,
    scored: ScoredText,
    what: str,
    found: str | None,
    lines: Lines,
    wrong: Sequence[int],
    whose: str = "",
) -> DataError:
    row = wrong[0]
    total = len(scored.outputs or scored.references or scored.sources)
    return DataError(
        f"scores {name!r} ({scored.path}), line {row + 1:,}: {what} that was scored is "
        f"{quote(found)}, the texts have {quote(lines[row])}; {len(wrong):,} of "
        f"{count(total, 'line')} differ.{whose} "
        "Score these texts again."
    )
