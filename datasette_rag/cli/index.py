"""datasette rag index: a folder of documents becomes a searchable database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..documents.store import IndexReport

SOME_SKIPPED = 3


@click.command()
@click.argument("database", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--url",
    help="Where the documents are on the web: an address that their paths are put behind, or "
    "one with {path} in it, or with {page}, the path without its ending",
)
@click.option(
    "--include",
    multiple=True,
    metavar="PATTERN",
    help="Read only these files: '*.md', 'guides/', … as in .gitignore; can be repeated",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Leave these files and folders out; can be repeated",
)
@click.option(
    "--delete-missing/--keep-missing",
    default=True,
    show_default=True,
    help="Whether documents that are not found any more are removed",
)
@click.option(
    "--words",
    type=click.IntRange(20, 300),
    default=150,
    show_default=True,
    help="Size of the passages to aim at",
)
@click.option("--dry-run", is_flag=True, help="Tell what would happen, and write nothing")
@click.option(
    "--table",
    default="passages",
    show_default=True,
    help="Table for the passages; another name than passages gives NAME and NAME_documents",
)
def index(database: Path, folder: Path, dry_run: bool, **options: Any) -> None:
    """Turn a FOLDER of Markdown, HTML, text and other documents into a searchable DATABASE

    Run again, it reads what has changed, removes what is gone and leaves the rest alone.
    Exit status: 0 all was read, 1 error, 3 some files could not be read, all others were.

    Example:

        datasette rag index docs.db path/to/folder --url https://example.com/docs/
    """
    from ..documents.errors import DocumentsError
    from ..documents.store import index_folder

    try:
        report = index_folder(
            database, folder, dry_run=dry_run, progress=None if dry_run else _progress, **options
        )
    except DocumentsError as error:
        raise click.ClickException(str(error)) from error
    for path, reason in report.skipped:
        click.echo(f"Skipped {path}: {reason}", err=True)
    if report.made_anew:
        click.echo("The index is made anew: another version of datasette-rag had made it.")
    if dry_run:
        for what, path in report.changes:
            click.echo(f"Would {what} {path}")
    click.echo(_closing_line(report, database, dry_run))
    if report.skipped:
        raise SystemExit(SOME_SKIPPED)


def _closing_line(report: IndexReport, database: Path, dry_run: bool) -> str:
    reasons = Counter(reason for _, reason in report.skipped)
    why = "; ".join(f"{reason}: {count}" for reason, count in reasons.items())
    line = (
        f"{report.read} read: {report.added} added, {report.updated} updated, "
        f"{report.unchanged} unchanged; {report.removed} removed; "
        f"{len(report.skipped)} skipped{f' ({why})' if why else ''}"
    )
    if dry_run:
        return f"Dry run, nothing was written. {line}"
    return f"{line}; {report.passages} passages in {database}"


def _progress(items: Iterable[Any], count: int) -> Iterator[Any]:
    with click.progressbar(items, length=count, label="Indexing") as bar:
        yield from bar
