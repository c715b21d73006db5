"""The vectors of an index in memory, as they are, and compared with a query all at once."""

from typing import TYPE_CHECKING

from engine.search.embedding.embedder import unit, unpacked
from engine.search.store.schema import Database
from engine.search.vectors.cache import VectorCache
from engine.search.vectors.layout import Layout

if TYPE_CHECKING:
    from engine.search.embedding.embedder import Floats

SHRINK = 50
"""The mean of so many chunks counts half: in a handful of notes their mean is what they are about."""
DRIFT = 1.1
"""The mean is taken anew when the number of chunks has changed by this factor."""


class Matrix(VectorCache):
    """The vectors of every chunk that has them, at length 1, and the mean around which they are compared."""

    def __init__(self, model: str, dimensions: int, *, centred: bool) -> None:
        import numpy as np

        super().__init__(model, np.zeros((0, dimensions), np.float32))
        self._dimensions = dimensions
        self._centred = centred
        self._mean: Floats = np.zeros(dimensions, np.float32)
        self._mean_of = 0
        self._lengths: Floats = np.zeros(0, np.float32)

    def of(self, data: bytes) -> "Floats":
        return unpacked(data, self._dimensions)

    def refresh(self, database: Database, where: Layout) -> bool:
        changed = super().refresh(database, where)
        if changed and self._centred:
            self._centre()
        return changed

    def _centre(self) -> None:
        import numpy as np

        count = len(self.rows)
        if not (count / DRIFT <= self._mean_of <= count * DRIFT and self._mean_of):
            self._mean = self.rows.mean(axis=0) * (count / (count + SHRINK)) if count else self._mean * 0
            self._mean_of = count
        # Of the centred rows only their lengths are kept: |r - m|² = |r|² - 2 r·m + |m|².
        squares = np.einsum("ij,ij->i", self.rows, self.rows) - 2 * np.einsum("ij,j->i", self.rows, self._mean)
        self._lengths = np.sqrt(np.maximum(squares + self._mean @ self._mean, 0))

    def cosines(self, query: "Floats") -> "Floats":
        """The cosine of each row with an embedded query; all zero where the query says nothing."""
        import numpy as np

        if not np.any(query):
            return np.zeros(len(self.rows), np.float32)
        wanted = unit((query - self._mean)[None, :])[0]
        # Not `@`: BLAS shares so small a product among threads, which wait for each other on a busy machine (20 ms
        # against 0.5 ms for 11,000 rows).
        found: Floats = np.einsum("ij,j->i", self.rows, wanted)
        if self._centred:
            # A row that is the mean itself has no length.
            found = (found - self._mean @ wanted) / np.maximum(self._lengths, np.float32(1e-6))
        return found
