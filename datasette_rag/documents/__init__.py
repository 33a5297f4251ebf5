"""Files to rows: a folder of documents becomes a searchable SQLite database."""
