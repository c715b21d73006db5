"""A rule by which a line of ROOT or of a node reads as something said, and not as a list of words.

A line reads if at least half of its phrases do. A phrase reads if it holds a verb, or is a title with its outcome, and
if its telling words follow each other as they do in the sources: four of five pairs of neighbours stand in one sentence
there, with at most two telling words between them. A verb is a common verb of English or German, or has the ending of
one; in Chinese, Japanese and Korean it is a common verb or its ending. A title with its outcome is `title: text`, or
`title [type, done]`.
"""

import re
from collections.abc import Iterable, Iterator

from engine.tree.browse.drill import stems

RULE = " ".join((__doc__ or "").split("\n\n")[1].split())
APART = 3
_VERBS = frozenset(
    """
    is are was were be been being am has have had do does did can could will would should must may might shall
    go goes went gone get gets got make makes made take takes took see saw seen read reads write wrote written run runs
    ran keep keeps kept hold holds held lose lost win won buy bought sell sold pay paid meet met find found give gave
    think thought know knew say said tell told put set cut hit let leave left begin began break broke build built
    catch caught choose chose come came cost costs drive drove eat ate fall fell feel felt fly flew forget forgot grow
    grew hear heard learn learnt lead led lend mean means meant need needs open opens play plays prefer prefers live
    lives like likes love loves use uses wear wore want wants wake woke work works fix fixes move moves stay stays spend
    spent sing sang sleep slept speak spoke stand stands stood teach taught send sent show shows start starts stop stops
    swim swam try tries turn turns wait waits walk watch watches ship ships shut split draw drew beat bring brought
    ist sind war waren bin bist hat habe haben hatte hatten wird werden wurde wurden kann können soll sollen muss müssen
    will wollen geht gehen ging kommt kam macht machen gibt gab bleibt blieb läuft lief steht stand liegt heißt nimmt
    """.split()  # noqa: SIM905  (a table reads better than a list of quoted words)
)
_ENDING = re.compile(r"(?i)[a-z]{2,}(?:ed|ing|ied)\Z|(?:ge[a-zäöü]{2,}(?:t|en)|[a-zäöü]{3,}(?:ierte?|iert))\Z")
_WIDE = re.compile(
    r"[是有在了过去来做买卖吃喝看读写学想要会能说让给用喜爱叫住玩听参加决定开始完成准备推荐觉得知道发现建议]"
    r"|(?:する|した|して|です|ます|だった|いる|ある|った|んだ|きた|れた)"
    r"|[다요까](?:\W|\Z)|(?:했|였|었|았|한다|하다|하는|해서)"
)
_TITLE = re.compile(r"\A[^:：]{2,80}[:：] \S|\[\w+, done\]")
_FRONT = re.compile(r"\A- (?:(?:[\w.%~/-]+:\d+(?:-\d+)? )+|\d{4}-[\w~-]+: )?(?:[^\[\]]{1,80} \[[^\[\]]+\]:? ?)?")


class Reader:
    """Judges lines by the rule, against the sentences of their sources."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._pairs = frozenset(pair for text in sources for line in text.split("\n") for pair in _pairs(line, APART))

    def reads(self, line: str) -> bool:
        if re.search(r"\[\w+, done\]", line):
            return True
        phrases = [one for one in _FRONT.sub("", line).split("; ") if one.strip()]
        return 2 * sum(map(self._is_said, phrases)) >= len(phrases) if phrases else False

    def _is_said(self, phrase: str) -> bool:
        words = re.findall(r"[\w'’]+", phrase)
        told = any(_is_verb(word) for word in words) or _WIDE.search(phrase) or _TITLE.search(phrase)
        return bool(told) and self._follows(phrase.rpartition(": ")[2])

    def _follows(self, phrase: str) -> bool:
        pairs = list(_pairs(phrase, 1))
        return 5 * sum(pair in self._pairs for pair in pairs) >= 4 * len(pairs)


def _pairs(text: str, apart: int) -> Iterator[tuple[str, str]]:
    words = stems(text)
    for place, one in enumerate(words):
        yield from ((one, other) for other in words[place + 1 : place + 1 + apart])


def _is_verb(word: str) -> bool:
    lower = word.casefold().replace("’", "'")
    plain = lower.partition("'")[0]
    short = lower.endswith(("'m", "'ve", "'re", "'ll", "'d", "n't"))
    return short or plain in _VERBS or (_ENDING.match(lower) is not None and lower.isalpha())
