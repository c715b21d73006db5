"""The index is kept fresh beside the searches: in slices, resumable, and nobody waits for it."""

import threading
from collections.abc import Sequence
from itertools import count

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import Cancelled
from engine.search.embedding.embedder import Embedder
from engine.search.values import IndexState
from engine.search.vectors import signs
from engine.workspace.values import Progress
from tests.engine.search.place import HashEmbedder, MakePlace, SearchPlace


class StuckEmbedder(HashEmbedder):
    """Takes its time over notes until it is let go; queries are quick."""

    def __init__(self) -> None:
        super().__init__(quick=False, name="stuck")
        self.at_work, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(texts) > 1:
            self.at_work.set()
            assert self.go_on.wait(30)
        return super().embed(texts)


def filled(make_place: MakePlace, embedder: Embedder, files: int = 200) -> SearchPlace:
    place = make_place(embedder)
    for number in range(files):
        place.write(f"n{number}.md", f"# Note {number}\n\nword{number} and the common zebra\n")
    return place


def test_a_slice_brings_in_files_then_vectors_and_the_next_one_goes_on(make_place: MakePlace) -> None:
    place = filled(make_place, HashEmbedder(quick=False))
    snapshot = place.snapshot()
    standings = []
    for _ in range(20):
        standings.append(place.searcher.keep(snapshot, 0.0))
        if standings[-1].is_fresh:
            break
    else:
        standings.append(place.searcher.keep(snapshot, 60))
    assert standings[-1] == IndexState(files=200, chunks=200, embedder="hash")
    assert place.searcher.keep(snapshot, 0.0).is_fresh


def test_what_was_embedded_before_a_stop_is_not_embedded_again(make_place: MakePlace) -> None:
    slow = HashEmbedder(quick=False)
    place = filled(make_place, slow)
    snapshot, steps = place.snapshot(), count()

    def stop_in_the_middle(step: Progress) -> None:
        if step.stage == "embedding" and next(steps) == 2:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        place.searcher.keep(snapshot, 60, stop_in_the_middle)
    assert 0 < len(slow.calls) < 200
    assert place.another().keep(snapshot, 60).is_fresh
    assert len(slow.calls) == len(set(slow.calls)) == 200


def test_progress_goes_on_where_an_earlier_slice_stopped(make_place: MakePlace) -> None:
    place = filled(make_place, HashEmbedder(quick=False))
    snapshot, steps = place.snapshot(), list[Progress]()

    def stop_in_the_middle(step: Progress) -> None:
        steps.append(step)
        if step.stage == "embedding" and step.done:
            raise Cancelled("enough")

    for _ in range(2):
        with pytest.raises(Cancelled):
            place.searcher.keep(snapshot, 60, stop_in_the_middle)
    place.searcher.keep(snapshot, 60, steps.append)
    embedding = [step for step in steps if step.stage == "embedding"]
    assert {step.total for step in embedding} == {200} and embedding[-1].done == 200
    assert [step.done for step in embedding] == sorted(step.done for step in embedding)


def test_no_search_waits_for_a_batch_of_vectors(make_place: MakePlace) -> None:
    stuck = StuckEmbedder()
    place = filled(make_place, stuck, 20)
    snapshot = place.snapshot()
    keeper = threading.Thread(target=place.searcher.keep, args=(snapshot, 60))
    keeper.start()
    try:
        assert stuck.at_work.wait(30)
        answer = place.search("word7")
        assert answer.hits[0].path == "n7.md"
        assert "20 files have no vectors yet" in answer.degraded
    finally:
        stuck.go_on.set()
        keeper.join(30)
    assert place.search("word7").hits[0].vector is not None


def test_another_model_is_taken_up_by_the_next_slice(make_place: MakePlace) -> None:
    place = filled(make_place, HashEmbedder(name="old"), 20)
    assert place.searcher.keep(place.snapshot(), 60).embedder == "old"
    other = place.another(HashEmbedder(quick=False, name="new"))
    standing = other.keep(place.snapshot(), 60)
    assert (standing.embedder, standing.lacking, standing.chunks) == ("new", 0, 20)


def test_where_notes_are_long_the_better_embedder_comes_later_and_answers_once_it_has_all(
    make_place: MakePlace,
) -> None:
    later = HashEmbedder(quick=False, name="later", same={"motor": "zebra"})
    place = make_place(HashEmbedder(name="first", later=later))
    for number in range(20):
        place.write(f"n{number}.md", f"# Note {number}\n\n" + f"word{number} and so it goes on " * 30)
    place.write("z.md", "# A zebra\n\n" + "the zebra sees what others do not " * 30)
    assert place.search("motor").hits == () or place.paths("motor")[0] != "z.md"
    assert not later.calls, "a search waits for no slow vectors"
    standings = [place.searcher.keep(place.snapshot(), 0.0)]
    assert (standings[0].embedder, standings[0].lacking) == ("later", standings[0].chunks), "it says what is to come"
    while not standings[-1].is_fresh:
        standings.append(place.searcher.keep(place.snapshot(), 60))
    assert place.paths("motor")[0] == "z.md" and standings[-1].embedder == "later"
    place.write("new.md", "# New\n\n" + "a note that came after all the others " * 30)
    assert "files have no vectors yet" not in str(place.search("zebra").degraded), "the first answers meanwhile"


def test_in_short_turns_no_better_embedder_is_asked(make_place: MakePlace) -> None:
    later = HashEmbedder(quick=False, name="later")
    place = filled(make_place, HashEmbedder(name="first", later=later), 20)
    assert place.searcher.keep(place.snapshot(), 60) == IndexState(files=20, chunks=20, embedder="first")
    assert not later.calls


def test_very_many_chunks_keep_the_first_embedder(make_place: MakePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "LIVE", 640)
    later = HashEmbedder(quick=False, name="later")
    place = make_place(HashEmbedder(name="first", later=later))
    for number in range(20):
        place.write(f"n{number}.md", f"# Note {number}\n\n" + "and so it goes on " * 60)
    assert place.searcher.keep(place.snapshot(), 60).embedder == "first" and not later.calls


def test_an_embedder_that_fails_is_said_and_words_go_on(make_place: MakePlace) -> None:
    slow = HashEmbedder(quick=False)
    slow.fails = True
    place = filled(make_place, slow, 20)
    standing = place.searcher.keep(place.snapshot(), 60)
    assert (standing.files, standing.lacking) == (20, 20)
    assert standing.problem == "some vectors are not made: the model is asleep"
    assert place.paths("word7") == ["n7.md"]


def test_an_index_that_cannot_be_had_is_a_problem_and_no_error(make_place: MakePlace) -> None:
    place = filled(make_place, HashEmbedder(), 3)
    place.database.mkdir()
    assert place.searcher.keep(place.snapshot(), 60).problem
    place.database.rmdir()
    assert place.searcher.keep(place.snapshot(), 60).is_fresh


def test_after_closing_nothing_is_done(make_place: MakePlace) -> None:
    place = filled(make_place, HashEmbedder(), 3)
    place.searcher.close()
    assert place.searcher.keep(place.snapshot(), 60) == IndexState()
    assert not place.database.exists()
