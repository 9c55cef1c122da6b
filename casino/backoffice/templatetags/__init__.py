"""What the templates of the project's pages use."""
