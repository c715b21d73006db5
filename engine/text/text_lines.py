"""Holds the lines of a long text without a string for each: a list of a million short ones takes 70 MB."""

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

_END = re.compile(r"\n")


class TextLines(Sequence[str]):
    """The lines of `text`, without carriage returns, each cut out on demand; a final line end adds no empty line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = array("I", [0])
        self._starts.extend(match.end() for match in _END.finditer(text))
        if text and not text.endswith("\n"):
            self._starts.append(len(text) + 1)

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._line(at) for at in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._line(index % len(self))

    def __iter__(self) -> Iterator[str]:
        text, start = self.text, 0
        for end in islice(self._starts, 1, None):
            yield text[start : end - 1]
            start = end

    def _line(self, at: int) -> str:
        return self.text[self._starts[at] : self._starts[at + 1] - 1]


def joined(lines: Sequence[str]) -> str:
    """Joins lines to one text; of `TextLines` returns the original."""
    return lines.text if isinstance(lines, TextLines) else "\n".join(lines)
