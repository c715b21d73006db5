"""Token counts are tiktoken's own, need no network, and survive any text (decision G7)."""

import base64
import hashlib
import importlib
import math
import threading
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import tokens
from engine.text.tokens import BytesCounter, O200kCounter, counter, load_counter, pieces, unpack

ORIGINAL_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

KNOWN = {
    "": [],
    "hello world": [24912, 2375],
    "tiktoken is great!": [83, 8251, 2488, 382, 2212, 0],
    "antidisestablishmentarianism": [493, 129901, 376, 160388, 21203, 2367],
    "2 + 2 = 4": [17, 659, 220, 17, 314, 220, 19],
    "お誕生日おめでとう": [8930, 9697, 243, 128225, 8930, 17693, 4344, 48669],
    "你好，世界。": [177519, 979, 28428, 788],
    "안녕하세요 세계": [14307, 171731, 75755],
    "Grüße aus Köln": [3193, 572, 13153, 3976, 85686],
    "I'll DON'T we've": [67504, 153384, 24716],
    "1234567890": [7633, 19354, 29338, 15],
    "    def f(x):\r\n\treturn x  \n\n\n": [271, 1056, 285, 4061, 12517, 1393, 1215, 145331],
    "# Compiled: note.md\n\n## Summary\n- one\n": [2, 5211, 3493, 25, 7477, 44190, 279, 877, 31653, 198, 12, 1001, 198],
}
"""Texts with the tokens that o200k_base gives them; some stand in OpenAI's own cookbook."""


@pytest.fixture(scope="module")
def o200k() -> O200kCounter:
    made = counter("o200k_base")
    assert isinstance(made, O200kCounter)
    return made


def test_the_ranks_are_byte_for_byte_those_that_tiktoken_downloads() -> None:
    ranks = unpack(zlib.decompress(tokens.RANKS.read_bytes()))
    original = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(ranks))
    assert hashlib.sha256(original).hexdigest() == ORIGINAL_SHA256


@pytest.mark.parametrize("text", KNOWN, ids=repr)
def test_g7_counts_are_those_of_o200k_base(o200k: O200kCounter, text: str) -> None:
    assert o200k.encoding.encode(text, disallowed_special=()) == KNOWN[text]
    assert o200k.count(text) == len(KNOWN[text])
    assert (o200k.name, o200k.degraded_reason) == ("o200k_base", None)


def test_pattern_and_special_tokens_are_those_of_the_installed_tiktoken(
    o200k: O200kCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    openai_public = importlib.import_module("tiktoken_ext.openai_public")
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **kwargs: {})
    theirs = openai_public.o200k_base()
    assert o200k.encoding._pat_str == theirs["pat_str"]
    assert o200k.encoding._special_tokens == theirs["special_tokens"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        (" " * 1_000_500, 7_000, 9_000),
        ("\n" * 1_000_500, 60_000, 64_000),
        ("a" * 1_000_500, 125_000, 126_000),
        ("!" * 1_000_500, 62_000, 64_000),
        ("你" * 300_000, 300_000, 300_000),
        ("<|endoftext|>", 7, 7),
        ("\ud800 lone \udcff", 3, 12),
        ("\u0301" * 300_000, 290_000, 300_010),
        ("\0", 1, 1),
    ],
    ids=["spaces", "newlines", "letters", "signs", "chinese", "special", "surrogates", "marks", "nul"],
)
def test_hostile_runs_are_counted_and_not_fatal(o200k: O200kCounter, text: str, low: int, high: int) -> None:
    assert low <= o200k.count(text) <= high


@pytest.mark.sampled(4)
def test_one_line_of_50_megabytes_is_counted(o200k: O200kCounter) -> None:
    line = "memory of an agent " * 2_600_000
    assert o200k.count(line) == pytest.approx(4 * 2_600_000, rel=0.001)


def test_cutting_long_text_changes_no_count(o200k: O200kCounter, shared_data: Path) -> None:
    names = [
        *sorted((shared_data / "memaware/memory").glob("*.md"))[:20],
        *(shared_data / "memorybank-cn").rglob("*.md"),
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in names)
    whole = len(o200k.encoding.encode(text, disallowed_special=()))
    for size in (2_000, 10_000, 200_000):
        parts = list(pieces(text, size))
        assert "".join(parts) == text
        assert max(map(len, parts)) <= size
        assert sum(len(o200k.encoding.encode(part, disallowed_special=())) for part in parts) == whole


@given(
    st.lists(
        st.sampled_from(["word", " ", "\n", "  ", "!", "/", "'s", "1", "\r\n", "é", "中", "\t", "Ab"]), max_size=60
    )
)
def test_a_safe_cut_is_safe_between_any_neighbours(parts: list[str]) -> None:
    text = "".join(parts)
    encode = load().encoding.encode
    for match in tokens._SAFE_CUT.finditer(text):
        assert encode(text[: match.start()]) + encode(text[match.start() :]) == encode(text)


def load() -> O200kCounter:
    made = counter("o200k_base")
    assert isinstance(made, O200kCounter)
    return made


@given(st.text(max_size=200))
def test_every_counter_takes_any_text(text: str) -> None:
    for made in (counter("o200k_base"), counter("words*1.3"), BytesCounter()):
        assert (made.count(text) > 0) == bool(text)


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("one", 2), ("one two\n", 4), ("  a b ", 6), ("a\u3000b", 3), ("\n", 3)]
)
def test_g7_words_agree_with_the_compactor_tool(text: str, count: int) -> None:
    """The tool computes `Math.ceil(text.split(/\\s+/).length * 1.3)`, and 0 for no text."""
    assert counter("words*1.3").count(text) == count


def test_g7_words_count_at_the_limits() -> None:
    assert counter("words*1.3").count(" ".join(["w"] * 923)) == 1200 == math.ceil(923 * 1.3)
    assert counter("words*1.3").count(" ".join(["w"] * 924)) == 1202


def test_missing_or_damaged_ranks_fall_back_and_say_so(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    damaged.write_bytes(tokens.RANKS.read_bytes()[:-1] + b"x")
    for path, word in ((tmp_path / "none", "cannot be read"), (damaged, "damaged")):
        made = load_counter(path)
        assert made.name == "≈bytes/4"
        assert word in (made.degraded_reason or "")
        assert made.count("12345") == 2
        assert made.count("中\ud800") == 2


def test_the_counter_is_cheap_until_its_first_count_and_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    build = tokens._build

    def slow_build(packed: bytes) -> object:
        built.append(1)
        time.sleep(0.05)
        return build(packed)

    monkeypatch.setattr(tokens, "_build", slow_build)
    made = load_counter(tokens.RANKS)
    assert not built
    threads = [threading.Thread(target=made.count, args=("hello world",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [1]
    assert counter("o200k_base") is counter("o200k_base")
