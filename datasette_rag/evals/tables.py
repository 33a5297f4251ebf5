"""A table of questions in a database → questions."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from datasette.utils import tilde_decode

from .. import permissions
from ..compat import Actor
from ..retrieval.lookups import all_rows
from .files import gathered
from .questions import EvalQuestion, QuestionsError

if TYPE_CHECKING:
    from datasette.app import Datasette


async def questions_of_table(
    datasette: Datasette, actor: Actor, name: str
) -> list[EvalQuestion] | None:
    """The questions of a table, one a row.

    Args:
        datasette: a started one that serves the table.
        actor: who must be allowed to see it.
        name: `database/table`, each part tilde-encoded. The table's columns are called as the
            keys of a file are; a cell with several values has a line for each, or is JSON.

    Returns:
        None if there is no such table, or the actor may not see it.

    Raises:
        QuestionsError: one line with the table, the row and what mends it.
    """
    database, _, table = map(tilde_decode, name.partition("/"))
    if not table or await permissions.refusal(datasette, actor, database=database, table=table):
        return None
    try:
        rows = await all_rows(datasette, database, table)
    except sqlite3.Error as error:
        raise QuestionsError(f"{name} can't be read: {error}") from error
    return gathered(name, "row", enumerate(rows, start=1), cells=True)
