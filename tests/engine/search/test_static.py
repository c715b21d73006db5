"""The offline vectors, and the numbers they are kept as. Where the package is absent, search says so."""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from engine.search.embedding.choice import embedder_problem, load_embedder
from engine.search.embedding.embedder import NoEmbedder, packed, unit, unpacked
from engine.search.embedding.settings import EmbeddingSettings
from engine.search.embedding.static import StaticEmbedder, static_embedder
from tests.engine.search.place import MakePlace

needs_vectors = pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama has no wheel here")


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    found = static_embedder()
    assert isinstance(found, StaticEmbedder)
    return found


@needs_vectors
def test_words_that_mean_the_same_are_near(embedder: StaticEmbedder) -> None:
    car, automobile, banana = embedder.embed(["car", "automobile", "banana bread"])
    assert car @ automobile > 0.6 > car @ banana + 0.2


@needs_vectors
def test_odd_texts_have_vectors_of_length_one_or_none(embedder: StaticEmbedder) -> None:
    rows = embedder.embed(["", "\ud800", "\0", "a" * 100_000, "数据库", "ok"])
    lengths = np.linalg.norm(rows, axis=1)
    assert rows.shape == (6, 256) and np.all((np.abs(lengths - 1) < 1e-3) | (lengths == 0))
    assert embedder.embed([]).shape == (0, 256)


@needs_vectors
def test_the_package_itself_is_never_imported(embedder: StaticEmbedder) -> None:
    assert "wordllama" not in sys.modules


@needs_vectors
def test_a_paraphrase_is_found_through_the_default_embedder(make_place: MakePlace) -> None:
    place = make_place(load_embedder(EmbeddingSettings()))
    place.write("pet.md", "The puppy chewed on my shoes again")
    place.write("car.md", "The engine needs new oil by Friday")
    assert place.search("dog").hits[0].path == "pet.md"


def test_a_missing_package_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.embedding.static.find_spec", lambda name: None)
    found = static_embedder()
    assert isinstance(found, NoEmbedder) and "not installed" in found.reason
    monkeypatch.setattr("engine.search.embedding.choice.find_spec", lambda name: None)
    assert "wordllama" in embedder_problem("static") and embedder_problem("none") == ""


def test_damaged_weights_are_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "__init__.py").touch()

    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr("engine.search.embedding.static.find_spec", lambda name: Spec)
    assert isinstance(static_embedder(), NoEmbedder)


def test_no_vectors_when_the_policy_wants_none() -> None:
    assert isinstance(load_embedder(EmbeddingSettings(embedder="none")), NoEmbedder)


def test_a_transformer_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    found = load_embedder(EmbeddingSettings(embedder="transformer", model=str(tmp_path)))
    assert isinstance(found, NoEmbedder) and "no model" in found.reason


def test_eight_bits_keep_the_direction() -> None:
    rows = unit(np.random.default_rng(1).standard_normal((50, 64)).astype(np.float32))
    kept = unpacked(packed(rows), 64)
    assert np.min(np.sum(rows * kept, axis=1)) > 0.999
    assert not unpacked(packed(np.zeros((1, 8), np.float32)), 8).any()
