"""The configuration: what is read from where, and what each mistake is told."""

import pytest

from datasette_rag.config import Config, ConfigError, TableConfig, parse


def root(**settings):
    return {"plugins": {"datasette-rag": settings}}


def on_table(table_block=None, **settings):
    block = dict(table_block or {})
    if settings:
        block["plugins"] = {"datasette-rag": settings}
    return {"databases": {"db": {"tables": {"t": block}}}}


def test_nothing_is_required():
    assert parse({}, {}) == Config()
    assert parse({"plugins": {"datasette-other": {"max_sources": 1}}}, {}) == Config()
    assert parse(root(), {}) == Config()
    assert parse({"plugins": {"datasette-rag": None}, "databases": None}, {}) == Config()


def test_root_settings():
    config = parse(
        root(
            answerer="extractive",
            no_answer="Ask the library.",
            synonyms=[["invoice", "bill"]],
            max_sources=5,
            examples=["What is it?"],
            allow={"id": "*"},
            admin=False,
        ),
        {},
    )
    assert config.no_answer == "Ask the library."
    assert config.synonyms == (("invoice", "bill"),)
    assert (config.max_sources, config.examples) == (5, ("What is it?",))
    assert (config.allow, config.admin) == ({"id": "*"}, False)


def test_table_settings():
    config = parse(
        on_table(title="name", columns={"name": 3, "body": 1}, url="https://x.example/{id}"), {}
    )
    assert config.table("db", "t") == TableConfig(
        title="name", columns={"name": 3.0, "body": 1.0}, url="https://x.example/{id}"
    )
    assert config.table("db", "other") == TableConfig()
    assert parse(on_table(columns=["a", "b"]), {}).table("db", "t").columns == {"a": 1.0, "b": 1.0}


def test_search_is_merged_from_the_database():
    raw = {
        "databases": {
            "db": {
                "plugins": {"datasette-rag": {"search": False}},
                "tables": {
                    "shown": {"plugins": {"datasette-rag": {"search": True}}},
                    "titled": {"plugins": {"datasette-rag": {"title": "x"}}},
                },
            }
        }
    }
    config = parse(raw, {})
    assert config.table("db", "shown").search is True
    assert config.table("db", "titled").search is False
    assert config.table("db", "any").search is False
    assert config.table("elsewhere", "any").search is True


def test_datasettes_own_settings_count():
    raw = on_table({"fts_table": "t_fts", "label_column": "name", "hidden": True})
    assert parse(raw, {}).table("db", "t") == TableConfig(
        fts_table="t_fts", title="name", search=False
    )
    raw = on_table({"fts_table": "old", "hidden": True}, fts_table="new", search=True)
    assert parse(raw, {}).table("db", "t") == TableConfig(fts_table="new", search=True)


def test_secrets_stay_references_and_other_references_are_resolved(tmp_path):
    note = tmp_path / "instructions.txt"
    note.write_text("Be brief.")
    config = parse(
        root(
            api_key={"$env": "KEY"},
            instructions={"$file": str(note)},
            no_answer={"$env": "NO_ANSWER"},
        ),
        {"KEY": "secret", "NO_ANSWER": "Nothing."},
    )
    assert config.api_key == {"$env": "KEY"}
    assert config.instructions == "Be brief."
    assert config.no_answer == "Nothing."


def test_values_from_the_environment_have_the_type_that_is_wanted():
    env = {"NUMBER": "5", "OFF": "false", "EXAMPLES": "[a, b]", "TEXT": "17"}
    config = parse(
        root(
            max_sources={"$env": "NUMBER"},
            answer_on_get={"$env": "OFF"},
            examples={"$env": "EXAMPLES"},
            no_answer={"$env": "TEXT"},
        ),
        env,
    )
    assert (config.max_sources, config.answer_on_get) == (5, False)
    assert (config.examples, config.no_answer) == (("a", "b"), "17")


@pytest.mark.parametrize(
    "raw, words",
    [
        # Case F4-07: the full path of the mistake, and the nearest known key.
        (root(max_source=3), ["plugins.datasette-rag.max_source:", "did you mean max_sources?"]),
        (
            on_table(colums=["a"]),
            ["databases.db.tables.t.plugins.datasette-rag.colums:", "did you mean columns?"],
        ),
        (
            {"databases": {"db": {"plugins": {"datasette-rag": {"serach": False}}}}},
            ["databases.db.plugins.datasette-rag.serach:", "did you mean search?"],
        ),
        (on_table(max_sources=3), ["max_sources:", "belongs into the root plugin configuration"]),
        (root(fts_table="x"), ["plugins.datasette-rag.fts_table:", "a table's"]),
        (root(max_sources="8"), ["max_sources: expected a whole number, got '8'"]),
        (root(max_sources=True), ["expected a whole number"]),
        (root(max_sources=0), ["expected a number from 1 to"]),
        (root(answerer=3), ["answerer: expected text"]),
        *(
            (root(api_base_url=address), ["api_base_url: expected an address such as https://"])
            for address in (
                "http://[::1",
                "nonsense",
                "ftp://x.example",
                "http://",
                "https://x.example:99999",
                "",
            )
        ),
        (root(api_base_url="https://ann:secret@x.example"), ["api_base_url", "use api_key"]),
        *(
            (root(prices={"m": {"input": price, "output": 1}}), ["prices: expected dollars"])
            for price in (float("nan"), float("inf"), -1, 10**400)
        ),
        (root(limits={"per_dya": 3}), ["limits: unknown limit per_dya, did you mean per_day?"]),
        (root(limits={"at_once": 0}), ["limits: expected a number from 1"]),
        (root(prices={"m": {"input": 1}}), ["prices: expected {input: …, output: …} for m"]),
        (root(prices={"m": {"input": 1, "output": -1}}), ["dollars for a million tokens for m"]),
        (root(examples="What?"), ["examples: expected a list of texts"]),
        (root(synonyms={"a": ["b"]}), ["synonyms: expected a list of groups"]),
        (root(synonyms=[["alone"]]), ["a group needs two words or more"]),
        (root(allow="root"), ["allow: expected an allow block"]),
        (on_table(search="no"), ["search: expected true or false"]),
        (on_table(columns={"a": "high"}), ["expected a weight for a"]),
        (on_table(columns={"a": 0}), ["more than 0"]),
        ({"plugins": {"datasette-rag": ["x"]}}, ["plugins.datasette-rag: expected a mapping"]),
        ({"plugins": {"datasette_rag": {}}}, ["plugins.datasette_rag: did you mean datasette-rag"]),
        (on_table(columns=[]), ["columns: expected a list of columns"]),
        (root(allow={"$env": "NOT_SET"}), ["allow: the environment has no variable NOT_SET"]),
        ({"plugins": ["x"]}, ["plugins: expected a mapping"]),
        (root(instructions={"$file": "/nowhere/at/all"}), ["a $file can't be read"]),
    ],
)
def test_a_mistake_is_one_line_with_its_path(raw, words):
    with pytest.raises(ConfigError) as caught:
        parse(raw, {})
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("value", ["sk-secret", {"$env": 1}, {"key": "sk-secret"}, {}, ["$env"]])
def test_a_literal_key_is_refused_and_never_shown(value):
    with pytest.raises(ConfigError) as caught:
        parse(root(api_key=value), {})
    assert "plugins.datasette-rag.api_key" in str(caught.value)
    assert "sk-secret" not in str(caught.value)
