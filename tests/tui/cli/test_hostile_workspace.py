"""A real workspace full of hostile names and texts, through every command, applied and undone (G13, G15)."""

import json
import os
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Run, Typist
from tests.tui.cli.test_hostile import FORBIDDEN, SEEDS

NAMES = (
    b"2026-01-01-\x1b[2J\x1b]0;owned\x07.md",
    b"2026-01-02-new\nline.md",
    "2026-01-03-\u202egnp.md".encode(),
    "2026-01-04-\u200b\ufeff.md".encode(),
    b"2026-01-05-[@click=app.quit]x[].md",
    b"2026-01-06-$(touch x)`id`;.md",
    b"2026-01-07-\\n%s{0}.md",
    b"2026-01-08-\xff\xfe.md",
    b"-rf.md",
    b"2026-01-09-\xc2\x9b31m.md",
    "2026-01-10-가나다 ü.md".encode(),
)
LOOKING = (("status",), ("queue",), ("log", "--verify"), ("check", "--deep"), ("doctor",), ("policy",), ("recover",))


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace whose working notes are old, and hostile in name and text."""
    folder = tmp_path / "ws \x1b[31m\n\u202e"
    working = folder / "memory" / "working"
    working.mkdir(parents=True)
    tricks = [trick.encode("utf-8", "replace").decode() for trick in SEEDS if "\x00" not in trick]
    for number, name in enumerate(NAMES):
        lines = "".join(f"- Decision {number}: {trick} is kept because it was decided.\n" for trick in tricks)
        (working / os.fsdecode(name)).write_bytes(f"# {tricks[number]}\n\n{lines}".encode())
    monkeypatch.chdir(folder)
    return folder


def test_every_command_stays_safe_and_whole(run: Run, hostile: Path, typist: Typist) -> None:
    before = _tree(hostile)
    made = _safe(run, "plan", "compact", "--now", "2026-03-15", code=0)
    plan = json.loads(_safe(run, "plan", "compact", "--now", "2026-03-15", "--json", code=0))
    assert plan["plan"] and made and _tree(hostile) == before
    for arguments in (*LOOKING, ("show", plan["plan"]), ("show", plan["plan"], "--diff")):
        for extra in ((), ("--json",)):
            _safe(run, *arguments, *extra, code=0)
    typist.types("y\nbacked up\ny\n")
    _safe(run, "apply", plan["plan"], "--now", "2026-03-15", "--no-color", code=0)
    assert _tree(hostile) != before
    typist.types("y\n")
    _safe(run, "undo", "--no-color", code=0)
    assert _tree(hostile) == before
    _safe(run, "redo", "--json", code=0)
    _safe(run, "log", "--verify", code=0)
    shown = typist.shown().replace("\x1b[?2004h", "").replace("\x1b[?2004l", "").replace("\r\n", "\n")
    assert "Apply " in shown and not FORBIDDEN.search(shown)


def test_what_cannot_be_taken_is_named(run: Run, hostile: Path) -> None:
    (hostile / "memory/working/binary.md").write_bytes(b"\xff\x00\xff")
    (hostile / "memory/working/folder.md").mkdir()
    os.mkfifo(hostile / "memory/working/pipe.md")
    (hostile / "memory/working/out.md").symlink_to("/etc/passwd")
    skipped = json.loads(_safe(run, "status", "--json", code=0))["skipped"]
    named = {item["path"].rpartition("/")[2] for item in skipped}
    assert {"binary.md", "folder.md", "pipe.md", "out.md"} <= named
    assert all(item["reason"] for item in skipped)


def test_a_path_that_is_not_utf8_is_told(run: Run, tmp_path: Path) -> None:
    """Plans and records name the workspace in JSON, which could not hold it."""
    folder = tmp_path / os.fsdecode(b"ws\xff")
    folder.mkdir()
    assert "not UTF-8" in run("status", "-w", str(folder)).err
    _safe(run, "status", "-w", str(folder), code=5)


def _safe(run: Run, *arguments: str, code: int) -> str:
    ran = run(*arguments)
    assert ran.code == code, ran
    assert not FORBIDDEN.search(ran.out) and not FORBIDDEN.search(ran.err), ran
    assert "--json" not in arguments or ran.out.isascii()
    return ran.out


def _tree(folder: Path) -> dict[bytes, bytes]:
    return {os.fsencode(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
