"""The words by which a sentence states a fact, or only wishes and wonders: data only, one alternative a line.

A figure stands before each group: what it adds where it speaks for a fact, what it multiplies by where against one.
"""

_OFTEN = r"(?:(?:just|recently|actually|finally|also|already|even|once|originally|previously|only|still|really) )*"
_NO_DEED = (
    "wanted|needed|wondered|hoped|planned|considered|mentioned|asked|noticed|enjoyed|liked"
    "|heard|remembered|reali[sz]ed|looked"
)
_PAST = (
    rf"(?!{_NO_DEED})(?:\w+ed|got|bought|went|made|took|met|saw|read|spent|ran|won|lost|sold|paid|beat|set|put|found|gave"
    r"|grew|built|wrote|drove|flew|ate|drank|wore|swam|sang|taught|brought|caught|broke|chose|began|left|kept|hit|cut"
    r"|slept|been \w+ing (?!about|of)|been (?:to|in|on|at|a|with))"
)
_KIN = (
    "sister|brother|mother|father|mom|mum|dad|wife|husband|partner|daughter|son|niece|nephew|aunt|uncle|cousin|friend"
    "|grandma|grandpa|grandmother|grandfather|boss|colleague|coworker|neighbou?r|dog|cat|puppy|kitten|girlfriend"
    "|boyfriend|roommate"
)

STATED: tuple[tuple[float, str], ...] = (
    (1.0, rf"\b[Ii](?:'ve|’ve| have| had)? {_OFTEN}{_PAST}\b"),
    (0.5, rf"\b[Ww]e(?:'ve|’ve| have| had)? {_OFTEN}{_PAST}\b"),
    (1.2, rf"\b[Mm]y (?:\w+ )?(?:{_KIN})(?:'s)?,? [A-Z]\w+"),
    (0.7, r"\b[Mm]y (?:[\w'-]+ ){1,4}(?:is|are|was|were|has|have|starts?|ends?|turns?)\b"),
    (
        0.8,
        r"""
        \bI (?:usually|always|never|prefer|live|work|own|take|wake|get|like to wake|study|play)\b
        \bI have (?:a|an|two|three|\d)
        """,
    ),
    (
        1.2,
        r"""
        (?i:\bmy favou?rite\b)
        (?i:\ballergic to\b)
        (?i:\bi (?:prefer|hate|dislike|can't stand)\b)
        """,
    ),
    (
        1.2,
        r"""
        (?i:^(?:please )?(?:never|always|don't ever|do not ever) \w+)
        (?i:\bcorrection:)
        (?i:\bi meant\b)
        """,
    ),
    (
        0.6,
        r"""
        (?i:\b(?:appointment|deadline|flight|birthday|anniversary|reservation|contract|rent|lease|invoice)\b.{0,60}\d)
        """,
    ),
    (0.5, r"\b[Ii](?:'m|’m| am) (?:a|an|in my|on|from|currently (?!looking|trying|planning|thinking))\b"),
    (0.6, r"(?i:\b(?:i|my|we|our)\b.{0,80}\b(?:called|named|titled)\b)"),
    (
        1.0,
        r"""
        (?i:\bich (?:habe|bin|wohne|arbeite|mag|heiße|hasse|bevorzuge|trinke|esse|nehme)\b)
        (?i:\bmein(?:e|en|em|er)? \w+ (?:ist|heißt|hat|war)\b)
        (?i:\bj'ai \w+)
        (?i:\bje (?:suis|préfère|vis|travaille|déteste|m'appelle)\b)
        (?i:\bm(?:on|a|es) \w+ (?:est|s'appelle|a|sont)\b)
        (?i:\b(?:he \w+do|vivo|trabajo|prefiero|odio|me llamo|soy alérgic[oa]|me mudé|compré)\b)
        (?i:\bmis? \w+ (?:es|se llama|son|tiene)\b)
        """,
    ),
    (
        1.0,
        r"""
        我(?:的\S{1,8}(?:是|叫|在)|在\S{2,}|有|去了|去过|买了|参加了|住|叫)
        我(?:看过|看了|学了|毕业|工作)
        私(?:の\S{1,8}は|は\S{1,12}(?:です|に住))
        (?:買い|行き|見|始め|卒業し|もらい|作り|通い)(?:まし)?た(?:。|$)
        저는 .{2,20}(?:살|합니다)
        (?:샀|다녀왔|봤|만났|배웠|받았|시작했|졸업했|만들었)(?:어요|습니다|다)
        """,
    ),
    (
        1.7,
        r"""
        我(?:们|们家|家)?(?:非常|很|特别|最|一直|也|真的|从来|从|比较|更)*(?:不|没)?(?:喜欢|讨厌|偏好|习惯)
        (?:我|妹|姐|哥|弟|妈|爸|老公|老婆|儿子|女儿|孩子)[^。？]{0,8}过敏
        (?:妹妹|姐姐|哥哥|弟弟|母亲|妈妈|父亲|爸爸|老公|老婆|丈夫|妻子|儿子|女儿|室友|上司)[^。？]{0,4}(?:叫|名叫|是|住|在)
        我[^。？]{0,6}(?:每天|每周|每月|每年|经常|总是|从不|从来不|不(?:喝|吃|抽|用|看))
        我[^。？]{0,8}(?:搬到|搬进|住在|毕业于|养了)|(?:我|家)[^。？]{0,4}养了|我的?生日是
        (?:以后|今后)请|请(?:你)?(?:以后|今后)
        (?:アレルギー|誕生日は|に引っ越し(?:ました|た)|を?飼って(?:い|る))
        (?:妹|姉|兄|弟|母|父|夫|妻|息子|娘|友人|友達|同僚|上司|犬|猫)(?:の\S{1,6})?は[^。？]{2,30}(?:です|だ|ます|ている)
        (?:毎朝|毎日|毎晩|毎週|毎月|毎年)[^。？]{2,40}(?:ます|ている|る)(?:。|$)
        が(?:大)?(?:好き|嫌い|苦手|得意)(?:です|だ|。|$)
        (?:飲ま|食べ|使わ|吸わ)(?:ない|ません|ず)
        に(?:住んで|勤めて|通って)い|(?:これから|今後)[はも][^。？]{2,30}(?:ください|ほしい)
        알레르기|생일[은이]|(?:으)?로 이사(?:했|왔|갔)|키우(?:고|는|며)|키(?:워요|웁니다)
        (?:여동생|남동생|언니|누나|오빠|어머니|엄마|아버지|아빠)(?: \S{1,4})?[은는이가] [^.?]{2,}(?:고|요|다)
        (?:남편|아내|아들|딸|상사|친구)(?: \S{1,4})?[은는이가] [^.?]{2,}(?:고|요|다)
        (?:매일|매주|매달|매년)[^.?]{2,40}(?:요|다)(?:\.|$)
        (?:좋아|싫어)(?:해요|합니다|한다)|안 (?:마시|먹|쓰|피우)(?:고|며|어요|ㅂ니다)
        앞으로[는도] [^.?]{2,30}(?:주세요|바랍니다)
        """,
    ),
)
"""The weight that a form adds to a sentence's figure as a stated fact; the three best forms of a sentence count."""

VAGUE: tuple[tuple[float, str], ...] = (
    (
        0.5,
        (
            r"(?i:\bi(?:'m|’m| am|'ve been|’ve been| was| have been) (?:also |really |actually |still |just )*"
            r"(?:looking|planning|thinking|wondering|considering|trying|interested|hoping|curious|excited|glad|not sure"
            r"|unsure|worried|meaning|wanting|debating|eyeing|experimenting|exploring)\b)"
        ),
    ),
    (0.4, r"(?i:\bi(?:'d|’d| would| could| might|'ll|’ll| will| want| need| think i)\b)"),
    (
        0.4,
        r"""
        (?i:\b(?:can|could|would|do|did) you\b)
        (?i:\byou (?:suggest|recommend|think|mentioned)\b)
        (?i:\bthanks?\b|\byour\b)
        (?i:\bplease (?!never|always|don't|do not)\w+)
        (?i:\b(?:word count|\d+ words|headlines?|paragraphs?|keywords?|learn more)\b)
        """,
    ),
    (0.6, r"(?i:^(?:that|this|it|those|these|they|wow|yes|no|okay|ok|oh)(?:'s|’s)?\b)"),
    (
        0.5,
        r"""
        (?i:\bich (?:möchte|würde|werde|suche|überlege)\b)
        (?i:\bje (?:voudrais|cherche|pense)\b)
        (?i:\b(?:quisiera|me gustaría|estoy (?:buscando|pensando))\b)
        我[^。]{0,6}(?:想(?:去|要|学|买|试|换|找|看)|打算|在想|考虑|计划)
        たいです|たいと思|考えてい|かもしれ|予定です
        고 싶|고민하고|생각(?:하고|이에요|합니다|중)|할까|예정이에요
        """,
    ),
)
"""The factor by which a form lowers that figure: the sentence wishes, asks or wonders."""

NUMBER = (
    r"(?i)\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|half|zwei|drei|vier|deux|trois|dos"
    r"|tres)\b|[一二三四五六七八九十百千两]+(?:个|次|天|周|月|年|岁|点|块|元|人|只|条|号|公里"
    r"|時|分|回|匹|歳|円|丁目|キロ|本|枚|日)"
    r"|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열) ?(?:마리|명|개|시|살|번|달|주|잔|권)"
)
NAME = r"(?<=[a-z,] )(?!I\b|I['’])[A-Z][\w'’-]+|[\"“《「『][^\"”》」』]{2,60}[\"”》」』]"

LEAD_IN = (
    r"(?i)^(?:(?:oh|well|yes|yeah|no|anyway|haha|wow|hey|hi|okay|ok|speaking of [\w' ]{1,30}"
    r"|on (?:a|another) (?:\w+ )?note"
    r"|as for me|in fact|for instance|for example|honestly|to be honest|personally"
    r"|in case it helps|just so you know|fyi|übrigens|au fait|por cierto|and|but|so|also|actually|by the way"
    r"|btw)\s?[,:!–—-]+\s+"
    r"|(?:and|but|so|also|actually|by the way|btw)\s+|i remember (?:that )?(?=(?:i|we|my)\b)"
    r"|(?:对了|顺便说一下|顺便说一句|ところで)[,，、]?\s*"
    r"|(?:对|非常有趣|太好了|真的吗|好的|是的|没错|当然|哈哈|嗯|哇|そうですね|はい|네|맞아요)[,，、!！。]\s*)+"
)
BEHIND = (
    r"(?i),? (?:and|so|but) (?:i(?:'m|’m| am| was|'d|’d| would|'ve been|’ve been| have been|'ll|’ll| will| want| need"
    r"| could| might)|now i|can you|could you|do you)\b.*$"
    r"|,? (?:which|and it|and they)(?:'s|’s| is| was| were| has| have| had| been| made| really){0,3} .{0,60}?"
    r"\b(?:great|amazing|awesome|helpful|informative|delicious|fun|good|nice|perfect|fantastic|incredible|crazy|exciting"
    r"|wonderful|beautiful|moving|easy|hard|tough|challenging)\b.*$"
)
"""Stands behind a fact and adds none: the wish that follows from it, and praise."""
CLAUSE = (
    r",? (?:but|so|which|where|because|although|aber|mais|pero)\b"
    r"|,? (?:and|und|et|y) (?=I\b|[^A-ZÄÖÜ])|[,;]|\s[–—-]\s"
)
"""A long sentence may end before a further clause; `Friends and Family` is none."""
BEGUN = (
    r"(?i)\b(?:and|but|so|und|aber|et|mais|y|pero) "
    r"(?:when|if|while|since|as|after|before|once|wenn|als|quand|si|cuando)\b[^,;]*$"
)
"""A clause that needs the next one."""
CONDITION = r"(?i)^(?:since|if|when|while|because|although|though|as|weil|wenn|falls|da|si|comme|quand|cuando|como)\b"
"""A clause that begins so says nothing without the next."""
