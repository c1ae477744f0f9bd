"""What ``make replications`` runs, paper by paper: every number, and the figures."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from detectable.core.types import Progress, silent
from replications.card2020 import figures as card_figures
from replications.card2020 import likert
from replications.card2020 import replicate as card
from replications.clark2011 import figures as clark_figures
from replications.clark2011 import replicate as clark
from replications.estrella2007 import figures as estrella_figures
from replications.estrella2007 import replicate as estrella
from replications.graham2020 import figures as graham_figures
from replications.graham2020 import hassan2018
from replications.graham2020 import replicate as graham
from replications.listed import compared
from replications.page import Drawing, Figure, Page, figure
from replications.wei2022 import figures as wei_figures
from replications.wei2022 import replicate as wei
from replications.wei2022 import section7, table1, variance

_TEXT_ONLY = "The paper's own pictures were not at hand: what they showed is told from captions and text, and no value was read off one."

_RELEASE = (
    "The judgments of Hassan et al. (2018) may not be passed on: two numbers of the paper, 92 and 1,827, run "
    f"where {hassan2018.VARIABLE} names their folder."
)


@dataclass(frozen=True, slots=True)
class Effort:
    """How to run.

    Attributes
    ----------
    n_repeats : int
        Of every comparison in section 7 of wei2022: 1,000 are the paper's.
    with_meteor : bool
        Of clark2011, where Java is at hand.
    """

    n_jobs: int = 1
    progress: Progress = silent
    n_repeats: int = wei.REPEATS
    with_meteor: bool = True


Run: TypeAlias = Callable[[Path, Effort], Page]  # takes the folder `data` of the reference data


def wei2022(data: Path, effort: Effort) -> Page:
    """Run wei2022."""
    folder = data / "shipdata"
    audit = table1.audited(folder)
    simulated = section7.Effort(effort.n_repeats, effort.n_jobs, effort.progress)
    found = section7.simulated(folder, simulated)
    rows = compared(wei.LIST, table1.of_audit(audit) | found)
    effort.progress("variance of judgments", 0, None)
    rows += variance.compared_numbers(folder, data / "wmt")
    return Page(
        paper="wei2022",
        citation="Wei, Kocmi and Federmann (2022), Searching for a higher power in the human evaluation of MT.",
        command="python -m replications wei2022",
        rows=tuple(rows),
        figures=tuple(
            wei_figures.figures(
                folder,
                n_repeats=effort.n_repeats,
                n_jobs=effort.n_jobs,
                progress=effort.progress,
            )
        ),
        about_figures=f"Each is a chart of a command that everybody has: audit, sample-size, savings. {_TEXT_ONLY}",
        not_drawn=(
            (
                "Figure 1",
                "it explains the procedures; `detectable design --preset paper --chart 1.svg` draws the bounds of its interim test.",
            ),
        ),
    )


def estrella2007(data: Path, effort: Effort) -> Page:
    """Run estrella2007."""
    effort.progress("two campaigns, long and own documents", 0, None)
    found = estrella.studies(data / "wmt")
    return Page(
        paper="estrella2007",
        citation="Estrella, Hamon and Popescu-Belis (2007), How much data is needed for reliable MT evaluation?",
        command="python -m replications estrella2007",
        rows=tuple(estrella.compared_numbers(found)),
        figures=tuple(estrella_figures.figures(found)),
        about_figures=f"The data of CESTA are not public: ten are drawn on WMT21 Russian-English, Figure 4, a second domain, on WMT22 Japanese-English; 7 and 8 are the two halves of one chart. {_TEXT_ONLY} They have the paper's numbers, and are the charts of `detectable reliability`.",
    )


def clark2011(data: Path, effort: Effort) -> Page:
    """Run clark2011."""
    effort.progress("MultEval's example, with METEOR", 0, None)
    found = clark.compared(data / "multeval", with_meteor=effort.with_meteor)
    return Page(
        paper="clark2011",
        citation="Clark, Dyer, Lavie and Smith (2011), Better hypothesis testing for statistical machine translation.",
        command="python -m replications clark2011",
        rows=tuple(found.rows),
        figures=tuple(clark_figures.figures(found.default)),
        about_figures=f"The outputs of the paper are not public: both figures are drawn with MultEval's example, three runs of two systems, as charts of `detectable compare`. {_TEXT_ONLY}",
    )


def graham2020(data: Path, effort: Effort) -> Page:
    """Run graham2020."""
    effort.progress("eight campaigns", 0, None)
    return Page(
        paper="graham2020",
        citation="Graham, Haddow and Koehn (2020), Statistical power and translationese in machine translation evaluation.",
        command="python -m replications graham2020",
        rows=tuple(graham.compared(data / "wmt")),
        figures=tuple(graham_figures.figures()),
        about_figures=f"The submissions to WMT15 to WMT18 that the paper splits by original language are not at hand here: the figures are drawn from aggregates of Hassan et al. (2018). {_TEXT_ONLY} They are numbered as in the paper, and drawn by the charts of `detectable translationese --by language-pair`, here with one language pair.",
        remarks=() if hassan2018.release() else (_RELEASE,),
    )


def card2020(data: Path, effort: Effort) -> Page:
    """Run card2020."""
    effort.progress("power, audits and the survey", 0, None)
    folder = data / "card"
    cells = likert.cells(folder)
    return Page(
        paper="card2020",
        citation="Card, Henderson, Khandelwal, Jia, Mahowald and Jurafsky (2020), With little power comes great responsibility.",
        command="python -m replications card2020",
        rows=tuple(card.compared_numbers(folder, cells)),
        figures=tuple(card_figures.figures(folder)),
        about_figures="Figures 3, 5 and 6 follow the authors' public notebooks and tables, Figure 4 the setting of BLEU.ipynb, Figure 17 footnote 10; each is the chart of one command. The captions of the paper were at hand, not its pictures.",
        not_drawn=(
            ("Figure 1", "it explains power with coins; its two numbers are in the table."),
            ("Figure 2", "it explains the simulation; there are no data in it."),
        ),
    )


def _figures(drawings: Iterator[Drawing]) -> Iterator[Figure]:
    return map(figure, drawings)


PAPERS: Mapping[str, Run] = {
    "wei2022": wei2022,
    "estrella2007": estrella2007,
    "clark2011": clark2011,
    "graham2020": graham2020,
    "card2020": card2020,
}
