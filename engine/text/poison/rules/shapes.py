"""Poison that looks the same in every language: commands, addresses, markers, forged fields."""

from engine.text.poison.rules.rule import PoisonRule

_START = r"(?:^|\n)[\s>*#_-]{0,9}"
_FETCH = r"\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b"
_SHELL = r"(?:sudo (?:-\w+ )?)?(?:/[\w/]{1,20}/)?(?:(?:ba|z|da|k|fi)?sh|python\d?|perl|node|ruby|iex)\b"
_PRIVATE = r"(?:\.ssh\b|\.aws\b|\.env\b|\.gnupg\b|\.netrc\b|id_rsa|id_ed25519|/etc/(?:passwd|shadow)|memory\.md)"
_TOP = r"(?:home|etc|var|usr|root|opt|boot|lib|srv|memory|knowledge)"
_TEMPLATE = r"(?:\{\{|\$[({]|\{[^{}\n]{1,60}\}|<[^\s<>=]|\[[^\]\n]{2,60}\]|%7b%7b|base64\()"
_TRUSTED_HOST = (
    r"(?:(?:sh\.rustup\.rs|get\.docker\.com|install\.python-poetry\.org)(?=[/\s'\"|)]|$)"
    r"|astral\.sh/|deb\.nodesource\.com/|bun\.sh/|raw\.githubusercontent\.com/(?:homebrew|nvm-sh)/)"
)
"""Makers of tools who tell everybody to install so; no attacker can write there."""
_AGENT = r"(?:assistants?|agents?|assistent(?:en|in)?|agenten|asistente|agente|llm|chatbot|助手|助理|代理|智能体)"
_GENERATED = (
    r"(?:auto(?:matisch|matically|maticamente)?[\s-]?(?:erzeugt|erstellt|generated|generad[oa])"
    r"|(?:debut|fin|inicio|anfang|ende)[\s:]{1,2}(?:bloc|section|bloque|seccion|block|abschnitt)"
    r"|(?:bloc|section|bloque|seccion)[\s-]gener|generated\s(?:block|section)|sincronizado\sdesde|synchronise\sdepuis"
    r"|synced\sfrom|自动生成|自动同步)"
)
_CHECKED = (
    r"(?:verified|approved|reviewed|checked|confirmed|gepruft|verifiziert|freigegeben|bestatigt|comprobad[oa]"
    r"|verificad[oa]|aprobad[oa]|revisad[oa]|vu\set\sapprouve|relu|verifie|approuve|valide|已核实|已批准|已审核)"
)
_MASTER = r"(?:operator|owner|betreiber(?:in)?|inhaber(?:in)?|operador[a]?|dueno|duena|propietari[oa]|operateur|exploitant|操作员|管理员)"
_OPERATOR = r"(?:the )?(?:operator|owner|betreiber|操作员|operador|operateur|l'operateur)"

RULES = (
    PoisonRule(
        "command",
        (
            rf"{_FETCH}[^\n]{{0,300}}\|\s{{0,4}}{_SHELL}",
            rf"\b(?:ba|z)?sh\b[^\n]{{0,12}}[<$]\({_FETCH}[^\n)]{{0,300}}\)?",
        ),
        unless=(
            rf"(?i)^[^|]*\b(?:curl|wget)\s(?:-{{1,2}}\S+\s(?:'\S+'\s)?)*['\"]?https://{_TRUSTED_HOST}[^\s|)]*['\"]?"
            r"(?:\s?\|\s?(?:sudo\s(?:-\w\s)?)?(?:ba)?sh)?\)?$"
        ),
    ),
    PoisonRule(
        "command",
        (
            rf"\bbase64\b[^\n|]{{0,40}}\|\s{{0,4}}{_SHELL}",
            rf"\beval\b[^\n]{{0,6}}[$`]\(?{_FETCH}",
            r"\bmemdeck (?:apply|approve|undo|reject|recover)\b[^\n]{0,80}?--?(?:y|yes|all|force)\b",
            r"\bpip3? install\b[^\n]{0,120}?(?:--(?:extra-)?index-url|-i)[\s=]{1,4}https?://",
            r"\b(?:npm|pnpm|yarn)\b[^\n]{0,120}?--registry[\s=]{1,4}https?://",
            r"\brm (?:-[a-z-]+ ){1,3}(?:/(?:\s|$|\*)|~|\$home\b|\*|\.\.?(?:/?\s|/?$|/\*))",
            rf"\brm (?:-[a-z-]+ ){{1,3}}(?:\S+ )?\.?/?{_TOP}(?:/?\*?[\s\"'`]|/?\*?$)",
            r"\bpowershell(?:\.exe)?\b[^\n]{0,120}?-(?:e|ec|enc|encodedcommand)\b|\bdownloadstring\b|\biex \(",
            r"/dev/tcp/|\bnc(?:at)?\b[^\n]{0,40}? -[a-z]{0,4}e\b|\|\s{0,4}crontab -",
            r"\bexec\([^\n]{0,120}?(?:urlopen|requests\.get|b64decode)",
            rf"{_PRIVATE}[^\n]{{0,100}}\|\s{{0,4}}(?:curl|nc|wget|ssh)\b",
            rf"\b(?:curl|wget|scp|rsync)\b[^\n]{{0,200}}{_PRIVATE}",
            r"\|\s?curl\b[^\n]{0,80}(?:-t\s|--upload-file|-d\s?@-|--data\S*\s@-)",
            r"\b(?:scp|rsync)\s[^\n]{0,80}(?:memor|notiz|notas|notes)[^\n]{0,60}@\S",
            r"\bmail\s-s\b[^\n]{0,120}@\S[^\n]{0,40}<\s?[~/.\w]",
            r"\bgit config\b[^\n]{0,60}?(?:fsmonitor|hookspath|sshcommand|\.smudge|\.clean|\.external)",
            r"\b(?:chmod|rm|chown)\b[^\n]{0,80}?(?:policy\.yaml|/memdeck\b)",
        ),
    ),
    PoisonRule(
        "data-url",
        (
            rf"\]\(<?https?://[^\s)]{{1,400}}[?&][^\s)=]{{0,60}}=[^\n)]{{0,400}}?{_TEMPLATE}",
            rf"\b(?:src|href)\s?=\s?[\"']?https?://[^\s\"']{{1,400}}[?&][^\s\"'=]{{0,60}}=[^\s\"']{{0,400}}?{_TEMPLATE}",
            r"https?://[^\s)\"'`<>]{1,400}[?&][^\s=&]{0,40}=(?:\{\{|<[^\s<>=]|\$[({]|[\s\"'`]|$)",
            r"https?://[^\s)\"'`<>]{1,400}[?&][^\s=&]{0,40}=(?:\[[^\]\n]{2,60}\]|\{[^\s{}]{1,30}\s[^{}\n]{1,60}\})",
            r"\b(?:per|par|por|via|by|mediante)\spost\b[^\n]{0,40}https?://|以\s?post\s?[^\n]{0,20}https?://",
            r"<img\b[^>\n]{0,300}https?://[^>\n]{1,300}[?&]\w{1,20}=[^>\n]{0,200}\b(?:width|height)\s?=\s?[\"']?[01]\b",
            r"!\[[^\]\n]{0,200}\]\(https?://[^\s)]{1,400}[?&][^\s)=]{1,40}=[a-z0-9_%+/=-]{64}",
            rf"https?://[^\s)\"'`<>]{{1,400}}[?&][^\s=&]{{0,40}}=[^\s)\"'`<>]{{0,200}}?{_PRIVATE}",
            r"(?:\]\(|\b(?:src|href)\s?=\s?[\"']?)\s?(?:javascript|vbscript|data:text/html)\b",
        ),
    ),
    PoisonRule(
        "encoded",
        (
            r"(?:%[2-7][0-9a-f]){6}",
            r"(?:\\u00[2-7][0-9a-f]){6}|(?:\\x[2-7][0-9a-f]){6}",
            r"(?:&#(?:x[2-7][0-9a-f]|[3-9]\d|1[01]\d|12[0-6]);){6}",
            r"\brot-?13\b",
        ),
    ),
    PoisonRule(
        "instruction",
        (
            rf"<!--[^>\n]{{0,40}}?{_AGENT}(?:\s?[:,，：;]|您好|你好)",
            rf"<!--\s?(?:an|to|for|fur|pour|para|a|致|给)\b[^>\n]{{0,20}}{_AGENT}",
        ),
    ),
    PoisonRule("look-alike", (r"(?:^|[^\w])(?:[a-z][ ._\-\t]{1,3}){7,}[a-z](?:[^\w]|$)".replace(" ", r"\x20"),)),
    PoisonRule(
        "role-marker",
        (
            r"</?(?:system|assistant|human|developer|system[-_]\w{1,20}|tool_\w{1,20}|function_\w{1,20})>",
            rf"{_START}tool[_-](?:results?|outputs?|use)\s?[:：]",
            r"<\|[^|\n]{1,30}\|>|\[/?inst\]|<</?sys>>|\[/?(?:tool_\w{1,12}|system)\]",
            rf"{_START}(?-i:SYSTEM|SISTEMA|SYSTEME|ASSISTANT|HUMAN)\s?[:：]",
            rf"{_START}(?:system prompt|systemprompt|instruction:|response:)[ \t:]{{0,3}}\n".replace("[ ", r"[\x20"),
            r"\bhuman: [^\n]{0,300}\n?[^\n]{0,300}?\bassistant: ",
            r"\bassistant: [^\n]{0,300}?\bhuman: ",
            r"\{\s?[\"']role[\"']\s?:\s?[\"'](?:system|developer|assistant|tool)[\"']",
            r"#{2,3}\s?(?:assistant|user|system)\s?#{2,3}",
            rf"{_START}(?:system|systeme|sistema)>",
            r"\bassistant\s?: [^\n]{0,200}?\b(?:systeme|system|sistema|utilisateur|usuario|nutzer|user)\s?: ",
        ),
    ),
    PoisonRule(
        "forged-provenance",
        (
            r"<!--\s{0,4}(?:from|sources?|provenance|reviewed|approved|verified|trust)\b",
            (
                rf"{_START}(?:label|trust|trust[\s_-]level|provenance|origin|vertrauen|herkunft|信任级别|来源|confianza"
                rf"|origen|confiance|origine)\s?[:：]\s?(?:high|trusted|verified|{_OPERATOR})"
            ),
            rf"{_START}(?:approved|freigegeben|genehmigt|已批准|aprobado|approuve)\s?[:：]\s?(?:true|yes|ja|是|si|oui)\b",
            rf"{_START}已批准\s?[:：]\s?是",
            rf"{_START}(?:approved|reviewed|verified|checked|confirmed)[\s_]by\s?:?\s?{_OPERATOR}",
            rf"{_START}(?-i:APPROVED|FREIGEGEBEN|GENEHMIGT|APROBADO|APPROUVE)\b",
            rf"{_START}durable insight\s?:",
            rf"{_START}[\[(（]\s?{_CHECKED}[\s:,：，][^\])）\n]{{0,60}}{_MASTER}",
            rf"{_START}[\[(（]\s?{_MASTER}[\s,，]?(?:已核实|已审核|{_CHECKED})",
            rf"{_START}{_CHECKED}\s(?:by|par|por|von|durch)\s(?:the\s|el\s|la\s|l'|dem\s|der\s)?{_MASTER}",
            rf"{_START}(?:reviewed-by|relu et approuve|revisado y conforme|gepruft und freigegeben|审阅人)\s?[:：]",
            rf"{_START}已由{_MASTER}|{_MASTER}[^\n]{{0,40}}(?:签名有效|印章|firma valida|sello \d|signature valide|paraphe|stempel \d)",
            r"\((?:identity verified|verifiziert|identite verifiee|identidad verificada|身份已验证)\)|身份已验证",
        ),
    ),
    PoisonRule(
        "managed-marker",
        (
            r"<!--\s{0,4}/?(?:memdeck|openclaw|hipocampus|letta|mem0)\b",
            r"<!--\s{0,4}(?:begin|end|start|stop)\b[^\n>]{0,60}?(?:managed|generated|section|block|memdeck)",
            rf"(?:<!--|#)[\s=>#]{{0,8}}(?:(?:anfang|ende|begin|beginn|start|debut|fin|inicio)\s)?{_GENERATED}",
            r"<!--\s{0,4}auto-synced from|<!--\s{0,4}(?:trigger|importance):",
            rf"{_START}(?:promoted from short-term memory|consolidated memory) \(\d",
            r"(?:^|\n)status: ?(?:fixed|tentative)\s{0,4}(?:\n|$)",
        ),
    ),
)
