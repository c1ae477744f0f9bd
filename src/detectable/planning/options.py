"""The settings of scenarios, each declared once: for the command line, the planner and the scenario.

A class here is the base of the scenario of the same name. They stand apart because ``--help`` shows
them: nothing heavy is imported, and methods are made for the scenario alone, as making them takes
longer than all else here.
"""

from dataclasses import dataclass

from detectable.core import choices
from detectable.core.options import alpha, check_settings, on_page, option, power

CARD_P0, CARD_B0 = 0.13, 25.8  # averages of the four settings of card2020, Table 3
MOST_SYSTEMS = 200  # of an arena
PRIORS = ("glue", "squad", "lachenbruch")
_PAIRED = ("paired-mean",)  # of the tests that the planner offers
_SHARE = (0.0, 0.99)
_VARIANCE = (0.0, 10_000.0)


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class AccuracyOptions:
    """What is known of two accuracies."""

    agreement: float | None = option(
        None,
        "Share of items both get right or wrong.",
        page=on_page(
            *("g", "Agreement", 0.9, (0.0, 1.0), (0.5, 0.99)),
            help="Share of items that both get right or both get wrong.",
            when=("known", ("agreement",)),
        ),
    )
    baseline_accuracy: float | None = option(
        None,
        "Accuracy of the system to beat.",
        page=on_page(
            *("b", "Accuracy of the baseline", 0.8, (0.0, 1.0), (0.3, 0.99)),
            when=("known", (*PRIORS, "unpaired")),
        ),
    )
    prior: choices.Prior | str | None = option(
        None,
        "Where agreement is unknown: from other systems, those of a FILE, or the middle of the "
        "possible.",
        or_file=True,
    )
    method: choices.AccuracyMethod = option(
        "exact", "The exact test, or the formula of card2020, Table 2."
    )


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class PreferenceOptions:
    """What is known of votes on two outputs."""

    ties: float = option(
        0.0,
        "Expected share of ties, dropped.",
        page=on_page(
            "i", "Ties", 0.1, _SHARE, (0.0, 0.8), help="Expected share; they are dropped."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class SamplesOptions:
    """What is known of several answers to one question."""

    question_variance: float = option(
        ...,
        "Of true differences between questions.",
        open=True,
        page=on_page(
            *("q", "Variance between questions", 0.02, _VARIANCE, (0.0, 0.2), 0.001),
            help="Of the true differences of the two systems.",
        ),
    )
    sample_variance: float = option(
        ...,
        "Of the answers to one question.",
        open=True,
        page=on_page(
            "v", "Variance between answers to one question", 0.15, _VARIANCE, (0.0, 0.25), 0.001
        ),
    )
    baseline_sample_variance: float | None = option(
        None, "Of the baseline (default: the same)."
    )
    n_samples: int = option(
        1,
        "Of each question (default: 1).",
        flag="--samples",
        open=True,
        page=on_page("r", "Answers per question and system", 4, (1, 10_000), (1, 64), 1),
    )
    baseline_n_samples: int | None = option(
        None, "Of the baseline (default: as many).", flag="--baseline-samples"
    )
    question_cost: float | None = option(None, "Of one more question.")
    sample_cost: float | None = option(
        None, "Of one more sample of both systems.", kind="positive"
    )
    method: choices.SamplesMethod = option(
        "normal",
        "Miller's formula, or noncentral t.",
        page=on_page(
            *("t", "Formula", "normal"),
            words=(("normal", "Miller's, for many questions"), ("t", "noncentral t, for few")),
        ),
    )


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class BleuOptions:
    """What is known of the swaps of two outputs."""

    p0: float = option(
        CARD_P0,
        "Share of segments whose swap changes nothing (.13).",
        open=True,
        page=on_page(
            *("q", "Segments whose swap changes nothing", CARD_P0, _SHARE, (0.0, 0.9)),
            help="A share; the average of four test sets of translation is .13.",
        ),
    )
    b0: float = option(
        CARD_B0,
        "Spread of the other swaps, times n (25.8).",
        open=True,
        kind="positive",
        page=on_page(
            *("b", "Spread of the other swaps", CARD_B0, (0.01, 10_000.0), (1.0, 80.0), 0.1),
            help="In points of the metric, times n. BLEU of alike systems: about 26.",
        ),
    )


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class ArenaOptions:
    """What is known of votes among several systems."""

    systems: int = option(
        2,
        "Systems in the arena.",
        least=2,
        most=MOST_SYSTEMS,
        page=on_page("r", "Systems", 10, (2, MOST_SYSTEMS), (2, 60), 1),
    )
    pairing: choices.ArenaPairing = option(
        "direct",
        "All votes on the two systems, or equally many on all pairs.",
        page=on_page(
            *("t", "Who meets whom", "uniform"),
            words=(
                ("direct", "all votes on the two systems"),
                ("uniform", "all pairs equally often"),
            ),
        ),
    )
    ties: float = option(
        0.0,
        "Expected share of ties.",
        page=on_page("i", "Ties", 0.2, _SHARE, (0.0, 0.8), help="Expected share."),
    )
    design_effect: float = option(
        1.0,
        "Variance beside that of independent votes; detectable arena measures it.",
        page=on_page(
            *("d", "Design effect", 1.0, (1.0, 1000.0), (1.0, 5.0), 0.05),
            help="1 for independent votes; about 1.3 where prompts repeat five times.",
        ),
    )
    family: choices.ArenaFamily = option(
        "pair",
        "Test the gap by itself, or with all pairs.",
        page=on_page(
            *("g", "What is tested", "pair"),
            name="family_of_gaps",  # all scenarios have a family of boundaries
            words=(("pair", "this gap by itself"), ("all-pairs", "all pairs together")),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class RatingsOptions:
    """What is known of ratings from 0 to 100."""

    mean: float = option(
        ...,
        "Of the better system.",
        open=True,
        page=on_page(
            *("u", "Mean rating", 80.0, (0.0, 100.0), (40.0, 97.0), 1.0),
            help="Of the better system.",
        ),
    )
    sd: float = option(
        ...,
        "Of the better system's ratings.",
        open=True,
        page=on_page(
            *("sd", "Spread of its ratings", 20.0, (0.1, 50.0), (5.0, 35.0), 0.5),
            help="Standard deviation; 15 to 25 is usual.",
        ),
    )
    second: choices.SecondRule = option(
        "same-variance", "What the worse system shares with the better one."
    )
    continuous: bool = option(False, "Neither round nor cut ratings, as in the paper.")
    test: choices.RatingTest = option(
        "two-means",
        "Default: two-means; with --correlation paired-mean.",
        open=True,
        page=on_page(
            *("t", "How they are compared", "paired-mean"),
            words=(
                ("paired-mean", "means, both systems on the same items"),
                ("two-means", "means, each system on items of its own"),
                ("rank-sum", "ranks, each system on items of its own"),
            ),
        ),
    )
    correlation: float | None = option(
        None,
        "Of the two ratings of an item, for paired tests.",
        page=on_page(
            *("r", "Correlation of two ratings of an item", 0.5, (-0.99, 0.99), (0.0, 0.95)),
            help="About .67 in campaigns with the same raters.",
            when=("test", _PAIRED),
        ),
    )
    method: choices.RatingMethod = option(
        "simulated", "Simulate, or use the normal approximation."
    )


def _sd(of: str, key: str, label: str, default: float) -> float | None:
    page = on_page(key, label, default, (0.0, 100.0), (0.0, 1.0), when=("spread", ("own",)))
    found: float | None = option(None, f"SD of {of}.", page=page)
    return found


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class LikertOptions:
    """What is known of raters and items."""

    n_raters: int = option(
        ...,
        "Raters.",
        flag="--raters",
        open=True,
        least=2,
        page=on_page("r", "Raters", 5, (2, 200), (2, 30), 1),
    )
    preset: choices.LikertPreset | None = option(
        None, "The two settings of card2020, on a scale from 0 to 1."
    )
    rater_sd: float | None = _sd("raters' levels", "i", "Spread of raters' levels", 0.2)
    rater_slope_sd: float | None = _sd(
        "half the difference between the systems, by rater",
        *("j", "… of half the difference, by rater", 0.05),
    )
    item_sd: float | None = _sd("items' levels", "h", "Spread of items' levels", 0.2)
    item_slope_sd: float | None = _sd(
        "half the difference between the systems, by item",
        *("l", "… of half the difference, by item", 0.05),
    )
    residual_sd: float | None = _sd("everything else", "o", "Spread of everything else", 0.25)
    test: choices.LikertTest = option(
        "satterthwaite",
        "REML with Satterthwaite's df, or the authors' ML with t > 1.96.",
        page=on_page(
            *("t", "Test", "satterthwaite"),
            words=(
                ("satterthwaite", "REML with Satterthwaite's degrees of freedom"),
                ("card", "maximum likelihood, t > 1.96 (not at its level)"),
            ),
        ),
    )
    raters_per_item: int | None = option(None, "Fewer than all, in rotation.")
    missing: float = option(0.0, "Share of ratings that get lost.", shown=False)


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class RankSumOptions:
    """What is known of scores on different items."""

    levels: int | None = option(
        None,
        "Equally frequent score levels (default: no ties).",
        least=2,
        page=on_page(
            *("l", "Levels", 7, (2, 1000), (2, 20), 1),
            help="Equally frequent.",
            when=("ties", ("levels",)),
        ),
    )
    alternative: choices.RankAlternative = option(
        "two-sided",
        "WMT tests one-sided in the observed order, at twice the stated level.",
        page=on_page(
            *("t", "Test", "two-sided"),
            words=(
                ("two-sided", "two-sided"),
                ("observed-order", "one-sided in the observed order, as WMT does"),
            ),
        ),
    )


# --- The cheapest design ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What is paid for."""

    item: float = option(
        0.0, "Of one item: choosing, preparing it.", flag="--item-cost", open=True
    )
    judgment: float = option(
        0.0,
        "Of one rating of one output (default without any cost: 0.25, and 5 a rater).",
        flag="--judgment-cost",
        open=True,
    )
    rater: float = option(
        0.0, "Of one rater: finding, training, checking.", flag="--rater-cost", open=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheapestSettings:
    """What is asked of the cheapest design; see `cheapest`."""

    power: float = power()
    max_raters: int = option(50, "The most that can be had.", least=2)
    judgments_per_rater: int | None = option(
        None, "What one rater gives; needed with --rater-cost."
    )
    alpha: float = alpha()

    def __post_init__(self) -> None:
        check_settings(self)
