"""A demonstration for the tests that only look at it."""

import pytest

from tests.ready_demo import Demo, copy, shared


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return copy(shared(tmp_path_factory), tmp_path_factory.mktemp("demo"))
