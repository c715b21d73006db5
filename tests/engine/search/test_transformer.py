"""The extra `memdeck[transformer]`: a sentence transformer run by onnxruntime; skips where it is not installed."""

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from engine.search.embedding.embedder import EmbeddingSettings, NoEmbedder, load_embedder
from engine.search.embedding.transformer import FIX, PACKAGE, TransformerEmbedder, transformer_embedder
from tests.engine.search.place import MakePlace, SearchPlace

needs_model = pytest.mark.skipif(
    any(find_spec(name) is None for name in (PACKAGE, "onnxruntime", "tokenizers")),
    reason="the extra `transformer` is not installed",
)


@cache
def loaded() -> TransformerEmbedder:
    """The default model, loaded once: it never changes."""
    return loaded_from("")


def loaded_from(folder: Path | str) -> TransformerEmbedder:
    chosen = load_embedder(EmbeddingSettings(embedder="transformer", model=str(folder)))
    assert isinstance(chosen, TransformerEmbedder), chosen
    return chosen


def searched(make_place: MakePlace) -> SearchPlace:
    return make_place(loaded())


@needs_model
def test_near_texts_have_near_vectors_alone_and_in_batches() -> None:
    made = loaded()
    texts = ["The puppy chewed on my shoes", "which animal destroyed my footwear", "The engine needs new oil", "", "a"]
    rows = made.embed([*texts, *(f"text number {n} {'of many ' * n}" for n in range(40))])
    assert rows.shape == (45, made.dimensions) and rows[0] @ rows[1] > 0.4 > rows[0] @ rows[2]
    assert np.allclose(np.linalg.norm(rows, axis=1), [1.0 if n != 3 else 0.0 for n in range(45)], atol=1e-5)
    assert np.allclose(rows[:3], np.concatenate([made.embed([text]) for text in texts[:3]]), atol=0.05)


@needs_model
@pytest.mark.parametrize("text", ["\ud800", "\x00", "的" * 9_000, "x" * 9_000, "🙂", " \n"])
def test_no_text_is_an_exception(text: str) -> None:
    assert np.isfinite(loaded().embed([text])).all()


@needs_model
def test_the_pieces_are_those_of_bert() -> None:
    assert loaded()._tokenizer.encode("Unaffable, naïve 東京!").tokens == [
        *("[CLS]", "una", "##ffa", "##ble", ",", "naive", "東", "京", "!", "[SEP]")
    ]


@needs_model
def test_a_folder_of_the_operators_is_another_model_by_its_content(tmp_path: Path) -> None:
    spec = find_spec(PACKAGE)
    assert spec is not None and spec.origin is not None
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx/model.onnx").symlink_to(Path(spec.origin).parent / "model.onnx")
    same = loaded_from(tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": true}')
    first = loaded_from(tmp_path)
    assert same.id == loaded().id != first.id
    assert not np.allclose(same.embed(["bread"]), first.embed(["bread"]), atol=0.1)


@needs_model
def test_what_is_no_model_says_so(tmp_path: Path) -> None:
    lacking = transformer_embedder(tmp_path)
    assert isinstance(lacking, NoEmbedder) and "no model.onnx" in lacking.reason
    (tmp_path / "model.onnx").write_bytes(b"\x08\x01 nothing")
    damaged = transformer_embedder(tmp_path)
    assert isinstance(damaged, NoEmbedder) and "cannot be loaded" in damaged.reason


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setattr("engine.search.embedding.transformer.find_spec", lambda name: None)
    assert transformer_embedder() == NoEmbedder("the sentence transformer is not installed", FIX)


@needs_model
def test_it_embeds_in_the_background_and_goes_on_where_it_was(make_place: MakePlace) -> None:
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


@needs_model
def test_nothing_is_written_across_the_console(make_place: MakePlace, capfd: pytest.CaptureFixture[str]) -> None:
    place = searched(make_place)
    place.write("pet.md", "The puppy chewed on my shoes again")
    place.update()
    assert place.search("animal").hits
    assert capfd.readouterr() == ("", "")
