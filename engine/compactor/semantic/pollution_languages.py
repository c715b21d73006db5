"""More rules of what never enters semantic memory, in five languages: data, by the rule they belong to (decision A16).

Each names two things that stand together only in such a line: an approval and its number, a level and who approves it,
semantic memory and a confirmation. One alone, as in "the approval of the permit", is no rule.
"""

_WHO = (
    r"(?:operators?|admin\w*|opérateurs?|administrateurs?|operador\w*|administrador\w*"
    r"|操作员|管理员|运营者|オペレーター|管理者|운영자|관리자)"
)
_LEVEL = (
    r"(?:(?:risk|execution|approval) (?:tier|level)|tier [a-c]\b|(?:risiko)?stufe [a-c]\b|risikostufe"
    r"|niveau(?: de risque)? [a-c]\b|niveau de risque|nivel(?: de riesgo)? [a-c]\b|nivel de riesgo"
    r"|(?:执行|风险|审批)(?:层级|等级|级别)|リスク(?:階層|レベル)|위험 등급)"
)
_APPROVE = (
    r"(?:approv\w*|confirm\w*|freigab\w*|freigegeb\w*|bestätig\w*|genehmig\w*|approuv\w*|approbation|accord\b"
    r"|aprob\w*|autoriz\w*|confirmación|批准|确认|审批|承認|확인|승인)"
)
_SEMANTIC = (
    r"(?:semantic (?:memory|entr\w+|writes?)|semantische\w* (?:speicher|gedächtnis|einträge?)|mémoire sémantique"
    r"|memoria semántica|语义记忆|意味記憶|의미 기억)"
)
_USER = (
    r"(?:(?:the |our )?user|der (?:be)?nutzer|die (?:be)?nutzerin|l'utilisateur|l'utilisatrice|el usuario|la usuaria)"
)
_SAYS = (
    r"(?:said|says|asked|asks|wants?|wanted|requested|replied|mentioned|told|fragte?|sagte?|möchte|wollte|will|bat"
    r"|a (?:demandé|dit|voulu|répondu)|veut|demande|dit|pidió|dijo|quiere|preguntó|pide|dice|respondió)"
)
_CALL = r"(?:chat|session|conversation|sitzung|unterhaltung|gespräch|sesión|conversación|discussion)"
_CRON = (
    r"(?:cron[- ]?job\w*|cron[- ]tasks?|cron|tâche (?:cron|planifiée)|tarea (?:cron|programada)|geplanter (?:job|lauf)"
    r"|scheduled (?:job|task))"
)
_RAN = (
    r"(?:done|finished|completed|started|ran|exited|gestartet|beendet|durchgelaufen|lief|terminée?|démarrée?|a démarré"
    r"|completada|terminó|terminada|iniciada|empezó)"
)
_TESTS = r"(?:tests?|specs?|pruebas|prüfungen|assertions)"
_PASSED = (
    r"(?:passed|failed|passing|failing|bestanden|fehlgeschlagen"
    r"|réussis|échoués|échecs?|pasaron|fallaron|pasadas|fallidas)"
)

BY_LANGUAGE: dict[str, tuple[str, ...]] = {
    "governance": (
        rf"(?i:{_SEMANTIC}.{{0,80}}{_APPROVE})|(?i:{_APPROVE}.{{0,80}}{_SEMANTIC})",
        rf"(?i:{_SEMANTIC}.{{0,60}}{_WHO})",
    ),
    "tier definition": (rf"(?i:{_LEVEL}.{{0,60}}(?:{_APPROVE}|{_WHO}))|(?i:(?:{_APPROVE}|{_WHO}).{{0,60}}{_LEVEL})",),
    "approval log": (
        r"(?i:\bapproval[- ]#?\d+\b)",
        (
            r"(?i:\b(?:approval|freigabe|approbation|aprobación)\b.{0,40}\b(?:logged|granted|protokolliert|erteilt"
            r"|enregistrée|accordée|registrada|concedida)\b)"
        ),
        r"批准已?(?:被)?记录|(?:计划|请求)\S{0,6}已(?:获|被)?批准|承認(?:済み|されました)|승인(?:됨|되었습니다)",
    ),
    "cron or log line": (
        rf"(?i:^\W*\[?{_CRON}\b[^.]{{0,60}}?\b{_RAN}\b)",
        r"(?i:^\W*\[cron\b|^\W*cron\s?:)",
        r"(?:定时|计划)任务\S{0,12}(?:完成|启动|开始|结束|失败)",
        r"(?i:\bexec (?:completed|failed|started|finished) ?\()",
    ),
    "session line": (
        r"(?i:\bsession (?:key|id)\s?[:：])|\bagent:\w+:\w+",
        r"(?i:^\W*current time\s?[:：])|(?i:\(untrusted(?: metadata)?[^)]*\)\s?:)|\[message_id:",
        r"^\W*System:\s*\[\d{4}-\d\d-\d\d",
    ),
    "injected prompt": (
        r"\bHEARTBEAT\.md\b|\bHEARTBEAT_OK\b|\bNO_REPLY\b|\bANNOUNCE_SKIP\b",
        r"(?i:\bpre-compaction memory flush\b|\bstore durable memories now\b|\bnew session was started via\b)",
    ),
    "test output": (
        rf"(?i:\b\d+ {_TESTS}\b.{{0,12}}\b{_PASSED}\b)|(?i:\b{_TESTS}:\s*\d+ {_PASSED}\b)",
        rf"(?i:=+ ?\d+ {_PASSED}\b)|(?i:\b\d+ {_PASSED}, \d+ {_PASSED}\b)",
        r"^\s*(?:PASS|FAIL|FAILED|PASSED|ERROR)\s+\S+[/:.]\S+|\bnpm ERR!",
        r"\d+ ?个测试\S{0,4}(?:通过|失败)|\d+件のテスト|테스트 \d+개",
    ),
    "code": (
        r"^\s*(?:if|for|while|switch) ?\(.*\) ?\{|^\s*(?:const|let|var) \w+ ?=|=>\s*[\w{(]",
        r"^\s*(?:async )?def \w+\(.*\)\s*(?:->.*)?:|^\s*(?:public|private|static|fn|func|function) [\w<>\[\] ]*\w+\(",
        r"^\s*(?:import \w[\w.]*(?:, ?\w+)*$|from [\w.]+ import )|^\s*#include\b|^\s*return [\w.]+(?: ?[=!<>]= ?|\(|;)",
        r"(?i:^\s*(?:select\b.{1,200}\bfrom\b.{1,200}(?:;|\bwhere\b)|insert into \w+|update \w+ set |delete from \w+))",
        r"^\s*export [A-Z_]+=|\w\S* \{\s*\}?\s*$|\)\s*;\s*\}?\s*$",
    ),
    "raw summary": (
        rf"(?i:(?:^|[.;]\s+){_USER} {_SAYS}\b)|(?:用户|使用者)(?:说|问|想要|要求|表示|请求|希望)",
        (
            rf"(?i:\b(?:in|dans|en|lors de|during|während|bei) (?:this|our|today's|dieser|diesem|unserem|cette"
            rf"|notre|esta|este|nuestra)"
            rf" {_CALL}\b)"
        ),
        (
            rf"(?i:\b(?:we|nous|wir|hablamos|tratamos)\b.{{0,60}}\b(?:in this|in dieser|in diesem|dans cette|en esta)"
            rf" {_CALL}\b)"
        ),
        r"(?:本次|这次|今天的|此次)(?:会话|对话|聊天)|今回の(?:会話|セッション)|이번 (?:대화|세션)",
    ),
    "conversational fragment": (
        r"(?i:^\W*note to self\b)|(?i:\blet me know\b)",
        (
            r"(?i:\bsag(?:en sie)? (?:mir|uns) bescheid\b|\b(?:dites|dis)-moi si\b|\bav[íi]same si\b"
            r"|\bdime si\b)|请告诉我|告诉我"
        ),
        (
            r"(?i:^\W*(?:gerne|klar|natürlich|bien sûr|d'accord|avec plaisir"
            r"|claro|por supuesto|con gusto|de rien|de nada"
            r"|merci"
            r"|gracias|vale|bonjour|hola)\b\s*[,!.])"
        ),
        r"^\W*(?:当然|没问题|不客气)[,，!！]|^\W*(?:もちろん|承知)|^\W*(?:물론|천만에요)",
        (
            r"(?i:\bi can help you\b|\bich helfe (?:dir|ihnen)\b|\bje peux vous aider\b|\bte ayudo\b"
            r"|\bhappy to help\b)|我(?:可以|来)帮"
        ),
    ),
}
