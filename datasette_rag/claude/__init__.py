"""The Claude API: the one client of it, what it says as typed parts, its failures in words."""

from .client import close, has_key, import_sdk
from .failures import ClaudeFailure
from .messages import BlockEnd, Cited, End, Part, Text, least_thinking, stream, text_reply

__all__ = [
    "BlockEnd",
    "Cited",
    "ClaudeFailure",
    "End",
    "Part",
    "Text",
    "close",
    "has_key",
    "import_sdk",
    "least_thinking",
    "stream",
    "text_reply",
]
