"""The days that a question speaks of, and what files of those days gain."""

import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.dates.days_in_question import MOST_PHRASES, DaySpan, spans_in
from engine.search.ranking.day_gains import days_apart
from engine.search.values import SearchRequest
from tests.engine.search.place import SearchPlace

TODAY = date(2024, 3, 10)
WORDS = ("in last may 5 31 2023 july 14th of early", "christmas two weeks before ago 前 5月 일 vor 3.")


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("what did we do on 5 July 2023?", "2023-07-05"),
        ("July 5th, 2023", "2023-07-05"),
        ("on the 5th of July", "2023-07-05"),
        ("2023-07-05 in the log", "2023-07-05"),
        ("25/7/2023", "2023-07-25"),
        ("last May we went there", "2023-05-01..2023-05-31"),
        ("last March", "2023-03-01..2023-03-31"),
        ("in March", "2024-03-01..2024-03-31"),
        ("early March 2023", "2023-03-01..2023-03-10"),
        ("the end of January 2024", "2024-01-21..2024-01-31"),
        ("two weeks before Christmas", "2023-12-11"),
        ("the week before 5 July 2023", "2023-06-28..2023-07-04"),
        ("the day after Halloween 2022", "2022-11-01"),
        ("two weeks ago", "2024-02-19..2024-02-25"),
        ("three days ago", "2024-03-07"),
        ("yesterday", "2024-03-09"),
        ("last week", "2024-02-26..2024-03-03"),
        ("last weekend", "2024-03-02..2024-03-03"),
        ("last Monday", "2024-03-04"),
        ("in 2022", "2022-01-01..2022-12-31"),
        ("Was war im März 2023?", "2023-03-01..2023-03-31"),
        ("Anfang März 2023", "2023-03-01..2023-03-10"),
        ("am 3. Mai 2023", "2023-05-03"),
        ("05.07.2023", "2023-07-05"),
        ("vor zwei Wochen", "2024-02-19..2024-02-25"),
        ("letzten Montag", "2024-03-04"),
        ("letzte Woche", "2024-02-26..2024-03-03"),
        ("zwei Wochen vor Weihnachten", "2023-12-11"),
        ("gestern", "2024-03-09"),
        ("上个月我们做了什么", "2024-02-01..2024-02-29"),
        ("2023年7月5日", "2023-07-05"),
        ("两周前", "2024-02-19..2024-02-25"),
        ("三个月前", "2023-12-01..2023-12-31"),
        ("先月の話", "2024-02-01..2024-02-29"),
        ("7月5日", "2023-07-05"),
        ("2週間前", "2024-02-19..2024-02-25"),
        ("昨日", "2024-03-09"),
        ("지난달 회의", "2024-02-01..2024-02-29"),
        ("2023년 7월 5일", "2023-07-05"),
        ("어제", "2024-03-09"),
    ],
)
def test_days_are_read_in_five_languages(question: str, days: str) -> None:
    assert [span.days for span in spans_in(question, TODAY)] == [days]


@pytest.mark.parametrize(
    "question",
    [
        "may I march on",
        "5/7/2023",
        "the 31st of June 2023",
        "version 5.1.2023.4",
        "on Friday",
        "I may go in 5 days",
        "ticket 2023",
        "since May",
        "10 o'clock",
        "this weekend",
        "I found a vintage toy yesterday",
        "We moved in May 2023. Which boxes were left?",
        "",
    ],
)
def test_what_could_mean_several_days_or_none_means_none(question: str) -> None:
    assert spans_in(question, TODAY) == ()


@given(st.text(max_size=60), st.dates(date(1, 1, 1), date(9999, 12, 31)))
def test_no_text_and_no_day_is_too_odd(text: str, today: date) -> None:
    assert all(span.first <= span.last for span in spans_in(text, today))


@given(
    st.lists(st.sampled_from([word for line in WORDS for word in line.split()])),
    st.sampled_from([date(1, 1, 1), TODAY, date(2024, 2, 29), date(9999, 12, 31)]),
)
def test_words_of_dates_in_any_order_are_read_or_left(words: list[str], today: date) -> None:
    text = " ".join(words)
    spans = spans_in(text, today)
    assert len(spans) <= MOST_PHRASES and all(span.first <= span.last and span.text in text for span in spans)


@given(st.dates(date(1970, 1, 1), date(2100, 1, 1)), st.integers(0, 400), st.integers(-900, 900))
def test_within_the_days_nothing_lies_between(first: date, length: int, far: int) -> None:
    span = DaySpan(first, first + timedelta(length), "")
    apart = days_apart(span, first + timedelta(far))
    assert apart == (-far if far < 0 else max(0, far - length))


@pytest.fixture
def place(tmp_path: Path) -> SearchPlace:
    made = SearchPlace(tmp_path)
    for month in range(1, 13):
        made.write(f"memory/2025-{month:02}-05.md", f"# Day\n\nThe team met and talked of plan {month}.\n")
    made.write("memory/plans.md", "# Plans\n\nThe team met in July and talked, in July, of July.\n")
    return made


def test_a_file_of_the_day_comes_first_and_says_why(place: SearchPlace) -> None:
    answer = place.search("what did the team talk of on 5 July 2025")
    assert answer.hits[0].path == "memory/2025-07-05.md"
    assert [span.days for span in answer.spans] == ["2025-07-05"]
    best = answer.hits[0]
    assert best.dates == 2 and best.score == pytest.approx(best.words + best.meaning + best.dates, abs=0.002)
    assert all(not hit.dates for hit in answer.hits if hit.path == "memory/plans.md"), "it has no day of its own"


def test_a_file_of_the_day_is_found_without_a_word_of_the_question(place: SearchPlace) -> None:
    assert place.search("umbrella 5 July 2025").hits[0].path == "memory/2025-07-05.md"


def test_dates_count_for_nothing_where_they_are_switched_off_or_the_operator_says_others(place: SearchPlace) -> None:
    text = "what did the team talk of on 5 July 2025"
    snapshot = place.snapshot()
    for request in (
        SearchRequest(text=text, dates=False, seconds=None),
        SearchRequest(text=text, operators=True, seconds=None),
        SearchRequest(text=text, since=date(2025, 1, 1), seconds=None),
    ):
        answer = place.searcher.search(request, snapshot)
        assert answer.spans == () and all(hit.dates == 0 for hit in answer.hits)


def notes_of(*days: int) -> frozenset[date]:
    return frozenset(date(2024, 3, day) for day in days)


@pytest.mark.parametrize(
    ("today", "noted", "days"),
    [
        (15, notes_of(5, 14), None),  # the day after the newest note: of the week before, or of the last seven days?
        (15, notes_of(5), "2024-03-04..2024-03-10"),
        (15, notes_of(14), "2024-03-08..2024-03-14"),
        (15, notes_of(9), "2024-03-04..2024-03-10"),
        (18, notes_of(5, 14), "2024-03-11..2024-03-17"),
        (15, notes_of(), "2024-03-04..2024-03-10"),
    ],
)
def test_last_week_counts_only_where_one_meaning_is_left(today: int, noted: frozenset[date], days: str | None) -> None:
    found = [span.days for span in spans_in("what did we do last week", date(2024, 3, today), noted)]
    assert found == ([days] if days else [])


def test_within_a_month_words_decide_and_a_note_beside_it_that_says_more_comes_first(place: SearchPlace) -> None:
    place.write("memory/2025-08-28.md", "# Day\n\nIn the garden the umbrella broke in a storm over the lake.\n")
    place.write("memory/2025-07-19.md", "# Day\n\nThe boat was painted blue.\n")
    paths = place.paths("the umbrella that broke in the garden storm in July 2025")
    assert paths[0] == "memory/2025-08-28.md" and {"memory/2025-07-19.md", "memory/2025-07-05.md"} <= set(paths)
    assert place.paths("who painted the blue boat in July 2025")[0] == "memory/2025-07-19.md"


def test_the_reference_day_can_be_given(place: SearchPlace) -> None:
    request = SearchRequest(text="the team, last month", seen_from=date(2025, 8, 3), seconds=None)
    assert place.searcher.search(request, place.snapshot()).hits[0].path == "memory/2025-07-05.md"


def test_the_library_of_dates_is_loaded_only_for_a_question_with_one() -> None:
    program = (
        "import sys\nfrom datetime import date\nfrom engine.search.dates.days_in_question import spans_in\n"
        "import engine.search.searcher\nspans_in('which database did we choose', date(2024, 3, 10))\n"
        "assert 'dateparser' not in sys.modules\n"
        "spans_in('which database did we choose in May 2023', date(2024, 3, 10))\nassert 'dateparser' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
