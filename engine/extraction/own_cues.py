"""The forms in which a person speaks of what is theirs, in English, German and Chinese: data only.

Cues of `engine.extraction.cues` are words; these are grammar: who speaks, the tense, the time, the kin. They
hold for a user alone, since an agent in the same form advises or tells a tale.
"""

from engine.extraction.entry import EntryKind
from engine.extraction.told_cues import TOLD
from engine.extraction.word_classes import expand

_OWN: dict[EntryKind, str] = {
    EntryKind.CORRECTION: r"""
        \b(?:is|are|was|were|should be|goes|starts|ends|it's|it’s|that's|that’s) (?:[^,.?]{1,30}, not [^,.?]{1,30}|\
            (?!still|just|also|really|probably|certainly|definitely|quite|too|why|that)\S{1,15} not \S{1,15})[.!]?$
        \bthe (?:second|third|fourth|nth) time (?:now )?(?:that )?you\b
        \b(?:not|isn'?t|wasn'?t) what i (?:asked|said|meant|wanted)\b
        \bshould be (?:an? |the )?\S+, (?:we|not|because|never)\b
        ^(?:i said|as i said before|again)[,:] .{3,}\bnot\b
        \bdas (?:zweite|dritte|vierte|x-?te|letzte) mal,? dass du\b
        \b(?:ich habe?|ich hatte|hatte ich|hab ich|habe ich) (?:dir |es |das |doch |ja |schon |bereits |\
            extra ){1,4}(?:\w+ )?gesagt\b
        ^(?:stopp|halt|moment|nein|nee|nö),? .{0,30}\b(?:stimmt (?:so )?nicht|ist falsch|war falsch)
        \b(?:schreibt|schreiben) (?:sich|man) .{3,}
        ^(?:更正|纠正|说错|更改)一?下?|^不是[^，。？]{1,20}，(?:而)?是|^(?:又来了|又错了|又忘了)|(?:我说过|跟你说过|\
            我说的是)[^？?]{2,}|你(?:看|写|弄|算|听|理解)错了
        ^(?:wrong|falsche[rsn]?) \w+[,.]
        \b(?:it's|it’s|it is|that's|that’s) .{1,40}, (?:and )?(?:you (?:wrote|said|put|have|used)|not)\b
        ^i said [\w ]{2,30}[.!]$
        ^you(?:'ve|’ve| have)? (?:got|mixed up|confused|swapped|misread|put) .{2,50}\b(?:wrong|mixed up|backwards|\
            swapped|wrong way|up|twice)\b
        ^(?:no|nope|nein|nee), .{3,50}\b(?:not|nicht)\b .{2,30}
        \bich heiße [\w-]+,? (?:und )?nicht \w+
        \b(?:gemeint|richtig|korrekt) (?:war|waren|ist|wäre) .{2,}\bnicht\b
        ^du hast .{2,40}\b(?:vertauscht|verwechselt|falsch|übersehen|vergessen|verdreht|durcheinander\w*)\b
        \bdu (?:rechnest|schreibst|verwechselst|vergisst|machst|nimmst) .{0,30}\b(?:immer|dauernd|ständig|\
            schon wieder|die ganze zeit|falsch)\b
        \b(?:hab|habe) ich (?:dir )?(?:doch |schon |bereits )+(?:mal |oft )?gesagt\b
        ^你把.{1,12}(?:写|当|弄|看|算|搞|翻|理解)成.{1,12}了|^(?:搞|弄|写|说|填|看|记)(?:反|错|混|漏)了|(?:说了|\
            讲过)(?:多少|几|好几)?[遍次]|^我(?:姓|叫)[^？?]{1,12}不是
    """,
    EntryKind.PREFERENCE: r"""
        \bi (?:(?:also|really|just|absolutely|actually|still|particularly|especially|generally|always|do|\
            personally) ){0,2}(?:like|love|enjoy|adore|\
            prefer|hate|dislike|avoid) (?!the\b|that|it\b|this|how|your|these|those|what|you\b|to see|\
            to know|to hear|to ask|when you|both|all|better|best|most|more|so far|about|them|and\b|as\b)\w
        ^(?:in|for|when|with) [\w' ]{3,40} i(?:'d|’d| would) (?:like|love|want) (?!to know|to hear|to ask|to see|\
            to learn|you|some|a few|an?\b)\w
        ^(?:and |oh |yeah |so |also )*(?:please |pls )?(?:skip|drop|leave (?:out|off)|omit|avoid|cut|\
            spare me) .{3,60}\
            \b(?:every|each|always|at the end|in your|in my|replies|answers)\b
        \b(?:when|whenever) you \w+ .{2,40}\b(?:could you|please|can you|just|leave|skip|use|keep|give)\b.{4,}
        ^(?:no |nothing |nothing with )(?!problem|worries|need|thanks|idea|way|rush)[\w -]{3,40},? (?:please|pls|\
            for me)\b
        \bi(?:'m|’m| am) (?:an? )?(?:vegetarian|vegan|pescatarian|teetotal|lactose|gluten|early bird|night owl|\
            morning person)\b
        \b(?:on principle|not a (?:big |huge )?fan of|a (?:big|huge) fan of|works best for me|\
            is (?:more )?my (?:style|thing))\b
        \bi (?:just |only )?want (?:the|just the|only the) \w+ and (?:the )?\w+
        \b(?:(?!würde|hätte|wäre|könnte|möchte|wüsste|wollte)\w+e ich|ich (?!würde|hätte|wäre|könnte|möchte|wüsste|\
            wollte)\w+e)\b.{0,40}\b(?:gern|gerne|ungern|\
            lieber|am liebsten)\b
        \b(?:ist|sind) mir .{2,60}\b(?:wichtiger|lieber|am liebsten|am wichtigsten|egal)\b
        \b(?:finde|find) ich (?:\w+ )?(?:furchtbar|schrecklich|grässlich|eklig|nervig|anstrengend)\b
        \bbitte (?:keine?n?|nichts mit|niemals) (?!panik|sorge|umstände|angst)\w
        \bdu kannst mich (?:\w+ )?(?:duzen|siezen)\b
        ^(?:bitte )?(?:antworte|sprich|antwort)\b(?: mir| mit mir| bitte| einfach| doch)* (?:knapp|kurz|ausführlich|\
            auf|ohne|in|sachlich|höflich|formlos|direkt)
        \bich (?:bin (?:vegetarier|veganer|frühaufsteher|nachteule)|vertrage kein|esse kein|trinke kein)
        我(?:(?:其实|也|还是?|一直|比较|特别|非常|最|更|很|挺|超|真的|就|都|平时) ?)*(?:喜欢|爱[吃喝看听玩]|偏好|\
            讨厌|习惯|受不了|吃不了|吃不惯|不吃|不喝|不爱|怕)(?!你|这个|这样)
        比起[^，。？?]{1,12}我
        ^(?:回答|回复|说话|写|解释|翻译)[^，。？?]{0,6}(?:的时候|时)?(?:请|要|别|不要|尽量|不用)
        ^(?:请)?别(?:老|总|再)?(?:给我|用|写|加|说|分)
        \bi(?:'m|’m| am) (?:most |really |very |quite |super |more of an? |an? )?(?:passionate about|into (?!the\b|\
            this|that)|crazy about|keen on|fond of|[\w ]{2,20}(?: person| lover)\b)
        \bi (?:can't|can’t|cannot|don't|don’t|do not) (?:do|eat|drink|stand|handle|tolerate) (?!it|that|this|the\b|\
            so|any\b)\w
        ^(?:keep|make) (?:it|them|your \w+|answers|replies) (?:short|brief|simple|concise|formal|informal|\
            casual)\b.{0,10}\bplease\b
        ^[\w ]{2,25} only,? (?:please|pls)\b
        \bover \w+,? always\b|\b(?:always|never),? please\b
        \b(?:mir|uns) (?:ist|sind) .{2,40}\b(?:lieber|wichtig|egal|zuwider|zu viel)\b|\bmir (?:reicht|reichen|\
            genügt|gefällt|gefallen) .{2,60}
        \bich (?:steh|stehe) (?:nicht |total |voll )?(?:auf|nicht auf) \w
        ^ohne [\w ]{3,30},? bitte\b
        \bbitte (?:immer|stets|grundsätzlich|jedes mal|nie|niemals)\b .{3,}
        \bvertrage? ich (?:nicht|schlecht|kaum)\b
        我(?:[^，。？?你不想得]{0,4})(?:喜欢|从来不|从不|一向|不爱)(?!你|这个|这样|的是)[^，。？?]{1,}
        ^(?:说话|回答|回复|写|代码|注释|变量|文档|标题)[^，。？?]{0,14}，?(?:别|不用|不要)[^。？?]{1,}
    """,
    EntryKind.LESSON: r"""
        \bi(?:'ve|’ve| have)? (?:noticed|realised|realized|learned|learnt|discovered|figured out)(?: that)? (?!you|\
            your|there|the article|a lot|a new|how to)\w.{10,}\
            \b(?:when|whenever|if|after|before|because|better|worse|more|less|only|always|never|than)\b
        \b(?:the thing|what) (?:that )?(?:bit|got|burned|burnt|tripped|cost|saved|hurt|helped) (?:us|me)\b
        \b(?:cost|lost|wasted|took) (?:me|us)? ?.{0,20}\b(?:hours?|days?|evening|morning|weekend|\
            night)\b.{0,20}\b(?:because|until|just to|since)\b
        \b(?:hours|days|a day|an hour|evening|night) (?:lost|wasted|gone)\b.{0,40}\b(?:because|until|on|since)\b
        \b(?:what i|the) (?:take away|took away|takeaway|lesson|moral)\b.{0,30}\b(?:is|was)\b
        ^(?:schuld|ursache|grund|auslöser) (?:war|waren|daran war)\b
        \b(?:beim )?nächstes? ?mal\b.{3,60}\b\w+en\b
        ^was (?:ich|wir) (?:aus|daraus|davon) .{0,40}\b(?:mitnehmen?|gelernt|lernen?)\b
        \b(?:hat|haben) (?:uns|mich) .{0,40}\bgekostet\b
        \b(?:gemerkt|festgestellt|bemerkt|herausgefunden),? dass\b
        \blag (?:am|an der|an einem|an einer|daran, dass)\b
        (?:才|终于|后来)(?:发现|知道|搞清楚)|(?:下次|下回)(?:得|要|别|不|一定|再)?[先记别不得要]|\
            我?发现[^，。？?]{2,20}(?:比|更|其实|越)|(?:花了|折腾)[^，。？?]{1,8}才
        \bwould have (?:saved|spared|avoided) (?:us|me)\b
        ^the (?:fix|bug|culprit|mistake|trick|catch|problem|cause) (?:was|turned out)\b
        \b(?:works?|worked|sleep|learn|focus|feel|study) (?:\w+ )?better (?:for me|when|if|without|with|in|after)\b
        ^rule(?: i'm| for)? .{0,20}:
        ^(?:don't|don’t|do not|never) (?:ever )?(?:let|use|buy|book|trust|store|leave|put) .{5,80}, (?:it|they|that|\
            you)\b
        \b(?:bringt nichts|lohnt sich nicht|zahlt sich aus),
        \b(?:war|waren) .{3,50}\bschuld\b
        ^(?:das passiert (?:mir|uns) nicht|nie wieder|fürs nächste (?:mal|jahr))\b.{3,}
        ^seit (?:ich|wir) .{5,80}, (?:ist|sind|habe|haben|schlafe|geht|läuft)\b
        \bnur (?:noch )?(?:mit|wenn|in|ohne|nach) .{3,50}, sonst\b
        (?:问题|原因|毛病|错)(?:就?出)?(?:是|在)[^，。？?]{1,10}(?:上|里)|实践证明|事实证明|越是?[^，。？?]{1,10}越|\
            吃一堑|反而|不然(?:就|会|又)|才行$
        \b(?:i|we)(?:'ve|’ve| have)? (?:finally )?found (?:a|the|out the) (?:\w+ )?(?:work-?around|fix|solution|\
            cause|reason|culprit)\b
    """,
    EntryKind.DECISION: r"""
        ^(?:(?:ok(?:ay)?|alright|fine|great|good|so|well|then|right|yes)[,.:]? )*let(?:'s|’s| us) (?:drop|go|use|\
            switch|\
            move|\
            keep|stick|cancel|postpone|replace|skip|stay)\b
        ^from now on,? .{2,40}\b(?:go|goes|is|are|will|happen|happens|get|gets|end|ends|start|starts)\b
        \b(?:i|we)(?:'m|’m|'re|’re| am| are) (?:cancell?ing|dropping|keeping|quitting|replacing|postponing|\
            sticking with|\
            staying with|moving .{2,30} to)\b
        \bwe(?:'ll|’ll| will) (?:do|move|keep|drop|cancel|buy|rent|hire|replace|postpone|stay|stick)\b
        ^(?:(?:gut|ok(?:ay)?|also|na gut|in ordnung|schön|so)[,.:]? )*(?:dann |also |jetzt )?(?:nehmen|nutzen|\
            behalten|\
            kündigen|\
            kaufen|verschieben|streichen|machen|lassen) wir\b
        ^so machen wir (?:das|es)\b
        \b(?:that(?:'s|’s| is) final|i(?:'ve|’ve| have) made up my mind|das steht fest)\b
        ^going with\b
        ^ab sofort \w+ (?:wir|ich)\b
        就这么办|我想好了
        ^(?:ich bleibe|wir bleiben) bei\b
        \bist (?:ab sofort|künftig) (?:immer|nur|nicht mehr)\b
        按你说的|(?:以后|今后).{0,8}(?:统一|一律|改成|改为|固定)|把[^，。]{1,10}(?:先|暂时)停掉|(?:还是|\
            就)(?:继续)?用.{1,20}(?:，|了|。|$)
        \b(?:we're|we’re|we are|i'm|i’m|i am) (?:not )?(?:renewing|staying (?:at|with|in)|selling|skipping|signing|\
            giving up)\b
        ^scratch (?:the|our|my) \w+
        ^(?:\w+[,:]? )?<DE_FROM> (?:\w+ )?(?:gibt|gibts|gilt|gelten|wird|werden|ist|sind|läuft|laufen|machen|nutzen|\
            nehmen|gehe|gehen|fahre|\
            fahren|schicke|schicken|buche|buchen|esse|essen)\b
        \b(?:dann )?(?:wird|werden) es (?:dann |jetzt |also )?(?:der|die|das|ein|eine|beim)\b
        \b(?:lasse|lassen) (?:wir|ich) .{2,50}\b(?:ausfallen|bleiben|sein|weg|fallen)\b
        \b(?:wir|ich) (?:lasse|lassen) .{2,50}\b(?:ausfallen|bleiben|sein|weg|fallen)\b
        \bich (?:zieh|ziehe|nehme|kündige|sage|melde|lehne) .{2,60}\b(?:zurück|ab)\b
        \bich bleibe? (?:doch|dabei|jetzt|also)\b
        \bwir (?:bleiben|machen|nehmen|behalten) .{2,60}(?:, .{0,20}\bfest\b|\bdoch\b|\bjetzt\b|vom tisch)
        (?:最后|最终)还?是[^，。？?]{0,4}(?:买|选|定|用|去|要|签|租)了?|就用[^，。？?]{1,12}，不|(?:不|再不)(?:续|\
            上|去|买|订|租|用|参加|报)[^，。？?]{0,8}了，|我还是去|推掉了?|还是决定
        \b(?:that's|that’s|it's|it’s|which is|this is) (?:now )?(?:confirmed|settled|decided|agreed|official)\b
        ^(?:change of plans?|plan changed|new plan|plans changed)\b
        ^(?:going forward|effective immediately),? \w
        ^no more [\w ]{3,40},? (?:from|starting|as of|after)\b
        \bi(?:'m|’m| am) (?:staying where|dropping|quitting|not going|not doing|taking the|turning (?:it|them) down)\b
        \bwe(?:'re|’re| are) (?:doing|keeping|dropping|going|skipping|switching) (?!to\b|some|well|fine|good|great|\
            ok)\w[\w ]{1,30}\.
        ^dabei bleibt es\b
        ^ich (?:steige|mache?|höre) .{0,40}\b(?:aus|nicht weiter|auf)[.!]?$
        ^(?:künftig|zukünftig|in zukunft|ab sofort|ab jetzt) \w+en? .{5,}
        ^(?:ok(?:ay)?|gut|also),? (?:gekauft|genommen|bestellt|gebucht|gemacht) (?:wird|werden)\b
        \b(?:fällt|fallen) (?:weg|aus|flach)\b
        \bist (?:geklärt|abgesprochen|besprochen|fix|beschlossene sache|durch)\b
        \b(?:wahl|entscheidung) ist (?:auf|für|gegen)\b
        ^statt .{2,30} (?:nehmen|nutzen|machen|fahren|kaufen|verwenden|bestellen) wir\b
        \bbleibt(?: es)?,? (?:so\b|wie (?:es|er|sie) ist\b)
        ^(?:那)?就(?:定|这么定|按)|打(?:定)?主意|商量过了|(?:砍掉|取消|作废|不做)了?[，。]?(?:不做了)?$|拍板|\
            ^选了[^，。？?]{1,12}，|就(?:按|照)[^，。？?]{1,12}(?:来|做|办)
        ^(?:i|we) no longer \w{3,}
        \b(?:kommt|kam) (?:für (?:uns|mich) )?nicht (?:mehr )?in frage\b
    """,
    EntryKind.PROCEDURE: r"""
        \byou (?!\w+ed\b|said|gave|is|are|were|will|would|might|may|can\b|could|should|have\b|want|like|know|\
            think)\w+ [^,.?]{2,50}, \w+ [^,.?]{2,50},? (?:and |and then |then )\w+
        ^(?:how|the way) (?:we|you|i|to) [^:?]{2,60}: .{3,}(?:,|\bthen\b)
        ^(?:how|to|steps|for|when|if|whenever|\w+ing)\b[^:?!]{2,60}: (?:\w+ [^,.:]{2,50}, ){2,}(?:and |then |\
            and then )?\w+
        (?:[^,.:?!]{6,60}en(?:, dann|, danach|,| und(?: dann)?) ){2,}[^?]{3,}
        (?:[^,.:?!]{6,60}en, ){1,}[^,.?]{5,60}en und [^?]{6,60}en\b
        \b(?:du|man|ihr) [^,.?]{3,60}, (?:\w+ [^,.?]{3,60} und \w+)
        (?:步骤|流程|办法|做法|方法|规矩)(?:是|如下|：|:)|[^。？?]{2,20}，[^。？?]{2,20}，(?:再|然后|\
            最后)[^。？?吧]{2,20}(?:就行|即可|就好|就可以)
        ^[^，。？?：]{2,12}(?:的办法|的方法|的步骤|的流程|的做法)[：:]
        ^(?!i\b|we\b|he\b|she\b|they\b|my\b)[^,?]{3,80}, [^,?]{3,60}, (?:and )?then \w+
        ^if .{3,60}, \w+ .{2,60}, \w+ .{2,60},? (?:and |then )
        ^(?:how|to|steps|for|when|if|whenever|\w+ing)\b[^:?!]{2,60}: \w+ \w.{1,60}, \w+ \w[^,?]{1,60}, \w+ \w[^?]{1,}$
        ^(?:bei|für|zum|zur|wenn|um|vor|nach) [^:?!,]{3,50}: \w+ \w.{1,60}, \w+ \w[^,?]{1,60}, \w+ \w[^?]{1,}$
        ^[^:?!,]{3,50}: (?:[^,.:?]{3,40}en, )+[^,.:?]{3,60}
        \b(?:erst|zuerst|zunächst) .{3,80}, (?:dann|danach|anschließend)\b
        \b(?:du|man|ihr) [^,.?]{0,10}\w{3,}(?:st|t)? [^,.?]{3,60}, \w+(?:st|t|en)? [^,.?]{3,60} und \w+
        \b\w+(?:st|t) (?:du|man|ihr) [^,.?]{3,60}, \w+(?:st|t) [^,.?]{3,60} und \w+
        [：:，][^，。？?]{2,14}，[^，。？?]{2,16}，(?:再|然后|最后)[^。？?吧]{2,}|\
            ^[^，。？?我你]{3,14}，[^，。？?我你]{1,8}，[^，。？?我你]{1,8}，[^。？?我你了]{2,10}。?$
        的时候[^，。？?]{2,12}，[^，。？?]{2,16}，(?:再|然后|最后)
    """,
}
OWN: dict[EntryKind, str] = {kind: expand(table) for kind, table in (*_OWN.items(), *TOLD.items())}
"""The forms of each kind; a person decides by words that only propose where an agent says them."""

_NOT_OWN: dict[EntryKind, str] = {
    EntryKind.JOURNAL: r"""
        \b(?:we|you)(?:'ve|’ve| have)? (?:\w+ )?(?:discussed|talked about|mentioned|suggested|shared|provided|\
            recommended)\b
        \b(?:got everything|problem|confused|make sure (?:i|we)(?:'ve|’ve| have))\b
        \b(?:i|we) (?:wish|would have|could have|should have|used to)\b
        \b(?:ob|hätte|hätten|wäre|wären|immer|oft|schon mal|jemals)\b
        \b(?:dich|dir|mich) (?:\w+ )?(?:gebeten|gefragt|verstanden)\b
        没|别|不要|如果|要是|死了|极了|太[^，。]{1,4}了|怎么了|好久|应该|希望|打算|想[去要买看]|准备|\
            会[^，。]{0,4}[去看]|是不是
    """,
    EntryKind.PROCEDURE: r"""
        \b(?:wir|ich|hat|hatte|hatten|haben|war|waren|wurde|wurden)\b
        \b(?:i'll|i’ll|i will|i'm|i’m|i plan|i can|i could|i might|i'd|i’d|we'll|we’ll|i love|mentioned|curious)\b
    """,
    EntryKind.FACT: r"""
        \b(?:habe|haben|hab)\b .{0,80}<DE_DONE>[.!]?$
        \b(?:good|better|rough|clear|general) (?:sense|understanding|grasp)\b|\b(?:idea|question|concern|since then)\b
        \b(?:i'm|i’m|i am) (?:\w+ )?(?:looking|trying|thinking|planning|considering|hoping|wondering)\b
        \bworking on (?:an?|this|my|the) (?:project|essay|assignment|paper|list|presentation|plan|story|article|\
            report)\b
        \b(?:been (?:thinking|wondering|meaning|looking|considering|wanting|hoping))\b
        (?:想|打算|希望|准备|如果|要是|应该|可以)
        \b(?:i|we) (?:have|'ve got) (?:an? )?(?:question|idea|feeling|problem|few|couple|favor|request)\b
        \b(?:i'm|i’m|i am) (?:excited|glad|happy|sorry|sure|afraid|worried|interested|curious)\b
        \b(?:frage|gefühl|ahnung|problem|schwierigkeiten|lust)\b
        \b(?:my|the) (?:question|goal|problem|issue|essay|task|prompt|output|answer|article|petition|seller)\b
        觉得|感觉|建议|考虑
    """,
}
NOT_OWN: dict[EntryKind, str] = {kind: expand(table) for kind, table in _NOT_OWN.items()}
"""Takes an event or a trait out again: what did not happen or might have, a wish or a plan."""
