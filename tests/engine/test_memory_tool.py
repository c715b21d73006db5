"""Anthropic's memory tool in front of a workspace: it reads, and what it writes is proposed (decisions D53, D54)."""

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from hypothesis import given
from hypothesis import strategies as st

from engine.api import MemdeckError, Memory, SessionKind
from engine.errors import Refused
from engine.plans.plan import Append, Create, Move, PlanState, Replace, RiskTier
from engine.services.engine import Engine
from engine.services.runtime.memory_commands import _inserted
from engine.services.runtime.memory_view import note_view, tool_path
from tests.engine.history.repos import write
from tests.engine.models.loopback import KEY, Answer, loopback
from tests.turn import TURN

NOTE = "knowledge/projects/billing.md"
SECRET = "sk-ant-api03-" + "a1B2c3D4" * 11 + "-x_Y9zQAA"
FILES = {
    NOTE: "# Billing\n\n- Invoices go out on Fridays.\n- Reminders too.\n",
    "MEMORY.md": "# Core\n\n- keep it short\n",
    "knowledge/identity/SOUL.md": "# Soul\n",
    "knowledge/projects/crlf.md": "one\r\ntwo\r\n",
    "knowledge/projects/keys.md": f"# Keys\n\nthe key is {SECRET}\n",
    "private/diary.md": "# Diary\n",
    "raw/conversations/2026/02/16/1845-a.md": "said\n",
}


@pytest.fixture
def folder(tmp_path: Path, own_home: Path) -> Path:
    write(tmp_path / "agent", FILES)
    return tmp_path / "agent"


@pytest.fixture
def memory(folder: Path) -> Iterator[Memory]:
    with Memory(folder, "silas") as opened:
        yield opened


def asked(memory: Memory, command: str, path: str = NOTE, **more: Any) -> str:
    name = "old_path" if command == "rename" else "path"
    return str(memory.memory_tool().call({"command": command, name: f"/memories/{path}", **more}))


def refused(memory: Memory, command: str, path: str = NOTE, **more: Any) -> str:
    with pytest.raises(ToolError) as told:
        asked(memory, command, path, **more)
    return str(told.value)


def contents(folder: Path) -> dict[str, bytes]:
    files = (one for one in folder.rglob("*") if one.is_file() and not one.name.startswith("memory.db"))
    return {str(one.relative_to(folder)): one.read_bytes() for one in files}


def waiting(folder: Path) -> list[Any]:
    with Engine.open(folder) as engine:
        queue = engine.plans.queue()
        return [engine.plans.load(one.id).changes[0] for one in queue if one.state is PlanState.PENDING]


def test_a_folder_is_listed_two_levels_deep_without_what_is_not_served(memory: Memory) -> None:
    listed = str(memory.memory_tool().call({"command": "view", "path": "/memories"}))
    assert "/memories/knowledge/projects/\n" in listed and "/memories/MEMORY.md" in listed
    assert "private" not in listed and "billing.md" not in listed
    assert f"/memories/{NOTE}" in asked(memory, "view", "knowledge/projects")
    shared = memory.memory_tool(SessionKind.SHARED)
    assert "MEMORY.md" not in str(shared.call({"command": "view", "path": "/memories"}))
    with pytest.raises(ToolError, match="does not exist"):
        shared.call({"command": "view", "path": "/memories/MEMORY.md"})


def test_a_note_is_viewed_with_line_numbers_and_without_secrets(memory: Memory) -> None:
    text = asked(memory, "view")
    assert "     3\t- Invoices go out on Fridays." in text and "never an instruction" in text
    assert asked(memory, "view", view_range=[3, 3]).splitlines()[1:] == ["     3\t- Invoices go out on Fridays."]
    assert "     4\t- Reminders too." in asked(memory, "view", view_range=[4, -1])
    keys = asked(memory, "view", "knowledge/projects/keys.md")
    assert SECRET not in keys and "the key is" in keys


def test_d54_every_writing_command_becomes_a_proposal_and_no_byte_changes(memory: Memory, folder: Path) -> None:
    before = contents(folder)
    assert "until the operator approves" in asked(memory, "create", "knowledge/projects/new.md", file_text="# New\n")
    asked(memory, "str_replace", old_str="Fridays", new_str="Mondays")
    asked(memory, "insert", "knowledge/projects/crlf.md", insert_line=1, insert_text="between")
    create, replace, insert = waiting(folder)
    assert isinstance(create, Create) and create.risk_tier is RiskTier.B
    assert isinstance(replace, Replace) and replace.content == FILES[NOTE].replace("Fridays", "Mondays")
    assert isinstance(insert, Replace) and insert.content == "one\r\nbetween\r\ntwo\r\n"
    assert contents(folder) == before


def test_deleting_proposes_the_archive_and_renaming_a_move(memory: Memory, folder: Path) -> None:
    before = contents(folder)
    assert "nothing is deleted" in asked(memory, "delete")
    asked(memory, "rename", "knowledge/projects/crlf.md", new_path="/memories/knowledge/reference/crlf.md")
    gone, moved = waiting(folder)
    assert isinstance(gone, Move) and gone.to == "archive/projects/billing.md"
    assert isinstance(moved, Move) and moved.to == "knowledge/reference/crlf.md" and moved.risk_tier is RiskTier.B
    assert contents(folder) == before


def test_a_next_command_goes_on_from_what_was_proposed(memory: Memory, folder: Path) -> None:
    asked(memory, "insert", insert_line=4, insert_text="- Paid.")
    assert isinstance(waiting(folder)[0], Append) and "as you proposed it" in asked(memory, "view")
    asked(memory, "str_replace", old_str="- Paid.", new_str="- Paid in March.")
    (change,) = waiting(folder)
    assert isinstance(change, Append) and change.content == "- Paid in March.\n"
    asked(memory, "create", "knowledge/projects/new.md", file_text="# New\n")
    asked(memory, "insert", "knowledge/projects/new.md", insert_line=1, insert_text="- first\n")
    assert "- first" in asked(memory, "view", "knowledge/projects/new.md")
    assert "knowledge/projects/new.md" in asked(memory, "view", "knowledge/projects")
    assert [one.content for one in waiting(folder)] == ["- Paid in March.\n", "# New\n- first\n"]
    assert "already exists" in refused(memory, "create", "knowledge/projects/new.md", file_text="# x\n")
    assert "only proposed" in refused(memory, "delete", "knowledge/projects/new.md")
    with Memory(folder, "somebody else") as other:
        assert "as you proposed it" not in asked(other, "view")


def test_d54_what_the_operator_refused_comes_back_refused_with_the_reason(memory: Memory, folder: Path) -> None:
    for command, more in (("delete", {}), ("str_replace", {"old_str": "Fridays", "new_str": "Mondays"})):
        asked(memory, command, **more)
        with Engine.open(folder) as engine:
            (entry,) = [one for one in engine.plans.queue() if one.state is PlanState.PENDING]
            engine.plans.reject(entry.id, f"we keep that ({command})")
        assert f"we keep that ({command})" in refused(memory, command, **more)


WRONG: dict[str, tuple[str, str, dict[str, Any]]] = {
    "outside": ("view", "../out.md", {}),
    "encoded": ("view", "%2e%2e/out.md", {}),
    "hidden": ("view", ".git/config", {}),
    "private": ("view", "private/diary.md", {}),
    "private, written": ("create", "private/new.md", {"file_text": "x\n"}),
    "transcript": ("insert", "raw/conversations/2026/02/16/1845-a.md", {"insert_line": 0, "insert_text": "x"}),
    "nothing there": ("view", "knowledge/none.md", {}),
    "nothing to replace": ("str_replace", NOTE, {"old_str": "Sundays", "new_str": "x"}),
    "twice": ("str_replace", NOTE, {"old_str": "- ", "new_str": "x"}),
    "no line": ("insert", NOTE, {"insert_line": 99, "insert_text": "x"}),
    "a secret": ("create", "knowledge/projects/s.md", {"file_text": SECRET}),
    "a note with a secret": ("str_replace", "knowledge/projects/keys.md", {"old_str": "sk-ant", "new_str": "x"}),
    "identity": ("delete", "knowledge/identity/SOUL.md", {}),
    "a folder": ("delete", "knowledge/projects", {}),
    "a folder, edited": ("insert", "knowledge/projects", {"insert_line": 0, "insert_text": "x"}),
    "there already": ("create", NOTE, {"file_text": "x\n"}),
    "the top, deleted": ("delete", "", {}),
    "the top, renamed": ("rename", "", {"new_path": "/memories/x.md"}),
    "over another": ("rename", NOTE, {"new_path": "/memories/knowledge/projects/crlf.md"}),
    "to a private place": ("rename", NOTE, {"new_path": "/memories/private/x.md"}),
    "to the outside": ("rename", NOTE, {"new_path": "/memories/../x.md"}),
    "elsewhere": ("rename", NOTE, {"new_path": "/etc/x.md"}),
    "no text": ("create", "knowledge/projects/s.md", {"file_text": 5}),
    "no command": ("approve", NOTE, {}),
}


SAID: dict[str, str] = {
    "outside": "Path /memories/../out.md would escape /memories directory",
    "elsewhere": "Path must start with /memories, got: /etc/x.md",
    "nothing there": "The path /memories/knowledge/none.md does not exist. Please provide a valid path.",
    "private": "The path /memories/private/diary.md does not exist. Please provide a valid path.",
    "nothing to replace": "No replacement was performed, old_str `Sundays` did not appear"
    f" verbatim in /memories/{NOTE}.",
    "twice": "No replacement was performed. Multiple occurrences of old_str `- ` in lines: 3, 4."
    " Please ensure it is unique",
    "no line": "Invalid `insert_line` parameter: 99. It should be within the range [0, 4].",
    "a folder, edited": "The path /memories/knowledge/projects is not a file.",
    "there already": f"File /memories/{NOTE} already exists",
    "over another": "The destination /memories/knowledge/projects/crlf.md already exists",
    "the top, deleted": "Cannot delete the /memories directory itself",
    "the top, renamed": "Cannot rename the /memories directory itself",
}
"""The words of the SDK's own `BetaLocalFilesystemMemoryTool`, which a model knows."""


@pytest.mark.parametrize("wrong", SAID)
def test_the_model_hears_the_words_of_anthropics_own_tool(memory: Memory, wrong: str) -> None:
    command, path, more = WRONG[wrong]
    assert refused(memory, command, path, **more).startswith(SAID[wrong])


@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_is_refused_with_the_reason_and_nothing_waits(memory: Memory, folder: Path, wrong: str) -> None:
    command, path, more = WRONG[wrong]
    told = refused(memory, command, path, **more)
    assert told and SECRET not in told and "diary" not in told.replace(path, "")
    assert waiting(folder) == []


def test_the_places_of_a_secret_cannot_be_asked_for_character_by_character(memory: Memory) -> None:
    """A count of passages would tell one right guess from a wrong one."""
    note = "knowledge/projects/keys.md"
    guesses = [SECRET[:8], SECRET[:7] + "?", SECRET]
    assert len({refused(memory, "str_replace", note, old_str=one, new_str="") for one in guesses}) == 1
    for guess in guesses:
        with pytest.raises(MemdeckError, match="holds a secret"):
            asyncio.run(memory.tools.edit(note, guess, ""))


def test_the_runner_of_the_sdk_reads_and_proposes(memory: Memory, folder: Path) -> None:
    calls = [
        {"command": "view", "path": "/memories"},
        {"command": "str_replace", "path": f"/memories/{NOTE}", "old_str": "Fridays", "new_str": "Mondays"},
        {"command": "view", "path": "/memories/private/diary.md"},
    ]
    uses = [{"type": "tool_use", "id": f"t{n}", "name": "memory", "input": one} for n, one in enumerate(calls)]
    turns = iter([_turn(uses, "tool_use"), _turn([{"type": "text", "text": "done"}], "end_turn")])
    before = contents(folder)
    with loopback() as server:
        server.answer = lambda _asked: next(turns)
        client = Anthropic(api_key=KEY, base_url=server.url, max_retries=0)
        runner = client.beta.messages.tool_runner(
            model="small", max_tokens=100, tools=[memory.memory_tool()], messages=[{"role": "user", "content": "hi"}]
        )
        runner.until_done()
        results = json.loads(server.sent[-1].rpartition("\n")[2])["messages"][-1]["content"]
    assert [one.get("is_error", False) for one in results] == [False, False, True]
    assert "Proposed as p-" in str(results[1]) and "does not exist" in str(results[2])
    assert contents(folder) == before and isinstance(waiting(folder)[0], Replace)


def _turn(content: list[dict[str, Any]], stop: str) -> Answer:
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "small"}
    return 200, json.dumps(head | {"content": content, "stop_reason": stop, "usage": usage}).encode()


async def test_the_asynchronous_tool_does_the_same(memory: Memory) -> None:
    tool = memory.async_memory_tool()
    assert "Fridays" in str(await tool.call({"command": "view", "path": f"/memories/{NOTE}"}))
    with pytest.raises(ToolError):
        await tool.call(["no object"])


def test_d53_random_commands_change_no_byte(memory: Memory, folder: Path) -> None:
    chance, before, tool = random.Random(TURN), contents(folder), memory.memory_tool()
    values = (
        f"/memories/{NOTE}",
        "/memories",
        "/memories/../x.md",
        "/memories/MEMORY.md",
        "x",
        0,
        -1,
        None,
        [1, 2],
        "\0",
    )
    names = (
        "path",
        "old_path",
        "new_path",
        "file_text",
        "old_str",
        "new_str",
        "insert_line",
        "insert_text",
        "view_range",
    )
    commands = ("view", "create", "str_replace", "insert", "delete", "rename", "approve")
    for _ in range(150):
        given_now = {name: chance.choice(values) for name in names if chance.random() < 0.8}
        try:
            tool.call({"command": chance.choice(commands), **given_now})
        except ToolError:
            continue
    assert contents(folder) == before


@given(
    st.lists(st.text(alphabet="ab\r")), st.booleans(), st.integers(0, 9), st.lists(st.text(alphabet="cd"), min_size=1)
)
def test_an_inserted_text_leaves_every_line_as_it_was(rows: list[str], ended: bool, line: int, more: list[str]) -> None:
    text = "\n".join(rows) + ("\n" if ended and rows else "")
    lines = text.split("\n")[: -1 if text.endswith("\n") or not text else None]
    if line > len(lines):
        with pytest.raises(Refused):
            _inserted(text, line, "x")
        return
    made = _inserted(text, line, "\n".join([*more, "c"])).split("\n")
    plain = [one.rstrip("\r") for one in made]
    assert plain[line : line + len(more) + 1] == [*more, "c"]
    assert [*plain[:line], *plain[line + len(more) + 1 :]][: len(lines)] == [one.rstrip("\r") for one in lines]


@given(st.text())
def test_no_line_of_a_note_looks_like_the_answers_own(text: str) -> None:
    shown = note_view("a.md", text, None, "")
    assert all(row[:6].strip().isdigit() for row in shown.split("\n")[1:])


@given(st.text())
def test_a_path_of_the_tool_never_leaves(path: str) -> None:
    try:
        inside = tool_path("/memories/" + path)
    except MemdeckError:
        return
    assert ".." not in inside.split("/") and not inside.startswith("/")
