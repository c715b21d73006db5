"""Selects the text of a file for the index: title, tags, chunks, and the words of each (decisions D11, D13)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath

import msgspec

from engine.search.indexing.chunks import Chunk, chunks, entry_days
from engine.search.naming import safe_name
from engine.text.document import decode
from engine.text.frontmatter import read_frontmatter
from engine.text.language import ASKED, language_of
from engine.text.secrets.detector import redact
from engine.text.words import cut, normal, pieces
from engine.workspace.values import FileFacts

_TITLE_KEYS = ("title", "topic", "name", "subject")
_TAG_KEYS = ("tags", "topics", "aliases", "keywords")
_LONGEST_TITLE = 200  # characters of a title in the index
SAMPLE = 400  # characters of a chunk by which its language is told


class IndexedChunk(msgspec.Struct, frozen=True):
    """A chunk's words by column (a user's in `said`, not `body`), their number, the text to embed, its days."""

    start: int
    end: int
    title: str
    headings: str
    body: str
    marks: str
    compounds: list[str]
    text: str
    words: int
    said: str = ""
    days: tuple[date, ...] = ()


class FileText(msgspec.Struct, frozen=True):
    """One file, ready for the index."""

    title: str
    tags: tuple[str, ...]
    entries: tuple[IndexedChunk, ...]


def matter_of(facts: FileFacts, data: bytes) -> FileText:
    """Reads a note's bytes, without its secrets. Raises `Unreadable` if they are not text."""
    text = decode(data)
    front = read_frontmatter(data)
    body = redact(data[front.end :].decode("utf-8-sig") if front.end else text, keep_lines=True)
    pieces = [piece for piece in chunks(body, front.body_line) if _says_something(piece)]
    title = title_of(facts, pieces)
    found: list[str] = []
    for key in _TAG_KEYS:
        value = facts.frontmatter.get(key)
        if isinstance(value, list):
            found += value
        elif value:
            found += value.split(",")
    tags = tuple(dict.fromkeys(redact(tag.strip())[:60] for tag in found if tag.strip()))[:30]
    return FileText(title, tags, tuple(_entries(facts, title, tags, pieces)))


def title_of(facts: FileFacts, pieces: Sequence[Chunk] = ()) -> str:
    """Returns the frontmatter's title, otherwise the first heading, otherwise the file's name without its ending."""
    for key in _TITLE_KEYS:
        value = facts.frontmatter.get(key)
        if isinstance(value, str) and value.strip():
            return redact(value.strip())[:_LONGEST_TITLE]
    first = next((piece.headings[0] for piece in pieces if piece.headings and piece.headings[0].strip()), "")
    return redact(first or PurePosixPath(facts.path).stem)[:_LONGEST_TITLE]


def _says_something(piece: Chunk) -> bool:
    text = piece.text.partition("\n")[2] if piece.text.startswith("#") else piece.text
    return bool(text) and not text.isspace()


def _entries(facts: FileFacts, title: str, tags: Sequence[str], pieces: Sequence[Chunk]) -> Iterator[IndexedChunk]:
    """Yields one entry per chunk. A file with an empty body has one for its title, so that it can be found."""
    named, stem = cut(f"{title} {' '.join(tags)}"), cut(PurePosixPath(safe_name(facts.path)).stem)
    title_words, title_marks = (*named.words, *stem.words), (*named.marks, *stem.marks)
    joined_title = " ".join(title_words)
    cut_heading = lru_cache(cut)
    for piece in pieces or (Chunk(1, max(1, facts.lines), (), ""),):
        language = language_of(piece.text[:SAMPLE])
        above, body = [cut_heading(name, language) for name in piece.headings], cut(piece.text, language)
        headings = [word for heading in above for word in heading.words]
        marks = dict.fromkeys((*body.marks, *(mark for heading in above for mark in heading.marks), *title_marks))
        words, is_said = " ".join(body.words), piece.role == "user"
        yield IndexedChunk(
            start=piece.start,
            end=piece.end,
            title=joined_title,
            headings=" ".join(headings),
            body="" if is_said else words,
            marks=" ".join(marks),
            compounds=body.compounds,
            text=_without_heading(piece.text),
            words=len(title_words) + len(headings) + len(body.words) + len(marks),
            said=words if is_said else "",
            days=entry_days(piece),
        )


def _without_heading(text: str) -> str:
    """Returns the text to embed. The time and role of a turn, or a common heading, would make many chunks alike."""
    first, _, rest = text.partition("\n")
    return rest if first.startswith("#") else text


def telling_words(matter: FileText, most: int = 40) -> str:
    """Returns the title and the most frequent words of a file, as a query for similar files."""
    counts = Counter(word for entry in matter.entries for word in pieces(normal(entry.text)))
    repeated = (word for word, _ in counts.most_common(4 * most) if word not in ASKED and len(word) > 1)
    return " ".join((matter.title, *islice(repeated, most)))
