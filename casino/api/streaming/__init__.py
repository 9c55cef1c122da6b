"""Server-sent events from the sealed log: reading it once for a whole process, and sending it on to many streams."""
