"""What tests of kernels may ask for."""

from collections.abc import Iterator

import pytest

from tests.kernels.engines import ENGINES, engine


@pytest.fixture(params=ENGINES, scope="module")
def each_engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the tests of a module twice: natively, and by numpy."""
    with engine(request.param):
        yield request.param
