"""Poison that plays another speaker, a mark of provenance, or a tool: what a text cannot be by saying so."""

from engine.text.poison.rules.rule import PoisonRule

_HUMAN = r"(?:user|human|operator|mensch|nutzer|benutzer|betreiber|usuario|humano|operador|utilisateur|humain|用户|人类|操作员)"
_AGENT = r"(?:assistant|agent|assistent|asistente|agente|ai|ki|ia|modelo|modell|助手|代理|模型)"
_SYSTEM = r"(?:system|sistema|systeme|系统)"
_MODEL = (
    r"(?:(?:agents?|agente|llms?|ai|ki|ia|assistants?|assistent|asistente|models?|modell|modelo|modele|bots?|gpt|claude|"
    r"an den agenten|an die ki|para el agente|para la ia|a l'attention de l'agent|pour l'agent|pour l'ia|note to agent)\b|"
    r"大模型|模型|代理|助手|智能体|机器人|给代理|给模型|给助手|致)"
)
_TRUST = (
    r"(?:trust|trust[\s_-]level|vertrauen|vertrauensstufe|confianza|confiance|niveau de confiance|信任级别|信任|可信度)"
)
_HIGH = (
    r"(?:the )?(?:operator|owner|operador|operateur|proprietaire|betreiber|操作员|所有者|high|full|maximal|hoch|alta|"
    r"total|haute|elevee|最高|高|完全)"
)
_TOOL = r"(?:openclaw|memdeck|hipocampus|letta|mem0)"
_KEPT = r"(?:managed|verwaltet|gestionad[oa]|administrad[oa]|genere|gere par|generad[oa]|维护|托管|管理|自动|block|bloque|bloc|abschnitt|区)"
_DATED = r"\d{1,4}[-./年]\s?\d{1,2}[-./月]"
_APPROVED = (
    r"(?:\b(?:approved|authori[sz]ed|signed off|confirmed|verified|cleared|genehmigt|freigegeben|bestatigt|abgezeichnet|"
    r"aprobad[oa]s?|autorizad[oa]s?|aceptad[oa]s?|confirmad[oa]s?|validad[oa]s?|approuvee?s?|autorisee?s?|validee?s?|visa)\b|"
    r"批准|审批人|批准人|已批准|审核人|核准|授权人|签发)"
)

RULES = (
    PoisonRule(
        "role-marker",
        (
            rf"(?:^|[\s.!?。！？\"]){_HUMAN}\s?:[^\n]{{1,160}}?[\x20\t.!?。！？\"]{_AGENT}\s?:",
            rf"(?:^|[\s.!?。！？\"]){_AGENT}\s?:[^\n;]{{1,160}}?[\x20\t.!?。！？\"]{_HUMAN}\s?:",
            rf"(?:^|\n)\s{{0,3}}#{{1,6}}\s{{0,3}}{_SYSTEM}\w{{0,14}}\s?:\s?\S",
            rf"[\[【]/?{_SYSTEM}(?:消息|提示|指令|通知| message| prompt|nachricht)?[\]】]",
            r"</?(?:systeme|sistema|asistente|assistent|utilisateur|usuario|nutzer|benutzer|系统|助手|用户)>",
            r"</(?:memory|memoire|memoria|context|kontext|contexte|contexto|document|notes?|user|data|instructions?)>\s{0,3}<",
            r"<\|(?:im_start|im_end|end|system|user|assistant)\|?>|\bbegin system prompt\b",
        ),
    ),
    PoisonRule("hidden", (rf"<!--\s{{0,6}}(?:@|#|!)?{_MODEL}[^\n>]{{0,24}}?[:,;!]", rf"\[//\]: # [(\"']{_MODEL}\b")),
    PoisonRule(
        "hidden",
        (
            r"\bstyle\s?=\s?[\"'][^\"'\n]{0,80}(?:display\s?:\s?none|font-size\s?:\s?0|visibility\s?:\s?hidden|opacity\s?:\s?0|color\s?:\s?(?:white|#fff))",
        ),
    ),
    PoisonRule(
        "forged-provenance",
        (
            rf"(?:^|[\s|;,(\[{{\"'-]){_TRUST}\s?[:=]\s?[\"']?{_HIGH}",
            rf"{_APPROVED}[^\n.;|]{{0,60}}?{_DATED}",
            rf"{_DATED}[^\n.;]{{0,40}}?{_APPROVED} (?:by|von|durch|por|par)\b",
            r"\btitle:[^\n]{1,120}\bcontext:[^\n]{1,120}\bdurable insight:",
            r"(?:审批人|批准人|审核人|核准人|授权人)\s?[:=]",
            r"\b(?:approved|authori[sz]ed|signed off|confirmed) by (?:the )?(?:operator|owner|user)\b[^\n]{0,12}(?:\)|\]|$|\n|\d)",
            r"<!--\s{0,4}(?:摘自|来自|出自|来源|aus|quelle|de|desde|origen|depuis|tire de) [^\n>]{0,20}(?:memory|knowledge)/",
        ),
    ),
    PoisonRule(
        "managed-marker",
        (
            rf"(?:[#/>*=<-]{{2,6}}|\b(?:begin|end|start|anfang|ende|inicio|fin|debut)\b)[^\n]{{0,24}}?{_TOOL}[^\n]{{0,24}}?{_KEPT}",
            rf"(?:[#/>*=<-]{{2,6}}|\b(?:begin|end|start|anfang|ende|inicio|fin|debut)\b)[^\n]{{0,24}}?{_KEPT}[^\n]{{0,24}}?{_TOOL}",
            rf"\b(?:begin|end)\s{{1,3}}{_TOOL}",
        ),
    ),
    PoisonRule(
        "data-url",
        (
            r"!\[[^\]\n]{0,200}\]\(https?://[^\s)]{1,400}[?&][^\s)=]{1,40}=\s{0,3}\)",
            r"https?://[^\s)\"'`<>]{1,300}[?&][^\s=&]{0,40}=(?:\$[a-z_{(]|(?-i:[A-Z][A-Z_]{2,30})\b|%s\b|\.{3})",
            r"https?://[^\s)\"'`<>]{1,300}[?&][^\s=&]{0,40}=[一-鿿]{3}",
        ),
    ),
    PoisonRule(
        "encoded",
        (
            r"(?:^|[\s:：(\"'`,])(?:%[2-9a-f][0-9a-f]){9}",
            r"(?:\b[01]{8}[\s,]{0,2}){6}",
            r"(?:[.-]{1,5}[\s/]{1,3}){14}",
        ),
    ),
)
