"""What is in these files, which go together, what can they answer, and what to type next."""

import csv
import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from tempfile import TemporaryDirectory
from typing import Any

from detectable.core.errors import DataError, DetectableError, InputError
from detectable.core.result import Signature
from detectable.core.types import Progress, silent
from detectable.core.wording import count, listing
from detectable.data.battles.battles import Battles
from detectable.data.battles.read_battles import read_battles
from detectable.data.files.inputs import files_below, is_folder, shareable, unnoted_inputs
from detectable.data.files.place import FilePath
from detectable.data.files.table import TableSource, check_given, is_path, read_table
from detectable.data.human.read_judgments import read_judgments
from detectable.data.names import file_stem
from detectable.data.reader import score_readers
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.sample_log import SeveralFound
from detectable.data.scores.scores import Scores
from detectable.data.scores.suite import SeveralScorers, joined, read_suite
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.data.texts.read_corpus_file import read_corpus_file
from detectable.study.arena.strengths import placing
from detectable.study.doctor.examination import (
    Asking,
    Examination,
    Examined,
    FileFound,
    Question,
)
from detectable.study.doctor.of_data import (
    AGREES,
    of_archive,
    of_battles,
    of_judgments,
    of_metrics,
    of_scores,
    of_texts,
)
from detectable.study.doctor.recognise import recognise

_CHOOSES = {"metric": "--score-name", "filter": "--score-filter"}
_NO_DATA = (".*", "*.md", "README*", "LICEN[CS]E*")  # what lies beside data
_MOST = 40  # files of a folder of no known kind; more are no one's evaluation


@dataclass(frozen=True, slots=True)
class Given:
    """A file as it was given: perhaps with the name of its system."""

    name: str  # empty where none was given
    path: str
    found: FileFound


def gather(
    files: TableSource | Sequence[FilePath] | Mapping[str, FilePath], progress: Progress
) -> list[Given]:
    """Return the files with what each of them is; of an unknown folder, the files in it."""
    listed: Any = [files] if is_path(files) else files
    paths = listed.values() if isinstance(listed, Mapping) else listed
    if not isinstance(paths, Iterable) or not all(is_path(one) for one in paths):
        raise InputError(
            f"`files` must be paths, or a table in memory; got {type(files).__name__}."
        )
    named = listed.items() if isinstance(listed, Mapping) else [("", path) for path in paths]
    given = []
    for name, path in named:
        progress(f"reading {path}", 0, None)
        # A trailing separator would part the folder's name from its files in messages.
        one = _recognised(name, os.fspath(path).rstrip(os.sep) or os.fspath(path))
        known = []
        if one.found.kind == "unknown" and not name:
            known = [inside for inside in _inside(one.path) if inside.found.kind != "unknown"]
        given += known or [one]
    return given


def _recognised(name: str, path: str) -> Given:
    return Given(name, path, recognise(path))


def _inside(path: str) -> list[Given]:
    """Return the files of a folder, but for what tells about data and holds none."""
    if not is_folder(path):
        return []
    found = [
        str(file)
        for file in files_below(path, "*")
        if not any(fnmatch.fnmatch(file.name, pattern) for pattern in _NO_DATA)
    ]
    return [_recognised("", file) for file in found] if len(found) <= _MOST else []


def bodies(given: Sequence[Given]) -> Iterator[list[Given]]:
    """Go through the files that belong together: one log per system, battles, and plain texts."""
    readers = score_readers()
    logs: dict[str, list[Given]] = {}
    battles: list[Given] = []
    texts: list[Given] = []
    for one in given:
        kind = one.found.kind
        alone = kind == "scores" and readers.get(one.found.format).names_systems
        if kind == "lines":
            texts.append(one)
        elif kind == "preferences":
            battles.append(one)
        elif kind == "scores" and not alone and one.found.format != "table":
            logs.setdefault(one.found.format, []).append(one)
        elif kind != "unknown":
            yield [one]
    yield from logs.values()
    yield from (part for part in (battles, texts) if part)


def apart(part: Sequence[Given]) -> list[list[Given]]:
    """Return files that cannot be read as one in groups that can; none where there is one file.

    A file joins the first group that can be read with it. One that cannot be read at all is a
    group by itself.
    """
    kind, files = part[0].found.kind, list(part)
    if len(files) == 1 and not files[0].name:
        files = [one for one in _inside(files[0].path) if one.found.kind == kind]
    if kind not in _TOGETHER or len(files) < 2:
        return []
    groups: list[list[Given]] = []
    for one in files:
        for group in groups:
            if _can_be_read([*group, one]):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _can_be_read(part: Sequence[Given]) -> bool:
    try:
        _TOGETHER[part[0].found.kind](part)
    except DetectableError:
        return False
    return True


def read_together(part: Sequence[Given]) -> tuple[Scores, list[str]]:
    """Read scores, and return the words that name them on the command line.

    Where a log holds several metrics or filters, the one is taken that most people would choose.
    """
    source: FilePath | dict[str, list[FilePath]]
    if len(part) == 1 and not part[0].name:
        source, words = part[0].path, ["--scores", part[0].path]
    else:
        source = {}
        for one in part:
            source.setdefault(one.name or file_stem(one.path), []).append(one.path)
        of = [f"{name}={','.join(map(str, paths))}" for name, paths in source.items()]
        words = [word for text in of for word in ("--scores", text)]
    named = list(words)
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
        except DataError:
            if "metric" not in chosen:
                raise
            return _by_scorers_of_tasks(source, named)
        else:
            return replace(loaded, notes=(*said, *loaded.notes)), words


def _by_scorers_of_tasks(
    source: FilePath | Mapping[str, Sequence[FilePath]], words: Sequence[str]
) -> tuple[Scores, list[str]]:
    """Read a suite whose tasks have scorers of their own, each by what most people would choose."""
    try:
        tables = read_suite(source)
    except SeveralScorers as scorers:
        tables = read_suite(source, scorers.likely)
        said = f"The tasks have scorers of their own: {scorers.held}."
        names = [word for name in scorers.likely for word in ("--score-name", name)]
        loaded = joined(tables)
        return replace(loaded, notes=(said, *loaded.notes)), [*words, *names]
    return joined(tables), list(words)


def battles_together(part: Sequence[Given]) -> Battles:
    """Read battles as `arena` does; those of several files must be of one arena."""
    battles = read_battles([one.path for one in part])
    if len(part) > 1:
        placing(battles, all_ranked=True)  # refuses systems that never met
    return battles


_TOGETHER: Mapping[str, Callable[[Sequence[Given]], Any]] = {
    "scores": read_together,
    "preferences": battles_together,
}


# --- What is in these files, what can they answer, and what to type next ---

_REFERENCE = re.compile(r"(^|[^a-z])refs?([^a-z]|erence|$)", re.IGNORECASE)
_SOURCE = re.compile(r"(^|[^a-z])(src|source)([^a-z]|$)", re.IGNORECASE)
_RUN = re.compile(r"(.+?)[._-](?:opt|run|seed)[._-]?\d+", re.IGNORECASE)
SAVED_AS = "table.csv"  # what commands call a table in memory
FEWER = "Would these scores save judgments?"


def doctor(
    files: TableSource | Sequence[FilePath] | Mapping[str, FilePath],
    *,
    progress: Progress = silent,
) -> Examination:
    """Say what files hold, what they can answer, what is suspicious, and what to type next.

    Nothing is said about who is ahead: the doctor may be asked before the question is fixed. What
    could be detected is that of the tests that the named commands would do, with their units,
    corrections and levels.

    Parameters
    ----------
    files : path, sequence of paths, mapping of system to path, or data frame
        Files and folders of any format that a command reads; of a folder of no known kind, the
        files in it. A data frame, or a mapping of its columns, is examined as the file ``table.csv``
        that it would be. Logs of several systems, one file each, belong together, and so do references
        and outputs as plain text, and battles. Logs and battles that cannot be read as one are
        examined in groups that can.
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
    if _in_memory(files):
        return _of_table(files, progress)
    given = gather(files, progress)
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


def _in_memory(files: object) -> bool:
    """Return whether this is a table, and not the files of systems by their names."""
    if isinstance(files, Mapping):
        return bool(files) and not any(is_path(one) for one in files.values())
    try:
        check_given(files, "")
    except InputError:
        return False
    return not is_path(files)


def _of_table(source: TableSource, progress: Progress) -> Examination:
    """Examine a table in memory as a file: its commands can be typed once it is saved."""
    table = read_table(source)
    with TemporaryDirectory() as folder, unnoted_inputs():
        path = os.path.join(folder, SAVED_AS)
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table.columns)
            writer.writerows(zip(*(table.cells(name) for name in table.columns), strict=True))
        try:
            found = doctor(path, progress=progress)
        except DataError as error:
            raise DataError(str(error).replace(path, SAVED_AS)) from None

    def said(text: str) -> str:
        return text.replace(path, SAVED_AS)

    return replace(
        found,
        files=tuple(replace(one, path=SAVED_AS, about=said(one.about)) for one in found.files),
        questions=tuple(
            replace(one, why=said(one.why), command=said(one.command))
            for one in found.questions
        ),
        suspicions=tuple(map(said, found.suspicions)),
        next_command=said(found.next_command),
        notes=(
            *found.notes,
            f"This is a table in memory. Save it as {SAVED_AS} to type these commands, or give it "
            "to the functions of the same names.",
        ),
    )


def _examined(given: Sequence[Given], progress: Progress) -> Iterator[Examined]:
    tables: dict[str, list[Any]] = {"scores": [], "judgments": []}
    for part in bodies(given):
        try:
            yield _of(part, tables, progress)
        except DetectableError as error:
            groups = apart(part)
            why = (
                f"These files do not fit together, so each is described on its own: {error}"
                if groups
                else error
            )
            yield _suspicious(why)
            for group in groups:
                try:
                    yield _of(group, tables, progress)
                except DetectableError as unread:
                    yield _suspicious(unread)
    yield from _together(tables)


def _of(part: Sequence[Given], tables: dict[str, list[Any]], progress: Progress) -> Examined:
    """Examine files that belong together; tables are kept for what they can do for each other."""
    kind, path, called = part[0].found.kind, part[0].path, _called(part)
    if kind == "scores":
        loaded, words = read_together(part)
        tables[kind].append((loaded, words))
        return of_scores(called, loaded, words, progress)
    if kind == "judgments":
        judgments = read_judgments(path)
        tables[kind].append((judgments, [path]))
        return of_judgments(called, judgments, [path], progress)
    if kind == "preferences":
        paths = [one.path for one in part]
        return of_battles(called, battles_together(part), paths, progress)
    if kind == "metrics":
        return of_metrics(called, path, progress)
    if kind == "archive":
        return of_archive(called, path)
    if kind == "texts":
        return of_texts(called, read_corpus_file(path), ["--corpus", path], progress)
    return _lines(part, progress) if kind == "lines" else _own(part[0])


def _suspicious(why: object) -> Examined:
    return Examined(facts=(), questions=(), suspicions=(str(why),))


def _lines(part: Sequence[Given], progress: Progress) -> Examined:
    """Examine plain texts, which are recognised by their names."""
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
    systems = by_runs({one.name or file_stem(one.path): one.path for one in outputs})
    words = [word for one in references for word in ("--refs", one.path)]
    for name, paths in systems.items():
        words += ["--system", f"{name}={','.join(map(str, paths))}"]
    source = sources[0].path if sources else None
    words += ["--sources", source] if source else []
    corpus: Corpus = read_corpus(systems, [one.path for one in references], sources=source)
    return of_texts(_called(part), corpus, words, progress)


def by_runs(outputs: Mapping[str, FilePath]) -> dict[str, list[FilePath]]:
    """Return the files of each system: names that differ in the number of a run are of one.

    Where runs are numbered, what the names of all systems begin with is left out.

    Examples
    --------
    >>> by_runs({"en.old.opt0": "a", "en.old.opt1": "b", "en.new.run1": "c", "en.new.run2": "d"})
    {'old': ['a', 'b'], 'new': ['c', 'd']}
    >>> by_runs({"old.run1": "a", "new": "b"})
    {'old.run1': ['a'], 'new': ['b']}
    """
    found: dict[str, list[FilePath]] = {}
    for name, path in outputs.items():
        numbered = _RUN.fullmatch(name)
        found.setdefault(numbered[1] if numbered else name, []).append(path)
    if all(len(paths) == 1 for paths in found.values()):
        return {name: [path] for name, path in outputs.items()}
    parts = [name.split(".") for name in found]
    shared = 0
    if len(parts) > 1:
        same = (len(set(column)) == 1 for column in zip(*parts, strict=False))
        shared = min(len(list(takewhile(bool, same))), min(map(len, parts)) - 1)
    return {".".join(name.split(".")[shared:]): paths for name, paths in found.items()}


def _own(one: Given) -> Examined:
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


def _called(part: Sequence[Given]) -> str:
    first = shareable(part[0].path)
    return first if len(part) == 1 else f"{first} and {count(len(part) - 1, 'more')}"
