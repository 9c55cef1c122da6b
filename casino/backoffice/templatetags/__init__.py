"""Template tags and filters of the admin's pages."""
