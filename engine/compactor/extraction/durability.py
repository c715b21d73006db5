"""Selects sentences that say something lasting by themselves; offline extraction passes over others (decision G9).

Stricter than pollution, and asked only of sentences that a program chose: what a person wrote below
`## Extracted Insights` was meant to last.
"""

import re

FEWEST_WORDS = 3
"""Words of a sentence that is more than a fragment (decision A16), in scripts that write blanks."""
FEWEST_WIDE = 6
"""Words, or characters of a script without blanks, from which a sentence says something by itself."""

_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

_LEANING_WORDS = (
    "by the way|also|actually|speaking of|aside from|anyway|so|but|and|or|oh|wow|haha|plus|still|besides|however|then"
    "|he|she|they|his|her|their|these|those|that|this|them|übrigens|aber|und|also|außerdem|dann|das|sie|er"
)
_LEANING_WIDE = (
    r"顺便|而且|但是|不过|然后|同时|当然|是啊|嗯|哈哈|这|那|他|她|它|ちなみに|でも|しかし|そして|それ|これ"
    r"|그리고|하지만|그런데|그래서|이것|그것"
)
_ADVICE = "important|better|best|safer|necessary"
_LEANING = re.compile(rf"(?i)^(?:(?:{_LEANING_WORDS})\b|it\b(?!(?:'s| is) (?:{_ADVICE})\b)|(?:{_LEANING_WIDE}))")

_LEANING_OBJECT = re.compile(
    r"(?i)^\W*(?:\S+\s+){1,4}(?:it|them|those|these|(?:this|that) one(?!\s[a-z]))\b(?!\s+(?:is|was)\b)"
    r"|\b(?:some|all|one|both|most|lot|ton|few|many) of them\b|\b(?:previous|last|other|first|new|old) one\b"
    r"|^(?:for|with|about|like|as for) [^,，]*$|\bthat (?:area|topic|thing|kind|sort)\b(?! of)"
    r"|\bthis (?:topic|project|one|idea|reason|area|case|plan)\b"
)
"""A pronoun near the start stands for something that only the sentence before names."""
_MOODS = (
    "excited|looking|planning|thinking|curious|hoping|wondering|considering|trying|going|glad|happy|sorry|not sure|sure"
    "|still|getting|interested|also"
)
_DEEDS = (
    "just|recently|actually|also|already|been|think|thought|guess|hope|wish|love|liked?|want|wanted|tried|used|went|got"
    "|bought|made|baked|had|did|saw|watched|started|was|could|might|need"
)
_WHEN = (
    r"yesterday|today|tomorrow|tonight|lately|last (?:week|weekend|night|month|\w+day)|this (?:morning|week\w*|evening)"
    r"|next (?:week|weekend|time,? (?:i|we))|gestern|heute|morgen|neulich|letzte woche"
)
_RELATIVE = re.compile(
    rf"(?i)\b(?:{_WHEN}|\w+ (?:days?|weeks?|months?|years?) ago|recently|just|now|currently|for the (?:past|last) \w+"
    r"|kürzlich|neulich|seit|vor \w+ (?:tagen|wochen|monaten|jahren)|hier|aujourd'hui|demain|récemment|il y a|ayer|hoy"
    r"|mañana|hace)\b|昨天|今天|明天|上周|上个月|最近|昨日|今日|先週|어제|오늘|지난"
)
_PASSING = re.compile(
    rf"(?i)^i(?:'m| am) (?:\w+ly )?(?:{_MOODS})\b|^i(?:'ve| have)? ?(?:{_DEEDS})\b"
    rf"|^i(?:'ll|'d| will| would) (?!(?:always|never) (?!be\b)|prefer)|^i reali[sz]ed (?:that )?i\b|\b(?:{_WHEN})\b"
    r"|\bturned out (?:\w+ )?(?:\w+ )?(?:well|great|amazing|good|perfect|delicious|fine)\b"
    r"|昨天|今天|明天|昨日|今日|明日|最近|刚才|刚刚|さっき|어제|오늘|내일|최근|방금"
)

_ONE_DAY = re.compile(
    r"(?i)\b(?:today|yesterday|tonight|this (?:morning|afternoon|evening|week|weekend)"
    r"|last (?:night|\w+day)|just (?:got back|realized|realised|remembered)"
    r"|i(?:'ve|’ve| have)(?: got)? (?:an?|another|one more|some|a few|more|two) (?:\w+ )?questions?"
    r"|(?<!every )(?<!each )on (?:mon|tues|wednes|thurs|fri|satur|sun)day\b(?! (?:morning|evening|night)s)"
    r"|for (?:a few|a couple of|two|three|several) days|on \w+day this week|heute|gestern|aujourd'hui|hier soir"
    r"|hoy|ayer)\b|今天|昨天|今日|昨日|오늘|어제|我有(?:一?个|点)?(?:烦恼|问题|疑问|想法)"
)
_THOUGHT = re.compile(
    r"(?i)i(?:'m|’m| am)(?: also| still| just| actually| now)*"
    r" (?:thinking|considering|wondering|hoping|debating|curious)\b"
)
_TALK = re.compile(
    r"(?i)\b(?:(?:good ?)?bye|see you|thank you|thanks for|congratulations|nice to meet|your company)\b"
    r"|\b(?:chat|talk|speak|catch up)(?: to you| with you)? (?:again|later|soon|next time)\b"
    r"|^(?:remember|don't forget|make sure|be sure) to\b.*\b(?:you|your|yourself)\b|\bpace yourself\b"
    r"|\b(?:auf wiedersehen|tschüss|bis bald|bis morgen|danke|vielen dank)\b"
    r"|[你您]|再见|再聊|下次见|谢谢|あなた|ありがとう|またね|さようなら|당신|고마워|감사합니다|안녕"
)
"""Said to somebody. Chinese, Japanese and Korean notes of one's own do without a word for `you`."""


def says_something(text: str, fewest_words: int = FEWEST_WORDS) -> bool:
    """Tells whether `text` is more than a fragment: enough words, or characters where words have no blanks."""
    return len(text.split()) >= fewest_words or len(_WIDE.findall(text)) >= FEWEST_WIDE


def is_wide(text: str) -> bool:
    """Tells whether `text` is of a script whose words have no blanks between them."""
    return bool(_WIDE.search(text))


def speaks_of_a_day(text: str) -> bool:
    """Tells whether a sentence counts time from the day it was said on: `today`, `three weeks ago`, `gestern`."""
    return bool(_RELATIVE.search(text))


def fleeting_rules(text: str) -> tuple[str, ...]:
    """The rule by which a stated fact is passed over: it tells of one day, or of a thought, and says nothing later."""
    return ("a passing event or mood",) if _ONE_DAY.search(text) or _THOUGHT.match(text) else ()


def leaning_rules(text: str) -> tuple[str, ...]:
    """The rule by which a stated fact is passed over: what it is about was named before it."""
    return ("leans on what was said before",) if _LEANING.search(text) or _LEANING_OBJECT.search(text) else ()


def passing_rules(text: str) -> tuple[str, ...]:
    """The rules by which a sentence that nobody chose is passed over."""
    found = []
    if not says_something(text):
        found.append("fragment")
    if _LEANING.search(text):
        found.append("leans on what was said before")
    if _PASSING.search(text):
        found.append("a passing event or mood")
    if is_talk(text):
        found.append("said to somebody")
    return tuple(found)


def is_talk(text: str) -> bool:
    """Tells whether a sentence greets, thanks or asks somebody, and says nothing of the matter."""
    return bool(_TALK.search(text))
