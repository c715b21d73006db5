"""Words that say nothing about a topic: stop words, and what rules and lessons of any kind are written with."""

from engine.text.stop_words import ENGLISH, GERMAN

# A table of words reads better than a list of quoted ones.
ARTICLES = frozenset(
    """
    a an the every each any all this that these those my your our their its his her no
    der die das den dem des ein eine einen einem einer jede jeden jeder alle kein keine keinen mein dein unser ihr
    le la les un une du aux chaque cette cet ces ses nos vos leur leurs
    el los las una unos unas del cada este esta estos estas su sus
    """.split()  # noqa: SIM905
)
BEFORE_NOUN = ARTICLES | set(
    "in on for with from by per without von mit für ohne sans avec pour sur sin con para por sobre".split()  # noqa: SIM905
)
BEFORE_VERB = frozenset(
    """
    must never not to should can cannot will may do does always
    jamais toujours doit doivent peut peuvent pas nunca siempre debe deben puede pueden
    """.split()  # noqa: SIM905
)
GERMAN_AFTER_NOUN = frozenset(
    """
    darf dürfen muss müssen soll sollen sollte kann können wird werden ist sind war hat haben braucht brauchen läuft
    laufen steht stehen gehört gehören bleibt bleiben
    """.split()  # noqa: SIM905
)
"""After the first word of a German sentence, which any word's capital may begin, these show that it is a noun."""

_ENGLISH = """
    across add again against ago along always among another apart ask avoid away back bad beside besides best better
    between both break bring broke call case cases cause change check come cost create day days done down during each
    early either else end enough even ever every everything fail failed fails failure fast few find first five fix
    found
    four full get gets give given go goes going good great hard help high hour hours however instead issue keep keeps
    kept know known large last late later lead least leave left less lesson lessons let like little live long look
    lose
    lost lot low made main make makes many matter may mean means might minute minutes month months much must need
    needs
    never new next night note notes nothing number often old once other others own part per place plan point prefer
    problem put rather ready real really remember right rule rules run runs said same save say says second seconds see
    seem seen send sent set several short show side since single small someone something soon still stop sure take
    taken
    takes tell test thing things think third thought three through throughout time times today together told too took
    tried try trying turn twice two under unless until use used user users uses using via wait want wants way week
    weeks
    well went whether within without word words work worked works worse worst write wrong year years yet
"""
_GERMAN = """
    bleiben braucht brauchen erst erste ersten immer jeden lassen machen mal nie niemals oft schon sollte stets vorher
    zuerst zwei darf darfst dürfen dürft muss musst müssen müsst soll sollen sollst sollten kannst könnte könnten
    möchte
    wollen mag mögen wird werden weil denn daher deshalb damit dann danach bevor nachdem neben sobald sonst falls ohne
    während keinesfalls nirgends niemand jemand jedes jeder jede jedem vermeide vermeiden nutze nutzen prüfe prüfen
    halte halten lasse mache lösche löschen starte warte erstelle führe setze stelle achte denke merke schreibe ändere
    ändern geändert dokumentiere dokumentieren verwende verwenden thema themen regel regeln lehre lehren lektion tag
    tage
    woche wochen monat monate jahr jahre stunde stunden minute minuten mal male problem probleme fall fälle grund
"""
_FRENCH = """
    afin ainsi alors aucun aucune aujourd aussi autre autres avait avant avec avoir aura aux car celle celles celui
    cela
    ceci ces cet cette ceux chaque chez comme contre créer créez dans déjà demain depuis des dès devez doit doivent
    donc
    dont elle elles encore entre est était être éviter évitez exécuter exécutez faire fait faites faut fois garder
    gardez
    heure heures hier hui ici ils jamais jour jours lancer lancez leçon leçons les leur leurs lorsque lui mais même
    mes
    mettre mettez modifier modifiez changer changez mois moins mon ton nos noter notez notre nous ont ou où par parce
    pas
    pendant personne peu peut peuvent plus pour pourrait pouvez problème problèmes quand que quel quelle quels quelles
    qui quoi règle règles rien sans semaine semaines sera ses son sont sous supprimer supprimez sur tes tous tout
    toute
    toutes toujours très trop une utiliser utilisez vers vérifier vérifie vérifiez vérifions vos votre vous documenter
    documentez ajouter ajoutez attendre attendez année années après deux trois
"""
_SPANISH = """
    además algo alguien antes anota anotar añade añadir año años aquel así aún aunque bajo borra borrar cada cambia
    cambiar como comprobar comprueba con crea crear cual cuando debe deben debes del desde después día días documenta
    documentar donde durante ejecuta ejecutar ella ellas ellos entonces entre esa esas ese esos espera esperar está
    están estaba esta estas este estos evita evitar fue guarda guardar haber había hace hacer han hasta hay hora horas
    jamás las lección lecciones los luego mantener mantén más menos mes meses minuto minutos mis misma mismo muy nada
    nadie ningún ninguna nosotros nuestra nuestro nunca otra otras otro otros para pero por porque problema problemas
    puede pueden podría que qué quien regla reglas según semana semanas ser siempre sin sobre sólo solo son sus
    también
    tampoco tan tiene tienen tener toda todas todavía todos tras tus una unas unos usa usar usted ustedes utiliza vez
    veces verifica verificar verifique dos tres
"""
WEAK = ENGLISH | GERMAN | set(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH}".split())

CHINESE = frozenset(
    """
    之前 之后 以前 以后 以上 以下 之间 之一 的时候 时候 必须 必需 需要 应该 应当 务必 一定 一定要 总是 始终 永远 从不
    从来 绝不 绝不能 绝不能和 绝对 决不 不能 不能和 不要 不会 不得 不可 不可以 不应 不应该 不是 不再 切勿 请勿 禁止
    可以
    可能 能够 因为 所以 由于 因此 如果 否则 虽然 但是 而且 并且 或者 以及 还有 然后 首先 其次 最后 最好 同时 一起 一样
    每个 每次 每天 每周 每月 每年 各个 任何 所有 全部 一些 一个 两个 三个 这个 那个 这些 那些 这样 那样 哪些 什么 怎么
    为什么 我们 你们 他们 她们 它们 自己 没有 没有人 没人 有人 有些 已经 曾经 正在 将要 将会 立即 马上 再次 重新 直接
    非常 特别 比较 更加 只有 只要 只能 就会 就要 才能 才会 都要 都会 都是 还是 只是 就是 也是 也要 关于 对于 根据 按照
    通过 经过 除了 除非 为了 为止 直到 其他 其它 进行 使用 修改 检查 确认 记录 运行 执行 发生 出现 导致 造成 看到 发现
    知道 记得 记住 注意 处理 保持 避免 确保 保证 完成 开始 结束 问题 原因 结果 情况 方法 内容 事情 东西 部分 时间 小时
    分钟 今天 昨天 明天 去年 今年 明年 上周 下周 上次 下次 上个月 下个月 早上 晚上 一下 一次 两次 多次 一行 同一 花了
    用于 用来 放在 写在 存在 位于 属于 作为 成为 变成 得到 提前 随时 及时 尽量 单独 分别 教训 经验 规则 决定 要求 用户
    案例 会写 必先 要先
    """.split()  # noqa: SIM905
)
"""Words at which Chinese is cut; longer ones are tried first, so that 没有人 is one."""
JAPANESE = frozenset(
    """
    必要 必須 場合 時間 時点 同時 以前 以後 以上 以下 以外 全部 全体 全員 毎日 毎回 毎週 毎月 今日 昨日 明日 今回 次回
    前回 最初 最後 最近 最低 最大 絶対 一番 一度 一緒 自分 問題 方法 理由 原因 内容 部分 状態 確認 記録 変更 実行 作業
    処理 使用 利用 対応 一方 可能 不可 禁止 重要 注意 教訓 規則 決定 原則 去年 今年 来年 先週 来週 今週 先月 来月 週間
    分間 結果 使用者 利用者 ケース ルール ポイント メモ ノート
    """.split()  # noqa: SIM905
)
KOREAN = frozenset(
    """
    반드시 절대 절대로 항상 언제나 결코 아무도 아무 모든 모두 같은 다른 어떤 이런 그런 저런 이것 그것 저것 우리 저희
    때문
    때문이다 때문에 전에 전에는 후에 후에는 동안 경우 필요 확인 변경 작업 사용 실행 처리 기록 문제 원인 방법 내용 결과
    이유 시간 오늘 어제 내일 매일 매주 매월 매번 다음 먼저 나중 다시 바로 직접 함께 또한 그리고 그러나 하지만 그래서
    따라서 만약 또는 혹은 대해 대한 위해 위한 통해 하나 보지 쓰기 하기 되기 사람 사용자 교훈 규칙 결정 원칙 열두 작년
    올해 지난주 이번 누구 누구도 아주 매우 너무 조금 많이 여러 각각 서로 일부 전체
    """.split()  # noqa: SIM905
)
