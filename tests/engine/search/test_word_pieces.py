"""Pieces that are kept word by word are those that the tokenizer cuts from the whole text."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.embedding import static
from engine.search.embedding.static import TOKENIZER, StaticEmbedder, WordPieces, static_embedder

pytestmark = pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama has no wheel here")

_ODD = st.text(alphabet=" \u2581ab\n\té日本<s>/unk.😀,TH", max_size=30)
_ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from tokenizers import Tokenizer

    spec = find_spec("wordllama")
    assert spec is not None and spec.origin is not None
    return Tokenizer.from_file(str(Path(spec.origin).parent / TOKENIZER))


@pytest.fixture(scope="module")
def kept(tokenizer: Any) -> WordPieces:
    return WordPieces(tokenizer)


@given(text=_ODD | _ANY)
def test_they_are_the_tokenizers_own(tokenizer: Any, kept: WordPieces, text: str) -> None:
    whole = tokenizer.encode_batch_fast([text], add_special_tokens=False)[0].ids
    assert kept.ids(text) == whole == kept.ids(text)


def test_no_more_words_are_kept_than_the_bound(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "MOST_WORDS", 3)
    few = WordPieces(tokenizer)
    for text in ("one two", "three four", "five six seven eight", f"nine {'x' * 100}"):
        assert few.ids(text) == tokenizer.encode_batch_fast([text], add_special_tokens=False)[0].ids
        assert len(few._known) <= 4
    assert "\u2581nine" in few._known and not any("x" * 50 in word for word in few._known)


def test_few_texts_and_many_have_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = static_embedder(centred=True)
    assert isinstance(embedder, StaticEmbedder)
    texts = ["The puppy  chewed", "", "on my shoes <s> again ", "数据库 ok\n"]
    few = embedder.embed(texts)
    monkeypatch.setattr(static, "FEW", 0)
    assert np.array_equal(few, embedder.embed(texts))
