"""A demonstration of today, for the commands and the console that have the clock of the machine."""

from datetime import UTC, datetime

import pytest

from tests.ready_demo import Demo, shared


@pytest.fixture(scope="session")
def today(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Is copied by whoever changes it, and never opened itself."""
    return shared(tmp_path_factory, datetime.now(UTC))
