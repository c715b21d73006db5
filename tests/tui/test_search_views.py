"""What the search screen shows, worked out without a screen: rows, marks, dates, who answered."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.search.values import Category, CopyLevel, IndexState, SearchAnswer, SearchCopy, SearchHit, SearchMethod
from engine.workspace.values import Progress
from tests.tui.hostile import hostile_strings
from tests.tui.test_hostile import FORBIDDEN
from tui.present.search import hit_rows as view
from tui.present.search.day_spans import day_words, days
from tui.present.search.hit_rows import MOST, empty_words, index_words, standing_row, trouble, with_index
from tui.present.search.preview import NoteLines, marked, path_within, pattern, preview_foot, preview_title
from tui.present.search.query_filters import Filters, SearchOutcome, SearchState, filter_words
from tui.present.spans import Line, Span, error_lines, plain
from tui.widgets.segments import fitted

TODAY = date(2026, 3, 15)


def hit(**more: object) -> SearchHit:
    values: dict[str, object] = {
        "path": "memory/working/deploy.md",
        "category": Category.TIER,
        "title": "Deploy",
        "line": 2,
        "end_line": 3,
        "score": 1.25,
        "bm25": 0.5,
        "vector": 0.25,
        "words": 0.75,
        "meaning": 0.5,
        "snippet": "the deploys of March",
        "day": "2026-03-02",
    }
    return SearchHit(**(values | more))  # type: ignore[arg-type]


def found(*hits: SearchHit, asked: SearchState = SearchState("deploy"), **more: object) -> SearchOutcome:  # noqa: B008
    values: dict[str, object] = {"query": "deploy", "engine": SearchMethod.HYBRID, "words": ("deploy",)}
    return SearchOutcome(asked, SearchAnswer(hits=hits, **(values | more)), 12.3)  # type: ignore[arg-type]


def marks(line: Line) -> list[str]:
    return [span.text for span in line if span.role == "accent"]


# ── dates ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("", None, None),
        ("7d", date(2026, 3, 8), None),
        ("2 w", date(2026, 3, 1), None),
        ("1y", date(2025, 3, 15), None),
        ("9999y", date(1, 1, 1), None),
        ("today", TODAY, TODAY),
        ("yesterday", date(2026, 3, 14), date(2026, 3, 14)),
        ("2026", date(2026, 1, 1), date(2026, 12, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2026-3-5", date(2026, 3, 5), date(2026, 3, 5)),
        ("2026-03..", date(2026, 3, 1), None),
        ("..2025", None, date(2025, 12, 31)),
        ("2025..2026-02", date(2025, 1, 1), date(2026, 2, 28)),
    ],
)
def test_a_span_of_days_as_it_is_typed(text: str, since: date | None, until: date | None) -> None:
    assert days(text, TODAY) == (since, until)


@pytest.mark.parametrize("text", ["soon", "2026-13", "2026-02-30", "0000", "7x", "a..b", "2026-03-01-01"])
def test_what_is_no_span_of_days_says_what_is(text: str) -> None:
    with pytest.raises(UsageError) as error:
        days(text, TODAY)
    assert "2026-03" in error.value.hint


@given(st.text(max_size=40))
def test_any_text_is_a_span_of_days_or_refused(text: str) -> None:
    try:
        since, until = days(text, TODAY)
    except UsageError:
        return
    assert day_words(since, until)


def test_a_span_of_days_in_words() -> None:
    assert day_words(None, None) == "any date"
    assert day_words(TODAY, TODAY) == "on 2026-03-15"
    assert day_words(TODAY, None) == "since 2026-03-15"
    assert day_words(None, TODAY) == "until 2026-03-15"
    assert day_words(date(2026, 1, 1), TODAY) == "2026-01-01 to 2026-03-15"


# ── marks and rows ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("two Deploys, deployed", ("deploy",), ["Deploys", "deployed"]),
        ("an anaconda and Ana", ("ana",), ["Ana"]),
        ("the key ses_a1b2 here", ("ses_a1b2",), ["ses_a1b2"]),
        ("我们的图书馆很大", ("图书",), ["图书"]),
        ("C++ (C+)", ("c++",), ["C++"]),
        ("nothing", (), []),
        ("[/foo] $x", ("[/foo]",), ["[/foo]"]),
    ],
)
def test_what_was_looked_for_is_marked(text: str, words: tuple[str, ...], expected: list[str]) -> None:
    line = marked(text, pattern(words))
    assert plain(line) == text and marks(line) == expected


@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=4))
def test_marking_never_changes_the_text(text: str, words: list[str]) -> None:
    assert plain(marked(text, pattern(tuple(words)))) == text


def test_a_hit_takes_two_rows_and_its_score_only_on_demand() -> None:
    rows = view.HitRows(found(hit()).answer, lambda: 60)
    assert len(rows) == 2
    assert plain(rows.row(0).left) == "Deploy" and plain(rows.row(0).right) == "memory tier 2026-03-02"
    assert plain(rows.row(1).left) == "  the deploys of March" and marks(rows.row(1).left) == ["deploys"]
    scored = plain(view.HitRows(found(hit()).answer, lambda: 60, scores=True).row(1).left)
    assert scored == "  ▕█████▒▒▒▏ 1.250 = BM25 0.750 + vectors 0.500"


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (80, "  raw/conversations/2026/03/03/1002-checkout.md"),
        (67, "  …/2026/03/03/1002-checkout.md"),
        (56, "  …/03/03/1002-checkout.md"),
        (52, "  …/1002-checkout.md"),
    ],
)
def test_a_path_is_shortened_only_as_far_as_it_must_be(room: int, shown: str) -> None:
    long = found(hit(path="raw/conversations/2026/03/03/1002-checkout.md")).answer
    row = view.HitRows(long, lambda: room).row(0)
    assert plain(row.extra) == shown
    assert shown in plain(fitted(row._replace(left=(Span(" "), *row.left)), room + 1))


def test_how_far_the_index_is_takes_the_place_of_filters_that_narrow_nothing() -> None:
    index = index_words(IndexState(lacking=9), Progress("embedding", 640, 12_000))
    everything, narrowed = Filters(), Filters(Category.PERSON)
    row = with_index(standing_row(found(hit()), everything, busy=False), index)
    assert plain(fitted(row, 76)).startswith("embedding 640/12,000 ▕█         ▏ ")
    row = with_index(standing_row(found(hit()), narrowed, busy=False), index)
    assert "person   embedding 640/12,000 " in plain(fitted(row, 76)), "the bar gives way before words do"
    assert with_index(row, ((), ())) == row
    problem = index_words(IndexState(problem="memory.db is locked by another process; close it or wait"), None)
    row = with_index(standing_row(found(hit()), everything, busy=False), problem)
    assert "close it or wait" in plain(fitted(row, 76)), "why it goes no further is read whole"


@pytest.mark.parametrize(
    ("values", "best", "expected"),
    [
        ({"score": 0.5, "words": 0.5, "meaning": 0.0, "vector": None}, 1.0, "▕████    ▏ 0.500 = BM25 0.500"),
        ({"score": 0.5, "words": 0.0, "meaning": 0.5}, 0.5, "▕▒▒▒▒▒▒▒▒▏ 0.500 = BM25 0.000 + vectors 0.500"),
        ({"score": 0.0, "words": 0.0, "meaning": 0.0}, 0.0, "▕        ▏ 0.000 = BM25 0.000 + vectors 0.000"),
    ],
)
def test_the_parts_of_a_score_stand_as_the_sum_they_are(values: dict[str, object], best: float, expected: str) -> None:
    assert plain(view.score_parts(hit(**values), best)) == expected


def test_a_note_shows_where_it_was_found_and_every_match() -> None:
    lines = NoteLines(["# Deploy", "the deploys of March", "x" * 9_000, "end\x1b[2J"], hit(), ("deploy",))
    assert lines.matches() == (0, 1)
    assert [lines.origin(n) for n in range(4)] == ["", " ← found", "", ""]
    assert marks(lines.roles(1)) == ["deploys"]
    assert "5,000 more characters" in lines.raw(2)
    assert "\x1b" not in plain(lines.roles(3))


def test_of_a_path_that_does_not_fit_the_first_folders_go() -> None:
    title = plain(preview_title(hit(path="raw/conversations/2026/03/a-note.md"), 24))
    assert title.startswith(("…/2026/03/a-note.md:", "…/03/a-note.md:"))
    assert path_within("a.md", 3) == "a.md" and path_within("a/b.md", 6) == "a/b.md"
    assert path_within("数据/库.md", 7) == "…/库.md"


def test_so_many_hits_are_said_to_be_the_best_of_more() -> None:
    row = standing_row(found(*[hit()] * MOST), Filters(), busy=False)
    assert plain(row.right).startswith("the best 100 files")


def test_no_hostile_text_reaches_a_row_or_a_preview() -> None:
    for text in hostile_strings():
        one = hit(path=f"memory/{text}", title=text, snippet=text)
        asked = SearchState(text, like=text)
        answer = found(one, asked=asked, words=(text.lower(),), degraded=(text,))
        rows = view.HitRows(answer.answer, lambda: 60)
        note = NoteLines(text.split("\n"), one, (text.lower(),))
        shown: list[Line] = [rows.row(0).left, rows.row(0).extra, rows.row(1).left, *trouble(answer)]
        shown += [note.roles(n) for n in range(len(note))] + [preview_title(one, 40)]
        row = standing_row(answer, Filters(), busy=False)
        shown += [row.left, row.right, *error_lines(UsageError(text))]
        assert not FORBIDDEN.search("".join(map(plain, shown))), repr(text)


# ── who answered ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        (SearchMethod.HYBRID, "BM25 + vectors"),
        (SearchMethod.LEXICAL, "BM25 alone"),
        (SearchMethod.RIPGREP, "ripgrep, without the index"),
        (SearchMethod.PYTHON, "file by file, without the index"),
    ],
)
def test_who_answered_is_said(engine: SearchMethod, words: str) -> None:
    row = standing_row(found(hit(), engine=engine), Filters(), busy=False)
    assert plain(row.right) == f"1 file · {words} · 12 ms"


def test_a_worse_answer_says_why_and_a_fallback_looks_worse() -> None:
    lines = trouble(found(hit(), engine=SearchMethod.PYTHON, degraded=("searched file by file: it is locked",)))
    assert plain(lines[0]) == "▲ searched file by file: it is locked" and lines[0][0].role == "risk"
    assert trouble(found(hit())) == ()
    assert "nearest in meaning" in plain(trouble(found(hit(bm25=0.0)))[0])


def test_the_part_of_a_score_that_the_day_gives_is_said() -> None:
    one = hit(score=3.4, words=0.8, meaning=0.6, dates=2.0)
    assert "+ dates 2.000" in plain(view.score_parts(one, 3.4))
    assert "dates" not in plain(view.score_parts(hit(), 1.0))


def test_filters_are_said_and_what_narrows_stands_out() -> None:
    words = filter_words(Filters(Category.JOURNAL, TODAY, None, True))
    assert plain(words) == "journal · since 2026-03-15 · +must -not word*"
    assert {span.role for span in words if span.text.strip(" ·")} == {"warn"}


def test_filters_that_narrow_nothing_give_way_to_those_that_do() -> None:
    filters = Filters(operators=True)
    row = standing_row(found(hit()), filters, busy=False)
    assert plain(row.left) == "+must -not word*" and plain(row.extra) == " · any category · any date"
    assert "+must -not word*  " in plain(fitted(row, 60))


def test_how_far_the_index_is() -> None:
    assert index_words(None, None) == ((), ())
    assert index_words(IndexState(files=3, chunks=9), None) == ((), ())
    assert "4 files to index" in plain(index_words(IndexState(pending=4), None)[0])
    assert "9 chunks to embed" in plain(index_words(IndexState(lacking=9), None)[0])
    assert "embedding 5/10" in plain(index_words(IndexState(lacking=9), Progress("embedding", 5, 10))[0])
    assert "asleep" in plain(index_words(IndexState(problem="the model is asleep"), None)[0])
    logs = index_words(IndexState(pending=48), Progress("indexing", 12, 60, 477_000_000, 954_000_000))
    assert plain(logs[0]) == "indexing 12/60 · 477/954 MB" and plain(logs[1]).count("█") == 5


def test_where_there_is_nothing_it_says_what_may_help() -> None:
    def words(what: SearchOutcome | None, filters: Filters = Filters(), saved: int = 0) -> str:  # noqa: B008
        return "\n".join(map(plain, empty_words(what, filters, saved)))

    assert "words in a row" in words(None) and "saved" not in words(None)
    assert "3 saved searches" in words(None, saved=3)
    assert words(found()).startswith("nothing found") and "esc" not in words(found())
    assert words(found(), Filters(Category.JOURNAL)).endswith("esc removes: journal")
    assert words(found(), Filters(None, None, TODAY)).endswith("esc removes: until 2026-03-15")
    assert "nothing to search yet" in plain(empty_words(found(), Filters(), 0, no_notes=True)[0])
    assert "nothing else is like this note" in words(found(asked=SearchState(like="a.md")))


def test_a_hit_names_its_copies_in_its_row_and_under_the_note() -> None:
    copies = (
        SearchCopy("memory/daily/2026-03-02.md", CopyLevel.DAY, 4),
        SearchCopy("memory/weekly/\x1b[2J.md", CopyLevel.WEEK, 9),
    )
    one = hit(copies=copies)
    words = plain(preview_foot(one, 88, 3))
    assert words.endswith("also in day memory/daily/2026-03-02.md:4 · week memory/weekly/␛[2J.md:9")
    assert "also" not in plain(preview_foot(hit(), 88, 3))
    assert plain(view.HitRows(found(one).answer, lambda: 100).row(0).right).startswith("+2 memory tier")
    assert plain(view.HitRows(found(hit()).answer, lambda: 100).row(0).right).startswith("memory tier")
