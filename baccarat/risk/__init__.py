"""The risk desk: how much players move, rules that open cases, and what staff know of a player."""
