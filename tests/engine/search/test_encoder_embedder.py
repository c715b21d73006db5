"""The encoder of sentences as a source of vectors: in the background, and for a search once half are made."""

from pathlib import Path

import numpy as np
import pytest

from engine.search.embedding.embedder import EmbeddingSettings, NoEmbedder, embedder_problem, load_embedder
from engine.search.embedding.encoder_embedder import EncoderEmbedder
from engine.text.encoder import encoder
from tests.engine.search.place import SearchPlace

needs_encoder = pytest.mark.skipif(encoder.encoder_problem() is not None, reason="the encoder is not installed")


@needs_encoder
def test_notes_in_other_words_and_another_language_are_found_once_vectors_are_made(tmp_path: Path) -> None:
    found = load_embedder(EmbeddingSettings(embedder="encoder"))
    assert isinstance(found, EncoderEmbedder) and not found.quick
    place = SearchPlace(tmp_path, embedder=found)
    for name, text in (("car", "My automobile broke down."), ("tea", "We drank green tea."), ("tax", "Taxes are due.")):
        place.write(f"memory/{name}.md", f"# Note\n\n{text}\n")
    place.searcher.update(place.snapshot())
    assert place.paths("Mein Wagen ist kaputt")[0] == "memory/car.md"
    assert np.linalg.norm(found.embed(["a car"]), axis=1) == pytest.approx([1], abs=1e-5)


@needs_encoder
def test_by_default_word_vectors_answer_and_the_encoder_comes_later() -> None:
    found = load_embedder(EmbeddingSettings())
    assert not isinstance(found, NoEmbedder) and found.quick and isinstance(found.later, EncoderEmbedder)
    alone = load_embedder(EmbeddingSettings(embedder="static"))
    assert not isinstance(alone, NoEmbedder) and alone.later is None


def test_without_the_encoder_the_reason_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_folder", lambda: None)
    found = load_embedder(EmbeddingSettings(embedder="encoder"))
    assert isinstance(found, NoEmbedder) and embedder_problem("encoder") == found.reason == encoder.MISSING
