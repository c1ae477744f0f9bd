"""The forms, one file each: ``forms/<scenario>.py`` holds a `FORM`."""

import pkgutil
from functools import cache
from importlib import import_module

from detectable.report.planner.form import Form

# In the order in which they are offered.
_ORDER = (
    "accuracy",
    "bleu",
    "ratings",
    "preference",
    "likert",
    "samples",
    "rank_sum",
    "arena",
)


@cache
def forms() -> dict[str, Form]:
    """Return all forms by their names."""
    found = {module.name for module in pkgutil.iter_modules(__path__)}
    names = [*(name for name in _ORDER if name in found), *sorted(found - set(_ORDER))]
    made = [import_module(f"{__name__}.{name}").FORM for name in names]
    return {form.name: form for form in made}
