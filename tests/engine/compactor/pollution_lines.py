"""Labelled lines: what never enters semantic memory, and what must. Two halves: rules were written on `SEEN` alone."""

BAD_SEEN = """\
Tier C always needs APPROVED from the operator.
Stufe C braucht immer eine Freigabe durch den Operator
执行层级C需要操作员批准才能运行
Le niveau de risque C exige toujours l'accord de l'opérateur.
El nivel de riesgo C requiere siempre la aprobación del operador.
The approval was logged as approval-42 on Monday
Die Freigabe wurde als approval-17 protokolliert.
L'approbation a été enregistrée sous le numéro 12 par l'administrateur.
La aprobación quedó registrada con el número 9.
批准已记录为第42号
Semantic entries must be confirmed twice by the admin before they are written.
Einträge im semantischen Speicher müssen vom Administrator bestätigt werden.
Les entrées de la mémoire sémantique doivent être approuvées par l'administrateur.
Las entradas de la memoria semántica deben ser confirmadas por el administrador.
语义记忆的条目必须由管理员确认
[cron] 2026-01-02 weekly compaction done, 3 files
cron: nightly job finished in 42s
Cronjob „backup“ wurde um 03:00 gestartet
Tâche cron terminée à 03:00, 4 fichiers
Tarea cron completada a las 03:00
定时任务已于03:00完成
Read HEARTBEAT.md if it exists and reply HEARTBEAT_OK
If nothing needs attention, reply HEARTBEAT_OK.
Session Key: agent:main:main, Source: telegram
Session ID: c5628b21-8f0e-4c1d-9d1b-0a7c3f1e22aa
Current time: Monday, February 23rd, 2026 — 10:01 AM
Ran pytest and 14 tests passed
=== 12 passed, 1 failed in 3.21s ===
Tests: 4 failed, 120 passed, 124 total
14 Tests bestanden, 2 fehlgeschlagen
14 tests réussis, 1 échec
所有14个测试通过
User said that he likes tea
Der Nutzer fragte, ob die Bank offen ist
L'utilisateur a demandé une liste de livres
El usuario pidió una lista de libros
用户说他喜欢喝茶
if (x) { return y; }
const total = items.reduce((a, b) => a + b, 0);
def load(path): return open(path).read()
SELECT id, name FROM users WHERE id = 4;
We discussed the rollout and the plan in this session
In dieser Sitzung haben wir über den Umzug gesprochen
Dans cette session, nous avons parlé du déménagement
En esta sesión hablamos de la mudanza
在本次会话中我们讨论了搬家
Note to self: look at that again
Let me know if you need anything else!
Sag mir Bescheid, wenn du noch etwas brauchst.
Dites-moi si vous avez besoin d'autre chose.
"""

BAD_UNSEEN = """\
Risk tier B changes are approved in batches by the operator.
Änderungen der Stufe B werden vom Operator freigegeben.
风险等级B的更改需要管理员批准
Les changements de niveau B doivent être approuvés par l'opérateur.
Los cambios de nivel B necesitan la aprobación del operador.
Approval granted for plan 7 by the admin on Tuesday.
Freigabe erteilt: Plan 7, Dienstag.
Approbation accordée pour le plan 7.
Aprobación concedida para el plan 7.
计划7已获批准
No entry may be written to semantic memory without confirmation by the operator.
Ohne Bestätigung des Operators darf nichts in den semantischen Speicher geschrieben werden.
Aucune entrée ne peut être écrite dans la mémoire sémantique sans confirmation.
Ninguna entrada puede escribirse en la memoria semántica sin confirmación.
未经管理员确认不得写入语义记忆
[cron:daily-digest] started 2026-04-11 07:30
0 3 * * * /usr/local/bin/backup.sh
Geplanter Job „Bericht“ lief um 07:30 durch
La tâche planifiée a démarré à 07:30
La tarea programada terminó a las 07:30
计划任务在07:30启动
HEARTBEAT_OK
Follow HEARTBEAT.md strictly and do not repeat old tasks.
Session Key: agent:work:discord:channel:99120034
System: [2026-04-11 07:31:45] Exec failed (quick-reef, code 1)
Pre-compaction memory flush. Store durable memories now.
PASS src/pay.test.ts (5.1 s)
npm ERR! Test failed. See above for more details.
FAILED tests/test_pay.py::test_refund - AssertionError
3 Tests fehlgeschlagen, 40 bestanden
2 pruebas fallaron, 40 pasaron
40 个测试通过，2 个失败
The user wants a shorter list of books.
Der Benutzer möchte eine kürzere Liste.
L'utilisateur veut une liste plus courte.
El usuario quiere una lista más corta.
用户想要一份更短的清单
for (let i = 0; i < n; i++) { total += i; }
import os, sys
return response.status_code == 200
export PATH=$PATH:/opt/bin
Today's conversation covered the move and the new flat.
Heute haben wir in diesem Chat den Umzug besprochen.
Lors de cette conversation, nous avons abordé le déménagement.
En esta conversación tratamos la mudanza.
今天的对话讨论了搬家的事
Sure, I can help you with that!
Gerne, ich helfe dir dabei!
Bien sûr, je peux vous aider.
Claro, te ayudo con eso.
"""

GOOD_SEEN = """\
Drain the queue before every migration, or jobs are lost.
The admin of the building keeps the second key of the cellar.
Tests of the payment page need the sandbox account of 2024.
The user of the printer on floor 2 must enter a code.
A cron job on that host runs twice when the clocks change.
The session cookie is named sid and lasts for 12 hours.
The approval of the building permit takes about six weeks.
Tier prices apply from 100 pieces on.
The bank needs two signatures above 5,000 euros.
My sister Clara is allergic to peanuts.
I graduated with a degree in Business Administration.
The heartbeat of the monitor lamp is green when all is well.
A confirmation by post takes three days.
If the import stops at 80 %, the disk is full.
The function of the valve is to keep the pressure at 2 bar.
Return tickets are cheaper when bought before May.
The class of 2019 meets every June in Bonn.
Select the second form on the page of the tax office.
Der Vermieter verlangt die Miete am dritten Werktag.
Die Freigabe des Bauplans dauert etwa sechs Wochen.
Der Nutzer des Parkplatzes zahlt 40 Euro im Monat.
Die Prüfung im Mai wurde von 14 Schülern bestanden.
Der Zug um 7:15 fährt nur an Werktagen.
Die Sitzung des Vereins ist immer am ersten Montag.
Ich wohne seit drei Jahren in Köln.
Nie die alte Sicherung verwenden, weil sie zu schwach ist.
Die Stufe vor der Haustür ist locker.
Le propriétaire accepte les chèques jusqu'au 5 du mois.
Ma sœur Claire est allergique aux noix.
L'approbation du permis prend six semaines.
La session du club a lieu chaque lundi.
Le niveau d'eau monte après trois jours de pluie.
L'utilisateur du garage paie 40 euros par mois.
Toujours fermer le robinet avant de partir.
El dueño del piso acepta transferencias hasta el día 5.
Mi hermana Clara es alérgica a los cacahuetes.
La aprobación del permiso tarda seis semanas.
La tarea de matemáticas se entrega los viernes.
El nivel del agua sube después de tres días de lluvia.
Nunca usar el fusible viejo, porque es débil.
迁移之前必须先清空队列。
我妹妹对花生过敏。
房东每月5号收房租。
管理员每周一检查电梯。
银行的批准需要两个星期。
测试账户的密码在蓝色本子里。
会议每周一下午三点开始。
最好的火车是七点十五分那一班。
バックアップは金曜日に取る。
이사 전에 물을 잠가야 한다.
"""

GOOD_UNSEEN = """\
Invoices go out on the last working day of the month.
The operator of the crane works from 7 to 15 o'clock.
Approved sellers have a blue sign in the window.
The test of the smoke alarm is due every March.
The second run of the bus starts at 8:40.
A passed exam counts for five years.
Users of the library may borrow ten books at once.
The plan of the house lies in the second drawer.
The memory card of the camera holds 64 GB.
The agent of the insurance is reached only in the morning.
The contract ends on 31 December unless it is cancelled in time.
I prefer short answers without bullet points.
Never send mail in my name without asking first.
The root cause was a cookie whose name had changed.
My daughter Mia starts school on 7 September.
The import of wine needs a form from the customs office.
When the lamp blinks twice, the filter must be changed.
The new phone number of the doctor is on the fridge.
Der Betreiber der Seilbahn schließt im November.
Die Bestätigung kommt nach drei Tagen mit der Post.
Der Test des Rauchmelders ist jedes Jahr im März.
Die Stufen zum Keller sind im Winter glatt.
Meine Tochter Mia kommt am 7. September in die Schule.
Wer mehr als zehn Bücher leiht, zahlt zwei Euro.
Der Plan des Hauses liegt in der zweiten Schublade.
Vor jedem Umzug das Wasser abstellen.
Der Benutzername des Routers steht auf der Rückseite.
Le contrat se termine le 31 décembre.
Ma fille Mia entre à l'école le 7 septembre.
Le test de l'alarme a lieu chaque mars.
Le plan de la maison est dans le deuxième tiroir.
La confirmation arrive par la poste en trois jours.
Ne jamais envoyer de courrier sans me demander.
La tâche la plus longue est la peinture du plafond.
El contrato termina el 31 de diciembre.
Mi hija Mia empieza la escuela el 7 de septiembre.
La prueba de la alarma es cada marzo.
El plano de la casa está en el segundo cajón.
La confirmación llega por correo en tres días.
Antes de la mudanza se cierra el agua.
合同在12月31日到期。
我女儿九月七日开始上学。
烟雾报警器每年三月检查一次。
房子的图纸在第二个抽屉里。
医生的新电话号码贴在冰箱上。
未经我同意不要以我的名义发邮件。
计划去上海的火车是早上八点。
用户名写在路由器背面。
契約は12月31日に終わる。
여동생은 땅콩 알레르기가 있다.
"""
