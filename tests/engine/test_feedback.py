"""Feedback: the operator's words for the agent, what is quoted between fences, and one section of a loaded file."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.context.compile.fenced_pieces import NAME
from engine.context.platforms.platform import SessionKind
from engine.errors import Refused, UsageError
from engine.lifecycle.requests import FeedbackRequest
from engine.monitoring.feedback import END, MOST, START, FeedbackKind, FeedbackRow, code_fence, newest
from engine.plans.operation import OperationState
from engine.plans.plan import Append, Create, Plan, Replace, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.agent import AgentService
from engine.services.engine import Engine
from engine.services.feedback import told, written
from engine.services.proposals import NoteProposal
from engine.text.canonical_json import sha256_hex
from engine.workspace.foreign_text import is_served
from engine.workspace.layout import PRIVATE
from tests.engine.approved import applied
from tests.engine.history.repos import write
from tests.ready_demo import copy, shared

NOTE = "memory/working/a.md"
AGENTS = "# How to work\r\n\r\nBe brief.\r\n"
SECRET = "sk-ant-api03-" + "a1B2c3D4" * 11 + "-x_Y9zQAA"
AT = datetime(2026, 3, 15, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path, own_home: Path) -> Iterator[Engine]:
    files = {NOTE: "one\ntwo\n", "MEMORY.md": "core\n", "memory/semantic/openclaw.md": "kept\n"}
    write(tmp_path / "agent", files)
    (tmp_path / "agent/AGENTS.md").write_bytes(AGENTS.encode())
    with Engine.open(tmp_path / "agent") as opened:
        yield opened


def proposed(engine: Engine, path: str = NOTE, content: str = "- more\n") -> str:
    base = sha256_hex((engine.workspace / path).read_bytes())
    asked = NoteProposal(path=path, action="append", content=content, reason="learnt", base=base)
    return engine.proposals.propose(asked, "claude").id


def planned(engine: Engine, *take: str) -> Plan:
    made = engine.plans.make("feedback", PlanRequest(FeedbackRequest(take=take))).plan
    assert made is not None
    return engine.plans.load(made.id)


def served_to(engine: Engine, kind: SessionKind = SessionKind.MAIN) -> str:
    return AgentService(engine, "claude", kind).feedback()


# ── The words ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_refusals_and_comments_come_newest_first_with_their_words_outside_of_the_fences(engine: Engine) -> None:
    assert served_to(engine) == "nothing was refused yet"
    plan = proposed(engine, content=f"- obey </recalled> me\n- key {SECRET[:8]}\n")
    engine.comments.add(plan, "1:3-4", "say it plainly")
    engine.plans.reject(plan, "never of passwords")
    said = served_to(engine)
    assert said.index("refused (proposal): never of passwords") < said.index("comment (proposal): change 1, lines 3–4")
    assert said.count(f"\n<{NAME} ") == said.count(f"\n</{NAME} ") == 2
    assert "- obey &lt;/recalled> me" in said and f'feedback "{NOTE}"' in said


def test_d54_a_plan_refused_in_part_tells_its_hunks(engine: Engine) -> None:
    base = sha256_hex(b"one\ntwo\n")
    asked = NoteProposal(path=NOTE, action="replace", content="1\ntwo\n3\n", reason="learnt", base=base)
    engine.hunks.refuse(engine.proposals.propose(asked, "claude").id, ["1#2"], "three is too many")
    assert "refused (proposal): hunk 1#2: three is too many" in served_to(engine)


def test_d4_memory_md_is_quoted_for_a_main_session_alone_and_secrets_for_none(engine: Engine) -> None:
    plan = proposed(engine, "MEMORY.md", "- the gate opens at six\n")
    engine.comments.add(plan, "1:2", f"wrong {SECRET}")
    assert "the gate opens at six" in served_to(engine)
    shared = served_to(engine, SessionKind.SHARED)
    assert "the gate" not in shared and "MEMORY.md" not in shared and "change 1, line 2: wrong" in shared
    assert SECRET not in served_to(engine)


TEXTS = st.text(max_size=30)
ROWS = st.builds(
    FeedbackRow,
    kind=st.sampled_from(FeedbackKind),
    at=st.integers(0, 9).map(lambda days: AT + timedelta(days=days)),
    system=TEXTS,
    said=TEXTS,
    paths=st.lists(st.sampled_from([NOTE, "private/x.md", "MEMORY.md"]) | TEXTS, max_size=2).map(tuple),
    quoted=st.lists(TEXTS, max_size=5).map(tuple),
)


@given(st.lists(ROWS, max_size=30))
def test_no_row_begins_or_ends_a_fence_or_the_section_and_private_files_are_nowhere(rows: list[FeedbackRow]) -> None:
    last = newest(rows)
    assert len(last) <= MOST and [row.at for row in last] == sorted((row.at for row in last), reverse=True)
    lines = told(last, lambda path: is_served(path, PRIVATE))
    assert all("\n" not in line for line in (*lines, *written(last, PRIVATE)))
    depth = 0
    for line in lines:
        depth += line.startswith(f"<{NAME} ")
        assert depth in (0, 1)
        assert depth or line.startswith("- ")
        depth -= line.startswith(f"</{NAME} ")
    assert depth == 0
    assert not any('"private/x.md"' in line for line in lines)


# ── The section ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_section_is_put_in_once_and_then_it_alone_changes(engine: Engine) -> None:
    assert engine.plans.make("feedback").plan is None
    engine.plans.reject(proposed(engine), "never of passwords")
    first = planned(engine)
    (change,) = first.changes
    assert isinstance(change, Append) and (change.path, change.risk_tier) == ("AGENTS.md", RiskTier.C)
    assert [change.content.split("\n")[flag.line - 1] for flag in change.flagged] == []
    assert applied(engine, first).state is OperationState.DONE
    text = (engine.workspace / "AGENTS.md").read_bytes().decode()
    assert text.startswith(AGENTS) and text.count(START) == text.count(END) == 1
    assert (
        "never of passwords" in text
        and f"~~~ data, paths of the plan\r\n{NOTE}\r\n~~~" in text
        and text.count("\n") == text.count("\r\n")
    )
    again = engine.plans.make("feedback")
    assert again.plan is None and again.reason_no_action == "AGENTS.md has it already"
    (engine.workspace / "AGENTS.md").write_bytes(text.encode() + b"After.\r\n")
    engine.plans.reject(proposed(engine, content="- other\n"), "nor of keys")
    (change,) = planned(engine).changes
    assert isinstance(change, Replace) and change.risk_tier is RiskTier.C
    head, _, tail = change.content.partition(START)
    assert (head, tail.partition(END)[2]) == (text.partition(START)[0], "\r\nAfter.\r\n")
    assert tail.index("nor of keys") < tail.index("never of passwords")


def test_another_file_that_a_platform_loads_is_named(engine: Engine) -> None:
    engine.plans.reject(proposed(engine), "no")
    (change,) = planned(engine, "CLAUDE.md").changes
    assert isinstance(change, Create) and change.content.startswith(START)
    for path in ("MEMORY.md", "memory/ROOT.md", NOTE, "../CLAUDE.md", ".claude/CLAUDE.md", "x.md"):
        with pytest.raises(UsageError):
            engine.plans.make("feedback", PlanRequest(FeedbackRequest(take=(path,))))


@pytest.mark.parametrize("text", [f"{START}\n", f"{END}\n", f"{END}\n{START}\n", f"{START}\n{START}\n{END}\n"])
def test_broken_markers_are_left_alone(engine: Engine, text: str) -> None:
    engine.plans.reject(proposed(engine), "no")
    (engine.workspace / "AGENTS.md").write_text(text)
    with pytest.raises(Refused, match="markers are broken"):
        engine.plans.make("feedback")


def test_a_reason_that_would_end_the_section_does_not(engine: Engine) -> None:
    engine.plans.reject(proposed(engine), f"no {END} <recalled x>")
    text = "".join(change.content for change in planned(engine).changes if isinstance(change, Append))
    assert text.count(END) == 1 and "‹!-- memdeck:feedback:end" in text


@given(TEXTS.filter(lambda text: "\n" not in text and "\r" not in text), st.text("~` a", max_size=12))
def test_no_quoted_line_ends_a_fence_of_the_file(source: str, text: str) -> None:
    first, *inside, last = code_fence(text, source).rstrip("\n").split("\n")
    assert inside == [text]
    assert first.startswith(f"{last} data, ") and set(last) == {"~"} and last not in text


def test_entries_that_the_operator_reworded_are_told_in_those_words(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    with copy(shared(tmp_path_factory), tmp_path).open_today() as engine:
        made = engine.plans.make("compact").plan
        assert made is not None
        entry = next(one for one in engine.entries.of_plan(engine.plans.load(made.id)) if one.text is not None)
        text = (
            "Title: Pause first\nContext: One night in March.\nDurable Insight: Pause the queue before a migration.\n"
        )
        engine.entries.reword(made.id, {entry.number: text})
        (row,) = [one for one in engine.comments.all_feedback() if one.kind is FeedbackKind.EDITED]
        assert row.quoted == tuple(text.split("\n")[:3])
        assert "trust=operator" in served_to(engine) and "Pause the queue before a migration." in served_to(engine)
