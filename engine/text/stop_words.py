"""The one home of stop words that several packages read: words that a text is not about (`stop_words.toml`). Words that
never name a topic are `engine/compactor/semantic/stop_words.toml`: they are that decision's own (A24)."""

from engine.text.pattern_file import pattern_file

_WORDS = pattern_file(__package__, "stop_words.toml")
ENGLISH, GERMAN = (frozenset(_WORDS[name].split()) for name in ("english", "german"))
SMALL = ENGLISH | GERMAN  # the small words of both Latin languages
ASKED = SMALL | frozenset({"m", "s", "t", "ve", "re", "ll", "d", "don"}) | frozenset(_WORDS["asking"].split())
"""Words that a query is not about. Those that ask are rare in notes, and would count for much there."""
PARTICLES = frozenset(_WORDS["particles"])
FUNCTION = PARTICLES | frozenset(_WORDS["function"])
"""Characters of Chinese by which a query says nothing, particles and others."""
FUNCTION_SPELLED = frozenset(_WORDS["function_spelled"].split())  # words that these characters spell all the same
KOREAN_ENDINGS = frozenset(_WORDS["korean_endings"])
TOLD = SMALL | frozenset(_WORDS["told"].split())
"""Words that a node of the tree is not about: small words, small talk, and the headings that memdeck writes."""
NO_NAME = frozenset(_WORDS["no_name"].split())
"""Words with a capital, by their place or as headings and speakers, that begin and end no name of a thing."""
