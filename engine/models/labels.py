"""Maps a heading, a `key:` or a chat label to the role of the text below or behind it."""

import re
from functools import lru_cache
from typing import Literal

Role = Literal["decision", "insight", "outcome", "open", ""]
Speaker = Literal["user", "assistant", ""]

_HEADINGS: dict[Role, str] = {
    "decision": """
        decision, decisions, key decisions, major decisions, decided, decisions made, agreed, resolution, resolutions
        entscheidung, entscheidungen, beschluss, beschlüsse, festlegungen
        décision, décisions, décisions prises, decisión, decisiones, acuerdos
        决定, 决策, 决议, 决定事项, 決定, 決定事項, 決めたこと, 결정, 결정 사항, 결정사항, 의사결정, 합의 사항
        技术选型, 选型, 共识, 结论与决定, 合意事項, 方針, 決まったこと, 방침, 합의 내용, 합의사항, 정한 것
    """,
    "insight": """
        lesson, lessons, lesson learned, lessons learned, lessons learnt, learned, learning, learnings
        lessons & patterns
        lessons and patterns, insight, insights, key insight, key insights, extracted insights, principle, principles
        takeaway, takeaways
        key takeaway, key takeaways, key lesson, key lessons, key learning, key learnings
        rule, rules, root cause, root causes, conclusion, conclusions, postmortem, post-mortem
        retrospective
        what we learned, what i learned, why, how to apply, how-to-apply, best practices, gotchas, pitfalls
        feedback, tip
        erkenntnis, erkenntnisse, gelernt, gelerntes, lehre, lehren, lektionen, grundsätze, regel, regeln
        ursache, ursachen
        fazit, schlussfolgerung, schlussfolgerungen, merke, grundsatz, warum
        leçon, leçons, leçons apprises, leçons tirées, enseignements, apprentissages, à retenir
        ce que nous avons appris
        lección, lecciones, lecciones aprendidas, aprendizajes, aprendido, lo aprendido
        gelernte lektionen, was wir gelernt haben
        教训, 经验, 经验教训, 吸取的教训, 学到的东西, 心得, 原则, 规则, 结论, 总结, 根本原因, 原因, 启示, 收获, 反思
        心得体会, 学到的, 学到了什么, 踩坑, 踩坑记录, 复盘, 反思与改进, 注意事项, 最佳实践, 要点
        教訓, 学び, 学んだこと, 原則, 結論, まとめ, 気づき, ルール, 反省, 根本的な原因
        気づいたこと, 反省点, 振り返り, 注意点, ハマりどころ, ハマったこと, わかったこと, 得た知見, 知見, 要点, ポイント
        교훈, 배운 점, 배운점, 배운 것, 원칙, 결론, 인사이트, 규칙, 원인, 근본 원인, 근본원인, 회고, 느낀 점
        느낀점, 깨달은 점, 깨달음, 주의 사항, 주의사항, 주의할 점, 시행착오, 알게 된 점, 알게 된 것, 핵심, 요점
    """,
    "outcome": """
        outcome, outcomes, result, results, done, completed, completed work, tasks completed, shipped, status
        summary, tldr
        key events, key points, highlights, achievements, progress, accomplishments, what happened, tl;dr, fixed
        overview
        ergebnis, ergebnisse, erledigt, zusammenfassung, abgeschlossen, stand, fortschritt, überblick
        résumé, résultat, résultats, terminé, resumen, resultado, resultados, terminado
        结果, 成果, 完成, 摘要, 进展, 概要, 概述, 結果, 完了, 要約, 進捗, 결과, 성과, 완료, 요약, 진행 상황
        今日完成, 已完成, 完成情况, 进展情况, 完了したこと, 完了事項, やったこと, 完了済み, 완료한 일, 한 일, 완료 사항
    """,
    "open": """
        open, open item, open items, todo, todos, to do, to-do, next, next step, next steps, open question
        open questions
        carried forward, reference, references, ref, refs, link, links, request, requests, question, questions
        tags, source
        source, sources, session key, session id, channel, date, time, started, ended, model, participants
        attendees, author
        offen, offene punkte, offene fragen, nächste schritte, aufgaben, anfrage, referenzen, datum, teilnehmer
        à faire, prochaines étapes, questions ouvertes, pendiente, pendientes, próximos pasos, preguntas abiertas
        待办, 待办事项, 下一步, 参考, 请求, 日期, 标签, 未解決, 未対応, 次のステップ, 次のアクション, 参考, 依頼
        日付, 参加者
        할 일, 할일, 다음 단계, 참고, 요청, 날짜, 참석자
        下一步计划, 遗留问题, 未解决, 未完成, やること, 次にやること, 残課題, 今後の予定, 남은 일, 미해결, 앞으로 할 일
    """,
}
_TELLING: dict[str, Role] = {
    **dict.fromkeys(("decision", "decisions", "entscheidung", "entscheidungen", "beschlüsse"), "decision"),
    **dict.fromkeys(
        (
            "lessons",
            "learnings",
            "learned",
            "takeaways",
            "insights",
            "principles",
            "erkenntnisse",
            "leçons",
            "lecciones",
        ),
        "insight",
    ),
    **dict.fromkeys(("results", "outcome", "outcomes", "ergebnisse"), "outcome"),
    **dict.fromkeys(("todo", "todos", "offen", "offene", "unresolved", "outstanding", "pending"), "open"),
}
"""One of these among up to five words of a heading is enough."""
_TELLING_CJK: tuple[tuple[str, Role], ...] = (
    ("决定", "decision"), ("決定", "decision"), ("결정", "decision"),
    ("教训", "insight"), ("教訓", "insight"), ("교훈", "insight"), ("学び", "insight"), ("배운", "insight"),
    ("心得", "insight"), ("反思", "insight"), ("踩坑", "insight"), ("気づ", "insight"), ("깨달", "insight"),
)  # fmt: skip

_SPEAKERS: dict[Speaker, str] = {
    "user": "user, human, me, you, operator, nutzer, benutzer, 用户, 我, ユーザー, ユーザ, 사용자, 나",
    "assistant": """
        assistant, agent, ai, bot, model, claude, chatgpt, gpt, gemini, system, assistent, ki, 助手, 助理, 小助手
        机器人
        アシスタント, エージェント, 어시스턴트, 에이전트, 비서
    """,
}

_SAY_MORE = frozenset(
    """
    why how-to-apply cause reason ursache grund warum 原因 根本原因 원인 근본원인
    """.split()  # noqa: SIM905
) | {"how to apply", "root cause", "root causes", "根本的な原因", "근본 원인"}
"""Keys that say more than which section a line belongs to."""

_EDGES = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_TAGS = re.compile(r"\s*\[[^\]]*\]\s*$")


def _names(table: str) -> list[str]:
    return [name.strip() for line in table.split("\n") for name in line.split(",") if name.strip()]


_ROLE_OF: dict[str, Role] = {name: role for role, table in _HEADINGS.items() for name in _names(table)}
_SPEAKER_OF: dict[str, Speaker] = {name: speaker for speaker, table in _SPEAKERS.items() for name in _names(table)}


@lru_cache(maxsize=4096)
def heading_role(title: str) -> Role:
    """Gives the role of the text under a heading, or behind a key; an empty string where the title does not tell."""
    bare = _EDGES.sub("", _TAGS.sub("", title[:80])).casefold()
    if bare in _ROLE_OF:
        return _ROLE_OF[bare]
    words = bare.split()
    if len(words) <= 5:
        for word in words:
            if word in _TELLING:
                return _TELLING[word]
    if len(bare) <= 10:
        for part, role in _TELLING_CJK:
            if part in bare:
                return role
    return ""


@lru_cache(maxsize=4096)
def key_role(key: str) -> Role:
    """Gives the role of a `key:` at the start of a line; only names that are known whole."""
    return _ROLE_OF.get(_EDGES.sub("", key[:40]).casefold(), "")


@lru_cache(maxsize=4096)
def comes_off(key: str) -> bool:
    """Tells whether a line says as much without this key: `decision:` does, `why:` and `open:` do not."""
    bare = _EDGES.sub("", key[:40]).casefold()
    return _ROLE_OF.get(bare, "open") != "open" and bare not in _SAY_MORE


@lru_cache(maxsize=4096)
def speaker_of(name: str) -> Speaker:
    """Gives the speaker after a chat label; an empty string for any other name."""
    return _SPEAKER_OF.get(_EDGES.sub("", name[:40]).casefold(), "")
