"""The index: what stands in it, how it keeps in step, and what it leaves alone."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from datasette_rag.documents import connection, store, tables
from datasette_rag.documents.errors import DocumentsError
from datasette_rag.documents.store import index_folder


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    write(folder, "guide.md", "# Guide\n\nWelcome.\n\n## Installing\n\nRun the installer.\n")
    write(folder, "notes/returns.txt", "You may return parcels within 30 days.")
    return folder


@pytest.fixture
def database(tmp_path):
    return tmp_path / "index.db"


def write(folder, path, text, modified=1_700_000_000):
    file = folder / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    os.utime(file, (modified, modified))


def rows(database, sql, *parameters):
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql, parameters).fetchall()


def run(database, sql):
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(sql)


def search(database, words, table="passages"):
    return rows(
        database,
        f'select p.text from "{table}" p join "{table}_fts" fts on p.id = fts.rowid '
        f'where "{table}_fts" match ? order by fts.rank',
        words,
    )


def counts(report):
    return (report.added, report.updated, report.removed, report.unchanged)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def integrity(database, table="passages"):
    """Raises an error if the index and the table differ."""
    run(
        database,
        f"""insert into "{table}_fts"("{table}_fts", rank) values ('integrity-check', 1)""",
    )
    return rows(database, "pragma integrity_check") == [("ok",)]


def test_what_stands_in_the_tables(docs, database):
    report = index_folder(database, docs)
    assert counts(report) == (2, 0, 0, 0)
    assert (report.passages, report.skipped) == (3, [])
    day, moment = "2023-11-14", "2023-11-14T22:13:20+00:00"
    settings = '{"words": 150, "url": ""}'
    columns = "id, path, title, url, date, modified, language, length(hash), settings"
    assert rows(database, f"select {columns} from documents") == [
        (1, "guide.md", "Guide", None, day, moment, None, 64, settings),
        (2, "notes/returns.txt", "Returns", None, day, moment, None, 64, settings),
    ]
    assert rows(database, "select * from passages") == [
        (1, 1, "Guide", "Guide", "# Guide\n\nWelcome.", None, day, "guide.md", 1, 0, 17),
        (2, 1, "Guide", "Guide > Installing", "## Installing\n\nRun the installer.")
        + (None, day, "guide.md", 2, 19, 52),
        (3, 2, "Returns", "", "You may return parcels within 30 days.")
        + (None, day, "notes/returns.txt", 1, 0, 38),
    ]
    assert rows(database, "pragma journal_mode") == [("wal",)]


def test_search_stems_and_covers_title_and_heading(docs, database):
    index_folder(database, docs)
    assert search(database, "returning parcel") == [("You may return parcels within 30 days.",)]
    assert len(search(database, "heading:install")) == 1
    assert len(search(database, "title:guides")) == 2


def test_a_second_run_writes_nothing(docs, database):
    index_folder(database, docs)
    before = digest(database), os.stat(database).st_mtime_ns
    os.utime(docs / "guide.md", (1_800_000_000, 1_800_000_000))
    with closing(sqlite3.connect(database)) as other:
        version = other.execute("pragma data_version").fetchone()
        report = index_folder(database, docs)
        assert other.execute("pragma data_version").fetchone() == version
    assert counts(report) == (0, 0, 0, 2)
    assert report.passages == 3
    assert (digest(database), os.stat(database).st_mtime_ns) == before


def test_a_run_updates_what_changed_and_nothing_else(docs, database):
    index_folder(database, docs)
    write(docs, "guide.md", "# Manual\n\nHello.", modified=1_800_000_000)
    write(docs, "new.md", "Something new.")
    (docs / "notes" / "returns.txt").unlink()
    report = index_folder(database, docs)
    assert counts(report) == (1, 1, 1, 0)
    assert rows(database, "select document_id, title, text, date, path from passages") == [
        (1, "Manual", "# Manual\n\nHello.", "2027-01-15", "guide.md"),
        (3, "New", "Something new.", "2023-11-14", "new.md"),
    ]
    assert rows(database, "select id, path from documents") == [(1, "guide.md"), (3, "new.md")]
    assert search(database, "installer") == search(database, "parcels") == []
    assert search(database, "something") == [("Something new.",)]
    assert integrity(database)


def test_one_file_is_updated_and_nothing_is_removed(docs, database):
    index_folder(database, docs)
    write(docs, "guide.md", "# Changed")
    assert counts(index_folder(database, docs / "guide.md")) == (0, 1, 0, 0)
    assert rows(database, "select title from documents") == [("Changed",), ("Returns",)]


def test_an_interrupted_run_is_completed_by_the_next(docs, database, monkeypatch):
    original = store.replace

    def interrupted(conn, names, document, settings):
        if document.path.startswith("notes"):
            raise KeyboardInterrupt
        original(conn, names, document, settings)

    monkeypatch.setattr(store, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        index_folder(database, docs)
    monkeypatch.undo()
    assert counts(index_folder(database, docs)) == (1, 0, 0, 1)
    assert len(rows(database, "select * from passages")) == 3
    assert integrity(database)


def test_a_document_is_replaced_as_a_whole_or_not_at_all(docs, database, monkeypatch):
    index_folder(database, docs)
    before = rows(database, "select * from passages")
    write(docs, "guide.md", "# New\n\ntext\n\n## More\n\ntext")
    run(
        database,
        "create trigger fail before insert on passages when new.heading = 'New > More' "
        "begin select raise(abort, 'stop'); end",
    )
    with pytest.raises(DocumentsError, match="stop"):
        index_folder(database, docs)
    assert rows(database, "select * from passages") == before
    run(database, "drop trigger fail")
    assert counts(index_folder(database, docs)) == (0, 1, 0, 1)


def test_another_version_of_the_schema_is_indexed_anew(docs, database, monkeypatch):
    index_folder(database, docs)
    monkeypatch.setattr(tables, "SCHEMA_VERSION", tables.SCHEMA_VERSION + 1)
    report = index_folder(database, docs)
    assert (counts(report), report.made_anew) == ((2, 0, 0, 0), True)
    assert counts(index_folder(database, docs)) == (0, 0, 0, 2)
    assert integrity(database)


@pytest.mark.parametrize(
    "damage", ["drop table documents; drop table passages_fts", "drop trigger passages_ad"]
)
def test_an_index_that_was_damaged_is_made_anew(docs, database, damage):
    index_folder(database, docs)
    run(database, damage)
    assert counts(index_folder(database, docs)) == (2, 0, 0, 0)
    assert search(database, "parcels") == [("You may return parcels within 30 days.",)]


@pytest.mark.parametrize("kind", ["table passages (a)", "view Documents as select 1", None])
def test_tables_of_others_are_left_alone(docs, database, kind):
    sql = f"create {kind}" if kind else "create virtual table passages_fts using fts5(a)"
    run(database, sql)
    before = digest(database)
    with pytest.raises(DocumentsError, match="not made by this command.*--table NAME"):
        index_folder(database, docs)
    assert digest(database) == before
    index_folder(database, docs, table="notes")
    assert len(rows(database, "select * from notes")) == 3
    assert len(rows(database, "select * from notes_documents")) == 2


@pytest.mark.parametrize("table", ["notes", 'Mia\'s "order" list [2]', "documents", "select"])
def test_other_names(docs, database, table):
    index_folder(database, docs)
    if table == "documents":
        with pytest.raises(DocumentsError, match="not made by this command"):
            index_folder(database, docs, table=table)
        return
    report = index_folder(database, docs, table=table)
    assert counts(report) == (2, 0, 0, 0)
    assert counts(index_folder(database, docs, table=table)) == (0, 0, 0, 2)
    quoted = table.replace('"', '""')
    assert len(search(database, "parcels", quoted)) == 1
    assert integrity(database, quoted)
    assert counts(index_folder(database, docs)) == (0, 0, 0, 2)


@pytest.mark.parametrize("table", ["", " ", "sqlite_x", "a\0b"])
def test_names_that_no_table_can_have(docs, database, table):
    with pytest.raises(DocumentsError, match="No table can be named"):
        index_folder(database, docs, table=table)
    assert not database.exists()


def test_a_file_that_cannot_be_read_does_not_stop_the_others(docs, database):
    (docs / "a.md").write_bytes(b"\x89PNG\0\0")
    report = index_folder(database, docs)
    assert report.added == 2
    assert report.skipped == [("a.md", "not a text in a known encoding")]


def test_a_document_that_became_unreadable_stays_as_it_was(docs, database):
    index_folder(database, docs)
    (docs / "guide.md").write_bytes(b"\0\0")
    report = index_folder(database, docs)
    assert counts(report) == (0, 0, 0, 1)
    assert [path for path, _ in report.skipped] == ["guide.md"]
    assert len(rows(database, "select * from passages")) == 3


def test_documents_out_of_sight_are_not_taken_for_gone(docs, database, monkeypatch):
    index_folder(database, docs)
    found = store.find_documents(docs)
    hidden = type(found)(found.root, ("guide.md",), (("notes", "permission denied"),), ("notes",))
    monkeypatch.setattr(store, "find_documents", lambda source, **_: hidden)
    report = index_folder(database, docs)
    assert counts(report) == (0, 0, 0, 1)
    assert report.skipped == [("notes", "permission denied")]


def test_an_empty_document_has_no_passages(docs, database):
    write(docs, "empty.md", " \n")
    report = index_folder(database, docs)
    assert (report.added, report.passages) == (3, 3)
    assert counts(index_folder(database, docs)) == (0, 0, 0, 3)


def test_no_database_without_documents(tmp_path, database):
    with pytest.raises(DocumentsError, match="does not exist"):
        index_folder(database, tmp_path / "nowhere")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DocumentsError, match="No documents in"):
        index_folder(database, empty)
    (empty / "a.md").write_bytes(b"\0\0")
    with pytest.raises(DocumentsError, match=r"None of the documents could be read\. a\.md: not"):
        index_folder(database, empty)
    assert not database.exists()


def test_a_folder_that_became_empty_does_not_empty_the_index(docs, tmp_path, database):
    index_folder(database, docs)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DocumentsError, match="No documents in"):
        index_folder(database, empty)
    assert len(rows(database, "select * from passages")) == 3


def test_databases_that_cannot_be_used(docs, tmp_path, database, monkeypatch):
    text = tmp_path / "text.db"
    text.write_text("this is no database at all, just some text that is long enough" * 20)
    with pytest.raises(DocumentsError, match="is not a SQLite database"):
        index_folder(text, docs)
    with pytest.raises(DocumentsError, match="There is no folder"):
        index_folder(tmp_path / "no" / "such.db", docs)
    with pytest.raises(DocumentsError, match="cannot be opened"):
        index_folder(tmp_path, docs)
    index_folder(database, docs)
    write(docs, "guide.md", "changed")
    monkeypatch.setattr(connection, "_WAIT_FOR_LOCK", 0.05)
    with closing(sqlite3.connect(database)) as other:
        other.execute("begin immediate")
        with pytest.raises(DocumentsError, match="written to by another program"):
            index_folder(database, docs)


def test_a_read_only_database(docs, database, monkeypatch):
    index_folder(database, docs)
    run(database, "pragma journal_mode = delete")
    write(docs, "guide.md", "changed")
    connect = sqlite3.connect
    # As root, for whom no file is read-only, too.
    monkeypatch.setattr(
        connection.sqlite3,
        "connect",
        lambda address, **options: connect(address.replace("=rwc", "=ro"), **options),
    )
    with pytest.raises(DocumentsError, match="cannot be written to"):
        index_folder(database, docs)


def test_other_tables_of_the_database_stay(docs, database):
    run(database, "create table mine (a); insert into mine values (1)")
    index_folder(database, docs)
    assert rows(database, "select a from mine") == [(1,)]


def test_progress_sees_every_document(docs, database):
    seen = []

    def progress(paths, count):
        for path in paths:
            seen.append((path, count))
            yield path

    index_folder(database, docs, progress=progress)
    assert seen == [("guide.md", 2), ("notes/returns.txt", 2)]


def test_notes_of_the_shared_folder(shared, database):
    report = index_folder(database, shared / "data" / "til")
    assert (report.added, report.skipped) == (577, [])
    assert rows(database, "select count(*) from passages") == [(report.passages,)]
    assert search(database, '"shot-scraper"')
    assert counts(index_folder(database, shared / "data" / "til")) == (0, 0, 0, 577)


def test_the_lock_of_another_program_is_waited_for(docs, database):
    index_folder(database, docs)
    write(docs, "guide.md", "# New")
    other = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    release = threading.Timer(0.5, other.rollback)
    release.start()
    try:
        assert counts(index_folder(database, docs)) == (0, 1, 0, 1)
    finally:
        release.join()
        other.close()


def test_another_run_may_be_faster(docs, database, monkeypatch):
    """Two runs begin with an empty index; what the first has put there the second replaces."""
    original = store.replace

    def overtaken(conn, names, document, settings):
        if document.path == "guide.md" and not overtaking:
            overtaking.append(True)
            with connection.opened(database) as other:
                original(other, names, document, settings)
        original(conn, names, document, settings)

    overtaking = []
    monkeypatch.setattr(store, "replace", overtaken)
    index_folder(database, docs)
    assert overtaking
    assert len(rows(database, "select * from documents")) == 2
    assert len(rows(database, "select * from passages")) == 3
    assert integrity(database)


def test_names_that_differ_only_in_case_are_the_same_table(docs, database):
    index_folder(database, docs)
    before = digest(database)
    with pytest.raises(DocumentsError, match="same table to SQLite as Passages"):
        index_folder(database, docs, table="Passages")
    assert digest(database) == before


def test_addresses_lead_to_the_sections(docs, database, monkeypatch):
    from datasette_rag.text import passages

    cut = passages.cut
    monkeypatch.setattr(
        passages,
        "cut",
        lambda *given, **options: [
            replace(one, anchor=one.heading.rpartition(" > ")[2].lower())
            for one in cut(*given, **options)
        ],
    )
    index_folder(database, docs, url="https://x.example/{page}/")
    assert rows(database, "select url from documents") == [
        ("https://x.example/guide/",),
        ("https://x.example/notes/returns/",),
    ]
    assert rows(database, "select url from passages") == [
        ("https://x.example/guide/#guide",),
        ("https://x.example/guide/#installing",),
        ("https://x.example/notes/returns/",),
    ]


def test_what_a_document_says_of_itself(docs, database, monkeypatch):
    from datasette_rag.documents import read

    made = read.to_document
    said = {"date": "2020-02-20T10:00:00", "url": "/start", "language": "de"}
    monkeypatch.setattr(read, "to_document", lambda *given: replace(made(*given), **said))
    index_folder(database, docs, url="https://x.example/docs/")
    expected = ("2020-02-20", "https://x.example/docs/start", "de", "2023-11-14T22:13:20+00:00")
    columns = "date, url, language, modified"
    assert set(rows(database, f"select {columns} from documents")) == {expected}
    assert {
        (date, url.partition("#")[0])
        for date, url in rows(database, "select date, url from passages")
    } == {expected[:2]}


@pytest.mark.parametrize(
    "other",
    [{"words": 40}, {"url": "https://x.example"}, {"words": 40, "url": "https://y.example"}],
)
def test_other_settings_index_everything_again(docs, database, other):
    write(docs, "long.md", "One sentence of six words here. " * 60)
    index_folder(database, docs)
    before = rows(database, "select * from passages")
    assert counts(index_folder(database, docs, **other)) == (0, 3, 0, 0)
    after = rows(database, "select * from passages")
    assert after != before and (len(after) > len(before)) == ("words" in other)
    assert counts(index_folder(database, docs, **other)) == (0, 0, 0, 3)
    assert integrity(database)


def test_missing_documents_can_be_kept(docs, database):
    index_folder(database, docs)
    (docs / "guide.md").unlink()
    assert counts(index_folder(database, docs, delete_missing=False)) == (0, 0, 0, 1)
    assert len(rows(database, "select * from documents")) == 2
    assert counts(index_folder(database, docs)) == (0, 0, 1, 1)


def test_patterns_choose_what_the_tables_mirror(docs, database):
    assert counts(index_folder(database, docs, include=["*.md"])) == (1, 0, 0, 0)
    assert counts(index_folder(database, docs)) == (1, 0, 0, 1)
    assert counts(index_folder(database, docs, exclude=["notes/"])) == (0, 0, 1, 1)
    with pytest.raises(
        DocumentsError, match=r"No documents in .* with --include \*\.rtf --exclude"
    ):
        index_folder(database, docs, include=["*.rtf"], exclude=["x"])
    assert len(rows(database, "select * from documents")) == 1


def test_a_dry_run_tells_and_writes_nothing(docs, database):
    report = index_folder(database, docs, dry_run=True)
    assert report.changes == [("add", "guide.md"), ("add", "notes/returns.txt")]
    assert not database.exists()
    index_folder(database, docs)
    write(docs, "guide.md", "# Other")
    write(docs, "new.md", "# New")
    (docs / "binary.md").write_bytes(b"\0\0")
    (docs / "notes" / "returns.txt").unlink()
    before = digest(database), os.stat(database).st_mtime_ns
    report = index_folder(database, docs, dry_run=True)
    planned = [("update", "guide.md"), ("add", "new.md"), ("remove", "notes/returns.txt")]
    assert report.changes == planned
    assert [path for path, _ in report.skipped] == ["binary.md"]
    assert (digest(database), os.stat(database).st_mtime_ns) == before
    assert index_folder(database, docs).changes == planned
    assert index_folder(database, docs, dry_run=True).changes == []


def test_a_dry_run_on_another_version_would_make_it_anew(docs, database, monkeypatch):
    index_folder(database, docs)
    before = digest(database)
    monkeypatch.setattr(tables, "SCHEMA_VERSION", tables.SCHEMA_VERSION + 1)
    report = index_folder(database, docs, dry_run=True)
    assert (counts(report), report.made_anew) == ((2, 0, 0, 0), True)
    assert digest(database) == before


def test_an_index_of_the_first_version_is_made_anew(docs, database):
    """Its tables as they were: without addresses, languages and settings."""
    marker = "/* made by datasette rag index: {}, schema 1 */"
    run(
        database,
        f"""
        create table documents ({marker.format("documents")} id integer primary key,
          path text not null unique, title text not null, modified text not null,
          hash text not null);
        create table passages ({marker.format("passages")} id integer primary key,
          document_id integer not null references documents(id), title text, heading text,
          text text, date text, path text, position integer, char_start integer,
          char_end integer);
        create virtual table passages_fts using fts5(title, heading, text, content=[passages]);
        insert into documents values (1, 'guide.md', 'Guide', '2020', 'x');
        insert into passages values (1, 1, 'Guide', '', 'old', '2020', 'guide.md', 1, 0, 3);
        insert into passages_fts(passages_fts) values ('rebuild')""",
    )
    report = index_folder(database, docs)
    assert (counts(report), report.made_anew) == ((2, 0, 0, 0), True)
    assert search(database, "old") == [] and len(search(database, "parcels")) == 1
    assert integrity(database)


def test_two_runs_that_begin_with_nothing(docs, database):
    """The second one makes no tables in place of those that the first has filled meanwhile."""
    names = tables.Tables.named("passages")
    with connection.opened(database) as slow:
        assert not tables.is_current(slow, names)
        index_folder(database, docs)
        tables.create(slow, names)
    assert len(rows(database, "select * from documents")) == 2
