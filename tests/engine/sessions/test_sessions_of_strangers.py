"""Session files of Claude Code, OpenClaw and Codex as strangers have them, each held against what is expected of it.

The files lie beside the checkout and are none of the project; without them these tests are skipped.
"""

import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.extras.importers.claude_code import ClaudeCodeSessions
from engine.extras.importers.codex import CodexSessions
from engine.extras.importers.kinds import ImportReader
from engine.extras.importers.openclaw import OpenClawSessions
from engine.extras.importers.session import ImportedSession, SeenTurns
from engine.lifecycle.capture.events import SessionStart, SpokenTurn
from engine.lifecycle.capture.transcript_text import TranscriptText
from engine.text.transcript_marks import Speaker

PLACE = Path(__file__).parents[4] / "shared/data/sessions"
READERS: dict[str, Callable[[], ImportReader]] = {
    "claude-code": ClaudeCodeSessions,
    "openclaw": OpenClawSessions,
    "codex": CodexSessions,
}
CASES = sorted(
    file.parent
    for tool in READERS
    for file in PLACE.glob(f"{tool}/*/expected.json")
    if not any(file.parent.glob("**/*.sqlite"))
)
pytestmark = pytest.mark.skipif(not CASES, reason="the session files of strangers are not beside the checkout")

OUR_NAMES = {
    "isMeta": "meta",
    "compact_boundary": "system compact_boundary",
    "compact_summary": "compaction summary",
    "compacted": "compaction summary",
    "system": "system turn_duration",
    "side_chain_records": "side chain",
    "side_chain_files": "side chain file",
    "abandoned_branch_records": "abandoned branch",
    "repeated_records": "repeated",
    "repeated_turns": "repeated",
    "envelope_headers": "envelope",
    "conversation_info_blocks": "conversation info",
    "sender_blocks": "sender",
    "message_id_hints": "message id",
    "system_reminder_inside_a_turn": "system reminder",
    "unknown_line_type": "unknown line holodeck_state",
    "turn_context": "turn_context",
    "world_state": "world_state",
    "event_msg": "event_msg",
}
"""What is counted, by the names of `expected.json`, under those of ours; else underscores are spaces."""
NOT_COUNTED = {"tool_call", "tool_result", "session_meta"}
"""Calls stand in the transcript with their results; heads say which session it is."""


def read(case: Path) -> tuple[list[ImportedSession], Counter[str]]:
    """The sessions of a case as an import takes them, and what was counted."""
    reader, counts = READERS[case.parent.name](), Counter[str]()
    found: list[ImportedSession] = []
    for file in sorted(case.rglob("*.jsonl*")):
        found += reader.read(file.read_bytes(), str(file.relative_to(case)))
    counts.update(name for one in found if not one.events for name in Counter(one.left_out).elements())
    seen = SeenTurns()
    spoken = [seen.rest(one) for one in sorted((one for one in found if one.events), key=lambda one: one.own)]
    for one in spoken:
        counts.update(one.left_out)
    return [one for one in spoken if one.events], counts


def texts(session: ImportedSession, role: Speaker) -> list[str]:
    return [one.content for one in session.events if isinstance(one, SpokenTurn) and one.role is role]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_session_of_a_stranger_is_read_as_it_was_d57_d58(case: Path) -> None:
    expected = msgspec.json.decode((case / "expected.json").read_bytes())
    sessions, counts = read(case)
    by_id = {one.session: one for one in sessions}
    assert sorted(by_id) == sorted(one["id"] for one in expected["sessions"])
    wanted = Counter[str]()
    for one in expected["sessions"]:
        _session(by_id[one["id"]], one)
        wanted.update({_our_name(name): count for name, count in one["meta"].items() if name not in NOT_COUNTED})
    assert {name: counts[name] for name in wanted} == dict(wanted)
    said = "\n".join(text for one in sessions for text in texts(one, Speaker.USER))
    assert not [text for text in expected.get("must_not_be_user", ()) if text in said]
    assert not [text for text in expected.get("must_not_be_in_text", ()) if text in said]
    titles = [_title(one) for one in sessions]
    assert expected.get("title_must_not_be", "…") not in titles


def _session(session: ImportedSession, expected: dict[str, Any]) -> None:
    users, agents = texts(session, Speaker.USER), texts(session, Speaker.AGENT)
    assert (len(users), len(agents)) == (expected["turns"]["user"], expected["turns"]["assistant"])
    if "user_texts" in expected:
        assert [_plain(text)[:120] for text in users] == [_plain(text)[:120] for text in expected["user_texts"]]
    spoken = [datetime.fromisoformat(one.time) for one in session.events if isinstance(one, SpokenTurn)]
    ends = [datetime.fromisoformat(expected[name]) for name in ("first", "last")]
    assert spoken == sorted(spoken)
    # The first and last record of a file may be one in which nobody says anything; a turn is within them.
    assert ends[0] <= spoken[0] and spoken[-1] <= ends[1]


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _our_name(name: str) -> str:
    return OUR_NAMES.get(
        name, name.replace("system:", "system ") if "system:" in name or "-" in name else name.replace("_", " ")
    )


def _title(session: ImportedSession) -> str:
    text = TranscriptText(SessionStart(session_id="s", started=session.started.isoformat()))
    for event in session.events:
        text.add(event)
    return text.title


def test_a_name_in_a_group_stays_on_the_turn_d57() -> None:
    case = PLACE / "openclaw/01-envelopes"
    (session,), _ = read(case)
    marks = [one.type for one in session.events if isinstance(one, SpokenTurn) and one.role is Speaker.USER]
    assert marks == ["", "", "", "from Jonas", "from Mira"]
