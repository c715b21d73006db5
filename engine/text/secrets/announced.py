"""Finds values announced by a name, `rds_master_pw`, `Kennwort`, `PIN`, in settings, code, commands and prose. Grammar
tells how firmly value and name are linked, the value's form how odd it is. A firm link accepts all but placeholders and
code, a loose one only what no word looks like."""

import re
from collections.abc import Iterator

import msgspec

from engine.text.pattern_file import PatternFile
from engine.text.secrets.values import IDEOGRAPHS, UUID, Oddity, is_made_by_people, oddity_of

_REACH = 320  # bytes on each side of a name that are looked at
_LINK = 24  # characters before a value that may tell "is" or "to"
_PROSE = 90  # characters of prose between a name and its value
_LISTED = 700  # bytes below the heading of a list of codes
_WORDS_BESIDE = 4  # words of a line of the list that are no code: a bullet, "used 12 May"
_LEAST_DIGITS, _LEAST_WORD, _LEAST_KEY, _LEAST_TOKEN, _LONG_WORDS = 6, 6, 8, 12, 16  # characters of a value
_MOST_WORDS, _FEW = 12, 3  # words of a passphrase; words between a name and its value that are close
_ANSWER = 8  # words of a sentence that answers a question

_P = PatternFile(
    __package__,
    "names.toml",
    "plural ending tail other assigned valued element quoted bare continues below question stops token digits code"
    " phrase says link variable part account wireless message hash year loose inside option setter whole call dated",
    "links",
)

Span = tuple[int, int]


class Name(msgspec.Struct, frozen=True):
    """A name that announces a secret, and the text around it."""

    rule: str
    inflected: bool  # a word of prose in one of forty languages, not of programs
    name: str
    above: str  # the text up to the name: its line and those before
    rest: str  # the text behind it

    @property
    def before(self) -> str:
        """The line before the name."""
        return self.above.rpartition("\n")[2]

    @property
    def is_shouted(self) -> bool:
        """True if it ends an upper-case variable: `DB_PASS`."""
        return self.name.isupper() and _P["variable"].search(self.before + self.name) is not None

    @property
    def is_part(self) -> bool:
        """True if it ends an identifier of several parts, or an option."""
        return _P["part"].search(self.before + self.name) is not None

    @property
    def is_option(self) -> bool:
        """True if it is an option of a command."""
        return _P["option"].search(self.before) is not None

    @property
    def has_account(self) -> bool:
        """True if the lines around it name an account, as settings do."""
        near = "\n".join(self.above.split("\n")[-3:])
        return any(_P["account"].search(text) for text in (near, self.rest[:160]))

    @property
    def is_wireless(self) -> bool:
        return _P["wireless"].search(self.before[-90:] + self.rest[:60].partition("\n")[0]) is not None


def announced(data: bytes, start: int, end: int, rule: str, *, inflected: bool) -> Iterator[Span]:
    """Yields the byte ranges of the values that the name from `start` to `end` announces."""
    reach = _LISTED if rule == "recovery-code" else _REACH
    above, name, rest = (
        data[first:last].decode("utf-8", "surrogateescape")
        for first, last in ((max(0, start - _REACH), start), (start, end), (end, end + reach))
    )
    for first, last in _values(Name(rule, inflected, name, above, rest)):
        at = end + len(rest[:first].encode("utf-8", "surrogateescape"))
        yield at, at + len(rest[first:last].encode("utf-8", "surrogateescape"))


def _values(name: Name) -> Iterator[Span]:
    begin = _end_of_name(name)
    if begin is None or _P["inside"].search((name.before + name.name)[-_PROSE:]):
        return
    if name.rule == "recovery-code":
        yield from (code.span() for code in _codes(_listed(name.rest), begin))
        return
    links = [found for link in ("assigned", "valued", "element") if (found := _P[link].match(name.rest, begin))]
    assigned = next((span for found in links if (span := _assigned(name, found))), None)
    if assigned:
        yield assigned
    elif name.inflected or not links:
        yield from _below(name, begin) or _prose(name, begin)


def _end_of_name(name: Name) -> int | None:
    """Returns where the name with its ending ends; None if more letters make it another word."""
    if name.inflected:
        if name.name[-1] >= IDEOGRAPHS:
            return 0
        ending = _P["ending"].match(name.rest)
        return ending.end() if ending else None
    plural = _P["plural"].match(name.rest)
    if not plural or _P["other"].match(name.rest, plural.end()):
        return None
    return (_P["tail"].match(name.rest, plural.end()) or plural).end()


def _assigned(name: Name, link: re.Match[str]) -> Span | None:
    """Returns the range of an assigned value; None if it is no secret."""
    at, loose = link.end(), _P["loose"].search(link[0]) is not None
    if quoted := _P["quoted"].match(name.rest, at):
        fits = _is_secret_text(name, quoted[2]) and not (loose and oddity_of(quoted[2]) < Oddity.NAMED)
        return quoted.span(2) if fits else None
    if name.rule == "passphrase" and (phrase := _P["phrase"].match(name.rest, at)):
        return phrase.span(1) if _is_phrase(phrase[1]) else None
    if not (bare := _P["bare"].match(name.rest, at)):
        return None
    first = at + (bare[0].startswith("{") and "}" in bare[0])
    cut = _P["continues"].search(name.rest, first, bare.end())
    last = cut.start() if cut else bare.end()
    fits = _is_secret_word(name, link[0], name.rest[first:last], name.rest[last:])
    return (first, last) if fits and not (loose and oddity_of(name.rest[first:last]) < Oddity.NAMED) else None


def _is_secret_text(name: Name, value: str) -> bool:
    """Tells whether a quoted value is a secret."""
    look = oddity_of(value)
    match name.rule:
        case "pin":
            return _P["digits"].fullmatch(value) is not None
        case "passphrase":
            return _is_phrase(value)
        case "credential" if not name.is_wireless:
            words = name.is_shouted and len(value) >= _LONG_WORDS and look is Oddity.JOINED
            return _is_token(name, value, look) or (words and not _P["message"].search(value))
    if " " in value:
        return (name.is_shouted or name.is_part or name.has_account) and _is_phrase(value, least=2)
    if value.isdigit():
        return len(value) >= _LEAST_DIGITS
    firm = name.has_account or name.is_shouted
    return look >= Oddity.NAMED or (
        look >= (Oddity.WORD if firm else Oddity.JOINED) and not _P["message"].search(value)
    )


def _is_secret_word(name: Name, link: str, value: str, behind: str) -> bool:
    """Tells whether an unquoted value is a secret."""
    look = oddity_of(value)
    if name.rule == "pin" or (value.isdigit() and name.is_wireless):
        return _P["digits"].fullmatch(value) is not None
    if name.rule == "credential" and not (name.inflected and name.is_wireless):
        return _is_token(name, value, look)
    if value.isdigit():
        return len(value) >= _LEAST_DIGITS and (name.inflected or name.has_account or name.is_shouted)
    if look is Oddity.NOTHING or behind[:1] in {"(", "[", "."}:
        return False
    return look >= Oddity.NAMED or (len(value) >= _LEAST_WORD and _is_literal(name, link, value, look, behind))


def _is_literal(name: Name, link: str, value: str, look: Oddity, behind: str) -> bool:
    """Tells whether unquoted words are text and no variable: in a shell, settings or a command."""
    if _P["message"].search(value) or name.rest.count(value) + name.above.count(value) > 1:
        return False
    if name.is_shouted or (look is Oddity.JOINED and name.is_option):
        return True
    ends = behind.lstrip(" \t")[:1] in {"", "\n", "\r", "#", "&", ";", "\\", '"', "'", "`", "<"}
    if not ends and not (link == "=" and behind[0].isspace()):
        return False
    settings = _P["whole"].search(name.before) is not None and link != " = "
    if look is Oddity.JOINED and (settings or link == "=" or (name.is_part and "-" in value)):
        return not _P["call"].search(name.before)
    return name.has_account and not _P["call"].search(name.before)


def _is_token(name: Name, value: str, look: Oddity) -> bool:
    """Tells whether a value may be a program's key: random letters, or a password beside a sure name."""
    if UUID.fullmatch(value):
        return name.is_part and not name.inflected
    if look is Oddity.RANDOM:
        return len(value) >= _LEAST_TOKEN
    sure = name.name.lower().endswith(("secret", "token", "key"))
    people = name.name.lower().endswith("secret") and is_made_by_people(value)
    return people or (look is Oddity.MIXED and len(value) >= _LEAST_TOKEN - 2 and sure)


def _is_phrase(value: str, least: int = 3) -> bool:
    """Tells whether a few words may be a password, and not a message about one."""
    return least <= len(value.split()) <= _MOST_WORDS and not _P["message"].search(value)


def _codes(text: str, begin: int = 0) -> Iterator[re.Match[str]]:
    """Yields possible codes: runs with two digits that are no date."""
    found = (code for code in _P["code"].finditer(text, begin) if sum(map(str.isdigit, code[0])) >= 2)
    yield from (code for code in found if not _P["dated"].match(code[0] + text[code.end() : code.end() + 3]))


def _listed(rest: str) -> str:
    """Returns the line and the lines below as long as they are mainly codes."""
    lines = rest.split("\n")
    others = (at for at, line in enumerate(lines[1:], 1) if line.strip() and not _is_listed(line))
    return "\n".join(lines[: next(others, len(lines))])


def _is_listed(line: str) -> bool:
    codes = [code[0] for code in _codes(line)]
    return bool(codes) and len(line.split()) - len(" ".join(codes).split()) <= _WORDS_BESIDE


def _below(name: Name, begin: int) -> list[Span]:
    """Returns the value on the line below, or in the answer to a question."""
    for link in ("below", "question") if "\n" in name.rest else ():
        found = _P[link].match(name.rest, begin)
        line = name.rest[found.end() :].partition("\n")[0].rstrip(" \t\r`*\"'”」,;.。") if found else ""
        first = _last_word(line) if link == "question" else 0
        value = line[first:]
        if found and value and " " not in value and _is_answer(name, value, found[0], link):
            return [(found.end() + first, found.end() + len(line))]
    return []


def _last_word(line: str) -> int:
    """Returns where the last word of a short answer begins: "It is …"; 0 if unclear."""
    links = [link.end() for link in _P["link"].finditer(line) if link.end() < len(line)]
    return links[-1] if links and len(line.split()) <= _ANSWER else 0


def _is_answer(name: Name, line: str, gap: str, link: str) -> bool:
    """Tells whether a line of one word is a secret."""
    look = oddity_of(line)
    if _P["hash"].fullmatch(line) and not line.isdigit():
        return False
    if link == "question":
        return (
            look >= (Oddity.JOINED if set("?？") & set(gap) else Oddity.NAMED)
            or _P["digits"].fullmatch(line) is not None
        )
    least = Oddity.RANDOM if name.rule == "credential" else Oddity.MIXED
    return look >= least and len(line) >= _LEAST_KEY and any(map(str.isdigit, line))


def _prose(name: Name, begin: int) -> Iterator[Span]:
    """Yields the values in the clause after the name."""
    clause = name.rest[begin : begin + _PROSE].partition("\n")[0]
    stop = _P["stops"].search(clause)
    clause = clause[: stop.start()] if stop else clause
    match name.rule:
        case "passphrase":
            spans = _phrases(name, clause)
        case "pin":
            spans = (found.span() for found in _P["digits"].finditer(clause) if _is_told(name, clause, found))
        case _:
            spans = _words(name, clause)
    yield from ((begin + first, begin + last) for first, last in spans)


def _phrases(name: Name, clause: str) -> Iterator[Span]:
    for link in _P["link"].finditer(clause):
        phrase = _P["phrase"].match(clause, link.end())
        if phrase and _is_phrase(phrase[1]):
            yield phrase.span(1)
            return
    quoted = _P["quoted"].match(clause.lstrip(" ="))
    if quoted and _is_phrase(quoted[2]):
        yield clause.index(quoted[2]), clause.index(quoted[2]) + len(quoted[2])


def _words(name: Name, clause: str) -> Iterator[Span]:
    for token in _P["token"].finditer(clause):
        quoted = token[2] is not None
        value = token[2] if quoted else token[0].rstrip(".,;:")
        gap = clause[: token.start()]
        digits = value.isdigit() and _are_digits_told(name, gap, value)
        plain = " " in value or (value.isalpha() and value[1:].islower())  # a word, as nearly all are
        look = Oddity.NOTHING if plain else oddity_of(value)
        if digits or (look >= Oddity.JOINED and _is_told_word(name, gap, value, look, quoted=quoted)):
            first = token.start(2 if quoted else 0)
            yield first, first + len(value)


def _is_told_word(name: Name, gap: str, value: str, look: Oddity, *, quoted: bool) -> bool:
    return look >= _least(name, gap, quoted=quoted) or (_is_near(gap) and is_made_by_people(value))


def _are_digits_told(name: Name, gap: str, value: str) -> bool:
    """Tells whether digits are a password: a long network key, or what "the password is"."""
    told = name.rule == "password" and len(value) >= 4 and _P["says"].search(gap[-_LINK:]) is not None
    return told or (name.is_wireless and len(value) >= _LEAST_KEY)


def _is_told(name: Name, clause: str, digits: re.Match[str]) -> bool:
    """Tells whether digits belong to the name: "pin" may mean a map's or a chip's, and years are common."""
    gap = clause[: digits.start()]
    if _P["says"].search(gap[-_LINK:]):
        return True
    return (name.inflected or name.name.isupper()) and not (gap.strip() and _P["year"].fullmatch(digits[0]))


def _is_near(gap: str) -> bool:
    return not gap.strip(" \t:*`'\"([{«»“「=~|-–—>→)]")


def _least(name: Name, gap: str, *, quoted: bool) -> Oddity:
    """Returns the least oddity of a value, by how firmly it is linked to the name."""
    near = _is_near(gap)
    linked = _P["says"].search(gap[-_LINK:]) is not None
    if name.rule == "credential" and not name.is_wireless:
        return Oddity.RANDOM
    variable = name.is_shouted and "_" in name.before[-1:] + name.name
    if near and variable and not quoted and not _P["setter"].search(name.before):
        return Oddity.RANDOM
    if (near and name.is_option) or (quoted and linked):
        return Oddity.JOINED
    if linked or (near and (name.inflected or quoted or name.is_part or name.is_wireless)):
        return Oddity.NAMED
    short = len(gap.split()) <= _FEW
    return Oddity.NAMED if name.inflected and short else Oddity.MIXED if name.inflected or short else Oddity.RANDOM
