"""What is shown of a file that was found: the note itself is read, so that line and snippet are as it is now."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from engine.errors import MemdeckError
from engine.search.category import category_of
from engine.search.question import Question
from engine.search.ranking.asking import Found
from engine.search.ranking.files import TIE, recency
from engine.search.results.references import References
from engine.search.results.snippet import Place, place
from engine.search.values import Hit
from engine.workspace.document import split_lines
from engine.workspace.frontmatter import read_frontmatter
from engine.workspace.snapshot import Snapshot
from engine.workspace.text_safety import visible_line


def ordered(found: Iterable[Found], snapshot: Snapshot, references: References) -> list[Found]:
    """By score; ties by references and recency, then by path (decision D6)."""
    today = snapshot.taken_at.date()

    def key(one: Found) -> tuple[float, float, str]:
        facts = snapshot.files.get(one.path)
        fresh = recency(facts.date.day if facts else date.min, today)
        return -round(one.scored.score, TIE), -fresh * references.boost(one.path), one.path

    return sorted(found, key=key)


def hits(found: Iterable[Found], asked: Question, snapshot: Snapshot, most: int) -> tuple[Hit, ...]:
    """At most so many hits; a note that is gone since is left out."""
    made: list[Hit] = []
    for one in found:
        if len(made) >= most:
            break
        hit = _hit(one, asked, snapshot)
        if hit is not None:
            made.append(hit)
    return tuple(made)


def _hit(one: Found, asked: Question, snapshot: Snapshot) -> Hit | None:
    facts = snapshot.files.get(one.path)
    if facts is None:
        return None
    try:
        data = snapshot.reader(one.path)
    except MemdeckError:
        return None
    shown, end = _place(split_lines(data.decode("utf-8", "replace")), one, asked, lambda: _body_line(data))
    cosine, score, words = one.scored.cosine, round(one.scored.score, TIE), round(one.scored.words, TIE)
    return Hit(
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
        meaning=round(score - words, TIE),
    )


def _place(lines: Sequence[str], one: Found, asked: Question, body: Callable[[], int]) -> tuple[Place, int]:
    """The best line of the chunk; where it holds no word of the query, as with words of the title, of the note."""
    shown = place(lines[one.start - 1 : one.end], one.start, asked)
    if shown.value or not one.scored.bm25:
        return shown, one.end
    first = body()
    other = place(lines[first - 1 :], first, asked)
    return (other, other.line) if other.value else (shown, one.end)


def _body_line(data: bytes) -> int:
    return max(1, read_frontmatter(data).body_line)
