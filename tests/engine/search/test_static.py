"""The offline vectors, and the numbers they are kept as. Where the package is absent, search says so."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from engine.search.embedding.embedder import EmbeddingSettings, NoEmbedder, embedder_problem, load_embedder
from engine.search.embedding.static import TOKENIZER, WEIGHTS, StaticEmbedder, static_embedder
from engine.text.arrays import packed, unit, unpacked
from tests.engine.search.place import MakePlace

needs_vectors = pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama is not installed")


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


THEIRS = """
import json, pathlib, sys, wordllama
model = wordllama.WordLlama.load(cache_dir=pathlib.Path(wordllama.__file__).parent, disable_download=True)
rows = [model.embed([text], norm=True)[0].tolist() for text in json.load(sys.stdin)]
json.dump(rows, sys.stdout)
"""


@needs_vectors
def test_vectors_are_those_of_the_package(embedder: StaticEmbedder, tmp_path: Path) -> None:
    spec = find_spec("wordllama")
    assert spec is not None and spec.origin is not None
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache/wordllama").symlink_to(Path(spec.origin).parent)
    texts = [
        "car",
        "Ein Haus am Meer, im März gebaut.",
        "数据库 ist 下线",
        "naïve  two blanks\n\ttab",
        "🙂 <s> x_y-z" * 9,
    ]
    asked = json.dumps(texts)
    command, env = [sys.executable, "-c", THEIRS], os.environ | {"HOME": str(tmp_path)}
    done = subprocess.run(command, input=asked, env=env, capture_output=True, text=True, check=True)
    theirs = np.array(json.loads(done.stdout))
    assert np.abs(embedder.embed(texts) - theirs).max() < 1e-6
    # Many texts are cut and added up another way than few.
    assert np.abs(embedder.embed(20 * texts) - np.concatenate(20 * [theirs])).max() < 1e-6


@needs_vectors
def test_the_weights_are_kept_in_two_bytes_a_number(embedder: StaticEmbedder) -> None:
    embedder.embed(100 * ["car"])
    embedder.embed(["car"])
    vectors = embedder.vectors
    held = [one for one in (*vars(embedder).values(), *vars(vectors).values()) if isinstance(one, np.ndarray)]
    assert sum(one.nbytes for one in held if one is not vectors.common) == 32_000 * 256 * 2


@needs_vectors
def test_search_and_topics_share_one_copy_of_the_weights(embedder: StaticEmbedder) -> None:
    topics = static_embedder(centred=True)
    assert isinstance(topics, StaticEmbedder) and topics.vectors is embedder.vectors


@needs_vectors
def test_centred_vectors_lack_what_all_pieces_have_in_common(embedder: StaticEmbedder) -> None:
    centred, spec = static_embedder(centred=True), find_spec("wordllama")
    assert isinstance(centred, StaticEmbedder) and centred.id != embedder.id and spec is not None and spec.origin
    folder = Path(spec.origin).parent
    pieces = load_file(folder / WEIGHTS)["embedding.weight"].astype(np.float32)
    car = pieces[Tokenizer.from_file(str(folder / TOKENIZER)).token_to_id("▁car")]
    wanted = unit((car - pieces.mean(axis=0))[None, :])
    assert np.abs(centred.embed(["car"]) - wanted).max() < 1e-6
    assert np.abs(embedder.embed(["car"]) - unit(car[None, :])).max() < 1e-6


def test_the_weights_need_no_wheel_of_a_platform() -> None:
    """Later releases have compiled code, and no wheel for Python 3.14, Linux on ARM, or musl."""
    lines = (Path(__file__).parents[3] / "locks/runtime.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("wordllama")] == ["wordllama==0.2.2.post0 \\"]


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
    monkeypatch.setattr("engine.search.embedding.embedder.find_spec", lambda name: None)
    assert "wordllama" in embedder_problem("static") and embedder_problem("none") == ""


def test_damaged_weights_are_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "__init__.py").touch()

    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr("engine.search.embedding.static.find_spec", lambda name: Spec)
    assert isinstance(static_embedder(), NoEmbedder)


def test_no_vectors_when_the_policy_wants_none() -> None:
    assert isinstance(load_embedder(EmbeddingSettings(embedder="none")), NoEmbedder)


def test_eight_bits_keep_the_direction() -> None:
    rows = unit(np.random.default_rng(1).standard_normal((50, 64)).astype(np.float32))
    kept = unpacked(packed(rows), 64)
    assert np.min(np.sum(rows * kept, axis=1)) > 0.999
    assert not unpacked(packed(np.zeros((1, 8), np.float32)), 8).any()
