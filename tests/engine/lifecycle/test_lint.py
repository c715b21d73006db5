"""Lint: every seeded kind of fault is found with its line, sound files raise none, a fix changes one line."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lifecycle.lint.files import IDENTITY_BYTES, file_faults, workspace_faults
from engine.lifecycle.lint.knowledge import ROLES
from engine.lifecycle.lint.links import Fault
from engine.lifecycle.lint.plan import fixed_text
from engine.plans.plan import Replace, RiskTier
from engine.services.engine import Engine
from tests.engine.lifecycle.events import capture, end, said, start, transcripts
from tests.engine.lifecycle.events import line as event
from tests.turn import examples

SAID = "raw/conversations/2026/02/16/1845-s-x.md"
MEMORY = "knowledge/memory/MEMORY.md"
HEAD = "session_id: s\nstarted: 2026-02-16T18:45:00Z\n"


def transcript(more: str = "", body: str = "## 18:45 — user\nHello.\n", head: str = HEAD) -> str:
    return f"---\n{head}{more}---\n\n# X\n\n{body}"


SEEDED: tuple[tuple[str, str, str | bytes, int], ...] = (
    ("encoding", "knowledge/people/a.md", b"one\n\xff\n", 2),
    ("head", "knowledge/people/a.md", "---\ntype: person\nname: [a\n---\n", 4),
    ("type", "knowledge/other/a.md", "---\nupdated: 2026-02-16\ntype: diary\n---\n", 3),
    ("place", "knowledge/people/a.md", "---\ntype: journal\n---\n", 2),
    ("role", "knowledge/identity/a.md", "---\ntype: identity\nrole: king\n---\n", 3),
    ("updated", "knowledge/people/a.md", "---\nupdated: last week\n---\n", 2),
    ("tags", "knowledge/people/a.md", "---\ntags: a, b\n---\n", 2),
    ("name", "knowledge/people/a.md", '---\ntype: person\nname: ""\n---\n', 3),
    ("journal_name", "knowledge/journal/monday.md", "- x\n", 1),
    ("date", "knowledge/journal/2026-02-16.md", "---\ndate: 2026-02-15\n---\n", 2),
    ("sessions", "knowledge/journal/2026-02-16.md", "---\nsessions: ses_1, ses_2\n---\n", 2),
    ("list", "knowledge/journal/2026-02-16.md", "---\nsessions: {a: b}\n---\n", 2),
    ("day_title", "knowledge/journal/2026-02-16.md", "---\ndate: 2026-02-16\n---\n\n## 2026-02-17\n", 5),
    ("text", "knowledge/people/a.md", "---\ntype: person\nrelationship: [a, b]\n---\n", 3),
    ("text", SAID, transcript("model: [a, b]\n"), 4),
    ("turn", SAID, transcript(body="## 18:45 - user\n"), 8),
    ("day", SAID, transcript(body="<!-- 2026-02-31 -->\n"), 8),
    ("clock", SAID, transcript(body="## 18:45 — user\nHi.\n\n## 17:10 — agent\nHi.\n"), 11),
    ("project", "knowledge/projects/x/context.md", "---\nproject: y\n---\n", 2),
    ("memory_lines", MEMORY, "- x\n" * 201, 201),
    ("line_count", MEMORY, "---\ntype: memory\nline_count: 9\n---\n", 3),
    ("identity_size", "knowledge/identity/SOUL.md", "x" * (IDENTITY_BYTES + 1), 1),
    ("session_id", SAID, transcript(head="started: 2026-02-16T18:45:00Z\n"), 1),
    ("started", SAID, transcript(head="session_id: s\nstarted: noon\n"), 3),
    ("transcript_name", SAID, transcript(head="session_id: s\nstarted: 2026-02-17T18:45:00Z\n"), 3),
    ("ended", SAID, transcript("ended: late\n"), 4),
    ("order", SAID, transcript("ended: 2026-02-16T17:00:00Z\n"), 4),
    ("tokens", SAID, transcript("tokens_in: many\n"), 4),
    ("knowledge_changes", SAID, transcript("knowledge_changes:\n  - path: a.md\n"), 5),
    ("outside", SAID, transcript("knowledge_changes:\n  - path: ../a.md\n    action: updated\n"), 5),
    ("turn", SAID, transcript(body="## 18:45 — robot\n"), 8),
    ("turn", SAID, transcript(body="## 25:00 — user\n"), 8),
    ("mark", SAID, transcript(body="## 18:45 — agent\n> [tool:exec ls\n"), 9),
    ("day", SAID, transcript(body="<!-- 2026-2-1 -->\n"), 8),
    ("embedded", SAID, transcript(body="data:image/png;base64," + "A" * 200), 8),
    ("topic", "topics/a.md", "---\ntype: topic\nactivation: perhaps\n---\n", 3),
    ("topic", "topics/a.md", "---\ntype: topic\ntriggers:\n  - type: smell\n---\n", 4),
    ("subscription", "topics/a.md", "---\ntype: topic\nsubscriptions:\n  - gone.md\n---\n", 4),
)


def faults_of(path: str, data: str | bytes) -> list[Fault]:
    content = data.encode() if isinstance(data, str) else data
    return list(workspace_faults({path}, lambda _: content))


@pytest.mark.parametrize(("kind", "path", "data", "line"), SEEDED)
def test_a_seeded_fault_is_found_with_its_line(kind: str, path: str, data: str | bytes, line: int) -> None:
    assert [(one.kind, one.path, one.line) for one in faults_of(path, data)] == [(kind, path, line)]


def test_a_subscription_to_what_is_no_note_raises_no_alarm() -> None:
    """Only notes are in a snapshot: of another file nobody can say that it is missing."""
    assert (
        faults_of("topics/a.md", "---\ntype: topic\nsubscriptions: [data/prices.csv, knowledge/*.md]\n---\nx\n") == []
    )


def test_no_fewer_than_twenty_kinds_are_seeded() -> None:
    assert len({kind for kind, *_ in SEEDED}) >= 20


WORDS = st.text(st.characters(categories=("L", "N", "P", "Z", "S"), exclude_characters="\u2028\u2029"), max_size=60)
DAYS = st.dates(date(2020, 1, 1), date(2030, 1, 1))
SLUGS = st.from_regex(r"[a-z][a-z0-9-]{0,9}", fullmatch=True)


@st.composite
def sound_files(draw: st.DrawFn) -> tuple[str, str]:
    """A file of each form of §2.2 with any text in it, with its head or without."""
    day, slug, text, role = draw(DAYS), draw(SLUGS), draw(WORDS), draw(st.sampled_from(ROLES))
    body = f"\n# {slug}\n\n- {text}\n"
    heads = {
        f"knowledge/identity/{slug}.md": f"type: identity\nrole: {role}\nupdated: {day}T18:00:00Z\n",
        MEMORY: f"type: memory\nupdated: {day}\nline_count: {5 + len(body.encode().splitlines())}\n",
        f"knowledge/journal/{day}.md": f"type: journal\ndate: {day}\nsessions: [ses_{slug}, ses_2]\n",
        "knowledge/projects/_active.md": f"type: project_index\nupdated: {day}\n",
        f"knowledge/projects/{slug}/context.md": f"type: project_context\nproject: {slug}\ntags: [a, {slug}]\n",
        f"knowledge/people/{slug}.md": f"type: person\nname: {slug}\nrelationship: friend\n",
        "knowledge/people/_index.md": f"type: people_index\nupdated: {day}\n",
        f"knowledge/procedures/{slug}.md": "type: procedure\n",
        f"knowledge/reference/{slug}.md": "type: reference\n",
        f"topics/{slug}.md": "type: topic\ntriggers:\n  - type: keywords\n    words: [mail]\npriority: high\n",
    }
    path = draw(st.sampled_from(sorted(heads)))
    bare = not path.startswith("topics/") and draw(st.booleans())
    return path, body if bare else f"---\n{heads[path]}---\n{body}"


@settings(max_examples=examples(1_000))
@given(sound_files())
def test_a_sound_file_raises_no_alarm(file: tuple[str, str]) -> None:
    assert faults_of(*file) == []


def test_a_captured_transcript_is_sound_whatever_was_said(tmp_path: Path) -> None:
    for number, text in enumerate(
        ("## 25:00 — robot", "> [tool:x", "<!-- 2026-2-1 -->", "---", "> [attachment:", "a\u2028## b")
    ):
        tool = event("tool", name="e]x", args={"a": 1}, result="r", time="2026-02-16T18:50:00Z")
        change = event("knowledge", action="updated", path="a.md", summary="s", time="2026-02-17T00:10:00Z")
        more = (said(text), tool, change, end("2026-02-17T01:00:00Z", tokens_in=1, tokens_out=2, tags=["a", "b: c"]))
        capture(tmp_path, start(f"s{number}", topic=text), *more)
    written = transcripts(tmp_path)
    assert len(written) == 6
    assert list(workspace_faults(written, written.__getitem__)) == []


@pytest.mark.parametrize(("kind", "path", "data", "line"), SEEDED)
def test_a_fix_removes_its_fault_and_changes_its_line_alone(kind: str, path: str, data: str | bytes, line: int) -> None:
    content = data.encode() if isinstance(data, str) else data
    found = [one for one in file_faults(path, content, {path}) if one.fix]
    fixed = fixed_text(content, found)
    before, after = content.split(b"\n"), fixed.split(b"\n")
    assert [n for n, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b] == ([line] if found else [])
    mechanical = {"place", "tags", "date", "sessions", "project", "line_count"}
    assert bool(found) == (kind in mechanical)
    assert not found or faults_of(path, fixed) == []


@pytest.mark.parametrize("row", ["line_count: 9 # by hand", "line_count: >\n  9", '{line_count: 9, mine: "x"}'])
def test_a_line_that_holds_more_than_its_value_is_never_fixed(row: str) -> None:
    faults = faults_of(MEMORY, f"---\n{row}\n---\n")
    assert [one.fix for one in faults if one.fix] == []


def test_line_ends_and_the_mark_of_the_encoding_stay() -> None:
    data = b"\xef\xbb\xbf---\r\ntype: memory\r\nline_count: 9\r\n---\r\nx"
    faults = list(file_faults(MEMORY, data, {MEMORY}))
    assert fixed_text(data, faults) == data.replace(b"9", b"5")


def test_the_plan_fixes_what_is_mechanical_and_names_the_rest(tmp_path: Path) -> None:
    for path, text in ((MEMORY, "---\nline_count: 9\n---\n"), ("knowledge/people/a.md", "---\nupdated: x\n---\n")):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    with Engine.open(tmp_path) as engine:
        assert [one.kind for one in engine.maintenance.lint()] == ["line_count", "updated"]
        outcome = engine.plans.make("lint")
    plan = outcome.plan
    assert plan is not None
    (change,) = plan.changes
    assert isinstance(change, Replace)
    assert (change.path, change.content, change.risk_tier) == (MEMORY, "---\nline_count: 3\n---\n", RiskTier.C)
    assert "knowledge/people/a.md:2  updated" in (outcome.report or "")


def test_a_note_that_is_no_text_is_a_fault_of_the_workspace_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "knowledge/people/a.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"one\ncaf\xe9\n")
    with Engine.open(tmp_path) as console:
        (fault,) = console.maintenance.lint()
    assert (fault.kind, fault.path, fault.line) == ("encoding", "knowledge/people/a.md", 2)
