"""Why numbers of docs/calibration.md are off: each reason stands in the row of the number.

A reason belongs to rows of a table: the beginning of its caption and a pattern for the names of its
rows. `noted` writes the reasons of a section into its tables, whenever they are measured; a row with
a bold number and no reason is named by `unexplained`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.calibration.effort import CAREFUL

HEAD = "note"  # of the column of reasons
_CELL = re.compile(r"(\*\*)?(-?\d+\.\d+)(?:\*\*)?")
_NOMINAL = re.compile(r"nominal (\d\.\d+), standard error (\d\.\d+)")
_WANTED = re.compile(r"wanted (\d\.\d+) to (\d\.\d+), standard error (\d\.\d+)")
_HALF_DIGIT = 0.0005  # numbers are printed with three decimals


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some rows of a table are off.

    Attributes
    ----------
    table : str
        How the caption begins; empty for all tables of the section.
    rows : str
        Pattern that the whole name of a row must match.
    why : str
    """

    table: str
    rows: str
    why: str

    def explains(self, caption: str, row: str) -> bool:
        """Whether this is the reason of a row."""
        return caption.startswith(self.table) and re.fullmatch(self.rows, row) is not None


_ITEMS = "items of a document counted as independent"
_SKEWED = "skewed document effects: every test errs, and a note says so"
_RARE = "Wald's error does not know the losses that it has not seen"
_PASSAGES = "questions of a passage counted as independent"
_ANSWERS = "answers to a question counted as further questions"
_DROPS = "no test: chance alone lowers a score by that much"
_FAMILY = "no correction: one of several metrics falls by chance"
_T = "t does not know the losses that it has not seen"
_FAVOURS = "without it, documents that suit a system pass for a difference"
_NOTHING_BELOW = "careful: a variance that is not there cannot be estimated below 0"
_NEW_RUNS = "fixed runs answer another question"
_ADMITTED = "careful; a pool of few systems is no normal population"
_SEGMENTS = "segments of a document counted as independent"
_VOTES = "votes on a prompt counted as independent"
_SEVERE = "so few severe raters say little about others"

# Of the rows of a table the first reason that fits is taken.
REASONS: dict[str, tuple[Reason, ...]] = {
    "two-systems": (
        Reason("", "basic interval.*", "resampling intervals are slightly short; tests decide"),
        Reason("", "BCa interval.*", "BCa intervals are slightly short; not the default"),
        Reason("", "sacreBLEU's paired bootstrap", "theirs: it centres absolute differences"),
    ),
    "several-systems": (
        Reason("", ".*uncorrected", "no correction for several pairs"),
        Reason("", ".*Holm", "conservative: Holm ignores that the tests are correlated"),
        Reason("", ".*max-T", "one set of data sets for all cells; .047 to .051 on fresh ones"),
    ),
    "documents": (
        Reason(
            "",
            "centred bootstrap test, documents",
            "not the default: slightly liberal with documents",
        ),
        Reason("", "t test .*, documents", "not the default: slightly liberal with documents"),
        Reason("", ".*, segments", _SEGMENTS),
    ),
    "mixed-documents": (
        Reason(
            "",
            r"slope SD 0\.6, 3 documents",
            f"{_FAVOURS}; with it, two degrees of freedom are too few",
        ),
        Reason("", r"slope SD 0\.6, 10 documents", f"{_FAVOURS}; with it careful"),
        Reason("", r"slope SD 0\.3, (5|10) documents", f"{_FAVOURS}; with it careful"),
        Reason("", r"slope SD 0\.[36], \d+ documents", _FAVOURS),
        Reason(
            "Mixed models of two equal systems that documents may favour (one",
            "slope SD 0, 20 documents",
            f"with it {_NOTHING_BELOW}; the others: chance (2.3 standard errors, t is exact)",
        ),
        Reason("", "slope SD 0, 20 documents", "chance (2.3 standard errors): t is exact here"),
        Reason("", r"slope SD 0, \d+ documents", _NOTHING_BELOW),
    ),
    "fixed-runs": (
        Reason(
            "",
            "runs swapped one by one.*",
            "theirs: runs of one sentence counted as independent",
        ),
    ),
    "random-runs": (
        Reason(
            "Runs from one pool",
            ".*no run effect.*",
            f"random: {_NOTHING_BELOW}",
        ),
        Reason("Runs from one pool", ".*", f"random: careful; fixed: {_NEW_RUNS}"),
        Reason(
            "Degrees of freedom from the estimated run variance",
            ".*",
            "not ours: degrees of freedom by the run variance err either way",
        ),
        Reason(
            "Share of data sets that find their median MDE",
            "middle 12, 3 runs",
            "BLEU and chrF careful, TER short: a pool of few systems is no normal population",
        ),
        Reason("Share of data sets that find their median MDE", ".*", _ADMITTED),
        Reason("True difference at the margin", ".*", "careful, as the test of a difference"),
        Reason(
            "Score of one system",
            "all 20 systems, 2 runs",
            "short: the spread of two runs has one degree of freedom",
        ),
    ),
    "samples": (
        Reason("", "`compare`: question means swapped", "careful, in one of four cells"),
        Reason("", "samples .*", _ANSWERS),
    ),
    "intervals": (
        Reason(
            "Samples of 300 segments",
            "difference, .*",
            "slightly short by resampling with 300 segments",
        ),
        Reason("Samples of 60 documents", ".*segments as if independent", _SEGMENTS),
        Reason("Samples of 60 documents", ".*", "60 documents: slightly short, by any method"),
    ),
    "detectable": (Reason("", ".*", "found slightly more often than stated: careful"),),
    "zero-one": (
        Reason(
            "0/1 scores in clusters",
            ".*",
            f"t: {_RARE}; Tango over items: answers as if independent; over clusters careful",
        ),
        Reason(
            "0/1 scores, five looks",
            "1,000 items, 3 % broken, 1 % fixed",
            _RARE,
        ),
        Reason("0/1 scores, five looks", ".*", f"{_RARE}; the score test is careful"),
    ),
    "gate": (
        Reason("A loss of exactly", ".*in groups.*", f"not ours: {_PASSAGES}"),
        Reason(
            "A loss of exactly",
            "0/1, 130 questions × 4",
            f"not ours: {_T}, and {_ANSWERS}",
        ),
        Reason("A loss of exactly", ".*× 4", f"not ours: {_ANSWERS}"),
        Reason("A loss of exactly", ".*", f"not ours: {_T}"),
        Reason("An unchanged system fails", r"\d+ × .*", f"not ours: {_FAMILY}"),
        Reason("An unchanged system fails", ".*", f"not ours: {_DROPS}"),
    ),
    "sparse": (Reason("True loss at the margin", ".*", f"not ours: {_T}"),),
    "few-documents": (
        Reason(
            "Two equal systems, equal documents, normal",
            "t over document means.*",
            "chance (2.5 standard errors): t is exact here",
        ),
        Reason("", "`compare`.*", _SKEWED),
        Reason("", "t over document means.*", _SKEWED),
        Reason(
            "", "cluster-robust regression.*", "not ours: errs with fewer than 40 documents"
        ),
        Reason("", "(paired t|signed ranks|WMT's rule|sacreBLEU).*", f"not ours: {_ITEMS}"),
    ),
    "families": (
        Reason(
            "all intervals right, one better",
            ".*",
            "intervals are cut to agree with the verdicts, and a note names them",
        ),
    ),
    "shared-swaps": (
        Reason(
            "Five systems", "max-T, all 10 pairs", "chance: TER .051 on another 5,000 data sets"
        ),
    ),
    "right-or-wrong": (
        Reason("", "Wald t", f"not ours: {_RARE}"),
        Reason("", "exact McNemar.*", "not ours: answers of a cluster counted as independent"),
    ),
    "margins": (
        Reason("", ".*plain t over documents", "not ours: plain t fails where sizes differ"),
    ),
    "new-runs": (
        Reason(
            "", r"new runs \(default\)", "two runs cannot tell that one system is less stable"
        ),
        Reason(
            "",
            "new runs, pooled",
            "one variance for all is wrong where one is less stable; .070: chance (2.05 "
            "standard errors)",
        ),
        Reason(
            "", "new runs, pooled over five", "one variance for all, where one is less stable"
        ),
        Reason("", "these runs", "another question: it says nothing about new runs"),
        Reason(
            "", "MultEval's swaps", "theirs: takes runs as further items, and as the systems"
        ),
    ),
    "tied": (
        Reason(
            "", "sizes 1/2/5", "2 to 6 items differ: the large sizes are mostly not among them"
        ),
    ),
    "few-documents-corpus": (
        Reason("", "TER: .*", "one test for both, t with five documents: 2.06 standard errors"),
    ),
    "metrics": (
        Reason("", "whole segments", "careful: pairwise accuracy moves in steps of 1/78"),
        Reason("", ".*", "not ours: outputs for one segment counted as independent"),
    ),
    "metrics-intervals": (
        Reason("", "segments and systems drawn", "careful by design (Owen 2007)"),
        Reason("", ".*", "statistics of systems: careful, a resample adds its own noise"),
    ),
    "metrics-favourites": (
        Reason("", ".*", "careful: pairwise accuracy moves in steps of 1/78"),
    ),
    "arenas": (
        Reason("", "votes as independent", f"not ours: {_VOTES}"),
        Reason("", "by prompts", "not by voters, though voters have tastes"),
        Reason("", "as `arena`, with the normal.*", "few clusters: t is needed"),
    ),
    "arena-ranks": (
        Reason("", "votes as independent, largest.*", f"not ours: {_VOTES}"),
        Reason("", "votes as independent, every.*", f"not ours: {_VOTES}, pairs uncorrected"),
    ),
    "unequal-voters": (
        Reason("", "CR1.*", "not ours any more: a large voter makes own residuals small"),
    ),
    "agreement": (
        Reason(
            "", "alpha by a bootstrap.*", "not ours any more: few documents, raters not drawn"
        ),
        Reason("", ".*", _SEVERE),
    ),
    "judges": (
        Reason("", "judges alone.*", "not ours: the judges are biased"),
        Reason("", "the judge's share alone", "not ours: the judge errs"),
        Reason("", "a bootstrap over.*", "not ours any more: too short with few labels"),
        Reason("", "by normal quantiles.*", "not ours: few labels need t"),
    ),
    "selections": (
        Reason(
            "",
            "random, with the metric",
            "no choice: a slope of skewed penalties from few lines",
        ),
        Reason("", "`select`, weights ignored", "not ours: a chosen sample needs its weights"),
        Reason("", "weighted mean, t", "not ours: few ones have no normal mean"),
        Reason("", "plain mean of labels", "not ours: it is about the group labelled whole"),
    ),
    "judges-near-the-ends": (
        Reason(
            "", "refused wherever.*", "not ours any more: a refused data set covers nothing"
        ),
    ),
    "documents in pilots": (
        Reason(
            "",
            "items as if each stood alone",
            "not ours any more: items of a document are alike",
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its caption, cells without the column of reasons, and its reason."""

    section: str
    caption: str
    name: str
    cells: tuple[str, ...]
    note: str

    @property
    def bold(self) -> bool:
        """Whether a number is marked as off."""
        return any(cell.startswith("**") for cell in self.cells)

    @property
    def off(self) -> bool:
        """Whether a number is more than two standard errors from what the caption wants."""
        found = [match for cell in self.cells if (match := _CELL.fullmatch(cell))]
        values = [float(match[2]) for match in found]
        if wanted := _WANTED.search(self.caption):
            low, high, error = float(wanted[1]), float(wanted[2]), 0.0
        elif nominal := _NOMINAL.search(self.caption):
            low = high = float(nominal[1])
            error = 2.0 * float(nominal[2])
        else:
            return False
        low, high = low - error - _HALF_DIGIT, high + error + _HALF_DIGIT
        return any(not low <= value <= high for value in values)


def noted(section: str, text: str) -> str:
    """Return the tables of a section with a reason in every row that has a bold number."""
    reasons, lines = REASONS.get(section, ()), []
    for block in _blocks(text):
        if not isinstance(block, _Table):
            lines += block
            continue
        notes = [_note(reasons, row) for row in block.rows]
        if not any(notes) and not block.has_notes:
            lines += block.lines
            continue
        head = HEAD if any(row.bold for row in block.rows) else block.head
        cells = [[*block.columns, head], [*block.ruler, "---"]]
        cells += [
            [row.name, *row.cells, note] for row, note in zip(block.rows, notes, strict=True)
        ]
        lines += [f"| {' | '.join(line)} |" for line in cells]
    return "\n".join(lines)


def unexplained(section: str, text: str) -> list[str]:
    """Return the rows that are off and do not say why."""
    return [
        f"{section}: {row.caption.partition('. ')[0]}: {row.name}"
        for row in rows(section, text)
        if (row.bold or row.off) and not row.note
    ]


def rows(section: str, text: str) -> Iterator[Row]:
    """Return the rows of all tables of a section."""
    for block in _blocks(text):
        if isinstance(block, _Table):
            for row in block.rows:
                yield Row(section, row.caption, row.name, row.cells, row.note)


def _note(reasons: Sequence[Reason], row: Row) -> str:
    """Return the reason of a row that is off; a row that has come right loses its own."""
    if not row.bold:
        return row.note if row.note == CAREFUL else ""
    return next((one.why for one in reasons if one.explains(row.caption, row.name)), "")


@dataclass(frozen=True, slots=True)
class _Table:
    caption: str
    columns: tuple[str, ...]
    ruler: tuple[str, ...]
    rows: tuple[Row, ...]
    lines: tuple[str, ...]
    head: str  # of the column of reasons, which may be blank
    has_notes: bool


def _blocks(text: str) -> Iterator[list[str] | _Table]:
    """Part a text into its tables and what stands between them."""
    lines, caption, at = text.split("\n"), "", 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        if end == at:
            caption = lines[at] or caption
            yield [lines[at]]
            at += 1
            continue
        yield _table(caption, lines[at:end])
        at = end


def _table(caption: str, lines: Sequence[str]) -> _Table:
    head, ruler, *body = [_cells(line) for line in lines]
    has_notes = head[-1] in ("", HEAD)
    last = -1 if has_notes else None
    found = [
        Row("", caption, line[0], tuple(line[1:last]), line[-1] if has_notes else "")
        for line in body
    ]
    shown = head[-1] if has_notes else ""
    return _Table(
        caption,
        tuple(head[:last]),
        tuple(ruler[:last]),
        tuple(found),
        tuple(lines),
        shown,
        has_notes,
    )


def _cells(line: str) -> list[str]:
    return [
        cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")
    ]
