"""Results in every form, one or several together: page, text, Markdown, LaTeX, CSV, notebook."""

import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from detectable.core.errors import DataError, DetectableError, InputError, SuspiciousDataWarning
from detectable.core.result import Result
from detectable.core.wording import count, in_one_line
from detectable.report.blocks import Block, Chart, Section, Table, Text, drawn, sections_of
from detectable.report.blocks_of import blocks_of, listed_of

if TYPE_CHECKING:
    from detectable.data.files.inputs import InputFile
    from detectable.data.files.place import FilePath
    from detectable.report.explore.page import BakedPage
    from detectable.report.explore.segments import Segments
    from detectable.report.saved.load import SavedResult

_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_REMEDY = "Choose another name, or allow overwriting."
_SHA = 12  # characters of a fingerprint that a person compares
_FORMS = {".html": "page", ".htm": "page", ".md": "markdown", ".tex": "latex", ".txt": "text"}
ENDINGS = tuple(_FORMS)


@dataclass(frozen=True, slots=True)
class Report:
    """Results that are shown together; make it with `report`.

    Attributes
    ----------
    title : str
        What it is about; may be empty.
    names : tuple of str
        Of the results, no two alike.
    results : tuple of Result
        In the order given.
    brief : bool
        Whether `text` is a line for each result and no more.
    listed : tuple of block
        What is shown: a section for each result, or the blocks of the only one. Charts may stand
        there as `Pictures`, not made yet.
    remarks : tuple of str
        What is wrong with the files, if anything is.
    """

    title: str
    names: tuple[str, ...]
    results: tuple[Result, ...]
    listed: tuple[Block, ...]
    brief: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What is shown, with all charts made."""
        return drawn(self.listed)

    def page(self, *, interactive: bool = False) -> str:
        """Return one HTML page: a line for each verdict, then each result as by itself.

        With `interactive` its charts tell their numbers under the pointer; see `render_page`.
        """
        from detectable.report.render.page import render_page

        return render_page(self.blocks, title=self.title, interactive=interactive)

    def explorer(self, segments: "Mapping[str, Segments] | None" = None) -> "BakedPage":
        """Return one page to look into the results, down to their segments where these are given.

        It works from disk and without a network. `segments` are by the names of the results; see
        ``detectable report --bake``, which reads them again.
        """
        from detectable.report.explore.page import baked_page

        return baked_page(self.sections(), title=self.title, segments=segments)

    def markdown(self, *, everything: bool = False) -> str:
        """Return Markdown for GitHub; with `everything` all columns, however long that is."""
        from detectable.report.render.markdown import escape, render_markdown

        title = f"# {escape(self.title)}\n\n" if self.title else ""
        return title + render_markdown(self.listed, everything=everything)

    def latex(self, *, everything: bool = False) -> str:
        """Return the tables for a paper; with `everything` all tables and all rows."""
        from detectable.report.render.latex import render_latex

        return render_latex(self.listed, everything=everything)

    def text(
        self,
        *,
        width: int = 80,
        everything: bool = False,
        unfold: Iterable[str] = (),
        colour: Callable[[str], str] = str,
    ) -> str:
        """Return text for a terminal; see `render_text` for the options."""
        from detectable.report.render.text import overview, render_text
        from detectable.report.render.text_table import prose

        said = (
            overview(self._sections(self.listed), width)
            if self.brief
            else render_text(
                self.listed, width=width, everything=everything, unfold=unfold, colour=colour
            )
        )
        return "\n\n".join([*([prose(self.title, width)] if self.title else []), said])

    def sections(self) -> list[Section]:
        """Return a section for each result, even where there is only one."""
        return self._sections(self.blocks)

    def _sections(self, blocks: tuple[Block, ...]) -> list[Section]:
        return sections_of(blocks) or [Section(self.names[0], blocks)]

    def notes(self) -> list[str]:
        """Return the notes of all results, with the name of each where there are several."""
        found = []
        for section in self._sections(self.listed):
            opening = f"{section.name}: " if len(self.names) > 1 else ""
            for block in section.blocks:
                if isinstance(block, Text) and block.role == "note":
                    found += [f"{opening}{point}" for _, point in block.points]
        return found

    def csv(self, table: str | None = None) -> str:
        """Return one table as CSV, by default the first; of several results one that it names."""
        from detectable.report.render.csv import render_csv

        return render_csv(self.listed, table)

    def picture(
        self,
        chart: str | None = None,
        ending: str = "svg",
        *,
        paper: float | None = None,
        title: bool = True,
    ) -> str | bytes:
        """Return one chart as SVG, PNG, PDF or Vega-Lite, chosen as `csv` chooses a table.

        `paper` is its width in print, in millimetres (77 for a column of ACL, 160 for both);
        without a `title` the text around it must tell what it shows.
        """
        from detectable.report.render.picture import chosen_chart, render_picture

        return render_picture(
            chosen_chart(self.blocks, chart), ending, paper=paper, title=title
        )

    def write(self, path: "FilePath", *, overwrite: bool = False) -> None:
        """Write a file: ``.html``, ``.md``, ``.tex`` or ``.txt``, as its name ends."""
        from detectable.core.write import write_whole

        write_whole(path, self.form_of(path), new=not overwrite, remedy=_REMEDY)

    def form_of(self, path: "FilePath") -> str:
        """Return the form that the ending of a file stands for."""
        made: str = getattr(self, _FORMS[check_ending(path)])()
        return made if made.endswith("\n") else f"{made}\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON values; of a single one what it returns itself."""
        if len(self.results) == 1:
            return self.results[0].to_dict()
        named = zip(self.names, self.results, strict=True)
        return {
            "title": self.title,
            "results": [{"name": name, **result.to_dict()} for name, result in named],
            "kind": "Report",
        }

    def summary(self) -> str:
        """Say the verdict of every result in a line."""
        named = zip(self.names, self.results, strict=True)
        return "\n".join(f"{name}: {result.summary()}" for name, result in named)

    def _repr_html_(self) -> str:
        from detectable.report.render.page import render_notebook

        return "".join(render_notebook(section.blocks) for section in self.sections())


def report(
    *results: "Result | FilePath", title: str = "", names: Sequence[str] | None = None
) -> Report:
    """Put results together on one page: first a line with each verdict, then each as by itself.

    Parameters
    ----------
    *results : Result or path
        Results, or files of results that `save` or ``--out`` wrote. Of a file the page also says
        when it was written, by what command, from which data, and whether it was edited.
    title : str
        What they are about.
    names : sequence of str, optional
        A name for each. By default a file has its own name, and a result that of its kind, with a
        number where there are several.

    Examples
    --------
    >>> import detectable as dt
    >>> wins = dt.power(dt.scenarios.Preference(), n_items=200, effect=0.1)
    >>> made = dt.report(wins, dt.design(looks=3), title="Our plan")
    >>> made.names
    ('Power estimate', 'Design')
    >>> made.page().startswith("<!doctype html>")
    True
    """
    if not results:
        raise InputError("`results` must be one or more results or files of results; got none.")
    found = [_taken(given) for given in results]
    chosen = _names(found, results) if names is None else tuple(map(str, names))
    if len(chosen) != len(found):
        raise InputError(f"`names` must be {count(len(found), 'name')}; got {len(chosen)}.")
    refuse_same_name(chosen, [_described(given) for given in results])
    remarks = [text for one in found if not isinstance(one, Result) for text in one.notes]
    sections = [Section(name, _blocks(one)) for name, one in zip(chosen, found, strict=True)]
    for text in remarks:
        warnings.warn(text, SuspiciousDataWarning, stacklevel=2)
    return Report(
        title=title,
        names=chosen,
        results=tuple(one if isinstance(one, Result) else one.result for one in found),
        listed=sections[0].blocks if len(sections) == 1 else tuple(sections),
        remarks=tuple(remarks),
    )


def alone(result: Result, command: str) -> Report:
    """Return the report of one result, with the command that made it."""
    made = listed_of(result, command=command)
    return Report("", (kind_in_words(result),), (result,), made)


def check_ending(path: "FilePath") -> str:
    """Return the ending of a file that a report can be written to, or refuse it."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in _FORMS:
        raise InputError(f"`path` must end in {', '.join(ENDINGS)}; got {os.fspath(path)!r}.")
    return ending


def refuse_same_name(names: Sequence[str], described: Sequence[str]) -> None:
    """Refuse two results of one name: nobody could tell which is which."""
    for i, name in enumerate(names):
        if not name.strip():
            raise InputError(f"`names` must not be empty; the name of {described[i]} is.")
        first = names.index(name)
        if first < i:
            raise InputError(
                f"two results are called {name!r}: {described[first]} and {described[i]}. Name "
                "them apart: NAME=FILE on the command line, names=(…) in Python."
            )


def _taken(given: "Result | FilePath") -> "Result | SavedResult":
    if isinstance(given, Result):
        return given
    if isinstance(given, str | os.PathLike):
        # Here, since every command shows its result through this file, and few read one.
        from detectable.report.saved.load import read_saved

        return read_saved(given)
    raise InputError(
        f"`results` must be results or files of results; got a {type(given).__name__}."
    )


def _described(given: "Result | FilePath") -> str:
    return f"a {type(given).__name__}" if isinstance(given, Result) else os.fspath(given)


def _names(found: "Sequence[Result | SavedResult]", given: Sequence[Any]) -> tuple[str, ...]:
    """Return the name of each file, and the kind of each result, numbered where that is needed."""
    names: list[str] = []
    kinds = [kind_in_words(one) for one in found if isinstance(one, Result)]
    numbers = dict.fromkeys(kinds, 0)
    for one, source in zip(found, given, strict=True):
        if not isinstance(one, Result):
            names.append(name_of(source))
            continue
        kind = kind_in_words(one)
        numbers[kind] += 1
        names.append(f"{kind} {numbers[kind]}" if kinds.count(kind) > 1 else kind)
    return tuple(names)


def name_of(path: "FilePath") -> str:
    """Return the name of a file without folder and endings: ``out/rank.json.gz`` is rank.

    Examples
    --------
    >>> name_of("out/rank.v2.json"), name_of("rank.json.gz"), name_of(".json")
    ('rank.v2', 'rank', '.json')
    """
    from pathlib import Path

    name = Path(path).name
    for ending in (".gz", ".xz", ".bz2", ".zst", ".json"):
        name = name.removesuffix(ending) or name
    return name


def kind_in_words(result: Result) -> str:
    """Return the kind of a result in words: ``MixedFit`` is a mixed fit."""
    return _WORD.sub(" ", type(result).__name__).capitalize()


def _blocks(one: "Result | SavedResult") -> tuple[Block, ...]:
    if isinstance(one, Result):
        return listed_of(one)
    import shlex

    try:
        made = listed_of(one.result, command=shlex.join(one.command))
        if one.edited:
            _try_out(one.result, made)
    except (DetectableError, MemoryError):
        raise
    except Exception as error:
        if not one.edited:  # a bug of ours, which keeps its trace
            raise
        raise DataError(
            f"{one.path} was edited after it was written, and its values do not go together "
            f"({type(error).__name__}: {in_one_line(str(error))}). Use the file as it was written."
        ) from error
    return (*made[:-1], _file(one), made[-1])


def _try_out(result: Result, blocks: Sequence[Block]) -> None:
    """Make text, values and charts of a result of which nobody knows whether it can be shown."""
    from detectable.report.charts.theme import WIDE
    from detectable.report.render.text import render_text

    render_text(blocks, everything=True)
    result.to_dict()
    for block in drawn(blocks):
        if isinstance(block, Chart):
            block.make(WIDE)
        elif isinstance(block, Table):
            block.texts()  # also what a terminal does not show


def _file(saved: "SavedResult") -> Text:
    """Return where a result comes from, and what is wrong with its file."""
    from pathlib import Path

    said = f"{Path(saved.path).name}, written {saved.created} by detectable {saved.version}."
    read = [_input(file) for file in saved.inputs]
    return Text(
        "checks",
        "The file",
        points=(
            *(("look", text) for text in saved.notes),
            ("plain", said),
            *(("plain", text) for text in read),
        ),
    )


def _input(file: "InputFile") -> str:
    lines = "" if file.rows is None else f"{count(file.rows, 'line')}, "
    return f"Read: {file.path} ({lines}SHA-256 {file.sha256[:_SHA]}…)."


def in_notebook(result: Result) -> str:
    """Return HTML for a cell of a notebook: the verdict, the key chart and the first table."""
    from detectable.report.render.page import render_notebook

    return render_notebook(blocks_of(result))
