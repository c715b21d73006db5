"""All rules of poison in one row: what has no language first, then five languages."""

from engine.text.poison.rules import chinese, commands, english, french, german, shapes, spanish, speakers
from engine.text.poison.rules.rule import PoisonRule

RULES: tuple[PoisonRule, ...] = (
    *shapes.RULES,
    *commands.RULES,
    *speakers.RULES,
    *english.RULES,
    *german.RULES,
    *chinese.RULES,
    *spanish.RULES,
    *french.RULES,
)
