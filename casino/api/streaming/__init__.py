"""Server-sent events from the sealed log: one reader per process, distributed to many streams."""
