"""Sentences labelled by hand: what a model may write about some lines, and what it must not.

Each source has faithful sentences, and changes of one of them that make it a hallucination: `number: old -> new`.
Labelled before the rules were run on them; the sources from `HELD_OUT` on were not looked at while they were tuned.
"""

import msgspec

HELD_OUT = 13
"""The number of the first source of the unseen half."""
_TEXT = """
= We decided to move the billing service to Postgres 16 on 12 March. | Ana will own the migration.
+ The billing service moves to Postgres 16 on 12 March.
+ Ana owns the migration.
+ Decided: billing goes to Postgres 16.
+ The team decided to move billing to Postgres 16, and Ana will own the migration.
- 1: 16 -> 15
- 1: 12 March -> 14 March
- 1: Postgres -> MySQL
- 2: Ana -> Ben
- 1: moves -> never moves
- 3: billing goes to Postgres 16 -> billing goes to Postgres 16 and the reports go to a data lake in Frankfurt
- 4: Ana -> Carla
- 1: on 12 March -> on 12 March at 22:00
= The nightly import took 40 minutes and used 512 MB of memory. | It failed twice with "connection reset by peer".
+ The nightly import took 40 minutes.
+ The import used 512 MB of memory.
+ It failed twice with "connection reset by peer".
+ The nightly import used 512 MB and took 40 minutes.
- 1: 40 -> 45
- 1: minutes -> hours
- 2: 512 MB -> 512 GB
- 2: 512 -> 1,024
- 3: connection reset by peer -> connection timed out
- 3: failed twice with -> failed in Redis with
- 4: took 40 minutes -> never took 40 minutes
- 1: nightly import -> nightly import of the warehouse by Airflow
= User: I prefer tabs over spaces in Go, and I never want force pushes to main.
+ The user prefers tabs over spaces in Go.
+ The user never wants force pushes to main.
+ In Go the user prefers tabs over spaces.
+ No force pushes to main.
- 1: Go -> Rust
- 2: never wants -> wants
- 2: main -> the release-2 branch
- 3: In Go -> In Python
- 4: No force -> Force
- 1: in Go -> in Go since 2019
- 1: The user -> Tobias
- 2: force pushes to main -> force pushes to main, which broke the build for customers
= Called Dr. Lindqvist about the lease. The rent rises by 3.5% from 2026-07-01. | Next call: Tuesday.
+ The rent rises by 3.5% from 2026-07-01.
+ Called Dr. Lindqvist about the lease.
+ From July 1 the rent rises by 3.5 percent.
+ The next call is on Tuesday.
- 1: 3.5% -> 5.3%
- 1: 2026-07-01 -> 2026-08-01
- 2: Lindqvist -> Lindholm
- 3: July 1 -> June 1
- 4: Tuesday -> Thursday
- 1: rises -> does not rise
- 2: lease -> lease of the Hamburg office
- 1: The rent -> The rent of $1,200
= The retry loop in fetch_feed.py slept 30 s between tries. | We changed BACKOFF_MAX to 8 and added jitter.
+ BACKOFF_MAX was changed to 8.
+ The retry loop in fetch_feed.py slept 30 s between tries.
+ We changed BACKOFF_MAX to 8 and added jitter.
+ Jitter was added to the retry loop.
- 1: 8 -> 80
- 1: BACKOFF_MAX -> BACKOFF_MIN
- 2: fetch_feed.py -> read_feed.py
- 2: 30 s -> 30 ms
- 3: and added jitter -> without jitter
- 2: 30 -> 300
- 4: the retry loop -> the retry loop of Kafka
- 3: BACKOFF_MAX to 8 -> BACKOFF_MAX to 8 after the customer in Lyon complained
= Wir haben beschlossen, die Rechnungen ab dem 3. April über Stripe zu schicken. | Lena kümmert sich um die Vorlage.
+ Die Rechnungen gehen ab dem 3. April über Stripe.
+ Lena kümmert sich um die Vorlage.
+ Beschlossen: Rechnungen ab dem 3. April über Stripe schicken.
+ Ab dem 3. April Rechnungen über Stripe.
- 1: 3. April -> 5. April
- 1: Stripe -> PayPal
- 2: Lena -> Jonas
- 2: Vorlage -> Buchhaltung
- 3: 3. April -> 3. Mai
- 4: Rechnungen -> keine Rechnungen
- 1: über Stripe -> über Stripe und Klarna
- 2: die Vorlage -> die Vorlage bis 2027
= 我们决定使用 Redis 7 做缓存，过期时间是 15 分钟。 | 王芳负责测试。
+ 决定使用 Redis 7 做缓存。
+ 过期时间是 15 分钟。
+ 王芳负责测试。
+ 缓存使用 Redis 7，过期时间 15 分钟。
- 1: Redis -> Memcached
- 1: 7 -> 6
- 2: 15 -> 50
- 3: 王芳 -> 李雷和韩梅
- 1: 决定使用 -> 决定不使用
- 4: 15 -> 30
- 3: 负责测试 -> 负责部署和客户培训
- 2: 过期时间是 -> 登录页面的超时设置为
= Marta's allergy: peanuts and sesame. | She flies to Lisbon on 18 May with TAP at 09:40.
+ Marta is allergic to peanuts and sesame.
+ Marta flies to Lisbon on 18 May.
+ She flies with TAP at 09:40.
+ Marta has an allergy to peanuts and sesame.
- 1: peanuts -> walnuts
- 2: Lisbon -> Porto
- 2: 18 May -> 28 May
- 3: TAP -> KLM
- 3: 09:40 -> 19:40
- 1: is -> is not
- 2: Marta -> Maria
- 4: sesame -> sesame and shellfish
= Lesson: running the migration without a lock corrupted two tables. | Always take advisory lock 4711 first.
+ Running the migration without a lock corrupted two tables.
+ Always take advisory lock 4711 first.
+ A migration without a lock corrupted two tables.
+ Take advisory lock 4711 before the migration.
- 1: two -> five
- 1: without -> with
- 2: 4711 -> 4712
- 2: advisory lock -> MySQL lock
- 3: tables -> tables and the backups in S3
- 2: Always -> Never
- 4: 4711 -> 7411
- 1: the migration -> the Oracle migration
= Budget for Q2 is 48,000 EUR; 12,000 EUR of it is for contractors. | Piotr signs off on anything above 2,000 EUR.
+ The budget for Q2 is 48,000 EUR.
+ 12,000 EUR is for contractors.
+ Piotr signs off on anything above 2,000 EUR.
+ Of the Q2 budget, 12,000 EUR is for contractors.
- 1: 48,000 -> 84,000
- 1: Q2 -> Q3
- 1: EUR -> USD
- 2: 12,000 -> 21,000
- 3: Piotr -> Pavel
- 3: 2,000 -> 20,000
- 4: contractors -> contractors in Poland
- 2: contractors -> laptops
= The API returns 429 after 100 requests per minute. | Use the header X-Client-Id; without it the limit is 10.
+ The API returns 429 after 100 requests per minute.
+ Without X-Client-Id the limit is 10.
+ Use the header X-Client-Id.
+ After 100 requests per minute the API returns 429.
- 1: 429 -> 503
- 1: 100 -> 1000
- 1: minute -> hour
- 2: X-Client-Id -> X-Api-Key
- 2: 10 -> 20
- 3: Use -> Never use
- 4: the API -> the API of GitHub
- 3: X-Client-Id -> X-Client-Name
= Yuki said "ship it on Friday or not at all". | The release is v2.4.1 and needs Node 22.
+ Yuki said "ship it on Friday or not at all".
+ The release is v2.4.1.
+ v2.4.1 needs Node 22.
+ Release v2.4.1 needs Node 22.
- 1: Friday -> Monday
- 1: not at all -> never again
- 2: v2.4.1 -> v2.4.2
- 3: 22 -> 20
- 1: Yuki -> Kenji
- 4: Node -> Deno
- 4: needs -> does not need
- 3: Node 22 -> Node 22 and Docker
= Moved the cron from Jenkins to GitHub Actions; runs at 02:30 UTC. | Secrets are in the vault under ci/deploy.
+ The cron moved from Jenkins to GitHub Actions.
+ It runs at 02:30 UTC.
+ Secrets are in the vault under ci/deploy.
+ The cron runs at 02:30 UTC.
- 1: Jenkins -> CircleCI
- 2: 02:30 -> 03:30
- 2: UTC -> CET
- 3: ci/deploy -> ci/release
- 1: GitHub Actions -> GitLab Actions
- 4: runs -> no longer runs
- 3: the vault -> the vault of HashiCorp
- 1: The cron -> The cron of the payroll system
= Sofia's birthday is 9 November; she wants a book by Ursula Le Guin. | Gift budget 35 euros.
+ Sofia's birthday is 9 November.
+ Sofia wants a book by Ursula Le Guin.
+ The gift budget is 35 euros.
+ She wants a book by Ursula Le Guin.
- 1: 9 -> 19
- 1: November -> December
- 2: Ursula Le Guin -> Margaret Atwood
- 3: 35 -> 53
- 3: euros -> dollars
- 1: Sofia's -> Sonia's
- 2: wants -> doesn't want
- 4: book -> signed first edition
= We rejected Kafka because the team is three people. | NATS stays; review again in six months.
+ Kafka was rejected because the team is three people.
+ NATS stays.
+ Review again in six months.
+ We rejected Kafka; NATS stays.
- 1: Kafka -> Pulsar
- 1: three -> four
- 2: NATS -> RabbitMQ
- 3: six -> nine
- 3: months -> weeks
- 1: was rejected -> was accepted
- 4: NATS stays -> NATS goes to AWS
- 2: NATS stays -> NATS does not stay
= The heat pump from Vaillant costs 14,900 euros installed. | Installation takes 4 days, starting 2026-05-11.
+ The heat pump from Vaillant costs 14,900 euros installed.
+ Installation takes 4 days.
+ Installation starts on 11 May.
+ The Vaillant heat pump costs 14,900 euros.
- 1: 14,900 -> 19,400
- 1: Vaillant -> Viessmann
- 2: 4 -> 14
- 2: days -> weeks
- 3: 11 May -> 12 May
- 4: Vaillant -> Bosch
- 4: costs -> does not cost
- 3: starts on 11 May -> starts on 11 May 2027
= Der Server steht in Nürnberg und hat 64 GB RAM. | Thomas sagt, das Backup läuft um 4 Uhr.
+ Der Server steht in Nürnberg.
+ Der Server hat 64 GB RAM.
+ Das Backup läuft um 4 Uhr.
+ Thomas sagt, das Backup läuft um 4 Uhr.
- 1: Nürnberg -> Falkenstein
- 2: 64 -> 128
- 2: GB -> TB
- 3: 4 -> 5
- 4: Thomas -> Andreas
- 1: steht -> steht nicht
- 3: Das Backup -> Das Backup der Datenbank nach Helsinki
- 4: läuft -> läuft nicht
= Function parse_date in utils/time.py mishandles leap years. | Fixed in commit 9f3c2ab by Omar.
+ parse_date in utils/time.py mishandles leap years.
+ Fixed in commit 9f3c2ab by Omar.
+ Omar fixed it in commit 9f3c2ab.
+ Function parse_date mishandles leap years.
- 1: parse_date -> parse_time
- 1: utils/time.py -> utils/date.py
- 2: 9f3c2ab -> 9f3c2ac
- 2: Omar -> Karim
- 3: Omar -> Nadia
- 4: leap years -> time zones
- 1: mishandles -> never mishandles
- 3: commit 9f3c2ab -> commit 9f3c2ab and released 3.2
= The dog's vet is Dr. Okafor in Leeds, phone 0113 496 0182. | Next vaccination on 2 October.
+ The dog's vet is Dr. Okafor in Leeds.
+ The next vaccination is on 2 October.
+ The vet's phone is 0113 496 0182.
+ Next vaccination: 2 October.
- 1: Okafor -> Adeyemi
- 1: Leeds -> York
- 2: 2 October -> 12 October
- 3: 0182 -> 0128
- 4: 2 October -> 2 November
- 1: The dog's -> The rabbit's
- 2: is on -> is not on
- 1: in Leeds -> in Leeds near the station
= Latency p95 fell from 820 ms to 310 ms after we cached the token. | Cache TTL 300 seconds.
+ Latency p95 fell from 820 ms to 310 ms.
+ We cached the token.
+ The cache TTL is 300 seconds.
+ After the token was cached, p95 latency fell to 310 ms.
- 1: 820 -> 620
- 1: p95 -> p99
- 3: 300 -> 30
- 3: seconds -> minutes
- 4: 310 ms -> 310 s
- 2: cached -> never cached
- 1: fell -> fell in Singapore
- 4: the token -> the token in Redis
= 会议改到 5月20日，地点在上海。 | 预算是 8000 元，李强批准。
+ 会议改到 5月20日。
+ 地点在上海。
+ 预算是 8000 元。
+ 李强批准，预算 8000 元。
- 1: 5月20日 -> 5月21日
- 2: 上海 -> 北京
- 3: 8000 -> 9000
- 4: 李强 -> 张伟
- 1: 5月20日 -> 6月20日
- 3: 预算是 -> 预算不是
- 4: 批准 -> 没有批准
- 2: 地点在上海 -> 地点在广州酒店
= Newsletter goes out via Mailgun; open rate was 41% in January. | Hannah drops the second column.
+ The newsletter goes out via Mailgun.
+ The open rate was 41% in January.
+ Hannah drops the second column.
+ In January the open rate was 41%.
- 1: Mailgun -> SendGrid
- 2: 41% -> 14%
- 2: January -> February
- 3: Hannah -> Hanna
- 3: second -> third
- 1: goes out -> no longer goes out
- 4: the open rate -> the click rate
- 1: The newsletter -> The newsletter for 9,000 readers
= We agreed on trunk-based development; branches live at most 2 days. | Exception: the iOS app.
+ Agreed on trunk-based development.
+ Branches live at most 2 days.
+ The iOS app is an exception.
+ We agreed that branches live at most 2 days.
- 1: trunk-based -> git-flow-based
- 2: 2 -> 5
- 2: days -> weeks
- 3: iOS -> Android
- 4: agreed -> never agreed
- 3: an exception -> an exception until 2027
- 1: development -> development in Berlin
- 2: Branches -> Pull requests and tags
= Insurance policy HX-20931 with Allianz ends 31.12.2026. | Premium 612 euros a year.
+ Insurance policy HX-20931 with Allianz ends 31.12.2026.
+ The premium is 612 euros a year.
+ The policy HX-20931 ends on 2026-12-31.
+ Premium: 612 euros a year.
- 1: HX-20931 -> HX-20913
- 1: Allianz -> Generali
- 1: 31.12.2026 -> 30.11.2026
- 2: 612 -> 621
- 2: year -> month
- 3: 2026-12-31 -> 2027-12-31
- 4: euros -> dollars
- 3: ends -> does not end
= Noor wrote the parser in Zig to learn it; it is 3 times slower than the C one. | Keep C for production.
+ Noor wrote the parser in Zig.
+ The Zig parser is 3 times slower than the C one.
+ Keep C for production.
+ Noor wrote the parser in Zig to learn it.
- 1: Noor -> Amir
- 1: Zig -> Nim
- 2: 3 -> 30
- 2: slower -> faster
- 3: production -> production at Siemens
- 3: Keep C -> Do not keep C
- 4: the parser -> the compiler
- 1: in Zig -> in Zig in 2024
"""


class GroundingCase(msgspec.Struct, frozen=True):
    """A sentence, the lines it names, and whether they hold it."""

    source: int
    lines: tuple[str, ...]
    sentence: str
    held: bool


def grounding_cases() -> list[GroundingCase]:
    """All labelled sentences."""
    found: list[GroundingCase] = []
    for number, block in enumerate(_TEXT.strip().removeprefix("= ").split("\n= ")):
        head, *rows = block.split("\n")
        lines = tuple(part.strip() for part in head.split("|"))
        faithful = [row[2:] for row in rows if row.startswith("+ ")]
        found += [GroundingCase(number, lines, text, True) for text in faithful]
        for row in (row[2:] for row in rows if row.startswith("- ")):
            which, _, change = row.partition(": ")
            old, new = change.split(" -> ")
            text = faithful[int(which) - 1]
            assert old in text, row
            found.append(GroundingCase(number, lines, text.replace(old, new), False))
    return found
