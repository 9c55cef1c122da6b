"""Base classes and helpers of the admin's pages. Pages are read-only, except those of users."""
