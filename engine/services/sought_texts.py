"""Finds the texts that a request to forget or correct means: of a line, an address, or a name (D62)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from engine.errors import UsageError
from engine.extraction.relations import relation, says_same
from engine.extraction.what_holds import HeldFact
from engine.lifecycle.forget.purge import WordPlace
from engine.lifecycle.forget.sought_words import SoughtWords, statement, tokens
from engine.lifecycle.requests import ForgetRequest
from engine.models.model_task import MODELS
from engine.plans.planning import Planning
from engine.services.facts import facts_of
from engine.services.line_life import LifeRung, RungLink
from engine.services.open_workspace import OpenWorkspace
from engine.services.tree import TreeService
from engine.text.document import Document, shown_text, split_lines
from engine.text.secrets.detector import redact
from engine.text.sentences import sentences
from engine.tree.levels import ROOT_PATH, node_place

_PEOPLE = "knowledge/people/"
_FEWEST = 4
"""The fewest words of a derived line that is sought: a shorter one would match unrelated places."""
_FACT, ALL = re.compile(r"(.+:\d+)\.(\d{1,6}|all)"), "all"
"""`PATH:LINE.2` names the second fact of a line, and `PATH:LINE.all` all of them."""
_INSIGHT = "Durable Insight:"
_MOST_LEFT = 0.6  # share of a line's words that one must have which shortens it


class TextsMeant(msgspec.Struct, frozen=True, kw_only=True):
    """The texts of a request. Lines that name one of `others` lose only the words; notes in `own` are about a named
    person, and go whole. `kept` are places of which a part stays, with the reason."""

    texts: tuple[str, ...]
    others: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    kept: tuple[WordPlace, ...] = ()


def texts_meant(opened: OpenWorkspace, planning: Planning, asked: ForgetRequest) -> TextsMeant:
    """Finds the texts of words, lines, addresses and names; `UsageError` for none."""
    kept = list[WordPlace]()
    texts = [*asked.words, *(text for line in asked.take for text in _facts_meant(opened, line, kept)), *asked.about]
    notes = (path for path in planning.snapshot.files if path.startswith(_PEOPLE) and path.endswith(".md"))
    people = {path: path[len(_PEOPLE) : -3].replace("-", " ") for path in notes if "/_" not in path}
    own = frozenset(path for name in asked.about for path in _own_notes(name, people))
    others = tuple(sorted({name for path, name in people.items() if path not in own and len(name) > 2}))
    others = others if asked.about else ()
    if asked.address or asked.about:
        facts, needed = facts_of(opened, planning.today, "").entries, SoughtWords(others)
        subjects = [({*tokens(fact.subject)}, fact) for fact in facts]
        for words in (*asked.address, *asked.about):
            named = words not in asked.address
            wanted = {*tokens(words)}
            # A subject has the words of an address and no other; it may name somebody among others.
            near = (one for said, one in subjects if (wanted <= said if named else wanted == said))
            here = [*near] if wanted else []
            if not here and not named:
                raise UsageError("no fact is about that", where=words, hint="memdeck facts lists what each is about")
            # A sentence that names somebody else loses the name alone.
            texts += (text for text in _at_address(opened, here, facts, kept) if not (named and needed.count(text)))
    if not texts:
        raise UsageError("what is to be forgotten?", hint="memdeck forget WORDS, --line PATH:LINE or --about NAME")
    return TextsMeant(texts=tuple(dict.fromkeys(texts)), others=others, own=own, kept=tuple(dict.fromkeys(kept)))


def _own_notes(name: str, people: Mapping[str, str]) -> list[str]:
    """Gives the note with this name, or the only one whose name includes it: `ana-lopez.md` for Ana."""
    wanted = tokens(name)
    near = [path for path, known in people.items() if {*wanted} <= {*tokens(known)}]
    return [path for path in near if tokens(people[path]) == wanted] or (near if len(near) == 1 else [])


def _at_address(
    opened: OpenWorkspace, here: Sequence[HeldFact], facts: Sequence[HeldFact], kept: list[WordPlace]
) -> Iterator[str]:
    """Yields what these facts say, what was made of their lines, and the turns that said them. Parts of a line that
    other `facts` need stay, and are added to `kept`."""
    rest, own = [fact.text for fact in facts if fact not in here], [fact.text for fact in here]
    for one in here:
        yield from (one.text, *(old.text for old in (*one.replaced, *one.evidence)))
        places = [(one.path, one.line), (one.source.path, one.source.start) if one.source and one.proven else ("", 0)]
        for path, line in (place for place in places if all(place)):
            for text in said_by(opened, f"{path}:{line}"):
                parts = sentences(text)
                needed = [part for part in parts if _states(part, rest) and not _states(part, own)]
                short = len(tokens(text)) < _FEWEST
                yield from () if short else (part for part in parts if part not in needed) if needed else (text,)
                if (needed or short) and text != one.text:
                    left = "too short to be looked for" if short else "another fact needs a part of it"
                    kept.append(WordPlace(path=path, kind="fact", lines=(line,), left=f"{left}; --line takes it all"))


def _states(sentence: str, facts: Sequence[str]) -> bool:
    return any(map(partial(_shortens, said=sentence), facts))


def _facts_meant(opened: OpenWorkspace, place: str, kept: list[WordPlace]) -> Iterator[str]:
    """Yields a line's statement, or the named fact of several, and the statements made of it. A derived line in
    other words stays, and is added to `kept`. `UsageError` where a line has several facts and none is named."""
    named = _FACT.fullmatch(place)
    line, number = named.groups() if named is not None else (place, "")
    said, *made = said_by(opened, line)
    facts = sentences(said)
    if number == ALL or (len(facts) == 1 and not number):
        yield from (said, *made)
        return
    if not number or not 0 < int(number) <= len(facts):
        told = ", ".join(f"{line}.{at} “{fact[:60]}”" for at, fact in enumerate(map(redact, facts), 1))
        raise UsageError("which of its facts?", where=place[:200], hint=f"{told}; {line}.{ALL} for all of them")
    fact, (path, _, at) = facts[int(number) - 1], line.rpartition(":")
    yield fact
    for parts in map(sentences, made):
        told_of = [_nearest(part, facts) for part in parts]
        yield from (part for part, near in zip(parts, told_of, strict=True) if near == fact)
        if not any(told_of):
            left = "what was made from it may say it in other words"
            kept.append(WordPlace(path=path, kind="line", lines=(int(at),), left=left))


def _nearest(part: str, facts: Sequence[str]) -> str:
    """Gives the fact that a sentence says, with words left out or added; empty where it says none."""
    said = (fact for fact in facts if _shortens(part, fact) or _shortens(fact, part))
    return min(said, key=lambda fact: abs(len(tokens(fact)) - len(tokens(part))), default="")


def line_at(opened: OpenWorkspace, place: str) -> tuple[str, int, str]:
    path, _, number = place.rpartition(":")
    lines = split_lines(shown_text(opened.root.read(path))) if number.isdecimal() else []
    said = statement(lines[int(number) - 1]) if lines and 0 < int(number) <= len(lines) else ""
    if not tokens(said):
        raise UsageError("no line says anything there", where=place, hint="PATH:LINE, as in memory/2026-03-15.md:12")
    return path, int(number), said


def said_by(opened: OpenWorkspace, place: str) -> Iterator[str]:
    """Yields a line's statement, and the statements made of it (`memdeck tree life`)."""
    path, number, said = line_at(opened, place)
    yield said
    stated = (rung for rung in _rungs(opened, path, number) if rung.link is RungLink.STATED)
    # Of an entry of a shard the insight is what was drawn from the line; title and context stand for themselves.
    lines = (line.text for rung in stated for line in rung.lines if rung.level != "semantic" or _INSIGHT in line.text)
    made = [statement(text) for text in lines]
    root = map(statement, split_lines(shown_text(opened.root.read_or_none(ROOT_PATH) or b"")))
    made += (text for text in root if _shortens(text, said))
    yield from (text for text in made if len(tokens(text)) >= _FEWEST)


def _shortens(text: str, said: str) -> bool:
    """Tells whether a text is another with words omitted, as in ROOT: most of its words, in order."""
    whole = tokens(said)
    left, words = iter(whole), tokens(text)
    return len(words) >= _MOST_LEFT * len(whole) and all(word in left for word in words)


def _rungs(opened: OpenWorkspace, path: str, number: int) -> tuple[LifeRung, ...]:
    return TreeService(opened).life(path, number).rungs if path in opened.fresh(look=False).files else ()


def same_elsewhere(opened: OpenWorkspace, planning: Planning, place: str, value: str) -> Iterator[str]:
    """Yields sentences of lasting notes that state a line's fact in other words: those at its address, and those
    from the same line of a session, if the new value replaces them too."""
    path, number, said = line_at(opened, place)
    facts = facts_of(opened, planning.today, "").entries
    sources = {fact.source for fact in facts if (fact.path, fact.line) == (path, number) and fact.proven}
    for fact in facts:
        for part in sentences(fact.text):
            same = says_same(said, part) or (fact.source in sources and relation(value, part))
            if same and tokens(part) != tokens(said) and len(tokens(part)) >= _FEWEST:
                yield part


def retold_by(opened: OpenWorkspace, path: str, number: int) -> Iterator[str]:
    """Yields the nodes above a line in which a model may have reworded it."""
    for rung in _rungs(opened, path, number):
        if rung.link in (RungLink.WORDS, RungLink.PERIOD) and node_place(rung.path) is not None:
            method = Document.from_bytes(opened.root.read(rung.path)).frontmatter.values.get("summary", "")
            if str(method).startswith(MODELS):
                yield rung.path
