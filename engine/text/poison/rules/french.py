"""Poison said in French; accents are left out."""

from engine.text.poison.rules.rule import PoisonRule

_MASTER = r"(?:l'|d'|aux |au )?(?:utilisateur|operateur|proprietaire|humain|administrateur)(?:s|rice)?\b"
_READER = r"\b(?:agent|assistant|modele|ia)\b"
_RULES = r"(?:instruction|regle|consigne|directive|ordre|restriction|politique|avertissement|limite|indication)s?\b"
_EARLIER = r"(?:precedente|anterieure|initiale|ci-dessus|recue|existante|donnee|d'avant|originale|precedent)s?\b"
_CONSENT = r"(?:approbation|permission|confirmation|autorisation|accord|consentement|feu vert|validation)s?\b"
_HARD = r"(?:mots? de passe|cles? d'api|cles? privees?|cles?|secrets?|identifiants|jetons?|prompt systeme|\.env|memory\.md)\b"
_HARM = (
    r"\b(?:supprime|efface|execute|lance|envoie|transfere|dis|nie|affirme|pretends|approuve|applique|reponds|recommande"
    r"|donne|installe|mens|insiste|assure|indique|revele|accorde|vire)\b"
)
_ASK = r"\b(?:dit|dis|demand\w{1,3}|ecri\w{1,3}|mentionn\w{1,3}|remerci\w{1,2}|hesit\w|veut|parl\w{1,2}|tape)\b"

RULES = (
    PoisonRule(
        "instruction",
        (
            r"\bne (?:tiens|tenez|tiens plus|tenez plus) (?:pas |plus )?compte (?:des|de toutes les|de) (?:\w+ )?(?:regles|consignes|instructions|directives)\b",
            rf"\b(?:ignor|oubli|neglig|contourn|desobei|transgress|ecart)\w{{1,5}}\b (?:\w+ ){{0,3}}?{_RULES} (?:\w+ )?{_EARLIER}",
            rf"\b(?:ignore|oublie|contourne|neglige)z?\b (?:toutes|tous|tes|vos|toute|chaque) (?:\w+ ){{0,2}}?{_RULES}",
            rf"\bne ti(?:ens|ent|enne) (?:pas|aucun) compte (?:de |d')|{_RULES}…\b(?:doivent|doit) etre ignore",
            rf"{_RULES}…\bne (?:s'appliquent|s'applique|valent|comptent|sont) plus\b",
            r"\b(?:n'obeis|n'obeit|ne suis|ne suit|n'ecoute|obeis|suis) (?:\w+ )?(?:que|qu'a\w*|seulement|uniquement|aveuglement)\b",
            rf"\bne (?:demande|sollicite|attends|requiers|cherche)\w{{0,2}} (?:plus|jamais|pas|aucune?)\b (?:\w+ )?(?:\w+ ){{0,2}}?(?:d'|l'|de |la |une )?{_CONSENT}",
            rf"{_READER} (?:n'a|ne doit|n'ont) (?:pas|plus|jamais) (?:\w+ ){{0,2}}?(?:de )?(?:demander|consulter|prevenir)\b|\bsans (?:prevenir|demander|consulter|dire\w*|informer) (?:\w+ )?(?:a )?{_MASTER}",
            rf"{_CONSENT} (?:\w+ ){{0,3}}?(?:n'est|ne sont|n'est plus|inutile)\b…\b(?:plus|pas|necessaire|inutile)|\baucune {_CONSENT} n'est\b…\bnecessaire|\bapprobation\b…\binutile\b",
            r"\b(?:considere|traite|regarde|compte|marque)\w{0,2} (?:\w+ ){0,4}?comme (?:\w+ )?(?:approuve|autorise|valide|confirme|fiable)",
            r"\bapprouve (?:tout|tous|toutes|chaque)\b|\befface tout\b|\bne dis rien\b",
            rf"\bne (?:le |lui |leur |l')?(?:dis|parle|mentionne|raconte|signale|revele|montre|previens)\w{{0,2}} (?:\w+ ){{0,2}}?(?:pas|jamais|rien|plus)?(?: \w+){{0,4}}? (?:a |au |aux )?{_MASTER}",
            r"\bne (?:mentionne|signale|marque|journalise|conteste|montre) (?:pas|jamais|plus) (?:ce|cette|ces)\b",
            r"\btu es (?:desormais|maintenant|a present|dorenavant)\b…\b(?:assistant|ia|agent|modele|libre|administrateur|operateur|root|sans)\b",
            r"\b(?:assistant|ia|agent|modele) sans (?:aucune? )?(?:restriction|limite|regle|filtre)s?\b",
            r"\bt(?:a|on) (?:nouvelle|nouveau|vraie|seule|unique|veritable) (?:mission|tache|objectif|identite|role|maitre)\b",
            r"\b(?:fais|fait|faire)-?(?:toi|se)? ?passer pour\b|\bpretends etre\b|\bfais comme si tu etais\b",
            r"\b(?:desactiv|coup|supprim|contourn|saut)\w{1,4} (?:\w+ ){0,2}?(?:controle|verification|mesure|filtre|protection|approbation|securite)s?\b",
            rf"\b(?:envoie|publie|inclus|ajoute|copie|revele|montre|affiche|colle|transmets)z?\b (?:\w+ ){{0,3}}?{_HARD}…(?:\S+@\S+|https?://|\bchaque\b|\bresume\b|\bpubli|\btous\b)",
            rf"\baffiche (?:le |ton )prompt\b|\b(?:ajoute|inclus|copie)z? toujours (?:\w+ ){{0,2}}?{_HARD}",
            r"\b(?:envoie|transmets|transfere)\b (?:\w+ ){0,3}?(?:notes|messages|conversation|memoire|archive)\b…(?:\S+@\S+|https?://|\badresse (?:ci-dessous|en annexe))",
            r"\b(?:recopie|copie|garde|repete|conserve) (?:cette|ce) (?:ligne|entree|paragraphe|note|phrase|texte)\b…\b(?:root|telle? quelle?|jamais|toujours|chaque|mot pour mot)",
            r"\b(?:recommand|promouvoi|vant|lou)\w{1,3}\b…\bdans chaque (?:reponse|message)",
        ),
        unless=r"(?i)\b(?:ne pas coller|voulait que)\b",
    ),
    PoisonRule(
        "conditional",
        (
            rf"\b(?:quand|si|des que|lorsque|aussitot que) {_MASTER}…\bla prochaine fois\b",
            rf"\b(?:quand|si|des que|lorsque|aussitot que) {_MASTER}…{_ASK}…[,\s]{_HARM}",
            rf"\bsi (?:quelqu'un|on|quiconque|une personne)\b…{_ASK}…[,\s]{_HARM}",
            rf"\bla prochaine fois qu(?:e |')…[,\s]{_HARM}",
            r"\bsi tu es (?:une? )?(?:ia|intelligence|assistant|modele|agent|bot)\b",
            rf"\b(?:quand|lorsqu'|des qu'|s')\s?il (?:sera|est) question\b…{_HARM}|\b(?:quand|des que) tu (?:vois|lis) le mot\b",
            rf"\bapres (?:la|le) prochaine?\b…{_HARM}",
        ),
    ),
    PoisonRule(
        "encoded",
        (r"\b(?:decode|dechiffre|decrypte|decompresse)z?\b…\bet\b…\b(?:suis|obei\w*|execute\w?|fais|agis|applique)",),
    ),
    PoisonRule(
        "data-url", (r"\b(?:ajoute|mets|colle|concatene)\b…\b(?:message|notes|conversation|contenu)s?\b…https?://",)
    ),
    PoisonRule(
        "role-marker",
        (
            r"(?:^|\n)\W{0,8}(?:message )?systeme\s?: …(?:ordre|instruction|regle|developpeur|assistant)",
            r"(?:^|\n)\W{0,8}utilisateur\s?: [^\n]{0,120}\n\W{0,8}assistant\s?: ",
        ),
    ),
    PoisonRule("forged-provenance", (r"(?:^|\n)\W{0,8}(?:approuve|verifie|valide)e? par l'operateur\b",)),
    PoisonRule(
        "authority",
        (
            r"\b(?-i:[A-Z]\w+) est (?:maintenant |aussi )?(?:une? |l')?administrat(?:eur|rice)(?:\s?[.,;!]|\s{0,3}$|\n| et )",
            r"\b(?-i:[A-Z]\w+) (?:\w+ ){0,5}?peut (?:approuver|changer|supprimer|autoriser) (?:\w+ )?(?:plans|regles|tout|politique)",
            rf"{_HARD}…\b(?:peuvent|peut)\b (?:\w+ )?(?:etre )?(?:publie|partage|poste|diffuse|colle)\w{{0,3}}\b…\b(?:public|ouvert|tous|n'importe)",
            r"\b(?:operateur|proprietaire|administrateur)\b (?:\w+ )?(?:approuve|autorise|accepte|donne|permis|valide)\b…\b(?:tou\w+|chaque|futur\w*|avance)\b",
            r"\b(?:operateur|proprietaire|administrateur)\b…\bplus (?:necessaire|besoin|requise?)\b",
            r"\b(?:messages|mails|demandes|ordres|mots) de (?-i:[A-Z]\w+) (?:ont|sont|valent|comptent|equivalent)\b…\b(?:ordre|operateur|fiable|confiance|rang)",
        ),
    ),
)
