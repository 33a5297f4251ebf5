"""The tables and views of the log, as migrations: a log of an older version grows into this one.

Read by Datasette's own pages, so names and columns are written for the people who read them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from ..sql import writing
from . import eval_schema

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations

QUESTIONS = "rag_questions"
SOURCES = "rag_question_sources"
FEEDBACK = "rag_feedback"
TABLES = (QUESTIONS, SOURCES, FEEDBACK, *eval_schema.TABLES)

# Outcomes after which the asker went away without what they asked for. What failed for a
# technical reason is not among them: it says nothing of what the site lacks.
UNANSWERED = ("unknown", "nothing_found", "nothing_searchable", "refused")

_UNANSWERED_SQL = f"({', '.join(repr(outcome) for outcome in UNANSWERED)})"
_TABLES_SQL = f"""
create table {QUESTIONS} (
  id text primary key,
  asked text not null,
  question text not null,
  topic text not null,
  keywords text not null,
  keywords_from text not null,
  match text not null,
  tables text not null,
  outcome text,
  answer text not null,
  answerer text,
  stop_reason text,
  error_kind text,
  error text,
  checks text not null,
  checks_failed integer not null,
  keyword_model text,
  answer_model text,
  input_tokens integer not null,
  output_tokens integer not null,
  cost_usd real not null,
  keywords_ms real,
  search_ms real,
  answer_ms real,
  total_ms real,
  actor_id text
);
create index idx_{QUESTIONS}_asked on {QUESTIONS} (asked);
create index idx_{QUESTIONS}_topic on {QUESTIONS} (topic, outcome, asked);
create table {SOURCES} (
  question_id text not null references {QUESTIONS} (id),
  number integer not null,
  database text not null,
  "table" text not null,
  pks text not null,
  title text not null,
  heading text not null,
  date text,
  passage_hash text not null,
  cited integer not null,
  quotes text not null,
  primary key (question_id, number)
);
create table {FEEDBACK} (
  id integer primary key,
  question_id text not null references {QUESTIONS} (id),
  given text not null,
  rating text not null,
  reason text,
  note text,
  actor_id text
);
create index idx_{FEEDBACK}_question_id on {FEEDBACK} (question_id);
"""

VIEWS = {
    # A topic that has been answered since is no longer open. The index on topic, outcome and
    # time finds that out in one step, however often the same is asked.
    "rag_unanswered": f"""
select topic, count(*) as times, max(asked) as last_asked, question as last_question,
  outcome as last_outcome, id as last_id
from {QUESTIONS} as q
where outcome in {_UNANSWERED_SQL} and not exists (
  select 1 from {QUESTIONS} as later
  where later.topic = q.topic and later.asked > q.asked and later.outcome = 'answered'
)
group by topic
order by times desc, last_asked desc
""",
    "rag_unanswered_keywords": f"""
select word.value as keyword, count(distinct q.id) as times, max(q.asked) as last_asked,
  q.question as last_question
from {QUESTIONS} as q, json_each(q.topic) as word
where q.outcome in {_UNANSWERED_SQL}
group by word.value
order by times desc, last_asked desc
""",
    "rag_failed_checks": f"""
select id, asked, question, answer, checks_failed, checks, answerer, answer_model
from {QUESTIONS}
where checks_failed > 0
order by asked desc
""",
    "rag_cost_per_day": f"""
select substr(asked, 1, 10) as day, answerer, answer_model, keyword_model,
  count(*) as questions, sum(input_tokens) as input_tokens,
  sum(output_tokens) as output_tokens, sum(cost_usd) as cost_usd
from {QUESTIONS}
group by day, answerer, answer_model, keyword_model
order by day desc
""",
    "rag_sources_cited": f"""
select s.database, s."table", s.pks, max(s.title) as title, sum(s.cited) as times_cited,
  count(*) as times_given, max(q.asked) as last_given
from {SOURCES} as s join {QUESTIONS} as q on q.id = s.question_id
group by s.database, s."table", s.pks
having sum(s.cited) > 0
order by times_cited desc, times_given desc
""",
    "rag_sources_never_cited": f"""
select s.database, s."table", s.pks, max(s.title) as title, count(*) as times_given,
  max(q.asked) as last_given
from {SOURCES} as s join {QUESTIONS} as q on q.id = s.question_id
where q.answerer is not null
group by s.database, s."table", s.pks
having sum(s.cited) = 0
order by times_given desc
""",
    **eval_schema.VIEWS,
}


def bring_up_to_date(conn: sqlite3.Connection) -> None:
    """Make the log's tables and views, or add what an older version of them lacks.

    Rows stay as they are. `conn` must not be in a transaction. Raises sqlite3.Error.
    """
    from sqlite_utils import Database

    db = Database(conn, execute_plugins=False)
    migrations = _migrations()
    if not migrations.pending(db):
        return
    # Where it is not to be had (in memory, say) the log does without.
    with suppress(sqlite3.OperationalError):
        db.enable_wal()
    # Several servers may share one log, and start at the same time.
    with writing(conn):
        migrations.apply(db)


def is_current(conn: sqlite3.Connection) -> bool:
    """Whether the log has all tables and views of this version."""
    from sqlite_utils import Database

    return not _migrations().pending(Database(conn, execute_plugins=False))


def holds_a_log(conn: sqlite3.Connection) -> bool:
    """Whether there is a log in the database, be there other tables as well."""
    found = conn.execute(
        "select 1 from sqlite_master where type = 'table' and name = ?", [QUESTIONS]
    )
    return found.fetchone() is not None


def strangers(conn: sqlite3.Connection) -> list[str]:
    """The tables and views in the database that are not the log's, sorted."""
    ours = {*TABLES, *VIEWS}
    names = conn.execute("select name from sqlite_master where type in ('table', 'view')")
    return sorted(
        name
        for (name,) in names
        if name not in ours and not name.startswith(("sqlite_", "_sqlite_"))
    )


def _migrations() -> Migrations:
    from sqlite_utils import Migrations

    log = Migrations("datasette_rag_log")

    @log()
    def m001_tables(db: Database) -> None:
        _execute(db, _TABLES_SQL)

    @log()
    def m002_views(db: Database) -> None:
        create_views(db, VIEWS)

    @log()
    def m003_evals(db: Database) -> None:
        _execute(db, eval_schema.TABLES_SQL)
        create_views(db, eval_schema.VIEWS)

    return log


def _execute(db: Database, statements: str) -> None:
    # Not as a script: that would end the transaction.
    for statement in statements.split(";"):
        if statement.strip():
            db.execute(statement)


def create_views(db: Database, names: Iterable[str]) -> None:
    """Make these views anew."""
    for name in names:
        db.create_view(name, VIEWS[name], replace=True)
