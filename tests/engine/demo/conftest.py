"""A demonstration made once for the tests that only look at it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.demo.workspace import DemoWorkspace, make_demo
from engine.services.engine import Engine

NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)


class Demo(NamedTuple):
    """A demonstration, and the environment in which its records are found."""

    folder: Path
    env: dict[str, str]
    made: DemoWorkspace

    def open(self) -> Engine:
        return Engine.open(self.folder, now=NOW, env=self.env)


def make(base: Path, *, git: bool = True, now: datetime = NOW) -> Demo:
    folder = base / "silas"
    folder.mkdir()
    env = {"XDG_STATE_HOME": str(base / "state"), "XDG_CONFIG_HOME": str(base / "config"), "HOME": str(base)}
    return Demo(folder, env, make_demo(folder, now=now, env=env, git=git))


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    yield make(tmp_path_factory.mktemp("demo"))
