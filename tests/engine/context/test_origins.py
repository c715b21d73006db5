"""Why did it say that: the lines of a prompt behind an answer, with file, line, entry and raw turn (autopoiesis §6)."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.context.compile.prompt import CompiledPrompt, ItemState, Prefix, PromptItem, PromptSlot
from engine.context.origins.shared_words import FEWEST, shared_lines, words_of
from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from engine.services.engine import Engine

NOW = datetime(2026, 3, 15, 23, 30, tzinfo=UTC)
NAMES = ["Ana", "Jonas", "Farid", "Mirela", "Kenji", "Oluwa", "Petra", "Samir", "Ingrid", "Tomas"]
THINGS = ["depot", "scanner", "letter", "checkout", "invoice", "backup", "mirror", "calendar", "printer", "store"]
DEEDS = (
    ("{name} moved the {thing} to port {n}", "the {thing} listens on {n} now, that was {name}'s change"),
    ("the {thing} fails after {n} retries, says {name}", "according to {name} after {n} retries it gives up: {thing}"),
    ("{name} wants the {thing} checked every {n} minutes", "I look at the {thing} each {n} minutes as {name} asked"),
    ("{n} customers complained to {name} about the {thing}", "{name} had {n} complaints because of that {thing}"),
)
FILLER = (
    "Sure, I looked that up for you.",
    "Please tell me if I should go on with the next step of the plan.",
    "The checkout and the depot are fine otherwise.",
    "I will write it down for tomorrow.",
)


def planted(seed: int) -> tuple[list[str], list[tuple[str, int]]]:
    """The lines of a note, and a hundred answers each with the index of the line that it rests on."""
    draw = random.Random(seed)
    facts = [(name, thing) for name in NAMES for thing in THINGS]
    draw.shuffle(facts)
    lines: list[str] = []
    answers: list[tuple[str, int]] = []
    for name, thing in facts:
        line, answer = draw.choice(DEEDS)
        with_words = {"name": name, "thing": thing, "n": draw.randint(2, 40)}
        answers.append((f"{draw.choice(FILLER)} {answer.format(**with_words)}. {draw.choice(FILLER)}", len(lines)))
        lines.append(f"- {line.format(**with_words)}")
    return lines, answers


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Engine]:
    agent = tmp_path / "agent"
    raw = agent / "raw/conversations/2026/03/15/1845-ses_a1-depot.md"
    shard = agent / "memory/semantic/openclaw.md"
    for file in (raw, shard):
        file.parent.mkdir(parents=True)
    raw.write_text(
        "---\nsession_id: ses_a1\nstarted: 2026-03-15T18:45:00Z\n---\n\n# Depot\n\n## 18:45 — user\n"
        "the zeppelin hangar opens at 05:40\n\n## 18:46 — agent\nNoted, the zeppelin hangar opens at 05:40.\n\n"
        "## 18:50 — user\nwhen does the hangar open?\n\n## 18:51 — agent\nThe zeppelin hangar opens at 05:40.\n",
        encoding="utf-8",
    )
    shard.write_text(
        "# Learnings\n\nTitle: Locks expire\nContext: deploys of the depot\nDurable Insight: a lock of the ferry "
        "expires after 90 seconds\nOperational Impact: renew it\n",
        encoding="utf-8",
    )
    env = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("STATE", "CONFIG", "CACHE")}
    with Engine.open(agent, env=env, clock=lambda: NOW) as opened:
        yield opened


def test_of_a_hundred_planted_lines_ninety_are_among_the_first_three(console: Engine, tmp_path: Path) -> None:
    lines, answers = planted(7)
    note = tmp_path / "agent/MEMORY.md"
    note.write_text("# Core Memory\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    console.status.read()
    among = 0
    for answer, index in answers:
        found = console.origins.of_answer(answer, SessionKind.MAIN, message="what about it?").origins[:3]
        among += any((one.path, one.line, one.entry) == ("MEMORY.md", index + 3, "Core Memory") for one in found)
    assert among >= 90


def test_a_semantic_entry_is_named_by_its_title_and_line(console: Engine) -> None:
    (first, *_) = console.origins.of_answer("The ferry's lock expires after 90 seconds.", SessionKind.MAIN).origins
    assert (first.path, first.line, first.entry) == ("memory/semantic/openclaw.md", 5, "Locks expire")
    assert {"ferri", "90"} <= set(first.words) and 0 < first.share <= 1


def test_a_turn_of_a_session_is_compared_with_the_prompt_before_it(console: Engine) -> None:
    source = console.origins.answers()[0].source
    found = console.origins.of_turn(source, SessionKind.MAIN)
    assert found.message == "when does the hangar open?" and "05:40" in found.answer
    assert found.origins and all("zeppelin" in one.text for one in found.origins)
    assert {one.raw.start for one in found.origins if one.raw is not None} <= {9, 12}, "never the answer itself"
    earlier = console.origins.of_turn(source, SessionKind.MAIN, 2)
    assert earlier.message.startswith("the zeppelin")


def test_what_is_not_from_the_prompt_has_no_origin(console: Engine) -> None:
    assert console.origins.of_answer("Bananas ripen quicker beside apples.", SessionKind.MAIN).origins == ()


def test_errors_say_what_to_do(console: Engine) -> None:
    with pytest.raises(UsageError, match="no answer"):
        console.origins.of_answer("  ", SessionKind.MAIN)
    with pytest.raises(UsageError, match="turn 1 is none of the agent's"):
        console.origins.of_turn(console.origins.answers()[0].source, SessionKind.MAIN, 1)


def a_prompt(lines: list[str], message: str = "") -> CompiledPrompt:
    text = "".join(f"{line}\n" for line in lines)
    item = PromptItem(slot=PromptSlot.MEMORY, label="x", state=ItemState.INCLUDED, end=len(text))
    prefix = Prefix(text="", tokens=0, sha256="", items=(), warnings=())
    return CompiledPrompt(
        budget=1,
        tokens=1,
        tokenizer="",
        session=SessionKind.MAIN,
        message=message,
        prefix=prefix,
        items=(item,),
        slots=(),
        warnings=(),
        prompt=text,
    )


VOCABULARY = ["ferry", "lock", "ninety", "depot", "bridge", "tram", "harbour", "crane", "rope", "42"]
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=6)


@given(st.lists(WORDS.map(" ".join), max_size=12), WORDS.map(" ".join), WORDS.map(" ".join))
def test_every_line_shares_its_words_and_the_order_is_by_share(lines: list[str], answer: str, message: str) -> None:
    found = shared_lines(answer, a_prompt(lines, message), 5)
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
    for one in found:
        assert set(one.words) == words_of(one.text) & words_of(answer) and len(one.words) >= FEWEST
        assert 0 < one.share <= 1 + 1e-9
        assert set(one.words) - words_of(message), "a line that shares the question alone tells nothing"
    assert found == shared_lines(answer, a_prompt(lines, message), 5)
