"""What each player has chosen about sound, pictures and the look of the table."""
