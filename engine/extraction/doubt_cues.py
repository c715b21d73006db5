"""The words that take a sentence, a message or a decision out again, and how one is agreed to: data only."""

CONDITIONAL = r"""
    ^(?:(?:but|and|so|aber|und|also) )?(?:if|suppose|supposing|imagine|assuming|what if|in case|hypothetically|\
        falls|angenommen|stell dir vor|\
        was wäre|wenn|sobald)\b
    ^(?:如果|假如|假设|要是|万一|倘若)
"""
"""Opens a hypothesis, which says nothing, or the case in which steps are taken."""

_FORGET = r"""
    \bforget it\b|\bvergiss es\b
"""

REJECTED = (
    _FORGET
    + r"""
    \b(?:maybe|perhaps|might|i wonder|wondering|no idea|i only thought|only an idea)\b
    \b(?:vielleicht|eventuell|ich frage mich|weiß (?:es )?nicht|nur (?:eine idee|ein gedanke)|könnten wir)\b
    也许|可能会|不确定|不知道|算了(?![，,][^。，？]{0,10}不)|只是(?:想想|一个想法)|是否|要不要|会怎样
    (?:\b(?:not|never)|n['’]t)(?: yet| really| quite)? (?:been )?(?:decided?|agreed?|chosen|settled|going with|\
        shipped)\b
    \b(?:noch nicht|nie|nicht) .{0,40}(?:entschieden|beschlossen|geeinigt)
    \bwir nehmen .{2,30} doch nicht\b
    \bbleiben wir nicht\b
    做出.{0,4}决定|会考虑|没有?决定|还没|没定|不选.{0,8}了|从来没有
    \b(?:he|she|they|somebody|someone|forum|document|agency|er|sie|jemand|agentur|dokument)\b.{0,30}\
        \b(?:said|says|claim(?:s|ed)?|wrote|writes|asked|asks|told me|sagte|sagt|behauptet|schrieb|schreibt|fragt|\
        steht)\b
    (?:他|她|有人|文件里?|公司)(?:们)?(?:说|写|问|写着|问我们)
    \b(?:angeblich|es heißt|apparently|allegedly|reportedly|supposedly|rumou?r has|gerüchteweise)\b
    \b(?:nobody|no one|noone|niemand|keiner) (?:\w+ ){0,3}(?:said|says|told|decided|gesagt|behauptet|hat)\b
    \bi(?:'ve|’ve| have)? (?:just )?(?:read|heard|saw)(?: that| they| he| she| about| somewhere| an? (?:article|\
        report|study|post|book|video))\b
    \b(?:im|in der|in dem|in einem) \w+ (?:steht|hieß es|heißt es|stand)\b
    \bcompanies (?:which|that|who)\b
    \b(?:er|sie|man) (?:meinte|meint|erzählte|sagte)\b
    \bin (?:the|my|a|this) (?:book|novel|movie|film|story|show)\b|\bim (?:roman|film|buch|krimi)\b
    据说|听说|传说|传闻|据传
    先别|再(?:比|想|看|考虑)
"""
)
"""Takes a sentence out: doubt, what was withdrawn, negated or reported. Requests are in `passing_sentences`."""

PLAY = r"""
    \b(?:pretend|imagine you|role ?play|let'?s play|act (?:like|as)|in the (?:story|novel|film))\b
    \b(?:write|tell|give|make|compose|create|invent)\b.{0,24}\ba (?:\w+ ){0,2}(?:poem|story|joke|song)\b
    ^a (?:\w+ )?(?:poem|story|joke|song)\b|\b(?:poem|story|joke|song):
    \byou(?:'re|’re| are) now (?:an? |the )?\w
    (?:现在|从现在起)你是
    \b(?:lol|haha+|rofl)\b
    \b(?:spiel(?:e)? (?:einen|eine)|rollenspiel|in der geschichte|(?:ein|einen) (?:gedicht|witz|lied))\b
    ^(?:please )?(?:translate|proofread|rephrase|paraphrase|rewrite|reword|polish|edit|correct|\
        summari[sz]e)\b[^:]{0,60}:
    ^(?:bitte )?(?:übersetze?|korrigiere?|formuliere?)\b[^:]{0,60}:
    ^请?(?:把.{0,10})?(?:翻译|润色|改写|校对)[^：:]{0,20}[：:]
    \bwrite (?:me )?(?:a|an|some) (?:\\w+ )?(?:story|poem|dialogue|scene|monologue|script)\b
    \bschreib(?:e)? (?:mir )?(?:ein|eine|einen) (?:gespräch|dialog|szene|monolog|\w*geschichte|gedicht|lied|märchen)\b
    扮演|(?:讲|写|编|说|来)[^，。]{0,8}故事|故事里|故事中|写一首|笑话|哈哈|写一(?:段|篇)
"""
"""Takes a whole message out: its statements are about no world of the operator's."""

AFFIRMED = r"""
    ^(?:yes|yep|yeah|ok(?:ay)?|agreed|go ahead|do it|do that|sounds good|perfect|exactly)\b
    ^(?:ja|einverstanden|machen wir|mach das|gut so|genau|passt|in ordnung)\b
    ^(?:好的?|同意|可以|就这样|行|对)
"""
PROPOSAL = r"""
    \b(?:i (?:suggest|propose)|i recommend (?:that )?we|we could|shall we|should we|how about we)\b
    \blet'?s (?:use|go with|keep|take|switch|choose|adopt)\b
    \b(?:ich schlage vor|wir könnten|sollen wir|sollten wir)\b
    建议|我们可以|要不要|不如
"""
BUT = r"""
    \b(?:but|however|except|instead|not)\b
    \b(?:aber|jedoch|sondern|nicht)\b
    但|不过|不
"""
DOUBT = r"""
    ^(?:maybe|perhaps|possibly|vielleicht|eventuell|womöglich|也许|或许|可能|大概)
    \bnot (?:so )?sure\b|\bi doubt\b
    \b(?:my|our|the) \w+ (?:thinks|believes|guesses|suspects)\b
    \b(?:meine?|unsere?|der|die) \w+ (?:glaubt|meint|vermutet)\b|\bich bezweifle\b|我怀疑
    \bich bin (?:mir )?(?:noch )?nicht sicher\b
    ^no,? (?:(?:that's|that’s|that is|this is) (?:all|it|fine|okay|ok|good|great)|thanks|thank you)\b
    ^nein,? (?:danke|das (?:ist|war|wär)(?:'s|’s| alles)|doch nicht|alles gut)\b
    \b(?:like|as) i(?:'ve|’ve| have)? (?:already )?(?:said|told you|mentioned)\b|\bwie gesagt\b
    ^the (?:answer|question|point|problem) is\b
    ^不，?(?:谢谢|用了|没事)
    我不(?:太)?确定
    \b(?:to see|and see|i'll see|find out) (?:which|what|how|if|whether)\b
"""
"""Takes a sentence out whatever its kind, a preference too."""
WITHDRAWN = (
    _FORGET
    + r"""
    \b(?:scrap (?:that|it)|forget (?:that|about it)|never ?mind|(?:no|hmm|oh),? wait|wait,? no|on second thou?ghts?|\
        (?:i've |i’ve )?changed my mind|(?:hmm|oh)[,.] no\b|i need to think)\b
    \b(?:vergiss das|(?:ach|oh)[,.]? nein|nein[,.] (?:doch|lieber) nicht|doch lieber nicht|überleg(?:e)? es mir|\
        ich muss (?:noch|nochmal) (?:mal )?(?:drüber|darüber)|hab(?:e)? es mir anders überlegt)\b
    算了|还是(?:别|不)|先不定|再想想|收回(?:刚才|这)|不，(?:还是|先)
"""
)
"""Takes back what was decided just before it."""

ADVISED = r"""
    \b(?:you|your|you're|you’re|you'll|you’ll|you've|you’ve|let me know|i'm sure|i’m sure|dein\w*|du|ihre[nrms]?|\
        ihnen)\b
    ^(?:consider|ultimately|here's|here’s|here are|conclusion|lesson \d|in general|enjoy|remember|choose|using|\
        warming)\b
    ^(?:he|she|they|it|this|these|in [A-Z]\w+)\b
    你|您
"""
"""Takes an agent's sentence out: advice to the one who asked, and what is told of nobody in this session."""

OURS = r"""
    ^(?:agreed|decided|settled)\b
    ^(?:lessons? learned|merke|erkenntnis)\b|^lesson: .*\b(?:always|never)\b|教训是
    \b(?:i|we|our|us|my|team|ich|wir|uns|unser\w*|vereinbart|besprochen|abgemacht|as (?:agreed|discussed))\b
    我|咱|团队|已(?:商定|决定)|按照?(?:约定|商定)
    \b(?:was|were|war|waren|lag|hatte)\b .{0,60}\b(?:because|weil|since|durch|an|ein|eine)\b|root cause|ursache|原因
"""
"""An agent's decision or lesson is of this session where it says who decided, or why something was so."""
