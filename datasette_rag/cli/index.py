"""datasette rag index: a folder of documents becomes a searchable database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("database", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--table",
    default="passages",
    show_default=True,
    help="Table for the passages; another name than passages gives NAME and NAME_documents",
)
def index(database: Path, folder: Path, table: str) -> None:
    """Turn a FOLDER of Markdown and text files into a searchable DATABASE

    Run again, it reads what has changed, removes what is gone and leaves the rest alone.

    Example:

        datasette rag index docs.db path/to/folder
    """
    from ..documents.store import DocumentsError, index_folder

    try:
        report = index_folder(database, folder, table=table, progress=_progress)
    except DocumentsError as error:
        raise click.ClickException(str(error)) from error
    for path, reason in report.skipped:
        click.echo(f"Skipped {path}: {reason}", err=True)
    click.echo(
        f"{report.added} added, {report.updated} updated, {report.removed} removed, "
        f"{report.unchanged} unchanged, {len(report.skipped)} skipped; "
        f"{report.passages} passages in {database}"
    )


def _progress(items: Iterable[Any], count: int) -> Iterator[Any]:
    with click.progressbar(items, length=count, label="Indexing") as bar:
        yield from bar
