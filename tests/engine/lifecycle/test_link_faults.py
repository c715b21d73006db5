"""Lint of links: which are broken, what is proposed, and what a plan can mend (autopoiesis §11, phase 4)."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lifecycle.lint.files import workspace_faults
from engine.lifecycle.lint.links import Fault
from engine.plans.plan import Replace
from engine.services.engine import Engine
from tests.turn import examples

NOTES = {
    "knowledge/people/ana-lee.md": "# Ana\n\n## At work\n",
    "knowledge/reference/queues.md": "# Queues\n",
    "knowledge/projects/x/context.md": "# X\n",
    "knowledge/projects/y/context.md": "# Y\n",
    "archive/people/bo.md": "# Bo\n\n[[nowhere]]\n",
}


def faults(text: str, path: str = "knowledge/procedures/call.md") -> list[Fault]:
    files = {**NOTES, path: text}
    return [one for one in workspace_faults(files, lambda one: files[one].encode()) if one.path == path]


@pytest.mark.parametrize(
    "text",
    [
        "[[ana-lee]] [[ANA-LEE]] [[people/ana-lee|her]] [[ana-lee#At work]] [[ana-lee#^a1]] [[bo]] ![[picture.png]]",
        "[a](../people/ana-lee.md#at-work) [b](../../../out.md) [c](.hidden/x.md) [d](data.csv) [e](https://x.org/a.md)",
        "`[[nobody]]`\n\n```\n[[nobody]]\n```\n# Below\n[[#below]]",
    ],
)
def test_a_link_that_leads_somewhere_is_no_fault(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ("x\n[[qeues]]", "no note is named qeues; the nearest is knowledge/reference/queues.md", ""),
        ("x\n[[nobody at all]]", "no note is named nobody at all", ""),
        (
            "x\n[[Ana Lee]] `x`",
            "no note is named Ana Lee; it is knowledge/people/ana-lee.md",
            "[[ana-lee|Ana Lee]] `x`",
        ),
        ("x\n| [[Ana Lee]] |", "no note is named Ana Lee; it is knowledge/people/ana-lee.md", "| [[ana-lee]] |"),
        ("x\n[[old/queues|q]]", "no note is named old/queues; it is knowledge/reference/queues.md", "[[queues|q]]"),
        ("x\n[q](queues.md#a)\r", "no note is at queues.md; it is", ""),
        ("x\n[q](old/queues.md#a)\r", "no note is at old/queues.md; it is", "[q](../reference/queues.md#a)"),
        ("x\n[[context]]", "several notes are named context: knowledge/projects/x/context.md and", ""),
        ("x\n[[ana-lee#At wrok]]", "knowledge/people/ana-lee.md has no heading At wrok; the nearest is At work", ""),
    ],
)
def test_a_broken_link_is_told_with_its_line_and_the_nearest_name(text: str, what: str, fix: str) -> None:
    if "(queues.md" in text:  # a name alone leads there for memdeck, so it is no fault
        assert faults(text) == []
        return
    (fault,) = faults(text)
    assert fault.line == 2 and fault.what.startswith(what) and fault.fix == fix
    assert fault.kind == ("heading" if "heading" in what else "link")


def test_raw_logs_are_told_and_never_changed() -> None:
    (fault,) = faults("# 2026-01-02\n\n[[Ana Lee]]\n", "memory/2026-01-02.md")
    assert fault.line == 3 and not fault.fix


def test_two_links_of_one_line_are_mended_together(tmp_path: Path) -> None:
    place = tmp_path / "ws"
    for path, text in {
        **NOTES,
        "knowledge/procedures/call.md": "\ufeff[[Ana Lee]] [[old/queues]] [[no one]]\r\nx",
    }.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8", newline="")
    with Engine.open(place) as console:
        outcome = console.plans.make("lint")
    assert outcome.plan is not None and outcome.facts == {"faults": 3, "fixed": 2}
    (change,) = outcome.plan.changes
    assert isinstance(change, Replace)
    assert change.content == "\ufeff[[ana-lee|Ana Lee]] [[queues|old/queues]] [[no one]]\r\nx"


WORDS = st.sampled_from(
    ["[[Ana Lee]]", "[[old/queues|q]]", "[[no]]", "[q](old/queues.md)", "`[[Ana Lee]]`", "text", "|", "\n"]
)


@given(st.lists(WORDS, max_size=10).map(" ".join))
@settings(max_examples=examples(100))
def test_what_a_fix_says_is_no_fault_any_more(text: str) -> None:
    found = faults(text)
    lines = text.split("\n")
    for fault in found:
        if fault.fix:
            lines[fault.line - 1] = fault.fix
    left = faults("\n".join(lines))
    assert [one.line for one in left] == [one.line for one in found if not one.fix]
    assert not any(one.fix for one in left)


@pytest.mark.sampled(4)
def test_a_thousand_broken_links_among_ten_thousand_notes_come_to_an_end() -> None:
    """Only so many names are compared with all others."""
    files = {f"knowledge/reference/note-{number}.md": "" for number in range(10_000)}
    files["knowledge/reference/all.md"] = "".join(f"[[nowhere {number}]]\n" for number in range(20_000))
    assert len(list(workspace_faults(files, lambda one: files[one].encode()))) == 20_000
