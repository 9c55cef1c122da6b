"""How times are written where Django writes them: as everywhere else, with their zone."""
