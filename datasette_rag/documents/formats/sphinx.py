"""Directives and roles of Sphinx for docutils: each gives the text that it holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from docutils import nodes, utils
from docutils.parsers.rst import Directive, directives, roles


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Nothing in them is text of this document.
_SILENT = _names(
    "toctree index raw include literalinclude currentmodule py:currentmodule highlight "
    "contents sectnum tabularcolumns meta default-role program graphviz "
    "testsetup testcleanup inheritance-diagram"
)
_CODE = _names(
    "code code-block sourcecode parsed-literal doctest testcode testoutput prompt "
    "console productionlist mermaid"
)
_WITH_A_NAME = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
    "seealso": "See also",
}
_ADMONITIONS = _names("attention caution danger error hint important note tip warning")
_CODE_ROLES = _names(
    "attr class cmd code command const data envvar exc file func kbd keyword literal makevar meth "
    "mod obj option program regexp samp setting"
)
_TARGET = re.compile(r"(.+?)\s*<[^<>]*>\Z", re.DOTALL)


def register(directive_names: Iterable[str], role_names: Iterable[str]) -> None:
    """Make docutils read these, but for those that it reads well itself.

    Args:
        directive_names: names of directives, in small letters.
        role_names: names of roles, in small letters.
    """
    from docutils.languages import en as _  # noqa: F401
    from docutils.parsers.rst.languages import en

    ours = _SILENT | _CODE | _ADMONITIONS | _WITH_A_NAME.keys()
    for name in directive_names:
        if name in ours or name not in en.directives:
            directives.register_directive(name, _Held)
    for name in role_names:
        if name not in en.roles:
            roles.register_local_role(name, _said)


class _AnyOption(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        return directives.unchanged


class _Held(Directive):
    """Any directive: its arguments as a paragraph, and what stands in it."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = _AnyOption(name=directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """What stands in place of the directive."""
        name = self.name.lower()
        argument = " ".join(self.arguments)
        if name in _SILENT:
            return []
        if name in _CODE:
            return self._code(argument)
        found: list[nodes.Node] = []
        if name in _WITH_A_NAME:
            argument = f"{_WITH_A_NAME[name]} {argument}".rstrip() + ("" if argument else ":")
        elif name in _ADMONITIONS:
            # Their text may begin on the line of the directive.
            found.append(nodes.paragraph("", "", nodes.Text(f"{name.capitalize()}:")))
        if ":" in name:  # what is described: `py:function:: run(*, key)`
            found.append(nodes.paragraph("", "", nodes.literal("", argument)))
            argument = ""
        for line in (argument, self.options.get("caption", ""), self.options.get("title", "")):
            if line:
                inline, messages = self.state.inline_text(line, self.lineno)
                found += [nodes.paragraph("", "", *inline), *messages]
        held = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, held, match_titles=True)
        return [*found, *held.children]

    def _code(self, language: str) -> list[nodes.Node]:
        caption = self.options.get("caption", "")
        found: list[nodes.Node] = []
        if caption:
            found.append(nodes.paragraph("", "", nodes.Text(caption)))
        code = "\n".join(self.content)
        classes = [f"lang-{language}"] if language and " " not in language else []
        if code:
            found.append(nodes.literal_block(code, code, classes=classes))
        return found


def _said(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Any,
    options: Any = None,
    content: Any = None,
) -> tuple[list[Any], list[Any]]:
    """What any role says: `Text <target>` its text, `~a.b.c` only `c`."""
    words = utils.unescape(text)
    titled = _TARGET.match(words)
    if titled:
        words = titled[1]
    elif words.startswith("~"):
        words = words.rpartition(".")[2].lstrip("~")
    words = words.lstrip("!")
    kind = nodes.literal if name.lower().rpartition(":")[2] in _CODE_ROLES else nodes.inline
    return [kind(rawtext, words)], []
