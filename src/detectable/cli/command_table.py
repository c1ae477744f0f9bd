"""Every command: its name, where it is defined, and what help says of it in one line."""

from typing import NamedTuple


class Entry(NamedTuple):
    """Where a command is defined, and its first sentence, so that help need not import it."""

    place: str  # below detectable.cli, as module:attribute
    summary: str  # the first sentence of the command's own help; a test compares them


# In the order of an evaluation's life, and so shown by --help.
COMMANDS = {
    "demo": Entry(
        "demo:demo",
        "Take a bundled campaign from plan to conclusion, and write a page to open.",
    ),
    "doctor": Entry(
        "doctor:doctor", "Say what files hold, what they can answer, and what to type next."
    ),
    "compare": Entry(
        "compare:compare",
        "Compare systems from their outputs, or from tables of segment scores.",
    ),
    "gate": Entry(
        "gate:gate",
        "Say whether NEW may take the place of the baseline: pass, fail or inconclusive.",
    ),
    "reliability": Entry(
        "reliability:reliability",
        "Say what the documents at hand can tell, and how many more a closer look takes.",
    ),
    "power": Entry("power:power", "Say how likely an evaluation is to show a true effect."),
    "mde": Entry("power:mde", "Say the smallest effect that an evaluation can reliably show."),
    "sample-size": Entry(
        "power:sample_size", "Say how many items are needed to show an effect."
    ),
    "power-curve": Entry(
        "power:power_curve", "Say the power for several sizes and effects, as a table."
    ),
    "cheapest": Entry(
        "cheapest:cheapest",
        "Say the cheapest design that reaches a power: raters, items, judgments.",
    ),
    "tasks": Entry(
        "tasks:tasks", "Make annotation tasks with controls from the outputs of systems."
    ),
    "campaign": Entry(
        "campaign:campaign",
        "Collect judgments: texts, raters with links, progress, and the data.",
    ),
    "import": Entry(
        "import_judgments:import_judgments",
        "Convert human judgments in SOURCE to a table, OUTPUT.",
    ),
    "quality": Entry(
        "quality:quality",
        "Test from JUDGMENTS whether each rater scores degraded copies below their originals.",
    ),
    "rank": Entry(
        "rank:rank",
        "Rank systems from human judgments in FILE, into clusters that can be told apart.",
    ),
    "arena": Entry(
        "arena:arena",
        "Rank systems from the battles in FILES: strengths, ranks that hold together, every pair.",
    ),
    "mixed": Entry(
        "mixed:mixed",
        "Compare systems from human judgments in FILE, with raters and items as samples.",
    ),
    "variance": Entry(
        "variance:variance",
        "Split the variance of JUDGMENTS into quality and noise between raters.",
    ),
    "agreement": Entry(
        "agreement:agreement",
        "Measure from JUDGMENTS how far raters agree: Krippendorff's alpha and correlations.",
    ),
    "control-variates": Entry(
        "control_variates:control_variates",
        "Estimate means and differences from JUDGMENTS, corrected by METRIC_SCORES.",
    ),
    "stratify": Entry(
        "stratify:stratify",
        "Choose what people label next: at random within bins of the judge's scores in SCORES.",
    ),
    "labels": Entry(
        "labels:labels",
        "Say how many items people must label beside a judge that scores all of them.",
    ),
    "meta": Entry(
        "meta:meta",
        "Say which metric agrees with the human scores in FILE, and which agrees more.",
    ),
    "translationese": Entry(
        "translationese:translationese",
        "Split a test set by original language, and compare forward with reverse data.",
    ),
    "design": Entry(
        "design:design", "Plan interim looks that keep the chance of a false alarm."
    ),
    "savings": Entry(
        "savings:savings",
        "Replay past JUDGMENTS under stopping procedures, and say what they would have saved.",
    ),
    "plan": Entry("plan:plan", "Freeze what will be asked and when to stop, before the data."),
    "look": Entry(
        "look:look",
        "Look at DATA, all judgments so far, under PLAN, and decide whether to stop.",
    ),
    "conclude": Entry(
        "conclude:conclude",
        "Give the verdict of PLAN, with p-values and intervals that know of all looks.",
    ),
    "audit": Entry("audit:audit", "Say what past evaluations could detect."),
    "report": Entry("report:report", "Show results that --out kept, one or several together."),
    "serve": Entry(
        "serve:serve", "Plan evaluations, collect judgments and read results in a browser."
    ),
    "verify": Entry(
        "verify:verify",
        "Compute a kept result again, from its data and its command, and compare.",
    ),
}
