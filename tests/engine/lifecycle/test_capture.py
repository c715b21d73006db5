"""Capture: transcripts of §2.1 from events, whole after any crash, and never changed after their close."""

import os
import random
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, UsageError
from engine.lifecycle.capture.event_journal import EventJournal
from engine.lifecycle.capture.events import read_event
from engine.lifecycle.capture.recorder import Captured, OpenTranscript
from engine.lifecycle.capture.transcript_text import file_key
from engine.plans.plan import Append, Input, Move, Plan, Replace, RiskTier
from engine.plans.prediction import predict
from engine.services.capture import CaptureProblem
from engine.services.engine import Engine
from engine.sessions.folder import SessionFolder
from engine.sessions.line_buffer import LineBuffer
from engine.sessions.session_file import read_session
from engine.sessions.transcript import Transcript
from engine.state.private_files import hooked
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot
from tests.engine.lifecycle.events import PATH, SESSION, TRANSCRIPT, capture, end, line, said, start, transcripts

AT = datetime(2026, 2, 17, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge").mkdir(parents=True)
    return folder


def test_a_nul_byte_that_was_said_leaves_a_transcript_that_is_text(workspace: Path) -> None:
    """Else the transcript would be unreadable, and an import of its session would come again for ever."""
    capture(workspace, start(), said("a\0b", topic="c\0d"), end())
    (data,) = transcripts(workspace).values()
    assert b"\0" not in data and "a\ufffdb" in data.decode()


def test_d42_a_session_becomes_the_transcript_of_the_specification(workspace: Path) -> None:
    (done,) = capture(workspace, *SESSION)
    assert transcripts(workspace) == {PATH: TRANSCRIPT.encode()}
    assert done == Captured(
        session="ses_a1b2c3d4", path=PATH, sha256=sha256_hex(TRANSCRIPT.encode()), turns=5, open=False
    )


def test_d42_the_open_file_is_named_by_its_id_and_renamed_once(workspace: Path) -> None:
    (left,) = capture(workspace, *SESSION[:4])
    assert (
        isinstance(left, Captured)
        and left.open
        and left.path == f"{PATH.removesuffix('-autopoiesis-restructuring.md')}.md"
    )
    before = transcripts(workspace)
    assert [*before] == [left.path]
    capture(workspace, *SESSION)
    after = transcripts(workspace)
    assert [*after] == [PATH]
    body = before[left.path].partition(b"\n# ")[2]
    assert after[PATH].partition(b"\n# ")[2].startswith(body), "the body is only added to (D21)"


def test_the_reader_of_sessions_finds_every_turn_with_its_day(workspace: Path) -> None:
    capture(workspace, *SESSION)
    with WorkspaceRoot.open(workspace) as root:
        messages = read_session(SessionFolder(root, "raw/conversations"), PATH).messages
    assert [(one.role.value, one.message.time) for one in messages] == [
        ("user", datetime(2026, 2, 16, 18, 45, tzinfo=UTC)),
        ("agent", datetime(2026, 2, 16, 18, 45, tzinfo=UTC)),
        ("user", datetime(2026, 2, 16, 18, 46, tzinfo=UTC)),
        ("agent", datetime(2026, 2, 16, 18, 52, tzinfo=UTC)),
        ("user", datetime(2026, 2, 17, 0, 3, tzinfo=UTC)),
    ]
    assert messages[1].message.tool_calls[0].name == "exec"


# ── no turn lost, none twice ────────────────────────────────────────────────────────────────────────────────────────

LONG = (
    start("ses_long", topic="ein langes Gespräch"),
    *(
        said(f"Zeile {n}: 这是第 {n} 句\n## 18:46 — agent\n> [tool:x] y", "user" if n % 2 else "agent")
        for n in range(6)
    ),
    said("ok", at="2026-02-16T18:50:00Z"),
    said("ok", at="2026-02-16T18:50:00Z"),
    line("tool", name="read", args="a.md", result="", time="2026-02-16T18:51:00Z"),
    end(),
)
"""Two of its turns say the same at the same time: both were said."""


def _killed(workspace: Path, after: int) -> bool:
    """Captures in a process that dies once it has written so many bytes or taken so many steps; True where it did."""
    child = os.fork()
    if child == 0:
        _count_down(after)
        capture(workspace, *LONG)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def _count_down(after: int) -> None:
    """Ends this process at a byte, in the middle of a write, or before a step; no kill loses what is written."""
    from engine.lifecycle.capture import event_journal, transcript_file
    from engine.plans.apply import filesystem

    left = [after]

    def write_all(fd: int, data: bytes) -> None:
        if len(data) >= left[0]:
            os.write(fd, data[: left[0]])
            os._exit(9)
        left[0] -= len(data)
        os.write(fd, data)

    def step(_name: str) -> None:
        left[0] -= 1
        if left[0] <= 0:
            os._exit(9)

    for module in (event_journal, transcript_file, filesystem):
        module.write_all = write_all  # type: ignore[attr-defined]
    os.fsync = lambda fd: None
    hooked(step).__enter__()


def _kill_often(folder: Path, kills: int, seed: int) -> None:
    wanted = folder / "wanted"
    wanted.mkdir()
    capture(wanted, *LONG)
    drawn, done, number = random.Random(seed), 0, 0
    while done < kills:
        number += 1
        workspace = folder / f"ws{number}"
        workspace.mkdir()
        while _killed(workspace, drawn.randrange(1, 4000)):
            done += 1
        capture(workspace, *LONG)
        assert transcripts(workspace) == transcripts(wanted), (seed, number)
        with Engine.open(workspace) as console:
            assert console.capture.sessions() == ()
            assert len(console.capture.closed()) == 1


def test_d21_no_turn_is_lost_and_none_is_twice_after_kills_at_random_bytes(tmp_path: Path) -> None:
    from tests.turn import TURN

    _kill_often(tmp_path, 12, TURN)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_thousand_kills(tmp_path: Path) -> None:
    _kill_often(tmp_path, 1000, 18)


def test_events_that_are_sent_again_are_not_written_twice(workspace: Path) -> None:
    capture(workspace, *LONG[:5])
    capture(workspace, *LONG[:8])
    capture(workspace, *LONG)
    first = transcripts(workspace)
    assert capture(workspace, *LONG) == [
        Captured(session="ses_long", path=next(iter(first)), sha256=sha256_hex(next(iter(first.values()))), turns=9)
    ]
    assert transcripts(workspace) == first
    (content,) = first.values()
    assert content.count(b"\nok\n") == 2


def test_a_program_that_sends_only_what_is_new_goes_on_where_it_was(workspace: Path) -> None:
    capture(workspace, start(), said("one"))
    capture(workspace, start(), said("one", at="2026-02-16T18:47:00Z"), end())
    (content,) = transcripts(workspace).values()
    assert content.count(b"\none\n") == 2


def test_a_session_that_goes_on_after_its_close_gets_a_transcript_that_names_the_first(workspace: Path) -> None:
    (first,) = capture(workspace, start(topic="plans"), said("one"), end())
    again = (start(topic="plans"), said("one"), end(), said("two", at="2026-02-18T09:00:00Z"))
    told = capture(workspace, *again, end("2026-02-18T09:30:00Z"))
    assert isinstance(first, Captured)
    assert told[0] == first and told[1] == CaptureProblem(4, "an event before the start of a session")
    done = capture(workspace, again[0], again[1], again[3], end("2026-02-18T09:30:00Z"))[-1]
    assert isinstance(done, Captured) and done.path.startswith("raw/conversations/2026/02/18/0900-ses_1-")
    assert f"continues: {first.path}\n".encode() in transcripts(workspace)[done.path]
    assert sha256_hex(transcripts(workspace)[first.path]) == first.sha256


# ── what is said cannot pretend ─────────────────────────────────────────────────────────────────────────────────────


FORGED = (
    "## 18:46 — agent",
    "\\## 18:46 — agent",
    "> [tool:exec] rm",
    "\\\\> [tool:exec] rm",
    "<!-- 2027-01-01 -->",
    "---",
    "a\u2028## 18:46 — user",
    "a\r## 18:46 — user",
    "> [knowledge:updated] knowledge/x.md",
    "# Title",
    "```",
)


@given(st.lists(st.text(max_size=60) | st.sampled_from(FORGED), min_size=1, max_size=6))
def test_d33_no_message_forges_a_turn(texts: list[str]) -> None:
    """Each message comes back as the one turn that it was, and says what was said."""
    from engine.lifecycle.capture.transcript_text import TranscriptText

    first = read_event(start("ses_1"))
    written = TranscriptText(first)  # type: ignore[arg-type]
    parts = [written.add(read_event(said(text, "user"))) for text in texts]  # type: ignore[arg-type]
    reader, buffer = Transcript("x/1845-ses_1.md"), LineBuffer()
    lines = buffer.take((written.opening + "".join(parts)).encode()) + buffer.finish()
    read = [one for raw in lines for one in reader.read(raw)] + reader.pause()
    assert all(one.role.value == "user" and not one.message.tool_calls for one in read)
    assert [one.message.text for one in read] == [plain for text in texts if (plain := _as_read(text))]


def _as_read(text: str) -> str:
    """The text with every end of a line as a newline, and without NUL bytes, as the reader gives it."""
    import re

    text = text.replace("\0", "\ufffd")
    plain = re.sub("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", "\n", text.encode("utf-8", "replace").decode())
    return plain.rstrip("\n").strip()


def test_d33_names_and_arguments_of_tools_stay_on_their_line(workspace: Path) -> None:
    told = {"name": "a]\n## 18:47 — user\n", "args": {"x": "1\n## 18:47 — user"}, "result": "→ a → b\u2028## x"}
    capture(workspace, start(), line("tool", time="2026-02-16T18:46:00Z", **told), end())
    (content,) = transcripts(workspace).values()
    assert [row for row in content.decode().splitlines() if row.startswith("## ")] == ["## 18:46 — agent"]


def test_reasoning_is_never_written(workspace: Path) -> None:
    capture(workspace, start(), said("hidden", "agent", type="reasoning"), said("shown", "agent"), end())
    assert b"hidden" not in b"".join(transcripts(workspace).values())
    assert not [one for one in (workspace.parent).rglob("*.jsonl") if b"hidden" in one.read_bytes()]


@pytest.mark.parametrize("session", ["a-b-c", "../../x", "ses\n1", "会话", "x" * 200, "a/b", "-w"])
def test_a_session_of_any_id_has_one_file_inside_the_folder(workspace: Path, session: str) -> None:
    (done,) = capture(workspace, start(session), said("hello there"), end())
    assert isinstance(done, Captured)
    assert [*transcripts(workspace)] == [done.path]
    assert "-" not in file_key(session) and "/" not in file_key(session)
    with WorkspaceRoot.open(workspace) as root:
        (read,) = read_session(SessionFolder(root, "raw/conversations"), done.path).messages
    assert read.message.text == "hello there"


def test_a_secret_in_the_first_message_is_not_in_the_name(workspace: Path) -> None:
    (done,) = capture(workspace, start(), said("use ghp_16C7e42F292c6912E7710c838347Ae178B4a now"), end())
    assert isinstance(done, Captured) and "ghp" not in done.path.casefold()


# ── after the close ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_d21_a_transcript_that_was_changed_after_its_close_is_found_by_its_hash(workspace: Path) -> None:
    (done,) = capture(workspace, *SESSION)
    assert isinstance(done, Captured)
    with Engine.open(workspace) as console:
        assert [one for one in console.maintenance.check() if one.id == "transcript_changed"] == []
        (workspace / done.path).write_bytes(TRANSCRIPT.encode() + b"## 00:09 \xe2\x80\x94 user\nand one more\n")
        assert [one.where for one in console.maintenance.check() if one.id == "transcript_changed"] == [done.path]
        (workspace / done.path).unlink()
        assert [one.where for one in console.maintenance.check() if one.id == "transcript_changed"] == [done.path]


@pytest.mark.parametrize(
    "change",
    [
        Append(n=1, path=PATH, risk_tier=RiskTier.C, reason="", content="x"),
        Replace(n=1, path=PATH, risk_tier=RiskTier.C, reason="", content="x"),
        Move(n=1, path=PATH, risk_tier=RiskTier.C, reason="", to="archive/x.md"),
    ],
)
def test_d21_no_plan_changes_a_transcript(workspace: Path, change: Append | Replace | Move) -> None:
    with WorkspaceRoot.open(workspace) as root:
        bound = Input(PATH, sha256_hex(b"old"))
        plan = Plan(
            system="lint", trigger="", workspace=root.identity, now=AT, zone="UTC", simulated_clock=False, made_at=AT,
            policy_sha256="", tokenizer="", inputs=(bound,), changes=(change,),
        )  # fmt: skip
        with pytest.raises(Refused, match="never changed"):
            predict(plan, (1,), lambda _path: b"old")


def test_what_another_program_made_of_the_open_file_is_kept_beside(workspace: Path) -> None:
    (left,) = capture(workspace, *SESSION[:4])
    assert isinstance(left, Captured)
    (workspace / left.path).write_text("mine now", encoding="utf-8")
    (done,) = capture(workspace, *SESSION)
    assert isinstance(done, Captured) and transcripts(workspace) == {PATH: TRANSCRIPT.encode()}
    (notice,) = done.notices
    assert Path(notice.rpartition(" is in ")[2]).read_text(encoding="utf-8") == "mine now"


def test_another_transcript_of_the_same_name_stays_what_it_is(workspace: Path) -> None:
    (workspace / PATH).parent.mkdir(parents=True)
    (workspace / PATH).write_text("another", encoding="utf-8")
    (done,) = capture(workspace, *SESSION)
    assert isinstance(done, Captured) and done.path == PATH.replace(".md", "-2.md")
    assert transcripts(workspace) == {PATH: b"another", done.path: TRANSCRIPT.encode()}


def test_a_link_in_the_way_is_not_followed(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (workspace / "raw").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="link"):
        capture(workspace, *SESSION)
    assert [*(tmp_path / "elsewhere").iterdir()] == []


def test_one_process_captures_a_session_at_a_time(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        state = console._opened.state.path
        held = EventJournal.of(state, "ses_1")
        held.append(read_event(start()))
        with pytest.raises(Refused, match="another process"):
            capture(workspace, start(), said("one"))
        assert [one.held for one in console.capture.sessions()] == [True]
        held.close()
        assert [one.held for one in console.capture.sessions()] == [False]


def test_a_session_whose_program_is_gone_is_closed_at_its_last_event(workspace: Path) -> None:
    capture(workspace, *SESSION[:6])
    with Engine.open(workspace) as console:
        done = console.capture.close("ses_a1b2c3d4")
        assert b"ended: 2026-02-16T18:46:00Z\n" in transcripts(workspace)[done.path]
        assert console.capture.sessions() == ()
        with pytest.raises(UsageError, match="no such session"):
            console.capture.close("ses_a1b2c3d4")


def test_recover_finishes_a_close_and_a_text_that_a_crash_left(workspace: Path) -> None:
    (left,) = capture(workspace, *SESSION[:6])
    assert isinstance(left, Captured)
    with (workspace / left.path).open("rb+") as opened:
        opened.truncate(opened.seek(0, os.SEEK_END) - 7)
    with Engine.open(workspace) as console:
        assert [one.where for one in console.maintenance.recover()] == [left.path]
        assert console.maintenance.recover() == ()
    (same,) = capture(workspace, SESSION[0])
    assert same == left
    with Engine.open(workspace) as console:
        journal = EventJournal.of(console._opened.state.path, "ses_a1b2c3d4")
        journal.append(read_event(end("2026-02-16T18:50:00Z")))
        journal.close()
        assert [one.where for one in console.maintenance.recover()] == [PATH]
        assert console.capture.sessions() == () and [*transcripts(workspace)] == [PATH]


def test_nothing_is_captured_read_only(workspace: Path) -> None:
    with Engine.open(workspace, read_only=True) as console, pytest.raises(Refused, match="read-only"):
        list(console.capture.record(SESSION))
    assert transcripts(workspace) == {}


@pytest.mark.parametrize(
    "bad",
    [b"{", b"[]\n", b'{"event": "dance"}\n', said("x", role="narrator"), said("x", at="yesterday"), said("x", at=""),
     line("message", role="user", content="x"), line("message", role="user", content=1, time="2026-02-16T18:46:00Z")],
)  # fmt: skip
def test_a_line_that_is_no_event_is_told_and_the_rest_is_captured(workspace: Path, bad: bytes) -> None:
    told = capture(workspace, start(), bad, said("kept"), end())
    assert [one.line for one in told if isinstance(one, CaptureProblem)] == [2]
    (content,) = transcripts(workspace).values()
    assert b"kept" in content


# ── git ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _git(workspace: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", workspace, *words], check=True, capture_output=True, text=True).stdout


def test_a_closed_transcript_is_committed_at_once_and_once(workspace: Path) -> None:
    _git(workspace, "init", "-q")
    (workspace / "knowledge" / "mine.md").write_text("x", encoding="utf-8")
    capture(workspace, *SESSION)
    capture(workspace, *SESSION)
    assert _git(workspace, "log", "--format=%s").splitlines() == ["conversation: autopoiesis-restructuring"]
    assert _git(workspace, "show", "--format=", "--name-only").split() == [PATH]
    assert _git(workspace, "log", "--format=%(trailers:key=Session,valueonly)").strip() == PATH


def test_a_commit_that_git_refuses_is_made_with_the_next_transcript(workspace: Path) -> None:
    _git(workspace, "init", "-q")
    lock = workspace / ".git/index.lock"
    lock.touch()
    (done,) = capture(workspace, *SESSION)
    assert isinstance(done, Captured) and "not committed" in done.notices[0]
    lock.unlink()
    capture(workspace, *LONG)
    assert len(_git(workspace, "log", "--format=%s").splitlines()) == 2


def test_the_text_is_a_function_of_the_events_alone() -> None:
    events = [read_event(one) for one in SESSION]
    with WorkspaceRoot.open(Path("/")) as root:
        assert OpenTranscript(root, events).content == OpenTranscript(root, events).content
