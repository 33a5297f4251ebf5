"""Database files opened as Datasette opens them, for as long as one command runs."""

from __future__ import annotations

import asyncio
import logging
import shlex
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from datasette.utils import BadMetadataError, parse_metadata

from .. import compat

if TYPE_CHECKING:
    from datasette.app import Datasette

Result = TypeVar("Result")


def run(
    databases: Sequence[str],
    metadata: Any,
    config: Any,
    load_extensions: Sequence[Any],
    work: Callable[[Datasette], Coroutine[Any, Any, Result]],
    *,
    tells_findings: bool = False,
) -> Result:
    """What `work` gives with a started Datasette over these files.

    With `tells_findings` the start leaves that to `work`.

    Raises click.ClickException for files and settings that can't be used.
    """
    for path in databases:
        _check_is_database(path)
    try:
        datasette = compat.open_files(
            databases,
            metadata=_settings(metadata),
            config=_settings(config),
            load_extensions=load_extensions,
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from error

    async def started() -> Result:
        logger = logging.getLogger("datasette_rag")
        level = logger.level
        try:
            if tells_findings:
                logger.setLevel(logging.ERROR)
            await datasette.invoke_startup()
            return await work(datasette)
        except sqlite3.Error as error:
            names = ", ".join(databases)
            raise click.ClickException(f"{names} can't be read: {error}") from error
        finally:
            logger.setLevel(level)

    return asyncio.run(started())


def _settings(file: Any) -> dict[str, Any] | None:
    if file is None:
        return None
    try:
        settings = parse_metadata(file.read())
    except BadMetadataError as error:
        raise click.ClickException(f"{file.name}: {error}") from error
    if not isinstance(settings, dict) or not isinstance(settings.get("databases", {}), dict):
        raise click.ClickException(f"{file.name}: expected a mapping of settings")
    return settings


def _check_is_database(path: str) -> None:
    if any(character in path for character in "?#%"):
        raise click.ClickException(
            f"{path}: Datasette can't open a file with ?, # or % in its path; rename it"
        )
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as conn:
            conn.execute("select 1 from sqlite_master").fetchone()
    except sqlite3.Error as error:
        hint = ""
        if "readonly" in str(error):
            hint = (
                ". It keeps a write-ahead log, for which its folder must be writable: switch that "
                f"off where it is, with sqlite-utils disable-wal {shlex.quote(path)}"
            )
        raise click.ClickException(
            f"{path} can't be read as a SQLite database: {error}{hint}"
        ) from error
