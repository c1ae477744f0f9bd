"""Folders of mt-metrics-eval, the data of the WMT metrics tasks, into a corpus.

A test set is a folder such as ``mt-metrics-eval-v2/wmt22`` with ``sources``, ``references``,
``system-outputs``, ``documents``, ``metric-scores`` and ``human-scores``.
"""

import dataclasses
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.folder import names_in
from detectable.data.files.mtme_documents import mtme_documents
from detectable.data.files.place import FilePath
from detectable.data.loaded import Loaded
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus import read_corpus


def read_mtme_corpus(
    folder: FilePath,
    language_pair: str,
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
) -> Loaded[Corpus]:
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
        reference_names=tuple(refs),
        domains=None if rows is None else tuple(domain for domain, _ in rows),
        documents=None if rows is None else tuple(name for _, name in rows),
    )
    return Loaded(corpus, tuple(notes))


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
