"""The rules of the classifier in words for the operator (`rule_words.toml`)."""

from engine.text.pattern_file import pattern_file

RULE_WORDS: dict[str, str] = pattern_file(__package__, "rule_words.toml")
