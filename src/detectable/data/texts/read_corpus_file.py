"""A corpus from one file or folder that holds everything, whatever its format."""

from collections.abc import Sequence
from pathlib import Path

from detectable.core.errors import DataError, InputError
from detectable.data.files.folder import is_folder, names_in
from detectable.data.files.place import FilePath
from detectable.data.loaded import Loaded
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_mtme import read_mtme_corpus
from detectable.data.texts.read_text_table import read_text_table
from detectable.data.texts.read_wmt_xml import read_wmt_xml

_TABLES = frozenset((".tsv", ".csv", ".jsonl", ".ndjson", ".parquet"))
_PACKED = frozenset((".gz", ".xz", ".bz2", ".zst"))


def read_corpus_file(
    path: FilePath,
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    language_pair: str | None = None,
) -> Loaded[Corpus]:
    """Read a table of texts, a WMT XML file or an mt-metrics-eval folder, going by its name.

    Parameters
    ----------
    path : path
        ``.tsv``, ``.csv``, ``.jsonl`` or ``.parquet`` (see `read_text_table`), ``.xml`` (see
        `read_wmt_xml`), or a folder (see `read_mtme_corpus`).
    systems, references : sequence of str, optional
        Which of them to take. Default: all.
    language_pair : str, optional
        For a folder or a table that holds several, such as ``en-de``.
    """
    place = Path(path)
    if is_folder(place):
        pair = language_pair or _only_pair(place)
        return read_mtme_corpus(place, pair, systems=systems, references=references)
    endings = [ending.lower() for ending in place.suffixes if ending.lower() not in _PACKED]
    ending = endings[-1] if endings else ""
    if ending == ".xml":
        if language_pair is not None:
            raise InputError(
                f"`language_pair` must be left out: {place} is XML, which holds one language pair."
            )
        return read_wmt_xml(place, systems=systems, references=references)
    if ending in _TABLES:
        return read_text_table(
            place, systems=systems, references=references, language_pair=language_pair
        )
    raise DataError(
        f"{place}: cannot tell the format of a corpus from its name. Known are tables (.tsv, "
        ".csv, .jsonl, .parquet), WMT XML (.xml) and mt-metrics-eval folders. For plain text "
        "give references and systems as files of their own."
    )


def _only_pair(folder: Path) -> str:
    outputs = folder / "system-outputs"
    if not is_folder(outputs):
        raise DataError(
            f"{folder} is not an mt-metrics-eval folder: it has no folder system-outputs."
        )
    pairs = [name for name in names_in(outputs) if is_folder(outputs / name)]
    if len(pairs) != 1:
        raise DataError(
            f"{folder} holds {len(pairs)} language pairs ({', '.join(pairs)}). Choose one."
        )
    return pairs[0]
