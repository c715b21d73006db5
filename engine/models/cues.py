"""The words that speak for a decision, an outcome or an insight, per language: data only, in RE2's syntax.

Latin patterns are matched as whole words without regard to case; Chinese, Japanese and Korean ones anywhere.
`a|b` are alternatives. The `not_` rows are looked at first and take a sentence out of the class.
"""

from typing import Literal

Cue = Literal["decision", "not_decision", "outcome", "insight", "not_insight", "chat", "open"]

LATIN: dict[Cue, tuple[str, ...]] = {
    "decision": (
        # English
        r"decid(?:ed|es) (?:to|on|that|against|not to|we|for)",
        r"(?:we|i|they|team|he|she)(?:'ve| have| has)?(?: all| both| finally| just)? (?:decided|chose|agreed|opted|settled|picked|selected)",
        r"(?:was|were|is|has been|have been|it's) (?:decided|agreed|chosen|settled)",
        r"decision(?: is| was)?:|decision (?:is|was) (?:to|that)|final decision|the decision",
        r"(?:chose|chosen|opted|agreed|settled) (?:to|on|for|that|not to)",
        r"(?:chose|picked|selected) .{2,60}(?:over|instead of|rather than|because)",
        r"(?:going|gone|went|go) with",
        r"(?:switch(?:ed|ing)?|migrat(?:ed|ing)|mov(?:ed|ing)) (?:over )?(?:from .{2,60} )?to",
        r"(?:we|i)(?:'ll| will| are going to|'re going to|'m going to) (?:use|keep|adopt|drop|stay with|stick with|switch|go with|stop|replace)",
        r"will use|will be using|stick(?:ing)? with|stay(?:ing)? with|instead of using",
        r"(?:approved|rejected|ruled out|dropped|adopted|postponed|deferred) (?:the|a|an|in|until|to|for|because)",
        # German
        r"(?:haben|hat|habe|wurde|wurden|ist|sind) .{0,120}(?:entschieden|beschlossen|festgelegt|vereinbart|gewählt|verworfen|vertagt)",
        r"(?:entschieden|beschlossen|vereinbart|festgelegt|geeinigt)",
        r"(?:entscheidung|beschluss):|(?:die|der) (?:entscheidung|beschluss) (?:ist|war|fiel|lautet)",
        r"(?:wir|ich) (?:nehmen|nutzen|verwenden|wechseln|bleiben|setzen|behalten|steigen) .{0,60}(?:statt|anstatt|anstelle|auf|bei|um|weiterhin|künftig)",
        r"(?:umgestiegen|gewechselt|umgestellt) (?:auf|zu|von)|(?:auf|zu) .{2,40}(?:umgestiegen|gewechselt|umgestellt)",
    ),
    "not_decision": (
        r"(?:not|never|n't|nothing|yet to|still to|undecided|cannot|can't) (?:yet )?(?:been )?(?:decid\w*|agreed?|chosen?|settled?)",
        r"undecided|(?:should|shall|can|could|do|did|have|had) (?:we|i|you|they) .{0,20}(?:decid\w+|agree\w*|choose|cho(?:se|sen)|go with|switch|use)",
        r"(?:need|needs|have|has|want|wants|hard|trying|struggling|must|help me|before we|until we|once we|when we) (?:to )?(?:decide|agree|choose|pick)",
        r"(?:if|whether|once|before|until|unless) (?:we|i|you|they) (?:decide\w*|agree\w*|choose|chose|go with|switch\w*)",
        r"decision (?:is )?(?:pending|open|needed|outstanding)|to be decided|tbd",
        r"(?:nicht|noch nicht|nichts|nie|kein\w*) .{0,30}(?:entschieden|beschlossen|vereinbart|festgelegt|geeinigt)",
        r"(?:müssen|sollten|sollen|muss|können|könnten) .{0,60}(?:entscheiden|beschließen|festlegen|wählen)",
        r"unentschieden|(?:entscheidung|beschluss) (?:steht )?(?:noch )?(?:aus|offen)|ob wir",
    ),
    "outcome": (
        r"done|fixed|resolved|solved|shipped|deployed|released|merged|closed|finished|completed|delivered|launched|landed",
        r"failed|fails|broke|broken|crashed|rolled back|reverted|cancelled|canceled|aborted|blocked|timed out|lost",
        r"(?:now|finally) (?:works?|passes|runs|green)|(?:works|working|green|passing) (?:now|again)|outcome|result(?:ed|s)?",
        r"(?:reduced|increased|dropped|improved|grew|fell|rose|cut|went) (?:by|from|to)|turned out|implemented|set up",
        r"bought|booked|signed|paid|hired|moved|started|won|got|received|graduated|scheduled|migrated",
        r"erledigt|behoben|gelöst|fertig|abgeschlossen|ausgeliefert|veröffentlicht|geschlossen|umgesetzt|eingerichtet",
        r"fehlgeschlagen|gescheitert|zurückgerollt|zurückgesetzt|abgebrochen|abgestürzt|ausgefallen|ergebnis|läuft (?:jetzt|wieder)",
        r"gekauft|gebucht|bezahlt|unterschrieben|begonnen|gestartet|gesunken|gestiegen",
    ),
    "insight": (
        r"lessons?(?: learned| learnt)?(?::| is| was| here)|lessons? learn(?:ed|t)|learn(?:ed|t) (?:that|the hard way|to|from|how)",
        r"(?:we|i)(?:'ve| have)? learn(?:ed|t)|takeaways?|key insight|insight:|rule of thumb|as a rule|rule:|principle",
        r"root cause|the (?:real|actual|underlying) (?:cause|reason|problem)|turn(?:s|ed) out",
        r"(?:must|should|do|will) (?:always|never)|(?:always|never) (?:use|run|check|set|test|verify|deploy|commit|store|keep|trust|assume|ask|write|read|"
        r"make|let|put|call|pin|log|rely|do|edit|push|merge|restart|back|confirm|start|wait|send|share|leave|close|skip|mix|pass|include|add|cache|validate)",
        r"in (?:the )?future|next time|from now on|going forward|in hindsight|in retrospect|note to self|best practice",
        r"we (?:concluded|realised|realized|found(?: out)?) that|conclusion|concluded that|it is (?:better|best|safer|important) to|important to remember",
        r"(?:only works|breaks|fails) (?:if|when|unless|whenever)|the trick (?:is|was)|works best|make sure (?:to|that)|avoid",
        r"gelernt|lektionen?|lehre (?:daraus|ist|war)|erkenntnis|grundsatz|faustregel|merke:|fazit|schlussfolgerung|regel:",
        r"ursache (?:war|ist|des|der|für|lag)|grund dafür|künftig|in zukunft|ab sofort|nächstes mal|beim nächsten mal|im nachhinein|rückblickend",
        r"(?:immer|niemals|nie) .{1,80}(?:prüfen|testen|nutzen|verwenden|sichern|setzen|fragen|machen|starten|schreiben|lassen|ausführen|einplanen|speichern)",
        r"stellte sich heraus|hat sich (?:herausgestellt|gezeigt|bewährt)|wichtig ist|darf nie|dürfen nie|muss immer|sollte immer|müssen immer",
    ),
    "not_insight": (
        r"lesson plans?|(?:piano|guitar|music|english|driving) lessons?|want to learn|love to learn|like to learn|hope to learn",
    ),
    "chat": (
        r"thanks?|thank you|thx|you're welcome|hello|hi|hey|good (?:morning|night|evening|luck)|sounds (?:good|great)|great|okay?|sure|yes|no problem|bye|"
        r"nice|cool|awesome|got it|no worries|welcome|happy to help|let me know|feel free|i hope this helps|here (?:are|is) (?:some|a few|an?)",
        r"danke|bitte|hallo|guten (?:morgen|tag|abend)|gern geschehen|alles klar|klingt gut|super|tschüss|genau|viel erfolg",
    ),
    "open": (
        r"todo|to do|tbd|open question|remains open|still (?:open|unclear|need)|not yet|pending|offen|noch (?:offen|unklar|nicht)|ausstehend",
    ),
}

CJK: dict[Cue, tuple[str, ...]] = {
    "decision": (
        r"决定|決定し|決定|决策[是为：:]|选择了|选定|选用|敲定|达成一致|商定|同意采用|改用|改为|换成|采用|采纳|放弃了|否决|定为|确定(?:使用|采用|为|了)",
        r"することにし|することに決|ことにした|ことにしました|ことになった|に決めた|に決めました|に決まった|に決まりました|合意し|採用し|採用する|を選ん|に切り替え|に変更し|見送",
        r"결정했|결정하였|결정됐|결정되었|결정함|결정:|기로 했|기로 하였|기로 함|기로 결정|기로 합의|합의했|합의함|선택했|채택했|채택하|확정했|확정됐|로 정했|전환했|전환하기로|로 변경했|로 바꿨|로 바꾸기로",
    ),
    "not_decision": (
        r"未决定|没有决定|没决定|尚未|还没|是否|要不要|决定不了|待定|难以决定|无法决定|如何选择",
        r"決めていない|決まっていない|決まらない|未決定|未定|決めかね|決定していない|かどうか|べきか|決める必要|決めなければ",
        r"결정하지 (?:않|못)|정하지 (?:않|못)|결정되지 않|미정|결정해야|정해야|할지|할까|여부",
    ),
    "outcome": (
        r"完成|修复|解决了|上线|发布|失败|回滚|崩溃|取消|结果|已经|成功|合并|部署|买了|预订|降到|提高到|开始了|搬到",
        r"完了|修正し|直っ|解決し|リリースし|公開し|失敗し|ロールバック|中止|結果|成功し|マージ|デプロイ|購入し|予約し|終わっ|できた|できました",
        r"완료|수정했|고쳤|해결했|해결됐|배포했|배포됨|출시|실패|롤백|취소|결과|성공|병합|구매했|예약했|끝났|끝냈|줄었|늘었",
    ),
    "insight": (
        r"教训|经验[是：:教]|学到|学会了|原来|根本原因|根因|原因是|原则|规则[是：:]|务必|必须先|一定要|切勿|不要再|永远不要|以后|今后|下次|结论|总结[：:]|心得|启示|关键在于|记住|应该始终|明白了|意识到",
        r"教訓|学んだ|学びました|学び[は：:]|わかった|分かった|根本原因|原因は|原則|ルール[は：:]|必ず|決して|今後は|これからは|次回|次からは|結論|まとめ[：:]|べきだ|べきでは|してはいけない|ポイントは|気づい",
        r"교훈|배웠|배운 (?:점|것)|알게 됐|알게 되었|깨달|근본 원인|근본적인 원인|원인은|원칙|규칙[은:]|반드시|절대|항상 .{1,40}(?:해야|할 것|한다|하자)|앞으로는|앞으로 |다음(?:에는|부터)|결론|해야 한다|하면 안 된다|하지 말",
    ),
    "not_insight": (),
    "chat": (
        r"谢谢|多谢|你好|您好|早上好|晚安|再见|好的|没关系|不客气|祝你|加油|哈哈|太好了|不错|真棒",
        r"ありがとう|こんにちは|おはよう|こんばんは|了解|わかりました|お疲れ|よろしく|どういたしまして|さようなら|はい、",
        r"감사합니다|고마워|안녕|알겠습니다|네,|좋아요|괜찮아|수고|천만에요|잘 자|화이팅",
    ),
    "open": (r"待办|待定|尚未|还没|未解决|未定|未対応|要確認|残って|미정|미해결|남았|확인 필요|할 일",),
}

QUESTION_ENDS = ("?", "？", "吗", "呢", "か。", "か", "까", "나요")

HEADINGS: dict[str, str] = {
    "decision": r"decisions?|key decisions|major decisions|decided|entscheidung(?:en)?|beschl(?:uss|üsse)|决定|决策|決定(?:事項)?|결정(?: ?사항)?|의사 ?결정",
    "insight": r"lessons?|learnings?|lessons learn(?:ed|t)|lessons (?:and|&) patterns|insights?|extracted insights|principles?|takeaways?|key takeaways|rules?|"
    r"root causes?|conclusions?|postmortem|retrospective|what (?:we|i) learned|why|how[- ]to[- ]apply|erkenntnisse?|gelernt(?:es)?|lehren|lektionen|"
    r"grundsätze|regeln?|ursachen?|fazit|schlussfolgerung(?:en)?|教训|经验(?:教训)?|心得|原则|结论|总结|根本原因|原因|启示|教訓|学び|学んだこと|原則|結論|まとめ|気づき|ルール|"
    r"교훈|배운 ?점|배운 ?것|원칙|결론|인사이트|규칙|원인|근본 ?원인",
    "outcome": r"outcomes?|results?|done|completed(?: work)?|tasks completed|shipped|status|summary|tl;?dr|key (?:events|points|themes)|highlights|achievements|"
    r"ergebnis(?:se)?|erledigt|zusammenfassung|abgeschlossen|结果|成果|完成|摘要|结论|結果|成果|完了|要約|概要|결과|성과|완료|요약",
    "open": r"open items?|todos?|to[- ]dos?|next steps?|open questions?|carried forward|references?|links|requests?|offene? (?:punkte|fragen)|nächste schritte|aufgaben|"
    r"anfrage|待办|下一步|参考|请求|未解決|次の(?:ステップ|アクション)|参考|依頼|할 ?일|다음 ?단계|참고|요청",
}

SPEAKERS: dict[str, str] = {
    "user": r"user|human|me|you|operator|nutzer|benutzer|用户|我|ユーザー?|사용자|나",
    "assistant": r"assistant|agent|ai|bot|model|claude|chatgpt|gpt|gemini|system|assistent|ki|助手|助理|アシスタント|어시스턴트|에이전트|비서",
}
