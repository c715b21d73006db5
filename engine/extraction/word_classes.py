"""The classes of words that cues are made of: times, past tenses, kin, first persons. Data only.

A table names one as `<TIME>`. A class holds no `|` outside a group, so it stands wherever a word does.
"""

import re

_DIGIT_IN_CLASS = re.compile(r"(\[[^\]]*)\\d([^\]]*\])")

_NO_NAMES = (
    "The|Our|My|A|An|This|That|It|We|I|He|She|They|But|And|So|At|By|As|All|If|When|Then|There|These|Those|Some|"
    "Something|Upon|"
    "In|On|For|With|From|Now|Today|Yes|No|Ok|Okay|Also|Just|Here|What|Who|How|Why|Where|Since|While|After|Before|Because|"
    "Although|However|First|Last|Next|Please|Thanks|Hi|Hello|Hey|Well|Everyone|Nobody|Someone|Der|Die|Das|Unser|Unsere|"
    "Mein|Meine|Ein|Eine|Es|Wir|Ich|Er|Sie|Und|Aber|Wenn|Dann|Auch|Bei|Im|Am|Zum|Zur|Da|Hier|Jetzt|Heute|Gestern|Morgen|"
    "Nun|Ja|Nein|Man|Wer|Was|Wie|Wo|Niemand|Jemand"
)
"""Words with a capital at the head of a sentence that begin no name."""
_CAPITAL = rf"(?-i:(?!(?:{_NO_NAMES})\b)[A-ZÄÖÜ])"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DE_MONTHS = "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DE_DAYS = "(?:mon|diens|mitt|donners|frei|sams|sonn)(?:tag|woch)"
_COUNTED = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|ten|a (?:few|couple(?: of)?)|several)"
_DE_COUNTED = r"(?:\d+|ein(?:er|em|igen|paar)?|zwei|drei|vier|fünf|sechs|acht|zehn|ein paar|wenigen)"

CLASSES: dict[str, str] = {
    # ── English ──────────────────────────────────────────────────────────────────────────────────────────────────
    "SELF": r"(?:i|we|\p{N}\w+ and i|my \w+ and i)(?:'ve|’ve| have)?",
    "OFTEN": r"(?:(?:also|actually|just|recently|finally|already|even|then|accidentally|only|both|really) ){0,3}",
    "PAST": r"(?:(?!need|want|hope|wonder|mention|ask|like|love|thought|expect|plann|consider|wish|used|agree|"
    r"realiz|realis|rememb|notic|enjoy)[\w-]{2,}ed|"
    r"went|got|bought|made|took|saw|met|came|had|gave|found|sold|sent|spent|won|lost|built|left|ate|drove|flew|ran|"
    r"wrote|paid|brought|caught|taught|began|broke|chose|fell|held|hurt|rode|sang|slept|spoke|swam|wore|did|set|put|"
    r"drank|hung|threw|became|gone|done|seen|taken|given|eaten|written|driven|flown|been to|been at|quit)",
    "DID": r"(?:(?!based|relat|compar|locat|suppos|used|nam|call|titl|inspir|design|interest|excit|aim|limit|need|want|"
    r"provid|accord|requir|combin|concern|disappoint|surpris|tired|worri|confus|decid|agree|lov|lik|enjoy|given|"
    r"indeed|feed|speed|includ|appoint)\w{2,}ed|got|had|sent|went|made|took|bought|sold|wrote|met|saw|paid|built|"
    r"set|cut)",
    "TIME": rf"(?:yesterday|today|tonight|this (?:morning|afternoon|evening|week|weekend|month|year)|"
    rf"(?:last|this past) (?:night|week|weekend|month|year|spring|summer|fall|autumn|winter|{_DAYS}|{_MONTHS})|"
    rf"on (?:a |the )?(?:{_DAYS}|weekend|\d+(?:st|nd|rd|th))|(?:on|in|back in) (?:early |late |mid-?)?(?:{_MONTHS})|"
    rf"{_COUNTED} (?:minutes?|hours?|days?|weeks?|weekends?|months?|years?) (?:ago|back)|recently|the other day|"
    rf"earlier|in (?:19|20)\d\d|for my birthday|(?:during|on|at) (?:my|our) (?:\w+ ){{0,2}}(?:trip|stay|visit|vacation|"
    rf"holiday|flight|wedding|birthday))",
    "ACT": r"(?:bought|ordered|sold|moved (?:to|into)|attended|visited|joined|signed up|graduated|adopted|hired|booked|"
    r"baked|planted|installed|repaired|replaced|received|submitted|donated|volunteered|participated|upgraded|"
    r"enrolled|registered|completed|finished|repotted|redeemed|launched|published|picked up|dropped off|passed|"
    r"spent (?:\w+ ){1,2}(?:hours?|days?|weeks?|months?|weekend))",
    "KIN": r"(?:wife|husband|sister|brother|mother|father|mum|mom|dad|son|daughter|partner|boss|colleague|coworker|"
    r"co-worker|uncle|aunt|cousin|nephew|niece|grandmother|grandfather|grandma|grandpa|grandson|granddaughter|"
    r"neighbou?r|flatmate|roommate|\w+-in-law|girlfriend|boyfriend|fiancée?|best friend|friend|dentist|doctor|"
    r"physio|therapist|team lead|landlord|landlady|manager|teacher|coach|parents|grandparents|twins|kids|children)",
    "FROM": rf"(?:(?:as of|starting|effective(?: from)?) (?:now|today|tomorrow|next \w+|{_DAYS}|{_MONTHS}|"
    rf"the \d\w*|\d[\d./-]*)|"
    rf"^from (?:now on|today|tomorrow|next \w+|{_DAYS}|{_MONTHS}) on(?:wards?)?)",
    "DATE": rf"(?:\d|{_MONTHS}|{_DAYS}|next (?:week|month|year|\w+day)|{_DE_MONTHS}|{_DE_DAYS})",
    # ── German ───────────────────────────────────────────────────────────────────────────────────────────────────
    "DE_SELF": r"(?:(?:ich|wir) (?:hab|habe|haben|bin|sind)|(?:hab|habe|bin|haben|sind) (?:ich|wir)|^hab)",
    "DE_DONE": r"(?:(?!gehört|gelesen|gedacht|gefragt|gewundert|gesagt|gewusst|verstanden|gehofft|gewollt|gemeint|"
    r"vergessen|überlegt|erwartet|gesucht|gerade|geredet|versprochen|vorgenommen|genannt)"
    r"(?:(?:ab|an|auf|aus|bei|durch|ein|fest|fertig|frei|her|hin|hoch|los|mit|nach|um|vor|weg|zu|zurück|zusammen|um|"
    r"weiter|herunter|runter|rein|raus|\w+ge)?ge\w{2,}(?:t|en)|(?:be|ver|er|ent|zer|über|unter)\w{3,}(?:t|en)|"
    r"\w{3,}iert|(?:ab|an|auf|aus|ein|um|vor|nach)(?:be|ver)\w{3,}(?:t|en)))",
    "DE_TIME": rf"(?:gestern|vorgestern|heute(?: (?:früh|morgen|mittag|vormittag|nachmittag|abend))?|eben|gerade|grad|"
    rf"vorhin|neulich|kürzlich|(?:am|letzten|vorigen) {_DE_DAYS}|am wochenende|"
    rf"letzte[ns]? (?:woche|monat|jahr|wochenende|"
    rf"nacht)|vor {_DE_COUNTED} (?:tag|woche|monat|jahr)\w*|vormittags|nachmittags|diese woche|endlich)",
    "DE_KIN": r"(?:frau|mann|schwester|bruder|mutter|vater|mama|papa|sohn|tochter|chef|chefin|kollege|kollegin|"
    r"schwager|schwägerin|schwieger\w+|onkel|tante|cousine?|neffe|nichte|oma|opa|nachbar|nachbarin|freundin|freund|"
    r"\w*(?:arzt|ärztin)|vermieter|vermieterin|mitbewohner|mitbewohnerin|enkel|enkelin|physiotherapeut\w*|partner|"
    r"partnerin|trainer|trainerin|lehrer|lehrerin|steuerberater|steuerberaterin)",
    "DE_FROM": rf"(?:ab (?:sofort|jetzt|heute|morgen|dem \d+|nächste\w* \w+|{_DE_DAYS}|{_DE_MONTHS}|\d))",
    # ── Chinese ──────────────────────────────────────────────────────────────────────────────────────────────────
    "ZH_TIME": r"(?:昨[天晚日]|今[天早晚日]|前[天晚]|上(?:个)?(?:周末|周|星期|礼拜|月)[一二三四五六日天]?|"
    r"周末|刚才|刚刚|刚|"
    r"最近|去年|(?:周|星期|礼拜)[一二三四五六日天]|"
    r"[0-9一二三四五六七八九十两几]+(?:天|周|个月|年)前|早上|上午|中午|下午|晚上)",
    "ZH_KIN": r"(?:爸妈?|妈妈?|父亲|母亲|父母|老公|老婆|丈夫|妻子|爱人|哥哥?|弟弟?|姐姐?|妹妹?|儿子|女儿|孩子|"
    r"爷爷|奶奶|"
    r"外公|外婆|姥姥|姥爷|公公|婆婆|岳父|岳母|舅舅|叔叔|阿姨|姑姑|侄子|侄女|外甥|表[哥弟姐妹]|堂[哥弟姐妹]|邻居|同学|室友|"
    r"舍友|同事|朋友|闺蜜|男朋友|女朋友|老板|房东|导师|医生|教练)",
    "ZH_NUMBER": r"(?:\d[\d.,]*|[零一二两三四五六七八九十百千万半]+)",
}


def expand(table: str) -> str:
    """A table with each `<CLASS>` written out."""
    for name, words in CLASSES.items():
        table = table.replace(f"<{name}>", words)
    return table


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern without regard to case; `\\p{N}` in it is the capital letter of a name, and not of an article."""
    return re.compile(plain_digits(pattern).replace(r"\p{N}", _CAPITAL), re.IGNORECASE)


def plain_digits(pattern: str) -> str:
    """A pattern whose `\\d` are the digits of these languages alone, which RE2 reads many times faster."""
    return _DIGIT_IN_CLASS.sub(r"\g<1>0-9０-９\g<2>", pattern).replace(r"\d", "[0-9０-９]")
