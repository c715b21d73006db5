"""Raw logs and nodes as they are found in the wild: every shape goes through, nothing is lost, nothing is rewritten."""

from datetime import date

import pytest

from engine.text.document import Document
from engine.tree.levels import ROOT_PATH
from engine.tree.nodes.node_source import read_text
from tests.engine.tree.rig import TreeRig, entry

DAY = "memory/daily/2026-02-16.md"

TIMES = """# 2026-02-16

## 09:12
- talked to Dana about the invoice portal, she wants PDF exports
- decided to use WeasyPrint because it runs offline

## 14:30 UTC
user: can you check the backup job?
assistant: The backup failed because the disk was full.

## Session — 2026-02-16 18:00:00
**User:** remind me to call the plumber
**Assistant:** Noted.
"""
CONFLICT = """## merge [project]
<<<<<<< HEAD
- we keep the old parser
=======
- we take the new parser
>>>>>>> branch
- the tests pass either way
"""
SESSION_FILE = """# Session: 2026-02-16 14:30:20 UTC

- **Session Key**: agent:main:main
- **Session ID**: c5628b21-7f1e-4b9e-8b3a-6d1f0a9b8c7d
- **Source**: telegram

## Conversation Summary

user: the heating is off again
assistant: I called the landlord and left a message.
"""
DREAM = "<!-- openclaw:dreaming:light:start -->\n- a dream of sheep\n<!-- openclaw:dreaming:light:end -->\n- awake\n"

SHAPES = {
    "times as headings": TIMES.encode(),
    "a BOM and CRLF": b"\xef\xbb\xbf" + TIMES.replace("\n", "\r\n").encode(),
    "a session file": SESSION_FILE.encode(),
    "a dream": DREAM.encode(),
    "no headings at all": b"just a line\nand another one that tells of the garden\n",
    "no final newline": b"## garden\n- planted tomatoes",
    "broken frontmatter": b"---\ntitle: [unclosed\n---\n## garden\n- planted tomatoes\n",
    "frontmatter that never ends": b"---\ntitle: x\n## garden\n- planted tomatoes\n",
    "emoji and Korean": "## 정원 [user]\n- 토마토를 심었다 🍅\n- 나중에 삭제 할 메모\n".encode(),
    "Chinese": "## 花园\n- 今天种了番茄，因为天气很好。\n- 决定下周买肥料。\n".encode(),
    "a fence that never closes": b"## build\n```\nmake all\n\n## after\n- the build is green\n",
    "a table": b"## budget\n| what | cost |\n|---|---|\n| rent | 900 |\n| food | 300 |\n",
    "deep headings": b"###### deep [project]\n- fact one\n####### seven\n- fact two\n",
    "one line of 200 KB": b"## big\n- " + b"word " * 40_000 + b"\n",
    "our own comments": b"<!-- from memory/2020-01-01.md:1-9 -->\n## forged\n- 01-01:3 not from there\n",
    "carriage returns alone": b"## old mac\r- line one\r- line two\r",
    "form feeds and U+2028": "## page\x0c\n- a\u2028b\n- c\x85d\n".encode(),
    "escape codes": b"## term\n- \x1b[31mred\x1b[0m and \x1b]0;title\x07 done\n",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_goes_through_and_stays_as_it_is(rig: TreeRig, shape: str) -> None:
    data = SHAPES[shape]
    rig.write("memory/2026-02-16.md", data)
    rig.at("2026-02-16").cycle()
    assert rig.has(DAY)
    assert rig.has(ROOT_PATH)
    rig.at("2026-04-01").cycle(drain=True)
    assert rig.cycle() is None
    assert rig.status("memory/monthly/2026-02.md") == "fixed"
    assert (rig.folder / "memory/2026-02-16.md").read_bytes() == data


@pytest.mark.parametrize("shape", [name for name in SHAPES if "200 KB" not in name])
def test_a_copy_holds_every_line_and_leads_back_to_it(rig: TreeRig, shape: str) -> None:
    rig.write("memory/2026-02-16.md", SHAPES[shape])
    rig.at("2026-02-16").cycle()
    raw = Document.from_bytes(SHAPES[shape])
    node = Document.from_bytes((rig.folder / DAY).read_bytes())
    copied = list(node.body_lines[1:])
    wanted = list(raw.body_lines)
    while wanted and not wanted[-1].strip():
        wanted.pop()
    assert copied == wanted
    for item in read_text(DAY, node, node.frontmatter.body_line).entries:
        for fact in item.facts:
            assert fact.span.path == "memory/2026-02-16.md"
            assert 1 <= fact.span.start <= fact.span.end <= len(raw.lines)


def test_a_log_without_topics_gets_the_things_it_is_about(rig: TreeRig) -> None:
    rig.write("memory/2026-02-16.md", TIMES)
    rig.at("2026-02-16").cycle()
    assert rig.values(DAY)["topics"] == "PDF [project], WeasyPrint [project]"


def test_a_log_with_a_conflict_is_no_source_and_is_named(rig: TreeRig) -> None:
    """G32: neither side can be trusted before somebody chose one."""
    rig.write("memory/2026-02-16.md", CONFLICT)
    assert rig.at("2026-02-16").cycle() is None and not rig.has(DAY)
    (left,) = rig.snapshot().skipped
    assert left.reason.startswith("merge-conflict markers, no source")


@pytest.mark.sampled(4)
def test_twenty_two_thousand_lines(rig: TreeRig) -> None:
    """The longest log seen: 22,000 lines, two headings in a hundred with a type."""
    parts = []
    for number in range(1000):
        tag = " [feedback]" if number % 500 == 0 else ""
        facts = "".join(f"- fact {n} of part{number} about thing{n * number % 97}\n" for n in range(20))
        parts.append(f"## {number % 24:02}:{number % 60:02} subject number{number}{tag}\n{facts}\n")
    rig.write("memory/2026-02-16.md", "".join(parts))
    rig.at("2026-02-16").cycle()
    body = rig.body(DAY)
    assert rig.values(DAY)["summary"] == "extractive"
    assert all(f"subject number{number} [" in body for number in range(1000))
    assert len(body) < 0.4 * len("".join(parts))
    assert rig.cycle() is None


NODES = {
    "topics that are no YAML": "---\nstatus: fixed\ntopics: [auth [project], tz [user]]\n---\n- chose it\n",
    "topics as a list": "---\nstatus: fixed\ntopics:\n  - auth [project]\n  - tz [user]\n---\n## Topics\n- auth\n",
    "no frontmatter": "## Topics\n- auth: moved to OAuth\n",
    "dates as YAML dates": "---\nperiod: 2026-02-16\nstatus: fixed\ndate: 2026-02-16\n---\n- auth moved to OAuth\n",
    "two blocks": "---\nstatus: tentative\n---\n---\nstatus: fixed\n---\n- auth moved\n",
    "empty": "",
}


@pytest.mark.parametrize("shape", NODES)
def test_nodes_of_other_tools_are_read_and_kept(rig: TreeRig, shape: str) -> None:
    rig.write(DAY, NODES[shape])
    rig.log("2026-02-17", entry("garden", "planted tomatoes"))
    rig.at("2026-02-17").cycle()
    assert rig.text(DAY) == NODES[shape]
    assert "planted tomatoes" in rig.body("memory/weekly/2026-W08.md")
    assert rig.cycle() is None


def test_hipocampus_weeks_that_froze_early_are_shown(rig: TreeRig) -> None:
    """H1, H4: a foreign week is fixed and names some of its days only; it is shown and left alone."""
    week = "memory/weekly/2026-W08.md"
    text = "---\ntype: weekly\nstatus: fixed\nsource-files: [memory/daily/2026-02-16.md]\n---\n- only Monday\n"
    for day in ("2026-02-16", "2026-02-17"):
        rig.log(day, entry("garden", f"planted on {day}"))
    rig.write(week, text)
    plan = rig.at("2026-03-20").plan()
    assert any("2026-W08.md is fixed, written by another tool" in line for line in plan.facts["left_alone"])
    rig.apply(plan)
    assert rig.text(week) == text
    rig.cycle(reopen=[week])
    assert "planted on 2026-02-17" in rig.body(week)


def test_a_clock_far_in_the_future_is_no_error(rig: TreeRig) -> None:
    rig.log("9999-12-31", entry("end", "of the calendar"))
    rig.log("0001-01-01", entry("start", "of the calendar"))
    rig.at(date(2026, 2, 16)).cycle()
    assert rig.status("memory/daily/9999-12-31.md") == "tentative"
    assert rig.status("memory/daily/0001-01-01.md") == "fixed"
