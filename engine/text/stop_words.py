"""The one home of stop words that several packages read: words that a text is not about (`stop_words.toml`). Words that
never name a topic are `engine/compactor/semantic/stop_words.toml`: they are that decision's own (A24)."""

from engine.text.pattern_file import PatternFile

WORDS = PatternFile(
    __package__,
    "stop_words.toml",
    "english german asking clitics particles function function_spelled korean_endings told no_name abbreviations",
    "words",
)
ENGLISH, GERMAN = WORDS.words("english"), WORDS.words("german")
SMALL = ENGLISH | GERMAN  # the small words of both Latin languages
ASKED = SMALL | WORDS.words("clitics") | WORDS.words("asking")
"""Words that a query is not about. Those that ask are rare in notes, and would count for much there."""
PARTICLES = frozenset(WORDS.texts["particles"])
FUNCTION = PARTICLES | frozenset(WORDS.texts["function"])
"""Characters of Chinese by which a query says nothing, particles and others."""
FUNCTION_SPELLED = WORDS.words("function_spelled")  # words that these characters spell all the same
KOREAN_ENDINGS = frozenset(WORDS.texts["korean_endings"])
TOLD = SMALL | WORDS.words("told")
"""Words that a node of the tree is not about: small words, small talk, and the headings that memdeck writes."""
NO_NAME = WORDS.words("no_name")
"""Words with a capital, by their place or as headings and speakers, that begin and end no name of a thing."""
