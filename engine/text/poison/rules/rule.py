"""One rule of poison, and the short hand in which its patterns are written."""

import msgspec

BLANK = r"[\s*_>\"'`,]"
BLANKS, NO_BLANKS = f"{BLANK}{{1,8}}", f"{BLANK}{{0,8}}"
SAME_SENTENCE = r"(?:[^\n.!?。！？；]|[.!?][^\s.!?。！？]){0,60}?"


class PoisonRule(msgspec.Struct, frozen=True):
    """Patterns of one rule; a match does not count where `unless` is found in its sentence, up to the match's end.

    In a pattern a blank stands for any blanks and markup between two words, ` ?` for those or none, and `…` for up to
    60 characters of the same sentence. Case and accents do not count: text and patterns are folded alike.
    """

    name: str
    patterns: tuple[str, ...]
    unless: str = ""

    def expanded(self) -> tuple[str, ...]:
        """The patterns as RE2 takes them."""
        spaced = (one.replace(" ?", NO_BLANKS).replace(" ", BLANKS) for one in self.patterns)
        return tuple(one.replace("…", SAME_SENTENCE) for one in spaced)
