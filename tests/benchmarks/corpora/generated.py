"""Writes an engineering log of any size: systems of a shop, with measures, decisions, lessons and open ends."""

import random
from collections.abc import Iterator
from datetime import date, timedelta

AREAS = [
    "billing",
    "auth",
    "search",
    "importer",
    "scheduler",
    "mailer",
    "cache",
    "gateway",
    "exporter",
    "dashboard",
    "deploy",
    "metrics",
    "backup",
    "webhook",
    "parser",
]
LIBRARIES = [
    "Postgres",
    "Redis",
    "Kafka",
    "SQLite",
    "S3",
    "RabbitMQ",
    "pytest",
    "Terraform",
    "Envoy",
    "OpenSearch",
    "Parquet",
    "gRPC",
]
THINGS = [
    "invoices",
    "tokens",
    "sessions",
    "retries",
    "attachments",
    "quotas",
    "migrations",
    "feature flags",
    "rate limits",
    "audit rows",
    "dead letters",
]
CONDITIONS = [
    "two workers start at once",
    "the clock jumps back",
    "a tenant has no plan",
    "the disk is full",
    "a token expires mid-run",
]
DONE = (
    "Switched the {area} to {library} after {n} failures in the nightly run",
    "Found that the {area} loses {things} when {condition}",
    "Measured the {area}: p95 is {n} ms with {m} workers",
    "Added an index on {things} for the {area}, queries fell from {n} ms to {m} ms",
    "The {area} deploy of {m}.{n}.0 went out without alerts",
    "Rolled the {area} back to {m}.{n} because of {things}",
)
RARE = (
    "Decision: keep {library} for the {area} until the {things} are migrated",
    "Decision: cap {things} of the {area} at {n} per tenant",
    "Lesson: the {area} breaks whenever {things} are cached and {condition}",
    "TODO: ask the vendor about {things} of the {area}",
)
RARELY = 0.25
"""Share of the lines that are decisions, lessons and open ends."""


def engineering_log(days: int, topics: int, lines: int, first: date = date(2025, 9, 1)) -> dict[date, str]:
    """The logs of the working days among so many, each of so many topics with so many lines."""
    chance = random.Random(3)
    dates = (first + timedelta(days=number) for number in range(days))
    return {day: _log(chance, day, topics, lines) for day in dates if day.weekday() < 5}


def _log(chance: random.Random, day: date, topics: int, lines: int) -> str:
    parts = ("\n".join(_section(chance, area, lines)) for area in chance.sample(AREAS, topics))
    return f"# {day}\n\n" + "\n\n".join(parts) + "\n"


def _section(chance: random.Random, area: str, lines: int) -> Iterator[str]:
    yield f"## {area} [project]"
    for _ in range(lines):
        yield "- " + chance.choice(RARE if chance.random() < RARELY else DONE).format(
            area=area,
            library=chance.choice(LIBRARIES),
            things=chance.choice(THINGS),
            condition=chance.choice(CONDITIONS),
            n=chance.randrange(20, 999),
            m=chance.randrange(2, 19),
        )
