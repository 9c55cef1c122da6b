"""Reports about the game: performance, revenue, voids, variance. Each is a set-wise statement over sealed events."""
