"""datasette rag check: which tables are searched, why others are not, and what mends them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .options import database_options, databases_argument
from .serving import run

if TYPE_CHECKING:
    from datasette.app import Datasette

    from ..retrieval.findings import Kind


TO_BE_MENDED = 3

_HEADINGS: Mapping[Kind, str] = {
    "stale": "Out of date",
    "configuration": "Settings that name what is not there",
    "left_out": "Not searched",
    "advice": "Could be better",
}


@click.command()
@databases_argument
@database_options
def check(
    databases: Sequence[str], metadata: Any, config: Any, load_extensions: Sequence[Any]
) -> None:
    """Tell which tables of DATABASES are searched, whether their indexes fit, and what mends them

    Exit status: 0 all is well, 1 error or no table can be searched, 3 an index is out of date
    or a setting names what does not exist.

    Example:

        datasette rag check docs.db
    """
    from ..retrieval.catalogue import readable_catalogues
    from ..start import findings

    async def report(datasette: Datasette) -> None:
        # Databases that can't be read are among the findings below.
        searched = [
            table for one in await readable_catalogues(datasette) for table in one.tables.values()
        ]
        for table in searched:
            click.echo(f"{table.database}/{table.table}: {table.summary}")
        found = await findings(datasette, thorough=True)
        for kind, heading in _HEADINGS.items():
            of_kind = [finding for finding in found if finding.kind == kind]
            if of_kind:
                click.echo(f"\n{heading}:")
            for finding in of_kind:
                click.echo(f"{finding}")
        if not searched:
            raise click.ClickException(
                "no table can be searched. Make a full-text index: "
                "sqlite-utils enable-fts DATABASE TABLE COLUMN... --tokenize porter "
                "--create-triggers"
            )
        if any(finding.kind in ("stale", "configuration") for finding in found):
            raise SystemExit(TO_BE_MENDED)

    run(databases, metadata, config, load_extensions, report, tells_findings=True)
