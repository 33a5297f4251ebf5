"""Keywords → ranked passages; the only room that writes SQL against the owner's tables."""
