"""The forms of the planner, one for every scenario."""

from functools import cache

from detectable.core.registry import at
from detectable.report.planner.form import Form

# In the order in which they are offered.
_PLACES = (
    "detectable.report.planner.forms.accuracy:FORM",
    "detectable.report.planner.forms.bleu:FORM",
    "detectable.report.planner.forms.ratings:FORM",
    "detectable.report.planner.forms.preference:FORM",
    "detectable.report.planner.forms.likert:FORM",
    "detectable.report.planner.forms.samples:FORM",
    "detectable.report.planner.forms.rank_sum:FORM",
    "detectable.report.planner.forms.arena:FORM",
)


@cache
def forms() -> dict[str, Form]:
    """Return all forms by their names."""
    made: list[Form] = [at(place) for place in _PLACES]
    return {form.name: form for form in made}
