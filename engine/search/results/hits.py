"""Reads each note that was found, so that the line and snippet shown are as they are now."""

from collections.abc import Iterable
from datetime import date
from itertools import islice

from engine.errors import MemdeckError
from engine.search.category import category_of
from engine.search.query import Query
from engine.search.ranking.file_scores import ScoredFile
from engine.search.ranking.ranker import RankedFile
from engine.search.results.copies import level_of
from engine.search.results.references import References
from engine.search.results.snippet import SnippetLine, place
from engine.search.values import SearchCopy, SearchHit
from engine.text.document import split_lines
from engine.text.frontmatter import read_frontmatter
from engine.text.safe_text import visible_line
from engine.workspace.snapshot import Snapshot

HALF_LIFE_DAYS = 7.0  # the age in days at which a file's recency is half of today's
TIE = 3  # scores equal to so many decimals are a tie, which references and recency break


def recency(day: date, today: date) -> float:
    """Gives 1 for today, and half of it each week before (D6); a future date counts as today."""
    # Clamped at today: a note dated into the future would rank above all others (decision G8).
    return float(0.5 ** (max(0, (today - day).days) / HALF_LIFE_DAYS))


def ordered(found: Iterable[RankedFile], snapshot: Snapshot, references: References) -> list[RankedFile]:
    """By score; ties by references and recency, then by path (decision D6)."""
    today = snapshot.taken_at.date()

    def key(one: RankedFile) -> tuple[float, float, str]:
        facts = snapshot.files.get(one.path)
        fresh = recency(facts.date.day if facts else date.min, today)
        return -round(one.scored.score, TIE), -fresh * references.boost(one.path), one.path

    return sorted(found, key=key)


def hits(found: Iterable[RankedFile], asked: Query, snapshot: Snapshot, most: int) -> tuple[SearchHit, ...]:
    """At most so many hits; a note that is gone since is left out."""
    there = (hit for one in found if (hit := _hit(one, asked, snapshot)) is not None)
    return tuple(islice(there, most))


def _hit(one: RankedFile, asked: Query, snapshot: Snapshot) -> SearchHit | None:
    facts = snapshot.files.get(one.path)
    if facts is None:
        return None
    try:
        data = snapshot.reader(one.path)
    except MemdeckError:
        return None
    shown, end = _place(data, one, asked)
    cosine, (score, words, meaning, dates) = one.scored.cosine, _parts(one.scored)
    levels = ((copy, level_of(copy.path)) for copy in one.copies)
    return SearchHit(
        path=one.path,
        category=category_of(one.path),
        title=visible_line(one.title),
        line=shown.line,
        end_line=end,
        score=score,
        bm25=round(one.scored.bm25, 6),
        vector=None if cosine is None else round(cosine, 6),
        snippet=shown.snippet,
        day=facts.date.day.isoformat(),
        words=words,
        meaning=meaning,
        dates=dates,
        copies=tuple(SearchCopy(copy.path, level, copy.start) for copy, level in levels if level is not None),
    )


def _parts(scored: ScoredFile) -> tuple[float, float, float, float]:
    """The score and its parts as they are shown: they add up, since the part rounded furthest takes what is left."""
    score, exact = round(scored.score, TIE), (scored.words, scored.meaning, scored.dates)
    parts = [round(one, TIE) for one in exact]
    left = score - sum(parts)
    furthest = max(range(len(parts)), key=lambda at: (exact[at] - parts[at]) * left)
    parts[furthest] = round(parts[furthest] + left, TIE)
    return score, parts[0], parts[1], parts[2]


def _place(data: bytes, one: RankedFile, asked: Query) -> tuple[SnippetLine, int]:
    """The best line of the chunk; where it holds no word of the query, as with words of the title, of the note."""
    lines = split_lines(data.decode("utf-8", "replace"))
    shown = place(lines[one.start - 1 : one.end], one.start, asked)
    if shown.value or not one.scored.bm25:
        return shown, one.end
    first = max(1, read_frontmatter(data).body_line)
    other = place(lines[first - 1 :], first, asked)
    return (other, other.line) if other.value else (shown, one.end)
