"""What is kept how long, what is handed out about a person, how one is forgotten while rounds stay provable."""
