"""Reports about the game: performance, revenue, voids, variance; each a set-wise statement over sealed facts."""
