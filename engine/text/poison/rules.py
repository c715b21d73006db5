"""The rules of poison as data: RE2 patterns, by rule and language.

In a pattern a blank stands for any blanks and markup between two words, and `…` for up to 60 characters of the same
sentence. Accents and case do not count: text and patterns are folded alike.
"""

import msgspec


_EARLIER = r"(?:previous|prior|above|earlier|preceding|system|safety)"
_ORDERS = r"(?:instructions?|rules|messages?|prompts?|guidelines)"
_CONSENT = r"(?:approval|permission|confirmation)"


class Rule(msgspec.Struct, frozen=True):
    """Patterns of one rule; a match does not count where `unless` matches the sentence it stands in."""

    name: str
    patterns: tuple[str, ...]
    unless: str = ""


RULES: tuple[Rule, ...] = (
    Rule(
        "instruction",
        (
            rf"\b(?:ignore|disregard|forget|override) (?:(?:all|any|the|your|of|my) ){{0,4}}{_EARLIER} {_ORDERS}",
            r"\byou must now\b",
            rf"\b(?:never|do not|don't|no need to|stop) (?:ask|wait)(?:ing)? for (?:\w+ )?{_CONSENT}",
            r"\bignorier\w* … (?:vorherige\w*|bisherige\w*|obige\w*|fruhere\w*) (?:anweisung|regel|instruktion)",
            r"(?:忽略|无视|忘记)…(?:之前|以前|先前|上述|以上|前面)…(?:指令|指示|规则|提示)",
            r"\b(?:ignora|olvida)\w* … (?:instrucciones|reglas|ordenes) (?:anteriores|previas)",
            r"\b(?:ignore|oublie)\w* … (?:instructions|consignes|regles) (?:precedentes|anterieures)",
        ),
    ),
    Rule(
        "conditional",
        (
            r"\b(?:when|whenever|once|if) (?:the )?(?:user|operator|human) next (?:say|ask|write|type|mention)s?\b",
            r"\bif (?:anyone|anybody|someone|somebody) asks\b",
        ),
    ),
    Rule(
        "command",
        (
            r"\b(?:curl|wget|iwr)\b[^\n|]{0,200}\|\s{0,4}(?:sudo )?(?:ba|z|da)?sh\b",
            r"\bmemdeck (?:apply|approve|policy|undo)\b[^\n]{0,60}--yes\b",
            r"\bpip3? install\b[^\n]{0,80}--(?:extra-)?index-url",
            r"\brm -(?:rf|fr) (?:/|~|\$HOME|\*)",
            r"\bpowershell(?:\.exe)? [^\n]{0,60}-e(?:nc|c|ncodedcommand)? ",
        ),
    ),
    Rule("data-url", (r"!\[[^\]\n]{0,200}\]\(https?://[^)\s]{0,400}\?[^)\s]{0,400}[{$<]",)),
    Rule(
        "role-marker",
        (r"</?(?:system|assistant|human)>", r"<\|im_(?:start|end)\|>", r"\[/?INST\]", r"(?:^|\n)\s*SYSTEM:"),
    ),
    Rule(
        "forged-provenance",
        (r"<!-- ?(?:from|source) ", r"(?:^|\n)[\s>-]{0,9}trust: ?operator", r"(?:^|\n)[\s>-]{0,9}approved: ?true"),
    ),
    Rule("managed-marker", (r"<!-- ?(?:memdeck|openclaw|hipocampus)[:-]",)),
    Rule(
        "authority", (r"\b\w+ is an administrator\b", r"\boperator (?:has )?approved\b", r"\bsecrets may be posted\b")
    ),
)
