"""The forms of the planner, one for every scenario."""

from functools import cache

from detectable.core.registry import at
from detectable.report.planner.field import Form

# In the order in which they are offered.
_PLACES = (
    "detectable.report.planner.forms.answers:ACCURACY",
    "detectable.report.planner.forms.answers:BLEU",
    "detectable.report.planner.forms.ratings:RATINGS",
    "detectable.report.planner.forms.answers:PREFERENCE",
    "detectable.report.planner.forms.ratings:LIKERT",
    "detectable.report.planner.forms.answers:SAMPLES",
    "detectable.report.planner.forms.ratings:RANK_SUM",
    "detectable.report.planner.forms.answers:ARENA",
)


@cache
def forms() -> dict[str, Form]:
    """Return all forms by their names."""
    made: list[Form] = [at(place) for place in _PLACES]
    return {form.name: form for form in made}
