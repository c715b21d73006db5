"""The title of an entry: a statement of the sentence it comes from, without a lead-in (compactor §Entry Schema)."""

import re
from collections.abc import Sequence

from engine.compactor.extraction.durability import is_wide, says_something

LONGEST_TITLE = 80
"""Characters of an entry's title; half as many in Chinese, Japanese and Korean."""
TITLE_WORDS = 4
"""Characters a title may have, and words below which a clause makes none."""

_KINDS = (
    # English
    "insights?|lessons?(?: learn(?:ed|t))?|learnings?|takeaways?|principles?|rules?(?: of thumb)?|decisions?|decided"
    "|root causes?|causes?|reasons?|fix(?:es)?|solutions?|resolution|workarounds?|problems?|findings?"
    "|conclusions?|results?|outcome|facts?|notes?|note to self|remember|reminder|important|warning|caution|tip|tl;?dr"
    "|summary|update|gotcha|observation"
    # German
    "|erkenntnis(?:se)?|lektion|lehre|merke|merksatz|regel|faustregel|grundsatz|entscheidung|ursache|grund|lösung"
    "|behebung"
    "|problem|fazit|ergebnis|wichtig|hinweis|achtung|notiz|tipp|befund"
    # French
    "|leçons?(?: apprises?| tirées?)?|points? clés?"
    "|enseignements?|principes?|règles?|décisions?|causes?(?: profondes?| racines?)?"
    "|solutions?|correctif|problème|conclusion|résultat|à retenir|important|remarque|attention|constat|rappel"
    # Spanish
    "|lecci(?:ón|ones)(?: aprendidas?)?|aprendizajes?|principio|regla|decisi(?:ón|ones)|causas?(?: raíz)?"
    "|soluci(?:ón|ones)"
    "|arreglo|puntos? claves?|problema|conclusi(?:ón|ones)|resultado|importante|nota|recordatorio|ojo|hallazgo"
)
_WIDE_KINDS = (
    r"(?:(?:今天|今日|本次|这次|一句话|最大|最重要|关键|核心|主要)的?)?(?:关键(?:见解|教训|发现)?|核心(?:教训|见解)?|重要|教训"
    "|经验(?:教训|之谈)?|心得(?:体会)?|学到(?:的|了)?|踩坑|复盘|反思|收获|启示|原则|规则|结论|总结|决定|根本原因|原因|根因"
    "|解决(?:办法|方案|方法)?|修复|问题|发现|注意(?:事项)?|备注|提示|提醒|要点)"
    "|(?:(?:今日|今回|本日|最大|一番|重要|主)[のな]?)?(?:重要な?|教訓|学び|学んだこと|わかったこと|気づき|気づいたこと|知見|原則|ルール"
    "|結論|まとめ|決定(?:事項)?|根本原因|原因|解決策?|対策|問題|発見|注意点?|メモ|要点|ポイント)"
    "|(?:(?:오늘의|이번|가장 중요한|핵심|중요한|주요) ?)?(?:핵심|교훈|배운 (?:점|것)|깨달(?:음|은 점)|느낀 점|원칙"
    "|규칙|결론|결정(?: 사항)?|근본 원인|원인|해결책?|대책|문제|발견|주의(?: 사항)?|메모|요점|중요)"
)

_BEFORE = (
    r"(?:(?:the|my|our|a|one|key|main|big(?:gest)?|most important|important|core|critical|real|hard|first|second|third"
    r"|new|today's|wichtigste[rs]?|zentrale|neue|principale?|clé|leçon clé|points? clés?|clave|lecciones?)\s+){0,3}"
)
_LEAD_IN = re.compile(
    rf"(?i)^(?:[^\w\s]{{1,3}}\s*)?(?:\d{{1,2}}[.)、]\s*)?(?:{_BEFORE}(?:{_KINDS})(?: clés?| clave| principales?)?"
    rf"(?: (?:of the day|here|is|was|ist|war|est|es))?"
    rf"(?:\s?#?\d{{1,2}})?|{_WIDE_KINDS})\**\s*(?:[:：]|\s[–—-]\s|[–—](?=\S))\**\s*"
)
_CLAUSE = re.compile(
    r"\s+(?:because|since|so that|weil|damit|denn|parce que|porque)\s|\s[–—-]\s|[;:,.!?](?=\s)|[，。；：！？、]|\s\("
)
_CONDITION = re.compile(
    r"(?i)^(?:if|when|while|before|after|once|although|though|unless|until|during|since|as|for|with|in|on|at|by|from"
    r"|wenn|bevor|nachdem|falls|während|bei|seit|für|mit|si|quand|pendant|depuis|cuando|durante|desde)\b"
)
_BEGUN = re.compile(r"(?i)\s(?:and|but|und|aber|et|mais|y|pero)\s(?:the|a|an|my|our|der|die|das|le|la|el)\s[\w-]+$")
"""The subject of a further clause that is not in the head."""
_LISTED = re.compile(r"(?i)\b(?:an?|eine?n?|une?|una?) \w+$")
"""A comma behind `a softer` parts two adjectives, unless a clause begins behind it."""
_GOES_ON = re.compile(
    r"(?i)\s*(?:which|who|where|and|but|so|or|because|since|that|it|i|we|he|she|they|my|our|the|an?|to|for|in|on|at"
    r"|from|with|by|as|while|when|if|weil|der|die|das|und|aber|qui|et|mais|que|y|pero)\b"
)
"""Begins a clause behind a comma."""
_FIGURE = re.compile(r"\d+")
_OPENS = re.compile(
    r"(?i)\s(?:until|before|after|while|when|where|who|unless|if|that|which|and|or|but|und|oder|aber|bis|bevor|nachdem|dass|et|ou|avant|hasta"
    r"|quand|cuando|y|pero)\s"
)
"""A clause that is cut in the middle goes whole."""
_HALF = re.compile(
    r"(?i)\s(?:during|in|on|at|from|with|for|by|about|through|near|into|over|für|mit|von|bei|pour|avec|dans)"
    r"\s(?:(?:the|an?|my|our|his|her|their|some|this|that)\s)?[\w'’-]+$"
)
"""A place or a time of which the cut may have left but the first word: `during the Nordstrom`."""
_TRAILING = re.compile(
    r"(?i)(?:\s+(?:a|an|the|of|to|in|on|at|by|for|with|from|and|or|but|that|which|as|is|are|was|be|it|its|my|your|our|their"
    r"|his|her|this|these|those|than|then|so|until|before|after|into|over|not|no|do|does|has|have|had|will|would|can|could"
    r"|should|i|we|you|they|he|she|der|die|das|den|dem|ein|eine|und|oder|mit|von|zu|im|am|auf|für|ist|sind|nicht"
    r"|le|la|les|un|une|de|du|des|et|ou|el|los|las|una|y|o|que)[,;]?)+$"
)


def statement(sentence: str) -> str:
    """The sentence without what announces it: `Key insight:`, `Ursache:`, `À retenir :`, one after the other."""
    text, before = sentence.strip(), None
    while before != text:
        before = text
        text = _LEAD_IN.sub("", text, count=1).strip()
    return text or sentence


def short_title(sentence: str) -> str:
    """The sentence's first clause, or as many of its words as a heading bears; never more than it says itself."""
    text = statement(sentence)
    longest = LONGEST_TITLE // 2 if is_wide(text) else LONGEST_TITLE
    head = _first_clause(text, longest)
    if head and (len(text) > longest or len(_FIGURE.findall(head)) == len(_FIGURE.findall(text))):
        return _bare(head)
    if len(text) <= longest:
        return _bare(text)
    cut = text.rfind(" ", 0, longest + 1)
    shorter = text[: cut if cut > longest // 3 else longest]
    opens = max((match.start() for match in _OPENS.finditer(shorter)), default=0)
    return _without_trailing(shorter[:opens] if opens > longest // 3 else shorter)


def joint_title(sentences: Sequence[str]) -> str:
    """The title of an entry that states several facts: of two it names both where there is room."""
    if len(sentences) == 2 and names_both(*sentences):
        return _both(*sentences)
    return short_title(sentences[0])


def names_both(first: str, second: str) -> bool:
    """Tells whether one title has room for two facts."""
    both = _both(first, second)
    return len(both) <= (LONGEST_TITLE // 2 if is_wide(both) else LONGEST_TITLE)


def _both(first: str, second: str) -> str:
    return f"{short_title(first)}; {short_title(second)}"


def _first_clause(text: str, longest: int) -> str:
    """The first clause that fits and says something by itself; a condition or a time needs what follows it."""
    if _CONDITION.search(text):
        return ""
    for match in _CLAUSE.finditer(text):
        head = text[: match.start()]
        if len(head) > longest:
            break
        if _LISTED.search(head) and match[0] == "," and not _GOES_ON.match(text, match.end()):
            continue
        head = _BEGUN.sub("", head)
        if says_something(head, TITLE_WORDS):
            return head
    return ""


def _without_trailing(text: str) -> str:
    """`text` without the small words that a cut leaves hanging at its end, unless little else is left."""
    shorter = _TRAILING.sub("", _HALF.sub("", text))
    return _bare(shorter if says_something(shorter, TITLE_WORDS) else text)


def _bare(text: str) -> str:
    return text.strip().rstrip(" .,;:!?，。；：！？、–—-") or text.strip()
