"""The log's database is its admins' alone: every door of it, for every actor, on both lines."""

from __future__ import annotations

import pytest

from ..site import ON_1_0, get, make_datasette, reply_of
from .test_writing import QUESTION, notes  # noqa: F401

pytestmark = pytest.mark.asyncio

ACTORS = {
    "nobody": None,
    "ann": {"id": "ann"},
    "root": {"id": "root"},
    "admin": {"id": "admin"},
}
DOORS = [
    "/log",
    "/log.json",
    "/log?sql=select+*+from+rag_questions",
    "/log.json?sql=select+*+from+rag_questions",
    "/log.db",
    "/log/rag_questions",
    "/log/rag_questions.json",
    "/log/rag_questions.csv?_stream=1",
    "/log/rag_question_sources.json",
    "/log/rag_feedback.json",
    "/log/rag_unanswered.json",
    "/log/rag_failed_checks.json",
    "/log/rag_cost_per_day.json",
    "/log/rag_sources_cited.json",
    "/log/rag_questions/{id}",
    "/log/rag_questions/{id}.json",
    "/log/_sqlite_migrations.json",
    "/log/-/ask",
    "/log/rag_questions/-/ask.json?question=harbour",
    "/log/-/query?sql=select+*+from+rag_questions" if ON_1_0 else "/log/named",
    "/log/-/query.json?sql=select+*+from+rag_questions" if ON_1_0 else "/log/named.json",
]
# The owner's own rules, which would open the log: for all, for its database, for a table of it.
SETTINGS = {
    "plain": {},
    "all open": {"allow": True},
    "database open": {"databases": {"log": {"allow": True, "allow_sql": True}}},
    "table open": {
        "databases": {
            "log": {
                "tables": {
                    "rag_questions": {"allow": True},
                    "rag_feedback": {"allow": {"id": ["ann", "admin"]}},
                }
            }
        }
    },
    "rules": {
        "permissions": {
            "view-database": {"id": "ann"},
            "view-table": {"id": "ann"},
            "execute-sql": {"id": "ann"},
            "view-database-download": {"id": "ann"},
        }
    },
}
# Datasette lets nobody download a database that changes; and there is nothing to ask here.
NOBODYS = ("/log.db", "/log/-/ask", "/log/rag_questions/-/ask.json?question=harbour")


async def site(notes, tmp_path, settings, kind):  # noqa: F811
    log = tmp_path / "log.db"
    plugin = {"log": str(log), "admin": {"id": "admin"}}
    tree = {**settings, "plugins": {"datasette-rag": plugin}}
    if not ON_1_0:
        databases = {**tree.get("databases", {})}
        of_log = {
            **databases.get("log", {}),
            "queries": {"named": "select * from rag_questions"},
        }
        tree["databases"] = {**databases, "log": of_log}
    first = await make_datasette([notes], tree)
    reply = await reply_of(first, QUESTION, actor={"id": "admin"})
    if kind == "first":
        return first, reply
    # Attached by the plugin at the start, or by its owner.
    files = [notes] if kind == "attached" else [notes, log]
    return await make_datasette(files, tree), reply


@pytest.mark.parametrize("kind", ["first", "attached", "served"])
@pytest.mark.parametrize("setting", SETTINGS)
async def test_doors(notes, tmp_path, setting, kind):  # noqa: F811
    datasette, reply = await site(notes, tmp_path, SETTINGS[setting], kind)
    for name, actor in ACTORS.items():
        for door in DOORS:
            path = door.format(id=reply.id)
            response = await get(datasette, path, actor=actor, follow_redirects=True)
            if name == "admin" and door not in NOBODYS:
                assert response.status_code == 200, (name, door)
            elif name == "admin":
                assert QUESTION not in response.text
            else:
                assert response.status_code in (403, 404), (name, door, response.status_code)
                assert QUESTION not in response.text and reply.id not in response.text.replace(
                    path, ""
                )


@pytest.mark.parametrize("kind", ["first", "attached", "served"])
async def test_lists_do_not_name_it(notes, tmp_path, kind):  # noqa: F811
    datasette, _ = await site(notes, tmp_path, {}, kind)
    lists = ["/", "/.json", "/-/ask"]
    if ON_1_0:
        lists += ["/-/tables.json", "/-/tables.json?q=rag", "/-/jump.json?q=rag", "/-/schema.json"]
    for path in lists:
        for actor in (None, {"id": "ann"}):
            text = (await get(datasette, path, actor=actor)).text
            assert "rag_questions" not in text and "/log/" not in text and '/log"' not in text, path


async def test_in_memory_is_as_private(notes, tmp_path):  # noqa: F811
    tree = {"plugins": {"datasette-rag": {"log": "memory", "admin": {"id": "admin"}}}}
    datasette = await make_datasette([notes], tree)
    await reply_of(datasette, QUESTION)
    for door in ("/rag_log", "/rag_log/rag_questions.json"):
        assert (await get(datasette, door)).status_code == 403
        assert (await get(datasette, door, actor={"id": "ann"})).status_code == 403
        assert (await get(datasette, door, actor={"id": "admin"})).status_code == 200


@pytest.mark.datasette_1_0
@pytest.mark.parametrize(
    "path, body",
    [
        ("/log/rag_questions/-/insert", {"row": {"id": "x"}}),
        ("/log/rag_questions/{id}/-/delete", {}),
        ("/log/rag_questions/-/drop", {"confirm": True}),
        ("/log/-/create", {"table": "mine", "row": {"id": 1}}),
    ],
)
async def test_others_who_may_write_may_not_here(notes, tmp_path, path, body):  # noqa: F811
    actions = ("insert-row", "delete-row", "drop-table", "create-table", "alter-table")
    tree = {"permissions": {action: {"id": "ann"} for action in actions}}
    datasette, reply = await site(notes, tmp_path, tree, "attached")
    response = await datasette.client.post(
        path.format(id=reply.id),
        json=body,
        cookies={"ds_actor": datasette.sign({"a": {"id": "ann"}}, "actor")},
    )
    assert response.status_code == 403


@pytest.mark.parametrize("setting", [False, "memory", "elsewhere.db"])
async def test_a_log_that_is_served_while_it_is_not_the_log(notes, tmp_path, setting):  # noqa: F811
    await site(notes, tmp_path, {}, "first")
    (tmp_path / "copies").mkdir()
    copy = tmp_path / "copies" / "asked.db"
    copy.symlink_to(tmp_path / "log.db")
    if setting == "elsewhere.db":
        setting = str(tmp_path / setting)
    tree = {"plugins": {"datasette-rag": {"log": setting, "admin": {"id": "admin"}}}}
    datasette = await make_datasette([notes, tmp_path / "log.db", copy], tree)
    for name in ("log", "asked"):
        path = f"/{name}/rag_questions.json"
        assert (await get(datasette, path, actor={"id": "ann"})).status_code == 403
        assert (await get(datasette, path, actor={"id": "admin"})).status_code == 200


@pytest.mark.datasette_1_0
async def test_the_default_log_has_no_doors(notes):  # noqa: F811
    datasette = await make_datasette([notes])
    reply = await reply_of(datasette, QUESTION)
    for path in ("/_internal", "/__INTERNAL__/rag_questions.json", f"/-/ask/{reply.id}x"):
        assert (await get(datasette, path)).status_code in (403, 404)
