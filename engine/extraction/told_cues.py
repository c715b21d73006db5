"""The forms in which a person tells of people, events and what is so, in English, German and Chinese: data only."""

from engine.extraction.entry import EntryKind

TOLD: dict[EntryKind, str] = {
    EntryKind.PERSON: r"""
        \bmy <KIN>(?: \p{N}\w+)?,? (?:who )?(?:just |recently |still |also |already )?(?:is|was|has|had|works|lives|\
            studies|teaches|\
            speaks|turned|turns|graduated|moved|runs|owns|got married|retired|started|loves|hates|likes|can't|can’t)\b
        \bmy <KIN>(?:'s|’s)? .{0,30}\bwho (?:is|are|was|were|just|has|had|lives?|works?|\w+ed)\b
        \bmy <KIN>(?:'s|’s) (?:\w+ )?(?:birthday|name|wedding|allergy|favou?rite \w+) (?:is|was)\b
        \b(?!hello|today|hey|remember|also|yesterday|well|thanks|so\b|and\b|but\b|hi\b|now|\
            plus)\p{N}\w+(?: \p{N}\w+)?, my (?:\w+ )?<KIN>[,.]
        \b(?:new|our|the) (?:guy|girl|hire|colleague|intern|joiner|teammate|person|lead|manager)\b.{0,30}\b(?:is|\
            is called|named|called) \p{N}\w+
        \b\p{N}\w+ (?:\p{N}\w+ )?(?:now )?(?:reports to|takes over|took over|owns the|is responsible for|\
            is in charge of|has moved|joined|is leaving|left)\b.{3,}
        ^(?:die|der|unsere?|mein\w*)? ?\p{N}\w+(?: \p{N}\w+)? (?:macht|arbeitet|übernimmt|betreut|leitet|\
            kümmert sich|vertritt|studiert|wohnt) (?:jetzt|nun|seit|bei|in|das|die|den|um|ab)\b
        \bzuständig\b.{0,40}\b(?:herr|frau|\p{N}\w+)\b
        \b(?:herr|frau) (?:dr\. )?\p{N}\w+ .{0,30}\b(?:zuständig|verantwortlich|im urlaub|in elternzeit)\b
        \bmeine?[nmr]? <DE_KIN>,? (?:der |die )?\p{N}\w+,? (?:der|die|ist|hat|arbeitet|wohnt|lebt|studiert|macht|\
            wird|war|kommt)\b
        \bmeine?[nmr]? <DE_KIN> .{0,30}\b(?:arbeitet|wohnt|lebt|studiert|verträgt|heißt|wird \d)\b
        \bunsere? (?:neue[rn]? )?(?:<DE_KIN>|\w+) heißt \p{N}
        我(?:的|家)?<ZH_KIN>[^，。？?]{0,10}(?:有|是|叫|在|住|做|对|当|喜欢|不吃|今年|刚)
        ^[^，。？?我你]{1,5}是[^，。？?]{1,8}的?<ZH_KIN>，
        (?:新来|来)了?(?:个|位|一个|一位)[^，。？?]{1,8}，?(?:叫|姓)
        <ZH_KIN>[^，。？?]{1,10}，(?:她|他)(?:现在|目前|以前|刚|是|在)
        ^(?:带|教|管)我?[^，。？?]{1,8}的是
        (?:负责人|对接人|接口人|主管|班主任|辅导员)(?:换成了?|是|叫)[^，。？?什谁哪]{2,6}
        \b(?:my|our) (?:\w+ )?<KIN>(?:'s name)?(?: \p{N}\w+)?(?: and \p{N}\w+)? (?!suggest|recommend|says|tells|\
            asks|wants|thinks|this|as\b|always|sometimes)(?:\w{2,}s|isn't|isn’t|doesn't|doesn’t)\b
        \b(?:our|my|the) (?:\w+ )?(?:<KIN>|gp|vet) is (?:called |named )?(?:dr\.? |mr\.? |mrs\.? |ms\.? )?\p{N}\w+
        \b(?:our|my|the) (?:\w+ )?<KIN>, (?:dr\.? |mr\.? |mrs\.? |ms\.? )?\p{N}\w+
        ^(?:dr|mr|mrs|ms)\.? \p{N}\w+ (?!suggest|recommend|said|told|asked)\w+s\b
        ^\p{N}\w+ (?:just|has|had|is|was|won't|won’t|can't|can’t|\w+ed) .{2,60}, (?:so |but |and )?(?:she|he)(?:'s|\
            ’s)?\b
        ^\p{N}\w+ (?:on|from|in) (?:the |our )?[\w ]{2,20} (?:knows|handles|owns|runs|does|wrote|maintains|leads|\
            has)\b
        \b(?:ist|heißt) (?:jetzt |nun )?(?:frau|herr) (?:dr\. )?\p{N}\w+
        ^(?:die|der|unser|unsere) (?:neue[rn]? )?\w+(?:er|in|e|erin)? heißt \p{N}\w+
        \bmeine?[nmr]? <DE_KIN>(?: \p{N}\w+)? (?!fragt|meint|glaubt|sagt|sagte|meinte|findet|will|möchte)(?:\w{2,}t|\
            ist|hat|war)\b
        ^(?:tante|onkel|oma|opa|cousine|cousin) \p{N}\w+ \w+t\b
        ^\p{N}\w+ (?:aus|von|in) (?:der|dem|unserem|unserer) \w+ (?:hat|ist|kann|macht|wohnt|kennt)\b
        ^(?:bei uns )?.{0,20}\bist \p{N}\w+ (?:der|die) (?:einzige|neue|beste|zuständige)
        ^\p{N}\w+ (?:hat gekündigt|geht (?:zum|in|nach)|ist schwanger|ist im|wird vater|wird mutter|heiratet|zieht|\
            wechselt)\b
        我(?:的|家)?<ZH_KIN>(?!觉得|说|问|想|建议|让|告诉|送|们|一起|[去来]了|和我)[^，。？?吗]{3,}
        ^(?:小|老|阿)(?!时|师|的|是|鼠|家|板|公|婆)[^，。？?]{1,3}(?:是|负责|管|调|去|来|有|在|怕|以前|现在|离职|升)
        ^(?:楼下|隔壁|对门|同组|部门)[^，。？?]{2,8}(?:是|以前|姓|叫|在)
        (?:老师|主任|经理|司机|医生|大夫|阿姨|房东)姓[^，。？?]{1,3}
        ^[赵钱孙李周吴郑王冯陈蒋沈韩杨朱许何吕张孔曹金魏陶姜谢章苏潘范彭马方任袁史唐薛雷贺罗毕安孟黄萧姚邵汪毛戴宋熊项董梁杜林刘郭蔡田胡高夏徐][^，。？?我你他她]{1,2}(?:调|去了|来了|升|离职|辞职|怀孕|住院|结婚|负责|接手|请假|休)
    """,
    EntryKind.JOURNAL: r"""
        \b<SELF> <OFTEN><PAST>\b.{0,160}\b<TIME>\b
        \b<TIME>\b.{0,100}\b<SELF> <OFTEN><PAST>\b
        \b<SELF> (?:just|recently|finally|only just|actually just|also just|just recently|already) <PAST>\b
        \b<SELF> <OFTEN><ACT>\b
        ^(?:done|fixed|solved|sorted),? .{0,60}\b<DID>\b
        ^(?:just |finally |already |also |so i |right so i )?<DID> (?:\w+ )?(?:the|my|our|all|both|them|\d+)\b
        ^(?:just |finally |already |also )?<DID> .{2,80}\b(?:<TIME>|to v?\d)\b
        ^(?:the|our|my|\p{N}\w+)(?: [\w-]+){1,4} (?:came|arrived|called|left|went|moved|started|finished|died|\
            passed) .{0,60}\
            \b<TIME>\b
        \b<DE_SELF>\b (?:(?!nicht\b|nie\b|niemals|kein|nichts|zu\b)[\w'-]+[,:]? ){1,16}<DE_DONE>\b
        \b(?:ist|sind|wurde|wurden) .{0,40}\b<DE_TIME>\b.{0,40}\b<DE_DONE>\b
        \b<DE_TIME>\b.{0,60}\b(?!möchte|könnte|sollte|wollte|müsste|hätte|dachte|dürfte|hoffte|\
            würde)\w{3,}ten? (?:wir|ich)\b
        ^<DE_TIME> .{0,60}\b(?:war|waren|ging|kam|gab)\b
        \b(?:war|waren) <DE_TIME>\b
        ^(?:der|die|das|unser|unsere|mein|meine) .{2,60}\b(?:ist|sind) (?:<DE_TIME> )?(?:heute |endlich |\
            gut )?(?:angekommen|\
            eingetroffen|fertig geworden|da gewesen|eingezogen|umgezogen|gestorben|geboren)\b
        <ZH_TIME>[^。？?!！]{0,24}[去看听买吃学做写见搬换拍考跑参报收拿交办修打给带聚陪订申完开试装聊谈注出到回来][^。？?!！]{0,6}[了完过]
        <ZH_TIME>[^，。？?]{0,8}把[^，。？?]{1,24}[了完好]
        (?:刚刚?|已经?)把[^，。？?]{1,24}(?:了|完|好|给|到|进|成|归档|发送|删除)
        ^(?:我们?|俩|大家)[^，。？?]{0,6}(?:去|看|听|买|吃|参加|报名|注册|完成|收到|拜访|搬|申请|通过|拍|养|交|办)了
        ^我[^，。？?]{0,8}(?:注册|报名|买|订|参加|完成|收到|申请|学会|搬|换)(?:了|完|好)
        \b(?:just|finally) (?:got (?:off|back|home|the|my|our|a)|came (?:back|home|through)|came|went|heard back)\b
        ^(?:our|my|the) [\w ]{2,30} (?:came through|got approved|is approved|went through|has arrived|arrived|\
            went live|is live|got delivered)\b
        ^<DID> .{2,80}\b(?:<TIME>|in \d+ minutes)\b
        ^ran (?:my|the|a) .{3,60}
        \b<DE_TIME>\b.{0,80}\b(?:wurde|wurden|hatte|hatten|war|waren|ging|kam|gab|bekam|traf|fuhr|\
            ist .{2,60}(?:worden|geworden))\b
        \b(?:wir|ich) (?:war|waren) .{0,40}\b(?:<DE_TIME>|im urlaub|beim|bei der|in der|auf dem)\b
        \b(?:ist|sind) (?:geschafft|draußen|durch|raus|online|live|unter dach und fach|erledigt|angekommen|gelandet|\
            da)[.,!]
        \bich komme (?:gerade|grad|eben) (?:vom|von|aus)\b
        (?:拿到|收到|到货|考下来|办下来|批下来|通过|上线|修好|装好|找到|搞定|忙完|结束)了|终于[^，。？?]{2,14}了
        <ZH_TIME>[^。？?]{0,14}(?:才|就)?(?:恢复|结束|到家|搞定|下班|出院|毕业)
        \b(?:i|we)(?:'ve|’ve| have) (?:also |already |now |just |even |both )?(?!been|always|never|enjoy|notic|\
            realiz|realis|heard)\
            (?:(?!need|want|hope|wonder|mention|ask|like|love|expect|plann|consider|wish|used|agree|decid|struggl|\
                manag|track|look|tri)\w{3,}ed|\
            set up|built|bought|made|put|sent|written) (?:a|an|the|my|our|all|two|three|\d+|some|it|them|up|to|both)\b
    """,
    EntryKind.FACT: r"""
        \bmy name(?:'s|’s| is) \p{N}
        ^(?:(?:hi|hello|hey)\b[^,.!]{0,20}[,.!]+ )?i(?:'m|’m| am) \p{N}\w+(?: \p{N}\w+)?(?:[,.]|$)
        \bi(?:'m|’m| am|'ve turned|’ve turned|(?: just| recently)? turned) \d{1,2}\b
        \b(?:i|we)(?:'m|’m|'re|’re| am| are)(?: currently)? (?:working|living|studying|based|renting|using|training|\
            allergic|diabetic|enrolled)\b.{3,}
        \b(?:i|we) (?:currently )?(?:work|live|study|teach|rent|volunteer|commute) (?:in|at|as|for|on|from|with|it|\
            the|\w+days)\b
        \bi(?:'m|’m| am) an? (?:[\w-]+ ){0,3}(?:engineer|developer|designer|nurse|doctor|teacher|student|lawyer|\
            manager|\
            freelancer|writer|accountant|scientist|analyst|consultant|researcher|chef|artist|musician|mother|father|\
                parent|\
            beginner|retiree|electrician|carpenter|\w+ist|\w+ician)\b
        \bi have (?:type|an?|two|three|four|five|\d+)(?: [\w-]+){0,3} (?:allergy|intolerance|diabetes|asthma|dogs?|\
            cats?|\
            kids|children|sons?|daughters?|brothers?|sisters?|siblings|degree|licen[cs]e|condition|membership)\b
        \b(?:i|we)(?:'ve|’ve| have) been (?:on|taking|using|living|working|playing|running|married|together|\
            \w+ing) .{0,60}\
            \b(?:since|for (?:about |over |almost |nearly |the (?:past|last) )?(?:\d+|an?|two|three|four|five|six|\
                ten|few|several|\
            couple))\b
        \b(?:i|we)(?:'ve|’ve| have) been on (?:\d|\w+ for|\w+ since)
        \b(?:i|we)(?:'d say i)? (?:usually|normally|generally|typically|mostly) \w{3,} .{4,}
        \b(?:i|we) (?:meet|meal prep|splurge|train|swim|run|jog|cycle|go|play|cook|bake|practi[cs]e|attend|visit|\
            walk|do|take|\
            see|clean|shop) .{0,60}\b(?:every|each|once|twice|on) (?:\w+ )?(?:day|week|month|year|morning|evening|\
                night|\
            weekends?|few|\w+days?)\b
        \bmy [\w -]{2,24}(?:size|birthday|blood type|height|weight|number|name|address|shift|salary|rent|\
            budget)\b.{0,12}\
            \b(?:is|are)\b
        ^(?:\p{N}\w+(?:'s|’s)? |my |our |the )?[\w -]{3,40}\b(?:expires?|runs out|is due|renews|starts|ends|begins|\
            opens|closes)\
            (?: on| in| at| by)? <DATE>
        \b(?:it's|it’s|it is|its|rent is|we pay|i pay|costs) (?:about )?[\w£$€ -]{1,24} (?:a|per|every) (?:month|\
            year|week|night|day)\b
        \b(?:reachable|hosted|running|available|listening|lives?) (?:is )?(?:at|on|under|behind) .{0,20}(?:\d|\
            https?:|/)
        \bich (?:heiße|bin \p{N}\w+,|bin \d)
        \bich (?:arbeite|wohne|lebe|studiere|unterrichte|pendle|nehme|habe|fahre|bin|spiele|lerne|\
            trainiere)\b.{0,50}\b(?:seit|täglich|\
            jeden|jede woche|morgens|abends|mittags|(?:mon|diens|mitt|donners|frei|sams|sonn)(?:tags|wochs))\b
        \bich (?:arbeite|wohne|lebe|studiere|unterrichte) (?:in|im|bei|als|auf|an|am)\b
        \bich habe (?:\w+ ){0,4}(?:\w*(?:allergie|intoleranz|diabetes|asthma|unverträglichkeit)|kinder|geschwister|\
            hunde?|katzen?)\b
        \bmeine? (?:\w*nummer|\w*größe|\w*adresse|geburtstag|\w*passwort|\w*vertrag|\w*tarif|\
            \w*konto)\b.{0,40}\b(?:ist|lautet|fängt|läuft|beginnt|endet)
        \b(?:läuft|gilt|gültig|abgegeben|eingereicht|fertig|geht|verlängert) .{0,30}\b(?:bis|am|zum) (?:ende |\
            anfang |mitte |zum )?<DATE>
        \b(?:bis|am|zum|ab) (?:ende |anfang |mitte |zum )?<DATE>.{0,40}\b(?:fällig|abgegeben|eingereicht|gültig|\
            abzugeben|fertig)\b
        \b(?:auf|in|im|am|unter) \w+ (?:ist|haben wir|läuft|liegt) .{0,30}\d
        \b(?:hat|haben|zählt|umfasst) (?:rund |etwa |ca\. )?\d+ (?:mitglieder|mitarbeiter\w*|plätze|zimmer|seiten|\
            schüler\w*|quadratmeter)\b
        我(?:今年)?<ZH_NUMBER>(?:岁|了，|，)
        我(?:叫|的名字[是叫])[^，。？?什]{1,6}
        我(?:在|住在?)[^，。？?]{1,14}(?:工作|上班|上学|读书|做|当|住|念)
        (?:在|到)[^，。？?]{2,12}(?:上|读)(?:[一二三四五六]年级|小学|初中|高中|大学|大[一二三四])
        我对[^，。？?]{1,8}过敏|我有[^，。？?]{0,8}(?:糖尿病|高血压|哮喘|过敏|近视)|我?(?:每天|每周|每月|每年|平时|\
            通常|一般)[^，。？?]{0,6}(?:都|会|要)[^，。？?]{2,}
        (?:每天|每周|每月|每年|每个月|一共|总共|共|占|到期)[^，。？?]{0,6}<ZH_NUMBER>(?:成|%|块|元|万|点|号|个|次|\
            分|人)
        (?:账号|密码|房租|学费|电话|尺码|血型)(?:是|叫|为)
        我会[^。？?]{2,20}来(?:放松|打发|缓解|锻炼)
        \bi(?:'m|’m| am) (?:left-handed|right-handed|\w+-sighted|colou?r-?blind|deaf|married|divorced|single|\
            retired|self-employed|pregnant|originally from|from)\b
        \bi (?:grew up|was born|graduated|majored|come from|own an?|drive an?|have an?|wear|speak|\
            play the)\b(?! question| idea| feeling| problem| meeting| favor| request| doubt| few\b| lot\b| bit\b|\
             look| quick| couple| hard\b| point).{3,}
        \b(?:i|we)(?:'ve| have|’ve) got (?:\d+|an?|two|three|four|five|six) (?!question|idea|feeling|problem|few|\
            lot|bit|quick|couple)\w
        ^(?:and |also,? |so )?my (?!goal|plan|question|concern|problem|idea|dream|hope|priority|issue|essay|guess|\
            point|apologies|thought|understanding|first|next|main|biggest|only|favou?rite)[\w' -]{2,30} \
            (?:is|are|was) (?:in|at|on|an?|the|called|named|from|by|\p{N}\w+|\d)
        ^(?:the |our |my )?(?:[\w-]{1,16} ){1,4}(?:is|are|costs?|runs?|uses?|takes?|has|needs?|sits?|lives?|stands?|\
            goes) (?:on |at |about |around |roughly |in |under |behind )?.{0,30}\d.{0,40}$
        \b(?:been) (?:using|playing|learning|practi[cs]ing|taking|doing|running|reading|watching|listening to|\
            baking|cooking|knitting|volunteering|attending|making|growing) .{3,60}\b(?:lately|recently|these days)\b
        \b(?:i|we) spent .{2,40}\b(?:in|at|on|with)\b
        ^(?:der|die|das|unser|unsere|mein|meine|beim?|im) .{2,50}\b(?:liegt|liegen|steht|stehen|kommt|kommen|läuft|\
            laufen|hängt|macht|öffnet|schließt|kostet|dauert|gilt|gehört|wiegt|misst|fährt|fahren|ist|sind|hat|\
            haben)\b \
            .{0,60}(?:\d|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?\b|\b(?:unter|hinter|\
                neben|bei|um|auf) (?:der|dem|den|zwei|drei|halb)\b|\b(?:zwei|drei|vier|fünf|sechs)\b)
        ^(?:ich|wir) (?:wohnen|wohne|leben|haben|habe|fahren|fahre|heizen|zahlen|zahle|bezahle|verdiene|wiege|trage|\
            besitze|besitzen) (?!eine frage|keine|noch|ein problem|das gefühl|eine idee|gerade|mich|mir|\
            uns)(?:.{0,40}\d|zu zweit|zu dritt|zu viert|eine? \w+|zwei|drei|vier|in|im)
        \bich bin (?:\w+ )?(?-i:[A-ZÄÖÜ])\w+(?:er|erin|in|e|ist|ant|eur|ker)\b(?! der meinung)
        \bich mache (?:gerade |zurzeit |nebenbei )?(?:eine?n? )?(?:ausbildung|studium|weiterbildung|praktikum|\
            fernstudium|umschulung)\b
        ^mein\w* (?!frage|ziel|plan|idee|problem|meinung|lieblings)\w+ ist (?:ein |eine |der |die |\
            das )?(?-i:[A-ZÄÖÜ])\w+
        我(?:身高|体重|血型|生日|老家|专业|大学|高中|本科)[^，。？?]{0,4}(?:是|在|学|读|一米|\
            [0-9一二三四五六七八九十])
        我是(?!说|想|不|觉|要|在|来|为|怕|去|因)[^，。？?]{1,10}(?:撇子|师|员|生|人|的|者|家|党|毕业|\
            独生子?女?)(?:，|。|$)
        ^(?:(?:你好|您好|嗨|大家好)[^，,]{0,6}[，,！!] ?)我是[^，。？?一个]{2,4}(?:，|。|$)
        我(?:最近)?(?:正在|在)(?:学|自学|读|练|备考|准备|装修)[^，。？?]{1,}
        我(?:经常|常常|从小|一直|每次|总是)[^，。？?想觉]{3,}
        ^(?:我们?家?|公司|学校|单位|医院|服务器|机房|仓库|店)[^，。？?]{0,6}(?:在|是|叫)[^，。？?]{2,16}(?:号|楼|区|\
            路|街|层|园|[0-9]+G|核)
        (?:房贷|房租|工资|月薪|学费|话费|物业费|会员|年费|水电)[^，。？?]{0,8}<ZH_NUMBER>
        (?:猫|狗|车|孩子|娃|宝宝)叫[^，。？?什]{1,6}
    """,
}
"""An event by its tense and its time, a trait by its verb, a person by kin or by name."""
