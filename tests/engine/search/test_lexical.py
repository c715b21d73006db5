"""Words that very many chunks hold: where all cannot be read, those that say least are left out."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.search.query import question
from engine.search.ranking import lexical as module
from engine.search.ranking.lexical import Lexical, largest, lexical
from engine.search.ranking.postings import Lexicon
from engine.search.store.schema import Database
from engine.search.store.vault import Vault
from engine.search.vectors.layout import layout
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


def lexicon_of(database: Database) -> Lexicon:
    return Lexicon(database, layout(database))


def scores(found: Lexical) -> dict[int, float]:
    return dict(zip(found.chunks.tolist(), found.scores.tolist(), strict=True))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    words=st.lists(st.sampled_from((*WORDS, "unknown", '"apple banana"')), min_size=1, max_size=6, unique=True),
    most=st.integers(0, 80),
)
def test_what_the_rarest_words_say_is_the_same_whether_the_others_are_read_or_not(
    database: Database, words: list[str], most: int
) -> None:
    asked = question(" ".join(words))
    whole = lexical(lexicon_of(database), asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_ROWS", most)
        part = lexical(lexicon_of(database), asked)
    every = [one.chunks.tolist() for one in whole.postings]
    assert all(one.chunks.tolist() in every for one in part.postings)
    assert all(score <= scores(whole)[chunk] + 1e-9 for chunk, score in scores(part).items())
    assert bool(part.ids) == bool(whole.ids)


def test_the_commonest_words_are_left_out_first(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question("apple banana fig")
    whole = lexical(lexicon_of(database), asked)
    monkeypatch.setattr(module, "MOST_ROWS", 4)
    part = lexical(lexicon_of(database), asked)
    assert len(part.chunks) == 2 < len(whole.chunks)
    assert set(part.ids) <= set(whole.ids[:4])
    assert part.complete == whole.complete


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 50))
def test_the_largest_are_those_of_a_whole_sort(values: list[int], count: int) -> None:
    found = np.array(values, np.float64)
    assert largest(found, count).tolist() == np.argsort(-found, kind="stable")[:count].tolist()
