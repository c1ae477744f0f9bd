"""Which tests in a browser every change runs: a page of each kind, by keyboard, for everyone.

A browser is the dearest tool of the suite: all of its tests together take as long as half of all
others. `make test` runs these, `make test-slow` all of them.
"""

import os
from pathlib import Path

import pytest

HERE = f"{Path(__file__).parent}{os.sep}"
SMOKE = frozenset(
    {
        "test_annotate.py::test_a_block_by_keyboard",
        "test_annotate.py::test_answers_survive_a_lost_connection_and_a_closed_tab",
        "test_annotate.py::test_strange_texts_are_shown_as_texts[390]",
        "test_annotate.py::test_the_page_passes_axe[390-True]",
        "test_demo.py::test_it_opens_draws_and_fits[390]",
        "test_explore.py::test_a_baked_page_from_the_verdict_to_a_segment",
        "test_explore.py::test_files_are_opened_and_dropped_under_the_policy_and_nothing_is_sent",
        "test_explore.py::test_for_everyone_at_a_desk_and_on_a_phone[False]",
        "test_explore.py::test_texts_are_texts",
        "test_form.py::test_the_form_sends_all_that_can_be_asked",
        "test_organise.py::test_a_campaign_says_what_was_planted",
        "test_pages.py::test_every_interactive_page_draws_by_itself_and_says_nothing[comparison]",
        "test_pages.py::test_every_page_opens_draws_fits_and_is_for_everyone[comparison]",
        "test_pages.py::test_every_page_opens_draws_fits_and_is_for_everyone[gate]",
        "test_pages.py::test_every_page_opens_draws_fits_and_is_for_everyone[ranking]",
        "test_planner.py::test_a_plan_is_frozen_and_its_hash_shown",
        "test_planner.py::test_every_scenario_fits_and_is_for_everyone[ratings]",
        "test_planner.py::test_every_scenario_is_moved_by_keyboard_and_mouse[accuracy]",
        "test_protocols.py::test_a_block_by_keyboard[esa]",
        "test_protocols.py::test_a_block_by_keyboard[pairwise]",
        "test_protocols.py::test_errors_are_marked_by_mouse_and_finger[True]",
        "test_rater_page.py::test_the_page_speaks_the_language_of_the_campaign[ja]",
    }
)


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the others slow; a name in the list that no test has is an error."""
    here = {}
    for item in items:
        if str(item.path).startswith(HERE):
            here[f"{item.path.name}::{item.name}"] = item
    for name, item in here.items():
        if name not in SMOKE:
            item.add_marker(pytest.mark.slow)
    files = {name.partition("::")[0] for name in here}
    if not any("::" in argument for argument in config.args):  # whole files were collected
        lost = sorted(n for n in SMOKE - here.keys() if n.partition("::")[0] in files)
        if lost:
            raise pytest.UsageError(f"tests/browser/conftest.py names no test: {lost}")
