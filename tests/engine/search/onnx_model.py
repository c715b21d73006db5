"""Writes the smallest cross-encoder there can be: its score is the largest number among the word pieces of a pair.

The bytes are those of ONNX's own format (protocol buffers), so that nothing is needed to write them.
"""

import json
from pathlib import Path

FLOAT, INT64 = 1, 7
IR_VERSION, OPSET = 8, 13


def write_model(folder: Path, worth: dict[str, int]) -> Path:
    """A folder with `model.onnx` and `tokenizer.json`; `worth` gives words their numbers, others have 0."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(_model())
    vocabulary = {"[UNK]": 0} | worth
    tokenizer: dict[str, object] = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "post_processor": None,
        "decoder": None, "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def _model() -> bytes:
    cast = _node("Cast", "input_ids", "numbers", _attribute("to", FLOAT))
    most = _node("ReduceMax", "numbers", "logits", _ints("axes", 1) + _attribute("keepdims", 1))
    names = _field(2, b"largest")
    graph = (
        cast + most + names + _value(11, "input_ids", INT64, "batch", "length") + _value(12, "logits", FLOAT, "batch")
    )
    return _number(1, IR_VERSION) + _field(8, _number(2, OPSET)) + _field(7, graph)


def _node(kind: str, given: str, made: str, attributes: bytes) -> bytes:
    return _field(1, _field(1, given.encode()) + _field(2, made.encode()) + _field(4, kind.encode()) + attributes)


def _attribute(name: str, value: int) -> bytes:
    return _field(5, _field(1, name.encode()) + _number(3, value) + _number(20, 2))


def _ints(name: str, value: int) -> bytes:
    return _field(5, _field(1, name.encode()) + _number(8, value) + _number(20, 7))


def _value(field: int, name: str, kind: int, *sizes: str) -> bytes:
    shape = b"".join(_field(1, _field(2, size.encode())) for size in (sizes if len(sizes) == 2 else (*sizes, "one")))
    return _field(field, _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, shape))))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes((*found, value))
