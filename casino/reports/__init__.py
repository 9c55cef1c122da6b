"""Reports for regulators and bookkeepers: what one is, how it is made, kept and downloaded. Knows no game."""
