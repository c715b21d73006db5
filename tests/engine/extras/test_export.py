"""Export: what an import read comes back byte for byte, and only where nothing else is."""

import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import Conflict, Damaged, Refused, UsageError
from engine.extras.importers.export import ExportFolder
from engine.extras.importers.kinds import KINDS
from engine.extras.importers.originals import UNUSED, OriginalKeeper, Originals
from engine.lifecycle.capture.transcript_text import file_key
from engine.lifecycle.requests import ImportRequest
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from tests.engine.extras.other_tools import FIRST, WRITERS, lines
from tests.engine.extras.test_imports import plan_of, put
from tests.engine.extras.tool_generations import FIXTURES
from tests.turn import examples

Files = Mapping[str, bytes]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge").mkdir(parents=True)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its path."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()}


def layout(folder: Path, files: Files) -> Path:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def brought_in(workspace: Path, kind: str, place: Path) -> None:
    """Imports a place, and writes what its plans create, as applies would."""
    with Engine.open(workspace) as console:
        while plan := console.plans.make("import", PlanRequest(ImportRequest(kind, str(place)))).plan:
            put(workspace, plan)


def said(session: str, text: str, ident: str = "u1") -> dict[str, object]:
    return {"type": "user", "uuid": ident, "sessionId": session, "timestamp": FIRST, "message": {"content": text}}


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_of_every_kind_come_back_byte_for_byte(workspace: Path, tmp_path: Path, kind: str) -> None:
    WRITERS[kind](tmp_path / "there")
    brought_in(workspace, kind, tmp_path / "there")
    with Engine.open(workspace) as console:
        done = console.exports.write(kind, tmp_path / "back")
        again = console.exports.write(kind, tmp_path / "back")
    files = files_of(tmp_path / "there")
    files.pop("h/logs.json", None)  # of Gemini, and no session: it is not read
    assert files_of(tmp_path / "back") == files and files
    assert (done.written, done.same, again.written, again.same) == (len(files), 0, 0, len(files))


@pytest.mark.parametrize(("kind", "form"), FIXTURES)
def test_every_form_comes_back_byte_for_byte(workspace: Path, tmp_path: Path, kind: str, form: str) -> None:
    """Decision G28: an archive, a database and a sub-agent's file as they were, whatever was read of them."""
    FIXTURES[kind, form](tmp_path / "there")
    brought_in(workspace, kind, tmp_path / "there")
    with Engine.open(workspace) as console:
        console.exports.write(kind, tmp_path / "back")
    files = files_of(tmp_path / "there")
    files.pop("h/logs.json", None)
    assert files_of(tmp_path / "back") == files and files


def test_a_database_comes_back_with_the_log_of_its_writes(workspace: Path, tmp_path: Path) -> None:
    FIXTURES["opencode", "SQLite"](tmp_path / "there")
    with closing(sqlite3.connect(tmp_path / "there/opencode.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=wal")
        db.execute("UPDATE session SET title = 'Another'")
        names = ("opencode.db", "opencode.db-wal")
        before = {name: (tmp_path / "there" / name).read_bytes() for name in names}
        brought_in(workspace, "opencode", tmp_path / "there")
    with Engine.open(workspace) as console:
        console.exports.write("opencode", tmp_path / "back")
    assert files_of(tmp_path / "back") == before and before["opencode.db-wal"]


def test_secrets_side_chains_and_the_notes_of_claude_code_come_back_too(workspace: Path, tmp_path: Path) -> None:
    """Decision B19: what transcripts leave out is kept in the operator's state alone."""
    key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    side = {**said("s-1", "aside"), "isSidechain": True, "uuid": "x"}
    there = layout(
        tmp_path / "there",
        {
            "-home-user/s-1.jsonl": lines(said("s-1", f"use {key}")) + b'\r\n{torn \xff\xfe "no end',
            "-home-user/s-1/subagents/agent-1.jsonl": lines(side),
            "-home-user/memory/MEMORY.md": b"- [A](a.md) \xe2\x80\x94 hook",
            "-home-user/memory/a.md": b"---\r\nname: a\r\n---\r\nRule \xff",
        },
    )
    brought_in(workspace, "claude-code", there)
    assert not any(key.encode() in data for data in files_of(workspace).values())
    with Engine.open(workspace) as console:
        console.exports.write("claude-code", tmp_path / "back")
    assert files_of(tmp_path / "back") == files_of(there)


NAMES = st.text("abcz-_.09 é日", min_size=1, max_size=8).filter(lambda name: name.strip(". ") != "")
TEXTS = st.text(max_size=40) | st.sampled_from(
    ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "## 18:45 — user", "\r\n\x1b["]
)


@st.composite
def sessions(draw: st.DrawFn) -> bytes:
    """A session file: turns of any text, side chains, lines of any bytes, with any ends of lines."""
    ident = draw(st.uuids().map(str))
    turns = draw(st.lists(st.tuples(TEXTS, st.booleans(), st.sampled_from(["user", "assistant"])), max_size=5))
    rows = [json.dumps(said(ident, "Which database do we take?", f"{ident}-0")).encode()]
    for number, (text, side, kind) in enumerate(turns, 1):
        entry = {**said(ident, text, f"{ident}-{number}"), "type": kind, "isSidechain": side}
        rows.append(json.dumps(entry, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass"))
    rows += draw(st.lists(st.binary(max_size=30), max_size=2))
    end = draw(st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
    return end.join(rows) + draw(st.sampled_from([b"", end]))


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    made=st.dictionaries(st.tuples(NAMES, NAMES), sessions(), min_size=1, max_size=4),
    notes=st.dictionaries(NAMES, st.binary(max_size=60), max_size=2),
)
def test_any_sessions_come_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, made: dict[tuple[str, str], bytes], notes: dict[str, bytes]
) -> None:
    base = tmp_path_factory.mktemp("any")
    (base / "ws/knowledge").mkdir(parents=True)
    files = {f"p{folder}/{name}.jsonl": data for (folder, name), data in made.items()}
    files |= {f"p/memory/{name}.md": data for name, data in notes.items()}
    there = layout(base / "there", files)
    brought_in(base / "ws", "claude-code", there)
    with Engine.open(base / "ws") as console:
        console.exports.write("claude-code", base / "back")
    assert files_of(base / "back") == files_of(there) == files


def test_real_sessions_come_back_byte_for_byte(workspace: Path, tmp_path: Path, shared_data: Path) -> None:
    """Real turns in English and Chinese, and the notes of their days, laid out as Claude Code does."""
    turns = 0
    for number, path in enumerate(sorted(shared_data.rglob("raw/conversations/**/*.md"))[::20]):
        rows = path.read_text("utf-8").split("\n## ")[1:]
        entries = [said(f"ses-{number}", row.partition("\n")[2], f"{number}-{at}") for at, row in enumerate(rows)]
        layout(tmp_path / "there", {f"-p-{number % 3}/ses-{number}.jsonl": lines(*entries)})
        turns += len(entries)
    for number, path in enumerate(sorted(shared_data.rglob("memory/*.md"))[::20]):
        layout(tmp_path / "there", {f"-p-{number % 3}/memory/{path.name}": path.read_bytes()})
    assert turns > 300
    brought_in(workspace, "claude-code", tmp_path / "there")
    with Engine.open(workspace) as console:
        done = console.exports.write("claude-code", tmp_path / "back")
    assert files_of(tmp_path / "back") == files_of(tmp_path / "there")
    assert done.written == len(files_of(tmp_path / "there")) and not done.left_out


def test_what_was_not_applied_stays_out_and_is_told(workspace: Path, tmp_path: Path) -> None:
    there = layout(
        tmp_path / "there", {"p/s-1.jsonl": lines(said("s-1", "One.")), "q/s-2.jsonl": lines(said("s-2", "Two.", "u2"))}
    )
    plan = plan_of(workspace, "claude-code", there).plan
    assert plan is not None
    with Engine.open(workspace) as console, pytest.raises(UsageError, match="apply its plan first"):
        console.exports.write("claude-code", tmp_path / "back")
    written = put(workspace, plan)
    (workspace / next(path for path in written if file_key("s-2") in path)).unlink()
    with Engine.open(workspace) as console:
        done = console.exports.write("claude-code", tmp_path / "back")
    assert files_of(tmp_path / "back") == {"p/s-1.jsonl": lines(said("s-1", "One."))}
    assert done.left_out == (f"{there}: nothing of it is in the workspace: q/s-2.jsonl",)


def imported(workspace: Path, tmp_path: Path, text: str = "One.") -> Path:
    there = layout(tmp_path / "there", {"p/s-1.jsonl": lines(said("s-1", text))})
    brought_in(workspace, "claude-code", there)
    return there


@pytest.mark.parametrize("other", [b"mine", b"", b"x" * 1000])
def test_nothing_is_written_over(workspace: Path, tmp_path: Path, other: bytes) -> None:
    imported(workspace, tmp_path)
    back = layout(tmp_path / "back", {"p/s-1.jsonl": other})
    with Engine.open(workspace) as console, pytest.raises(Conflict, match=r"p/s-1\.jsonl"):
        console.exports.write("claude-code", back)
    assert files_of(back) == {"p/s-1.jsonl": other}


@pytest.mark.parametrize("at", ["p", "p/s-1.jsonl"])
def test_no_link_is_followed(workspace: Path, tmp_path: Path, at: str) -> None:
    imported(workspace, tmp_path)
    outside, back = tmp_path / "outside", tmp_path / "back"
    (outside / "deeper").mkdir(parents=True)
    (back / at).parent.mkdir(parents=True)
    (back / at).symlink_to(outside / ("deeper" if at == "p" else "new.jsonl"))
    with Engine.open(workspace) as console, pytest.raises((Conflict, Refused)):
        console.exports.write("claude-code", back)
    assert files_of(outside) == {}


@pytest.mark.parametrize("path", ["../x", "/x", "a/../x", "a\0b", ""])
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    with ExportFolder(tmp_path / "back") as folder, pytest.raises(Refused):
        folder.write(path, b"x")
    assert files_of(tmp_path) == {}


def test_what_comes_between_look_and_write_stays(tmp_path: Path) -> None:
    with ExportFolder(tmp_path / "back") as folder:
        layout(tmp_path / "back", {"p/x.jsonl": b"theirs"})
        with pytest.raises(Conflict, match="meanwhile"):
            folder.write("p/x.jsonl", b"ours")
    assert files_of(tmp_path / "back") == {"p/x.jsonl": b"theirs"}


@pytest.mark.parametrize("where", ["ws", "ws/below", "ws/link", ".", "state"])
def test_neither_workspace_nor_state_is_exported_into(workspace: Path, tmp_path: Path, where: str) -> None:
    """Decision G19: no folder of memory, and none of our own records."""
    imported(workspace, tmp_path)
    (workspace / "link").symlink_to(workspace / "knowledge")
    folder = _state_home() / "memdeck" if where == "state" else tmp_path / where
    with Engine.open(workspace) as console, pytest.raises(Refused):
        console.exports.write("claude-code", folder)
    assert not [path for path in files_of(workspace) if path.endswith(".jsonl")]


def test_two_places_with_different_files_at_a_path_are_named(workspace: Path, tmp_path: Path) -> None:
    here = layout(tmp_path / "one", {"p/s.jsonl": lines(said("s-1", "One."))})
    there = layout(tmp_path / "two", {"p/s.jsonl": lines(said("s-2", "Two.", "u2"))})
    brought_in(workspace, "claude-code", here)
    brought_in(workspace, "claude-code", there)
    with Engine.open(workspace) as console:
        with pytest.raises(UsageError, match="--from"):
            console.exports.write("claude-code", tmp_path / "back")
        console.exports.write("claude-code", tmp_path / "back", str(there))
        with pytest.raises(UsageError, match="nothing is kept"):
            console.exports.write("claude-code", tmp_path / "back", str(tmp_path / "three"))
    assert files_of(tmp_path / "back") == files_of(there)


def test_a_session_that_went_on_comes_back_as_it_was_last_imported(workspace: Path, tmp_path: Path) -> None:
    there = imported(workspace, tmp_path)
    with (there / "p/s-1.jsonl").open("ab") as opened:
        opened.write(lines(said("s-1", "And then?", "u2")))
    brought_in(workspace, "claude-code", there)
    with Engine.open(workspace) as console:
        console.exports.write("claude-code", tmp_path / "back")
    assert files_of(tmp_path / "back") == files_of(there)


def test_a_copy_that_was_altered_is_damage_and_comes_whole_with_the_next_import(
    workspace: Path, tmp_path: Path
) -> None:
    there = imported(workspace, tmp_path)
    (copy,) = _state_home().rglob("imports/*.z")
    copy.write_bytes(b"something else")
    with Engine.open(workspace) as console, pytest.raises(Damaged, match="import it again"):
        console.exports.write("claude-code", tmp_path / "back")
    brought_in(workspace, "claude-code", there)
    with Engine.open(workspace) as console:
        console.exports.write("claude-code", tmp_path / "back")
    assert files_of(tmp_path / "back") == files_of(there)


def _state_home() -> Path:
    return Path(os.environ["XDG_STATE_HOME"])


def test_what_came_to_nothing_is_let_go_of_after_thirty_days(tmp_path: Path) -> None:
    originals, at = Originals(tmp_path / "imports"), datetime(2026, 3, 1, tzinfo=UTC)

    def read_at(when: datetime, present: set[str], **files: str) -> set[str]:
        keeper = OriginalKeeper(originals, "codex", "/there", when)
        for path, session in files.items():
            keeper.take(path, path.encode(), iter([session]))
        keeper.finish(present)
        return set(originals.places("codex")[0].files)

    assert read_at(at, set(), a="s1", b="s2") == {"a", "b"}
    assert read_at(at + UNUSED, set(), c="s3") == {"a", "b", "c"}
    assert read_at(at + UNUSED * 2, {"s1"}, c="s3") == {"a", "c"}


def test_nothing_is_kept_where_nothing_is_written(workspace: Path, tmp_path: Path) -> None:
    WRITERS["claude-code"](tmp_path / "there")
    with Engine.open(workspace, read_only=True) as console:
        console.plans.make("import", PlanRequest(ImportRequest("claude-code", str(tmp_path / "there"))))
        assert console.exports.places("claude-code") == ()
