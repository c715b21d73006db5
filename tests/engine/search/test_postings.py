"""What a word says of each chunk: the same as FTS5's own BM25, however often notes came and went."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.search.ranking import postings as module
from engine.search.ranking.postings import OFTEN, PHRASE, SATURATED, SPOKEN, WEIGHTS, Lexicon, quoted
from engine.search.store.schema import Database
from engine.search.store.vault import Vault
from engine.search.vectors.layout import layout
from tests.engine.search.place import SearchPlace
from tests.turn import examples

WORDS = (
    "apple",
    "apples",
    "Rate-Limiting",
    "C++",
    "ses_a1b2",
    "图书馆",
    "데이터베이스",
    "größe",
    "übung",
    "é",
    "🚀",
    "x",
)
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
NOTES = st.lists(st.tuples(LINES, LINES, st.booleans()), min_size=1, max_size=12)


def opened(place: SearchPlace) -> Database:
    return Database.open(Vault(place.root, place.state), create=False)


def note(title: str, body: str, *, is_turn: bool) -> str:
    turn = f"## 10:00 — user\n{body}\n\n## 10:01 — agent\n{title}\n"
    return f"# {title}\n\n{turn if is_turn else body}\n"


def by_fts5(database: Database, condition: str, size: int) -> dict[int, tuple[float, float]]:
    rows = database.rows(PHRASE, (*WEIGHTS.values(), *SPOKEN.values(), condition))
    rarity = Lexicon(database, layout(database)).rarity(len(rows))
    assert size
    shares = {int(chunk): (-plain, -spoken / rarity) for chunk, plain, spoken in rows}
    return {chunk: (plain, min(part / (SATURATED - part), OFTEN)) for chunk, (plain, part) in shares.items()}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(10))
@given(first=NOTES, then=NOTES)
def test_each_word_says_what_fts5_says(
    place: SearchPlace, first: list[tuple[str, str, bool]], then: list[tuple[str, str, bool]]
) -> None:
    for at, (title, body, is_turn) in enumerate(first):
        place.write(f"n{at}.md", note(title, body, is_turn=is_turn))
    place.update()
    for at, (title, body, is_turn) in enumerate(then):
        place.write(f"n{2 * at}.md", note(title, body, is_turn=is_turn))
    place.update()
    database = opened(place)
    with database.transaction():
        where = layout(database)
        lexicon = Lexicon(database, where)
        for (word,) in database.rows("SELECT term FROM terms"):
            for prefix in (False, True):
                found = lexicon.posting((word,), prefix=prefix)
                wanted = by_fts5(database, quoted((word,)) + " *" * prefix, lexicon.size)
                mine = zip(found.chunks.tolist(), found.scores.tolist(), found.often.tolist(), strict=True)
                assert {chunk: pytest.approx(rest) for chunk, *rest in mine} == {
                    chunk: list(both) for chunk, both in wanted.items()
                }
                assert np.all(np.diff(found.chunks) > 0)
    database.close()


def test_the_lengths_of_chunks_are_those_of_fts5(place: SearchPlace) -> None:
    for number in range(20):
        place.write(
            f"n{number}.md",
            note("a title of C++", "rate-limiting, 图书馆 and so on. " * (1 + number % 4), is_turn=number > 9),
        )
    place.update()
    place.write("n3.md", "changed")
    place.update()
    database = opened(place)
    where = layout(database)
    rows = database.rows("SELECT id, sz FROM words_docsize")
    wanted = {int(chunk): sum(sizes[: len(WEIGHTS)]) for chunk, sizes in rows}  # numbers below 128 take one byte each
    assert {chunk: int(where.lengths[chunk]) for chunk in wanted} == wanted
    assert where.lengths.sum() == sum(wanted.values())
    database.close()


def test_what_was_asked_for_once_is_not_read_again(place: SearchPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("a.md", "apple banana")
    place.update()
    database = opened(place)
    lexicon = Lexicon(database, layout(database))
    first = lexicon.posting(("appl",), prefix=False), lexicon.posting(("appl", "banana"), prefix=False)
    assert [len(one.chunks) for one in first] == [1, 1]
    monkeypatch.setattr(Lexicon, "_read", lambda *_, **__: pytest.fail("read again"))
    assert (lexicon.posting(("appl",), prefix=False), lexicon.posting(("appl", "banana"), prefix=False)) == first
    database.close()


def test_postings_are_forgotten_before_they_are_too_many(place: SearchPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        place.write(f"n{number}.md", " ".join(f"word{at}" for at in range(10) if number % (at + 1) == 0))
    place.update()
    monkeypatch.setattr(module, "KEPT_ROWS", 50)
    database = opened(place)
    lexicon = Lexicon(database, layout(database))
    for at in (*range(10), *range(10)):
        lexicon.posting((f"word{at}",), prefix=False)
        assert sum(len(one.chunks) for one in lexicon._postings.values()) == lexicon._rows
        assert lexicon._rows <= 50 or len(lexicon._postings) == 1
    database.close()


def test_a_very_short_beginning_of_words_is_read_up_to_a_limit(
    place: SearchPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        place.write(f"n{number}.md", f"word{number} wordy")
    place.update()
    monkeypatch.setattr(module, "MOST_BEGUN", 12)
    database = opened(place)
    lexicon = Lexicon(database, layout(database))
    assert len(lexicon.posting(("word",), prefix=True).chunks) <= 12
    assert "n7.md" in place.paths("word7*", operators=True)
    database.close()
