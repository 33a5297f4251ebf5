"""The text of `CREATE VIRTUAL TABLE … USING fts5(…)`, read as SQLite reads it.

Datasette's own detection looks for two of the ways to write `content=`; this reads them all.
"""

from __future__ import annotations

from dataclasses import dataclass

_CLOSING = {"'": "'", '"': '"', "`": "`", "[": "]"}


@dataclass(frozen=True)
class FullTextIndex:
    """What the definition of a full-text index says.

    `module` is `fts3`, `fts4` or `fts5`. `columns` are its columns in order, `unindexed`
    those that can't be searched. `content` is the table that holds the text: None where
    the index holds it itself, "" where nothing does (contentless). `content_rowid` is that
    table's column which equals the index's rowid. `tokenize` is the tokenizer as written.
    `detail` is how much of the words' places FTS5 keeps: with less than `full` it finds no
    phrases. `matchinfo` is FTS4's option of that name.
    """

    name: str
    module: str
    columns: tuple[str, ...]
    unindexed: frozenset[str]
    content: str | None
    content_rowid: str
    tokenize: str
    detail: str = "full"
    matchinfo: str = ""

    @property
    def can_be_ranked(self) -> bool:
        """Whether the index keeps what a ranking needs: how long its rows are."""
        return self.module != "fts3" and self.matchinfo != "fts3"


def parse_full_text_index(name: str, sql: str) -> FullTextIndex | None:
    """Read the definition `sql` of the virtual table `name`; None if it is no FTS table."""
    module, arguments = _module_and_arguments(sql)
    if module not in ("fts3", "fts4", "fts5"):
        return None
    columns: list[str] = []
    unindexed: set[str] = set()
    options: dict[str, str] = {}
    for argument in arguments:
        key, value = _option(argument)
        if key is not None:
            options[key] = value
            continue
        column, rest = _first_word(argument)
        if not column:
            continue
        if module != "fts5" and column.casefold() in ("tokenize", "notindexed"):
            # fts3 and fts4 also take `tokenize porter`, without "=".
            options[column.casefold()] = rest
            continue
        columns.append(column)
        if module == "fts5" and "unindexed" in rest.casefold().split():
            unindexed.add(column)
    if module == "fts4" and "notindexed" in options:
        unindexed.add(options["notindexed"])
    return FullTextIndex(
        name=name,
        module=module,
        columns=tuple(columns),
        unindexed=frozenset(unindexed),
        content=options.get("content"),
        content_rowid=options.get("content_rowid") or "rowid",
        tokenize=options.get("tokenize", ""),
        detail=options.get("detail", "full").casefold(),
        matchinfo=options.get("matchinfo", "").casefold(),
    )


def with_content(name: str, sql: str, content: str) -> str:
    """The definition `sql` of the virtual table `name` with another `content=`, in one line."""
    module, arguments = _module_and_arguments(sql)
    kept = [argument for argument in arguments if _option(argument)[0] != "content"]
    quoted = '"' + name.replace('"', '""') + '"'
    return f"create virtual table {quoted} using {module}({', '.join(kept)}, content={content})"


def _module_and_arguments(sql: str) -> tuple[str, list[str]]:
    """The module's name in lower case and the arguments between its brackets, unread."""
    words: list[str] = []
    position = 0
    while position < len(sql):
        character = sql[position]
        if character in _CLOSING:
            position = _end_of_quoted(sql, position)
            words.append("")
        elif character == "(":
            break
        elif character.isalnum() or character == "_":
            start = position
            while position < len(sql) and (sql[position].isalnum() or sql[position] in "_$"):
                position += 1
            words.append(sql[start:position].casefold())
        elif sql.startswith("--", position):
            end = sql.find("\n", position)
            position = len(sql) if end < 0 else end
        elif sql.startswith("/*", position):
            end = sql.find("*/", position)
            position = len(sql) if end < 0 else end + 2
        else:
            position += 1
    if "using" not in words:
        return "", []
    return words[-1], _split(sql[position + 1 :])


def _split(text: str) -> list[str]:
    """Cut at commas outside of quotes and brackets, up to the bracket that closes it all."""
    parts: list[str] = []
    start = position = depth = 0
    while position < len(text):
        character = text[position]
        if character in _CLOSING:
            position = _end_of_quoted(text, position)
            continue
        if character == "(":
            depth += 1
        elif character == ")":
            if depth == 0:
                break
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
        position += 1
    parts.append(text[start:position].strip())
    return [part for part in parts if part]


def _end_of_quoted(text: str, start: int) -> int:
    closing = _CLOSING[text[start]]
    position = start + 1
    while position < len(text):
        if text[position] == closing:
            doubled = closing != "]" and text[position + 1 : position + 2] == closing
            if not doubled:
                return position + 1
            position += 1
        position += 1
    return position


def _unquoted(text: str) -> str:
    if text and text[0] in _CLOSING and text[-1] == _CLOSING[text[0]] and len(text) > 1:
        closing = text[-1]
        inner = text[1:-1]
        return inner if closing == "]" else inner.replace(closing * 2, closing)
    return text


def _first_word(argument: str) -> tuple[str, str]:
    """The first name of an argument, unquoted, and the rest."""
    if argument[0] in _CLOSING:
        end = _end_of_quoted(argument, 0)
        return _unquoted(argument[:end]), argument[end:].strip()
    word, _, rest = argument.partition(" ")
    return word, rest.strip()


def _option(argument: str) -> tuple[str | None, str]:
    """`key = value` as (key in lower case, value unquoted); (None, "") for a column."""
    if argument[0] in _CLOSING:
        return None, ""
    key, equals, value = argument.partition("=")
    key = key.strip()
    if not equals or not key.replace("_", "").isalnum():
        return None, ""
    return key.casefold(), _unquoted(value.strip())
