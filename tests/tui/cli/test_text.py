"""What a person reads: aligned, safe, and coloured only on a terminal."""

import io

import pytest

from engine.text.safe_text import cell_width
from tests.prepared import Prepared
from tests.ready_demo import Demo
from tests.tui.cli.conftest import Run
from tests.values import a_status, compaction
from tui.cli.output import Printer, Styled, may_color


def test_status_says_what_is_wrong_and_what_is_due(run: Run, demo: Demo) -> None:
    out = run("status", "--now", "2026-03-15T09:30").out
    assert str(demo.folder) in out and "what-if 2026-03-15 09:30 UTC · o200k_base" in out
    assert "▲ 14/10" in out and "▲ 51/45 d" in out and "▲ risk" in out
    assert "semantic_risk" in out and "primary trigger semantic_risk → C" in out
    assert "weekly dry run" in out and "clipboard.txt" in out


def test_status_leaves_out_what_nothing_is_known_of(run: Run, stubbed: Prepared) -> None:
    stubbed.stub.gives("status.read", a_status(window={}, memory_md={}))
    out = run("status").out
    assert "cooldown" in out and "first run" in out and "MEMORY.md" not in out and "window" not in out


def test_show_names_every_change_and_its_source(run: Run, waiting: Prepared) -> None:
    plan = waiting.plan(compaction(1).id)
    out = run("show", plan.id).out
    assert plan.digest in out and "✓ schema" in out and "no calls" in out
    for change in plan.changes:
        assert change.path in out
    assert "+# Compiled" not in out
    assert "+# Compiled" in run("show", plan.id, "--diff").out


def test_show_says_what_a_summary_left_out_in_the_planners_words(run: Run, waiting: Prepared) -> None:
    lines = run("show", compaction(1).id, "--diff").out.splitlines()
    told = lines.index("omitted from derived text:")
    assert lines[told + 1] == "  a stack trace of 31 lines (18–48)"


def test_an_empty_queue_says_how_to_fill_it(run: Run, workspace: Prepared) -> None:
    assert "memdeck plan compact" in run("queue").out


def test_no_line_ends_in_blanks(run: Run, demo: Demo) -> None:
    for arguments in (("status",), ("queue",), ("log",), ("policy",), ("doctor",)):
        lines = run(*arguments).out.splitlines()
        assert lines and [line for line in lines if line != line.rstrip()] == []


def test_columns_align_for_wide_and_combining_characters() -> None:
    stream = io.StringIO()
    Printer(stream, color=False).table([["가나", "1"], ["abcd", "22"], ["e\u0301e\u0301", "3"]])
    lines = stream.getvalue().splitlines()
    assert [cell_width(line[: line.rindex(" ")]) for line in lines] == [5, 5, 5]


def test_numbers_can_be_flush_right() -> None:
    stream = io.StringIO()
    Printer(stream, color=False).table([["a", "1"], ["b", "1,000"]], right=frozenset({1}))
    assert stream.getvalue() == "a      1\nb  1,000\n"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("env", "no_color", "expected"),
    [
        ({"TERM": "xterm"}, False, True),
        ({"TERM": "xterm"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({}, False, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str], no_color: bool, expected: bool
) -> None:
    monkeypatch.delenv("TERM", raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert may_color(_Terminal(), no_color) is expected
    assert not may_color(io.StringIO(), no_color)


def test_a_coloured_piece_is_made_safe_first() -> None:
    printer = Printer(io.StringIO(), color=True)
    assert printer.render(Styled("\x1b[2J", fg="red")) == "\x1b[31m␛[2J\x1b[0m"
    assert printer.render("a\nb") == "a␊b"
