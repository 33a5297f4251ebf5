"""Small real databases and the requests to them, for the tests that need a whole site."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from datasette.app import Datasette

import datasette_rag
from datasette_rag.events import Done, Failed

ON_1_0 = hasattr(Datasette, "allowed")


def make_database(path, *statements, rows=()):
    """A database file made by these statements; each of them a script of SQL."""
    with closing(sqlite3.connect(path)) as conn:
        for statement in statements:
            conn.executescript(statement)
        for sql, values in rows:
            conn.executemany(sql, values)
        conn.commit()
    return path


def fts_table(name, *texts, tokenize="porter"):
    """The SQL of a table with a title, a body and a filled FTS5 index."""
    values = ", ".join(
        f"({number}, '{name} {number}', '{text}')" for number, text in enumerate(texts, 1)
    )
    return f"""
        create table {name} (id integer primary key, title text, body text);
        insert into {name} values {values};
        create virtual table {name}_fts using fts5(title, body, tokenize='{tokenize}', content="{name}");
        insert into {name}_fts ({name}_fts) values ('rebuild');
    """


async def make_datasette(files=(), tree=None, settings=None, **arguments):
    """A started Datasette with this configuration tree, given where its line expects it.

    `settings` are Datasette's own, as `--setting` gives them.
    """
    key = "config" if ON_1_0 else "metadata"
    datasette = Datasette(
        [str(path) for path in files], **{key: tree or {}}, settings=settings or {}, **arguments
    )
    await datasette.invoke_startup()
    return datasette


def cookies(datasette, actor):
    """The cookie that signs a request of `datasette.client` in as this actor."""
    return {} if actor is None else {"ds_actor": datasette.sign({"a": actor}, "actor")}


async def get(datasette, path, actor=None, **arguments):
    """GET as this actor."""
    return await datasette.client.get(path, cookies=cookies(datasette, actor), **arguments)


async def last_event(datasette, question, **arguments):
    """The event that ends a question: Done or Failed."""
    event = None
    async for event in datasette_rag.ask(datasette, question, **arguments):
        pass
    assert isinstance(event, (Done, Failed))
    return event


async def reply_of(datasette, question, **arguments):
    """The reply to a question that can be searched."""
    event = await last_event(datasette, question, **arguments)
    assert isinstance(event, Done), event
    return event.reply
