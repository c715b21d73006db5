"""The words that take a sentence, a message or a decision out again, and how one is agreed to: data only."""

REJECTED = r"""
    ^(?:if|suppose|supposing|imagine|assuming|what if|in case|falls|angenommen|stell dir vor|was wäre|wenn|sobald)\b
    ^(?:如果|假如|假设|要是|万一|倘若)
    \b(?:maybe|perhaps|might|not sure|i wonder|wondering|no idea|i only thought|only an idea|forget it)\b
    \b(?:vielleicht|eventuell|ich frage mich|weiß (?:es )?nicht|vergiss es|nur (?:eine idee|ein gedanke)|könnten wir)\b
    也许|可能会|不确定|不知道|算了|只是(?:想想|一个想法)|是否|要不要|会怎样
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
    \b(?:can|could) (?:decide|you)\b
    kann ich .{0,20}entscheiden
    可以替你|你可以
    ^(?:remind|tell|give|show|create|explain|write|make|find|leg|erinnere|erzähl|zeig|erklär|gib|schreib (?:ein|mir))\b
    ^(?:请?提醒我|给我|帮我|建一个|讲个|写一|建议|下面是)
    \bi(?:'d| would) recommend\b
    \bich empfehle\b
    ^(?:you (?:could|can|might)|du (?:könntest|kannst)|here are|hier sind)\b
"""
"""Takes a sentence out: a hypothesis, doubt, what was withdrawn, negated or reported, a request, advice."""

PLAY = r"""
    \b(?:pretend|imagine you|role ?play|let'?s play|act (?:like|as)|in the (?:story|novel|film))\b
    \ba (?:poem|story|joke|song)\b
    \b(?:lol|haha+|rofl)\b
    \b(?:spiel(?:e)? (?:einen|eine)|rollenspiel|in der geschichte|(?:ein|einen) (?:gedicht|witz|lied))\b
    ^(?:please )?(?:translate|proofread|rephrase|paraphrase|summari[sz]e)\b[^:]{0,60}:
    ^(?:bitte )?(?:übersetze?|korrigiere?|formuliere?)\b[^:]{0,60}:
    ^请?(?:把.{0,10})?(?:翻译|润色|改写|校对)[^：:]{0,20}[：:]
    \bwrite (?:me )?(?:a|an|some) (?:dialogue|scene|monologue|script)\b
    \bschreib(?:e)? (?:mir )?(?:ein|eine|einen) (?:gespräch|dialog|szene|monolog)\b
    扮演|故事|写一首|笑话|哈哈|写一(?:段|篇)
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
    \b(?:i'm|i’m|i am) not (?:so )?sure\b|\bi doubt\b
    \b(?:my|our|the) \w+ (?:thinks|believes|guesses|suspects)\b
    \b(?:meine?|unsere?|der|die) \w+ (?:glaubt|meint|vermutet)\b|\bich bezweifle\b|我怀疑
    \bich bin (?:mir )?(?:noch )?nicht sicher\b
    ^no,? (?:(?:that's|that’s|that is|this is) (?:all|it|fine|okay|ok|good|great)|thanks|thank you)\b
    ^nein,? (?:danke|das (?:ist|war|wär)(?:'s|’s| alles)|doch nicht|alles gut)\b
    \b(?:like|as) i(?:'ve|’ve| have)? (?:already )?(?:said|told you|mentioned)\b|\bwie gesagt\b
    ^the (?:answer|question|point|problem) is\b
    ^不，?(?:谢谢|用了|没事)
    我不(?:太)?确定
"""
"""Takes a sentence out whatever its kind, a preference too."""
WITHDRAWN = r"""
    \b(?:scrap (?:that|it)|forget (?:that|it|about it)|never ?mind|(?:no|hmm|oh),? wait|wait,? no|on second thou?ghts?|\
        (?:i've |i’ve )?changed my mind|(?:hmm|oh)[,.] no\b|i need to think)\b
    \b(?:vergiss (?:das|es)|(?:ach|oh)[,.]? nein|nein[,.] (?:doch|lieber) nicht|doch lieber nicht|überleg(?:e)? es mir|\
        ich muss (?:noch|nochmal) (?:mal )?(?:drüber|darüber)|hab(?:e)? es mir anders überlegt)\b
    算了|还是(?:别|不)|先不定|再想想|收回(?:刚才|这)|不，(?:还是|先)
"""
"""Takes back what was decided just before it."""
