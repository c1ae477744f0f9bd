"""Texts into a table that `read_text_table` reads: one row per segment, with all that is known of it."""

import io
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError, InputError
from detectable.core.write import refuse_existing, write_whole
from detectable.data.files.place import FilePath, quote
from detectable.data.texts.corpus import Corpus

ENDINGS = (".tsv", ".csv", ".jsonl", ".parquet")
_REMEDY = "Choose another name, or allow overwriting."


def write_text_table(corpus: Corpus, path: FilePath, *, overwrite: bool = False) -> None:
    """Write texts as TSV, CSV, JSON lines or Parquet; every command that takes texts reads it.

    Columns are ``line``, ``doc``, ``domain``, ``origlang``, ``lp``, ``src``, ``ref:NAME`` and
    ``hyp:NAME`` (``hyp:NAME#1``, ``hyp:NAME#2`` for runs), as far as they are known.

    Parameters
    ----------
    corpus : Corpus
        What to write.
    path : path
        The file; its ending chooses the format.
    overwrite : bool
        Whether a file that exists may be replaced.
    """
    import polars as pl

    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"`path` must end in {', '.join(ENDINGS)}; got {str(path)!r}.")
    if not overwrite:
        refuse_existing(target, remedy=_REMEDY)
    columns = _columns(corpus)
    if ending == ".tsv":
        _refuse_breaks(columns)
    frame, buffer = pl.DataFrame(columns), io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(buffer)
    elif ending == ".jsonl":
        frame.write_ndjson(buffer)
    else:
        frame.write_csv(
            buffer,
            separator="," if ending == ".csv" else "\t",
            quote_style="necessary" if ending == ".csv" else "never",
        )
    write_whole(target, [buffer.getvalue()], new=not overwrite, remedy=_REMEDY)


def _columns(corpus: Corpus) -> dict[str, list[Any]]:
    n = corpus.n_segments
    columns: dict[str, list[Any]] = {"line": list(range(1, n + 1))}
    for name, values in (
        ("doc", corpus.documents),
        ("domain", corpus.domains),
        ("origlang", corpus.original_languages),
        ("lp", None if corpus.language_pair is None else [corpus.language_pair] * n),
        ("src", corpus.sources),
    ):
        if values is not None:
            columns[name] = list(values)
    names = corpus.reference_names or [str(i + 1) for i in range(len(corpus.references))]
    for name, stream in zip(names, corpus.references, strict=True):
        columns[f"ref:{name.removeprefix('ref:')}"] = list(stream)
    for name, runs in corpus.systems.items():
        for run, lines in enumerate(runs, start=1):
            columns[f"hyp:{name}" + (f"#{run}" if len(runs) > 1 else "")] = list(lines)
    return columns


def _refuse_breaks(columns: dict[str, list[Any]]) -> None:
    """Refuse texts that would be cut in two when the file is read."""
    for name, values in columns.items():
        for row, value in enumerate(values, start=1):
            if isinstance(value, str) and any(mark in value for mark in "\t\n\r"):
                raise DataError(
                    f"column {name}, row {row:,}: {quote(value)} holds a tab or a line "
                    "break, which a .tsv file cannot hold. Write .csv, .jsonl or .parquet."
                )
