"""Reads the address of a statement, what it is about, and the value that it says there (decision D61). Drops the reason
first. Questions, plans, hearsay and the past have no address."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from engine.extraction.address_words import AddressWords, words_of
from engine.extraction.clause_parts import ClauseParts, clause_parts, signed

MOST_VALUE, MOST_SUBJECT = 8, 10
"""Most words of a value and of a subject in a simple statement; three times as many Chinese characters."""
_LONGEST = 240  # characters of a sentence that may say a choice; a longer one is no simple choice
_TAIL = 3  # words of what follows a clause as part of it: ", too", ", not MySQL"
_TOKEN = re.compile(r"⟦([^⟧]+)⟧|([\u4e00-\u9fff])|([^\W_\u4e00-\u9fff]+(?:[-./+'#@:_][^\W_\u4e00-\u9fff]+)*[+#]*)")
_QUOTED = re.compile(
    r"'(?=\S)[^'\n]{2,60}(?<=\S)'(?!\w)|\"[^\"\n]{1,80}\"|[“„][^”“\n]{1,80}[”“]|[「『][^」』\n]{1,80}[」』]"
)
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|ed|e)$")
_NO_WORD = re.compile(r"\W+")
_NAME = re.compile(r"(?<=\w )[A-ZÄÖÜ][^\W_]*")
_NOT_LAST = re.compile(r",? (?:not|nicht) (?=\S+$)")
_TYPES = ("day:", "month:", "number:")
_ENDS = " \t.!。！…;；,，:："
_MOVES = frozenset({"put", "rename", "replace", "own"})
_MINE = frozenset({"place", "job", "name"})
"""Attributes that belong to the speaker if no subject is named: "I live in York"."""


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """One reading of a sentence: words without order or case. `typed`: values such as `day:2`, `number:5434`. `left`:
    what is given up; `run`: the value as said; `names`: capitalised words. `verb`: the kind of the main verb, empty if
    unknown. `negated`: denies the value. `beside`: replaces nothing. `changed`: says that another value held."""

    subject: frozenset[str]
    value: frozenset[str]
    typed: frozenset[str]
    left: frozenset[str]
    attribute: str
    run: str
    names: frozenset[str]
    negated: bool = False
    beside: bool = False
    changed: bool = False
    verb: str = ""

    @property
    def moved(self) -> bool:
        """True if the verb itself means a change."""
        return self.verb in _MOVES

    @property
    def holds(self) -> frozenset[str]:
        """The words and numbers of the value."""
        return self.value | self.typed

    @property
    def content(self) -> frozenset[str]:
        """All words and numbers."""
        return self.subject | self.holds


@lru_cache(maxsize=20_000)
def addresses(sentence: str) -> tuple[Address, ...]:
    """Returns the readings of a sentence, usually one; none if it states no value."""
    sentence = sentence.replace("’", "'").strip()
    text = sentence.lower()
    if len(text) > _LONGEST or text.endswith(("?", "？")):
        return ()
    words, names = words_of(text), frozenset(word.lower() for word in _NAME.findall(sentence))
    text = _QUOTED.sub(lambda quoted: f"⟦word:{_NO_WORD.sub('_', quoted[0][1:-1])}⟧", text.strip(_ENDS))
    wide = 3 if words.joined else 1
    made = _Reader(words, names).readings(text)
    return tuple(one for one in made if len(one.value) <= MOST_VALUE * wide and len(one.subject) <= MOST_SUBJECT * wide)


class _Reader:
    """Reads the clauses of a sentence from left to right, until one states a value."""

    def __init__(self, words: AddressWords, names: frozenset[str]) -> None:
        self._words, self._names = words, names

    def readings(self, text: str) -> list[Address]:
        subject, left, heard = frozenset[str](), frozenset[str](), ""
        denied, bare = list[Address](), list[Address]()
        whole = "," not in text and any(form.fullmatch(text) for form in self._words.forms)
        clauses = [text] if whole else list(self._clauses(text))
        for clause, after in zip(clauses, [*clauses, ""][1:], strict=True):
            heard = f"{heard}, {clause}, {after if len(after.split()) < _TAIL else ''}".strip(" ,")
            said = self._without_lead(clause)
            if self._is("doubt", said) or self._is("hearsay", said):
                return []
            made, once = self._of_clause(said), self._is("past", said)
            signs = {"beside": self._is("beside", heard), "changed": self._is("changed", heard) or bool(left)}
            made = [msgspec.structs.replace(address, **signs) for address in made]
            first = made[0] if made else None
            if first is None:
                continue
            if once or first.negated:
                left |= first.holds
                denied = denied or (made[:1] if not once else [])
            elif first.holds:
                more = ((address, address.subject or subject, address.left | left) for address in made)
                return [msgspec.structs.replace(one, subject=about, left=gone) for one, about, gone in more]
            else:
                bare = bare or made
            subject = first.subject or subject
        return denied or bare

    def _is(self, mark: str, text: str) -> bool:
        return self._words.marks[mark].search(text) is not None

    def _clauses(self, text: str) -> Iterator[str]:
        """Yields the clauses of a sentence, except reasons."""
        at, skipped = 0, False
        for end in (*self._words.clause_ends.finditer(text), None):
            clause = text[at : end.start() if end else len(text)].strip(_ENDS)
            if clause and not skipped:
                yield clause
            if end is not None:
                at, skipped = end.end(), end.lastgroup == "reason"

    def _without_lead(self, clause: str) -> str:
        while (lead := self._words.lead.match(clause)) is not None and lead.end():
            clause = clause[lead.end() :]
        return clause

    def _of_clause(self, clause: str) -> list[Address]:
        for form in self._words.forms:
            if (found := form.fullmatch(clause)) is not None:
                parts = {name: signed(part, self._words) for name, part in found.groupdict().items()}
                made = self._made(parts.get("T", ""), parts.get("V", ""), attribute=self._attribute(clause))
                return [self._of_me(made, clause)]
        read = clause_parts(clause, self._words)
        if read.verb == "drop":
            return [msgspec.structs.replace(self._made(read.raw(" ".join(read.parts)), ""), negated=True, verb="drop")]
        if read.verb == "prefer":
            return list(self._preferences(read))
        passing = self._is("passing", clause) and not self._attribute(clause)
        once = self._is("was", clause) and read.verb not in _MOVES | {"take", "by"}
        return [] if passing or once else [self._plain(read)]

    def _plain(self, read: ClauseParts) -> Address:
        attribute = "own" if read.verb in ("own", "by") else self._attribute(read.text)
        if read.verb == "be" and "obj" not in read.parts and "at" in read.parts and "⟦" not in read.raw("at"):
            attribute = attribute or "place"
        subject, value, left = read.placed(self._words)
        made = self._of_me(self._made(subject, value, left, attribute), read.text)
        plain = read.verb == "be" and "obj" in read.parts and not self._words.joined
        if plain and len(made.value) == 1 and not made.holds & self._names:
            attribute = made.attribute or ("" if made.typed else "quality")
            made = msgspec.structs.replace(made, attribute=attribute)
        negated = self._is("negated", _NOT_LAST.sub(" ", read.text)) and not made.left
        return msgspec.structs.replace(made, negated=negated, verb=read.verb)

    def _of_me(self, made: Address, text: str) -> Address:
        mine = not made.subject and made.attribute in _MINE and self._is("mine", text)
        return msgspec.structs.replace(made, subject=frozenset({"i"})) if mine else made

    def _preferences(self, read: ClauseParts) -> Iterator[Address]:
        """Yields the readings of a preference: by the thing, "short answers", and by the place, "tabs in Python"."""
        first, *more = read.parts.get("obj") or read.parts.get("pre") or [""]
        head, rest = self._head(first)
        left, negated = read.raw("left"), self._is("negated", read.text)
        about = f"{rest} {' '.join(more)} {read.raw('as to at for')}"
        for subject, value, attribute in ((head, about, "prefer"), (read.raw("at for as"), first, "prefer at")):
            made = self._made(subject, value, left, attribute)
            if made.subject and made.holds:
                yield msgspec.structs.replace(made, negated=negated)
        if head and not more and not rest and not self._is("refers", head):
            yield msgspec.structs.replace(self._made("", first, left, "prefer alone"), negated=negated)

    def _head(self, run: str) -> tuple[str, str]:
        """Splits a run into the thing that it names and the rest."""
        if self._words.joined:
            of, _, thing = run.rpartition("的")
            return (thing, of) if of else ("", run)
        words = [word for word in run.split() if word not in self._words.empty]
        at = 0 if self._words.marks["mine"].match(run) is not None else len(words) - 1
        return (words[at], " ".join([*words[:at], *words[at + 1 :]])) if words else ("", "")

    def _made(self, subject: str, value: str, left: str = "", attribute: str = "") -> Address:
        about, held, gone = (frozenset(self._tokens(run)) for run in (subject, value, left))
        typed, words = _divided(held)
        if not held:  # "we allow 3 retries"
            typed, about = _divided(about)
        elif not about and typed:  # "now the port is 5434"
            about, words = words, about
        run = value.strip()
        return Address(
            subject=about, value=words, typed=typed, left=gone, attribute=attribute, run=run, names=self._names
        )

    def _tokens(self, text: str) -> Iterator[str]:
        for sign, han, word in _TOKEN.findall(text):
            plain = sign.removeprefix("word:") or han or word.removesuffix("'s")
            plural = word and len(plain) > 3 and plain.endswith("s") and plain[-2:] != "ss"
            if sign or plain not in self._words.empty:
                stem = plain[:-1] if plural else plain
                yield _ENDING.sub("", stem) if word and self._words.language == "en" else stem

    def _attribute(self, text: str) -> str:
        return next((name for name, pattern in self._words.attributes.items() if pattern.search(text)), "")


def _divided(words: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    typed = frozenset(word for word in words if word.startswith(_TYPES))
    return typed, frozenset(words) - typed
