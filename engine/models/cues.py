"""The words that speak for a decision, an outcome, an insight and so on: data only, one alternative of RE2 a line
(a backslash at its end goes on in the next).

`LATIN` is matched as whole words and without regard to case, `CJK` anywhere. `plan` and `rule` are weaker signs of a
decision and an insight, which count in a person's own words but not in an assistant's advice. A `not_` row takes a
sentence out again: what is asked, hoped for, or still open was not decided. `small_talk` is nothing but that, from
end to end. `advice` names what an assistant recommends. `loose` sentences lean on the one before.
"""

from typing import Literal

Cue = Literal[
    "decision", "plan", "not_decision", "insight", "rule", "not_insight",
    "outcome", "fact", "open", "chat", "small_talk", "request", "advice", "loose",
]  # fmt: skip

LATIN: dict[Cue, str] = {
    "decision": r"""
        decid(?:ed|es) (?:to|on|that|against|not to|for|in favou?r|we|i|it)
        (?:we|i|they|he|she|team)(?:'ve|’ve| have| has|'s|’s)?(?: all| both| finally| just)? (?:decided|chose|\
            agreed|opted|settled|ruled out)
        (?:was|were|is|are|been) (?:decided|agreed|chosen|settled|rejected|ruled out|postponed|deferred)
        (?:final )?decisions?:
        (?:the|our|my|final) decision (?:is|was|to|that|on)
        (?:chose|opted|settled) (?:to|on|for|not to)
        agreed (?:to|on|that|with .{2,40} (?:to|that|on)|not to)
        (?:chose|picked|selected) .{2,80} (?:over|instead of|rather than)
        (?:switched|migrated|converted|changed|moved) (?:over )?from .{2,60} to
        (?:we|team|have|has)(?:'ve|’ve| have)? (?:switched|migrated|converted|replaced)
        (?:approved|rejected|ruled out|adopted|postponed|deferred|abandoned) (?:the|a|an|in favou?r|until|for|\
            because|as)
        dropp?(?:ed|ing) (?:support|the idea|the plan|plans)
        (?:haben|hat|habe|hatten|wurde|wurden|ist|sind|wird) .{0,160}(?:entschieden|beschlossen|festgelegt|\
            vereinbart|gewählt|verworfen|vertagt)
        (?:entschieden|beschlossen|vereinbart|festgelegt|geeinigt|entschlossen)
        (?:entschied|beschloss|einigten|entschieden) (?:sich|wir|uns|mich|das|der|die)
        (?:entscheidung|entscheidungen|beschluss|beschlüsse):
        (?:die|der|unsere|meine) (?:entscheidung|beschluss) (?:ist|war|fiel|lautet)
        (?:entscheidung|beschluss) (?:für|gegen|zugunsten)
        (?:auf|zu|von) .{2,60} (?:umgestiegen|gewechselt|umgestellt)
        (?:abgelehnt|verworfen|vertagt|verschoben auf)
    """,
    "plan": r"""
        (?:i'll|i’ll|we'll|we’ll|i will|we will|let's|let’s|definitely) go with
        (?:we're|we’re|we are|we) (?:now |definitely )?(?:going|went) with
        (?:switching|migrating|moving|changing|switch|migrate) (?:over )?from .{2,60} to
        (?:we|team|agent|service|project|system)(?:'ll|’ll| will| are going to|'re going to|’re going to) (?:now |\
            only |no longer |always )?(?:use|keep|adopt|drop|stay|switch|stop|replace|run|store|ship|move|not)
        (?:i'll|i’ll|i will|i'm going to|i’m going to) (?:stay with|stick with|stick to|switch|go with|replace|\
            drop|adopt)
        will (?:be using|use|stay with|stick with)
        will no longer (?:use|support|run|ship|accept|need|store|send)
        stick(?:ing)? (?:with|to) (?:the|our|plain|what)
        instead of using
        no longer (?:use|using|support|supported|needed|run)
        (?:wir|ich|man|team) (?:nehmen|nehme|nutzen|nutze|verwenden|verwende|wechseln|wechsle|bleiben|bleibe|setzen|\
            setze|behalten|behalte|verzichten|verzichte) .{0,80}(?:statt|anstatt|anstelle|auf|bei|weiterhin|künftig)
        künftig (?:nur|wird|werden|nutzen|verwenden|nehmen)
    """,
    "not_decision": r"""
        (?:not|never|\pL+n't|\pL+n’t|nothing|yet to|still to|cannot) (?:yet |really |quite )?(?:been )?(?:decide|\
            decided|\
            agreed|chosen|settled|sure)
        undecided
        i (?:think|guess|suppose|believe)(?: that)? (?:i|we)
        i (?:think|guess|suppose|believe) .{1,80}(?:i|we)(?:'ll|’ll| will| could| might)
        (?:i|we|they)(?:'ll|’ll| will| would|'d|’d)? (?:probably|usually|normally|often|might|may|maybe)
        now that (?:i|we|they)(?:'ve|’ve| have)? (?:finally )?(?:decided|chosen|agreed|settled)
        (?:glad|happy|proud|sorry|regret)(?: that)? (?:i|we) made (?:the|that|this) decision
        (?:ich|wir) (?:denke|denken|glaube|glauben|vermute|vermuten),? (?:ich|wir|dass)
        (?:vielleicht|wahrscheinlich|vermutlich) .{0,20}(?:nehmen|nehme|nutzen|nutze|wechseln|wechsle|bleiben|bleibe)
        (?:nehme|nehmen|nutze|nutzen|wechsle|wechseln|bleibe|bleiben) (?:ich|wir) (?:wohl|vielleicht|wahrscheinlich)
        (?:should|shall|can|could|do|did|would|will|may|might) (?:we|i|you|they) .{0,40}(?:decide|agree|choose|\
            go with|switch|use|pick|replace|stick)
        (?:need|needs|have|has|want|wants|trying|struggling|must|help me|help you|hard|difficult|time|ready|able|\
            how) to (?:decide|agree|choose|pick|settle|select)
        help (?:me|you|us) (?:decide|choose|pick)
        (?:if|whether|once|before|until|unless|when|in case) (?:we|i|you|they|you've|you’ve|i've) (?:have |\
            finally )?(?:decide|decided|agree|agreed|choose|chose|go with|switch|switched|use)
        decision (?:is )?(?:pending|open|needed|outstanding|still|making|tree|maker|makers)
        (?:to be|tbd|yet) decided
        (?:considering|thinking of|wondering|not sure|unsure|leaning|undecided)
        settled (?:in|into|down)
        (?:maybe|perhaps) (?:we|i|they)
        (?:nicht|noch nicht|nichts|nie|kein|keine) .{0,40}(?:entschieden|beschlossen|vereinbart|festgelegt|geeinigt)
        (?:müssen|sollten|sollen|sollte|muss|können|könnten|wollen) .{0,80}(?:entscheiden|beschließen|festlegen|\
            wählen|einigen)
        unentschieden
        (?:entscheidung|beschluss) (?:steht |ist )?(?:noch |weiterhin )?(?:aus|offen|vertagt)
        ob (?:wir|ich|sie|man|das team)
        ^(?:falls|sobald|bevor|wenn) (?:wir|ich|sie|man|das team)
    """,
    "outcome": r"""
        (?:done|fixed|resolved|solved|shipped|deployed|released|merged|closed|finished|completed|delivered|launched|\
            landed)
        (?:failed|fails|broke|broken|crashed|rolled back|reverted|cancelled|canceled|aborted|timed out|lost|outage|\
            incident)
        (?:now|finally) (?:works?|passes|runs|green|stable)
        (?:works|working|green|passing|stable) (?:now|again)
        (?:outcome|result|results|resulted)
        (?:reduced|increased|dropped|improved|grew|fell|rose|cut|went|down|up) (?:by|from|to) (?:[\pN$€£]|about|\
            around|under|over|nearly|roughly)
        (?:implemented|set up|installed|rewrote|rewritten|added|removed|upgraded|migrated|enabled|disabled)
        (?:bought|booked|signed|paid|hired|graduated|scheduled|ordered|attended|visited|adopted|won|earned|raised)
        (?:erledigt|behoben|gelöst|fertig|abgeschlossen|ausgeliefert|veröffentlicht|geschlossen|umgesetzt|\
            eingerichtet|eingeführt)
        (?:fehlgeschlagen|gescheitert|zurückgerollt|zurückgesetzt|abgebrochen|abgestürzt|ausgefallen|ergebnis|\
            ausfall|störung)
        läuft (?:jetzt|wieder|nun|stabil)
        (?:gekauft|gebucht|bezahlt|unterschrieben|begonnen|gestartet|gesunken|gestiegen|migriert|aktualisiert|\
            entfernt|ergänzt)
    """,
    "insight": r"""
        lessons?(?: learned| learnt)?(?::| is| was| here| from)
        lessons? (?:learned|learnt)
        (?:we|team)(?:'ve|’ve| have| has)? (?:learned|learnt|concluded|found out) (?:that|the hard way|not to)
        i(?:'ve|’ve| have)? (?:learned|learnt|concluded) (?:that|the hard way|not to)
        (?:we|team)(?:'ve|’ve| have| has)? (?:realised|realized) that
        learn(?:ed|t) (?:that|the hard way)
        ^(?:key )?(?:takeaways?|insights?|principles?|conclusions?|learnings?|rules?|lesson)(?: is| was| here)?:
        rule of thumb
        root causes?
        the (?:real|actual|underlying) (?:cause|reason|problem|bug|issue) (?:is|was)
        (?:it|that|this|which) turn(?:s|ed) out
        turn(?:s|ed) out (?:that|to)
        (?:in hindsight|in retrospect|note to self)
        (?:gelernt|lektion|lektionen|lehre|lehren|erkenntnis|erkenntnisse|grundsatz|faustregel|fazit|schlussfolgerung)
        (?:merke|regel|merken):
        (?:ursache|grund) (?:war|ist|des|der|für|lag|dafür|hierfür)
        (?:im nachhinein|rückblickend)
        (?:stellte|stellt) sich heraus
        hat sich (?:herausgestellt|gezeigt|bewährt)
    """,
    "rule": r"""
        must (?:always|never|not|only)
        (?:should|do) (?:always|never)
        (?:we|you|they|it|agent|team)(?:'ll|’ll| will) (?:always|never)
        (?:can|may) never
        ^(?:always|never) \pL+
        (?:always|never) (?:use|run|check|set|test|verify|deploy|commit|store|keep|trust|assume|ask|write|read|make|\
            let|put|call|pin|log|rely|do|edit|push|merge|restart|back|confirm|start|wait|send|share|leave|close|\
            skip|mix|pass|include|add|cache|validate|escape|quote|retry|hard-?code|print|install|delete|touch|change)
        ^(?:please )?(?:don't|don’t|do not) (?:schedule|deploy|use|run|commit|merge|push|restart|edit|send|share|trust|\
            assume|rely|mix|retry|delete|touch|change|ship|release|start|install|update|upgrade|put|store|log|call|\
            book|order|wake|page|promise|e-?mail|publish|skip|leave|reuse|hard-?code)
        (?:next time|from now on|going forward|best practice|as a rule)
        ^in (?:the )?future
        (?:should|must|will not|won't|won’t|do not|don't|don’t) .{2,80} in (?:the )?future
        (?:is|was|works|are|worked) (?:better|best|safer|safest|more reliable|faster|cheaper) (?:to|when|if|\
            with|without)
        (?:is|are|works) (?:better|safer|more reliable) than
        important to (?:remember|keep)
        (?:only works|breaks|fails|works only) (?:if|when|unless|whenever|with|without)
        the (?:trick|key|fix|catch|secret) (?:is|was) (?:to|that)
        (?:^|we )prefer .{2,80} (?:over|to|instead)
        (?:künftig|in zukunft|ab sofort|ab jetzt|nächstes mal|beim nächsten mal)
        (?:immer|niemals|nie) (?:erst|zuerst|vorher|vor|nur|mit|ohne|auf|die|den|das|eine|einen|ein|direkt|am|im)
        (?:darf|dürfen|sollte|sollten|muss|müssen|soll|sollen) (?:man |wir |ich )?(?:nie|niemals|immer|stets)
        wichtig (?:ist|war|dabei)
    """,
    "not_insight": r"""
        lesson plans?
        (?:bucket list|open to|(?:excited|exciting) (?:to|about|that|for))
        ^(?:always|never) (?:mind|ever|been|had|an?|the|my|happy|glad|good|nice|great|fun|wanted|loved|liked|thought|\
            heard|seen|knew|felt|tried|did|was|were|got|in)
        turn(?:s|ed|ing)? out (?:\w+ ){0,2}(?:well|great|amazing|good|perfect|perfectly|delicious|fine|nice)
        (?:chat|talk|speak|meet|see you)\b.{0,20}\b(?:next time|in (?:the )?future)
        (?:piano|guitar|music|english|driving|spanish|dance|cooking|yoga|swimming|violin) lessons?
        which (?:is|was|are|were) .{0,20}(?:than|better|best)
        never .{2,20} again
        ^(?:(?:and|but|so|then|yes|yeah),? )?i(?:'ll|’ll| will)
        i(?:'ll|’ll| will|'m|’m| am)(?: definitely| also)? (?:try|going to try|trying)
        (?:they|it|you) will always be
        (?:want|love|like|hope|hoping|eager|excited|interested|looking|trying|able|keen) (?:to|in) (?:learn|learning)
        (?:learn|learned|learnt) (?:a lot|so much|more)
        (?:do not|don't|don’t|avoid|without) (?:give|write|add|include|adding|writing) .{0,20}(?:summary|conclusion)
    """,
    "chat": r"""
        (?:thanks?|thank you|thx|you're welcome|you’re welcome|hello|hi|hey|good (?:morning|night|evening|luck)|bye|\
            goodbye)
        (?:sounds (?:good|great)|that's great|that’s great|great|okay|ok|sure|yes|no problem|nice|cool|awesome|\
            got it|no worries|welcome|congratulations)
        (?:happy to help|glad|let me know|feel free|hope this helps|i'm sorry|i’m sorry|as an ai|good idea|\
            great idea|have fun|enjoy)
        (?:chat|chatting|talk|talking)(?: to| with)? (?:you|again|next time|later)
        (?:i (?:have|need) to go|see you|take care|until next time)
        here (?:are|is) (?:some|a few|an?|the|\pN+)
        (?:danke|bitte|hallo|guten (?:morgen|tag|abend)|gern geschehen|alles klar|klingt gut|super|tschüss|genau|\
            viel erfolg|gerne)
    """,
    "small_talk": r"""
        ^(?:(?:thanks?|thank you|thx|many thanks|you're welcome|you’re welcome|hello|hi|hey|there|\
            good (?:morning|night|evening|luck)|bye|goodbye|okay|ok|sure|yes|yeah|yep|no|no problem|nice|cool|\
            awesome|great|perfect|wonderful|amazing|got it|no worries|of course|(?:that |it )?sounds (?:good|\
            great|perfect|wonderful)|(?:that's|that’s|that is) (?:great|good|nice|perfect|awesome|wonderful|\
            really helpful|helpful|a great idea|a good idea)|(?:good|great) idea|so much|very much|a lot|again|\
            in advance|for (?:the|your|all the|all your) (?:help|advice|tips?|suggestions?|info|information|\
            recommendations?)|happy to help|glad to hear (?:that|it)|i appreciate (?:it|that|your help)|\
            have (?:fun|a (?:nice|great|good) (?:day|time|evening|weekend|trip))|see you(?: later| soon)?|\
            take care|let me know|hope this helps|haha|lol|danke(?: schön| sehr)?|vielen dank|\
            bitte(?: schön| sehr)?|hallo|guten (?:morgen|tag|abend)|gern geschehen|gerne?|alles klar|klingt gut|\
            super|prima|tschüss|genau|viel erfolg|ja|nein|bis bald|bis morgen|how are you(?: doing)?|what's up|\
            (?:and|how about) you|today|for now|done|understood|noted|(?:my )?friend|\
            i(?:'ve|’ve| have)? (?:noted|updated|saved|recorded|logged|added) (?:it|that|this|the|your)(?: \pL+){0,2}|\
            (?:i'm|i’m|i am) (?:doing )?(?:great|good|fine|well)|\
            thanks for asking|nothing else|(?:that's |that’s )?good to know|(?:that's|that’s|that is|that was) all|\
            is there anything else|with|how (?:can|may) i (?:help|assist)(?: you)?|\
            i can (?:do|help)(?: you)?(?: for you)?|wie geht(?:'s|’s| es)(?: dir| ihnen)?|\
            das (?:war|ist) alles)[ ,.!?…~:)(-]*)+$
    """,
    "request": r"""
        (?:can|could|would|will) you
        (?:please|help me|tell me|give me|show me|remind me|suggest|recommend me)
        i(?:'m|’m| am) (?:looking for|wondering|curious|trying to|hoping|interested in|thinking (?:of|about))
        i(?:'d|’d| would) (?:like|love) (?:to|some|you)
        (?:do you (?:know|have|think)|any (?:suggestions|tips|advice|ideas|recommendations))
        i have (?:another|a|one more) question
        (?:kannst du|können sie|könntest du|könnten sie|hilf mir|zeig mir|gib mir)
    """,
    "fact": r"""
        my (?:\pL+ )?\pL+ (?:is|was|are|were|has|had|got|just|recently)
        i(?:'ve|’ve| have)? (?:just |recently |already |also |actually )?(?:got|bought|went|had|made|started|\
            finished|moved|visited|attended|received|joined|met|saw|completed|graduated|signed|spent|used|tried|\
            took|been|work|worked|live|own|have a|ordered|planted|redeemed|set|cut|learned|read|watched|\
            participated|volunteered|created|found|gave|ran|won|lost|sold|paid)
        (?:by the way|last (?:week|month|year|night|weekend|summer|time)|yesterday|recently|a few (?:days|weeks|\
            months) ago|(?:\pN+|two|three|four|five|six) (?:days|weeks|months|years) ago|this (?:morning|weekend|\
            week|month))
        (?:gestern|letzte (?:woche|nacht)|letzten (?:monat|sommer)|letztes (?:jahr|mal|wochenende)|vor (?:\pN+|zwei|\
            drei|vier|fünf|einem|einer) (?:tagen|wochen|monaten|jahren|tag|woche|monat|jahr)|heute)
    """,
    "open": r"""
        (?:todo|to do|tbd|open question|remains open|still (?:open|unclear|need|needs|missing)|not yet|pending|\
            follow up|next step)
        (?:offen|noch (?:offen|unklar|nicht|ausstehend)|ausstehend|nächster schritt)
    """,
    "advice": r"""
        i(?:'d|’d| would| can)? (?:recommend|suggest)
        you (?:could|can|might|may|should) (?:try|read|watch|visit|listen|use)
        (?:ich (?:empfehle|würde .{0,30}empfehlen)|je (?:recommande|conseille|suggère)|(?:te |le )?recomiendo)
    """,
    "loose": r"""
        ^(?:it|its|it's|it’s|that|that's|that’s|this|these|those|they|he|she|and|but|so|also|then|however|therefore|\
            which)
        ^(?:das|dies|diese|dieser|er|es|und|aber|dann|auch|dabei|daher|deshalb|außerdem)
    """,
}

CJK: dict[Cue, str] = {
    "decision": r"""
        决定|決定し|決定[：:]|决策[是为：:]|选择了|选定|选用|敲定|达成一致|商定|同意采用|改用|改为|换成|采用|采纳|放弃了|否决|定为
        确定(?:使用|采用|为|了)|(?:不再|统一|继续)使用|推迟到
        ことに(?:し|決|なった|なりました)|に決め|に決ま|合意し|採用し|採用する|採用を|を選ん|を選び|に切り替え|に変更し|見送|導入する|却下
        결정했|결정하였|결정됐|결정되었|결정함|결정[:：]|결정이다
        기로 ?(?:했|하였|함|결정|합의|한다)|합의했|합의함|선택했|채택|확정했|확정됐|확정함
        (?:으)?로 (?:정했|전환|변경했|바꿨|바꾸기로|옮기기로|통일)|쓰기로|미루기로|보류하기로
    """,
    "not_decision": r"""
        未决定|没有?决定|尚未|还没|是否|要不要|决定不了|待定|难以决定|无法决定|如何选择|怎么选|决定性|来决定|所决定|需要决定|再决定
        決めていない|決まっていない|決まらない|未決定|未定|決めかね|決定していない|決定していません|かどうか
        べきか|決める必要|決めなければ|決定的
        결정하지 ?(?:않|못)|정하지 ?(?:않|못)|결정되지 ?않|미정|결정해야|정해야|할지|할까|여부|아직
    """,
    "outcome": r"""
        完成|修复|解决了|已解决|上线|发布|失败|回滚|崩溃|取消|结果|成功|合并|部署|买了|预订|降到|降至|提高到|开始了|搬到|迁移|故障
        完了|修正し|直っ|直し|解決し|リリース|公開し|失敗し|ロールバック|中止|結果|成功し|マージ|デプロイ|購入し|予約し|終わっ|できた|できました|障害|移行
        완료|수정했|고쳤|해결했|해결됐|해결되|배포|출시|실패|롤백|취소|결과|성공|병합|구매했|예약했|끝났|끝냈|줄었|늘었|장애|이전했
    """,
    "insight": r"""
        教训|经验[是：:教]|学到|原来是|根本原因|根因|原因是|原则[是：:]|规则[是：:]|结论[是：:]|总结[：:]|心得|启示
        关键在于|关键是|(?:终于|才)明白|意识到
        教訓|学んだ|学びました|学び[は：:]|わかった|分かった|判明し|根本原因|原因は|原則|ルール[は：:]|結論|まとめ[：:]|ポイントは
        気づい|重要なのは|大切なのは
        교훈|배웠|배운 ?(?:점|것)|알게 ?(?:됐|되었)|깨달|근본 ?(?:적인 )?원인|원인은|원칙|규칙[은:]|결론
        중요한 것은|핵심은
    """,
    "rule": r"""
        务必|必须先|必须始终|一定要|切勿|不要再|永远不要|绝不|记住|应该始终|以后(?:都|要|一律|必须|不)
        (?:今后|下次)(?:要|都|先|应|必须|务必|一律|统一|记得|不|别|改|只)
        必ず|決して|今後は|これからは|次回|次から|べきだ|べきである|べきでは|してはいけない
        반드시|절대|항상 .{1,40}(?:해야|할 것|한다|하자)|앞으로는|다음(?:에는|부터|번에는)|하면 안 ?된다|하지 말
    """,
    "not_insight": r"""
        学到了?很多|学习更多|想学|一定要(?:来|去|尝|试)|教えて|배우고 싶
    """,
    "chat": r"""
        谢谢|多谢|感谢|你好|您好|早上好|晚安|再见|好的[，。！]|没关系|不客气|祝你|加油|哈哈|太好了|太棒|不错|真棒|非常棒
        很高兴|抱歉|希望你|没问题|作为(?:一个|一名|一款)?(?:AI|助手|人工智能)|我是一款|陪伴
        ありがとう|こんにちは|おはよう|こんばんは|了解|わかりました|お疲れ|よろしく|どういたしまして|さようなら|はい、|いいですね|素晴らしい
        감사합니다|고마워|안녕|알겠습니다|네[,.!]|좋아요|괜찮아|수고|천만에요|잘 자|화이팅|좋은 생각
    """,
    "small_talk": r"""
        ^(?:(?:非常|太|真的)?(?:谢谢|多谢|感谢)(?:你|您|大家)?(?:的(?:建议|帮助|分享))?|你好|您好|早上好|晚安|\
            再见|好的|(?:这|那)?(?:真)?是?(?:一)?个?(?:很)?(?:好|不错的)(?:主意|建议|想法)|\
            明白了?|知道了|收到|没关系|不客气|没问题|太好了|太棒了|真棒|哈哈+|嗯+|是的|\
            加油|[啊了呀吧呢哦的 ，。！!~…])+$
        ^(?:(?:どうも)?ありがとう(?:ございます|ございました)?|こんにちは|おはよう(?:ございます)?|こんばんは|\
            了解(?:です|しました)?|わかりました|お疲れ(?:様|さま)?(?:です|でした)?|よろしく(?:お願いします)?|\
            どういたしまして|さようなら|はい|ええ|いい(?:です|考えです)?ね|素晴らしいですね|承知しました|\
            かしこまりました|参考になりました|またね|[ねよ 、。！!~…])+$
        ^(?:(?:정말 )?(?:감사합니다|고마워요?|고맙습니다)|안녕(?:하세요|히 가세요)?|알겠습니다|알겠어요?|네+|예|\
            좋아요?|좋습니다|확인했습니다|이해했습니다|알았어요?|\
            괜찮아요?|수고하세요|수고하셨습니다|천만에요|잘 자요?|화이팅|좋은 생각(?:이에요|\
            입니다)?|[ ,.!~…])+$
    """,
    "request": r"""
        请(?:你|给|帮|问|推荐|告诉)|能不能|可以帮|帮我|推荐一
        教えてください|お願い|してもらえ|いただけ|おすすめ(?:は|を)
        해 ?주세요|해 ?줄래|알려 ?줘|알려 ?주|추천해
    """,
    "fact": r"""
        昨天|今天|前天|上周|上个月|最近|去年|我(?:的|在|有|去|买|参加|看|喜欢)
        昨日|今日|先週|先月|最近|去年|私(?:は|の)
        어제|오늘|지난주|지난달|최근|작년|저는|나는|제가|내가
    """,
    "open": r"""
        待办|待定|待确认|尚未|还没|未解决|未定|未対応|要確認|残って|残課題|미정|미해결|남았|확인 ?필요|할 일|보류
    """,
    "advice": r"""
        推荐|建议[你您](?:看|读|试|去|听)|可以(?:试试|看看|听听|读)
        (?:おすすめ|お勧め|オススメ)(?:です|します|は)|勧めします
        추천(?:합니다|해요|드립니다|할게요|드려요)
    """,
    "loose": r"""
        ^(?:这|那|它|但|而且|所以|然后|因此|另外)
        ^(?:それ|これ|しかし|でも|また|そして|だから)
        ^(?:이것|그것|그리고|하지만|그래서|또한|그런데)
    """,
}

QUESTION_ENDS = ("?", "？", "吗", "呢", "吗。", "呢。", "か。", "か", "까", "나요", "까.", "나요.", "؟")
