"""Ranks files as simpler tools do: full-text search over whole files, a loop around ripgrep, fused lists."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import apsw

from engine.text.language import ENGLISH

Ranker = Callable[[str], Sequence[str]]  # paths for a question, best first

DEPTH = 200  # files of each order that are compared
CHUNK = 900  # characters of a chunk of the rival that cuts files evenly


def distinct_terms(files: Mapping[str, str]) -> Ranker:
    """Ranks files by how many of the query's words they contain, as a loop around ripgrep does."""
    lowered = {path: text.lower() for path, text in files.items()}

    def rank(text: str) -> list[str]:
        words = words_of(text)
        counts = {path: sum(word in body for word in words) for path, body in lowered.items()}
        return sorted((path for path in counts if counts[path]), key=lambda path: -counts[path])

    return rank


def full_text(files: Mapping[str, str], tokenizer: str = "porter unicode61") -> Ranker:
    """FTS5 over whole files, quoted words joined with OR."""
    return _full_text(files.items(), tokenizer)


def full_text_chunks(files: Mapping[str, str], tokenizer: str = "porter unicode61") -> Ranker:
    """FTS5 over chunks of about 900 characters, cut between lines. A file's score is that of its best chunk."""
    return _full_text(((path, chunk) for path, text in files.items() for chunk in even_chunks(text)), tokenizer)


def _full_text(rows: Iterable[tuple[str, str]], tokenizer: str) -> Ranker:
    database = apsw.Connection(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE texts USING fts5(path UNINDEXED, body, tokenize='{tokenizer}')")
    database.executemany("INSERT INTO texts VALUES (?, ?)", rows)

    def rank(text: str) -> list[str]:
        condition = " OR ".join(f'"{word}"' for word in words_of(text))
        sql = "SELECT path FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
        found = database.execute(sql, (condition, 10 * DEPTH)) if condition else ()
        return list(dict.fromkeys(str(path) for (path,) in found))[:DEPTH]

    return rank


def even_chunks(text: str, most: int = CHUNK) -> Iterator[str]:
    """Yields a whole text in pieces of at most `most` characters, cut between lines where possible."""
    held = ""
    for line in text.splitlines(keepends=True):
        for at in range(0, len(line), most):
            piece = line[at : at + most]
            if held and len(held) + len(piece) > most:
                yield held
                held = ""
            held += piece
    if held:
        yield held


def fused(*rankers: Ranker) -> Ranker:
    """Reciprocal rank fusion of several lists, k = 60."""

    def rank(text: str) -> list[str]:
        scores: dict[str, float] = {}
        for ranker in rankers:
            for place, path in enumerate(ranker(text)[:DEPTH], 61):
                scores[path] = scores.get(path, 0.0) + 1 / place
        return sorted(scores, key=lambda path: -scores[path])

    return rank


def words_of(text: str) -> list[str]:
    return list(dict.fromkeys(word for word in re.findall(r"\w+", text.lower()) if word not in ENGLISH))
