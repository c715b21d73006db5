"""Sessions in trees, forks, helper agents' files and resumed ones: no turn twice, none lost (D58)."""

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.extras.importers.claude_code import ClaudeCodeSessions
from engine.extras.importers.codex import CodexSessions
from engine.extras.importers.kinds import ImportReader
from engine.extras.importers.openclaw import OpenClawSessions
from engine.extras.importers.place_content import HeldSessions
from engine.lifecycle.capture.events import SpokenTurn
from engine.sessions.folder import SessionFolder
from engine.sessions.json_lines import JsonLines
from engine.sessions.line_buffer import LineBuffer
from engine.sessions.messages import SessionMessage
from engine.sessions.session_file import read_session
from tests.engine.extras.other_tools import lines
from tests.engine.lifecycle.events import capture, end, said, start, transcripts

ONE, TWO, THREE = (f"5e551000-0000-4000-8000-00000000000{n}" for n in (1, 2, 3))


def line(ident: str, parent: str | None, text: str, minute: int, *, role: str = "user", **more: Any) -> dict[str, Any]:
    """A line of Claude Code."""
    message: dict[str, Any] = {"role": role, "content": text}
    if role == "assistant":
        message = {"role": role, "id": f"m-{ident}", "content": [{"type": "text", "text": text}]}
    at = f"2026-11-18T10:{minute:02}:00.000Z"
    known = {"type": role, "uuid": ident, "parentUuid": parent, "timestamp": at, "message": message}
    return {**known, "sessionId": ONE, **more}


def dialogue(count: int, prefix: str = "l", begin: int = 0) -> list[dict[str, Any]]:
    roles = itertools.cycle(("user", "assistant"))
    return [
        line(f"{prefix}{at}", f"{prefix}{at - 1}" if at else None, f"{prefix} says {at}", begin + at, role=next(roles))
        for at in range(count)
    ]


def imported(reader: ImportReader, files: Mapping[str, Sequence[Any]]) -> dict[str, list[str]]:
    """The texts of each session as a plan takes them, with what was counted under the empty name."""
    found: dict[str, list[str]] = {}
    counts: list[str] = []
    with HeldSessions() as held:
        for name, entries in files.items():
            for one in reader.read(lines(*entries), name):
                if one.events:
                    held.add(one)
                else:
                    counts += [name for name, count in one.left_out.items() for _ in range(count)]
        for one in held.oldest_first():
            texts = [event.content for event in one.events if isinstance(event, SpokenTurn)]
            if texts:
                found[one.session] = texts
            counts += [name for name, count in one.left_out.items() for _ in range(count)]
    return {**found, "": sorted(counts)}


def heard(entries: Sequence[Any]) -> list[SessionMessage]:
    reader = JsonLines("s.jsonl")
    return [one for raw in LineBuffer().take(lines(*entries)) for one in reader.read(raw)]


def own(messages: Sequence[SessionMessage]) -> list[str]:
    return [one.message.text for one in messages if not one.message.injected]


REWIND = [
    *dialogue(2),
    line("old", "l1", "We decided to use Redis.", 3),
    line("olda", "old", "Redis it is.", 4, role="assistant"),
    line("new", "l1", "We decided to use the table.", 5),
    line("newa", "new", "The table it is.", 6, role="assistant"),
    {"type": "last-prompt", "leafUuid": "newa", "sessionId": ONE},
]


def test_a_rewind_counts_in_an_import_and_in_a_file_that_is_read_whole_d58(tmp_path: Path) -> None:
    wanted = ["l says 0", "l says 1", "We decided to use the table.", "The table it is."]
    result = imported(ClaudeCodeSessions(), {f"p/{ONE}.jsonl": REWIND})
    assert result[ONE] == wanted and result[""].count("abandoned branch") == 2
    (tmp_path / "s.jsonl").write_bytes(lines(*REWIND))
    place = SessionFolder.open(tmp_path)
    assert [one.message.text for one in read_session(place, "s.jsonl").messages] == wanted
    place.close()


@pytest.mark.parametrize("turned", [False, True])
def test_a_branch_repeats_nothing_whichever_file_comes_first_d58(turned: bool) -> None:
    parent = dialogue(2)
    copies = [
        {**entry, "uuid": f"c{at}", "parentUuid": f"c{at - 1}" if at else None, "sessionId": TWO,
         "forkedFrom": {"sessionId": ONE, "messageUuid": entry["uuid"]}}
        for at, entry in enumerate(parent)
    ]  # fmt: skip
    fork = [*copies, line("f", "c1", "Only here.", 30, sessionId=TWO)]
    names = {f"{ONE}.jsonl": parent, f"{TWO}.jsonl": fork}
    files = dict(reversed(names.items())) if turned else names
    result = imported(ClaudeCodeSessions(), files)
    assert (result[ONE], result[TWO]) == (["l says 0", "l says 1"], ["Only here."])
    assert result[""] == ["repeated", "repeated"]
    alone = imported(ClaudeCodeSessions(), {f"{TWO}.jsonl": fork})
    assert alone[TWO] == ["l says 0", "l says 1", "Only here."], "the only copy that is left"


def test_a_resumed_session_that_copied_its_lines_has_only_what_is_new_d58() -> None:
    first = dialogue(2)
    again = [{**entry, "sessionId": TWO} for entry in first] + [line("r", "l1", "Resumed.", 9, sessionId=TWO)]
    result = imported(ClaudeCodeSessions(), {f"{TWO}.jsonl": again, f"{ONE}.jsonl": first})
    assert (result[ONE], result[TWO]) == (["l says 0", "l says 1"], ["Resumed."])


def test_a_helpers_file_is_a_side_chain_and_a_line_of_another_session_stays_d58() -> None:
    helper = [line("h1", None, "We decided to skip it.", 2, isSidechain=True, agentId="a1")]
    entries = [*dialogue(2), line("o", "l1", "From a moved session.", 5, sessionId=THREE)]
    files = {f"p/{ONE}.jsonl": entries, f"p/{ONE}/subagents/agent-a1.jsonl": helper}
    result = imported(ClaudeCodeSessions(), files)
    assert result == {
        ONE: ["l says 0", "l says 1", "From a moved session."],
        "": ["side chain", "side chain file"],
    }


def test_a_compaction_does_not_cut_the_tree_d58() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None}
    summary = line("s", "b", "This session is being continued", 6, isCompactSummary=True)
    later = [line("n", "s", "After it.", 7), line("na", "n", "Yes.", 8, role="assistant")]
    for linked in ({"logicalParentUuid": "l1"}, {"logicalParentUuid": "gone"}, {}):
        result = imported(ClaudeCodeSessions(), {"x.jsonl": [*dialogue(2), boundary | linked, summary, *later]})
        assert result[ONE] == ["l says 0", "l says 1", "After it.", "Yes."]


def test_what_was_typed_while_the_agent_worked_is_a_turn_d57() -> None:
    def queued(prompt: object, **more: object) -> dict[str, Any]:
        attached = {"type": "queued_command", "prompt": prompt, **more}
        return {"type": "attachment", "uuid": f"q{prompt}", "timestamp": "2026-11-18T10:09:00Z", "attachment": attached}

    told = queued("We decided, says a task.", commandMode="task-notification")
    entries = [*dialogue(2), queued("And the docs too.", commandMode="prompt"), told]
    result = imported(ClaudeCodeSessions(), {"x.jsonl": entries})
    assert result == {ONE: ["l says 0", "l says 1", "And the docs too."], "": ["task notification"]}
    assert own(heard(entries))[-1] == "And the docs too."


@pytest.mark.parametrize("bad", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "soon", None, 1e300, [], "", 0])
def test_a_bad_time_costs_a_turn_its_time_and_no_file_d58(bad: object) -> None:
    entries = dialogue(4)
    entries[2]["timestamp"] = bad
    reader = ClaudeCodeSessions()
    (session,) = reader.read(lines(*entries), "x.jsonl")
    assert [one.time[:16] for one in session.events] == [f"2026-11-18T10:{minute:02}" for minute in (0, 1, 1, 3)]


def rollout(ident: str, *turns: tuple[str, str, str], parent: Sequence[Any] = (), at: str = "10:00:00") -> list[Any]:
    """A file of Codex: its head, what a fork copied, its turns `(turn, user, agent)`."""

    def item(role: str, text: str, when: str) -> dict[str, Any]:
        payload = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
        return {"timestamp": when, "type": "response_item", "payload": payload}

    when = f"2026-11-18T{at}.000Z"
    head = {"timestamp": when, "type": "session_meta", "payload": {"id": ident, "timestamp": when}}
    found: list[Any] = [head, *({**entry, "timestamp": when} for entry in parent)]
    for turn, asked, answered in turns:
        later = f"2026-11-18T{at[:3]}30:00.000Z"
        context = {"timestamp": later, "type": "turn_context", "payload": {"turn_id": turn, "model": "x"}}
        found += [context, item("user", asked, later), item("assistant", answered, later)]
    return found


@pytest.mark.parametrize("turned", [False, True])
def test_a_fork_of_codex_has_its_own_turns_alone_d58(turned: bool) -> None:
    parent = rollout("U1", ("t1", "Add a limit.", "Done."), ("t2", "Go on.", "Gone on."))
    fork = rollout("U2", ("t3", "Go on.", "Otherwise."), parent=parent[:4], at="12:00:00")
    nested = rollout("U3", ("t4", "And?", "So."), parent=fork, at="14:00:00")
    names = {"a/rollout-1.jsonl": parent, "b/rollout-2.jsonl": fork, "c/rollout-3.jsonl": nested}
    files = dict(reversed(names.items())) if turned else names
    result = imported(CodexSessions(), files)
    assert result["U1"] == ["Add a limit.", "Done.", "Go on.", "Gone on."]
    assert (result["U2"], result["U3"]) == (["Go on.", "Otherwise."], ["And?", "So."])
    assert result[""].count("repeated") == 2 + 4
    assert imported(CodexSessions(), {"b/rollout-2.jsonl": fork})["U2"][0] == "Add a limit.", "the only copy"


def test_codex_takes_questions_back_and_leaves_helpers_aside_d58() -> None:
    entries = rollout("U1", ("t1", "One.", "1"), ("t2", "Two.", "2"), ("t3", "Three.", "3"))
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 2}}
    result = imported(CodexSessions(), {"x.jsonl": [*entries, back, *rollout("U1", ("t4", "Four.", "4"))[1:]]})
    assert result["U1"] == ["One.", "1", "Four.", "4"] and result[""].count("abandoned branch") == 4
    helper = rollout("U9", ("t1", "We decided.", "Yes."))
    helper[0]["payload"]["source"] = {"subagent": {"thread_spawn": {"parent_thread_id": "U1"}}}
    assert set(imported(CodexSessions(), {"x.jsonl": helper})) == {""}


def test_codex_is_heard_live_without_what_a_fork_copied_d57_d58() -> None:
    parent = rollout("U1", ("t1", "Add a limit.", "Done."))
    told = rollout("U1", ("t1", "<environment_context>x</environment_context>", "Fine."))[2:]
    assert own(heard([*parent, *told])) == ["Add a limit.", "Done.", "Fine."]
    fork = heard(rollout("U2", ("t2", "Only here.", "Yes."), parent=parent, at="12:00:00"))
    assert own(fork) == ["Only here.", "Yes."] and {one.message.session for one in fork} == {"U2"}


def test_a_line_that_is_not_known_is_counted_and_never_read_d57() -> None:
    for reader, known in ((ClaudeCodeSessions(), dialogue(2)), (CodexSessions(), rollout("U1", ("t", "a", "b")))):
        odd = {"type": "holodeck", "message": {"role": "user", "content": "I prefer Fridays."}, "payload": {"x": 1}}
        result = imported(reader, {"x.jsonl": [*known, odd]})
        assert "unknown line holodeck" in result[""] and "Fridays" not in json.dumps(result)
        assert own(heard([*known, odd]))[-1] != "I prefer Fridays."


def test_openclaw_says_who_sent_a_message_d57() -> None:
    def message(ident: str, text: str, **more: object) -> dict[str, Any]:
        told = {"role": "user", "content": [{"type": "text", "text": text}], **more}
        return {"type": "message", "id": ident, "timestamp": "2026-11-18T10:00:00Z", "message": told}

    entries = [
        message("1", "Mine.", provenance={"kind": "external_user"}),
        message("2", "We decided, says another.", provenance={"kind": "inter_session"}),
        message("3", "Mine too."),
    ]
    result = imported(OpenClawSessions(), {"s.jsonl.reset.2026-11-18T10-00-00.000Z": entries})
    assert result == {"s": ["Mine.", "Mine too."], "": ["inter session"]}
    assert own(heard(entries)) == ["Mine.", "Mine too."]


@pytest.mark.parametrize(
    "entry",
    [
        line("x", None, "<bash-stdout>deploy the invoices</bash-stdout>", 1),
        line("x", None, "deploy", 1, origin={"kind": "task-notification"}),
        line("x", None, "deploy", 1, isSidechain=True),
        line("x", None, "deploy", 1, promptSource="system"),
        line("x", None, "deploy", 1, isSynthetic=True),
        line("x", None, "deploy", 1, message={"model": "<synthetic>", "content": "deploy"}, type="assistant"),
    ],
)
def test_topics_hear_no_meta_d57(entry: dict[str, Any]) -> None:
    assert own(heard([entry])) == []


def test_capture_writes_own_words_alone_d57(tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    told = "<task-notification>We decided on Redis.</task-notification>"
    reminder = "<system-reminder>be brief</system-reminder>"
    capture(
        tmp_path,
        start("ses_1", channel="claude-code"),
        said(told),
        said(f"{reminder}Use the table."),
        said("<report>We use Oracle.</report>", at="2026-02-16T18:47:00Z"),
        end(),
    )
    (text,) = (data.decode() for data in transcripts(tmp_path).values())
    assert "Redis" not in text and "brief" not in text and "# Use the table.\n" in text
    assert "user [untrusted]\n<report>We use Oracle.</report>" in text
