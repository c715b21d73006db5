"""A cross-encoder from a folder of this machine, in ONNX: the optional extra `memdeck[rerank]`. It reads the question
and a place of a note together, which finds more than comparing their vectors and takes some 10 ms a place, so only the
best candidates are read. Nothing is ever downloaded."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine.search.results.reranked import NoReranker, RerankingFailed
from engine.workspace.values import Progress, Tick

BATCH = 8
"""Places that are read between two looks at who wants it to stop."""
LONGEST = 512
"""Word pieces of question and place together; what such models were trained on."""
WEIGHTS = ("model.onnx", "onnx/model.onnx")
TOKENIZER = "tokenizer.json"
FIX = "pip install 'memdeck[rerank]', or set search.rerank: none"


def reranker_problem(folder: Path) -> str:
    """Says why nothing will be reranked, as far as can be told without loading anything; empty if all is well."""
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        return "the package onnxruntime is not installed"
    if _weights(folder) is None or not (folder / TOKENIZER).is_file():
        return f"there is no model.onnx with its tokenizer.json in {folder}"
    return ""


def load_reranker(folder: Path) -> "CrossEncoder | NoReranker":
    """Loads the model in `folder`, which takes about a second; the reason where there is none."""
    if problem := reranker_problem(folder):
        return NoReranker(problem)
    try:
        return CrossEncoder(folder)
    except Exception as error:  # noqa: BLE001 — onnxruntime and tokenizers raise bare `Exception` for damaged files
        return NoReranker(f"the model cannot be loaded: {str(error).splitlines()[0][:200]}")


def _weights(folder: Path) -> Path | None:
    return next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)


class CrossEncoder:
    """Any ONNX model that takes a pair of texts and gives one score, or one for each of two classes."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # a warning on standard error would be written across the console
        self._session: Any = onnxruntime.InferenceSession(
            str(_weights(folder)), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._takes = frozenset(one.name for one in self._session.get_inputs())
        self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.enable_truncation(LONGEST, strategy="only_second")
        self._tokenizer.enable_padding()

    def scores(
        self, query: str, texts: Sequence[str], stop: Callable[[], bool] = lambda: False, tick: Tick | None = None
    ) -> list[float]:
        """Gives each text a number from 0 to 1 by how well it answers. `RerankingFailed` where the model fails, or
        nobody waits any more."""
        found: list[float] = []
        for at in range(0, len(texts), BATCH):
            if stop():
                raise RerankingFailed("it was stopped")
            if tick is not None:
                tick(Progress("reranking", at, len(texts)))
            found += self._batch(query, texts[at : at + BATCH])
        return found

    def _batch(self, query: str, texts: Sequence[str]) -> list[float]:
        import numpy as np

        try:
            pairs = self._tokenizer.encode_batch([(_clean(query)[:LONGEST], _clean(text)) for text in texts])
            given = {
                "input_ids": np.array([one.ids for one in pairs], np.int64),
                "attention_mask": np.array([one.attention_mask for one in pairs], np.int64),
                "token_type_ids": np.array([one.type_ids for one in pairs], np.int64),
            }
            rows = self._session.run(None, {name: given[name] for name in self._takes})[0]
        except Exception as error:
            raise RerankingFailed(f"the model failed: {str(error).splitlines()[0][:200]}") from error
        logits = np.asarray(rows, np.float64).reshape(len(texts), -1)
        # A model of two classes says with the difference what another says with one number.
        logit = logits[:, -1] - (logits[:, 0] if logits.shape[1] > 1 else 0)
        return [float(one) for one in 1 / (1 + np.exp(-np.clip(logit, -50, 50)))]


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
