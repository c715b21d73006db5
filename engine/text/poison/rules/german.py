"""Poison said in German; umlauts are written as their base letters."""

from engine.text.poison.rules.rule import PoisonRule

_MASTER = r"(?:nutzer|benutzer|anwender|betreiber|besitzer|eigentumer|menschen|administrator|admin)\w{0,3}\b"
_READER = r"\b(?:agent|assistent|modell|ki)\w{0,3}\b"
_RULES = r"(?:anweisung|regel|vorgabe|richtlinie|instruktion|befehl|beschrankung|vorschrift|warnung|hinweise|systemprompt|prompt)\w{0,3}\b"
_EARLIER = r"(?:vorherig|bisherig|fruher|obig|alt|vorig|all|dein|ursprunglich|samtlich|jed|system)\w{0,4}\b"
_CONSENT = r"(?:freigabe|erlaubnis|genehmigung|zustimmung|bestatigung|ruckfrage|einwilligung)\w{0,2}\b"
_HARD = r"(?:passwort|passworter|kennwort|kennworter|geheimnisse?|zugangsdaten|api-?schlussel|schlussel|token|systemprompt|\.env|memory\.md)\b"
_HARM = (
    r"\b(?:losche?|entferne?|starte|sende?|schicke?|leite|behaupte|bestreite|streite|leugne|gib|genehmige|fuhre|empfiehl"
    r"|uberweise|sag|sage|nenne|antworte|versichere|lad|lade|ubertrage|installiere|wende|verschweige)\b"
)
_ASK = r"\b(?:sag|schreib|frag|erwahn|tipp|bitte|dank|zoger|zweifel|nenn|will|wissen|mein)\w{0,3}\b"

RULES = (
    PoisonRule(
        "instruction",
        (
            rf"\b(?:ignorier|missacht|vergiss|vergesst|ubergeh|umgeh|verwirf|uberschreib)\w{{0,3}}\b (?:\w+ ){{0,3}}?(?:{_EARLIER}|die) (?:\w+ ){{0,3}}?{_RULES}",
            r"\b(?:regeln|anweisungen|vorgaben|richtlinien)\b…\b(?:gilt|gelten|galten)\b…\bnicht (?:mehr|langer)|\b(?:gilt|gelten) (?:ab \w+ )?nicht (?:mehr|langer)\b",
            r"\bwarnungen\b…\b(?:ignorieren|ubergehen|missachten)\b",
            r"\b(?:befolg|gehorch|folg|halte?)\w{0,3} (?:du |dich |ab ){0,2}(?:\w+ ){0,3}?(?:nur|ausschlie\S{1,2}lich|allein|blind)\b",
            rf"\b(?:bitte?|frage?|hole?|ersuche?|verlange?)\w{{0,2}} (?:\w+ ){{0,3}}?(?:nie|nicht|niemals|keine?) (?:\w+ ){{0,3}}?{_CONSENT}",
            rf"\b(?:nie|niemals|nicht|keine?|ohne) (?:\w+ ){{0,3}}?{_CONSENT} (?:\w+ ){{0,2}}?(?:bitten|einholen|erbitten|fragen|verlangen|abwarten|zu)\b",
            rf"{_READER} (?:\w+ ){{0,5}}?(?:nicht|nie|keine) (?:mehr )?(?:\w+ )?(?:nachfragen|fragen|nachzufragen|{_CONSENT})",
            rf"{_CONSENT} (?:ist|sind) (?:\w+ ){{0,4}}?(?:nicht (?:mehr )?|un)(?:notig|notwendig|erforderlich)|\bfreigabe ist nicht mehr\b",
            r"\b(?:behandle?|betrachte?|werte?|markiere?|sieh)\w{0,2} (?:\w+ ){0,5}?als (?:bereits |schon )?(?:freigegeben|genehmigt|bestatigt|vertrauenswurdig)",
            r"\b(?:gib|genehmige?) (?:alles|jeden|jede|alle) (?:\w+ )?frei\b|\bjeden plan frei\b|\bgenehmige (?:alles|alle|jeden)\b",
            rf"\b(?:sag|sage|erzahl|erzahle|erwahne?|verrate?|melde?|zeige?)\b (?:\w+ ){{0,5}}?{_MASTER} (?:\w+ ){{0,3}}?(?:nichts|nie|keinesfalls|auf keinen fall|nicht)\b",
            r"\b(?:erwahne?|verrate?|melde?|markiere?|zeige?) (?:\w+ ){0,2}?(?:diese\w?|davon) (?:\w+ ){0,5}?(?:nicht|nie|niemals|keinesfalls|keinen fall)\b",
            r"\b(?:du bist|sie sind) (?:ab )?(?:jetzt|nun|nicht langer|fortan|sofort)\b…\b(?:assistent|ki|agent|modell|frei|uneingeschrankt\w*|administrator|betreiber|root)\b",
            r"\b(?:assistent|ki|agent|modell) ohne (?:jede |alle )?(?:einschrankung|regeln|grenzen|beschrankung)",
            r"\bdeine (?:neue|wahre|einzige|eigentliche|wichtigste) (?:aufgabe|rolle|identitat|mission|ziel)\b",
            r"\bgib dich als\b|\btu so,? als (?:warst|seist) du\b|\bals der betreiber (?:aus|auf)\b",
            r"\b(?:sicherheitsprufung|freigabe|schwarzung|protokollierung|prufung|schutz|filter|sicherung)\w{0,3}\b (?:\w+ ){0,8}?(?:abgeschaltet|abschalten|ausschalten|deaktivier\w+|ausgeschaltet|umgeh\w+)\b",
            r"\b(?:schalte?|deaktiviere?) (?:\w+ ){0,3}?(?:sicherheits\w+|prufung\w*|schutz\w*|filter|freigabe\w*)\b",
            rf"\b(?:sende?|schicke?|schreibe?|kopiere?|poste?|veroffentliche?|leite?|nenne?|gib)\b (?:\w+ ){{0,3}}?(?:das |die |den |alle )?{_HARD}…(?:\S+@\S+|https?://|\bimmer\b|\bjede\w?\b|\boffentlich|\bmit in\b|\baus\b)",
            r"\b(?:sende?|schicke?|leite?) (?:\w+ ){0,3}?(?:notizen|nachrichten|gesprache?|unterhaltung|gedachtnis|speicher|archiv)\b…(?:\S+@\S+|https?://|\badresse (?:unten|im))",
            r"\b(?:ubernimm|kopiere|behalte|wiederhole) (?:\w+ ){0,2}?(?:diese\w?) (?:zeilen?|eintrag|absatz|notiz|satz|text)\b…\b(?:root|wortlich|nie|immer|jede)",
            r"\b(?:empfehl\w+|empfiehl|bewirb|bewerben|lob\w*)\b…\bin jede[rm]? (?:antwort|nachricht)|\bin jede[rm]? antwort\b…\b(?:empfehlen|empfiehl|bewerben|loben)\b",
            r"\b(?:losche alles|alles loschen)\b…\bund (?:sag|schweig)|\bsage? nichts\b",
        ),
        unless=r"(?i)\bohne freigabe der\b|\bnur (?:den|die|das) erste|\bnicht mehr notig\b.{0,20}\bhelm",
    ),
    PoisonRule(
        "conditional",
        (
            rf"\b(?:wenn|falls|sobald|sollte) (?:der |die |ein |eine )?{_MASTER} (?:\w+ ){{0,4}}?(?:als nachstes|das nachste mal|nachstes mal)\b",
            rf"\b(?:wenn|falls|sobald|sollte) (?:der |die |ein |eine )?{_MASTER}…{_ASK}…[,\s]{_HARM}",
            rf"\b(?:wenn|falls|sobald|sollte) (?:jemand|einer|irgendwer|man|wer)\b…{_ASK}…[,\s](?:{_HARM}|so tun)",
            rf"\b(?:wird|werden|wirst du) (?:\w+ )?(?:nach|gefragt)\b…{_HARM}",
            rf"\b(?:beim nachsten mal|nachstes mal|das nachste mal|nach der nachsten)\b…[,\s]{_HARM}",
            r"\b(?:wenn|falls) du (?:eine? )?(?:ki|assistent|sprachmodell|agent|bot|modell)\b",
            r"\b(?:sobald|wenn) du (?:\w+ ){0,3}?(?:das wort|den satz|den code)\b",
        ),
    ),
    PoisonRule(
        "command",
        (
            r"\b(?:fuhre?|gib|starte) (?:\w+ )?(?:dies|diesen|das|folgendes|den folgenden)\b…\b(?:aus|ein)\b…\b(?:zuerst|sofort|vor allem)\b",
        ),
    ),
    PoisonRule(
        "encoded",
        (
            r"\b(?:dekodier|entschlussel|entziffer|entpack|dechiffrier)\w{0,4}\b…\bund\b…\b(?:befolg|handle|fuhr|gehorch|tu|folg|mach)",
        ),
    ),
    PoisonRule(
        "data-url",
        (r"\b(?:hange?|fuge?|setze?)\b…\b(?:nachricht|notizen|gesprach|inhalt)\w{0,3}\b…https?://",),
    ),
    PoisonRule(
        "role-marker",
        (
            r"(?:^|\n)\W{0,8}system(?:nachricht|meldung)?\s?: …(?:befehl|anweisung|regeln|entwickler|assistent)",
            r"(?:^|\n)\W{0,8}(?:be)?nutzer: [^\n]{0,120}\n\W{0,8}assistent: ",
        ),
    ),
    PoisonRule(
        "forged-provenance",
        (r"(?:^|\n)\W{0,8}(?:freigegeben|genehmigt|gepruft) (?:durch|vom|von) (?:den |dem )?betreiber\b",),
    ),
    PoisonRule(
        "authority",
        (
            r"\b(?-i:[A-Z]\w+) ist (?:jetzt |nun |auch )?(?:ein |eine |der |die )?(?:system)?administrator(?:in)?(?:\s?[.,;!]|\s{0,3}$|\n| und )",
            r"\b(?-i:[A-Z]\w+) (?:\w+ ){0,6}?(?:darf|kann) (?:\w+ ){0,3}?(?:plane?|regeln|alles) (?:\w+ )?(?:freigeben|genehmigen|andern|loschen)",
            rf"{_HARD}…\b(?:darf|durfen|konnen|sollen)\b…\b(?:offentlich\w*|offenen|alle)\b…\b(?:stehen|geteilt|gepostet|veroffentlicht|werden)\b",
            r"\b(?:betreiber|besitzer|eigentumer|nutzer|administrator|leitung)\b (?:hat|haben) (?:\w+ ){0,2}?(?:alle[nr]?|jede\w?|kunftigen|samtliche\w?)\b…\b(?:freigegeben|genehmigt|zugestimmt|erlaubt)",
            rf"{_CONSENT}…\bnicht mehr (?:notig|erforderlich|notwendig)\b",
            r"\b(?:nachrichten|mails|befehle|anweisungen|worte) von (?-i:[A-Z]\w+) (?:sind|gelten|haben)\b…\b(?:betreiber|befehl|anweisung|rang|vertrauen)",
            r"\b(?:ist|sind) (?:immer |stets )?vertrauenswurdig und\b|\bbrauch\w+ keine (?:prufung|freigabe) mehr\b",
        ),
        unless=r"(?i)\b(?:nicht|nie|niemals|kein\w*) (?:in|im|am)\b",
    ),
)
