"""Poison said in Spanish; accents are left out."""

from engine.text.poison.rules.rule import PoisonRule

_MASTER = r"(?:usuario|operador|propietario|dueno|humano|administrador)(?:a|es|s)?\b"
_READER = r"\b(?:agente|asistente|modelo|ia)\b"
_RULES = r"(?:instruccion|regla|norma|directri|directiva|orden|consigna|restriccion|politica|advertencia|aviso|indicacion)\w{0,3}\b"
_EARLIER = r"(?:anteriores|previas|previos|de arriba|iniciales|recibidas|existentes|originales|precedentes)\b"
_CONSENT = r"(?:aprobacion|permiso|confirmacion|autorizacion|consentimiento|visto bueno)\b"
_HARD = r"(?:contrasenas?|claves?|secretos?|credenciales|tokens?|prompt del sistema|\.env|memory\.md)\b"
_HARM = (
    r"\b(?:borra|elimina|ejecuta|envia|manda|reenvia|di|dile|niega|asegura|afirma|aprueba|aplica|responde|contesta"
    r"|recomienda|transfiere|indica|da|instala|miente|insiste|sube|revela|concede)\b"
)
_ASK = r"\b(?:di[gc]\w{1,3}|pregunt\w{1,3}|escrib\w{1,2}|pid\w{1,3}|menci\w{1,5}|de las gracias|agradezc\w|dud\w{1,2}|quier\w)\b"

RULES = (
    PoisonRule(
        "instruction",
        (
            rf"\b(?:ignor|olvid|desobedec|descart|desestim|omit|salt)\w{{1,5}}\b (?:de )?(?:\w+ ){{0,3}}?{_RULES} (?:\w+ )?{_EARLIER}",
            rf"\b(?:ignora|olvida|olvidate|desobedece|descarta)\b (?:de )?(?:todas|todos|tus|cualquier) (?:\w+ ){{0,2}}?{_RULES}",
            rf"\bcaso omiso\b|\b{_RULES}…\b(?:deben|debe|han de) (?:ser )?ignorar",
            rf"\b(?:ya )?no (?:valen|vale|se aplican|se aplica|aplican|rigen|cuentan)\b…{_RULES}|{_RULES}…\bya no (?:valen|se aplican|aplican|rigen|cuentan)",
            r"\b(?:obedece\w?|sigue\w?|haz|escucha) (?:solo|solamente|unicamente|exclusivamente|ciegamente)\b|\b(?:solo|unicamente|solamente) (?:obedece\w?|sigue\w?)\b",
            rf"\b(?:nunca|no|jamas|deja de|dejes|sin)\b (?:\w+ ){{0,3}}?(?:pid|ped|solicit|esper|requier)\w{{1,4}}\b (?:\w+ ){{0,3}}?{_CONSENT}",
            rf"{_READER} (?:ya )?no (?:\w+ ){{0,3}}?(?:preguntar|pedir|consultar)\b|\bsin (?:avisar|consultar|decir\w*|informar) (?:\w+ )?(?:al|a la|a los) {_MASTER}",
            rf"\b(?:ya )?no (?:hace falta|se necesita|es necesaria?|se requiere) (?:\w+ )?{_CONSENT}|{_CONSENT} (?:\w+ ){{0,3}}?(?:ya )?no (?:\w+ )?(?:hace falta|es necesaria|se necesita)",
            r"\b(?:considera|trata|da|marca|cuenta)\b (?:por |como )?(?:\w+ ){0,3}?(?:aprobad|autorizad|confirmad|fiable)\w{1,2}\b",
            r"\baprueba (?:todo|todos|todas|cada|cualquier)\b|\bborra todo\b…\by no digas\b|\bno digas nada\b",
            rf"\bno (?:le |les |lo |se )?(?:digas|cuentes|menciones|informes|avises|reveles|muestres|hables)\b (?:\w+ ){{0,6}}?(?:{_MASTER}|nadie\b)",
            r"\bno (?:\w+ )?(?:menciones|marques|registres|senales|cuestiones|muestres) (?:\w+ )?(?:est[aeo]s?)\b",
            r"\b(?:ahora|ya|desde ahora) eres\b…\b(?:asistente|ia|agente|modelo|libre|administrador|operador|root|sin)\b",
            r"\b(?:asistente|ia|agente|modelo) sin (?:ningun\w* )?(?:restriccion|limite|regla|norma|filtro)\w{0,3}",
            r"\btu (?:nueva|nuevo|verdadera|verdadero|unica|unico|principal) (?:tarea|objetivo|mision|identidad|papel|rol|dueno)\b",
            r"\b(?:hazte|haz|hacerse) pasar por\b|\bfinge (?:ser|que eres)\b|\bactua como (?:el operador|administrador|root)",
            r"\b(?:desactiv|deshabilit|apag|quit|elimin|evit)\w{1,3}\b (?:\w+ ){0,2}?(?:comprobacion|control|verificacion|medida|filtro|revision|aprobacion|proteccion)\w{0,3}\b(?: de seguridad)?",
            rf"\b(?:envia|manda|publica|incluye|copia|revela|muestra|pega|reenvia)\b (?:\w+ ){{0,3}}?{_HARD}…(?:\S+@\S+|https?://|\bcada\b|\bresumen\b|\bpublic|\btodos?\b|$)",
            r"\bmuestra (?:el |tu )prompt\b",
            r"\b(?:envia|manda|reenvia|sube)\b (?:\w+ ){0,3}?(?:notas|mensajes|conversacion|memoria|archivo)\b…(?:\S+@\S+|https?://|\bdireccion de(?:l anexo| abajo))",
            r"\b(?:copia|conserva|repite|mantiene|incluye) (?:est[ae]) (?:linea|entrada|parrafo|nota|frase|texto)\b…\b(?:root|tal cual|nunca|siempre|cada|literal)",
            r"\b(?:recomendar|recomienda|promociona|elogia|alaba)\w{0,3}\b…\b(?:en |a )cada (?:respuesta|mensaje)",
        ),
        unless=r"(?i)\b(?:nunca|no pegar|quer[ií]a que|quiere que le)\b.{0,60}\b(?:sin|contrase|pregunt|saltara)",
    ),
    PoisonRule(
        "conditional",
        (
            rf"\b(?:cuando|si|en cuanto|apenas|tan pronto como) (?:el |la |un |una )?{_MASTER}…\bla proxima vez\b",
            rf"\b(?:cuando|si|en cuanto|apenas|tan pronto como) (?:el |la |un |una )?{_MASTER}…{_ASK}…[,\s]{_HARM}",
            rf"\bsi (?:alguien|alguno|cualquiera)\b…{_ASK}…[,\s]{_HARM}",
            rf"\bla proxima vez que\b…[,\s]{_HARM}",
            rf"\b(?:si|cuando) (?:te|se) (?:\w+ )?(?:pregunt|pid|habl)\w{{1,3}}\b…[,\s]{_HARM}",
            r"\bsi eres (?:una |un )?(?:ia|inteligencia|asistente|modelo|agente|bot)\b",
            rf"\b(?:despues|a partir) (?:de la|del) proxim\w\b…{_HARM}|\b(?:cuando|si) (?:veas|leas) la palabra\b",
        ),
    ),
    PoisonRule(
        "encoded",
        (
            r"\b(?:decodifica|descodifica|descifra|decodifique|desencripta|desempaqueta)\w?\b…\b(?:y|e)\b…\b(?:sigue|obedec\w+|ejecut\w+|haz|cumpl\w+|actua)",
        ),
    ),
    PoisonRule(
        "data-url", (r"\b(?:anade|agrega|pon|concatena)\b…\b(?:mensaje|notas|conversacion|contenido)\w?\b…https?://",)
    ),
    PoisonRule(
        "role-marker",
        (
            r"(?:^|\n)\W{0,8}(?:mensaje del )?sistema\s?: …(?:orden|instruccion|regla|desarrollador|asistente)",
            r"(?:^|\n)\W{0,8}usuario: [^\n]{0,120}\n\W{0,8}asistente: ",
        ),
    ),
    PoisonRule("forged-provenance", (r"(?:^|\n)\W{0,8}(?:aprobad[oa]|verificad[oa]|revisad[oa]) por el operador\b",)),
    PoisonRule(
        "authority",
        (
            r"\b(?-i:[A-Z]\w+) es (?:ahora |tambien )?(?:un |una |el |la )?administrador(?:a)?(?:\s?[.,;!]|\s{0,3}$|\n| y )",
            r"\b(?-i:[A-Z]\w+) (?:\w+ ){0,5}?puede (?:aprobar|cambiar|borrar|autorizar) (?:\w+ )?(?:planes|reglas|todo|politica)",
            rf"{_HARD}…\bpueden?\b (?:\w+ )?(?:publicar|compartir|ser publicad|poner|pegar|difundir)\w{{0,3}}\b…\b(?:public|abiert|todos|cualquiera)",
            r"\b(?:se pueden?|puedes) (?:publicar|compartir) (?:\w+ ){0,2}?(?:contrasenas|claves|secretos|credenciales)\b",
            r"\b(?:operador|propietario|dueno|administrador)\b (?:ya )?(?:aprobo|autorizo|acepto|dio|permitio|ha aprobado|consintio)\b…\b(?:tod[oa]s?|cualquier|futur\w+|cada)\b",
            r"\b(?:operador|propietario|administrador)\b…\bya no (?:hace falta|es necesari|se necesita|se requiere)\w?\b",
            r"\b(?:mensajes|correos|peticiones|ordenes|palabras) de (?-i:[A-Z]\w+) (?:valen|cuentan|son|equivalen|tienen)\b…\b(?:orden|operador|fiable|confianza|rango)",
        ),
    ),
)
