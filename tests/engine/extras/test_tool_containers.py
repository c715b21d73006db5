"""Every tool's files by generation, held against what their data set says of each session (decisions G28, D58)."""

import json
import shutil
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.extras.importers.files import SourceFolder
from engine.extras.importers.kinds import KINDS
from engine.extras.importers.place_content import HeldSessions, PlaceContent
from engine.extras.importers.session import ImportedSession
from engine.lifecycle.capture.events import SpokenTurn, ToolEvent
from engine.text.transcript_marks import Speaker
from tests.engine.extras.other_tools import ASKED, THEN
from tests.engine.extras.tool_generations import FIXTURES

DATA = Path(__file__).resolve().parents[4] / "shared/data/sessions"
TOOLS = {
    "chatgpt": "chatgpt",
    "claude-export": "claude",
    "cursor": "cursor",
    "gemini": "gemini",
    "hermes": "hermes",
    "hipocampus": "hipocampus",
    "openclaw": "openclaw",
    "opencode": "opencode",
    "pi": "pi",
}
NAMES = {
    "abandoned_branch_turns": "abandoned branch",
    "attachment_only_messages": "only attachments",
    "heartbeat_ack": "heartbeat ack",
    "empty_conversations": "empty conversation",
    "metadata_updates": "metadata update",
    "reasoning": "thinking",
    "branch_summary": "compaction summary",
    "repeated_sessions": "repeated",
    "session_meta": "session info",
    "side_chain_records": "side chain",
    "superseded_records": "abandoned branch",
    "synthetic_parts": "synthetic part",
    "thoughts": "thinking",
}
"""The names of the data set for what is no turn, and ours."""
NOT_COUNTED = {
    "session": "the head of a file",
    "side_chain_files": "the files of a form that is a side chain are in `generations`",
    "toolResult": "counted as results of tools",
    "envelope_headers": "taken off, and counted by the rules of the tool",
    "conversation_info_blocks": "the same",
    "sender_blocks": "the same",
    "message_id_hints": "the same",
    "exec_completion": "counted by the rules of the tool",
    "cron": "the same",
    "silent_reply": "the same",
    "heartbeat": "the same",
}
HEAD_WRITTEN_LATER = frozenset({"003ddddd-520b-47b8-ad4e-9c936600519b"})
"""A real session whose first message is 49 s older than the head of its file."""
CASES = sorted(file.parent for tool in TOOLS for file in DATA.glob(f"{tool}/*/expected.json"))


def read(kind: str, place: Path) -> tuple[list[ImportedSession], PlaceContent]:
    with SourceFolder(place) as folder, HeldSessions() as held:
        content = PlaceContent(lambda _stage, _done, _total: None, KINDS[kind], held)
        content.read(folder)
        return list(held.oldest_first()), content


@pytest.mark.skipif(not CASES, reason="the data set of sessions lies beside the checkout, not in it")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_each_case_is_read_as_its_data_set_says(case: Path, tmp_path: Path) -> None:
    expected = json.loads((case / "expected.json").read_text("utf-8"))
    shutil.copytree(case, tmp_path / "there", ignore=shutil.ignore_patterns("expected.json"))
    sessions, content = read(TOOLS[case.parent.name], tmp_path / "there")
    found = {one.session: one for one in sessions}
    assert content.problems == []
    wanted = [one for one in expected["sessions"] if one["turns"]["user"] or one["turns"]["assistant"]]
    assert sorted(found) == sorted(map(_ident, wanted))
    for one in wanted:
        _compare(found[_ident(one)], one, content)
    spoken = "\n".join(event.content for one in sessions for event in one.events if isinstance(event, SpokenTurn))
    people = "\n".join(_texts(one, Speaker.USER) for one in sessions)
    assert not [text for text in expected.get("must_not_be_user", ()) if text in people]
    assert not [text for text in expected.get("must_not_be_in_text", ()) if text in spoken]
    for name, count in expected.get("left_out", {}).items():
        assert (content.left_out + _left_out(sessions))[NAMES[name]] == count


def _texts(session: ImportedSession, speaker: Speaker) -> str:
    said = (event for event in session.events if isinstance(event, SpokenTurn) and event.role is speaker)
    return "\n".join(event.content for event in said)


def _left_out(sessions: list[ImportedSession]) -> Counter[str]:
    return sum((Counter(one.left_out) for one in sessions), Counter())


def _ident(session: dict[str, Any]) -> str:
    ident: str = session["id"]
    return f"hipocampus_{''.join(filter(str.isdigit, ident))}" if ident.startswith("2026-") else ident


def _compare(session: ImportedSession, wanted: dict[str, Any], content: PlaceContent) -> None:
    spoken = [event for event in session.events if isinstance(event, SpokenTurn)]
    people = [event.content for event in spoken if event.role is Speaker.USER]
    assert session.source == wanted["file"]
    assert len(people) == wanted["turns"]["user"]
    assert len(spoken) - len(people) == wanted["turns"]["assistant"]
    assert [text[:120] for text in people] == [text[:120] for text in wanted["user_texts"]]
    if "title" in wanted:
        assert session.topic == wanted["title"]
    if wanted["first"] and wanted["id"] not in HEAD_WRITTEN_LATER:
        _compare_times(session, wanted)
    calls = [event for event in session.events if isinstance(event, ToolEvent)]
    counted = content.left_out + _left_out([session])
    assert len(calls) == wanted["meta"].get("tool_call", 0)
    for name, count in wanted["meta"].items():
        if name not in NOT_COUNTED and not name.startswith("tool_"):
            assert counted[NAMES.get(name, name)] == count, name


def _compare_times(session: ImportedSession, wanted: dict[str, Any]) -> None:
    """The turns lie within the times of all records, of which some are no turns."""
    first, last = (datetime.fromisoformat(wanted[key]) for key in ("first", "last"))
    times = [datetime.fromisoformat(event.time) for event in session.events]
    assert first - timedelta(seconds=1) <= times[0] and times[-1] <= last + timedelta(seconds=1)
    assert times == sorted(times)


FORMS = [(kind, form.name) for kind in KINDS for form in KINDS[kind].files.generations]


def people(session: ImportedSession) -> list[str]:
    return [one.content for one in session.events if isinstance(one, SpokenTurn) and one.role is Speaker.USER]


def test_every_form_has_a_fixture_and_says_of_which_versions_and_days_it_is() -> None:
    """Decision G28."""
    assert sorted(FORMS) == sorted(FIXTURES)
    for kind in KINDS.values():
        assert kind.files.version and all(datetime.fromisoformat(form.seen) for form in kind.files.generations)


@pytest.mark.parametrize(("kind", "form"), FORMS)
def test_every_form_is_read(kind: str, form: str, tmp_path: Path) -> None:
    """Decision G28: with the turns of the person and nobody else's, and its files counted under its name."""
    FIXTURES[kind, form](tmp_path / "there")
    sessions, content = read(kind, tmp_path / "there")
    assert [people(one) for one in sessions] == [[ASKED, THEN]]
    assert content.problems == [] and content.newer == ""
    side = next(one for one in KINDS[kind].files.generations if one.name == form).side
    assert content.forms[form] == 1 or (side and "without a session" not in " ".join(content.unread))
