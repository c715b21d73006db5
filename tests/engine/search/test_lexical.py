"""Words that very many chunks hold: they count in the chunks of the rarer ones, with the same score as ever."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.search import lexical as module
from engine.search.lexical import Lexical, Lexicon, lexical
from engine.search.question import question
from engine.search.schema import Database
from engine.search.vault import Vault
from tests.engine.search.place import SearchPlace

WORDS = ("apple", "banana", "cherry", "damson", "elder", "fig")


@pytest.fixture
def database(place: SearchPlace) -> Iterator[Database]:
    """Sixty notes; the first word is in all of them, each further one in half as many."""
    for number in range(60):
        held = [word for at, word in enumerate(WORDS) if number % 2**at == 0]
        place.write(f"n{number}.md", f"# Note\n\n{' '.join(held * (1 + number % 3))} and {'more ' * (number % 7)}\n")
    place.update()
    opened = Database.open(Vault(place.root, place.state), create=False)
    yield opened
    opened.close()


def scores(found: Lexical) -> dict[int, float]:
    return dict(zip(found.chunks.tolist(), found.scores.tolist(), strict=True))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    words=st.lists(st.sampled_from((*WORDS, "unknown", '"apple banana"')), min_size=1, max_size=6, unique=True),
    most=st.integers(0, 80),
    enough=st.integers(1, 60),
)
def test_a_score_is_the_same_however_few_chunks_are_looked_at(
    database: Database, words: list[str], most: int, enough: int
) -> None:
    asked = question(" ".join(words))
    whole = scores(lexical(Lexicon(database, 60), asked))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_ROWS", most)
        patch.setattr(module, "DEPTH", enough)
        part = lexical(Lexicon(database, 60), asked)
    assert scores(part) == pytest.approx({chunk: whole[chunk] for chunk in scores(part)}, abs=1e-9)
    assert bool(part.ids) == bool(whole)


def test_the_best_of_all_is_found_among_few(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question("apple banana fig")
    whole = lexical(Lexicon(database, 60), asked)
    monkeypatch.setattr(module, "MOST_ROWS", 4)
    monkeypatch.setattr(module, "DEPTH", 1)
    part = lexical(Lexicon(database, 60), asked)
    assert len(part.chunks) == 2 < len(whole.chunks)
    assert part.ids == whole.ids[:1]
    assert (part.share, part.complete) == pytest.approx((whole.share, whole.complete))


def test_what_was_asked_for_once_is_not_read_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon = Lexicon(database, 60)
    first = lexical(lexicon, question("banana fig"))

    def refuse(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(module, "_asked", refuse)
    assert scores(lexical(lexicon, question("fig banana"))) == scores(first)


def test_postings_are_forgotten_before_they_are_too_many(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_ROWS", 50)
    lexicon = Lexicon(database, 60)
    for word in WORDS * 2:
        lexical(lexicon, question(word))
        assert sum(len(one.chunks) for one in lexicon._postings.values()) == lexicon._rows
        assert lexicon._rows <= 50 or len(lexicon._postings) == 1
