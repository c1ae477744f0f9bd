"""The story is told once for all tests of it."""

import pytest

from detectable.study.demo.story import DemoStory, tell_story


@pytest.fixture(scope="package")
def story() -> DemoStory:
    return tell_story()
