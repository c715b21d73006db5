"""More rules of what never enters semantic memory, in five languages: data, by the rule they belong to (decision A16).

Each names two things that stand together only in such a line: an approval and its number, a level and who approves it,
semantic memory and a confirmation. One alone, as in "the approval of the permit", is no rule.
"""

_WHO = (
    r"(?:operators?|admin\w*|opérateurs?|administrateurs?|operador\w*|administrador\w*"
    r"|操作员|管理员|运营者|オペレーター|管理者|운영자|관리자|운영 담당자)"
)
_LEVEL = (
    r"(?:(?:risk|execution|approval) (?:tier|level)|tier [a-c]\b|(?:risiko)?stufe [a-c]\b|risikostufe"
    r"|niveau(?: de risque)? [a-c]\b|niveau de risque|nivel(?: de riesgo)? [a-c]\b|nivel de riesgo"
    r"|(?:etapa|étape) [a-c]\b"
    r"|(?:执行|风险|审批)(?:层级|等级|级别)|第? ?[A-CＡ-Ｃ] ?(?:层|级)"
    r"|リスク(?:階層|レベル)|(?:階層|段階|レベル) ?[A-CＡ-Ｃ]|위험 (?:등급|단계)"
    r"|[A-C] ?(?:등급|단계))"
)
_APPROVE = (
    r"(?:approv\w*|confirm\w*|freigab\w*|freigegeb\w*|bestätig\w*|genehmig\w*|approuv\w*|approbation|accord\b"
    r"|aprob\w*|autoriz\w*|confirmación|批准|确认|审批|承認|확인|승인)"
)
_SEMANTIC = (
    r"(?:semantic (?:memory|entr\w+|writes?)|semantische\w* (?:speicher|gedächtnis|einträge?)|mémoire sémantique"
    r"|memoria semántica|语义记忆|意味記憶|セマンティック・?メモリー?|의미 ?기억|시맨틱 ?메모리)"
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
        r"(?:审批|批准)编号 ?\d|承認番号 ?\d|승인 ?번호 ?\d",
        r"批准已?(?:被)?记录|(?:计划|请求)\S{0,6}已(?:获|被)?批准|承認(?:済み|されました)|승인(?:됨|되었습니다)",
    ),
    "cron or log line": (
        rf"(?i:^\W*\[?{_CRON}\b[^.]{{0,60}}?\b{_RAN}\b)",
        r"(?i:^\W*\[cron\b|^\W*cron\s?:)",
        r"(?:定时|计划)任务\S{0,12}(?:完成|启动|开始|结束|失败)",
        r"(?i:(?:定期|スケジュール)ジョブ|\bcron ?ジョブ|クロン).{0,20}(?:完了|終了|開始|失敗)",
        r"(?i:(?:예약|정기|크론|\bcron) ?작업).{0,20}(?:완료|끝났|시작|실패)",
        r"(?i:\bexec (?:completed|failed|started|finished) ?\()",
    ),
    "session line": (
        r"(?i:\bsession (?:key|id)\s?[:：])|\bagent:\w+:\w+",
        r"(?i:(?:会话|セッション|세션) ?(?:ID|キー|密钥|키))\s?[:：]",
        r"^\W*(?:当前时间|现在时间|現在時刻|현재 ?시각|현재 ?시간)\s?[:：]",
        r"(?i:^\W*current time\s?[:：])|(?i:\(untrusted(?: metadata)?[^)]*\)\s?:)|\[message_id:",
        r"^\W*System:\s*\[\d{4}-\d\d-\d\d",
    ),
    "injected prompt": (
        # No \\b: in Chinese, Japanese and Korean a letter follows at once.
        r"HEARTBEAT(?:\.md|_OK)|NO_REPLY|ANNOUNCE_SKIP",
        r"(?i:\bpre-compaction memory flush\b|\bstore durable memories now\b|\bnew session was started via\b)",
    ),
    "test output": (
        rf"(?i:\b\d+ {_TESTS}\b.{{0,12}}\b{_PASSED}\b)|(?i:\b{_TESTS}:\s*\d+ {_PASSED}\b)",
        rf"(?i:=+ ?\d+ {_PASSED}\b)|(?i:\b\d+ {_PASSED}, \d+ {_PASSED}\b)",
        r"^\s*(?:PASS|FAIL|FAILED|PASSED|ERROR)\s+\S+[/:.]\S+|\bnpm ERR!",
        r"\d+ ?个测试\S{0,4}(?:通过|失败)|\d+ ?件のテスト|テスト ?\d+ ?件|테스트 ?\d+ ?개|\d+ ?개의? ?테스트",
    ),
    "code": (
        r"^\s*(?:if|for|while|switch) ?\(.*\) ?\{|^\s*(?:const|let|var) \w+ ?=|=>\s*[\w{(]",
        r"^\s*(?:async )?def \w+\(.*\)\s*(?:->.*)?:|^\s*(?:public|private|static|fn|func|function) [\w<>\[\] ]*\w+\(",
        r"^\s*(?:import \w[\w.]*(?:, ?\w+)*$|from [\w.]+ import )|^\s*#include\b|^\s*return [\w.]+(?: ?[=!<>]= ?|\(|;)",
        r"(?i:^\s*(?:select\b.{1,200}\bfrom\b.{1,200}(?:;|\bwhere\b)|insert into \w+|update \w+ set |delete from \w+))",
        r"^\s*export [A-Z_]+=|\w\S* \{\s*\}?\s*$|\)\s*;\s*\}?\s*$",
    ),
    "raw summary": (
        rf"(?i:(?:^|[.;]\s+){_USER} {_SAYS}\b)|(?:用户|使用者)(?:说|问|询问|想要|要求|表示|请求|希望)",
        r"(?:ユーザー?|利用者)[はが][^。]{0,40}(?:聞|尋ね|言|述べ|希望し|望ん|求め|頼|依頼し|質問し)",
        r"(?:사용자|유저)[는가][^.]{0,40}(?:물었|물어|말했|원했|원한다고|요청|부탁|질문)",
        (
            rf"(?i:\b(?:in|dans|en|lors de|during|während|bei) (?:this|our|today's|dieser|diesem|unserem|cette"
            rf"|notre|esta|este|nuestra)"
            rf" {_CALL}\b)"
        ),
        (
            rf"(?i:\b(?:we|nous|wir|hablamos|tratamos)\b.{{0,60}}\b(?:in this|in dieser|in diesem|dans cette|en esta)"
            rf" {_CALL}\b)"
        ),
        r"(?:本次|这次|今天的|此次)(?:会话|对话|聊天)|(?:今回|今日|本日)の(?:会話|セッション|チャット)",
        r"この(?:会話|セッション|チャット)(?:で|は)|(?:이번|오늘|이) ?(?:대화|세션|채팅)(?:에서|은|는)",
    ),
    "conversational fragment": (
        r"(?i:^\W*note to self\b)|(?i:\blet me know\b)",
        r"^\W*(?:给自己的(?:备注|提醒)|自分(?:へ|用)のメモ|나에게 (?:쓰는 )?메모)\s?[:：]",
        r"^\W*(?:助手|用户|アシスタント|ユーザー|エージェント|어시스턴트|사용자|에이전트)\s?[:：]",
        r"(?:随时|请)告诉我|お(?:知らせ|申し付け)ください|(?:알려|말씀해) ?주세요",
        r"很高兴(?:能)?(?:帮|为)|お役に立て|도움이 되(?:어|었|셨)",
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
