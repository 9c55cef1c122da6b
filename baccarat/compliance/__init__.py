"""What of the sealed log is significant: read behind the game by one checkpoint, never on the way of a wager."""
