"""The index: what stands in it, how it keeps in step, and what it leaves alone."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from contextlib import closing

import pytest

from datasette_rag.documents import store, tables
from datasette_rag.documents.store import DocumentsError, index_folder


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
    assert rows(database, "select id, path, title, modified, length(hash) from documents") == [
        (1, "guide.md", "Guide", "2023-11-14T22:13:20+00:00", 64),
        (2, "notes/returns.txt", "Returns", "2023-11-14T22:13:20+00:00", 64),
    ]
    assert rows(database, "select * from passages") == [
        (1, 1, "Guide", "Guide", "# Guide\n\nWelcome.", "2023-11-14", "guide.md", 1, 0, 17),
        (2, 1, "Guide", "Guide > Installing", "## Installing\n\nRun the installer.")
        + ("2023-11-14", "guide.md", 2, 19, 52),
        (3, 2, "Returns", "", "You may return parcels within 30 days.")
        + ("2023-11-14", "notes/returns.txt", 1, 0, 38),
    ]
    assert rows(database, "pragma journal_mode") == [("wal",)]


def test_search_stems_and_covers_title_and_heading(docs, database):
    index_folder(database, docs)
    assert search(database, "returning parcel") == [("You may return parcels within 30 days.",)]
    assert len(search(database, "heading:install")) == 1
    assert len(search(database, "title:guides")) == 2


def test_a_second_run_writes_nothing(docs, database):
    index_folder(database, docs)
    before = digest(database)
    os.utime(docs / "guide.md", (1_800_000_000, 1_800_000_000))
    report = index_folder(database, docs)
    assert counts(report) == (0, 0, 0, 2)
    assert report.passages == 3
    assert digest(database) == before


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
    replace = store._replace

    def interrupted(db, names, document):
        if document.path.startswith("notes"):
            raise KeyboardInterrupt
        replace(db, names, document)

    monkeypatch.setattr(store, "_replace", interrupted)
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
    assert counts(index_folder(database, docs)) == (2, 0, 0, 0)
    assert counts(index_folder(database, docs)) == (0, 0, 0, 2)
    assert integrity(database)


def test_an_index_that_was_damaged_is_made_anew(docs, database):
    index_folder(database, docs)
    run(database, "drop table documents; drop table passages_fts")
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
    monkeypatch.setattr(store, "find_documents", lambda source: hidden)
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
    monkeypatch.setattr(store, "_WAIT_FOR_LOCK", 0.05)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("begin immediate")
        with pytest.raises(DocumentsError, match="written to by another program"):
            index_folder(database, docs)


def test_a_read_only_database(docs, database, monkeypatch):
    index_folder(database, docs)
    run(database, "pragma journal_mode = delete")
    write(docs, "guide.md", "changed")
    connect = sqlite3.connect
    # As root, for whom no file is read-only, too.
    monkeypatch.setattr(
        store.sqlite3, "connect", lambda path, **_: connect(f"file:{path}?mode=ro", uri=True)
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
    replace = store._replace

    def overtaken(db, names, document):
        if document.path == "guide.md" and not overtaking:
            overtaking.append(True)
            with store._opened(database) as other:
                replace(other, names, document)
        replace(db, names, document)

    overtaking = []
    monkeypatch.setattr(store, "_replace", overtaken)
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
