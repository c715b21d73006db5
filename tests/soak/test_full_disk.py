"""A disk that is full under the workspace, or under the state folder: nothing is lost, and it is said plainly (B2)."""

from collections.abc import Iterator

import pytest

from tests.soak.page import compiler
from tests.soak.workers import NotMounted, Worker

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(compiler() is None, reason="the campaign's workers need Linux and a C compiler"),
]

LEFT = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256)
"""Pages of 4 KiB that are free."""
CHANGING = ("apply compact", "apply tree", "approve", "undo", "undo with late lines", "apply a redo")
RECORDING = ("plan compact", "plan tree", "index", "index --rebuild", "recover what is owed", "topics tune --judge")


@pytest.fixture(params=["ws", "state"])
def small(request: pytest.FixtureRequest) -> Iterator[tuple[str, Worker]]:
    folder: str = request.param
    try:
        worker = Worker(small=folder)
    except NotMounted as error:
        pytest.skip(f"no disk can be mounted here: {error}")
    yield folder, worker
    worker.close()


@pytest.mark.parametrize("name", [*CHANGING, *RECORDING])
def test_a_full_disk_loses_nothing_and_says_so(small: tuple[str, Worker], name: str) -> None:
    """What failed is told in one line; with room again `recover` and the same command bring all in order."""
    folder, worker = small
    results = {left: worker.full(name, folder, left * 4096) for left in LEFT}
    assert {left: result.problems for left, result in results.items() if result.problems} == {}
    if name in CHANGING:
        assert results[0].code in (1, 4, 5), "with no room at all it cannot be done"
