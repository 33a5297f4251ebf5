"""reStructuredText, Sphinx's too: by docutils to HTML, and from there to Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...text.clean import clean
from ...text.headings import document_title
from ...text.html_page import read_page
from ..encodings import decoded
from ..errors import UnreadableDocument
from .content import Content

if TYPE_CHECKING:
    from docutils import nodes

# As the names of directives and roles are written; what only looks like one does no harm.
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:.+-]+)::")
_ROLE = re.compile(r":([A-Za-z][\w:.+-]*):`|`:([A-Za-z][\w:.+-]*):")


def read(content: bytes) -> Content:
    """Read reStructuredText.

    Directives and roles that docutils does not know (those of Sphinx and of its extensions)
    give what text they hold. Other files are not included, and raw HTML is left out.

    Args:
        content: the bytes of the file.

    Raises:
        UnreadableDocument: they are no text, or docutils is not installed.
    """
    try:
        import docutils  # noqa: F401
    except ImportError:
        raise UnreadableDocument("needs docutils: datasette install 'datasette-rag[rst]'") from None
    source = clean(decoded(content))
    try:
        html = _to_html(source)
    except Exception as error:
        # What it can make nothing of it raises in many ways, and one file must not stop the others.
        raise UnreadableDocument("docutils cannot read it") from error
    text = read_page(html).markdown
    return Content(text, "markdown", title=document_title(text))


def _to_html(source: str) -> str:
    from docutils import core
    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Parser
    from docutils.readers import standalone
    from docutils.utils import new_document

    from . import sphinx

    sphinx.register(
        {name.lower() for name in _DIRECTIVE.findall(source)},
        {(before or behind).lower() for before, behind in _ROLE.findall(source)},
    )
    settings = get_default_settings(Parser)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    document = new_document("document", settings)
    Parser().parse(source, document)
    # Those that make the first heading the title of the document would take it out of the text.
    document.transformer.add_transforms(
        step
        for step in standalone.Reader().get_transforms()
        if step.__module__ != "docutils.transforms.frontmatter"
    )
    document.transformer.apply_transforms()
    _mend(document)
    return str(
        core.publish_from_doctree(
            document, writer="html5", settings_overrides={**_SETTINGS, "output_encoding": "unicode"}
        )
    )


_SETTINGS = {
    "report_level": 5,
    "halt_level": 5,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "math_output": "LaTeX",
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "initial_header_level": "1",
    "_disable_config": True,
}


def _mend(document: nodes.document) -> None:
    """Put the source of what docutils could not read in place of its message about it.

    What describes the document to Sphinx goes, and code within lines is marked as such.
    """
    from docutils import nodes

    for message in list(document.findall(nodes.system_message)):
        if message.parent is not None:
            message.parent.replace(message, list(message.findall(nodes.literal_block)))
    for literal in document.findall(nodes.literal):
        literal["classes"].append("code")  # which makes `<code>` of it
    first = next((node for node in document if not isinstance(node, nodes.comment)), None)
    if isinstance(first, nodes.field_list):  # `:orphan:` and the like
        document.remove(first)
