"""Words that say nothing about a topic, in seven languages (`stop_words.toml`)."""

from engine.text.pattern_file import pattern_file
from engine.text.stop_words import ENGLISH, GERMAN

_WORDS = {name: frozenset(words.split()) for name, words in pattern_file(__package__, "stop_words.toml").items()}
ARTICLES, BEFORE_VERB, GERMAN_AFTER_NOUN = (_WORDS[name] for name in ("articles", "before_verb", "german_after_noun"))
BEFORE_NOUN = ARTICLES | _WORDS["before_noun"]
WEAK = ENGLISH.union(GERMAN, *(_WORDS[name] for name in ("english", "german", "french", "spanish")))
CHINESE, JAPANESE, KOREAN = (_WORDS[name] for name in ("chinese", "japanese", "korean"))
