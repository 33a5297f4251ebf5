"""Where the log is kept: nowhere, in memory, in Datasette's internal database, or in one of its own."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from datasette.database import Database

from .. import compat, permissions
from ..config import load
from ..config.model import DEFAULT_LOG
from .schema import TABLES, VIEWS, bring_up_to_date, holds_a_log, strangers

if TYPE_CHECKING:
    from datasette.app import Datasette

MEMORY = "memory"
INTERNAL = "internal"
MEMORY_NAME = "rag_log"
# A lock that lasts longer is not waited for.
CHECK_SECONDS = 0.2
_SUFFIXES = (".db", ".sqlite", ".sqlite3")

Kind = Literal["off", "memory", "internal", "named"]


class LogRefused(Exception):
    """The log can't be kept where the owner says; the message is one line with the remedy."""


@dataclass
class Place:
    """Where this instance keeps its log.

    `database` is the name in `datasette.databases` once it is attached (None for the
    internal database, which has no pages). `path` is the file of a log that has one; it may
    not exist yet. `problem` says in one line why there is no log although one is wanted.
    """

    kind: Kind
    database: str | None = None
    path: Path | None = None
    problem: str = ""
    ready: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


def place(datasette: Datasette) -> Place:
    """Where the log of this instance is."""
    kept: dict[str, Place] = compat.state(datasette, "log place", dict)
    if "place" not in kept:
        kept["place"] = _configured(datasette)
    return kept["place"]


async def prepare(datasette: Datasette) -> str | None:
    """At start: attach what is there, and keep it private.

    Returns one line if there will be no log although one is wanted. Raises LogRefused if
    the database holds other tables than the log's.
    """
    log = place(datasette)
    if log.kind == "memory" and not log.problem:
        name = f"{MEMORY_NAME}_{uuid.uuid4().hex}"
        _attach(datasette, log, Database(datasette, memory_name=name))
    if log.database is not None:
        _keep_private(datasette, log.database)
    if log.path is not None and not log.problem:
        log.problem = await asyncio.to_thread(_check, log.path)
        if log.database is None and not log.problem and log.path.exists():
            _attach(datasette, log, Database(datasette, path=str(log.path), is_mutable=True))
    for name, other in datasette.databases.items():
        if other.path is not None and await asyncio.to_thread(_is_a_log, Path(other.path)):
            # Also one that is served by mistake, or by another name than the log's.
            _keep_private(datasette, name)
    if log.problem:
        return f"questions are not logged: {log.problem}"
    return None


async def opened(datasette: Datasette) -> Database | None:
    """The database of the log with all its tables, made when first asked for; None if off.

    Raises sqlite3.Error if it can't be made now.
    """
    log = place(datasette)
    if log.kind == "off" or log.problem:
        return None
    if not log.ready:
        async with log.lock:
            if not log.ready:
                await _make_ready(datasette, log)
    return database_of(datasette)


def database_of(datasette: Datasette) -> Database | None:
    """The database of the log if there is one by now."""
    log = place(datasette)
    if log.kind == "internal":
        return compat.internal_database(datasette)
    return None if log.database is None else datasette.databases[log.database]


def why_not(datasette: Datasette) -> str:
    """Why there is no log, in one line that says what to set; empty if there is one."""
    log = place(datasette)
    if log.kind == "off":
        no_internal = load(datasette).log.database == DEFAULT_LOG
        reason = (
            "this Datasette has no internal database"
            if no_internal
            else "the configuration of the plugin says log: false"
        )
        return f"{reason}. To log them, set log: to the path of a file, such as rag-log.db"
    return log.problem


def settle(datasette: Datasette, database: str, conn: sqlite3.Connection) -> None:
    """Settings of a connection to the log, if this is one."""
    # Not `place()`: connections are made before there is a configuration, too.
    kept: dict[str, Place] = compat.state(datasette, "log place", dict)
    log = kept.get("place")
    if log is None or log.database is None or database != log.database:
        return
    if log.kind == "memory":
        # Readers of a memory that they share with the writer are else refused while it writes.
        conn.execute("pragma read_uncommitted = on")
    # With a write-ahead log nothing but a power cut can cost a row, and none waits for the disk.
    conn.execute("pragma synchronous = normal")


async def _make_ready(datasette: Datasette, log: Place) -> None:
    if log.path is not None:
        log.problem = await asyncio.to_thread(_check, log.path)
        if log.problem:
            raise LogRefused(log.problem)
        if log.database is None:
            await asyncio.to_thread(_create, log.path)
            _attach(datasette, log, Database(datasette, path=str(log.path), is_mutable=True))
    database = database_of(datasette)
    assert database is not None
    await compat.write(database, _prepare)
    log.ready = True


def _prepare(conn: sqlite3.Connection) -> None:
    # What is too old to be kept is overwritten, not only left out of the tables.
    conn.execute("pragma secure_delete = on")
    bring_up_to_date(conn)


def _configured(datasette: Datasette) -> Place:
    log = _wanted(datasette)
    if log.kind != "off" and datasette.crossdb:
        log.problem = (
            "with --crossdb SQL over all databases would read the log as well; serve without it"
        )
    return log


def _wanted(datasette: Datasette) -> Place:
    wanted = load(datasette).log.database
    has_internal = compat.internal_database(datasette) is not None
    if wanted == DEFAULT_LOG:
        wanted = INTERNAL if has_internal else None
    if wanted is None:
        return Place("off")
    if wanted == MEMORY:
        return Place("memory")
    if wanted == INTERNAL:
        problem = "" if has_internal else "this Datasette has no internal database; name one"
        return Place("internal", problem=problem)
    if wanted in datasette.databases:
        return _served(datasette, wanted)
    path = Path(wanted)
    if path.suffix not in _SUFFIXES:
        return Place(
            "named",
            problem=f"there is no database {wanted}; serve one of this name, or give a path "
            f"such as {wanted}.db",
        )
    for name, database in datasette.databases.items():
        if database.path is not None and Path(database.path).resolve() == path.resolve():
            return _served(datasette, name)
    return Place("named", path=path)


def _served(datasette: Datasette, name: str) -> Place:
    database = datasette.databases[name]
    if database.path is None:
        return Place("named", name, problem=f"{name} has no file; for a log in memory say memory")
    problem = "" if database.is_mutable else f"{name} is immutable; serve it without -i"
    return Place("named", name, Path(database.path), problem)


def _attach(datasette: Datasette, log: Place, database: Database) -> None:
    name = MEMORY_NAME if log.path is None else log.path.stem
    log.database = datasette.add_database(database, name=name).name
    _keep_private(datasette, log.database)


def _keep_private(datasette: Datasette, database: str) -> None:
    permissions.keep_private(datasette, database, (*TABLES, *VIEWS))


def _check(path: Path) -> str:
    """Why this file can't be the log, empty if it can (or may later: a lock passes).

    Raises LogRefused if it holds other tables.
    """
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} for {path.name}"
    if not path.exists():
        return ""
    if not path.is_file():
        return f"{path} is not a file"
    try:
        with closing(_reader(path)) as conn:
            others = strangers(conn)
    except sqlite3.DatabaseError as error:
        if is_locked(error):
            # Asked again before the first question is written.
            return ""
        return f"{path} can't be read as a SQLite database: {error}"
    if others:
        raise LogRefused(
            f"{path} can't be the log: it holds {', '.join(others[:3])}"
            f"{' and more' if len(others) > 3 else ''}, and the log keeps its whole database "
            "from visitors. Name a file of its own, for example log: rag-log.db"
        )
    return ""


def _is_a_log(path: Path) -> bool:
    """Whether a database file is a log of ours and nothing else."""
    try:
        with closing(_reader(path)) as conn:
            return holds_a_log(conn) and not strangers(conn)
    except sqlite3.Error:
        return False


def _reader(path: Path) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, timeout=CHECK_SECONDS)


def is_locked(error: Exception) -> bool:
    """Whether somebody else is writing, so that waiting helps."""
    return any(word in str(error) for word in ("locked", "busy"))


def _create(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("pragma journal_mode = wal")
