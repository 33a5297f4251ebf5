"""A run that is killed at any moment, and a site that serves the database during a run."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import signal
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from datasette_rag.documents.store import index_folder

from ..site import get, make_datasette

DOCUMENTS = 24
KILLS = 40
SECTIONS = 6


def write_version(folder, version):
    """All documents anew; each version has a document that others have not."""
    folder.mkdir(exist_ok=True)
    for file in folder.glob("only-*.md"):
        file.unlink()
    for name in [*(f"note-{number}" for number in range(DOCUMENTS)), f"only-{version}"]:
        sections = (
            f"## Part {part}\n\nUmbrella version{version} of part {part}.\n"
            for part in range(SECTIONS + version % 3)
        )
        (folder / f"{name}.md").write_text(f"# Version {version}\n\n" + "\n".join(sections))


def documents_in(database):
    """{path: (hash, versions that its passages tell, positions)}; checks the whole file too."""
    with closing(sqlite3.connect(database)) as conn:
        assert conn.execute("pragma integrity_check").fetchall() == [("ok",)]
        tables = {name for (name,) in conn.execute("select name from sqlite_master")}
        if not tables:
            return {}
        assert {"documents", "passages", "passages_fts", "passages_au"} <= tables
        conn.execute("insert into passages_fts(passages_fts, rank) values ('integrity-check', 1)")
        conn.rollback()
        found = {
            path: (content_hash, set(), [])
            for path, content_hash in conn.execute("select path, hash from documents")
        }
        for path, position, text in conn.execute(
            "select path, position, text from passages order by document_id, position"
        ):
            found[path][1].update(re.findall(r"version(\d+)", text))
            found[path][2].append(position)
        return found


def killed_run(database, folder, seconds):
    """Index in a process of its own that is killed after this time; whether it was."""
    process = os.fork()
    if process == 0:
        try:
            index_folder(database, folder)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(process, 0)[1])


def check_whole(database, version):
    """Each document is as it was in one version; the number of documents that are there."""
    found = documents_in(database)
    for path, (content_hash, versions, positions) in found.items():
        assert len(versions) == 1, path
        (of_document,) = map(int, versions)
        assert of_document in (version - 1, version)
        assert positions == list(range(1, SECTIONS + of_document % 3 + 1)), path
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes can't be forked here")
@pytest.mark.parametrize("start", ["nothing", "an index"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_run_that_is_killed_is_completed_by_the_next(tmp_path, start):
    folder, database = tmp_path / "docs", tmp_path / "index.db"
    for version in (1, 2):
        # The second one has imported all that it needs, as the killed ones have.
        write_version(folder, version)
        began = time.perf_counter()
        index_folder(database, folder)
        whole = time.perf_counter() - began
    killed = partial = 0
    for number in range(KILLS):
        version = number + 3
        if start == "nothing":
            for file in tmp_path.glob("index.db*"):
                file.unlink()
        write_version(folder, version)
        killed += killed_run(database, folder, whole * number / KILLS)
        if database.exists():
            found = check_whole(database, version)
            new = [path for path, (_, versions, _) in found.items() if versions == {str(version)}]
            partial += 0 < len(new) < DOCUMENTS
        report = index_folder(database, folder)
        after = check_whole(database, version)
        assert set(after) == {file.name for file in folder.iterdir()}
        for path, (content_hash, versions, _) in after.items():
            assert versions == {str(version)}
            assert content_hash == hashlib.sha256((folder / path).read_bytes()).hexdigest()
        assert report.read == DOCUMENTS + 1
        assert index_folder(database, folder).changes == []
    # Else nothing was shown.
    assert killed > KILLS / 4 and partial > KILLS / 8


@pytest.mark.asyncio
async def test_a_site_reads_whole_documents_during_a_run(tmp_path):
    folder, database = tmp_path / "docs", tmp_path / "index.db"
    write_version(folder, 1)
    index_folder(database, folder)
    datasette = await make_datasette([database])
    stop = threading.Event()
    failures = []

    def keep_indexing():
        version = 1
        while not stop.is_set():
            version += 1
            write_version(folder, version)
            try:
                index_folder(database, folder)
            except Exception as error:
                failures.append(error)

    writer = threading.Thread(target=keep_indexing)
    writer.start()
    seen = set()
    try:
        until = time.monotonic() + 2.5
        while time.monotonic() < until:
            page = await get(datasette, "/index/passages.json?_shape=array&_size=max")
            assert page.status_code == 200
            versions = {}
            for row in page.json():
                versions.setdefault(row["path"], []).append(
                    re.findall(r"version(\d+)", row["text"])[0]
                )
            for path, found in versions.items():
                assert len(set(found)) == 1, path
                assert len(found) == SECTIONS + int(found[0]) % 3
            seen.add(tuple(sorted(found[0] for found in versions.values())))
            reply = (await get(datasette, "/-/ask.json?question=umbrella")).json()
            assert reply["ok"] and len(reply["sources"]) > 1
            assert [table["status"] for table in reply["tables"]] == ["ok"]
            await asyncio.sleep(0)
    finally:
        stop.set()
        writer.join()
    assert failures == []
    # Both halves of several runs were seen, else nothing was shown.
    assert len([mixture for mixture in seen if len(set(mixture)) > 1]) > 1
