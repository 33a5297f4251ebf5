"""A long text → blocks of bounded size, cut roughly and fast, to look for the best place in it."""

from __future__ import annotations


def coarse_blocks(text: str, size: int) -> list[str]:
    """Cut `text` into blocks of at most `size` characters, whose concatenation it is.

    A block ends at the last blank line that fits, else at the last line break, space, or
    anywhere. Always gives at least one block.
    """
    blocks = []
    start = 0
    while len(text) - start > size:
        end = start + size
        for border in ("\n\n", "\n", " "):
            found = text.rfind(border, start + size // 2, end)
            if found >= 0:
                end = found + len(border)
                break
        blocks.append(text[start:end])
        start = end
    blocks.append(text[start:])
    return blocks
