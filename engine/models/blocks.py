"""Reads a note as blocks of prose with line numbers, and counts what a summary omits."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.models.block_reader import Block, BlockReader

MOST_KEPT = 20_000  # blocks kept; a text with more is read again, block by block: a million of them take 200 MB


class Parsed(NamedTuple):
    """The parts of a note; `blocks` can be iterated once. Line indexes count from 0."""

    blocks: Iterable[Block]
    headings: list[tuple[str, int]]
    dropped: Counter[str]


def read_blocks(lines: Sequence[str], left_out: Mapping[int, str]) -> Parsed:
    """Splits cleaned lines into blocks. `left_out`: lines to skip, with the reasons."""
    reader = BlockReader()
    kept: list[Block] = []
    names: Counter[str] = Counter()
    total = 0
    for block in _blocks(reader, lines, left_out):
        total += 1
        if total <= MOST_KEPT:
            kept.append(block)
        if block.label:
            names[block.text[: block.label]] += 1
    titles = [title for title, _ in reader.headings]
    blocks = kept if total <= MOST_KEPT else _blocks(BlockReader(), lines, left_out)
    speakers = _speakers(names, reader.assistant_labels, titles)
    spoken = (_spoken(block) if block.label and block.text[: block.label] in speakers else block for block in blocks)
    return Parsed(spoken, reader.headings, reader.dropped)


def _blocks(reader: BlockReader, lines: Sequence[str], left_out: Mapping[int, str]) -> Iterator[Block]:
    for index, line in enumerate(lines):
        stripped = line.strip()
        if index in left_out:
            reader.leave_out(stripped)
            reader.dropped[left_out[index]] += 1
        elif stripped:
            reader.read(index, line, stripped)
        elif reader.pending:
            reader.flush()
        if len(reader.blocks) > 1:  # the last one may yet turn out to be the head of a table
            yield from reader.blocks[:-1]
            del reader.blocks[:-1]
    reader.flush()
    yield from reader.blocks


def _speakers(names: Mapping[str, int], turns: int, titles: Sequence[str]) -> frozenset[str]:
    """Returns speakers: labels of about as many blocks as the assistant's `turns`, or ending `## 09:00 Ana`."""
    if not turns:
        return frozenset()
    least = max(2, turns // 2)
    return frozenset(name for name, count in names.items() if count >= least or _in_a_title(name, titles))


def _in_a_title(label: str, titles: Sequence[str]) -> bool:
    name = label.rstrip(" :：*")
    return bool(name) and any(title.endswith(name) for title in titles)


def _spoken(block: Block) -> Block:
    text = block.text[block.label :] or block.text
    cut = len(block.text) - len(text)
    breaks = tuple((offset - cut, index) for offset, index in block.breaks)
    return Block(text, block.first, block.role, block.kind, "user", breaks, rest=block.rest)
