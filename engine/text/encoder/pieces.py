"""Cuts texts into the numbered pieces of words that the encoder knows, as its file `sp.model` lists them."""

import struct
from collections.abc import Iterator
from itertools import chain
from typing import Any

BLANK = "\u2581"  # the sign that stands for a blank, and before the first character of a text
UNKNOWN, FIRST, LAST = 0, 1, 2
"""Pieces for a character that no other has, for the beginning of a text, and for its end."""
_PIECE, _NORMALISER, _CHARACTERS = 1, 3, 2
"""Fields of the file, in the format of protocol buffers: each piece, and within the third the table of characters."""
_BYTES, _FOUR = 2, 5
"""Kinds of fields: a length and so many bytes, four bytes. The file has no other but numbers."""


class TextPieces:
    """The tokenizer over the pieces of a file, which the library `tokenizers` searches."""

    def __init__(self, data: bytes) -> None:
        from tokenizers import Regex, Tokenizer, models, normalizers

        vocabulary, characters = _read(data)
        self._tokenizer: Any = Tokenizer(models.Unigram(vocabulary, UNKNOWN, False))
        blanks = (normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip(), normalizers.Replace(" ", BLANK))
        self._tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Precompiled(characters), *blanks, normalizers.Prepend(BLANK)]
        )

    def ids(self, texts: list[str]) -> list[list[int]]:
        """The numbers of each text's pieces between those of its ends; none for a text of blanks alone."""
        cut = (one.ids for one in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False))
        found = (self._apart(text) if UNKNOWN in ids else ids for text, ids in zip(texts, cut, strict=True))
        return [[FIRST, *ids, LAST] if ids else [] for ids in found]

    def _apart(self, text: str) -> list[int]:
        """The library makes one piece of unknown characters in a row; the encoder learnt with one for each."""
        cut = self._tokenizer.encode(text, add_special_tokens=False)
        pieces = zip(cut.ids, cut.tokens, strict=True)
        runs = ([one] * (len(word) if one == UNKNOWN and word != "<unk>" else 1) for one, word in pieces)
        return list(chain.from_iterable(runs))


def _read(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """The pieces with their scores, in the order of their numbers, and the table of characters written otherwise."""
    vocabulary, characters = [], b""
    for field, value in _fields(data):
        if field == _PIECE:  # a tag, a length, the text, a tag, the score: 128,000 times
            end = 2 + value[1]
            vocabulary.append((value[2:end].decode(), *struct.unpack_from("<f", value, end + 1)))
        elif field == _NORMALISER:
            characters = dict(_fields(value)).get(_CHARACTERS, b"")
    return vocabulary, characters


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a record that are bytes, with their numbers."""
    at = 0
    while at < len(data):
        tag, at = _number(data, at)
        if tag & 7 == _BYTES:
            size, at = _number(data, at)
            yield tag >> 3, data[at : at + size]
            at += size
        else:
            at = at + 4 if tag & 7 == _FOUR else _number(data, at)[1]


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return number | data[at] << shift, at + 1
