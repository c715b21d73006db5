"""Reads a note as blocks of prose with their line numbers, and counts what is left out of a summary."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.models.block_reader import Block, BlockReader


class Parsed(NamedTuple):
    """What a note holds. Line indexes count from 0 within the text given."""

    blocks: list[Block]
    headings: list[tuple[str, int]]
    dropped: Counter[str]


def read_blocks(lines: Sequence[str], left_out: Mapping[int, str]) -> Parsed:
    """Splits cleaned lines into blocks; `left_out` names lines that must not be read, with the reason."""
    reader = BlockReader()
    for index, line in enumerate(lines):
        stripped = line.strip()
        if index in left_out:
            reader.flush()
            reader.dropped[left_out[index]] += 1
        elif stripped:
            reader.read(index, line, stripped)
        elif reader.pending:
            reader.flush()
    reader.flush()
    blocks = _with_named_speakers(reader.blocks, reader.assistant_labels, [title for title, _ in reader.headings])
    return Parsed(blocks, reader.headings, reader.dropped)


def _with_named_speakers(blocks: list[Block], turns: int, titles: Sequence[str]) -> list[Block]:
    """Where an assistant has `turns` of its own, a name before about as many blocks is a speaker's, and comes off.

    Once is enough for a name that a heading ends with, as in `## 09:00 Ana`.
    """
    if not turns:
        return blocks
    names = Counter(block.text[: block.label] for block in blocks if block.label)
    least = max(2, turns // 2)
    speakers = {name for name, count in names.items() if count >= least or _in_a_title(name, titles)}
    return [_spoken(block) if block.label and block.text[: block.label] in speakers else block for block in blocks]


def _in_a_title(label: str, titles: Sequence[str]) -> bool:
    name = label.rstrip(" :：*")
    return bool(name) and any(title.endswith(name) for title in titles)


def _spoken(block: Block) -> Block:
    text = block.text[block.label :] or block.text
    cut = len(block.text) - len(text)
    breaks = tuple((offset - cut, index) for offset, index in block.breaks)
    return Block(text, block.first, block.role, block.kind, "user", breaks, rest=block.rest)
