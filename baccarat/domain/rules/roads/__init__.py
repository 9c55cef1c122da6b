"""Pure: the scoreboards that baccarat tables keep, from marks, one for each round that counts."""
