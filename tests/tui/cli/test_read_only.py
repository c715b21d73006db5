"""`--read-only` writes nothing at all: neither records nor caches, nor the index."""

from hashlib import sha256
from pathlib import Path

import pytest

from tests.ready_demo import Demo, copy
from tests.tui.cli.conftest import Run

COMMANDS = (
    "status",
    "queue",
    "log --verify",
    "facts",
    "changes",
    "consolidations",
    "trends",
    "digest",
    "kept",
    "check --deep",
    "search depot",
    "index",
    "load",
    "compile depot",
    "why depot",
    "probe",
    "window",
    "flushes",
    "schedule",
    "tree",
    "lifecycle",
    "uses",
    "lint",
    "doctor",
    "connect",
)


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
        if not path.is_symlink()
    }


@pytest.mark.parametrize("is_known", [False, True])
def test_nothing_is_written_with_read_only(
    made_demo: Demo, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    """`is_known`: with an index and caches, which a change of the notes has overtaken."""
    demo = copy(made_demo, tmp_path)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, demo.env[name])
    monkeypatch.chdir(demo.folder)
    if is_known:
        for command in ("status", "search depot", "check", "log"):
            run(*command.split())
        (demo.folder / "knowledge" / "new.md").write_text("# New\n\nThe depot has a new gate.\n", "utf-8")
    before = files(tmp_path)
    for command in COMMANDS:
        run("--read-only", *command.split())
        assert files(tmp_path) == before, command
    assert "new gate" in run("--read-only", "search", "gate").out or not is_known
