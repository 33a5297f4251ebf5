"""Definitions of full-text indexes, in all the ways that people write them."""

import sqlite3

import pytest

from datasette_rag.retrieval.ddl import parse_full_text_index


@pytest.mark.parametrize(
    "arguments, content",
    [
        # Case F3-05: each is a normal external-content table, Datasette finds one of them.
        ("t, content=notes", "notes"),
        ("t, content='notes'", "notes"),
        ('t, content="notes"', "notes"),
        ("t, content=[notes]", "notes"),
        ("t, CONTENT = notes", "notes"),
        ("t, content=`notes`", "notes"),
        ("t, content='it''s'", "it's"),
        ('t, content="a ""b"" c"', 'a "b" c'),
        ("t, content=''", ""),
        ('t, content=""', ""),
        ("t, content=", ""),
        ("t", None),
    ],
)
def test_content(arguments, content):
    index = parse_full_text_index("n_fts", f"create virtual table n_fts using fts5({arguments})")
    assert index.content == content
    assert index.columns == ("t",)


@pytest.mark.parametrize(
    "sql, module, columns, tokenize",
    [
        (
            "CREATE VIRTUAL TABLE [docs_fts] USING FTS5 (\n    [title], [body],\n"
            "    tokenize='porter',\n    content=[docs]\n)",
            "fts5",
            ("title", "body"),
            "porter",
        ),
        (
            'create virtual table "a using fts5(b)" using fts4("x, y", content="c", '
            'tokenize=unicode61 "remove_diacritics=0")',
            "fts4",
            ("x, y",),
            'unicode61 "remove_diacritics=0"',
        ),
        (
            "create virtual table f using fts5(a UNINDEXED, b, prefix='2 3', "
            'tokenize = "porter unicode61 remove_diacritics 2")',
            "fts5",
            ("a", "b"),
            "porter unicode61 remove_diacritics 2",
        ),
        ("create virtual table f using fts3(a, tokenize porter)", "fts3", ("a",), "porter"),
        ("create virtual table f /* why ( not */ using fts5(a) -- end", "fts5", ("a",), ""),
        ("create virtual table main.f using fts5(a, b);", "fts5", ("a", "b"), ""),
    ],
)
def test_columns_and_tokenizer(sql, module, columns, tokenize):
    index = parse_full_text_index("f", sql)
    assert (index.module, index.columns, index.tokenize) == (module, columns, tokenize)


def test_unindexed_and_rowid():
    index = parse_full_text_index(
        "f", 'create virtual table f using fts5(a, "b c" unindexed, content=t, content_rowid=id)'
    )
    assert index.unindexed == {"b c"}
    assert index.content_rowid == "id"
    assert parse_full_text_index(
        "f", "create virtual table f using fts4(a, b, notindexed=b)"
    ).unindexed == {"b"}


@pytest.mark.parametrize(
    "sql", ["create virtual table r using rtree(id, a, b)", "create table t(using_fts5 text)", ""]
)
def test_other_tables_are_none(sql):
    assert parse_full_text_index("r", sql) is None


@pytest.mark.parametrize("name", ["plain", "two words", 'Mia\'s "order" list [2]', "a--b", "a/*b"])
@pytest.mark.parametrize("columns", [["a"], ["body text", "select", "50%"], ["x, y", "(", "a=b"]])
def test_reads_what_sqlite_keeps(name, columns):
    """The text in sqlite_master is ours to read, whatever the names: SQLite is the judge."""

    def quoted(identifier):
        return '"' + identifier.replace('"', '""') + '"'

    conn = sqlite3.connect(":memory:")
    conn.execute(
        f"create virtual table {quoted(name)} using fts5({', '.join(map(quoted, columns))})"
    )
    (sql,) = conn.execute("select sql from sqlite_master where name = ?", [name]).fetchone()
    index = parse_full_text_index(name, sql)
    assert list(index.columns) == [
        row[1] for row in conn.execute(f"pragma table_info({quoted(name)})")
    ]
    assert index.content is None
