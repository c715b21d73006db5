"""A file as a whole: what its chunks say together, what its user said, and guesses where no word is found (D6, D8)."""

import pytest

from engine.search.ranking.file_scores import GUESSES
from engine.search.ranking.merge import MERGES
from engine.search.results.snippet import LEAD
from tests.engine.search.place import HashEmbedder, MakePlace, SearchPlace

QUESTION = "which harbour did we choose for the regatta of the sailing club next summer"


def transcript(*turns: tuple[str, str]) -> str:
    return "# Chat\n\n" + "\n".join(f"## 10:{n:02} — {who}\n{text}\n" for n, (who, text) in enumerate(turns))


def test_what_a_user_said_counts_more_than_the_same_words_of_an_answer(place: SearchPlace) -> None:
    mine, theirs = "the regatta is in my harbour", "how nice to hear that from you"
    more = " and so on at some length as assistants do" * 8  # short turns on both sides are a chat of equals
    place.write("raw/conversations/a.md", transcript(("user", theirs), ("agent", mine + more)))
    place.write("raw/conversations/b.md", transcript(("user", mine), ("agent", theirs + more)))
    place.write("raw/conversations/c.md", transcript(("user", "nothing at all"), ("agent", f"indeed nothing{more}")))
    assert place.paths(QUESTION)[0] == "raw/conversations/b.md"


def test_between_two_people_who_write_alike_nobodys_words_count_more(place: SearchPlace) -> None:
    mine, theirs = "the regatta is in my harbour", "how nice to hear that from you"
    place.write("raw/conversations/a.md", transcript(("user", theirs), ("agent", mine)))
    place.write("raw/conversations/b.md", transcript(("user", mine), ("agent", theirs)))
    place.write("raw/conversations/c.md", transcript(("user", "nothing at all"), ("agent", "indeed nothing")))
    first, second = place.search(QUESTION).hits[:2]
    assert {first.path, second.path} == {"raw/conversations/a.md", "raw/conversations/b.md"}
    assert first.words == pytest.approx(second.words, abs=0.002)


def test_a_file_that_says_it_in_several_places_is_above_one_that_says_a_word_once(place: SearchPlace) -> None:
    place.write("knowledge/reference/once.md", "# A\n\nthe regatta of last year was called off\n")
    parts = ("the regatta draws near", "our harbour is small", "the sailing season begins")
    place.write("knowledge/reference/often.md", "".join(f"# {n}\n\n{part}\n\n" for n, part in enumerate(parts)))
    assert place.paths(QUESTION)[0] == "knowledge/reference/often.md"


def test_where_a_chunk_holds_every_word_it_wins_over_a_file_with_the_words_apart(place: SearchPlace) -> None:
    for number in range(8):
        place.write(f"knowledge/reference/{number}.md", f"# Note\n\nsomething else, number {number}\n")
    place.write("knowledge/reference/apart.md", "# A\n\nthe old oak by the gate\n\n# B\n\nthe old elm by the road\n")
    place.write("knowledge/reference/one.md", "# One\n\nan oak beside an elm in a garden\n")
    assert place.paths("oak elm")[0] == "knowledge/reference/one.md"


def test_where_no_note_holds_a_word_there_are_only_a_few_guesses(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder(same={"feline": "cat"}))
    for number in range(3 * GUESSES):
        place.write(f"knowledge/reference/{number}.md", "cat\n")
    hits = place.search("feline", n=100).hits
    assert len(hits) == GUESSES and not any(hit.bm25 for hit in hits)


@pytest.mark.parametrize(
    ("query", "asking"),
    [("why did we switch?", "why: it is the market"), ("warum haben wir gewechselt?", "Warum das so ist, weiß keiner")],
)
def test_the_word_that_asks_is_not_what_is_asked_for(place: SearchPlace, query: str, asking: str) -> None:
    place.write("knowledge/reference/asking.md", f"{asking}\n")
    place.write("knowledge/reference/a.md", "in the end we took the switch, wir haben gewechselt\n")
    for number in range(5):
        place.write(f"knowledge/reference/{number}.md", f"the switch of day {number}, gewechselt\n")
    paths = place.paths(query)
    assert len(paths) == 6 and "knowledge/reference/asking.md" not in paths
    assert place.paths(query.split()[0]) == ["knowledge/reference/asking.md"]


def test_how_much_meaning_counts_is_a_trait_of_its_model(make_place: MakePlace) -> None:
    found = []
    for weight in (0.5, 3.0):
        model = HashEmbedder(same={"feline": "cat"})
        model.weight = weight
        place = make_place(model)
        place.write("a.md", "the cat sleeps\n")
        place.write("b.md", "the harbour and the regatta\n")
        (first, *_) = place.search("which feline did we see in the old harbour of the town").hits
        found.append(first.meaning)
    assert found[1] > 2 * found[0] > 0


@pytest.mark.parametrize("merge", sorted(MERGES))
@pytest.mark.parametrize("query", ["zebra", "which animal sleeps by the lake all summer long"])
def test_the_parts_of_a_score_add_up_to_it(make_place: MakePlace, query: str, merge: str) -> None:
    place = make_place(HashEmbedder(same={"animal": "zebra"}))
    for number in range(12):
        place.write(f"knowledge/reference/{number}.md", f"zebra {number}\n\n# B\n\n{'lake ' * number} summer\n")
    hits = place.search(query, merge=merge).hits
    assert hits and all(hit.score == pytest.approx(hit.words + hit.meaning, abs=1e-9) for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_without_the_index_all_of_a_score_is_words(place: SearchPlace) -> None:
    place.write("knowledge/reference/a.md", "the zebra sleeps\n")
    place.database.mkdir()
    (place.database / "in-the-way").touch()
    (hit,) = place.search("zebra sleeps").hits
    assert (hit.score, hit.words, hit.meaning, hit.vector) == (1.0, 1.0, 0.0, None)


@pytest.mark.parametrize("line", ["## The zebra", "- > the zebra", "| the zebra", "   * the zebra", "the zebra"])
def test_a_snippet_shows_what_a_line_says_and_not_how_it_looks(place: SearchPlace, line: str) -> None:
    place.write("knowledge/reference/a.md", f"{line}\n\nsleeps\n")
    snippet = place.search("zebra").hits[0].snippet
    assert snippet.lower() in ("the zebra · sleeps", "the zebra")


def test_what_was_found_stands_near_the_beginning_of_a_snippet(place: SearchPlace) -> None:
    place.write("knowledge/reference/a.md", f"{'so many words before it, ' * 9}the zebra and more\n")
    place.write("knowledge/reference/b.md", f"{'x' * 300}giraffe\n")
    snippet = place.search("zebra").hits[0].snippet
    assert snippet.startswith("…") and snippet.index("zebra") <= LEAD
