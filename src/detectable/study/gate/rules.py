"""The three rules of a gate, and how its rows decide together.

With d the difference, turned so that higher is better, and one-sided tests at α:

- *non-inferiority*: pass if a loss of the margin is ruled out; fail if there surely is a loss, and
  one of the margin is not ruled out. A loss that surely exists and surely is within the margin
  passes, and the row says so.
- *superiority*: pass if there surely is a gain, fail if there surely is a loss.
- *no-regression*: fail if there surely is a loss; pass if not, and a loss of the tolerance would
  have been seen four times in five. Otherwise the evaluation could not have seen it.

All rows must pass, each at α: an intersection-union test needs no correction [1]_. Any row may
fail, so those p-values are corrected by Holm: of ten metrics of an unchanged system one fails in
40 % of evaluations without.

References
----------
.. [1] Berger (1982), "Multiparameter hypothesis testing and acceptance sampling", Technometrics
   24(4), 295–300.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from detectable.core.choices import GateRule, Inconclusive

Outcome: TypeAlias = Literal["pass", "fail", "inconclusive"]

FEWEST_CLUSTERS = 10  # below, the tests are not trusted with a pass
FEW_CLUSTERS = 30  # below, the result says that they are rough
_CODES: dict[Outcome, int] = {"pass": 0, "fail": 3, "inconclusive": 4}


def decide(
    rule: GateRule,
    *,
    p_margin: float,
    p_better: float,
    p_worse: float,
    p_worse_adjusted: float,
    could_see: bool,
    may_pass: bool,
    alpha: float,
) -> Outcome:
    """Return the outcome of one row.

    Parameters
    ----------
    p_margin : float
        Of «the loss is the margin or more».
    p_better, p_worse : float
        Of «there is no gain», «there is no loss», one-sided and uncorrected.
    p_worse_adjusted : float
        The latter, corrected over the rows that decide.
    could_see : bool
        Whether a loss of the tolerance would have been seen (no-regression).
    may_pass : bool
        Whether there are clusters enough for a pass.

    Examples
    --------
    >>> common = {"p_better": 0.9, "could_see": False, "may_pass": True, "alpha": 0.05}
    >>> decide("non-inferiority", p_margin=0.01, p_worse=0.03, p_worse_adjusted=0.03, **common)
    'pass'
    >>> decide("non-inferiority", p_margin=0.4, p_worse=0.03, p_worse_adjusted=0.09, **common)
    'inconclusive'
    """
    fails = p_worse_adjusted <= alpha
    if rule == "non-inferiority":
        within = p_margin <= alpha
        if within:
            return "pass" if may_pass else "inconclusive"
        return "fail" if fails else "inconclusive"
    if fails:
        return "fail"
    if rule == "superiority":
        return "pass" if p_better <= alpha and may_pass else "inconclusive"
    return "pass" if p_worse > alpha and could_see and may_pass else "inconclusive"


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of all rows that decide.

    Examples
    --------
    >>> together(["pass", "inconclusive"]), together(["inconclusive", "fail"]), together(["pass"])
    ('inconclusive', 'fail', 'pass')
    """
    found = set(outcomes)
    if "fail" in found:
        return "fail"
    return "inconclusive" if "inconclusive" in found else "pass"


def exit_code(outcome: Outcome, inconclusive: Inconclusive | None) -> int:
    """Return 0 for a pass, 3 for a fail, 4 for neither; or what `inconclusive` makes of that.

    Examples
    --------
    >>> [exit_code("inconclusive", as_) for as_ in (None, "pass", "fail")]
    [4, 0, 3]
    """
    if outcome == "inconclusive" and inconclusive is not None:
        return _CODES[inconclusive]
    return _CODES[outcome]
