"""The rules of the house: imports run downward only, and each room keeps to what is its own."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "datasette_rag"

# From the top of the house to its cellar. A room imports only from floors below its own;
# the stages share a floor, and none imports another's.
FLOORS = [
    ["__init__"],
    ["cli"],
    ["web", "evals"],
    ["ask", "start"],
    ["keywords", "retrieval", "answerers", "checks", "log", "limits", "documents"],
    ["permissions", "claude", "prices", "hookspecs"],
    ["text"],
    ["events"],
    ["config"],
    ["compat", "waiting", "sql"],
]
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path):
    """The names of all modules that a file imports, made absolute."""
    package = ["datasette_rag", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_downward(path):
    room = room_of(path)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "datasette_rag" or len(parts) < 2 or parts[1] not in FLOOR_OF:
            continue
        assert parts[1] == room or FLOOR_OF[parts[1]] > FLOOR_OF[room], f"{room} imports {name}"


def test_every_room_has_its_floor():
    assert {room_of(path) for path in FILES} <= FLOOR_OF.keys()


@pytest.mark.parametrize(
    "module, homes",
    [
        ("anthropic", "claude"),
        ("sqlite_utils", "documents log"),
        ("selectolax", "text"),
        ("nh3", "web"),
        ("charset_normalizer", "documents"),
        ("docutils", "documents"),
        ("pypdf", "documents"),
    ],
)
def test_who_imports_what(module, homes):
    users = {
        room_of(path)
        for path in FILES
        if any(name.split(".")[0] == module for name in imports(path))
    }
    assert users <= set(homes.split())


def test_only_compat_knows_which_datasette_it_is():
    names = ("is_1_0", "permission_allowed(", "TableResource", "__version__")
    for path in FILES:
        if room_of(path) in ("compat", "__init__"):
            continue
        text = path.read_text("utf-8")
        assert not [name for name in names if name in text], path


def test_every_file_says_in_its_first_line_what_it_is_for():
    for path in FILES:
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        assert docstring and len(docstring.splitlines()[0]) > 15, path


def test_importing_the_plugin_imports_nothing_heavy():
    heavy = ["anthropic", "sqlite_utils", "selectolax", "nh3", "markdown_it", "bs4", "lxml"]
    heavy += ["charset_normalizer", "docutils", "pypdf"]
    # Datasette imports some of them itself, and believes to be under test to leave ours out.
    code = (
        "import sys; sys._called_from_test = True; import datasette.cli; before = set(sys.modules); "
        f"import datasette_rag; print([m for m in {heavy} if m in set(sys.modules) - before])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"
