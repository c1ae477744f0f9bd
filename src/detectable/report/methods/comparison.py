"""How a comparison was done, as a paper would say it."""

from typing import TYPE_CHECKING

from detectable.core.wording import count, listing
from detectable.report.blocks import Methods
from detectable.report.methods.shared import by_score, corrected, detectable_differences
from detectable.study.comparison.result import Comparison

if TYPE_CHECKING:
    from detectable.study.comparison.parts import TaskRows


def methods(result: Comparison) -> Methods:
    """Return a paragraph with data, metrics, test, correction, level and what could be seen."""
    test, cite = _test(result)
    cite = [*cite, *(["miller-2024"] if result.samples is not None else [])]
    parts = [_data(result), *_sacrebleu(result), test]
    if result.claim == "better":
        within, sources = by_score(
            "That they lie within the margin was tested", result.signature
        )
        parts += [within] if within else []
        cite += sources
    shares = _shares(result)
    if shares:
        parts.append(shares)
        cite.append("tango-1998")
    cite += ["post-2018"] if "sacrebleu" in str(result.signature) else []
    said, sources = corrected(result.correction, result.family_size, "test", result.alpha)
    parts.append(said)
    cite += sources
    seen = _seen(result)
    if seen:
        parts.append(seen)
        cite.append("card-etal-2020")
    parts.append(f"The analysis was made with detectable {result.signature.version}.")
    return Methods(" ".join(parts), tuple(cite))


def _data(result: Comparison) -> str:
    systems = list(dict.fromkeys(row.system for row in result.systems))
    baselines = sorted({pair.baseline for pair in result.pairs})
    labels = listing([result.label(about["metric"]) for about in result.metrics], most=9)
    where = count(result.n_segments, result.item_word)
    if result.unit == "document":
        where += f" in {count(result.n_units, 'document')}"
    who = f"all pairs of {len(systems)} systems"
    if len(baselines) == 1:
        others = [name for name in systems if name != baselines[0]]
        named = others[0] if len(others) == 1 else count(len(others), "system")
        who = f"{named} with {baselines[0]}"
    return f"We compared {who} on {labels}, over {where}{_runs(result)}."


def _sacrebleu(result: Comparison) -> list[str]:
    """Give the signatures that sacreBLEU itself prints, with the number of references.

    Results saved by earlier versions have none.
    """
    told = [
        f"{about['sacrebleu']} for {result.label(about['metric'])}"
        for about in result.metrics
        if about.get("sacrebleu")
    ]
    if not told:
        return []
    word = "signature is" if len(told) == 1 else "signatures are"
    return [f"sacreBLEU's {word} {listing(told, most=9)} (Post, 2018)."]


def _runs(result: Comparison) -> str:
    if result.samples is not None:
        low = min(row.fewest for row in result.samples.systems)
        high = max(row.most for row in result.samples.systems)
        span = str(low) if low == high else f"{low} to {high}"
        return f", the mean of {span} sampled answers to each (Miller, 2024)"
    numbers = sorted(set(result.n_runs.values()))
    if numbers == [1]:
        return ""
    span = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    return f", each system with {span} runs" if numbers[0] > 1 else f", with {span} runs"


def _test(result: Comparison) -> tuple[str, list[str]]:
    """Return what was tested and how, and whom to cite for it."""
    what = {
        "better": "Differences were tested",
        "non-inferior": "That a system is not worse by more than the margin was tested",
        "equivalent": "Equivalence within the margin was tested by two one-sided tests",
    }[result.claim]
    if result.runs == "random":
        return (
            f"{what} by t with {result.unit_word}s and runs as random, so that the claims are about other "
            "runs of these systems as well (after Clark et al., 2011).",
            ["clark-etal-2011"],
        )
    if (
        result.claim != "better"
        and result.tasks is None
        and all(about["metric"] == "accuracy" for about in result.metrics)
    ):
        return f"{what} by the score test of two shares (Tango, 1998).", ["tango-1998"]
    if result.tasks is not None:
        return _tasks(what, result, result.tasks)
    drawn = f"{result.n_resamples:,}" if result.n_resamples else ""
    if result.test == "mcnemar":
        return (
            f"{what} by McNemar's exact test (1947) of the {result.unit_word}s that one system alone has "
            "right.",
            ["mcnemar-1947"],
        )
    if result.test == "score":
        return by_score(what, result.signature)
    if result.test == "swap":
        how = f"all {drawn} swaps" if result.exact else f"{drawn} random swaps"
        return (
            f"{what} by approximate randomization, swapping whole {result.unit_word}s ({how}; Riezler and "
            "Maxwell, 2005; Phipson and Smyth, 2010).",
            ["riezler-maxwell-2005", "phipson-smyth-2010"],
        )
    if result.test == "bootstrap":
        return (
            f"{what} by the paired bootstrap over {result.unit_word}s ({drawn} resamples; Koehn, 2004).",
            ["koehn-2004"],
        )
    if result.test == "compat":
        tool = "MultEval" if "multeval" in str(result.signature) else "sacreBLEU"
        return f"{what} as {tool} does it, over {result.unit_word}s.", []
    return f"{what} by paired t over {result.unit_word}s.", []


def _tasks(what: str, result: Comparison, tasks: "TaskRows") -> tuple[str, list[str]]:
    """Say how tasks are taken together."""
    weights = {"macro": "equal weights", "items": "weights by items", "given": "given weights"}
    test, more = ("the score statistic", ["tango-1998", "owen-2001"])
    if result.test == "t":
        test, more = "t", []
    if tasks.kind == "random":
        how = f"the spread of {len(tasks.names)} tasks, as a sample of others like them"
        return f"{what} by {test} from {how}.", more
    correction = {
        "holm": "; tasks alone are corrected by Holm",
        "benjamini-hochberg": "; tasks alone are corrected by Benjamini and Hochberg",
        "none": "",
    }[tasks.correction]
    return (
        f"{what} by {test} on the mean of {len(tasks.names)} tasks with {weights[tasks.weighting]}, as "
        f"fixed strata with {result.unit_word}s as units and degrees of freedom after Satterthwaite "
        f"(1946){correction}.",
        ["satterthwaite-1946", *more],
    )


def _shares(result: Comparison) -> str:
    """Say what is done differently for scores of 0 and 1, as `contrasts/analysis.py` does it."""
    if not _has_shares(result) or result.runs == "random" or result.tasks is not None:
        return ""
    others = len({about["metric"] for about in result.metrics}) > 1
    if result.claim != "better":
        apart = others and result.test != "score"  # which is that of Tango for shares
        return "For accuracy it is the score test (Tango, 1998)." if apart else ""
    if "interval:test" not in str(result.signature):
        return ""
    return f"Intervals{' of accuracy' if others else ''} are score intervals (Tango, 1998)."


def _has_shares(result: Comparison) -> bool:
    return any(about["metric"] == "accuracy" for about in result.metrics)


def _seen(result: Comparison) -> str:
    if result.claim != "better":
        return ""
    said = detectable_differences(result, between="–")
    if not said:
        return ""
    return (
        f"The smallest true difference found with {result.power:.0%} power was "
        f"{listing(said, most=9)} (Card et al., 2020)."
    )
