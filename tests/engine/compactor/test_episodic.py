"""Working → episodic: the compiled file and how an old one is read (compactor §Workflow 2)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.extraction.sections import read_note
from engine.compactor.notes.working_to_episodic import compile_note
from engine.models.summary import Point, PointLine, Summary
from engine.plans.plan import Create
from engine.text.document import split_lines
from engine.text.frontmatter import read_frontmatter
from engine.workspace.values import DateSource, FileDate, LineSpan
from tests.engine.compactor.workspace import TODAY, Workspace, days_ago

SOURCE = "memory/working/deploy.md"
OWN = FileDate(date(2026, 3, 2), DateSource.NAME)


def compiled(summary: Summary, own: FileDate = OWN, source: str = SOURCE) -> str:
    return compile_note(
        source, "memory/archive/deploy-archived-2026-03-15.md", own, TODAY, summary, "extractive"
    ).content


def test_the_format_is_the_one_of_the_specification() -> None:
    summary = Summary(
        (Point("It shipped.", 3, 3), Point("It broke.", 5, 6)), (Point("Roll back.", 7, 7),), (Point("Test it.", 9, 9),)
    )
    assert compiled(summary) == (
        "---\n"
        "source-date: 2026-03-02\n"
        "source: memory/working/deploy.md\n"
        "archived-as: memory/archive/deploy-archived-2026-03-15.md\n"
        "compiled: 2026-03-15\n"
        "summary: extractive\n"
        "---\n"
        "# Compiled: deploy.md\n"
        "## Summary\n- It shipped.\n- It broke.\n"
        "## Decisions\n- Roll back.\n"
        "## Extracted Insights\n- Test it.\n"
    )


def test_empty_sections_stand_there_all_the_same() -> None:
    text = compiled(Summary((), (), ()))
    assert "## Summary\n(nothing worth keeping)\n## Decisions\n(none)\n## Extracted Insights\n(none)\n" in text
    assert "## Summary\n(none)\n## Decisions\n- x\n" in compiled(Summary((), (Point("x", 1, 1),), ()))


def test_a_summary_has_five_points_at_most_and_further_ones_stand_apart() -> None:
    summary, _, details = compiled(Summary(tuple(Point(f"point {n}", n, n) for n in range(1, 9)), (), ())).partition(
        "## Details\n"
    )
    assert (summary.count("- point"), details.count("- point")) == (5, 3)


def test_every_bullet_knows_the_lines_it_came_from() -> None:
    summary = Summary((Point("one", 3, 4),), (Point("two", 9, 9),), ())
    made = compile_note(SOURCE, "memory/archive/x.md", OWN, TODAY, summary, "extractive")
    lines = split_lines(made.content)
    assert {lines[o.line - 1]: o.source for o in made.origins} == {
        "- one": LineSpan(SOURCE, 3, 4),
        "- two": LineSpan(SOURCE, 9, 9),
    }


def test_g8_a_date_that_is_only_a_modification_time_stays_marked() -> None:
    text = compiled(Summary((), (), ()), FileDate(date(2026, 3, 2), DateSource.MTIME))
    assert read_frontmatter(text.encode()).values["date-confidence"] == "low"


@pytest.mark.parametrize(
    "text",
    [
        "line\nbreak",
        "\u202egnp.exe",
        "\x1b]0;title\x07",
        "[@click=app.quit]x[/]",
        "key AKIAQ3EXAMPLE7ZK4M2X",
        "- # x\r\n",
    ],
)
def test_g13_no_point_breaks_out_of_its_bullet(text: str) -> None:
    made = compiled(Summary((Point(text, 1, 1),), (), ()))
    assert len(split_lines(made)) == len(split_lines(compiled(Summary((Point("x", 1, 1),), (), ()))))
    assert not set(made) & set("\x1b\x07\r\u202e")
    assert "AKIAQ3EXAMPLE7ZK4M2X" not in made


def test_joiners_that_spell_a_word_or_an_emoji_stay() -> None:
    assert "- می\u200cخواهم 👩\u200d💻" in compiled(Summary((Point("می\u200cخواهم 👩\u200d💻", 1, 1),), (), ()))
    assert "a\u200db" not in compiled(Summary((Point("a\u200db", 1, 1),), (), ()))


@pytest.mark.parametrize("name", ["a\nb", "---", "x: y", "# [bold]", "'\"", "a\u202eb", "日本語", "-->"])
def test_a_name_of_any_kind_is_only_a_name(name: str) -> None:
    source = f"memory/working/{name}.md"
    text = compiled(Summary((), (), ()), source=source)
    front = read_frontmatter(text.encode())
    assert front.values["source"] == source
    assert front.problem is None
    assert split_lines(text)[front.body_line - 1].startswith("# Compiled: ")
    assert split_lines(text)[front.body_line] == "## Summary"


BULLETS = st.lists(
    st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=2, max_size=30).map(lambda t: f"{t} end"), max_size=4
)


@given(BULLETS, BULLETS, BULLETS)
def test_what_is_compiled_is_read_back(events: list[str], decisions: list[str], insights: list[str]) -> None:
    def points(texts: list[str]) -> tuple[Point, ...]:
        return tuple(Point(text, 1, 1) for text in texts)

    text = compiled(Summary(points(events), points(decisions), points(insights)))
    front = read_frontmatter(text.encode())
    body = "\n".join(split_lines(text)[front.body_line - 1 :])
    note = read_note(body, front.body_line)
    assert [p.text for p in note.summary] == events
    assert [p.text for p in note.decisions] == decisions
    assert [p.text for p in note.insights] == insights
    for point in (*note.summary, *note.decisions, *note.insights):
        assert split_lines(text)[point.start - 1] == f"- {point.text}"


def test_sections_of_other_hands_are_read() -> None:
    note = read_note(
        "# Week\n\n## Key Decisions:\n* one\n  goes on\n1. two\n\n### Lessons Learned\n- three\n```\n- code\n```\n"
    )
    assert [(p.text, p.start, p.end) for p in note.decisions] == [("one goes on", 4, 5), ("two", 6, 6)]
    assert [p.text for p in note.insights] == ["three"]
    assert note.sections
    assert not read_note("# Week\n\nOnly prose.\n").sections


def test_an_empty_note_is_compiled_archived_and_warned_about() -> None:
    plan = Workspace({"memory/working/2026-03-01.md": ""}).planned()
    compiled_note = plan.changes[0]
    assert isinstance(compiled_note, Create)
    assert "(nothing worth keeping)" in compiled_note.content
    assert any("nothing worth keeping" in warning for warning in compiled_note.warnings)
    assert str(compiled_note.sources[0]) == "memory/working/2026-03-01.md:1-1"
    assert all(gate.passed for gate in plan.gates)


def test_the_whole_note_is_the_source_and_the_move_needs_the_summary() -> None:
    note = f"---\ndate: {days_ago(9)}\n---\n\nIt shipped.\nDecided to wait.\n"
    compiled_note, moved = Workspace({SOURCE: note}).planned().changes
    assert [str(span) for span in compiled_note.sources] == ["memory/working/deploy.md:1-6"]
    assert moved.requires == (compiled_note.n,)
    assert [(o.source.start, o.source.end) for o in compiled_note.origins] == [(5, 5), (6, 6)]


def test_crlf_and_bom_do_not_shift_the_lines() -> None:
    note = b"\xef\xbb\xbf---\r\ndate: " + days_ago(9).encode() + b"\r\n---\r\n\r\nIt shipped.\r\n"
    compiled_note = Workspace({SOURCE: note}).planned().changes[0]
    assert isinstance(compiled_note, Create)
    assert "- It shipped.\n" in compiled_note.content
    assert compiled_note.origins[0].source == LineSpan(SOURCE, 5, 5)


def test_lone_carriage_returns_end_no_line() -> None:
    note = f"---\ndate: {days_ago(9)}\n---\nIt shipped.\rIt broke.\r".encode()
    plan = Workspace({SOURCE: note}).planned()
    assert all(gate.passed for gate in plan.gates)
    assert plan.changes[0].origins[0].source == LineSpan(SOURCE, 4, 4)


def test_a_note_compiled_before_is_named() -> None:
    earlier = f"---\nsource-date: {days_ago(20)}\nsource: {SOURCE}\n---\n# Compiled: deploy.md\n"
    note = f"---\ndate: {days_ago(9)}\n---\nIt shipped.\n"
    plan = Workspace({SOURCE: note, "memory/episodic/deploy.md": earlier}).planned()
    assert any("memory/episodic/deploy.md was compiled from" in warning for warning in plan.changes[0].warnings)


def test_a_list_is_written_as_a_list_and_read_as_one_statement() -> None:
    lines = (PointLine("Squad:", 3, 5), PointLine("amber leads.", 4, 4, 1), PointLine("birch tests", 5, 5, 1))
    made = compile_note(
        SOURCE, "memory/archive/x.md", OWN, TODAY, Summary((Point("Squad: all", 3, 5, lines),), (), ()), "extractive"
    )
    body = made.content.partition("## Summary\n")[2]
    assert body.startswith("- Squad:\n  - amber leads.\n  - birch tests\n## Decisions\n")
    assert [origin.source for origin in made.origins] == [LineSpan(SOURCE, line.start, line.end) for line in lines]
    (squad,) = read_note(made.content).summary
    assert squad.text == "Squad: amber leads; birch tests"


@given(
    st.lists(st.lists(st.sampled_from(["amber leads the squad", "birch is tested", "cedar"]), max_size=5), max_size=4)
)
def test_what_is_written_as_lists_is_read_whole(owners: list[list[str]]) -> None:
    points = tuple(
        Point("", 1, 9, (PointLine(f"Owner {n}:", 1, 9), *(PointLine(text, n, n, 1) for text in texts)))
        for n, texts in enumerate(owners)
    )
    told = read_note(compiled(Summary(points, (), ()))).summary
    assert [point.text for point in told] == [
        f"Owner {n}: {'; '.join(texts)}".rstrip() for n, texts in enumerate(owners)
    ]
