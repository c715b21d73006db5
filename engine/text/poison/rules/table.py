"""All rules of poison in one row: what has no language first, then five languages."""

from engine.text.poison.rules import chinese, english, french, german, shapes, spanish
from engine.text.poison.rules.rule import PoisonRule

RULES: tuple[PoisonRule, ...] = (
    *shapes.RULES,
    *english.RULES,
    *german.RULES,
    *chinese.RULES,
    *spanish.RULES,
    *french.RULES,
)
