"""What is in these files, what can they answer, and what to type next."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectable.core.errors import DataError, DetectableError, InputError
from detectable.core.progress import Progress, silent
from detectable.core.result import Signature
from detectable.core.wording import count, listing
from detectable.data.battles.read_battles import read_battles
from detectable.data.files.place import FilePath
from detectable.data.files.shareable import shareable
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.loaded import Loaded
from detectable.data.name_systems import file_stem
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.sample_log import SeveralFound
from detectable.data.scores.score_registry import score_readers
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.data.texts.read_corpus_file import read_corpus_file
from detectable.study.doctor.examination import Examination, FileFound, Question
from detectable.study.doctor.examined import Asking, Examined
from detectable.study.doctor.of_battles import of_battles
from detectable.study.doctor.of_judgments import of_judgments
from detectable.study.doctor.of_metrics import AGREES, of_metrics
from detectable.study.doctor.of_scores import of_scores
from detectable.study.doctor.of_texts import of_texts
from detectable.study.doctor.recognise import recognise

_REFERENCE = re.compile(r"(^|[^a-z])refs?([^a-z]|erence|$)", re.IGNORECASE)
_SOURCE = re.compile(r"(^|[^a-z])(src|source)([^a-z]|$)", re.IGNORECASE)
_CHOOSES = {"metric": "--score-name", "filter": "--score-filter"}
FEWER = "Would these scores save judgments?"


@dataclass(frozen=True, slots=True)
class _Given:
    """A file as it was given: perhaps with the name of its system."""

    name: str  # empty where none was given
    path: str
    found: FileFound


def doctor(
    files: Sequence[FilePath] | Mapping[str, FilePath], *, progress: Progress = silent
) -> Examination:
    """Say what files hold, what they can answer, what is suspicious, and what to type next.

    Nothing is said about who is ahead: the doctor may be asked before the question is fixed. What
    could be detected is that of the tests that the named commands would do, with their units,
    corrections and levels.

    Parameters
    ----------
    files : sequence of paths, or mapping of system to path
        Files and folders of any format that a command reads. Logs of several systems, one file
        each, belong together, and so do references and outputs as plain text.
    progress : callable
        Told what is going on.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/s.csv", "w") as file:
    ...         _ = file.write("item,new,old" + chr(10))
    ...         for i in range(40):
    ...             _ = file.write(f"{i},{i % 5},{i % 3}" + chr(10))
    ...     found = doctor([f"{folder}/s.csv"])
    >>> found.questions[0].question, found.questions[0].possible
    ('Is one system better than another?', True)
    """
    named = files.items() if isinstance(files, Mapping) else [("", path) for path in files]
    given = []
    for name, path in named:
        progress(f"reading {path}", 0, None)
        given.append(_Given(name, str(path), recognise(path)))
    if not given:
        raise InputError("`files` must name at least one file; got none.")
    if all(one.found.kind == "unknown" for one in given):
        raise DataError(given[0].found.about)
    examined = list(_examined(given, progress))
    questions = [question for one in examined for question in one.questions]
    questions.sort(key=lambda question: not question.possible)
    unknown = [one.found.about for one in given if one.found.kind == "unknown"]
    suspicions = [*unknown, *(text for one in examined for text in one.suspicions)]
    for one in given:  # what is kept tells nothing about the machine
        suspicions = [text.replace(one.path, shareable(one.path)) for text in suspicions]
    able = [question.command for question in questions if question.possible]
    return Examination(
        files=tuple(one.found for one in given),
        facts=tuple(fact for one in examined for fact in one.facts),
        questions=tuple(questions),
        suspicions=tuple(dict.fromkeys(suspicions)),
        next_command=able[0] if able else "",
        signature=Signature("doctor", {"files": len(given)}),
    )


def _examined(given: Sequence[_Given], progress: Progress) -> Iterator[Examined]:
    tables: dict[str, list[Any]] = {"scores": [], "judgments": []}
    for part in _bodies(given):
        kind = part[0].found.kind
        try:
            if kind == "scores":
                loaded, words = _scores(part)
                tables[kind].append((loaded.table, words))
                yield of_scores(_called(part), loaded, words, progress)
            elif kind == "judgments":
                judgments, words = _judgments(part[0])
                tables[kind].append((judgments, words))
                yield of_judgments(_called(part), judgments, words, progress)
            elif kind == "preferences":
                battles = read_battles(part[0].path)
                yield of_battles(_called(part), battles, part[0].path, progress)
            elif kind == "metrics":
                yield of_metrics(_called(part), part[0].path, progress)
            elif kind == "texts":
                corpus = read_corpus_file(part[0].path)
                yield of_texts(_called(part), corpus, ["--corpus", part[0].path], progress)
            elif kind == "lines":
                yield _lines(part, progress)
            else:
                yield _own(part[0])
        except DetectableError as error:
            yield Examined(facts=(), questions=(), suspicions=(str(error),))
    yield from _together(tables)


def _bodies(given: Sequence[_Given]) -> Iterator[list[_Given]]:
    """Go through the files that belong together: one log per system, and plain texts."""
    readers = score_readers()
    logs: dict[str, list[_Given]] = {}
    texts: list[_Given] = []
    for one in given:
        kind = one.found.kind
        alone = kind == "scores" and readers.get(one.found.format).names_systems
        if kind == "lines":
            texts.append(one)
        elif kind == "scores" and not alone and one.found.format != "table":
            logs.setdefault(one.found.format, []).append(one)
        elif kind != "unknown":
            yield [one]
    yield from logs.values()
    if texts:
        yield texts


def _scores(part: Sequence[_Given]) -> tuple[Loaded[Scores], list[str]]:
    """Read scores; where a log holds several, the one that most people would choose."""
    source: FilePath | dict[str, list[FilePath]]
    if len(part) == 1 and not part[0].name:
        source, words = part[0].path, ["--scores", part[0].path]
    else:
        source = {}
        for one in part:
            source.setdefault(one.name or file_stem(one.path), []).append(one.path)
        named = [f"{name}={','.join(map(str, paths))}" for name, paths in source.items()]
        words = [word for text in named for word in ("--scores", text)]
    chosen: dict[str, str] = {}
    said: list[str] = []
    while True:
        try:
            loaded = read_scores(source, **chosen)  # type: ignore[arg-type]
        except SeveralFound as several:
            if several.noun in chosen or several.noun not in _CHOOSES:
                raise
            chosen[several.noun] = several.likely
            words += [_CHOOSES[several.noun], several.likely]
            said.append(
                f"{count(len(several.found), several.noun)} in the logs: "
                f"{listing(list(several.found), most=12)}."
            )
        else:
            return replace(loaded, notes=(*said, *loaded.notes)), words


def _judgments(one: _Given) -> tuple[Judgments, list[str]]:
    return read_judgments(one.path), [one.path]


def _lines(part: Sequence[_Given], progress: Progress) -> Examined:
    """Examine plain texts, which are told apart by their names."""
    references = [one for one in part if _REFERENCE.search(file_stem(one.path))]
    sources = [one for one in part if _SOURCE.search(file_stem(one.path))]
    outputs = [one for one in part if one not in references and one not in sources]
    if not references or not outputs:
        what = "references" if not references else "outputs"
        why = (
            f"Which of {listing([shareable(one.path) for one in part])} are the {what}? Say it: detectable "
            "compare --refs REFERENCE --system NAME=OUTPUT …."
        )
        question = Asking(_called(part)).cannot("Is one system better than another?", why)
        return Examined(facts=(), questions=(question,))
    systems = {one.name or file_stem(one.path): one.path for one in outputs}
    words = [word for one in references for word in ("--refs", one.path)]
    words += [word for name, path in systems.items() for word in ("--system", f"{name}={path}")]
    source = sources[0].path if sources else None
    words += ["--sources", source] if source else []
    corpus: Corpus = read_corpus(systems, [one.path for one in references], sources=source)
    return of_texts(_called(part), Loaded(corpus), words, progress)


def _own(one: _Given) -> Examined:
    """Say what to do with the files that this package writes."""
    asking, kind = Asking(shareable(one.path)), one.found.kind
    questions: tuple[Question, ...]
    if kind == "plan":
        questions = (
            asking.can(
                "Where does the plan stand?", "Its ledger tells.", ["plan", "show", one.path]
            ),
            asking.can("Is it whole?", "It has a fingerprint.", ["verify", one.path]),
        )
    elif kind == "result":
        questions = (
            asking.can("What did it find?", "All of it is kept.", ["report", one.path]),
            asking.can("Does it come out again?", "Its command is kept.", ["verify", one.path]),
        )
    else:
        why = "Give the new scores: detectable gate NEW --baseline FILE --margin M."
        questions = (asking.cannot("May the new system be merged?", why),)
    return Examined(facts=(asking.fact("holds", one.found.about),), questions=questions)


def _together(tables: Mapping[str, Sequence[Any]]) -> Iterator[Examined]:
    """Ask what judgments and scores of the same outputs can do for each other."""
    for judgments, words in tables["judgments"]:
        for scores, given in tables["scores"]:
            asking = Asking(f"{shareable(words[0])} and scores")
            items = len(set(judgments.item.levels) & set(scores.items))
            systems = len(set(judgments.system.levels) & set(scores.systems))
            shared = f"{count(items, 'item')} and {count(systems, 'system')}"
            questions = [asking.cannot(FEWER, f"They share {shared}.")]
            if items and systems and len(given) == 2:
                why = f"{shared} are in both."
                questions = list(_in_both(asking, words[0], given[1], why, systems))
            yield Examined(facts=(), questions=tuple(questions))


def _in_both(
    asking: Asking, judged: str, scored: str, why: str, systems: int
) -> Iterator[Question]:
    yield asking.can(FEWER, why, ["control-variates", judged, scored])
    if systems > 1:
        given = f"{file_stem(scored)}={scored}"
        yield asking.can(AGREES, why, ["meta", judged, "--metric", given])


def _called(part: Sequence[_Given]) -> str:
    first = shareable(part[0].path)
    return first if len(part) == 1 else f"{first} and {count(len(part) - 1, 'more')}"
