"""Makes the title of an entry: its subject in two to six words, not its first words (decision A29)."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from engine.compactor.extraction.durability import WORDS, statement
from engine.compactor.semantic.topic_words import ARTICLES, LIKE_A_NOUN, WEAK, TopicWord, topic_words, wide_chunks
from engine.text.language import ASKED, NO_NAME, language_of
from engine.text.pattern_file import PatternFile
from engine.text.words import is_wide

MOST_WORDS = 6  # words of a title
_MOST_OF_PHRASE, _MOST_OF_HEADING = 3, 3  # words of one phrase, and of a heading that names the subject
_MOST_SHARE = 0.7  # share of a sentence's letters from which a title says all of it again
_LONGEST_WORD = 32  # characters of a word in a title; longer ones are rather keys, paths and hashes
_TITLES = PatternFile(
    __package__,
    "titles.toml",
    "token breaks quoted identifier contraction doing hash number verb third_person me heading_number heading_end",
)
_WORDS = PatternFile(__package__, "titles.toml", "links doers joins", "words")
_LINKS, _DOERS, _JOINS = map(_WORDS.words, ("links", "doers", "joins"))


class _Phrase(msgspec.Struct, frozen=True):
    """Adjacent words of a sentence, their weight and the place of the first."""

    words: tuple[str, ...]
    worth: float
    start: int


class _Token(msgspec.Struct, frozen=True):
    """A word, its weight (0 for a small word), and whether punctuation separates it from the word before."""

    text: str
    weight: float
    start: int
    parted: bool

    @property
    def is_name(self) -> bool:
        return bool(_TITLES["identifier"].search(self.text)) or self.text[:1].isupper()


def entry_title(sentences: Sequence[str], heading: str = "") -> str:
    """Makes a title from the noun phrases of an entry's sentences and the heading above them, if any."""
    parts = [_best_phrases(_without_reason(statement(sentence))) for sentence in sentences[:2]]
    named, first = _heading_words(heading), parts[0][: 3 - len(parts)]
    if heading and not named:
        words = tuple(token.text for token in _tokens(_TITLES["heading_number"].sub("", heading)))
        named = words[: 4 if len(words) == 4 else _MOST_OF_HEADING]
    if named:
        more = [phrase.words for phrase in parts[0] if _fold(phrase.words) - _fold(named)]
        return _written([named, *more[:1]], sentences, headed=True)
    first = sorted(first, key=lambda phrase: phrase.start)
    if passage := _passage(_without_reason(statement(sentences[0])), first):
        return passage
    chosen = [phrase.words for phrase in first]
    return _written([*chosen, *(phrase.words for part in parts[1:] for phrase in part[:1])], sentences)


def _passage(text: str, phrases: Sequence[_Phrase]) -> str:
    """Returns the words from the first of two phrases to the second if nothing but prepositions and articles stands
    between, as in "queue before a migration"; else nothing."""
    if len(phrases) != 2:
        return ""
    before, after = phrases
    words = text[before.start :].split()[: len(before.words) + len(after.words) + 2]
    told = " ".join(words[: next((at for at, word in enumerate(words, 1) if word.startswith(after.words[-1])), 0)])
    told = told[: told.rfind(after.words[-1]) + len(after.words[-1])]
    between = told.casefold().split()[len(before.words) : -len(after.words)]
    is_one = not _TITLES["breaks"].search(told) and set(between) <= _JOINS | ARTICLES
    return told[:1].upper() + told[1:] if between and is_one and len(told.split()) <= MOST_WORDS else ""


def _without_reason(text: str) -> str:
    """Cuts a sentence before its reason, if two words are left: a reason is no subject."""
    reason = WORDS["reason"].search(text)
    before = text[: reason.start()].strip(" ,，") if reason else text
    return before if sum(token.weight > 0 for token in _tokens(before)) > 1 else text


def _written(phrases: Sequence[tuple[str, ...]], sentences: Sequence[str], *, headed: bool = False) -> str:
    """Joins phrases to a title: a subject and its aspect. `headed`: the first phrase is the heading."""
    if not phrases:
        return _first_words(sentences[0])
    first, *more = phrases
    if len(first) < 2 and not more and not is_wide(first[0]):
        # A word alone names too much: of the speaker's own it says so.
        return f"User – {first[0]}" if _TITLES["me"].match(sentences[0]) else _first_words(sentences[0])
    fitting = [words for words in more[:1] if len(first) + len(words) <= MOST_WORDS]
    told = " – ".join(map(_joined, (first, *fitting)))
    if fitting and not headed and _MOST_SHARE * len(_bare("".join(sentences))) < len(_bare(told)):
        told = _joined(first)
    return told if _TITLES["identifier"].search(first[0]) else told[:1].upper() + told[1:]


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _joined(words: Sequence[str]) -> str:
    return ("" if all(map(is_wide, words)) and not _HANGUL.search(words[0]) else " ").join(words)


def _first_words(sentence: str) -> str:
    """Returns the first words of a sentence without a known noun."""
    text = statement(sentence)
    return " ".join([token.text for token in _tokens(text)][:MOST_WORDS]) or text


_HANGUL = re.compile("[가-힣]")


def _fold(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)


def _heading_words(heading: str) -> tuple[str, ...]:
    """Returns the words of a short heading; none of a long one."""
    text = _TITLES["heading_end"].split(_TITLES["heading_number"].sub("", heading), maxsplit=1)[0].strip(" #*_")
    words = tuple(token.text for token in _tokens(text))
    telling = [token for token in _tokens(text) if token.weight]
    return words if len(telling) > 0 and len(words) <= _MOST_OF_HEADING and len(text) <= 40 else ()


def _best_phrases(text: str) -> list[_Phrase]:
    """Returns the phrases of a sentence, the heaviest first, without repeats."""
    chosen: list[_Phrase] = []
    for phrase in sorted(_phrases(text), key=lambda phrase: (-phrase.worth, phrase.start)):
        if all(_fold(phrase.words) - _fold(other.words) for other in chosen):
            chosen.append(phrase)
    return chosen


def _phrases(text: str) -> Iterator[_Phrase]:
    """Yields phrases between small words, and quoted phrases whole."""
    for match in _TITLES["quoted"].finditer(text):
        words = tuple(match["text"].split())
        if 1 < len(words) <= MOST_WORDS - 2:
            yield _Phrase(words, 1.5, match.start())
    for number, run in enumerate(_runs(_tokens(_TITLES["quoted"].sub(_blank, text)))):
        for tokens in _cut_run(run):
            weight = sum(token.weight for token in tokens) ** 0.5
            names = 0.3 * sum(token.is_name for token in tokens[:2])
            # A capital by its place alone: rather a verb, or one adjective.
            names -= 0.6 * (len(tokens) == 1 and tokens[0].start == 0 and tokens[0].text.istitle())
            yield _Phrase(tuple(token.text for token in tokens), weight + names - 0.2 * number, tokens[0].start)


def _blank(match: re.Match[str]) -> str:
    """Replaces several quoted words by a break of the same length; keeps a single one."""
    return match[0] if len(match["text"].split()) < 2 else "|" * len(match[0])


def _runs(tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    """Yields runs of adjacent significant words, with a small word that links two of them."""
    run: list[_Token] = []
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        linked = run and token.text.lower() in _LINKS and after is not None and after.weight and not after.parted
        if run and (token.parted or not (token.weight or linked)):
            yield run
            run = []
        if token.weight or (run and linked):
            run.append(token)
    if run:
        yield run


def _cut_run(run: list[_Token]) -> Iterator[list[_Token]]:
    """Splits a run at apparent verbs, and a long run into its name and its last words."""
    parts: list[list[_Token]] = [[]]
    for token, after in zip(run, [*run[1:], None], strict=True):
        inside = bool(parts[-1]) and not token.is_name and after is not None and after.weight > 0
        if inside and _TITLES["third_person"].search(token.text):
            parts.append([])
            continue
        if inside and _TITLES["verb"].search(token.text):
            parts.append([])
        parts[-1].append(token)
    for part in parts:
        yield from _short_enough(part)


def _short_enough(part: list[_Token]) -> Iterator[list[_Token]]:
    linked = next((at for at, token in enumerate(part) if not token.weight), 0)
    if len(part) <= _MOST_OF_PHRASE or (len(part) == _MOST_OF_PHRASE + 1 and linked):
        if part:
            yield part
    elif linked:
        yield from _short_enough(part[:linked])
        yield from _short_enough(part[linked + 1 :])
    else:
        yield part[-2:]
        yield part[: 1 if part[0].is_name else 2]


def _tokens(text: str) -> list[_Token]:
    """Splits a text into weighed words, at blanks or as its script does."""
    words = {word.start: word for word in topic_words(text, language_of(text))}
    found, end = list[_Token](), 0
    for match in _TITLES["token"].finditer(text):
        parted = bool(_TITLES["breaks"].search(text[end : match.start()]))
        end = match.end()
        if is_wide(match[0]) and not _HANGUL.search(match[0]):
            for chunk, start in wide_chunks(match[0]):
                found.append(_Token(chunk, 1.0, match.start() + start, parted or start > 0))
                parted = False
        elif len(match[0]) <= _LONGEST_WORD:
            own = [words[at] for at in range(match.start(), end) if at in words]
            name = own[0].text if own and _HANGUL.search(match[0]) else match[0]
            found.append(_Token(name, _weight(match, own, found, parted), match.start(), parted))
    return found


def _is_told(before: Sequence[_Token], parted: bool) -> bool:
    """Tells whether a word follows its doer and so is a verb: "I recently bought", "we've planned"."""
    for token in () if parted else reversed(before[-3:]):
        word = token.text.casefold()
        if word in _DOERS or _TITLES["doing"].search(word):
            return True
        if token.parted or not (word in ASKED or word.endswith("ly")):
            return False
    return False


def _weight(match: re.Match[str], own: Sequence[TopicWord], before: Sequence[_Token], parted: bool) -> float:
    """Weighs a word for a title; 0 for a small word and an apparent verb."""
    word = match[0]
    folded = word.casefold()
    small = folded in ASKED
    if not small and not parted and before and before[-1].text.casefold() in ARTICLES and folded.isalpha():
        return 1.0  # behind an article even a word that most texts have is a noun: "the change", "a job"
    if small or folded in WEAK or _TITLES["contraction"].search(word) or _is_told(before, parted):
        return 0.0
    if _TITLES["number"].fullmatch(word):
        return 0.6 if before and before[-1].weight and not parted else 0.0
    # A word before a comma or at the end is no verb of what follows it.
    is_last = match.end() == len(match.string) or bool(_TITLES["breaks"].match(match.string, match.end()))
    weight = max((max(near.weight, 0.9 * is_last) for near in own), default=0.0)
    if weight >= LIKE_A_NOUN:
        return weight
    named = word[:1].isupper() and bool(before) and not parted and word.casefold() not in NO_NAME and len(word) > 1
    if _TITLES["hash"].fullmatch(word) or not (named or _TITLES["identifier"].search(word) or "-" in word):
        return 0.0
    return 0.7
