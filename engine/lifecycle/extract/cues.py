"""The words by which a sentence is of a kind, in English, German and Chinese: data only, one alternative a line.

What decisions, lessons and outcomes are said by is in `engine.models.cues`; here stands what conversations add to it,
the kinds that it has not, and what takes a sentence out again.
"""

from engine.lifecycle.extract.entry import EntryKind

KINDS: dict[EntryKind, str] = {
    EntryKind.CORRECTION: r"""
        ^(?:nope|wrong|not like that|that'?s (?:wrong|not right|incorrect|not what))\b
        ^no[,.:] (?:don'?t|do not|not|never|use|it|that|this|the|you|these|those)\b
        ^actually,? .{3,60}\bnot\b
        ^(?:stop|don'?t|do not) (?:\w+ing|call|use|add|write|say|put)\b
        ^you (?:forgot|misunderstood|keep|got (?:it|that) wrong)\b
        \bi(?:'ve| have)? (?:already )?(?:told you|said)(?: it)?(?: already| before| that)?\b
        ^(?:nein|falsch|so nicht|das (?:ist|war) falsch|das stimmt nicht)\b
        ^eigentlich .{3,60}\bnicht\b
        ^(?:hör auf|sag nicht|nenn mich nicht)\b
        ^du hast (?:schon wieder |wieder )?(?:\w+ ){0,3}(?:vergessen|übersehen|verwechselt)
        ^ich habe (?:es |das )?(?:dir )?(?:schon|bereits) (?:\w+ )?gesagt
        ^(?:不对|错了|不是这样|别叫|不要再|你又|你忘了|我说过|其实.{2,20}不是)
    """,
    EntryKind.PREFERENCE: r"""
        \bi(?:'d| would)? (?:always |really )?(?:prefer|rather)\b
        ^i (?:always |really )?(?:like my|hate|dislike|don'?t like|do not like)\b
        ^i (?:always |only )?want (?:the|all)\b
        \bmy (?:favou?rite|preferred) [\w -]{2,40}? (?:is|are)\b
        ^(?:please )?(?:always|never) (?:answer|use|write|send|ask|call|keep|reply|give)\b
        ^(?:please )?keep (?:the|your|it|my) \w+ (?:tone |style )?(?:formal|short|informal|brief|simple)
        ^please (?:always|never)\b
        \bich (?:bevorzuge|mag|hasse|liebe|möchte (?:die|den|das|immer|keine?n?)|will (?:immer|nie|keine))\b
        \b(?:am liebsten|bekomme lieber|habe lieber|arbeite lieber|lieber (?:eine|einen|ein|kurz|lang))\b
        ^bitte (?:\w+ ){0,4}(?:immer|nie|niemals|stets)\b
        ^(?:schreib|antworte|verwende|nutze|sprich)\w* (?:\w+ ){0,4}(?:immer|nie|stets)\b
        我(?:更|最|很|不|都)?(?:喜欢|偏好|讨厌|习惯)|我(?:希望|总是要|宁愿|只要)|请(?:一直|总是|始终|不要|别)
    """,
    EntryKind.PROCEDURE: r"""
        \b(?:first|start by)\b.{3,}\b(?:then|next|after that|finally)\b
        ^(?:to|in order to) \w+ [^,.:]{2,50}[,:] (?:run|open|press|hold|restart|put|create|click|type|set|delete|call)\b
        ^(?:how (?:we|to) [^:?]{2,50}: )
        ^(?:the way to|the steps? (?:to|for|are)|whenever .{3,60}, (?:delete|run|start|restart|open|check|use|press))\b
        \berst\b.{3,}\bdann\b
        ^um .{3,60} zu \w+, \w+
        ^(?:so \w+ wir [^:?]{1,40}: )
        ^(?:zum|zur) [^,.]{3,80}(?:drücken|halten|legen|starten|schieben|öffnen|ausführen)\b
        ^immer wenn .{3,60}(?:starten|löschen|öffnen|drücken|prüfen)
        ^[^:?]{3,40}: [^,]{3,40}(?:öffnen|anlegen|starten|ausführen|drücken), .{3,}
        (?:步骤|流程|方法)(?:是|：|:)|先.{2,40}(?:再|然后|最后)|的时候，.{2,30}(?:然后|再)
    """,
    EntryKind.PERSON: r"""
        \b(?:is|was|as) (?:our|my|the|a) (?:new |main |former )?(?:\w+ )?(?:manager|lead|lawyer|doctor|landlord|\
            contact|boss|colleague|accountant|designer|developer|director|nurse|teacher|assistant|client|customer|\
            point of contact)\b
        \bour (?:landlord|lawyer|boss|accountant|contact) is\b
        \bmy (?:wife|husband|sister|brother|mother|father|son|daughter|partner|boss|colleague)\b.{0,30}\b(?:is|has|\
            works|lives|was)\b
        ^\p{N}.{0,30}, (?:my|our) (?:wife|husband|sister|brother|mother|father|son|daughter|partner|boss|colleague),
        ^\p{N}.{0,30}\b(?:works (?:in|at|for|as)|leads|runs|manages|handles|maintains|moved to|lives in|reports to)\b
        ^(?:call|ask|contact|write to) \p{N}\w+.{3,}\b(?:he|she|they) (?:\w+)
        \b(?:ist|war) (?:unser|unsere|mein|meine|der|die|ein|eine) (?:neue[rn]? )?(?:\w*manager(?:in)?|leiter(?:in)?|\
            anwalt|anwältin|ärztin|arzt|ansprechpartner(?:in)?|chef(?:in)?|kolleg(?:e|in)|vermieter(?:in)?|\
            \w*pfleger(?:in)?)\b
        \bunsere? (?:vermieter|anwalt|chef|ansprechpartner)(?:in)? (?:ist|heißt)\b
        \bmeine? (?:frau|mann|schwester|bruder|mutter|vater|sohn|tochter|chef|kollege|kollegin)\b.{0,30}\bist\b
        ^\p{N}.{0,30}, meine? (?:frau|mann|schwester|bruder|mutter|vater|sohn|tochter|kollege|kollegin),
        ^\p{N}.{0,30}\b(?:arbeitet (?:in|bei|als|für)|leitet|führt|kümmert sich um|betreut|ist nach .{2,30}gezogen)\b
        ^(?:ruf|frag|schreib) \p{N}\w+.{3,}\b(?:er|sie)\b
        是我们?(?:新)?的.{0,6}(?:经理|律师|医生|联系人|房东|老板|同事|负责人|妹妹|姐姐|哥哥|弟弟|妻子|丈夫)
        我们?的(?:妻子|丈夫|妹妹|姐姐|哥哥|弟弟|父亲|母亲|老板|同事|房东)
        (?:负责|领导|管理)(?:所有|数据|维护|设计|.{0,6}(?:团队|工作室|合同|部门))|那边的联系人|的律师|在.{1,10}部工作|，(?:她|他)负责
    """,
    EntryKind.FACT: r"""
        \b(?:our|the|my) [\w .-]{2,60}\b(?:is|are|runs on|lives in|expires on|starts at|costs|belongs to|\
            listens on)\b.{0,60}(?:\d|\bcalled\b|https?://)
        \b(?:the|our|my) \w+ (?:lives in|runs on|is stored in) .{0,40}[\w-]+-[\w-]+
        \b(?:version|port|limit|budget|number|address|hours|deadline|domain|bucket|minimum)\b.{0,60}\
            \b(?:is|are|expires|runs)\b.{0,40}\w
        ^\w+ \d+ is the (?:minimum|maximum|current|latest)\b
        \b(?:the|der|die|das|unser|unsere|mein|meine) .{2,60}\b(?:ist|sind|heißt|lautet|läuft|liegt|beträgt|\
            erlaubt|kostet)\b.{0,60}(?:\d|\w+-\w+|\bund steht\b)
        \b(?:mindestens|höchstens) \w+ \d+ (?:nötig|erlaubt)
        (?:端口|税号|编号|限制|预算|位置|地址|办公室|域名|版本|时间|名字).{0,20}(?:是|为|叫|在|到期).{1,30}
    """,
}
"""The words of each kind. `\\p{N}` stands for a capital letter that begins a name."""

EXTRA_DECISION = r"""
    \b(?:we|i)(?:'ve| have)? (?:decided|picked|chose|agreed|replaced|rejected)\b
    \bthe decision is\b
    ^decided (?:against|to|on|for)\b
    ^(?:final )?decision:
    ^adopted\b
    ^let's go with\b
    \bwe(?:'re| are) (?:switching|going with|moving to)\b
    ^abgemacht\b
    \bdie entscheidung ist\b
    \b(?:so|das) (?:ist |haben wir )?(?:beschlossen|vereinbart|festgelegt)\b
    \bhaben wir abgelehnt\b
    我们?(?:决定|选择了|选定|采用|否决|定了|把.{1,20}换成了)|最终决定|决定是|已商定|选定了|从今天起采用|暂时否决
"""
EXTRA_LESSON = r"""
    ^(?:lesson|takeaway|note to self|root cause)\b
    ^never (?:run|push|deploy|trust|start)\b
    \bthe key was to\b
    \bwe learned\b
    ^(?:erkenntnis|faustregel|merke|lehre)\b
    \bnie (?:tagsüber|ohne|vor|während)\b
    教训|经验是|原来是|学到了|根本原因是|终于明白|^记住
"""
EXTRA_JOURNAL = r"""
    \bi(?:'ve| have)? (?:just )?(?:booked|cancelled|canceled|created|uploaded|fixed|closed|merged|deployed|removed)\b
    \bwe (?:shipped|closed|finished|launched)\b
    ^(?:deployed|uploaded|fixed|merged|created|removed|released|closed|installed|updated) (?:the|all|both|it|\d)
    ^the [\w ]{3,40} (?:failed|crashed|broke) because\b
    ^(?:the )?tests pass again\b
    ^the [\w ]{3,40} is finished\b
    \bich habe .{3,80}(?:gebucht|gekündigt|angelegt|behoben|hochgeladen)
    \b(?:sind|ist) (?:hochgeladen|abgeschlossen|ausgeliefert|fehlgeschlagen|seit \w+ unterschrieben)
    ^die tests laufen wieder\b
    \bwir haben .{3,60}\bausgeliefert\b
    我(?:订好了|取消了)|(?:创建|上传|迁移|部署)(?:了|完成)|(?:完成|通过|签好|上线|修复)了|已经(?:修复|部署|上线|创建)|失败了
"""

REJECTED = r"""
    ^(?:if|suppose|supposing|imagine|assuming|what if|in case|falls|angenommen|stell dir vor|was wäre|wenn|sobald)\b
    ^(?:如果|假如|假设|要是|万一|倘若)
    \b(?:maybe|perhaps|might|not sure|i wonder|wondering|no idea|i only thought|only an idea|forget it)\b
    \b(?:vielleicht|eventuell|ich frage mich|weiß (?:es )?nicht|vergiss es|nur (?:eine idee|ein gedanke)|könnten wir)\b
    也许|可能会|不确定|不知道|算了|只是(?:想想|一个想法)|是否|要不要|会怎样
    \b(?:not|never|n't)(?: yet| really)? (?:been )?(?:decided?|agreed?|chosen|settled|going with|shipped)\b
    \b(?:noch nicht|nie|nicht) .{0,40}(?:entschieden|beschlossen|geeinigt)
    \bwir nehmen .{2,30} doch nicht\b
    \bbleiben wir nicht\b
    没有?决定|还没|没定|不选.{0,8}了|从来没有
    \b(?:he|she|they|somebody|someone|forum|document|agency|er|sie|jemand|agentur|dokument)\b.{0,30}\
        \b(?:said|says|claims?|wrote|writes|asked|asks|told me|sagte|sagt|behauptet|schrieb|schreibt|fragt|steht)\b
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
    扮演|故事|写一首|笑话|哈哈
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
