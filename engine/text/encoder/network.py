"""Computes the encoder's vectors from its weights: over single pieces, and two, three and five in a row."""

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIMENSIONS = 512
LAYERS = DIMENSIONS + 320 + 512 + 512  # the vector, the layer before it, the mean of the pieces, that of the first five
BLOCKS = 17  # the table of pieces is stored in so many blocks, each of every 17th piece and with a scale of its own
PAD = 2  # rows of zeros between two texts: the widest window looks so far to either side
ROWS = ((2, 0), (3, 1), (5, 2))  # pieces in a row, and how many of them stand before the one that they belong to
FIRST_PIECES = 5  # at the head of a text, where verbs, pronouns and words of standing are
AT_ONCE = 400  # pieces of texts that are computed together: more are no faster, and take more memory


class EncoderNetwork(msgspec.Struct, frozen=True):
    """The weights by name, and the table of pieces as one byte a number."""

    weights: dict[str, Any]
    table: Any

    def vectors(self, texts: Sequence[Sequence[int]]) -> "Floats":
        """Returns one row of length 1 for each text, given as piece numbers; zeros for none."""
        return self.layers(texts)[:, :DIMENSIONS]

    def layers(self, texts: Sequence[Sequence[int]]) -> "Floats":
        """Returns each text's vector with three earlier layers, which hold less topic and more form."""
        import numpy as np

        found = np.zeros((len(texts), LAYERS), np.float32)
        batch: list[int] = []
        pieces = 0
        for number in sorted((n for n, ids in enumerate(texts) if ids), key=lambda n: len(texts[n])):
            if batch and pieces + len(texts[number]) > AT_ONCE:
                found[batch] = self._computed([texts[n] for n in batch])
                batch, pieces = [], 0
            batch.append(number)
            pieces += len(texts[number])
        if batch:
            found[batch] = self._computed([texts[n] for n in batch])
        return found

    def _computed(self, texts: Sequence[Sequence[int]]) -> "Floats":
        import numpy as np

        own, lengths = self.weights, np.array([[len(ids)] for ids in texts], np.float32)
        starts = np.cumsum([0, *(len(ids) + PAD for ids in texts[:-1])]) + PAD
        places = np.concatenate([start + np.arange(len(ids)) for start, ids in zip(starts, texts, strict=True)])
        inside = np.zeros((places[-1] + 1 + PAD, 1), np.float32)
        inside[places] = 1
        pieces = np.zeros((len(inside), DIMENSIONS), np.float32)
        pieces[places] = self._pieces(np.concatenate([np.asarray(ids) for ids in texts]))
        read = np.hstack([pieces @ own[f"proj{size}"] + own[f"proj_b{size}"] for size, _ in ROWS])
        scale, least = (np.hstack([own[f"ln_{name}{size}"] for size, _ in ROWS]) for name in "gb")
        parts = np.split(_normal(read, scale, least, own["eps"]) * inside, len(ROWS), axis=1)
        rows = (self._in_a_row(part, inside, *each) for part, each in zip(parts, ROWS, strict=True))
        wide = _normal(np.hstack([pieces, *rows]), own["ln_g"], own["ln_b"], own["eps"]) * inside
        mean = (np.add.reduceat(wide, starts) @ own["cnn_W"] + lengths * own["cnn_b"]) / np.sqrt(lengths)
        begins = [wide[start : start + min(len(ids), FIRST_PIECES)] for start, ids in zip(starts, texts, strict=True)]
        head = np.array([begin.mean(axis=0) for begin in begins]) @ own["cnn_W"] + own["cnn_b"]
        first = np.maximum(mean @ own["p1"] + np.maximum(mean @ own["d0"], 0) @ own["d1"], 0)
        last = np.tanh(first @ own["p3"] + np.maximum(first @ own["d2"], 0) @ own["d3"])
        last /= np.maximum(np.linalg.norm(last, axis=1, keepdims=True), np.float32(1e-9))
        found: Floats = np.hstack([last, first, mean, head])
        return found

    def _pieces(self, ids: Any) -> "Floats":
        """Returns the vectors of pieces, expanded from bytes to floats."""
        block = ids % BLOCKS
        scale, least = self.weights["scale"][block, None], self.weights["lo"][block, None]
        found: Floats = self.table[block, ids // BLOCKS] * scale + least
        return found

    def _in_a_row(self, read: "Floats", inside: "Floats", size: int, before: int) -> "Floats":
        """Applies two layers over windows of `size` pieces, each added to its input."""
        import numpy as np

        own = self.weights
        for layer in ("1", "2"):
            window = np.hstack([np.roll(read, before - shift, axis=0) for shift in range(size)])
            made = np.maximum(window @ own[f"w{layer}_{size}"] + own[f"b{layer}_{size}"], 0)
            read = (read + made) * inside
        return read


def _normal(rows: "Floats", scale: "Floats", least: "Floats", epsilon: float) -> "Floats":
    """Normalises each row to mean 0 and variance 1, then applies the learnt scale."""
    import numpy as np

    rows = rows - rows.mean(axis=1, keepdims=True)
    found: Floats = rows / np.sqrt(np.square(rows).mean(axis=1, keepdims=True) + epsilon) * scale + least
    return found


def read_network(file: IO[bytes]) -> EncoderNetwork:
    """Reads the network from a file of arrays, running nothing in it."""
    import numpy as np

    with np.load(file, allow_pickle=False) as stored:
        first = stored["q1"]  # unpacked anew each time that it is asked for
        table = np.empty((BLOCKS, *first.shape), np.uint8)
        table[0] = first
        for block in range(1, BLOCKS):  # one after another: two tables are 65 MB more
            table[block] = stored[f"q{block + 1}"]
        weights = {name: stored[name] for name in stored.files if not name.startswith("q")}
    return EncoderNetwork(weights | {"eps": np.float32(weights["eps"])}, table)
