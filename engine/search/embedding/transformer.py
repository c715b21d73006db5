"""Vectors from a transformer in a folder of this machine: the optional extra `memdeck[transformer]`.

Some 30 chunks a second on two cores (MiniLM), so they are made in the background. Nothing is ever downloaded.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.search.embedding.embedder import EmbeddingFailed, NoEmbedder, unit

if TYPE_CHECKING:
    from engine.search.embedding.embedder import Floats

BATCH = 16
LONGEST = 2_000
FIX = "pip install 'memdeck[transformer]'"


def transformer_embedder(folder: Path) -> "TransformerEmbedder | NoEmbedder":
    """The model in `folder`, or why there is none. Loading one takes some seconds."""
    if not (folder / "config.json").is_file():
        return NoEmbedder(f"there is no model in {folder}", "set search.model to a sentence-transformers folder")
    try:
        return TransformerEmbedder(folder)
    except ImportError:
        return NoEmbedder("sentence-transformers is not installed", FIX)
    except (OSError, ValueError, RuntimeError) as error:
        return NoEmbedder(f"the model cannot be loaded: {error}", "set search.model to a sentence-transformers folder")


class TransformerEmbedder:
    """Any sentence-transformers model. Its id holds the hash of its configuration and the size of its weights."""

    quick = False
    weight = 3.0
    """Chosen with MiniLM as the other weights were, in 43 of 50 outer folds; MRR .337 beside .317 of static vectors in
    all, a gain of .002 to .038. No better: vectors around their mean, and the cosines of both models together."""

    def __init__(self, folder: Path) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        # A bar of progress or a warning on standard error would be written across the console.
        logging.disable_progress_bar()
        logging.set_verbosity_error()
        self._model: Any = SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        self.dimensions = int(self._model.encode(["a"], show_progress_bar=False).shape[1])
        self.id = f"transformer-{fingerprint(folder)}"

    def embed(self, texts: Sequence[str]) -> "Floats":
        import numpy as np

        clean = [text[:LONGEST].encode("utf-8", "replace").decode() for text in texts]
        try:
            rows = self._model.encode(clean, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True)
        except RuntimeError as error:
            raise EmbeddingFailed(f"the model failed: {error}") from error
        return unit(np.asarray(rows, dtype=np.float32).reshape(len(texts), self.dimensions))


def fingerprint(folder: Path) -> str:
    """Sixteen hexadecimal digits that change with the model."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in {".json", ".txt", ".safetensors"}:
            found.update(f"{path.relative_to(folder)} {path.stat().st_size}\n".encode())
            if path.suffix == ".json" and path.stat().st_size < 100_000:
                found.update(path.read_bytes())
    return found.hexdigest()[:16]
