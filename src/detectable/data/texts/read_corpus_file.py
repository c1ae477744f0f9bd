"""A corpus from one file or folder that holds everything; mt-metrics-eval among them."""

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing
from detectable.data.files.inputs import is_folder, names_in
from detectable.data.files.lines import read_lines
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.table import (
    LANGUAGE,
    TableSource,
    given,
    is_path,
    read_table,
    with_language,
)
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus
from detectable.data.texts.text_table import read_text_table

_TABLES = frozenset((".tsv", ".csv", ".jsonl", ".ndjson", ".parquet"))
_PACKED = frozenset((".gz", ".xz", ".bz2", ".zst"))


def read_corpus_file(
    source: TableSource,
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    language_pair: str | None = None,
    need_references: bool = True,
) -> Corpus:
    """Read a table of texts, a WMT XML file or an mt-metrics-eval folder, going by its name.

    Parameters
    ----------
    source : path, data frame, or mapping of str to sequence
        ``.tsv``, ``.csv``, ``.jsonl`` or ``.parquet`` (see `read_text_table`), ``.xml`` (see
        `read_wmt_xml`), or a folder (see `read_mtme_corpus`); or a table in memory.
    systems, references : sequence of str, optional
        Which of them to take. Default: all.
    language_pair : str, optional
        For a folder or a table that holds several, such as ``en-de``.
    need_references : bool
        Whether a table without a reference is refused.
    """
    if not is_path(source):
        return read_text_table(
            source,
            systems=systems,
            references=references,
            language_pair=language_pair,
            need_references=need_references,
        )
    place = Path(source)
    if is_folder(place):
        pair = language_pair or _only_pair(place)
        return read_mtme_corpus(place, pair, systems=systems, references=references)
    endings = [ending.lower() for ending in place.suffixes if ending.lower() not in _PACKED]
    ending = endings[-1] if endings else ""
    if ending == ".xml":
        from detectable.data.texts.wmt_test_sets import read_wmt_xml

        found = read_wmt_xml(place, systems=systems, references=references)
        if language_pair is not None and found.language_pair is not None:
            raise InputError(
                f"`language_pair` must be left out: {place} is XML, which holds one language pair."
            )
        return replace(found, language_pair=language_pair or found.language_pair)
    if ending in _TABLES:
        return read_text_table(
            place,
            systems=systems,
            references=references,
            language_pair=language_pair,
            need_references=need_references,
        )
    raise DataError(
        f"{place}: cannot tell the format of a corpus from its name. Known are tables (.tsv, "
        ".csv, .jsonl, .parquet), WMT XML (.xml) and mt-metrics-eval folders. For plain text "
        "give references and systems as files of their own."
    )


def corpus_of(data: Corpus | TableSource, wanted: str = "`corpus` must be texts") -> Corpus:
    """Return texts that a study is given: as they are, or read from a file or a frame."""
    return given(data, Corpus, read_corpus_file, wanted)


def pairs_of_file(source: FilePath) -> list[str]:
    """Return the language pairs of a folder of mt-metrics-eval, or of a table of texts."""
    path = Path(source)
    if is_folder(path):
        return _pairs(path)
    table = with_language(read_table(path))
    column = next(iter(table.find(LANGUAGE)), None)
    if column is None:
        raise InputError(
            f"{path}: there is no column of the language pair. Add one (lp), or leave out --by."
        )
    return list(dict.fromkeys(str(value).strip() for value in table.cells(column)))


def _pairs(folder: Path) -> list[str]:
    outputs = folder / "system-outputs"
    if not is_folder(outputs):
        raise DataError(
            f"{folder} is not an mt-metrics-eval folder: it has no folder system-outputs."
        )
    return [name for name in names_in(outputs) if is_folder(outputs / name)]


def _only_pair(folder: Path) -> str:
    pairs = _pairs(folder)
    if len(pairs) != 1:
        raise DataError(
            f"{folder} holds {len(pairs)} language pairs ({', '.join(pairs)}). Choose one."
        )
    return pairs[0]


# --- Folders of mt-metrics-eval, the data of the WMT metrics tasks, into a corpus ---
#
# A test set is a folder such as ``mt-metrics-eval-v2/wmt22`` with ``sources``, ``references``,
# ``system-outputs``, ``documents``, ``metric-scores`` and ``human-scores``.


def read_mtme_corpus(
    folder: FilePath,
    language_pair: str,
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
) -> Corpus:
    """Read the texts of one language pair of an mt-metrics-eval test set.

    Parameters
    ----------
    folder : path
        The folder of the test set, such as ``mt-metrics-eval-v2/wmt22``.
    language_pair : str
        Such as ``en-de``.
    systems : sequence of str, optional
        Which systems to take. By default all but the human translations, which
        mt-metrics-eval keeps among the outputs under the names of the references.
    references : sequence of str, optional
        Which references to take, such as ``refA``. By default all.
    """
    root = Path(folder)
    texts = root / "references"
    found = {
        path.name.removeprefix(f"{language_pair}.").removesuffix(".txt"): path
        for path in _files(texts, f"{language_pair}.*.txt")
    }
    outputs = {
        path.name.removesuffix(".txt"): path
        for path in _files(root / "system-outputs" / language_pair, "*.txt")
    }
    refs = _choose(texts, "reference", list(found), references)
    humans = [name for name in outputs if name in found]
    machines = [name for name in outputs if name not in found]
    names = machines if systems is None else _choose(root, "system", list(outputs), systems)
    corpus = read_corpus(
        {name: outputs[name] for name in names},
        [found[name] for name in refs],
        sources=root / "sources" / f"{language_pair}.txt",
    )
    rows = mtme_documents(root, language_pair, corpus.n_segments)
    notes = []
    if systems is None and humans:
        notes.append(
            f"{root}: {count(len(humans), 'human translation')} left out of the systems: "
            f"{listing(humans)}."
        )
    if rows is None:
        notes.append(f"{root}: there is no documents/{language_pair}.docs; no documents known.")
    corpus = dataclasses.replace(
        corpus,
        language_pair=language_pair,
        reference_names=tuple(refs),
        domains=None if rows is None else tuple(domain for domain, _ in rows),
        documents=None if rows is None else tuple(name for _, name in rows),
    )
    return replace(corpus, notes=tuple(notes))


def _files(folder: Path, pattern: str) -> list[Path]:
    found = [folder / name for name in names_in(folder) if fnmatchcase(name, pattern)]
    if not found:
        raise DataError(
            f"{folder}: there is no file {pattern}. Give the folder of a test set, such as "
            "mt-metrics-eval-v2/wmt22, and a language pair of it, such as en-de."
        )
    return found


def _choose(
    where: Path, noun: str, found: Sequence[str], names: Sequence[str] | None
) -> list[str]:
    for name in names or ():
        if name not in found:
            raise DataError(
                f"{where}: there is no {noun} {name!r}. Found: {listing(list(found), most=20)}."
            )
    return list(found if names is None else names)


# --- The documents of an mt-metrics-eval test set ---


def mtme_documents(root: Path, language_pair: str, size: int) -> list[tuple[str, str]] | None:
    """Return domain and document of every segment; None where the folder does not name them."""
    path = root / "documents" / f"{language_pair}.docs"
    if not os.path.exists(path):
        return None
    lines = read_lines(path)
    if len(lines) != size:
        raise DataError(
            f"{path}: {count(len(lines), 'line')} for {count(size, 'segment')}. The file must "
            "name the document of every segment."
        )
    rows = []
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if len(fields) < 2:
            raise DataError(
                f"{place(path, number)}: expected a domain and a document, found {quote(line)}."
            )
        rows.append((fields[0], fields[1]))
    return rows
