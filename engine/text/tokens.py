"""Counts tokens offline: o200k_base from the ranks in this folder, and estimates (decision G7). `tiktoken.get_encoding`
downloads, and hangs on a dead network; an `Encoding` from packaged ranks does neither."""

import hashlib
import math
import re
import struct
import threading
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import tiktoken

CounterName = Literal["o200k_base", "words*1.3"]

RANKS = Path(__file__).parent / "ranks" / "o200k_base.bin.z"
_RANKS_SHA256 = "8c866d8a9169a585a00b0b43e116668ae8636bd4ebe25be6b7ec9ab977c1dbff"

# The pattern and the special tokens of o200k_base, as tiktoken's own registry gives them.
_PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
_SPECIAL = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
"""The special tokens of o200k_base; memory text is never read as one."""

PIECE = 200_000  # characters given to the encoder at once; unbroken runs of a million make it fail
_TAIL = 4_000  # characters at a part's end in which a cut between two tokens is looked for first
_JS_SPACE = re.compile("[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
# Here the pattern always starts a new token, whatever stands further left or right, so a cut changes no count.
_SAFE_CUT = re.compile(r"(?<=\n)(?=[^\W_])|(?<=\S)(?= \S)")


class TokenCounter(Protocol):
    """Counts tokens. `name` is shown beside figures; `degraded_reason`: why it is not the requested counter."""

    @property
    def name(self) -> str: ...

    @property
    def degraded_reason(self) -> str | None: ...

    def count(self, text: str) -> int:
        """Returns the tokens in any text; never raises."""
        ...


class WordsCounter:
    """Counts words × 1.3, rounded up, as `openclaw-deterministic`: split at white space, a final newline adds one."""

    name = "words*1.3"
    degraded_reason: str | None = None

    def count(self, text: str) -> int:
        return math.ceil((len(_JS_SPACE.findall(text)) + 1) * 1.3) if text else 0


class BytesCounter:
    """UTF-8 bytes ÷ 4, rounded up: within about a quarter of o200k_base for most languages."""

    name = "≈bytes/4"

    def __init__(self, degraded_reason: str | None = None) -> None:
        self.degraded_reason = degraded_reason

    def count(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


class O200kCounter:
    """Counts o200k_base tokens exactly. Unpacks the ranks at the first count, in about 0.2 s. Cuts a stretch of more
    than `PIECE` characters without a safe place anyway, which may change its count by a few tokens."""

    name = "o200k_base"
    degraded_reason: str | None = None

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._lock = threading.Lock()
        self._built: tiktoken.Encoding | None = None

    @property
    def encoding(self) -> "tiktoken.Encoding":
        if self._built is None:
            with self._lock:
                if self._built is None:
                    self._built = _build(self._packed)
                    # The packed ranks are not needed again.
                    self._packed = b""
        return self._built

    def count(self, text: str) -> int:
        encode = self.encoding.encode
        return sum(len(encode(piece, disallowed_special=())) for piece in pieces(text))


def pieces(text: str, size: int = PIECE) -> Iterator[str]:
    """Yields `text` in parts of at most `size` characters, cut at a token's end within the last `_TAIL` characters."""
    start = 0
    while len(text) - start > size:
        end = _last_cut(text, start, start + size)
        yield text[start:end]
        start = end
    yield text[start:]


def _last_cut(text: str, start: int, limit: int) -> int:
    for reach in (_TAIL, limit - start - 1):
        cuts = [match.start() for match in _SAFE_CUT.finditer(text, limit - min(reach, limit - start - 1), limit)]
        if cuts:
            return cuts[-1]
    return limit


def unpack(payload: bytes) -> list[bytes]:
    """Reads tokens in rank order: a little-endian count, one length byte each, then their bytes."""
    (count,) = struct.unpack_from("<I", payload)
    tokens, at = [], 4 + count
    for length in payload[4:at]:
        tokens.append(payload[at : at + length])
        at += length
    return tokens


def _build(packed: bytes) -> "tiktoken.Encoding":
    import tiktoken

    ranks = {token: rank for rank, token in enumerate(unpack(zlib.decompress(packed)))}
    return tiktoken.Encoding("o200k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL)


def load_counter(ranks: Path) -> TokenCounter:
    """Returns the counter of a ranks file, or `BytesCounter` with the reason if it is missing or damaged."""
    try:
        packed = ranks.read_bytes()
    except OSError as error:
        return BytesCounter(f"the token ranks cannot be read ({error.strerror}): reinstall memdeck")
    # A damaged file would count, only wrongly.
    if hashlib.sha256(packed).hexdigest() != _RANKS_SHA256:
        return BytesCounter("the token ranks are damaged: reinstall memdeck")
    return O200kCounter(packed)


@lru_cache(maxsize=2)
def counter(name: CounterName) -> TokenCounter:
    """Returns the counter that a policy names, one for the process; cheap until its first count."""
    return WordsCounter() if name == "words*1.3" else load_counter(RANKS)
