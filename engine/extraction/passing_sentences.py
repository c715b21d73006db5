"""Tells which sentences of a person are over with their session: requests, roles, pasted text, words of reaction."""

import re
from functools import cache

from engine.models.cue_matcher import alternatives

_REQUESTS = r"""
    (?:(?:now|then|next|also|and|so|please|ok|okay|hi|hey|hello)[,.!]?\s+)*(?:i|we)(?:'d|’d| would| will)? (?:really )?\
        (?:want|need|like|expect|ask) (?:you|chatgpt|gpt|claude) to\b
    (?:role|task|instructions?|prompt|tone|style)\s*[:：]
    (?:you(?:'re| are|’re| will be| must| should)|act|behave|pretend|respond|answer|imagine|assume)\
        (?: now| going to be)? (?:as|like|be|being|that|a|an|the|my|in|with|to|only)\b
    your (?:task|job|role|goal|response|answer|output)\b
    (?:please |now |then |next |also |finally, |and |can we )*(?:write|give|make|create|list|summari[sz]e|rewrite\
        |rephrase|translate|explain|generate|suggest|provide|describe|draft|compare|analy[sz]e|show|tell|act|answer\
        |respond|format|recreate|come up with|help|complete|continue|estimate|turn|convert|expand|extend|shorten\
        |improve|assist|include|imagine|pick|recommend|outline|design|brainstorm|discuss|elaborate|proofread\
        |paraphrase|classify)\
        (?: (?:me|us|a|an|the|this|these|it|in|some|more|again|out|as|with|of|\d+|what|how|why|my|your)\b|\s*$|\s*[:：])
    (?:start|begin|continue|go on|proceed|stop|repeat)(?: with)? (?:the|this|that|it|again|from)\b
    (?:what|who|whom|whose|why|how|which)(?! (?:i|we)\b)(?: \w+)? (?:is|are|was|were|do|does|did|can|could|should\
        |would|will|to)\b(?![^:?]{1,60}: )
    (?:where|when) (?:is|are|was|were|do|does|did|can|could|should|would|will)\b
    (?:can|could|would|will|do|does|did|is|are|was|were|should|shall|may|have|has) \
        (?:you|i|we|it|there|they|he|she|the)\b
    i(?:'m|’m| am) (?:so |really |very |just )?(?:glad|happy|relieved|sorry|sad) to (?:hear|know)\b
    (?:examples?|ideas?|overview|list|summary) (?:of|for|on)\b
    (?:use|using) (?:this|these|that|the (?:following|above))\b
    (?:bitte )?(?:schreibe?|gib|nenne|erstelle?|erkläre?|übersetze?|zeige?|mach|liste|fasse?)\b(?: \w+)? \
        (?:mir|uns|einen?|eine|das|den|die|diese[ns]?|\d+)\b
    (?:du bist|deine (?:aufgabe|rolle)|ich (?:möchte|will), dass du|stell dir vor)\b
"""
_REACTIONS = r"""
    (?:wow|oh|ah|yum|haha|ha|hmm|well|great|good|nice|yes|yeah)?[,.!]?\s*(?:it|that|this)(?:'s|’s| is| was| sounds\
        | seems)(?: \w+){0,2} (?:good|great|nice|interesting|amazing|fascinating|disheartening|sad|cool|helpful\
        |reassuring|crazy|incredible|frustrating|inspiring|shocking|surprising|fantastic|wonderful|encouraging\
        |comforting|unfortunate|concerning|impressive|awesome|relief|shame|pity|point)\b
    (?:good|great|nice|glad|happy|relieved|sad|interesting) to (?:know|hear|see|learn)\b
    (?:wow|yum|oh)\b[,!]
    (?:that|it|this) (?:makes|make) (?:\w+ )?(?:\w+ )?sense\b
    (?:es|das) ist (?:so |sehr |wirklich )?(?:gut|schön|interessant|schade|toll|spannend)(?:,| zu)
"""
_LASTING = r"(?!.*\b(?:always|never|from now on|in (?:the )?future|immer|niemals|nie|ab (?:jetzt|sofort)|künftig)\b)"
"""A request that holds for later sessions is a rule."""
_ASIAN = r"""
    (?:(?<![申邀聘宴])请|請|麻烦|幫我|帮我|告诉我|給我|给我|写一|寫一|你是一|你現在|你现在|假设你|假設你|你的任务|你的任務|我(?:想|要|希望)[你您])
    (?:あなたは|次の文|以下の)|(?:して|教えて|書いて|作って)ください
    당신은|(?:해|알려|써|만들어) ?(?:주세요|줘)
"""
_ASKED = r"""
    \b(?:can|could) (?:decide|you)\b
    \bkann ich .{0,20}entscheiden
    可以替你|你可以
    ^(?:remind|tell|give|show|create|explain|write|make|find|leg|erinnere|erzähl|zeig|erklär|gib|schreib (?:ein|mir))\b
    ^(?:请?提醒我|给我|帮我|建一个|讲个|写一|建议|下面是)
    \bi(?:'d| would) recommend\b
    \bich empfehle\b
    ^(?:you (?:could|can|might)|du (?:könntest|kannst)|here are|hier sind)\b
"""
"""A request in its shortest form, and advice: a summary may keep such a sentence, an entry is not made of it."""
_FIRST_PERSON = (
    r"(?i)\b(?:i|i'm|im|i've|my|mine|myself|me|we|our|ours|us|ich|mein\w*|mir|mich|wir|uns|unser\w*|je|mon|ma|mes|nous|notre"
    r"|nos|yo|mi|mis|nosotros|nuestr\w+)\b|\bj['’]|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
_OPENS_QUOTE = re.compile(r"[\"“„«‘](?!.*[\"”“»’])")


def is_passing(sentence: str) -> bool:
    """Tells whether a sentence asks for something, gives a role, or says no more than what the answer was worth."""
    return bool(
        _request().match(sentence)
        or _OPENS_QUOTE.match(sentence)
        or (_reaction().match(sentence) and not is_own(sentence))
    )


def is_asked(sentence: str) -> bool:
    """Tells whether a sentence asks for something, however shortly, gives a role or advises."""
    return bool(_asked().search(sentence) or _request().match(sentence))


def is_own(sentence: str) -> bool:
    """Tells whether a sentence speaks of the one who says it; in scripts that leave the person out each one may."""
    return _first_person().search(sentence) is not None


@cache
def _request() -> re.Pattern[str]:
    return re.compile(rf"(?i)\s*{_LASTING}(?:{alternatives(_REQUESTS)}|.{{0,12}}?(?:{alternatives(_ASIAN)}))")


@cache
def _asked() -> re.Pattern[str]:
    return re.compile(alternatives(_ASKED), re.IGNORECASE)


@cache
def _reaction() -> re.Pattern[str]:
    return re.compile(rf"(?i)\s*(?:{alternatives(_REACTIONS)})")


@cache
def _first_person() -> re.Pattern[str]:
    return re.compile(_FIRST_PERSON)
