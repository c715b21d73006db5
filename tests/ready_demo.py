"""The demonstration, made once for a run of the tests: its workers share it, and each works on a copy."""

import fcntl
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from engine.demo.workspace import DemoWorkspace, make_demo
from engine.services.engine import Engine
from engine.state.folder import StateFolder, state_home
from engine.workspace.paths import WorkspaceRoot

NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)
_READY = "made.json"


class Demo(NamedTuple):
    """A demonstration, and the environment in which its records are found."""

    folder: Path
    env: dict[str, str]
    made: DemoWorkspace

    def open(self) -> Engine:
        return Engine.open(self.folder, now=NOW, env=self.env)

    def open_today(self) -> Engine:
        """Under a clock that stands at the demonstration's day, which is no what-if clock."""
        return Engine.open(self.folder, env=self.env, clock=lambda: NOW)


def make(base: Path, *, git: bool = True, now: datetime = NOW) -> Demo:
    """A demonstration of its own, made anew."""
    folder = _folder(base)
    folder.mkdir()
    return Demo(folder, _env(base), make_demo(folder, now=now, env=_env(base), git=git))


def shared(factory: pytest.TempPathFactory, now: datetime = NOW) -> Demo:
    """The demonstration of this run and day: the first worker that asks makes it, the others wait for it."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    place = base / f"ready-demo-{now:%Y-%m-%d}"
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = place / _READY
        if not ready.exists():
            place.mkdir()
            demo = make(place, now=now)
            with demo.open_today() as engine:
                engine.flags.look(demo.made.files << 20)  # all of it: each test would judge the same notes anew
            ready.write_bytes(msgspec.json.encode(demo.made))
        return Demo(_folder(place), _env(place), msgspec.json.decode(ready.read_bytes(), type=DemoWorkspace))


def copy(demo: Demo, base: Path) -> Demo:
    """The same files and records in another place, to be written to; its plans can be read but not applied there."""
    return copy_to(demo, _folder(base), _env(base))


def copy_to(demo: Demo, folder: Path, env: dict[str, str]) -> Demo:
    """The same as a copy at a folder, which may be there and empty, with its records where `env` says."""
    shutil.copytree(demo.folder, folder, symlinks=True, dirs_exist_ok=True)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        if Path(demo.env[name]).exists():
            shutil.copytree(demo.env[name], env[name], symlinks=True, dirs_exist_ok=True)
    old, new = _state(demo.folder, demo.env), _state(folder, env)
    kept = new.with_name(old.name)
    shutil.rmtree(new)
    kept.rename(new)
    return Demo(folder, env, msgspec.structs.replace(demo.made, folder=str(folder)))


def _folder(base: Path) -> Path:
    return base / "silas"


def _env(base: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(base / "state"), "XDG_CONFIG_HOME": str(base / "config"), "HOME": str(base)}


def _state(folder: Path, env: dict[str, str]) -> Path:
    with WorkspaceRoot.open(folder) as root:
        return StateFolder.locate(root.identity, state_home(env)).path
