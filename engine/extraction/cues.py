"""The words by which a sentence is of a kind, in English, German and Chinese: data only, one alternative a line.

What decisions, lessons and outcomes are said by is in `engine.models.cues`; here stands what conversations add to it,
the kinds that it has not, and what takes a sentence out again.
"""

from engine.extraction.entry import EntryKind
from engine.extraction.word_classes import expand

KINDS: dict[EntryKind, str] = {
    EntryKind.CORRECTION: r"""
        ^(?:nope|wrong|not like that|that'?s (?:wrong|not right|incorrect|not what))\b
        ^no[,.:] (?:don'?t|do not|not|never|use|it|that|this|the|you|these|those)\b
        ^actually,? .{3,60}\bnot\b
        ^(?:stop|don'?t|do not) (?:\w+ing|call|use|add|write|say|put)\b
        ^you (?:forgot|misunderstood|keep|got .{2,40} wrong)\b
        \bit(?:'s|’s| is)(?: spelled)? [^,.]{1,40}, not \w
        ^(?:wait|sorry|oh|hold on|no),? (?:that|it|this)(?:'s|’s| is| was) (?:the |my |our )?(?:old|wrong)\b
        \bi(?:'ve| have)? (?:already )?(?:told you|said)(?: it)?(?: already| before| that)?\b
        ^(?:nein|falsch|so nicht|das (?:ist|war) falsch|das stimmt nicht)\b
        ^eigentlich .{3,60}\bnicht\b
        ^(?:moment|halt|stopp|nein),? (?:das|es) (?:ist|war) (?:die |der |das |mein\w* |unser\w* )?(?:alte?n?|\
            falsche?n?)\b
        \b(?:schreibt|heißt|ist|läuft|am|bis|um) [^,.]{1,40},? (?:und )?nicht (?:am |bis |um )?\w+\.?$
        ^(?:hör auf|sag nicht|nenn mich nicht)\b
        ^du hast (?:schon wieder |wieder )?(?:\w+ ){0,3}(?:vergessen|übersehen|verwechselt)
        ^ich habe (?:es |das )?(?:dir )?(?:schon|bereits) (?:\w+ )?gesagt
        ^(?:不对|错了|不是这样|别叫|不要再|你又|你忘了|你搞错|你弄错|你记错|我说过|其实.{2,20}不是)
        是[^，。]{1,20}，(?:而)?不是[^，。]{1,20}(?:。|$)
        ^(?:等等|等一下|不)，那是(?:旧|老|错)
    """,
    EntryKind.PREFERENCE: r"""
        \bi(?:'d| would)? (?:always |really )?(?:prefer|rather)\b
        ^i (?:always |really )?(?:like my|hate|dislike|don'?t like|do not like)\b
        ^i (?:always |only )?want (?:the|all)\b
        \bmy (?:favou?rite|preferred) [\w -]{2,40}? (?:is|are)\b
        \b(?:don'?t|don’t|do not|never) (?:ever )?(?:send|show|give|tell|call|ask) me\b
        \bis what i want\b
        \bi (?:can'?t|can’t|cannot) stand\b
        ^when(?:ever)? you .{3,60}, (?:please |always |never |include |use |add |show |leave )
        ^(?:please )?(?:always|never) (?:answer|use|write|send|ask|call|keep|reply|give)\b
        ^(?:please )?keep (?:the|your|it|my) \w+ (?:tone |style )?(?:formal|short|informal|brief|simple)
        ^please (?:always|never)\b
        \bich (?:bevorzuge|mag|hasse|liebe|möchte (?:die|den|das|immer|keine?n?)|will (?:immer|nie|keine))\b
        \b(?:am liebsten|bekomme lieber|habe lieber|arbeite lieber|lieber (?:eine|einen|ein|kurz|lang))\b
        \bkann ich (?:gar |überhaupt )?nicht (?:leiden|ausstehen)\b
        \bmeine? lieblings\w+ (?:ist|sind)\b
        ^use \w+ .{0,30}\b(?:with|for) me\b
        ^wenn du .{3,60}, (?:dann )?(?:bitte |immer |nie )
        ^bitte (?:\w+ ){0,4}(?:immer|nie|niemals|stets)\b
        ^(?:schreib|antworte|verwende|nutze|sprich)\w* (?:\w+ ){0,4}(?:immer|nie|stets)\b
        我(?:更|最|很|不|都)?(?:喜欢|偏好|讨厌|习惯)|我(?:希望|总是要|宁愿|只要)|请(?:一直|总是|始终|不要|别|一定要)
        ^(?:以后|今后|从现在起)(?:都|请|一律)*(?:用|不要|别|给我|回复)|我(?:受不了|看不惯)|^(?:回答|\
            回复)(?:的时候)?(?:请|要)|^(?:跟|和|对)我说话(?:时|的时候)?(?:请|\
            要)?用
    """,
    EntryKind.PROCEDURE: r"""
        \b(?:first|start by)\b.{3,}\b(?:then|next|after that|finally)\b
        ^(?:to|in order to) \w+ [^,.:]{2,50}[,:] (?:run|open|press|hold|restart|put|create|click|type|set|delete|\
            call)\b
        ^(?:to|in order to) \w+ [^:]{2,60}: \w+ .{2,80}, .{3,}
        ^(?:to|in order to|before you|whenever you) \w+ .{2,60}, \w+ .{2,80}\b(?:and then|then|and finally|finally)\b
        ^(?:how (?:we|to) [^:?]{2,50}: )
        ^(?:the way to|the steps? (?:to|for|are)|whenever .{3,60}, (?:delete|run|start|restart|open|check|use|\
            press))\b
        \berst\b.{3,}\bdann\b
        \b(?:zuerst|als erstes)\b.{3,}\b(?:dann|danach|anschließend|zuletzt|zum schluss)\b
        ^(?:vor|nach) (?:dem|der|jedem|jeder) .{3,60}, (?:dann|danach|anschließend) .{3,}\bzum schluss\b
        ^so (?:\w+ (?:du|man|ihr|sie)|geht) [^:?]{1,60}: .{3,},
        ^um .{3,60} zu \w+, \w+
        ^(?:so \w+ wir [^:?]{1,40}: )
        ^(?:zum|zur) [^,.]{3,80}(?:drücken|halten|legen|starten|schieben|öffnen|ausführen)\b
        ^immer wenn .{3,60}(?:starten|löschen|öffnen|drücken|prüfen)
        ^[^:?]{3,40}: [^,]{3,40}(?:öffnen|anlegen|starten|ausführen|drücken), .{3,}
        (?:步骤|流程|方法)(?:是|：|:)|先.{2,40}(?:再|然后|最后)|的时候，.{2,30}(?:然后|再)
    """,
    EntryKind.PERSON: r"""
        \b(?:(?:is|was) (?:our|my|the|a)|as (?:our|my)) (?:new |main |former )?(?:\w+ )?(?:manager|lead|lawyer|\
            doctor|\
            landlord|\
            contact|boss|colleague|accountant|designer|developer|director|nurse|teacher|assistant|client|customer|\
            point of contact|dentist|neighbou?r|coach|tutor|supervisor|therapist|supplier)\b
        \bour (?:new )?(?:landlord|lawyer|boss|accountant|contact|neighbou?r)(?: \w+){0,4} is\b
        \bmy (?:wife|husband|sister|brother|mother|father|son|daughter|partner|boss|colleague|uncle|aunt|\
            cousin|nephew|niece|grandmother|grandfather|neighbou?r|flatmate|\w+-in-law|girlfriend|boyfriend|\
            dentist)(?: (?:from|in|at|on|of|the|who|\
            \p{N}\w*)){0,4},? (?:is|has|works|lives|was|studies|teaches|speaks)\b
        \b(?:the|our) \w+ is called \p{N}\w+ (?:and|but)\b
        ^\p{N}\w+(?: \p{N}\w+)? is (?:allergic|vegetarian|vegan|deaf|blind|diabetic)\b
        ^\p{N}.{0,30}, (?:my|our) (?:wife|husband|sister|brother|mother|father|son|daughter|partner|boss|colleague),
        ^\p{N}.{0,30}\b(?:works (?:in|at|for|as)|leads|runs|manages|handles|maintains|moved to|lives in|reports to)\b
        ^(?:call|ask|contact|write to) \p{N}\w+.{3,}\b(?:he|she|they) (?:\w+)
        \b(?:ist|war) (?:unser|unsere|mein|meine|der|die|ein|eine) (?:neue[rn]? )?(?:\w*manager(?:in)?|leiter(?:in)?|\
            anwalt|anwältin|ärztin|arzt|ansprechpartner(?:in)?|chef(?:in)?|kolleg(?:e|in)|vermieter(?:in)?|\
            \w*pfleger(?:in)?|buchhalter(?:in)?|zahn\w+|nachbar(?:in)?|steuerberater(?:in)?)\b
        \bunsere? (?:vermieter|anwalt|chef|ansprechpartner)(?:in)? (?:ist|heißt)\b
        \bmeine? (?:frau|mann|schwester|bruder|mutter|vater|sohn|tochter|chef|chefin|kollege|kollegin|schwager|\
            schwägerin|onkel|tante|cousine?|neffe|nichte|oma|opa|nachbar|nachbarin|freundin|zahnarzt|zahnärztin)\
            (?: (?:aus|in|bei|von|der|die|\p{N}\w*)){0,4},? (?:ist|hat|arbeitet|wohnt|lebt|heißt|studiert|spricht)\b
        \b(?:der|die|unser|unsere) \w+ heißt \p{N}\w+
        ^(?:frau|herr) (?:dr\.? |doktor |professor )?\p{N}\w+ (?:ist|leitet|führt|arbeitet|wohnt|betreut|macht)\b
        ^\p{N}\w+(?: \p{N}\w+)? ist (?:gegen .{2,30} allergisch|vegetarier(?:in)?|veganer(?:in)?)\b
        ^\p{N}.{0,30}, meine? (?:frau|mann|schwester|bruder|mutter|vater|sohn|tochter|kollege|kollegin),
        ^\p{N}.{0,30}\b(?:arbeitet (?:in|bei|als|für)|leitet|führt|kümmert sich um|betreut|ist nach .{2,30}gezogen)\b
        ^(?:ruf|frag|schreib) \p{N}\w+.{3,}\b(?:er|sie)\b
        我(?:的)?(?:表|堂)?(?:姐|哥|弟|妹|妻子|丈夫|爱人|舅舅|叔叔|阿姨|邻居|同学)[^，。]{0,12}(?:在|是|叫|当|住|做|\
            对)
        (?:负责人|经理|会计|联系人|房东|医生|律师|老师)(?:是|叫)[^，。什谁哪]{2,6}
        ^[^，。]{2,4}负责(?:我们|公司|全部|所有)|(?:师傅|阿姨|老师|医生)叫[^，。什]{1,4}(?:，|。|$)
        ^(?:我们的?)?(?:新)?(?:邻居|会计|房东|同事)[^，。]{1,6}(?:叫|是|对.{1,6}过敏)
        是我们?(?:新)?的.{0,6}(?:经理|律师|医生|联系人|房东|老板|同事|负责人|妹妹|姐姐|哥哥|弟弟|妻子|丈夫)
        我们?的(?:妻子|丈夫|妹妹|姐姐|哥哥|弟弟|父亲|母亲|老板|同事|房东)
        (?:负责|领导|管理)(?:所有|数据|维护|设计|.{0,6}(?:团队|工作室|合同|部门))|那边的联系人|的律师|\
            在.{1,10}部工作|，(?:她|他)负责
    """,
    EntryKind.FACT: r"""
        \b(?:our|the|my) [\w .-]{2,60}\b(?:is|are|runs on|lives in|expires on|starts at|costs|belongs to|\
            listens on)\b.{0,60}(?:\d|\bcalled\b|https?://)
        \b(?:the|our|my) \w+ (?:lives in|runs on|is stored in) .{0,40}[\w-]+-[\w-]+
        \b(?:version|port|limit|budget|number|address|hours|deadline|domain|bucket|minimum)\b.{0,60}\
            \b(?:is|are|expires|runs)\b.{0,40}\w
        ^(?:the|our|their|its|each|every|this) [\w .-]{2,60}\b(?:allows?|accepts?|holds|seats|costs|lasts|takes|\
            listens|\
            starts|begins|ends|opens|closes|keeps|was (?:built|installed|founded|opened)|is kept|are kept)\b.{0,40}\
            (?:\d|\b(?:two|three|four|five|six|seven|eight|ten|twelve)\b)
        ^\w+ \d+ is the (?:minimum|maximum|current|latest)\b
        \b(?:the|der|die|das|unser|unsere|mein|meine) .{2,60}\b(?:ist|sind|heißt|lautet|läuft|liegt|beträgt|\
            erlaubt|kostet)\b.{0,60}(?:\d|\w+-\w+|\bund steht\b)
        ^(?:der|die|das|unsere?|ihre?) .{2,60}\b(?:hat|haben|beginnt|endet|kostet|beträgt|dauert|öffnet|schließt|\
            wurde|\
            erlaubt)\b.{0,60}(?:\d|\b(?:zwei|drei|vier|fünf|sechs|acht|zehn|zwölf)\b)
        \b(?:mindestens|höchstens) \w+ \d+ (?:nötig|erlaubt)
        (?:最多|至少|只)(?:允许|支持|保留|能存)?.{0,10}(?:\d+|[一二三四五六七八九十百千]+)(?:次|天|个|条|兆|分钟|\
            小时|人)
        \d+年(?:\d+月)?(?:\d+日)?(?:到期|过期|截止)|能(?:坐|容纳|存)[一二三四五六七八九十百千\d]+
        (?:我们|他们|公司)的.{1,12}(?:从.{1,10}(?:开始|起)|是.{0,8}(?:\d|[一二三四五六七八九十]).*的?)
        ^[^，]{2,14}是\d{2,4}年.{0,4}(?:装|建|买|成立|开)
        (?:端口|税号|编号|限制|预算|位置|地址|办公室|域名|版本|时间|名字).{0,20}(?:是|为|叫|在|到期).{1,30}
    """,
}
"""The words of each kind. `\\p{N}` stands for a capital letter that begins a name."""

EXTRA_DECISION = expand(r"""
    \b(?:we|i)(?:'ve| have)? (?:decided|picked|chose|agreed|replaced|rejected)\b
    \bthe decision is\b
    ^decided (?:against|to|on|for)\b
    ^(?:final )?decision:
    ^adopted\b
    ^let's go with\b
    \bwe(?:'re| are) (?:switching|going with|moving to)\b
    ^(?:(?:ok|okay|alright|fine|right|good),? )?(?:the )?(?:team|board|committee|family) (?:has )?(?:agreed|voted|\
        decided)\b
    ^(?:also |gut |ok(?:ay)? )?abgemacht\b
    \bdie entscheidung ist\b
    \b(?:so|das) (?:ist |haben wir )?(?:beschlossen|vereinbart|festgelegt)\b
    \bhaben wir abgelehnt\b
    我们?(?:决定|选择了|选定|采用|否决|定了|把.{1,20}换成了)|最终决定|决定是|已商定|选定了|从今天起采用|暂时否决|\
        那?就(?:这么|这样)?定了|(?:团队|大家|公司|董事会)(?:都|已经)?(?:同意|\
        决定|通过)
    \bfinal (?:answer|call|word|verdict)\b.{0,40}:
    ^(?:agreed|settled)(?: with \p{N}\w+| on)?: \w
    \b(?:i|we|\p{N}\w+ and i) settled (?:this|it|that|on)\b
    \btalked (?:it )?(?:over|about|through|with) .{0,50}\b(?:we're|we’re|i'm|i’m|we are|we'll|we’ll)\b
    <FROM>,? .{2,60}\b(?:goes|is|are|will|rotates?|runs?|moves?|happens?|starts?|uses?|gets?)\b
    \b(?:i|we)(?:'ve|’ve| have)? ended up (?:going with|with|buying|choosing|picking|getting|keeping|taking)\b
    \b(?:is|are) (?:now )?off the (?:table|list|menu)\b
    \b(?:abgesegnet|ausgemacht|vom tisch|festgezurrt)\b
    ^wie (?:besprochen|vereinbart|abgemacht|verabredet|abgesprochen)\b.{5,}
    (?:定下来|说好|谈妥|商量好|拍板)了?[^？?]{0,4}[，：:。]|^(?:讨论|商量|谈)(?:完|好)了?，[^？?]{2,}|\
        从[^，。？?]{1,8}(?:起|开始)，[^？?]{3,}|已经决定|(?:都|经)?定了[：:]
""")
EXTRA_LESSON = r"""
    ^(?:lesson|takeaway|note to self|root cause)\b
    ^never (?:run|push|deploy|trust|start)\b
    ^turns? out\b
    ^next time,? \w+ .{3,}
    \bi(?:'ve|’ve| have)? (?:realised|realized|discovered|found out) that .{3,90}\b(?:only|always|never|unless|\
        whenever)\b
    ^(?:in hindsight|looking back|in retrospect),? \w+ should\b
    \bmir ist (?:jetzt |heute )?(?:klar geworden|aufgefallen)\b
    \b(?:im nachhinein|rückblickend)\b
    \bthe key was to\b
    \bwe learned\b
    ^(?:erkenntnis|faustregel|merke|lehre)\b
    \bnie (?:tagsüber|ohne|vor|während)\b
    教训|经验是|原来是|根本原因是|终于明白|^记住|我?发现(?:只要|如果|每次|原来|其实)|事后看|早知道|千万(?:不要|别)|\
        下次(?:先|记得|一定)
"""
EXTRA_JOURNAL = expand(r"""
    \bi(?:'ve|’ve| have)? (?:just |now |already |finally )?(?:booked|cancelled|canceled|created|uploaded|fixed|\
        closed|\
        merged|\
        deployed|removed|renamed|restored|repaired|replaced|installed|submitted|published|cleaned up|finished (?:the|\
        my|our))\b
    ^(?:all )?(?:done|finished|sorted)[:,!.] ?\w.{8,}
    ^(?:shipped|finished|submitted|published|delivered|renamed|restored|repaired) (?:the|our|my|all|both|it|an?|\d+)\b
    ^(?:the|all|both|your) [\w -]{2,50} (?:is|are|has been|have been) (?:now )?(?:renamed|migrated|merged|fixed|\
        deployed|\
        restored|repaired|uploaded|cleaned up)\b
    \bwe (?:shipped|closed|finished|launched)\b
    ^(?:deployed|uploaded|fixed|merged|created|removed|released|closed|installed|updated) (?:the|all|both|it|\d)
    ^the [\w ]{3,40} (?:failed|crashed|broke) because\b
    ^(?:the )?tests pass again\b
    ^the [\w ]{3,40} is finished\b
    ^(?:erledigt|fertig|geschafft)[:,!.] ?\w.{8,}
    \b(?:ich habe|habe ich|wir haben|haben wir) .{3,80}(?:gebucht|gekündigt|angelegt|behoben|hochgeladen|abgegeben|\
        aufgebaut|eingebaut|gelöscht|bereinigt|repariert|verschickt|abgeschickt|eingereicht|umbenannt|abgeschlossen|\
        fertiggestellt|installiert|gestartet|eingeführt|veröffentlicht|unterschrieben|bezahlt|zusammengeführt)\b
    \b(?:ist|sind) (?:\w+ ){0,6}wiederhergestellt\b
    \b(?:ist|sind) (?:jetzt |nun |wieder )?(?:behoben|umbenannt|gelöscht|repariert|zusammengeführt|\
        wiederhergestellt)\b
    \b(?:sind|ist) (?:hochgeladen|abgeschlossen|ausgeliefert|fehlgeschlagen|seit \w+ unterschrieben)
    ^die tests laufen wieder\b
    \bwir haben .{3,60}\bausgeliefert\b
    我(?:订好了|取消了)|(?:创建|上传|迁移|部署)(?:了|完成)|(?:完成|通过|签好|上线|修复)了|已经(?:修复|部署|上线|\
        创建)|失败了
    ^已?经?完成[：:，,]|(?:启动|恢复|安装|搭建)了|已经?[^，。]{0,12}恢复|(?:修|弄|装|改|处理)好了|(?:写|跑|做|处理|\
        搬|测试|整理)完(?:了|并|，)|(?:合并|发布|提交|删除|删掉|\
        清理|改名|安装|归档)(?:好)?了
    ^ich habe (?!.*\bnicht\b|.*\bkein)(?:\w+,? ){1,12}<DE_DONE>\b
    ^已经?把[^，。？?]{3,}
""")
