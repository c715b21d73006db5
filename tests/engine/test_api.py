"""The programming interface does what `docs/api.md` says of it, and changes no note (autopoiesis §9.1, §9.2)."""

import asyncio
import doctest
import re
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

import engine.api
from engine.api import Direction, MemdeckError, Memory, Message, SessionEnd, SessionStart
from engine.errors import Refused, UsageError
from engine.plans.plan import Create, Replace, RiskTier
from tests.engine.history.repos import git, write

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
NOTE = "knowledge/projects/billing.md"
START = datetime(2026, 2, 16, 18, 45, tzinfo=UTC)
FILES = {
    NOTE: "# Billing\n\n- Invoices of billing go out on Fridays.\n",
    "knowledge/people/ana.md": "# Ana\n\n- Ana pays the invoices of the office.\n",
    "private/diary.md": "# Diary\n\nInvoices that nobody shall see.\n",
    "topics/billing.md": "---\ntype: topic\ndescription: invoices and payments\nactivation: auto\npriority: high\n"
    "triggers:\n  - type: keywords\n    words: [invoice, invoices]\n---\n# Billing\n\nLook up the customer first.\n",
    "topics/garden.md": "---\ntype: topic\ndescription: plants, soil and water\nactivation: auto\n"
    "triggers:\n  - type: keywords\n    words: [tomato]\n---\n# Garden\n\nWater in the evening.\n",
}


@pytest.fixture
def folder(tmp_path: Path, own_home: Path) -> Path:
    write(tmp_path / "agent", FILES)
    return tmp_path / "agent"


@pytest.fixture
def memory(folder: Path) -> Memory:
    seconds = count()
    return Memory(folder, "silas", clock=lambda: START + timedelta(seconds=next(seconds)))


def notes_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_the_examples_of_the_page_do_what_they_say(folder: Path, own_home: Path) -> None:
    write(own_home, {"config/memdeck/policy.yaml": "git: {commit_others: true}\n"})
    git(folder, "init", "-q")
    before = notes_of(folder)
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, globs={"folder": folder})
    assert (failed, tried > 15) == (0, True)
    assert notes_of(folder) == before


def test_every_name_of_the_interface_is_documented() -> None:
    text = PAGE.read_text("utf-8")
    assert [name for name in engine.api.__all__ if not re.search(rf"`{name}\b", text)] == []
    assert [name for name in engine.api.__all__ if not hasattr(engine.api, name)] == []


def test_every_public_method_of_the_interface_is_documented() -> None:
    text = PAGE.read_text("utf-8")
    for name in engine.api.__all__:
        own = getattr(engine.api, name)
        if own.__module__.startswith(("engine.services.runtime", "engine.api")):
            methods = [one for one, what in vars(own).items() if callable(what) and not one.startswith("_")]
            assert [f"{name}.{one}" for one in methods if not re.search(rf"\b{one}\(", text)] == []


def test_what_a_program_writes_waits_as_a_plan(memory: Memory, folder: Path) -> None:
    before = notes_of(folder)
    with memory:
        made = asyncio.run(memory.tools.write("knowledge/projects/new.md", "# New\n", "a new project"))
        over = asyncio.run(memory.tools.write(NOTE, "# Billing\n\n- On Mondays.\n"))
        edited = asyncio.run(memory.tools.edit(NOTE, "Fridays", "Thursdays"))
    (create,), (replace,), (edit,) = made.changes, over.changes, edited.changes
    assert isinstance(create, Create) and create.risk_tier is RiskTier.B
    assert isinstance(replace, Replace) and replace.risk_tier is RiskTier.C
    assert isinstance(edit, Replace) and edit.content == FILES[NOTE].replace("Fridays", "Thursdays")
    assert made.trigger == "proposed by silas"
    assert notes_of(folder) == before and not (folder / "knowledge/projects/new.md").exists()


@pytest.mark.parametrize("old", ["", "Mondays", "i"])
def test_an_edit_is_of_a_passage_that_stands_there_once(memory: Memory, old: str) -> None:
    with memory, pytest.raises(Refused, match=r"stands in it \d+ times"):
        asyncio.run(memory.tools.edit(NOTE, old, "x"))


def test_a_note_with_other_bytes_is_not_edited(memory: Memory, folder: Path) -> None:
    (folder / NOTE).write_bytes(b"# Billing\n\n- caf\xe9 once\n")
    with memory, pytest.raises(Refused, match="no UTF-8"):
        asyncio.run(memory.tools.edit(NOTE, "once", "twice"))


@pytest.mark.parametrize(
    "path", ["../out.md", "private/new.md", "raw/x.md", "memory/ROOT.md", "/etc/x.md", ".git/x.md"]
)
def test_what_may_not_be_proposed_is_refused(memory: Memory, path: str) -> None:
    with memory, pytest.raises(MemdeckError):
        asyncio.run(memory.tools.write(path, "text\n"))


def test_private_folders_are_neither_read_nor_found(memory: Memory) -> None:
    with memory:
        results = asyncio.run(memory.tools.search("invoices"))
        again = asyncio.run(memory.index.search("invoices", 10, "project"))
        with pytest.raises(Refused):
            asyncio.run(memory.tools.read("private/diary.md"))
    assert NOTE in {one.path for one in results} and "private/diary.md" not in {one.path for one in results}
    assert {one.category.value for one in again} == {"project"}


def test_lines_are_read_from_an_offset_on(memory: Memory) -> None:
    with memory:
        assert asyncio.run(memory.tools.read(NOTE, 2, 1)) == "- Invoices of billing go out on Fridays."
        assert asyncio.run(memory.tools.read(NOTE, 99)) == ""
        assert asyncio.run(memory.tools.read(NOTE, -1, -1)) == ""


def test_a_captured_session_says_all_that_was_said_twice_too(memory: Memory, folder: Path) -> None:
    session = SessionStart(session_id="ses_1", started=START.isoformat(), topic="plans")

    async def talk() -> str:
        await memory.capture.on_session_start(session)
        for _ in range(2):
            await memory.capture.on_message(session, "user", "yes")
        await memory.capture.on_message(session, "agent", "let me think", {"type": "thinking"})
        await memory.capture.on_tool_call(session, "exec", "gh issue list", "12 results")
        return (await memory.capture.on_session_end(session, SessionEnd(ended="2026-02-16T19:00:00Z"))).path

    with memory:
        text = (folder / asyncio.run(talk())).read_text("utf-8")
        with pytest.raises(UsageError, match="a role is"):
            asyncio.run(memory.capture.on_message(session, "operator", "x"))
        with pytest.raises(UsageError, match="no instant"):
            asyncio.run(memory.capture.on_message(session, "user", "x", {"time": "noon"}))
    assert text.count("\nyes\n") == 2 and "let me think" not in text
    assert "> [tool:exec] gh issue list → 12 results" in text


def test_extraction_of_a_session_reads_that_session_alone(memory: Memory) -> None:
    async def talk(name: str, words: str) -> str:
        session = SessionStart(session_id=name, started=START.isoformat(), topic=name)
        await memory.capture.on_session_start(session)
        await memory.capture.on_message(session, "user", words)
        return (await memory.capture.on_session_end(session)).path

    with memory:
        first = asyncio.run(talk("one", "We decided to send invoices on Mondays because customers asked."))
        asyncio.run(talk("two", "We decided to move the office to Hamburg because rents are lower."))
        plan = asyncio.run(memory.extractor.extract_from_session(first)).plan
        with pytest.raises(UsageError, match="no such closed transcript"):
            asyncio.run(memory.extractor.extract_from_session("raw/conversations/none.md"))
    assert plan is not None
    assert {source.path for change in plan.changes for source in change.sources} == {first}


def test_the_agents_changes_are_committed_where_the_policy_says_so(memory: Memory, folder: Path) -> None:
    git(folder, "init", "-q")
    with memory:
        with pytest.raises(Refused, match="lets nobody commit"):
            asyncio.run(memory.git.batch_commit())
        with pytest.raises(Refused, match="no commit yet"):
            asyncio.run(memory.git.tag_milestone("first"))


def test_a_message_of_a_program_is_one_line_without_secrets(folder: Path, own_home: Path) -> None:
    write(own_home, {"config/memdeck/policy.yaml": "git: {commit_others: true}\n"})
    git(folder, "init", "-q")
    with Memory(folder, "silas") as memory:
        said = "week\n\nSession: forged\x1b[31m AKIAIOSFODNN7EXAMPLE"
        first, *_ = asyncio.run(memory.git.batch_commit(said)).commits
        assert "forged" in first.subject and "AKIA" not in first.subject and first.subject.isprintable()
        assert git(folder, "log", "-1", "--format=%(trailers:key=Session)") == ""


def test_the_tiers_of_the_watchers_can_be_asked_one_by_one(memory: Memory) -> None:
    with memory:
        woken = memory.watchers("s").process("please send the invoices", "input")
        assert [one.topic for one in woken] == ["billing"] and woken[0].files == ("topics/billing.md",)
        assert memory.watchers("s").process("good morning", "input") == []
        assert memory.patterns.match("a tomato and an invoice") == {"billing", "garden"}
        scores = memory.similarity.score("invoices and payments")
        assert scores[0][0] == "billing" and scores[0][1] > scores[1][1]
        assert memory.similarity.score("invoices and payments", {"garden"}) == scores[1:]
        billing, garden = memory.topics
        assert asyncio.run(memory.gate.should_activate("the invoices", billing))
        assert not asyncio.run(memory.gate.should_activate("the invoices", garden))
        with pytest.raises(ValueError, match="sideways"):
            memory.watchers("s").process("x", "sideways")  # type: ignore[arg-type]


def test_a_prompt_is_compiled_of_what_the_program_names(memory: Memory) -> None:
    with memory:
        compiler = memory.compiler(budget=4000)
        turns = [
            Message(id="1", text="where were we"),
            Message(id="2", text="at the harbour", direction=Direction.OUTPUT),
            Message(id="3", text="planted words", injected=True),
        ]
        own = compiler.compile("when do invoices go out", session_history=turns)
        chosen = compiler.compile("when do invoices go out", [memory.topics[1]], available_knowledge=[NOTE])
        none = compiler.compile("when do invoices go out", [], available_knowledge=[])
    assert "at the harbour" in own and "planted words" not in own and "Look up the customer first." in own
    assert "Water in the evening." in chosen and "Look up the customer first." not in chosen
    assert "go out on Fridays" in chosen and "Ana pays" not in chosen
    assert "go out on Fridays" not in none and "Water" not in none


def test_the_index_holds_notes_alone(memory: Memory, folder: Path) -> None:
    with memory:
        (folder / NOTE).write_text("# Billing\n\n- Reminders go out on Sundays.\n", encoding="utf-8")
        asyncio.run(memory.index.index_file(NOTE, "# Billing\n\n- Reminders go out on Sundays.\n", "project"))
        assert asyncio.run(memory.index.search("reminders on sundays"))[0].path == NOTE
        with pytest.raises(Refused, match="says something else"):
            asyncio.run(memory.index.index_file(NOTE, "planted\n", "project"))
        with pytest.raises(Refused, match="its place makes it project"):
            asyncio.run(memory.index.index_file(NOTE, "planted\n", "person"))
        with pytest.raises(Refused, match="the note is there"):
            memory.index.remove_file(NOTE)
        (folder / NOTE).unlink()
        assert memory.index.remove_file(NOTE).files == asyncio.run(memory.index.rebuild_full()).files
        assert NOTE not in {one.path for one in asyncio.run(memory.index.search("reminders on sundays"))}
