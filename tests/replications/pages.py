"""A tiny page of an invented paper."""

import detectable as dt
from replications.listed import Compared, Number
from replications.page import Page, charted

ROWS = (
    Compared(
        "matched", 0.5, Number(0.501), 0.005, matches=True, kind="paper", source="Table 1"
    ),
    Compared(
        "far | off",
        0.9,
        Number(0.1),
        0.05,
        matches=False,
        why="its data are not public",
        kind="paper",
        source="section 2",
    ),
    Compared(
        "simulated",
        0.3,
        Number(0.29, 0.004),
        0.0,
        matches=True,
        kind="authors",
        source="BLEU.ipynb",
    ),
    Compared(
        "a cluster",
        "ranks 1 to 2",
        "ranks 1 to 2",
        0.0,
        matches=True,
        kind="others",
        source="WMT",
    ),
    Compared(
        "no Java", 2.0, None, 0.1, why="METEOR left out", kind="others", source="MultEval"
    ),
    Compared("a range", "3–4", Number(3.5)),
    Compared("ours only", None, Number(7.0)),
)


def power() -> dt.results.PowerCurve:
    return dt.power_curve(dt.scenarios.Preference(), n_items=(50, 100), effect=(0.6, 0.7))


def page(*, problem: str = "", paper: str = "nobody1999") -> Page:
    extra = (Compared("moved", None, Number(1.0), problem=problem),) if problem else ()
    return Page(
        paper=paper,
        citation="Nobody (1999), On nothing.",
        command=f"python -m replications {paper}",
        rows=ROWS + extra,
        figures=(charted(power(), number="3", said="The paper's Figure 3 showed power."),),
        about_figures="Drawn from nothing.",
        not_drawn=(("Figure 1", "there are no data in it."),),
        remarks=("One more runs elsewhere.",),
    )
