"""Reports: definitions, intervals, versioned documents, renderers and their schedule. They know no game."""
