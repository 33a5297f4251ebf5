"""What can go wrong with documents, as messages for the user."""

from __future__ import annotations


class DocumentsError(Exception):
    """Why documents could not be indexed, and what mends it: a message for the user."""


class UnreadableDocument(Exception):
    """Why one file could not be read: a message for the user."""
