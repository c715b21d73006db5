"""Keeps flagged lines out of ROOT, which every agent loads, unless the operator lets them in."""

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.models.cue_matcher import QUESTION_ENDS
from engine.models.plain_line import shortened
from engine.plans.flags import Exists, poisoned_lines
from engine.text.canonical_json import sha256_hex
from engine.text.poison.findings import RULE_WORDS
from engine.text.poison.missing_sources import find_missing_sources
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.node_frontmatter import SummaryLine
from engine.tree.nodes.phrases import is_addressed, names_its_writer
from engine.tree.nodes.worth import CLOSERS
from engine.tree.topic_headings import KEPT_WHOLE

_BETWEEN = "\n.\n"
"""Separates texts that are checked together: no rule matches across a full stop on a line of its own."""
_CHANGING = re.compile(r"\d+")
ORDER = "standing-order"


def text_key(text: str) -> str:
    """Returns the key that identifies a flagged text, whatever its ages and references."""
    return sha256_hex(_CHANGING.sub("#", " ".join(text.split())).encode())


def flagged_texts(texts: Iterable[str], exists: Exists, told: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """Returns the flagged texts, each with the rules that it breaks. `told`: texts that may be an order to the reader,
    unlike those that a user states. Only sources in `memory/` must exist; other broken pointers are reported (C24)."""
    flat = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    joined = _BETWEEN.join(flat)
    missing = find_missing_sources(joined, lambda path: not path.startswith("memory/") or exists(path))
    found: dict[str, tuple[str, ...]] = {}
    orders = {" ".join(text.split()) for text in told if orders_its_reader(text)}
    flags = [
        *((2 * place + 1, ORDER) for place, text in enumerate(flat) if text in orders),
        *((flag.line, flag.rule) for flag in poisoned_lines(joined)),
        *((flag.line, flag.rule) for flag in missing),
    ]
    for line, rule in dict.fromkeys(flag for flag in flags if flag[0] % 2):
        text = flat[line // 2]
        found[text] = (*found.get(text, ()), rule)
    return found


def orders_its_reader(text: str) -> bool:
    """Tells whether a text gives its reader orders or a role, as a pasted prompt does: it addresses somebody, is no
    question, and does not say I or we (decision G30)."""
    return not text.rstrip(CLOSERS).endswith(QUESTION_ENDS) and is_addressed(text) and not names_its_writer(text)


class Holding:
    """Lets texts into ROOT or keeps them out, and remembers which. `taken`: keys of texts that the operator took
    before. `exists` tests the target of a pointer, `named` a path in a text, which an operation may have moved."""

    def __init__(self, taken: frozenset[str], exists: Exists, *, named: Exists, take: bool) -> None:
        self._known, self._exists, self._named, self._take = taken, exists, named, take
        self._held: dict[str, tuple[str, ...]] = {}
        self.taken: set[str] = set()  # keys of the flagged texts that the operator takes now

    @property
    def dropped(self) -> tuple[str, ...]:
        """The texts kept out, each with its rules in words."""
        return tuple(
            f"held out of ROOT, {'; '.join(RULE_WORDS[rule] for rule in rules)}: {shortened(text, 120)}"
            for text, rules in self._held.items()
        )

    def lines(self, lines: Sequence[SummaryLine]) -> list[SummaryLine]:
        """Returns the lines that ROOT may contain."""
        flagged = flagged_texts((line.text for line in lines), self._named)
        return [line for line in lines if self._passes(line.text, flagged)] if flagged else list(lines)

    def entries(self, entries: Iterable[TopicEntry]) -> list[TopicEntry]:
        """Returns the entries without flagged texts; drops an entry of which nothing is left."""
        known = [self._pointed(entry) for entry in entries]
        texts = (text for entry in known for text in (entry.topic, entry.kept, *(fact.text for fact in entry.facts)))
        told = (fact.text for entry in known if entry.type not in KEPT_WHOLE for fact in entry.facts)
        flagged = flagged_texts(texts, self._named, told)
        found = (self._entry(entry, flagged) for entry in known)
        return [entry for entry in found if entry.topic or entry.facts or entry.kept] if flagged else known

    def _pointed(self, entry: TopicEntry) -> TopicEntry:
        """Removes pointers to missing sources, which would remove the topic from the index."""
        kept = tuple(to for to in entry.pointers if not to.startswith("memory/") or self._exists(to.split("#")[0]))
        return entry if kept == entry.pointers else replace(entry, pointers=kept)

    def _entry(self, entry: TopicEntry, flagged: dict[str, tuple[str, ...]]) -> TopicEntry:
        facts = tuple(fact for fact in entry.facts if self._passes(fact.text, flagged))
        topic = entry.topic if self._passes(entry.topic, flagged) else ""
        kept = entry.kept if self._passes(entry.kept, flagged) else ""
        if (topic, kept, len(facts)) == (entry.topic, entry.kept, len(entry.facts)):
            return entry
        return replace(entry, topic=topic, kept=kept, facts=facts)

    def _passes(self, text: str, flagged: dict[str, tuple[str, ...]]) -> bool:
        flat = " ".join(text.split())
        if flat not in flagged:
            return True
        key = text_key(flat)
        if self._take or key in self._known:
            self.taken |= {key}
            return True
        self._held.setdefault(flat, flagged[flat])
        return False
