"""The one home of stop words that several packages read: words that a text is not about, by language and by use.

Words that never name a topic are `engine/compactor/semantic/stop_words.py`: they are that decision's own (A24).
"""

# A table of words reads better than a list of quoted ones.
ENGLISH = frozenset(
    """
    a about after all also am an and any are as at be because been before but by can could did do does for from had has
    have he her here him his how i if in into is it its just me more my no not now of on one only or our out over she
    should so some such than that the their them then there these they this to up us was we were what when where which
    while who will with would you your
    """.split()  # noqa: SIM905
)
GERMAN = frozenset(
    """
    aber alle als am an auch auf aus bei bin bis das dass dem den der des die dies diese dieser doch du durch ein eine
    einem einen einer eines er es für haben hat hatte ich ihr im in ist ja jetzt kann kein keine können man mehr mein
    mich mit muss nach nicht noch nun nur ob oder ohne sehr sein sich sie sind so über um und uns unter vom von vor war
    waren was weil wenn werden wie wieder wir wird wurde wurden zu zum zur
    """.split()  # noqa: SIM905
)
SMALL = ENGLISH | GERMAN
"""The small words of both Latin languages."""

_ASKING = "why whom whose warum weshalb wieso wann wo wer wem wen wessen welche welchem welchen welcher welches"
ASKED = SMALL | frozenset({"m", "s", "t", "ve", "re", "ll", "d", "don"}) | frozenset(_ASKING.split())
"""Words that a query is not about. Those that ask are rare in notes, and would count for much there."""

PARTICLES = frozenset("的了吗呢吧啊呀嘛么们")
FUNCTION = PARTICLES | frozenset(
    "我你您他她它这那哪些谁什怎是在有和与跟给把被就也都还又很要会能可以曾经过着一个几多少为何如"
)
"""Characters of Chinese by which a query says nothing, particles and others."""
FUNCTION_SPELLED = frozenset("了解 目的 的确 的士 公的 为了".split())  # noqa: SIM905
"""Words that these characters spell all the same."""
KOREAN_ENDINGS = frozenset("은는이가을를의에도로와과만다요")
"""Particles that follow a Korean word, or ends a verb as a dictionary has it."""

TOLD = SMALL | frozenset(
    """
    i'm i've i'd i'll it's that's let's don't can't won't didn't doesn't isn't aren't i’m i’ve i’d it’s that’s don’t
    you're you've they're we're we've there's here's what's really also like get got going go make made want need
    know think thinking good great thanks thank sure yes ok okay well maybe lot bit something anything things thing
    way much many even still around able try trying using use used new any help please would could should being
    does doing done having here very too let look looking sounds sound idea ideas tips recommend recommendations
    suggestions suggest wondering definitely since while both each other others another same own few most
    user assistant request analysis outcome decisions references
    """.split()  # noqa: SIM905
)
"""Words that a node of the tree is not about: small words, small talk, and the headings that memdeck writes."""

NO_NAME = frozenset(
    """
    i ok ai am pm monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december montag dienstag mittwoch donnerstag freitag samstag sonntag januar
    februar märz mai juni juli oktober dezember user assistant agent request decision outcome analysis todo note open
    done status result hi hey hello wow yes no okay thanks the this that these those it he she we they you my your our
    what when where why how who which there here and but so also for in on at if as by to of
    """.split()  # noqa: SIM905
)
"""Words with a capital, by their place or as headings and speakers, that begin and end no name of a thing."""
