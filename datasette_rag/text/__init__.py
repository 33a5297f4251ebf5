"""Markdown and HTML to plain text; text to headings, sentences and passages with offsets."""
