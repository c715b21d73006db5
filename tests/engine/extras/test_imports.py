"""Import: sessions of other tools become transcripts, each turn once, and a second run finds nothing."""

import json
import os
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.extras.importers.kinds import KINDS
from engine.lifecycle.requests import ImportRequest
from engine.plans.plan import Create, Plan, RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.engine import Engine
from engine.sessions.folder import SessionFolder
from engine.sessions.session_file import read_session
from engine.workspace.paths import WorkspaceRoot
from tests.engine.extras.other_tools import ANSWERED, ASKED, AT, COUNTED, FIRST, THEN, THIRD, WRITERS, lines
from tests.turn import examples


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge").mkdir(parents=True)
    return folder


def plan_of(workspace: Path, kind: str, place: Path) -> PlanOutcome:
    with Engine.open(workspace) as console:
        return console.plans.make("import", PlanRequest(ImportRequest(kind, str(place))))


def put(workspace: Path, plan: Plan | None) -> list[str]:
    """Writes what a plan creates, as an apply would; the paths."""
    assert plan is not None
    for change in plan.changes:
        assert isinstance(change, Create)
        file = workspace / change.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(change.content, encoding="utf-8", newline="")
    return [change.path for change in plan.changes]


def names_of(kind: str) -> list[str]:
    """A name of a file for each form of a tool's files."""
    patterns = [pattern for form in KINDS[kind].files.generations for pattern in form.files]
    return [pattern.replace("[0-9]*", "000").replace("?", "a").replace("*", "x") for pattern in patterns]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_one_turn_for_each_message_and_counts_out_the_rest(
    workspace: Path, tmp_path: Path, kind: str
) -> None:
    WRITERS[kind](tmp_path / "there")
    outcome = plan_of(workspace, kind, tmp_path / "there")
    (path,) = put(workspace, outcome.plan)
    with WorkspaceRoot.open(workspace) as root:
        messages = read_session(SessionFolder(root, "raw/conversations"), path).messages
    asked = f"{ASKED}\n> [attachment:plan.png]" if kind == "claude" else ASKED
    said = [(one.role.value, one.message.text) for one in messages]
    assert said == [("user", asked), ("agent", ANSWERED), ("user", THEN)]
    assert sum(len(one.message.tool_calls) for one in messages) == 1
    assert {name: outcome.facts["counts"].get(name, 0) for name in COUNTED[kind]} == COUNTED[kind]
    assert path.startswith("raw/conversations/2026/02/16/1845-")


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_run_changes_nothing(workspace: Path, tmp_path: Path, kind: str) -> None:
    WRITERS[kind](tmp_path / "there")
    first = plan_of(workspace, kind, tmp_path / "there")
    assert first.plan is not None and first.plan.risk_tier is RiskTier.B
    put(workspace, first.plan)
    second = plan_of(workspace, kind, tmp_path / "there")
    assert second.plan is None and second.reason_no_action == "nothing new: the workspace has every session"
    assert second.facts["counts"]["duplicates"] == 1


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("data", [b"", b"{", b"[[[", b'{"messages": 3}', b"[1]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_a_file_of_any_bytes_is_left_alone(workspace: Path, tmp_path: Path, kind: str, data: bytes) -> None:
    for name in names_of(kind):
        (tmp_path / "there" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "there" / name).write_bytes(data)
    assert plan_of(workspace, kind, tmp_path / "there").plan is None


KEYS = st.sampled_from(
    [
        "type",
        "message",
        "role",
        "content",
        "id",
        "parentId",
        "uuid",
        "timestamp",
        "payload",
        "call_id",
        "text",
        "usage",
        "mapping",
        "current_node",
        "parent",
        "author",
        "parts",
        "chat_messages",
        "sender",
        "created_at",
        "messages",
        "sessionId",
        "toolCalls",
        "info",
        "model",
        "input",
        "files",
        "recipient",
        "metadata",
        "content_type",
        "arguments",
        "file_name",
    ]
)
WORDS = st.sampled_from(["user", "assistant", "message", "session", "text", "response_item", FIRST, "tool_use", ""])
JSON = st.recursive(
    WORDS | st.none() | st.integers(-2, 2) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)


@settings(max_examples=examples(60))
@pytest.mark.parametrize("kind", KINDS)
@given(values=st.lists(JSON, max_size=4))
def test_no_shape_of_json_is_an_error(kind: str, values: list[object]) -> None:
    for data in (lines(*values), json.dumps(values).encode(), json.dumps(dict(enumerate(values))).encode()):
        with suppress(msgspec.DecodeError):
            list(KINDS[kind].reader().read(data, "x"))


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (
            "openclaw",
            lines({"type": "message", "id": "1", "parentId": "0"}, {"type": "message", "id": [], "message": {}}),
        ),
        ("chatgpt", b'[{"current_node": "a", "mapping": {"a": {"message": {"content": {"content_type": []}}}}}]'),
    ],
)
def test_an_id_or_a_type_that_is_no_text_is_none(kind: str, data: bytes) -> None:
    assert [one for one in KINDS[kind].reader().read(data, "x") if one.events] == []


def test_tokens_are_counted_once_for_each_message(workspace: Path, tmp_path: Path) -> None:
    WRITERS["claude-code"](tmp_path / "there")
    (path,) = put(workspace, plan_of(workspace, "claude-code", tmp_path / "there").plan)
    text = (workspace / path).read_text("utf-8")
    assert "tokens_in: 100\ntokens_out: 7\n" in text and "channel: claude-code\n" in text
    assert "> [tool:Bash] ls → a.md\n" in text


def test_a_session_that_went_on_gives_a_transcript_of_the_rest(workspace: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    WRITERS["claude-code"](there)
    (first,) = put(workspace, plan_of(workspace, "claude-code", there).plan)
    before = (workspace / first).read_bytes()
    more = {"type": "user", "uuid": "u9", "sessionId": "s-1", "timestamp": "2026-02-18T09:00:00Z"}
    with (there / "-home-user/s-1.jsonl").open("ab") as opened:
        opened.write(b"\n" + lines({**more, "message": {"role": "user", "content": "Once more: why?"}}))
    (second,) = put(workspace, plan_of(workspace, "claude-code", there).plan)
    text = (workspace / second).read_text("utf-8")
    assert second.startswith("raw/conversations/2026/02/18/0900-") and f"continues: {first}\n" in text
    assert "Once more: why?" in text and ASKED not in text and (workspace / first).read_bytes() == before
    assert plan_of(workspace, "claude-code", there).plan is None


def test_a_transcript_that_says_something_else_is_told_and_left(workspace: Path, tmp_path: Path) -> None:
    WRITERS["codex"](tmp_path / "there")
    (path,) = put(workspace, plan_of(workspace, "codex", tmp_path / "there").plan)
    file = workspace / path
    file.write_text(file.read_text("utf-8").replace(ANSWERED, "PostgreSQL."), encoding="utf-8")
    outcome = plan_of(workspace, "codex", tmp_path / "there")
    assert outcome.plan is None and path in outcome.facts["problems"][0]


def test_a_link_out_of_the_folder_is_not_followed(workspace: Path, tmp_path: Path) -> None:
    WRITERS["openclaw"](tmp_path / "secret")
    (tmp_path / "there").mkdir()
    (tmp_path / "there/s-1.jsonl").symlink_to(tmp_path / "secret/s-1.jsonl")
    (tmp_path / "there/deeper").symlink_to(tmp_path / "secret")
    outcome = plan_of(workspace, "openclaw", tmp_path / "there")
    assert outcome.plan is None and "link" in outcome.facts["problems"][0]
    named = plan_of(workspace, "openclaw", tmp_path / "there/s-1.jsonl")
    assert named.plan is not None, "the operator may name a link"


def test_secrets_are_taken_out_and_counted(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    said = {"type": "user", "uuid": "u", "sessionId": "s", "timestamp": FIRST, "message": {"content": f"use {key}"}}
    (tmp_path / "there/s.jsonl").write_bytes(lines(said))
    plan = plan_of(workspace, "claude-code", tmp_path / "there").plan
    assert plan is not None and key not in json.dumps([one.path + getattr(one, "content", "") for one in plan.changes])
    assert plan.facts["counts"]["secrets taken out"] == 1
    put(workspace, plan)
    assert plan_of(workspace, "claude-code", tmp_path / "there").plan is None


def test_the_report_lists_files_counts_and_span(workspace: Path, tmp_path: Path) -> None:
    WRITERS["claude-code"](tmp_path / "there")
    outcome = plan_of(workspace, "claude-code", tmp_path / "there")
    assert outcome.facts["files"] == outcome.facts["sessions"] == outcome.facts["new"] == 1
    assert [outcome.facts["first"], outcome.facts["last"]] == [at.replace("Z", "+00:00") for at in (FIRST, THIRD)]
    assert "from 2026-02-16 to 2026-02-16\nnew: 1\n" in outcome.report and "-home-user/s-1.jsonl" in outcome.report


@pytest.mark.parametrize(("kind", "place"), [("dance", "."), ("codex", "nowhere")])
def test_what_cannot_be_imported_is_said(workspace: Path, tmp_path: Path, kind: str, place: str) -> None:
    with pytest.raises(UsageError):
        plan_of(workspace, kind, tmp_path / place)


@pytest.mark.parametrize("kind", KINDS)
def test_a_byte_order_mark_and_ends_of_lines_of_windows_change_nothing(
    workspace: Path, tmp_path: Path, kind: str
) -> None:
    WRITERS[kind](tmp_path / "there")
    first = plan_of(workspace, kind, tmp_path / "there")
    for file in (one for one in (tmp_path / "there").rglob("*") if one.is_file()):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
        os.utime(file, (AT, AT))
    second = plan_of(workspace, kind, tmp_path / "there")
    assert first.plan is not None and second.plan is not None
    assert second.plan.changes == first.plan.changes


def test_turns_without_a_time_count_as_of_the_first_that_is_known(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "rollout-old.jsonl").write_bytes(
        lines(
            {"id": "old", "timestamp": "2025-05-01T08:30:00Z", "instructions": None},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        )
    )
    (path,) = put(workspace, plan_of(workspace, "codex", tmp_path / "rollout-old.jsonl").plan)
    assert path.startswith("raw/conversations/2025/05/01/0830-old")
    never = {"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": THEN}}
    later = never | {"uuid": "v", "timestamp": "2025-05-02T09:00:00Z"}
    (tmp_path / "s.jsonl").write_bytes(lines(never, later))
    assert plan_of(workspace, "claude-code", tmp_path / "s.jsonl").facts["counts"]["turns"] == 2
    (tmp_path / "s.jsonl").write_bytes(lines(never))
    outcome = plan_of(workspace, "claude-code", tmp_path / "s.jsonl")
    assert outcome.facts["counts"] == {"files without a session": 1, "turn without a time": 1}
    assert outcome.facts["without_session"] == ["s.jsonl"] and "\nno session in s.jsonl\n" in outcome.report


def test_links_to_folders_and_odd_names_are_told(workspace: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    WRITERS["openclaw"](there)
    (there / "loop").symlink_to("loop")
    (there / "deeper").symlink_to(tmp_path)
    (there / "odd\nname.jsonl").write_bytes(b"{}")
    outcome = plan_of(workspace, "openclaw", there)
    assert outcome.plan is not None
    told = sorted(outcome.facts["problems"])
    assert len(told) == 2 and told[0].startswith("deeper: a link") and "control characters" in told[1]
