"""Only sizes slide by factors; every other number slides evenly."""

from detectable.report.planner.chosen import all_fields
from detectable.report.planner.forms import forms


def test_only_sizes_slide_by_factors() -> None:
    for form in forms().values():
        factors = {field.name for field in all_fields(form) if field.log}
        assert factors == {"n_items"}
        assert (form.size.key, form.effect.key) == ("n", "e")
